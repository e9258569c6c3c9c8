Cores from files (data/README.md, "Models of cores"): two lines are one. What is printed: arch, cycles, bottleneck.

  $ echo 'tacho predict "$@" --hex 480fafc0480fafc9480fafd2480faff6480fafff4d0fafc04d0fafc9 --format csv 2>&1 | cut -d , -f 1-4,7' >$TMP/p
  $ printf 'inherit SKL\nissue_width\t1\tassumed\n' >$TMP/narrow.tacho
  $ printf 'inherit SKL\n' >$TMP/plain
  $ sh $TMP/p -a SKL,$TMP/narrow.tacho,$TMP/plain
  hex,cycles,cycles_exact,mode,bottlenecks
  480fafc0480fafc9480fafd2480faff6480fafff4d0fafc04d0fafc9,7,7,unroll,ports
  480fafc0480fafc9480fafd2480faff6480fafff4d0fafc04d0fafc9,7,7,unroll,issue;ports
  480fafc0480fafc9480fafd2480faff6480fafff4d0fafc04d0fafc9,7,7,unroll,ports
  $ cd $TMP && sh ./p -a narrow.tacho,plain
  hex,cycles,cycles_exact,mode,bottlenecks
  480fafc0480fafc9480fafd2480faff6480fafff4d0fafc04d0fafc9,7,7,unroll,issue;ports
  480fafc0480fafc9480fafd2480faff6480fafff4d0fafc04d0fafc9,7,7,unroll,ports

A file of the last version, whose capacities had another name.

  $ w=width; printf "inherit SKL\nrob_$w\t300\tuser\n" > $TMP/old; tacho predict -a $TMP/old --hex 480fafc3 | grep -A1 'last version'
  warning: old has capacities by their names of the last version, which end in _width: they end in
           _entries now, and the next version reads no others
  $ w=width; tacho predict -a SKL --set rob_$w=300 --hex 480fafc3 | grep -A1 'last version'
  warning: SKL has capacities by their names of the last version, which end in _width: they end in
           _entries now, and the next version reads no others

