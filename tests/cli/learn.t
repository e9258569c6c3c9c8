What tacho learn finds of cores in the simulator, where the truth is known. Of this machine it is not asked
here: that takes its time, and is nobody else's result.

  $ tacho learn --list | sed -n '/^  issue-width$/,/finds/p'
    issue-width
        finds issue_width fuses_nops
  $ tacho learn --list --json | grep -A1 '"name": "issue-width"'
      "name": "issue-width",
      "parameters": "issue_width fuses_nops",
  $ tacho learn --of SKL --only issue-width | head -2 | sed 's/, .*//; s/:.*//'
  SKL as modelled
  learnt with SKL as a start
  $ tacho learn --of SKL --only issue-width --from-scratch | grep '^ *issue_width'
    issue_width                    4
  $ tacho learn --of ICL --from SKL --only issue-width | grep '^ *issue_width.*instead'
    issue_width                    5  instead of 4 (issue-width)
  $ tacho learn --of SKL --from ICL --explain issue_width | sed -n '/^issue-width/p; /ICL: 5/p; /both/{s:over .*; o:... o:p;q}'
  issue-width (front-end)
    issue_width: 4; ICL: 5
    * cycles an iteration ... o the same on ICL in the simulator; # both
  $ tacho learn --of SKL --from ICL --only issue-width --json | grep -A8 '"name": "issue_width"' | grep -e state -e value -e core -e model -e differs
        "state": "found",
        "value": "4",
        "core": "5",
        "model": "4",

The model, with what is different from the core that learning started from.

  $ tacho learn --quiet --of ICL --from SKL --forms 10 --blocks 10 -o $TMP/icl.tacho --log $TMP/icl.log | sed -n "s:$TMP:TMP:p; /How good/,/bounds *loops/s/ [-0-9. ]*$/ .../p"
  model: TMP/icl.tacho
    learnt   unrolled ...
    SKL      unrolled ...
    bounds   unrolled ...
    learnt   loops ...
    SKL      loops ...
    bounds   loops ...
  $ grep -e '^name' -e '^inherit' -e '^issue_width' -e 'SHA' $TMP/icl.tacho; grep -c '^# .*mean error' $TMP/icl.tacho
  name ICL-learnt
  inherit SKL
  issue_width	5	learnt	issue-width
  SHA	cpuid
  6

It says how sure each part is, and what error to expect, which predictions repeat.

  $ grep -c '^# [a-z-]*: .* parameters found, .* doubted, .* not told' $TMP/icl.tacho; tacho predict -a $TMP/icl.tacho --hex 4801d8 | grep -A1 ^checked | tr -s ' \n' ' ' | sed 's/[0-9.]* %/N %/g; s/on [0-9]* /on N /'; echo; tacho predict -a $TMP/icl.tacho --hex 4801d8 --json | grep -c '"checked": "by tacho learn on '
  7
  checked by tacho learn on N made-up blocks a mode in the simulator: mean error N % unrolled, N % in loops 
  1

In what two models differ; and one file for the authors, which is a model and a record, without a path or a
name: what bench/adopt makes of it the build takes.

  $ tacho learn --diff SKL $TMP/icl.tacho | grep -e '^SKL' -e '  issue_width'
  SKL, Skylake (client) -> ICL-learnt, Skylake (client), as tacho learn found it in the simulator
    issue_width                    4 -> 5 fused µops a cycle
  $ tacho learn --submit $TMP/icl.sub -o $TMP/icl.tacho; grep -c -e "$TMP" -e "$PWD" $TMP/icl.sub; grep -e '^# clock' -e '^# answers' $TMP/icl.sub | sed 's/parameters .*/.../'; tacho predict -a $TMP/icl.sub --hex 4801d8 | head -1; tacho learn --record $TMP/icl.sub --from SKL --only issue-width | grep -e ^record -e '^ *issue_width.*instead'
  0
  # clock: not known: it was learnt elsewhere
  # answers of a processor to tacho learn, 1: ICL as modelled, ...
  1 cycle per iteration on ICL-learnt, Skylake (client), as tacho learn found it in the simulator
  record: 72 questions answered, 0 left open
    issue_width                    5  instead of 4 (issue-width)
  $ B=$(dirname "$(command -v tacho)"); mkdir -p $TMP/tree/gen; cp -r data $TMP/tree; cp gen/meson.build $TMP/tree/gen; BUILD=$B bench/adopt $TMP/icl.sub NEW1 $TMP/tree | sed "s:$TMP:TMP:; s/, [0-9]* param.*/ .../; s/parameters .*/.../" | head -2; "$(ls $B/gen/tacho-gen-tables $B/../../gen/tacho-gen-tables 2>/dev/null | head -1)" --quiet $TMP/tree/data $TMP/tables.c && grep -c '.name = "NEW1"' $TMP/tables.c; grep -e inherit -e issue_width $TMP/tree/data/arch/NEW1/params.txt; BUILD=$B bench/adopt $TMP/icl.sub NEW1 $TMP/tree 2>&1 | sed "s:$TMP:TMP:"; BUILD=$B bench/adopt README.md NEW2 $TMP/tree 2>&1 | grep -c 'bench/adopt: tacho: README.md: '
  TMP/tree/data/arch/NEW1: from SKL ...
  Measured on: ICL as modelled, ...
  1
  inherit SKL
  issue_width	5	NEW1-learnt	issue-width
  bench/adopt: TMP/tree/data/arch/NEW1 is there already
  1
  $ cd $TMP; sed 's/^rob_entries/rob_width/; s/^rs_entries/rs_width/' icl.sub > old.sub; grep -c -e ^rob_width -e ^rs_width old.sub; tacho learn --diff SKL old.sub | grep -o 'rob_entries.*->'; tacho learn --record old.sub --from SKL --only issue-width | grep '^ *issue_width.*instead'
  2
  rob_entries                    224 ->
    issue_width                    5  instead of 4 (issue-width)
  $ tacho learn --diff SKL; tacho learn --submit $TMP/x -o $TMP/none.tacho 2>&1 | sed "s:$TMP:TMP:"; cp $TMP/icl.tacho $TMP/y.tacho; tacho learn --submit $TMP/x -o $TMP/y.tacho 2>&1 | sed "s:$TMP:TMP:"
  tacho: --diff takes two models or cores: --diff A.tacho B.tacho, --diff SKL mine.tacho
  tacho: --submit: there is no model of this machine at TMP/none.tacho: learn one first, or name it with -o
  tacho: TMP/y.tacho.journal: cannot be read: No such file or directory

