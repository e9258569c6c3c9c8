  $ tacho
  tacho: no command; 'tacho help' lists them
  [2]
  $ tacho --version | sed 's/[0-9][0-9.]*/N/'
  tacho N
  $ tacho help | head -3
  tacho: how many cycles a block of x86-64 machine code takes, and why
  
  Usage: tacho COMMAND ...
  $ tacho predcit
  tacho: unknown command 'predcit'; did you mean predict?
  [2]
  $ tacho measure
  tacho: standard input: the text has no instructions
  [1]
  $ tacho help predcit
  tacho: unknown command 'predcit'; did you mean predict?
  [2]
  $ tacho help predict | grep '^[A-Z].*:$'; tacho help | grep '^[A-Z].*:$'
  Input, and which part of it:
  What is known of the code:
  Simulation:
  What if:
  Data beyond the first level:
  Reports:
  Pictures and pages:
  Examples:
  Blocks and loops:
  Blocks by the thousand:
  Programs that run:
  Processors:
  Besides:
  For instance:
  $ tacho help predict > $TMP/a; tacho predict --help | cmp - $TMP/a
  $ tacho help arch > $TMP/a; tacho arch -h | cmp - $TMP/a
  $ tacho help insn > $TMP/a; tacho insn --help | cmp - $TMP/a
  $ tacho help doctor > $TMP/a; tacho doctor -h | cmp - $TMP/a
  $ tacho help compare > $TMP/a; tacho compare -h | cmp - $TMP/a
  $ tacho help suite > $TMP/a; tacho suite --help | cmp - $TMP/a; tacho suite | cmp - $TMP/a
  $ tacho help suite dedup > $TMP/a; tacho suite dedup --help | cmp - $TMP/a
  $ tacho predict --fomat json
  tacho: unknown option '--fomat'; did you mean --format?
  [2]
  $ tacho predict --format jsn --hex 90
  tacho: --format is text|json|csv, not 'jsn'; did you mean json or csv?
  [2]
  $ tacho predict --format
  tacho: option --format needs a value: --format FORMAT
  [2]
  $ tacho predict --json=yes --hex 90
  tacho: option --json takes no value
  [2]
  $ tacho predict --hex 90 -a SLK
  tacho: no microarchitecture SLK; did you mean SKL or SKX?
  [2]
  $ for a in zen+ znver6 lion-cove apple-m1 skylak ice_lak ICM x86-64-v3; do tacho predict --hex 90 -a $a; echo "  $?"; done
  tacho: zen+: not known; nearest: ZEN2
    2
  tacho: znver6: not known; nearest: ZEN5
    2
  tacho: lion-cove: not known; nearest: MTL
    2
  tacho: apple-m1: no core that executes x86-64 code; known are SNB, IVB, HSW, BDW, SKL, KBL, CFL, CLX, SKX, ICL, ICX, TGL, RKL, ADL, SPR, MTL, GNR, ZEN2, ZEN3, ZEN4, ZEN5
    2
  tacho: no microarchitecture skylak; did you mean skylake, skylake-avx512 or skylake-server?
    2
  tacho: no microarchitecture ice_lak; did you mean icelake or ice-lake?
    2
  tacho: no microarchitecture ICM; did you mean ICL or ICX?
    2
  tacho: x86-64-v3: not one core, or one before those of today; known are SNB, IVB, HSW, BDW, SKL, KBL, CFL, CLX, SKX, ICL, ICX, TGL, RKL, ADL, SPR, MTL, GNR, ZEN2, ZEN3, ZEN4, ZEN5
    2
  $ for a in zen1 bdver2 ARL-P dmr cannonlake nehalem tremont knl cooperlake; do near=$(tacho arch $a 2>&1 | sed 's/.*nearest: //'); tacho arch $near | sed "s/ .*/ for $a/;1q"; done
  ZEN2: for zen1
  ZEN2: for bdver2
  MTL: for ARL-P
  GNR: for dmr
  SKL: for cannonlake
  SNB: for nehalem
  ADL: for tremont
  SKX: for knl
  CLX: for cooperlake
  $ tacho predict --hex 90 -a skylak
  tacho: no microarchitecture skylak; did you mean skylake, skylake-avx512 or skylake-server?
  [2]
  $ tacho predict --hex 90 -a nonsense
  tacho: no microarchitecture nonsense; known are SNB, IVB, HSW, BDW, SKL, KBL, CFL, CLX, SKX, ICL, ICX, TGL, RKL, ADL, SPR, MTL, GNR, ZEN2, ZEN3, ZEN4, ZEN5
  [2]
  $ tacho predict --hex 90 examples/dot.s -a SKL
  tacho: give one of INPUT, --hex and --batch
  [2]
  $ tacho predict a b -a SKL
  tacho: a: cannot be read: No such file or directory
  [1]
  $ tacho predict --hex 90 -a SKL --alignment 64
  tacho: --alignment is a whole number from 0 to 63, or all, not '64'
  [2]
  $ tacho predict --hex 90 -a SKL -alignmentOffset=x
  tacho: -alignmentOffset is a whole number from 0 to 63, or all, not 'x'
  [2]
  $ tacho predict --hex 90 -a SKL --minCycles 0
  tacho: --minCycles is a whole number from 1 to 1000000, not '0'
  [2]
  $ tacho predict --hex 90 -a SKL -j0
  tacho: -j is a whole number from 1 to 256, not '0'
  [2]
  $ tacho predict -x
  tacho: unknown option '-x'; 'tacho help' lists the commands, 'tacho COMMAND --help' the options
  [2]
  $ tacho predict ----
  tacho: unknown option '----'; did you mean --cc?
  [2]
  $ for c in predict measure deps eval kernels hot doctor learn compare bias; do tacho $c --colour=never --colour=grey; done
  tacho: --colour is auto|always|never, not 'grey'
  tacho: --colour is auto|always|never, not 'grey'
  tacho: --colour is auto|always|never, not 'grey'
  tacho: --colour is auto|always|never, not 'grey'
  tacho: --colour is auto|always|never, not 'grey'
  tacho: --colour is auto|always|never, not 'grey'
  tacho: --colour is auto|always|never, not 'grey'
  tacho: --colour is auto|always|never, not 'grey'
  tacho: --colour is auto|always|never, not 'grey'
  tacho: --colour is auto|always|never, not 'grey'
  [2]
  $ tacho measure --cpu all; tacho compare --cpu all
  tacho: --cpu is a whole number from 0 to 4095, not 'all'
  tacho: --cpu is a whole number from 0 to 4095, or any, not 'all'
  [2]
  $ tacho arch -a SKL --arch ICX
  tacho: one ARCH at a time: 'SKL' and 'ICX'
  [2]
  $ tacho compare --threshold 2%% -- a -- b; tacho hot --min-share 2x% -- a; tacho eval --confidence 101%
  tacho: --threshold is a number of percent from 0 to 1000, not '2%%'
  tacho: --min-share is a number of percent from 0 to 100, not '2x%'
  tacho: --confidence is a number of percent from 1 to 99.99, not '101%'
  [2]
  $ tacho suite dedup --output
  tacho: option --output needs a value: --output FILE
  [2]
  $ tacho bias --objects a.o b.o --quiet c.o -- true
  tacho: 'c.o': a command stands after --: tacho bias [options] -- COMMAND [ARGUMENT...]
  [2]
  $ tacho predict --no-lsd-unroling
  tacho: unknown option '--no-lsd-unroling'; did you mean --no-lsd-unrolling?
  [2]
  $ tacho predict -- --json -a SKL
  tacho: two INPUTs at most: '--json', '-a' and 'SKL'
  [2]
  $ for c in sample loops filter join; do tacho help suite $c > $TMP/a; tacho suite $c --help | cmp - $TMP/a; done
  tacho: 'tacho suite join' is no more: awk divides the rows, and puts the results together: doc/howto/many-machines.md shows how
  tacho: 'tacho suite join' is no more: awk divides the rows, and puts the results together: doc/howto/many-machines.md shows how

