Results say what they rest on. One that rests on instructions without figures is a lower bound, and says so first, in
every format; bounds that do not apply are marked; there is always a limit, if only the nearest one.

A zmm loop on a core whose table has no 512-bit forms was "1 cycle", with a warning in the last line.

  $ printf '%s\n' '.L3: vmovups (%rdi,%rax), %zmm0' 'vfmadd213ps (%rsi,%rax), %zmm1, %zmm0' 'vmovups %zmm0, (%rsi,%rax)' 'addq $64, %rax' 'cmpq %rdx, %rax' 'jb .L3' >$TMP/saxpy.s; cd $TMP; tacho predict saxpy.s -a SKL --ignore-isa | sed -n '1,/^Issue slots/p'
  at least 1.25 cycles per iteration on SKL, Skylake (client): 3 of 6 instructions have no figures
  
  no figures   vmovups (0), vfmadd213ps (1), vmovups (2)
  bottleneck   issue: the renamer issues at most 4 fused µops a cycle
  to move it   fewer µops: fused memory operands, wider vectors, less loop overhead
  next limit   DSB, at 1
  mode         loop: the code jumps back to its start; µops from the DSB (µop cache)
  IPC          at most 4.8
  elements     at least 0.078 cycles per element (16 elements of 4 bytes an iteration)
  checked      against another model of this core, never against measurements
  
  Each component alone, cycles per iteration:
    predecode           2  does not apply: µops come from the DSB
    decode              2  does not apply: µops come from the DSB
    DSB                 1  ################################
    issue            1.25  ########################################
    ports               1  ################################
    dependencies        1  ################################
  
  Issue slots: 100 % retiring, 0 % front-end bound, 0 % back-end bound (core 0 %, dependencies 0 %)

  $ cd $TMP; tacho predict - -a SKL --ignore-isa <saxpy.s --unknown 4 | sed -n '1,5p'
  2.12 cycles per iteration on SKL, Skylake (client): 3 of 6 instructions have no figures, and 4
  cycles are assumed for each
  
  no figures   vmovups (0), vfmadd213ps (1), vmovups (2)
  bottleneck   no single limit: several components interact; the nearest is issue at 1.5

  $ cd $TMP; tacho predict saxpy.s -a SKL --ignore-isa --unknown skip | sed -n '1,6p;/^warning: 3/,$p'
  at least 1 cycle per iteration on SKL, Skylake (client): 3 of 6 instructions have no figures and are
  left out
  
  bottleneck   DSB: delivery from the DSB, the cache of decoded µops (6 a cycle)
  to move it   fewer µops, or a better placement of the code (see --alignment)
  bottleneck   ports: port p6: 1 cmp+jb needs 1 cycle
  warning: 3 of 6 instructions are not in the SKL table and left out, though their bytes stay in
           place: 'vmovups (%rdi,%rax), %zmm0', 'vfmadd213ps (%rsi,%rax), %zmm1, %zmm0', 'vmovups
           %zmm0, (%rsi,%rax)'

  $ echo 'vmovups %zmm0, %zmm1' | tacho predict - -a SKL --ignore-isa | sed -n '1,3p'
  at least 0.38 cycles per iteration on SKL, Skylake (client): 1 of 1 instruction has no figures
  
  no figures   vmovups (0)

Instructions a cycle are an upper bound, also where those without figures are left out; their µops are not known.

  $ cd $TMP; for u in warn skip 4; do tacho predict saxpy.s -a SKL --ignore-isa --unknown $u | grep IPC; tacho predict saxpy.s -a SKL --ignore-isa --unknown $u --json | grep -e '"ipc"' -e '"uops_per_cycle"'; done
  IPC          at most 4.8
    "ipc": 4.8,
    "uops_per_cycle": null,
  IPC          at most 6
    "ipc": 6.0,
    "uops_per_cycle": null,
  IPC          2.83; µops issued a cycle: 2.83 of 4
    "ipc": 2.82926829268,
    "uops_per_cycle": 2.82926829268,