Each part leaves a line in a log.

  $ sed 's/; .*left//; s/, retire.*/ .../; s/\(rob_entries [0-9]*\).*/\1 .../; s/\(ports [0-9]*\),.*/\1 .../' $TMP/icl.log | grep -e issue_width -e rob_entries -e ports -e forms | grep -v predecode | sort -u
  forms: 11 of 11
  front-end: fuses_nops no, issue_width 5 ...
  queues: rob_entries 352 ...
  resources: ports 10 ...
  $ tacho learn --of ICL --from SKL --forms 1 --blocks 2 --log $TMP/none/x.log -o $TMP/x.tacho 2>&1 >/dev/null | sed "s:$TMP:TMP:"
  tacho: cannot write TMP/none/x.log

What is asked for must be there, and fit together.

  $ tacho learn --of SKL --only nothing
  tacho: there is no part and no experiment 'nothing'
  [2]
  $ tacho learn --of SKL --explain nothing
  tacho: --explain: there is no experiment and no parameter 'nothing' that one finds; --list shows them
  [2]
  $ tacho learn --of nothing
  tacho: no microarchitecture nothing; known are SNB, IVB, HSW, BDW, SKL, KBL, CFL, CLX, SKX, ICL, ICX, TGL, RKL, ADL, SPR, MTL, GNR, ZEN2, ZEN3, ZEN4, ZEN5
  [2]
  $ tacho learn --of SKL --svg $TMP/a.svg
  tacho: 'tacho learn --svg' is no more: --json has the curves, for any program that draws
  [2]
  $ tacho learn --resume --restart; tacho learn --from SKL --from-scratch
  tacho: --resume and --restart exclude each other
  tacho: --from-scratch and --from exclude each other
  [2]

The journal: each answer once.

  $ tacho learn --of SKL --only issue-width -o $TMP/m.tacho | grep -c ' [1-9][0-9]* loops timed'; test -e $TMP/m.tacho || echo "no model"
  1
  no model
  $ tacho learn --of SKL --only issue-width -o $TMP/m.tacho 2>&1 | sed "s:$TMP:TMP:g"
  tacho: TMP/m.tacho.journal has what was measured before: --resume goes on with it, --restart forgets it
  $ tacho learn --of SKL --only issue-width -o $TMP/m.tacho --resume | grep -o ' [0-9]* loops timed'
   0 loops timed
  $ tacho learn --of SKL --only issue-width -o $TMP/m.tacho --restart | grep -c ' [1-9][0-9]* loops timed'
  1
  $ tacho learn --of HSW --only issue-width -o $TMP/m.tacho --resume 2>&1 | grep -o 'answers of another processor: SKL'
  answers of another processor: SKL

What ends it, at any moment, leaves a model that can be used, and a journal to go on with.

  $ tacho learn --quiet --of SKL --from HSW --forms 200 -o $TMP/s.tacho 2>$TMP/s.err >/dev/null & p=$!; i=0; until [ -s $TMP/s.tacho ] && [ "$(wc -l < $TMP/s.tacho.journal)" -gt 50 ] || [ $((i += 1)) -gt 900 ]; do sleep 0.1; done; kill $p; wait $p; echo $?; sed "s:$TMP:TMP:g" $TMP/s.err; tacho predict -a $TMP/s.tacho --hex 4801d8 | head -1; tacho learn --of SKL --from HSW --only issue-width -o $TMP/s.tacho --resume | grep '^ *issue_width'
  3
  tacho: note: TMP/s.tacho has the model of what was found until then
  tacho: note: ended by signal 15 (Terminated); TMP/s.tacho.journal has what was measured: --resume goes on with it
  1 cycle per iteration on SKL-learnt, Haswell, as tacho learn found it in the simulator
    issue_width                    4