What would move the cursor of a terminal is not shown.

  $ printf 'hex,cycles\n90,a\033[2Jb\n' | tacho eval - --model baseline -a SKL
  tacho: standard input: line 2: cycles: 'a [2Jb' is no number
  [1]

  $ tacho completion
  tacho: no shell: tacho completion bash, zsh or fish
  [2]
  $ tacho completion tcsh
  tacho: the shell is bash|zsh|fish, not 'tcsh'; did you mean bash, zsh or fish?
  [2]
  $ tacho completion bash zsh
  tacho: one shell at a time: 'bash' and 'zsh'
  [2]
  $ tacho completion zsh | head -1
  #compdef tacho

Behind a path of 5,000 bytes there still is the reason.

  $ long=$(printf '%05000d' 0); for c in predict measure deps extract 'suite dedup' 'suite filter' 'suite cluster' 'compare --samples' 'predict --batch' 'measure --batch' kernels; do echo "$c: $(tacho $c $long 2>&1 | tail -c 50)"; done
  predict: 0000000000000: cannot be read: File name too long
  measure: 0000000000000: cannot be read: File name too long
  deps: 0000000000000: cannot be read: File name too long
  extract: 0000000000000: cannot be read: File name too long
  suite dedup: 0000000000000: cannot be read: File name too long
  suite filter: 0000000000000: cannot be read: File name too long
  suite cluster: 0000000000000: cannot be read: File name too long
  compare --samples: 0000000000000: cannot be read: File name too long
  predict --batch: 0000000000000: cannot be read: File name too long
  measure --batch: 0000000000000: cannot be read: File name too long
  kernels: 00000000000000000000000000000: File name too long
  $ for c in 'measure --hex 90' doctor 'compare -q -- true -- true' 'bias -q -- true' 'measure --insn ADD_01' 'learn -q'; do set -- $c; name=$1; shift; tacho $name --cpu 4095 "$@"; echo $?; done
  tacho: this process may not use CPU 4095, or there is none ('taskset -p $$' shows which it may)
  2
  tacho: this process may not use CPU 4095, or there is none ('taskset -p $$' shows which it may)
  2
  tacho: this process may not use CPU 4095, or there is none ('taskset -p $$' shows which it may)
  2
  tacho: this process may not use CPU 4095, or there is none ('taskset -p $$' shows which it may)
  2
  tacho: this process may not use CPU 4095, or there is none ('taskset -p $$' shows which it may)
  2
  tacho: this process may not use CPU 4095, or there is none ('taskset -p $$' shows which it may)
  2

What is no more says what is there instead.

  $ for c in 'suite join x' 'predict --shard 1/2' 'insn --missing --batch x' 'predict --occupancy x.svg' 'predict --align-plot x.svg' 'suite classify x' 'compare --import a b'; do tacho $c; echo $?; done
  tacho: 'tacho suite join' is no more: awk divides the rows, and puts the results together: doc/howto/many-machines.md shows how
  2
  tacho: 'tacho predict --shard' is no more: awk divides the rows, and puts the results together: doc/howto/many-machines.md shows how
  2
  tacho: 'tacho insn --missing' is no more: 'tacho predict --batch' says in its column 'unknown' which blocks lack figures
  2
  tacho: 'tacho predict --occupancy' is no more: --html has the picture
  2
  tacho: 'tacho predict --align-plot' is no more: --html has the picture, --align all the table
  2
  tacho: 'tacho suite classify' is no more: 'tacho suite cluster' of all suites together gives their blocks the same categories
  2
  tacho: 'tacho compare --import' is no more: jq makes samples of results, for --samples: doc/tutorials/compare-builds.md shows how
  2