A what-if study by files: the example has two multipliers.

  $ sh $TMP/p -a SKL,examples/bigger_rob.tacho
  hex,cycles,cycles_exact,mode,bottlenecks
  480fafc0480fafc9480fafd2480faff6480fafff4d0fafc04d0fafc9,7,7,unroll,ports
  480fafc0480fafc9480fafd2480faff6480fafff4d0fafc04d0fafc9,3.5,7/2,unroll,ports
  $ tacho predict -a examples/bigger_rob.tacho --set rob_entries=300 --hex 480fafc3 | sed -n '1p;/^what if  /p;/^checked/p'
  3 cycles per iteration on SKL-bigger, Skylake with a bigger ROB and two multipliers
  what if      rob_entries 300 instead of 512
  checked      never: this model of the core comes from a file
  $ tacho predict -a examples/bigger_rob.tacho --hex 480fafc3 --json | grep -e '"arch"' -e compared_with -e from_file
    "arch": "SKL-bigger",
    "compared_with": null,
    "from_file": true,
  $ tacho learn --diff SKL examples/bigger_rob.tacho | grep -v -e ' parameters differ' -e ^Timing
  SKL, Skylake (client) -> SKL-bigger, Skylake with a bigger ROB and two multipliers
  
    rob_entries                    224 -> 512 fused µops
        capacity of the reorder buffer
    rs_entries                     97 -> 160 µops
        capacity of the scheduler
  
  How many differ in what, and by the greatest factors:
    reciprocal throughput: 1 form
        IMUL (R64, R64)                                    1 -> 0.5
    ports: 1 form
  $ tacho arch examples/bigger_rob.tacho | grep -e '^SKL' -e figures -e file -e compared -e rob_entries -e rs_entries -e '\[[67]\]'
  SKL-bigger: Skylake with a bigger ROB and two multipliers
  instruction figures: changed from: uops.info's figures for Skylake, all measured on that core
  a model from a file, which is none of tacho's own
  predictions compared with: nothing
    rob_entries                    512 fused µops                  [6]
    rs_entries                     160 µops                        [6]
    bypass_fp_cycles               4 cycles                        [7]
    vector_domains                 no                              [7]
    [6] given by the model's author
    [7] uops.info, measured on Skylake
  $ tacho arch examples/bigger_rob.tacho --json | head -8
  {
    "schema": "tacho-arch-1",
    "arch": "SKL-bigger",
    "name": "Skylake with a bigger ROB and two multipliers",
    "aliases": [],
    "table": "changed from: uops.info's figures for Skylake, all measured on that core",
    "compared_with": null,
    "from_file": true,
  $ tacho insn 'IMUL (R64, R64)' -a examples/bigger_rob.tacho | head -4
  IMUL (R64, R64) on SKL-bigger
    cost             1 µop on 1*p15; 1 fused; decoders 1, microcode 0
                     latency 3, reciprocal throughput 0.5
    source           ports and µops, decoding: given by the model's author; latencies: as on Skylake (not measured on this core)
  $ tacho insn 'SUB_29 (R64, R64)' -a examples/bigger_rob.tacho --json | grep -e 'source": "' -e derived
    "source": "uops.info, measured on Skylake",
    "derived": false
  $ echo 4801d8 >$TMP/blocks.csv
  $ tacho predict --batch $TMP/blocks.csv -a examples/bigger_rob.tacho | cut -d , -f 1-3
  hex,cycles,cycles_exact
  4801d8,1,1
  $ printf 'hex,cycles\n480fafc3,3\n4801d8,1\n' >$TMP/measured.csv
  $ tacho eval $TMP/measured.csv --model tacho -a examples/bigger_rob.tacho -f csv | cut -d , -f 1-5 | head -2
  grouping,group,predictor,count,failures
  all,,tacho,2,0
  $ tacho suite filter $TMP/measured.csv -a examples/bigger_rob.tacho 2>&1 | tail -2
  4801d8,1
  2 blocks: 2 kept, 0 rejected

What is wrong in a file is said with its line; `tacho arch` says all of it.

  $ printf 'inherit SKL\nrob_entries 256 assumed\n[insns]\nIMUL (R64, R64)\n' >$TMP/bad.tacho
  $ cd $TMP && tacho predict -a bad.tacho --hex 90
  tacho: bad.tacho: line 2: a parameter has three fields: name, value, source; between fields stands a TAB, here are spaces; 1 more problem: tacho arch bad.tacho
  [2]
  $ cd $TMP && tacho arch bad.tacho
  tacho: bad.tacho: line 2: a parameter has three fields: name, value, source; between fields stands a TAB, here are spaces
  tacho: bad.tacho: line 4: a row has seven fields: name, base, indexed, same registers, latencies, fusion, source; between fields stands a TAB, here are spaces
  [2]
  $ cd $TMP && tacho predict -a ./none --hex 90
  tacho: ./none: No such file or directory
  [2]
  $ cd $TMP && cp narrow.tacho SKL.tacho && tacho predict -a SKL.tacho --hex 90
  tacho: SKL.tacho: SKL is a built-in core's name; 'name ANOTHER' before all rows gives another
  [2]
  $ cd $TMP && mkdir -p other && cp narrow.tacho other && tacho predict -a narrow.tacho,other/narrow.tacho --hex 90
  tacho: narrow.tacho and other/narrow.tacho are both called narrow; 'name ANOTHER' before all rows gives one another name
  [2]
  $ tacho arch README.md
  tacho: README.md: line 3: no model of a core, which begins with 'tacho model 1' or 'inherit NAME'
  [2]

Tools of others know built-in cores.

  $ tacho suite cluster $TMP/measured.csv -a examples/bigger_rob.tacho --topics 1 2>/dev/null | head -2
  hex,cycles,category,category_note
  480fafc3,3,Scalar,
  $ tacho eval $TMP/measured.csv --model osaca -a examples/bigger_rob.tacho -f csv 2>&1 | head -2 | sed 's/ (.*//'
  tacho: left out: osaca does not know the microarchitecture SKL-bigger
  tacho: no predictor is left

A move may take more slots than one, also where it is eliminated: three of two each take a cycle of six. (Their
µops were written over what came behind them.)

  $ for a in ZEN4 SKL; do printf "inherit $a\n[insns]\nsource 1 all=x\nMOV_89 (R64, R64)\t- s=2\t.\t01\t1>0=0,,,,0\t-\t1\n[sources]\nx\testimated\t-\tx\n" >$TMP/slots.tacho; for m in unroll loop; do tacho predict --hex 4889c34889c14889c2 -a $TMP/slots.tacho -m $m | head -1; done; done
  1 cycle per iteration on slots, changed from Zen 4
  1 cycle per iteration on slots, changed from Zen 4
  3 cycles per iteration on slots, changed from Skylake (client)
  1.5 cycles per iteration (exactly 3/2) on slots, changed from Skylake (client)

Rows of its own speak of its own ports, which it may have more of than the core that it inherits: a counter in memory
lost its dependency where a load took four ports. What an inherited row gives any ALU has any of the model's.

  $ printf 'tacho model 1\nname NEW\ninherit ZEN4\n[params]\nissue_width\t8\tx\nload_ports\t4567\tx\nalu_ports\t012389\tx\nissue_alu_uops\t6\tx\nstore_data_alu_ports\t012389\tx\n[insns]\nsource 1 ports=x front_end=x indexed=x same_reg=x latency=x divider=x throughput=x fusion=x\nSUB (M64, I8)\t012389+4567+67+012389 s=1\t.\t.\t-\t-\t1\n[sources]\nx\tmeasured\tNEW\tx\n' > $TMP/new.tacho; tacho predict --hex 48832b01 -a $TMP/new.tacho -m unroll --init same | sed -n '1p; /^bottleneck/p'; for a in ZEN4 $TMP/new.tacho; do printf '.intel_syntax noprefix\nor eax, ebp\nor ecx, ebp\nor edx, ebp\nor esi, ebp\nor edi, ebp\nor r8d, ebp\n' | tacho predict - -a $a -m unroll | head -1; done
  1 cycle per iteration on NEW, changed from Zen 4
  bottleneck   dependencies: the dependency through memory (instruction 0)
  1.5 cycles per iteration (exactly 3/2) on ZEN4, Zen 4
  1 cycle per iteration on NEW, changed from Zen 4