In a log, too, it says now and then how far it has come: it said nothing for half an hour.

  $ TACHO_PROGRESS=0 tacho learn --of SKL --only issue-width 2>&1 >/dev/null | head -1
  tacho: experiments: 0 of 1, issue-width, 0 loops timed
  $ TACHO_PROGRESS=0 tacho learn --of SKL --only issue-width --quiet 2>&1 >/dev/null
  $ TACHO_PROGRESS=1000 tacho learn --of SKL --only issue-width 2>&1 >/dev/null

What was learnt of this processor is what "native" means, unless that is switched off. (Here it is another
core's model.)

  $ unset TACHO_NO_LEARNT; export XDG_CACHE_HOME=$TMP/cache; where() { tacho doctor --json | sed -n '/"learnt"/,$s/.*"file": "\(.*\)",/\1/p'; }; file=$(where); mkdir -p $(dirname $file); cp $TMP/icl.tacho $file; tacho predict --hex 4801d8 | head -1; tacho predict -a native --hex 4801d8 | sed -n '1s/.*on //p'; tacho doctor | grep -A2 'tacho learn' | sed 's/^  .*cache.*/  .../; s/[0-9]* param.*/.../'; echo "nonsense" > $file; tacho predict -a native --hex 4801d8 2>&1 | grep -o 'what was learnt of this processor is not used'; TACHO_NO_LEARNT=1 tacho predict --hex 4801d8 2>/dev/null | grep -c learn
  1 cycle per iteration on ICL-learnt, Skylake (client), as tacho learn found it in the simulator
  ICL-learnt, Skylake (client), as tacho learn found it in the simulator
  What tacho learn found of this processor is what '-a native' means; 0 days old:
    ...
    differs from SKL in ...
  what was learnt of this processor is not used
  0
  [1]

Measurements made elsewhere answer in a processor's place, and nothing is timed here: journals, whose head
says which core to start from; and CSV. What they do not answer is left open, and can be asked for.

  $ cd $TMP; tacho learn --of SKL --only issue-width -o a.tacho >/dev/null; tacho learn --record a.tacho.journal --only issue-width | sed -n '1s/,.*//p; 2s/ in .*//p; 3p; /^ *issue_width/p'
  SKL as modelled
  learnt with SKL as a start: 0 loops timed
  record: 72 questions answered, 0 left open
    issue_width                    4
  $ tacho learn --record tests/cli/zen5-width.journal --from ZEN4 --only issue-width | grep -e '^record' -e '^ *issue_width' -e '^ *fuses_nops'
  record: 69 questions answered, 3 left open
    fuses_nops                     no  instead of yes (issue-width)
    issue_width                    8  instead of 6 (issue-width)
    fuses_nops                     no
    issue_width                    8
  $ cd $TMP; head -40 a.tacho.journal > half.journal; tacho learn --record half.journal --from ICL --only issue-width --questions ask.csv | sed -n '2s/ in .*//p; 3p'; head -1 ask.csv; grep -c ',L,,$' ask.csv
  learnt with ICL as a start: 0 loops timed
  record: 39 questions answered, 33 left open
  hex,mode,registers,cycles
  33
  $ cd $TMP; tacho learn --answer ask.csv --of SKL -o more.journal; tacho learn --record half.journal more.journal --from ICL --only issue-width --json | grep -e '"answered"' -e '"open"'
  tacho: note: more.journal: 33 answers
    "answered": 72,
    "open": 0,
  $ cd $TMP; printf 'hex,mode,cycles,registers\n90,U,0.25,\n4801d849ffc975f8,L,1,rbx=5;r8=1f00\n4801d8,L,,\n' > a.csv; tacho learn --record a.csv --from SKL --only issue-width | sed -n '1p; 3p'
  a processor that the record does not name
  record: 0 questions answered, 72 left open
  $ cd $TMP; printf 'hex,mode\n9090,X\n' > b.csv; printf 'hex\n90\n' > c.csv; printf 'hex,mode,cycles\n9g,U,1\n' > d.csv; printf 'hex,mode,cycles,registers\n90,U,1,rzx=5\n' > e.csv
  $ cd $TMP; for f in b.csv c.csv d.csv e.csv none; do tacho learn --record $f --from SKL --only issue-width; done; tacho learn --answer b.csv --of SKL -o b.journal
  tacho: b.csv: neither a journal of tacho learn nor a CSV file with a column 'cycles'
  tacho: c.csv: neither a journal of tacho learn nor a CSV file with a column 'cycles'
  tacho: d.csv: line 2: wrong hex
  tacho: e.csv: line 2: wrong registers
  tacho: none: cannot be read: No such file or directory
  tacho: b.csv: line 2: wrong mode
  [1]