One is singular, several are plural.

  $ for u in warn skip 4; do for n in 1 2; do (yes 'vmovups %zmm0, %zmm1' | head -$n; echo 'add %rax, %rbx') | tacho predict - -a SKL --ignore-isa --unknown $u | sed -n "/^warning: .* table/,\$p" | sed "s/^\(warning:\)*  */ /" | tr -d "\n" | cut -c2-; done; done
  1 of 2 instructions is not in the SKL table; it is modelled as one µop that takes an issue slot but no port and no time, so the result is too low if it matters
  2 of 3 instructions are not in the SKL table; each is modelled as one µop that takes an issue slot but no port and no time, so the result is too low if they matter
  1 of 2 instructions is not in the SKL table and left out, though its bytes stay in place: 'vmovups %zmm0, %zmm1'
  2 of 3 instructions are not in the SKL table and left out, though their bytes stay in place: 'vmovups %zmm0, %zmm1', 'vmovups %zmm0, %zmm1'
  1 of 2 instructions is not in the SKL table; it is taken as one µop on any port that computes, with the latency that was given, 4
  2 of 3 instructions are not in the SKL table; each is taken as one µop on any port that computes, with the latency that was given, 4

  $ cd $TMP; tacho predict saxpy.s -a SKL,SKX --ignore-isa
  arch    cycles  exactly     mode    µops from  bottleneck
  SKL     >=1.25              loop    DSB        issue (3 of 6 instructions have no figures)
  SKX        1.5  3/2         loop    DSB        issue, load and store ports

  $ cd $TMP; tacho predict saxpy.s -a SKL,SKX --ignore-isa -f csv
  tacho: note: code that the microarchitecture cannot execute is predicted as if it could (--ignore-isa), which the CSV does not say
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,region,unknown,lower_bound,error
  62f17c4810040762f27548a8040662f17c481104064883c0404839d072e2,1.25,5/4,loop,SKL,DSB,issue,,3,true,
  62f17c4810040762f27548a8040662f17c481104064883c0404839d072e2,1.5,3/2,loop,SKX,DSB,issue;ports,,0,false,

  $ cd $TMP; tacho predict saxpy.s -a SKL --ignore-isa -f json | grep -E '^  "(cycles|unknown|lower_bound|missing|unknown_instructions)":'
    "cycles": 1.25,
    "unknown": 3,
    "lower_bound": true,
    "missing": "3 of 6 instructions have no figures",
    "unknown_instructions": 3,

  $ cd $TMP; tacho predict saxpy.s -a SKL --ignore-isa -f json --unknown 4 | grep -E '"(unknown|lower_bound|missing)":'
    "unknown": 3,
    "lower_bound": false,
    "missing": "3 of 6 instructions have no figures, and 4 cycles are assumed for each",

  $ printf '%s\n' 62f17c4810040762f27548a80406 4801d8 zz | tacho predict --batch - -a SKL --ignore-isa
  tacho: note: code that the microarchitecture cannot execute is predicted as if it could (--ignore-isa), which the CSV does not say
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,unknown,lower_bound,error
  62f17c4810040762f27548a80406,0.875,7/8,unroll,SKL,MITE,predecode,2,true,
  4801d8,1,1,unroll,SKL,MITE,dependencies,0,false,
  zz,,,,SKL,,,,,'z' at offset 0 is not a hexadecimal digit
  tacho: 1 of 3 blocks failed
  [3]

  $ cd $TMP; tacho predict --loops saxpy.s -a SKL --ignore-isa --top 0 | sed -n '5,7p'
     #  function cycles insns vec mem depth  where      remarks
     0  0x0      >=1.25     6   3   3     1  lines 1-6  limit: issue, 3 instructions have no figures
  

  $ cd $TMP; tacho predict --loops saxpy.s -a SKL,SKX --ignore-isa | sed -n '4,5p'
  #  function     SKL  SKX  where      remarks
  0  0x0       >=1.25  1.5  lines 1-6  figures are missing

  $ cd $TMP; tacho predict --loops saxpy.s -a SKL --ignore-isa -f csv | cut -d, -f2-6,21-
  tacho: note: code that the microarchitecture cannot execute is predicted as if it could (--ignore-isa), which the CSV does not say
  tacho: note: the sections ask for an alignment of less than 64 bytes, so the linker decides where in a 64-byte block a loop lies; sections are assumed to begin at a multiple of 64 (--alignment changes that)
  cycles,cycles_exact,arch,source,bottlenecks,flags,unknown,lower_bound,error
  1.25,5/4,SKL,DSB,issue,,3,true,

  $ cd $TMP; tacho predict --loops saxpy.s -a SKL --ignore-isa --json | grep -E '"(unknown|lower_bound)":'
    "unknown": 3,
    "lower_bound": true,

  $ cd $TMP; tacho predict --align all saxpy.s -a SKL --ignore-isa | grep '^Start'
  Start of the code after a 64-byte boundary, in bytes: cycles per iteration there, at least

  $ cd $TMP; tacho predict --align all saxpy.s -a SKL --ignore-isa -f csv | head -2
  tacho: note: code that the microarchitecture cannot execute is predicted as if it could (--ignore-isa), which the CSV does not say
  alignment,cycles,cycles_exact,mode,arch,source,bottlenecks,region,unknown,lower_bound
  0,1.25,5/4,loop,SKL,DSB,issue,,3,true

  $ cd $TMP; tacho predict saxpy.s -a SKL --ignore-isa --trace trace.json --graph graph.dot >/dev/null; grep -E '^"(cycles|unknown|lower_bound|missing)"' trace.json; grep -o 'on SKL: [a-z 0-9]*' graph.dot
  "cycles": 1.25,
  "unknown": 3,
  "lower_bound": true,
  "missing": "3 of 6 instructions have no figures",
  on SKL: at least 1

