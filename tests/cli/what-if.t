Variants of the model: each changes what it says it changes. What is printed: cycles, exactly, source.

  $ echo 'tacho predict -a SKL --format csv --hex "$@" 2>/dev/null | tail -1 | cut -d , -f 2,3,6' >$TMP/p

Long NOPs, which only the predecoder holds back (16 bytes a cycle), and what the renamer would take:

  $ sh $TMP/p 0f1f80000000000f1f80000000000f1f80000000000f1f8000000000
  1.75,7/4,MITE
  $ sh $TMP/p 0f1f80000000000f1f80000000000f1f80000000000f1f8000000000 --simple-front-end
  1,1,LSD

Ports at random: additions now sometimes take the branch's port, and there is no exact result; always the same one.

  $ sh $TMP/p 4883c0014883c3014883c10149ffcf75ef
  1.08,27/25,DSB
  $ sh $TMP/p 4883c0014883c3014883c10149ffcf75ef --simple-port-assignment | cut -d , -f 2
  
  $ for i in 1 2; do sh $TMP/p 4883c0014883c3014883c10149ffcf75ef --simple-port-assignment; done | uniq -d | grep -c ,
  1

Without fusion a load and its addition, a decrement and its jump are two µops each.

  $ sh $TMP/p 48030348034b084803531048037318
  2,2,MITE
  $ sh $TMP/p 48030348034b084803531048037318 --no-micro-fusion
  4,4,MITE
  $ sh $TMP/p 48030348034b084803531048037318 -noMicroFusion
  4,4,MITE
  $ sh $TMP/p 48ffc948ffc348ffc649ffcf75f2
  1.08,27/25,DSB
  $ sh $TMP/p 48ffc948ffc348ffc649ffcf75f2 --no-macro-fusion
  1.477987,,DSB
  $ sh $TMP/p 48ffc948ffc348ffc649ffcf75f2 -noMacroFusion
  1.477987,,DSB

Moves: eliminated as the model says, never, always.

  $ sh $TMP/p 4889d84889c3
  1,,MITE
  $ sh $TMP/p 4889d84889c3 --no-move-elimination
  2,2,MITE
  $ sh $TMP/p 4889d84889c3 --full-move-elimination
  0.625,5/8,MITE
  $ tacho predict -a SKL --hex 4889d84889c3 --full-move-elimination --no-move-elimination
  tacho: give --no-move-elimination or --full-move-elimination, not both
  [2]