The bounds of a unit that the µops do not come through do not stand beside the others as if they counted.

  $ cd $TMP; tacho predict saxpy.s -a ICX | sed -n '/^Each/,/^$/p'
  Each component alone, cycles per iteration:
    predecode           2  does not apply: µops come from the DSB
    decode              2  does not apply: µops come from the DSB
    DSB                 1  ##############################
    issue            1.25  ######################################
    ports               1  ##############################
    dependencies        1  ##############################
  

  $ cd $TMP; tacho predict saxpy.s -a ICX --json | sed -n '/"bounds_in_use"/,/]/p'
    "bounds_in_use": [
      "dsb",
      "issue",
      "ports",
      "dependencies"
    ],

Where no single component explains the result, tables and JSON name the nearest one, and do not call it a bottleneck.

  $ cd $TMP; tacho predict saxpy.s -a ICX | grep ^bottleneck
  bottleneck   no single limit: several components interact; the nearest is issue at 1.25

  $ cd $TMP; tacho predict saxpy.s -a ICX,SKX
  arch    cycles  exactly     mode    µops from  bottleneck
  ICX       1.33  4/3         loop    DSB        nearest limit: issue at 1.25
  SKX        1.5  3/2         loop    DSB        issue, load and store ports

  $ cd $TMP; tacho predict --loops saxpy.s -a ICX --top 0 | sed -n '5,6p'
     #  function cycles insns vec mem depth  where      remarks
     0  0x0        1.33     6   3   3     1  lines 1-6  nearest limit: issue at 1.25

  $ cd $TMP; tacho predict saxpy.s -a ICX --json | sed -n '/"bottlenecks"/,/}/p'
    "bottlenecks": [],
    "next_limit": {
      "bound": "issue",
      "cycles": 1.25
    },

What a cycle does, and what N iterations take, as llvm-mca has them.

  $ tacho predict --hex 4801d84801c349ffcf75f5 -a SKL -iterations=100 | sed -n '/^IPC/,/^$/p'
  IPC          2; µops issued a cycle: 1.5 of 4
  run          100 iterations: 210 cycles, starting with an empty pipeline
  checked      against another model of this core, never against measurements
  

  $ tacho predict --hex 4801d84801c349ffcf75f5 -a SKL --iterations 5 --json | grep -A3 -E '"(ipc|uops_per_cycle|run)"'
    "ipc": 2.0,
    "uops_per_cycle": 1.5,
    "run": {
      "iterations": 5,
      "cycles": 20
    },

  $ tacho predict --hex 4801d84801c349ffcf75f5 -a SKL --json | grep '"run"'
    "run": null,

  $ tacho predict --hex 4801d8 -a SKL --iterations 0
  tacho: --iterations is a whole number from 1 to 1000000, not '0'
  [2]

  $ tacho predict --hex 4801d8 -a SKL --iterations 5 --bounds-only
  tacho: --iterations does not go with --bounds-only: nothing is simulated
  [2]

  $ tacho predict --batch examples/blocks.csv -a SKL --iterations 5
  tacho: --iterations does not go with --batch: CSV has no column for a whole run
  [2]