The report says what was not as it is.

  $ tacho predict -a SKL --hex 4889d84889c3 --no-move-elimination --no-macro-fusion | head -3
  2 cycles per iteration on SKL, Skylake (client)
  
  what if      no macro fusion, no move elimination
  $ tacho predict -a SKL --hex 4889d84889c3 --no-move-elimination --no-macro-fusion --json | grep -A 4 '"variants"'
    "variants": [
      "no_macro_fusion",
      "no_move_elimination"
    ],
    "bottlenecks": [

Parameters can be changed, several at once, for several microarchitectures; the report says so.

  $ sh $TMP/p 0f1f80000000000f1f80000000000f1f80000000000f1f8000000000 --set predecode_block_bytes=32
  1.125,9/8,MITE
  $ tacho predict -a SKL,HSW --format csv --hex 9090909090909090909090909090909090 --simple-front-end --set issue_width=6 --set retire_width=8,rob_entries=64 | cut -d , -f 2,3,5
  tacho: note: a what-if run, which the CSV does not say
  cycles,cycles_exact,arch
  2.833333,17/6,SKL
  2.833333,17/6,HSW
  $ tacho predict -a SKL --hex 90909090 --set issue_width=8,lsd_enabled=yes | head -3
  1 cycle per iteration on SKL, Skylake (client)
  
  what if      lsd_enabled yes instead of no, issue_width 8 instead of 4
  $ tacho predict -a SKL --hex 90909090 --set issue_width=8,lsd_enabled=yes --json | tr -d ' \n' | grep -o '"parameters_changed":{[^}]*},[^}]*}'
  "parameters_changed":{"lsd_enabled":{"value":true,"model":false},"issue_width":{"value":8,"model":4}
  $ tacho predict -a SKL --hex 90909090 --json | grep parameters_changed
    "parameters_changed": {},

A third load port, which loads then use in turn (eight loads from one address):

  $ sh $TMP/p 488b06488b1e488b0e488b164c8b064c8b0e4c8b164c8b1e --simple-front-end --set issue_width=8
  4,4,LSD
  $ sh $TMP/p 488b06488b1e488b0e488b164c8b064c8b0e4c8b164c8b1e --simple-front-end --set issue_width=8,ports=9,load_ports=238,retire_width=8
  2.666667,8/3,LSD
  $ tacho predict -a SKL --hex 488b06488b1e488b0e48c1e105 --set ports=9,load_ports=238 --simple-front-end --json | tr -d ' \n' | grep -o '"ports":{"0[^}]*' | head -1
  "ports":{"0":0.0,"1":0.0,"2":1.0,"3":0.0,"4":0.0,"5":0.0,"6":0.0,"7":0.0,"8":0.0

What cannot be is refused, with what could be. (A µop with a large immediate takes two of the DSB's slots; a fusible
instruction would never be decoded.)

  $ tacho predict -a SKL --hex 90 --set issue_widht=6
  tacho: --set for SKL: there is no parameter issue_widht; did you mean issue_width?
  [2]
  $ tacho predict -a SKL --hex 90 --set frobs=6
  tacho: --set for SKL: there is no parameter frobs; 'tacho arch NAME' lists them
  [2]
  $ tacho predict -a SKL --hex 90 --set issue_width=99
  tacho: --set for SKL: issue_width is a whole number from 1 to 16, not '99'
  [2]
  $ tacho predict -a SKL --hex 90 --set issue_width
  tacho: --set is PARAMETER=VALUE, for instance issue_width=6, not 'issue_width'
  [2]
  $ tacho predict -a SKL --hex 90 --set lsd_enabled=1
  tacho: --set for SKL: lsd_enabled is yes or no, not '1'
  [2]
  $ tacho predict -a SKL --hex 90 --set load_ports=x
  tacho: --set for SKL: load_ports is the ports' digits, each once (237; 0-9, then a-f), or - for none, not 'x'
  [2]
  $ tacho predict -a ZEN3 --hex 90 --set memory_alu_ports=99
  tacho: --set for ZEN3: memory_alu_ports is the ports' digits, each once (237; 0-9, then a-f), or - for none, not '99'
  [2]
  $ tacho predict -a SKL,ICL --hex 90 --set ports=8
  tacho: --set for ICL: ports is a whole number from 10 to 16, not '8'
  [2]
  $ tacho predict -a SKL --hex 90 --set rob_entries=6
  tacho: --set for SKL: parameter rob_entries is 6; with this issue_width it must be at least 8
  [2]
  $ tacho predict -a SKL --hex 90 --set dsb_width=1
  tacho: --set for SKL: dsb_width is a whole number from 2 to 16, not '1'
  [2]
  $ tacho predict -a HSW --hex 90 --set decoders=1
  tacho: --set for HSW: parameter decoders is 1; with fusible_on_last_decoder=no it must be at least 2
  [2]
  $ tacho predict -a SKL --hex 90 --set lsd_unroll=1-99:2
  tacho: --set for SKL: lsd_unroll is factors by µops in the loop ("1-4:8 5:6", up to 64 µops), or -, not '1-99:2'
  [2]
  $ tacho predict -a SKL --hex 90 --set ports=13
  tacho: --set for SKL: parameter ports is 13; with port_policy=8 there are at most 12
  [2]
  $ tacho predict -a ZEN5 --hex 90 --set port_policy=10
  tacho: --set for ZEN5: parameter ports is 16; with port_policy=10 there are at most 12
  [2]
  $ tacho predict -a SKL --hex 90 --set store_gather_lines=12
  tacho: --set for SKL: parameter store_gather_lines is 12; paired_stores_same_line must be yes then
  [2]

Schedulers that addresses share with ALUs need the rest of such a core: others counted what waits for a
port in a byte of another port's, or took no notice.

  $ for set in ADL,address_scheduler_entries=96 ZEN5,rob_entries=300 ZEN4,address_scheduler_entries=0 ZEN4,store_address_ports=68 ZEN4,load_ports=012345678 ZEN4,shared_scheduler_entries=121; do tacho predict --hex 90 -a ${set%%,*} --set shared_scheduler_entries=24,${set#*,}; done
  tacho: --set for ADL: parameter shared_scheduler_entries is 24; port_policy must be 16 then
  tacho: --set for ZEN5: parameter shared_scheduler_entries is 24; alu_scheduler_parts must be 0 then
  tacho: --set for ZEN4: parameter shared_scheduler_entries is 24; address_scheduler_entries must be more than 0 then
  tacho: --set for ZEN4: parameter shared_scheduler_entries is 24; store addresses must go to load ports then
  tacho: --set for ZEN4: parameter shared_scheduler_entries is 24; there must be at most 8 load ports then
  tacho: --set for ZEN4: shared_scheduler_entries is a whole number from 0 to 120, not '121'
  [2]

  $ tacho predict -a ZEN5 --hex 90 --set vector_queue_entries=7
  tacho: --set for ZEN5: parameter vector_queue_entries is 7; with a vector_scheduler_entries and this issue_width it must be at least 8
  [2]
  $ tacho predict -a SKL --hex 90 --set vector_scheduler_entries=129
  tacho: --set for SKL: vector_scheduler_entries is a whole number from 0 to 128, not '129'
  [2]
  $ tacho predict -a SKL --hex 90 --set port_policy=7
  tacho: --set for SKL: port_policy is 6, 8, 10, 12 or 16, not '7'
  [2]
  $ for i in $(seq 257); do printf ' --set iq_entries=25'; done | xargs tacho predict -a SKL --hex 90 2>&1 | head -2
  tacho: --set is given more than 256 times; it takes lists with commas, too

Values are shown as --set takes them, and all of them are taken.

  $ tacho arch HSW | grep -e lsd_unroll -e load_ports -e move_elim_slots
    lsd_unroll                     1-4:8 5:6 6:5 7-8:4 9-12:3 13-28:2 copies, by µops in the loop (else 1)  [1]
    move_elim_slots_gpr            4                               [1]
    move_elim_slots_simd           4                               [1]
    load_ports                     23 ports                        [1]
    load_ports_512                 - ports                         [4]
  $ for a in SNB HSW CLX ICX; do tacho arch $a --json | tr -d '\n' | grep -o '"[a-z_0-9]*": { *"value": [^}]*"set": "[^"]*"' | sed 's/^"\([a-z_0-9]*\)".*"set": "\(.*\)"$/--set\n\1=\2/' | tr '\n' '\0' | xargs -0 tacho predict -a $a --hex 90 --json | grep parameters_changed; done
    "parameters_changed": {},
    "parameters_changed": {},
    "parameters_changed": {},
    "parameters_changed": {},

CSV has no place for all what-if runs.

  $ tacho predict --batch no-such-file --what-if -a SKL
  tacho: --what-if does not go with --batch: CSV has no columns for its runs
  [2]
  $ tacho predict examples/dot.s --format csv --what-if -a SKL
  tacho: --what-if does not go with --format csv: CSV has no columns for its runs
  [2]

More decoders than the core of the tables has can all be used beside the complex one.

  $ tacho predict --hex 0f49c69090909090 -m unroll -a ICL --set decoders=6,issue_width=6,predecode_width=8 | grep '^  decode'
    decode              1  ################################