Evaluations count predictions that are lower bounds, of models that they run and of files (by the column lower_bound), and can
judge without them.

  $ printf '%s\n' hex,cycles df27,1 4801d8,1 48f7f1,18 >$TMP/measured.csv; cd $TMP; tacho eval measured.csv --model tacho --model baseline -a ZEN5 --by none --resamples 0 --worst 0
  measured.csv: 3 blocks measured, ZEN5
  Errors in % of the measured cycles, over the blocks that have a prediction; of tacho's predictions 1
  is a lower bound, as it lacks figures of instructions.
  
  predictor  blocks  failed  MAPE %  median %   q1 %   q3 %  Kendall's tau
  tacho           3       0   39.24     33.33  16.67  58.85         0.8165
  baseline        3       0   82.87     75.00  75.00  86.81              -
  
  predictor  within 1 %  within 5 %  within 10 %  bias %  worst %
  tacho           33.33       33.33        33.33  -39.24    84.38
  baseline         0.00        0.00         0.00  -82.87    98.61
  
  tacho 2.0.0: tacho

  $ cd $TMP; tacho eval measured.csv --model tacho -a ZEN5 --by none --resamples 0 --worst 0 --without-lower-bounds
  measured.csv: 3 blocks measured, ZEN5
  Errors in % of the measured cycles, over the blocks that have a prediction.
  
  predictor  blocks  failed  MAPE %  median %  q1 %   q3 %  Kendall's tau
  tacho           2       1   16.67     16.67  8.33  25.00         1.0000
  
  predictor  within 1 %  within 5 %  within 10 %  bias %  worst %
  tacho           50.00       50.00        50.00  -16.67    33.33
  
  tacho 2.0.0: tacho
  
  Why tacho failed
             1  only a lower bound: some of its instructions have no figures

  $ cd $TMP; tacho eval measured.csv --model tacho --model baseline -a ZEN5 --by none --resamples 0 --worst 0 --without-lower-bounds --common --format csv | cut -d, -f1-5,27-
  grouping,group,predictor,count,failures,lower_bounds
  all,,tacho,2,0,0
  all,,baseline,2,0,0

  $ cd $TMP; tacho eval measured.csv --model tacho -a ZEN5 --by none --save saved.csv --json | grep -E '"(count|failures|lower_bounds)"'; cat saved.csv
        "count": 3,
        "failures": 0,
        "lower_bounds": 1,
  hex,model,cycles,lower_bound,error
  df27,tacho,0.15625,true,
  4801d8,tacho,1,false,
  48f7f1,tacho,12,false,

  $ cd $TMP; tacho predict --batch measured.csv -a ZEN5 >p.csv; tacho eval measured.csv --predicted saved.csv --predicted batch=p.csv --by none --json | grep -E '"(name|lower_bounds)"'
        "name": "tacho",
        "lower_bounds": 1,
        "name": "batch",
        "lower_bounds": 1,

  $ cd $TMP; tacho eval measured.csv --predicted saved.csv --by none --json --without-lower-bounds | grep -E '"(count|failures|lower_bounds|message)"'
        "count": 2,
        "failures": 1,
        "lower_bounds": 0,
            "message": "only a lower bound: some of its instructions have no figures",
            "count": 1

  $ cd $TMP; sed 's/,true,/,maybe,/' saved.csv >bad.csv; tacho eval measured.csv --predicted bad.csv
  tacho: bad.csv: line 2: lower_bound: 'maybe' is neither true nor false
  [1]

A core whose model was never compared with measurements says so.

  $ for a in SKX SKL TGL; do echo $a; tacho predict --hex 4801d8 -a $a | grep ^checked; tacho predict --hex 4801d8 -a $a --json | grep compared_with; tacho arch $a | grep '^predictions'; done
  SKX
    "compared_with": "measurements",
  predictions compared with: measurements
  SKL
  checked      against another model of this core, never against measurements
    "compared_with": "model",
  predictions compared with: another model, not with measurements
  TGL
  checked      never, neither against measurements of this core nor against another model
    "compared_with": null,
  predictions compared with: nothing

  $ tacho arch --list --json | grep -c '"compared_with": "measurements"'
  6

Where µops come in several ways, a limit of one way that is above the result is none.

  $ { echo 'bsf rax, rcx'; for i in 1 2 3 4 5 6; do echo 'mov rax, 0x1122334455667788'; echo 'add qword ptr [rsi+0x12345678], 0x11223344'; done; } | tacho predict - -a ZEN2 -m unroll | sed -n '1p;/^Each/,/^$/p'
  6 cycles per iteration on ZEN2, Zen 2
  Each component alone, cycles per iteration:
    predecode        8.12  does not apply: few µops come this way
    decode              8  does not apply: few µops come this way
    op cache            4  ###########################
    issue               5  #################################
    ports               6  ########################################
    dependencies        6  ########################################
    start intervals     3  ####################
  

Where microcode is issued alone, few µops can bind the renamer, and it is said.

  $ echo 'vhaddps ymm0, ymm14, ymm15' | tacho predict - -a ZEN4 -m unroll | sed -n '/^bottleneck/,/^to move/p'
  bottleneck   issue: the renamer issues at most 6 fused µops a cycle, and microcode beside no other
               instruction
  to move it   fewer µops: fused memory operands, wider vectors, less loop overhead
