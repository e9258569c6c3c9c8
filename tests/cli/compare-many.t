Made-up samples of four commands, 16 blocks: the second takes 5 % more, the third 3 % less, the last the same.

  $ cd $TMP; echo 'BEGIN { f[1] = f[4] = 1; f[2] = same ? 1 : 1.05; f[3] = same ? 1 : 0.97; split(same ? "a b c d" : "old new small,one again", n, " "); print "run,command,name,block,cpu"; for (b = 0; b < 16; b++) for (i = 0; i < 4; i++) { c = (i + b * 3) % 4 + 1; print 4 * b + i + 1 "," c ",\"" n[c] "\"," b "," f[c] * (0.01 + 0.0001 * ((7 * b + 3 * c) % 11) / 11) } }' > make.awk; awk -f make.awk > four.csv; head -3 four.csv
  run,command,name,block,cpu
  1,1,"old",0,0.0100273
  2,2,"new",0,0.0105573
  $ cd $TMP; tacho compare --samples four.csv
  of 3, 1 is faster and 1 is slower than old; the fastest is small,one
  
  runs         16 blocks, each with a run of each command, in random order
  ratio        median of cpu by that of old; the intervals of all ratios hold at once, p is corrected
               for 3 comparisons, and ranks for all pairs
  
  command    cpu, ms     95 % interval   ratio     95 % interval        p  rank
  old         10.050  10.023 to 10.077  1.0000                 -        -   2-3  baseline
  new         10.548  10.519 to 10.572  1.0495  1.0431 to 1.0559  9.2e-05     4  5.0 % slower
  small,one   9.7441  9.7220 to 9.7705  0.9696  0.9628 to 0.9764  9.2e-05     1  3.0 % faster
  again       10.041  10.014 to 10.068  0.9991  0.9948 to 1.0034    0.055   2-3  no difference found
  $ cd $TMP; tacho compare --samples four.csv --format markdown
  **of 3, 1 is faster and 1 is slower than old; the fastest is small,one**
  
  | command | cpu, ms | 95 % interval | ratio | 95 % interval | p | rank |  |
  |---|--:|--:|--:|--:|--:|--:|---|
  | old | 10.050 | 10.023 to 10.077 | 1.0000 | - | - | 2-3 | baseline |
  | new | 10.548 | 10.519 to 10.572 | 1.0495 | 1.0431 to 1.0559 | 9.2e-05 | 4 | 5.0 % slower |
  | small,one | 9.7441 | 9.7220 to 9.7705 | 0.9696 | 0.9628 to 0.9764 | 9.2e-05 | 1 | 3.0 % faster |
  | again | 10.041 | 10.014 to 10.068 | 0.9991 | 0.9948 to 1.0034 | 0.055 | 2-3 | no difference found |
  
  $ cd $TMP; tacho compare --samples four.csv --json > four.json; grep -E '^  "(schema|answer|metric|threshold|confidence|critical_value|blocks|units_needed|units_needed_for_ranks|units_are|file)"' four.json; grep -E '^      "(number|name|verdict|interesting|ratio|p_value|p_corrected|units|rank_low|rank_high)"' four.json | head -20
    "schema": "tacho-compare-many-1",
    "answer": "of 3, 1 is faster and 1 is slower than old; the fastest is small,one",
    "metric": "cpu",
    "threshold": 0.02,
    "file": "four.csv",
    "confidence": 0.95,
    "critical_value": 3.17365943227,
    "blocks": 16,
    "units_needed": 7,
    "units_needed_for_ranks": 8,
    "units_are": "blocks",
        "number": 1,
        "name": "old",
        "verdict": null,
        "interesting": null,
        "ratio": 1.0,
        "p_value": null,
        "p_corrected": null,
        "units": 0,
        "rank_low": 2,
        "rank_high": 3,
        "number": 2,
        "name": "new",
        "verdict": "slower",
        "interesting": true,
        "ratio": 1.04952238806,
        "p_value": 3.0517578125e-5,
        "p_corrected": 9.1552734375e-5,
        "units": 16,
        "rank_low": 4,
        "rank_high": 4,
  $ cd $TMP; tacho compare --samples four.csv --higher-is-better --unit frames/s | sed -n '1p; /^command/,$p'
  of 3, 1 is better and 1 is worse than old; the best is new
  command    cpu, frames/s     95 % interval   ratio     95 % interval        p  rank
  old               0.0100  0.0100 to 0.0101  1.0000                 -        -   2-3  baseline
  new               0.0105  0.0105 to 0.0106  1.0495  1.0431 to 1.0559  9.2e-05     1  5.0 % more
  small,one         0.0097  0.0097 to 0.0098  0.9696  0.9628 to 0.9764  9.2e-05     4  3.0 % less
  again             0.0100  0.0100 to 0.0101  0.9991  0.9948 to 1.0034    0.055   2-3  no difference
                                                                                       found
  $ cd $TMP; tacho compare --samples four.csv --threshold 4 | sed -n '1p; /^command/,$p'
  of 3, 1 is faster and 1 is slower than old; the fastest is small,one
  command    cpu, ms     95 % interval   ratio     95 % interval        p  rank
  old         10.050  10.023 to 10.077  1.0000                 -        -   2-3  baseline
  new         10.548  10.519 to 10.572  1.0495  1.0431 to 1.0559  9.2e-05     4  5.0 % slower
  small,one   9.7441  9.7220 to 9.7705  0.9696  0.9628 to 0.9764  9.2e-05     1  3.0 % faster, below
                                                                                 4 %
  again       10.041  10.014 to 10.068  0.9991  0.9948 to 1.0034    0.055   2-3  no difference found
  $ cd $TMP; tacho compare --samples four.csv --fail-if slower > a
  [4]
  $ cd $TMP; tacho compare --samples four.csv --fail-if slower --threshold 10 > a

The same commands: none differs.

  $ cd $TMP; awk -v same=1 -f make.awk > same.csv; tacho compare --samples same.csv | sed -n '1p; /^command/,$p'
  none of 3 is found to differ from a; differences above 1.1 % would have been seen
  command  cpu, ms     95 % interval   ratio     95 % interval     p  rank
  a         10.050  10.023 to 10.077  1.0000                 -     -   1-4  baseline
  b         10.046  10.018 to 10.068  0.9996  0.9935 to 1.0057  0.93   1-4  no difference found
  c         10.046  10.023 to 10.073  0.9996  0.9926 to 1.0066   0.5   1-4  no difference found
  d         10.041  10.014 to 10.068  0.9991  0.9948 to 1.0034  0.17   1-4  no difference found
  $ cd $TMP; tacho compare --samples same.csv --fail-if different > a

Too few blocks: no number that was not computed. Far apart they are enough.

  $ cd $TMP; head -13 same.csv > few.csv; tacho compare --samples few.csv
  tacho: note: too few runs for a verdict
  no verdict: too few blocks of runs, 3 of the 7 that a confidence of 95 % of all 4 needs
  
  runs         3 blocks, each with a run of each command, in random order
  ratio        median of cpu by that of a; the intervals of all ratios hold at once, p is corrected
               for 3 comparisons, and ranks for all pairs
  
  command  cpu, ms     95 % interval   ratio  95 % interval  p  rank
  a         10.054  10.027 to 10.091  1.0000              -  -   1-4  baseline
  b         10.054  10.018 to 10.082  1.0000              -  -   1-4  too few runs
  c         10.046  10.009 to 10.082  0.9991              -  -   1-4  too few runs
  d         10.036  10.009 to 10.073  0.9982              -  -   1-4  too few runs
  [3]
  $ cd $TMP; head -25 same.csv | awk -F, 'NR > 1 && $2 == 4 { $5 *= 3 } { print $1 "," $2 "," $3 "," $4 "," $5 }' > apart.csv; tacho compare --samples apart.csv
  tacho: note: too few runs for a verdict
  of 3, 1 is slower than a, and of 2 there are too few runs to say; the fastest is one of a, b, c
  
  runs         6 blocks, each with a run of each command, in random order
  ratio        median of cpu by that of a; the intervals of all ratios hold at once, p is corrected
               for 3 comparisons, and ranks for all pairs
  
  command  cpu, ms     95 % interval   ratio     95 % interval       p  rank
  a         10.050  10.018 to 10.091  1.0000                 -       -   1-3  baseline
  b         10.050  10.009 to 10.082  1.0000                 -       -   1-3  too few runs
  c         10.041  10.000 to 10.082  0.9991                 -       -   1-3  too few runs
  d         30.096  30.000 to 30.218  2.9946  2.9515 to 3.0382  0.0065     4  2.99 times slower
  
  note         few runs: 1 verdict rests on commands being far apart. That is enough where runs are
               disturbed independently of each other; 7 blocks would do without that
  [3]

Two in a table; independent samples; layouts.

  $ cd $TMP; printf 'a,b\n1,3\n1.1,3\n1,3.1\n1,3\n1,3\n1,3\n' > two.csv; tacho compare --samples two.csv --format markdown
  **B is 3.00 times more, compared with A**
  
  | command | value | 95 % interval | ratio | 95 % interval | p | rank |  |
  |---|--:|--:|--:|--:|--:|--:|---|
  | A | 1.0000 | 1.0000 to 1.1000 | 1.0000 | - | - | 1 | baseline |
  | B | 3.0000 | 3.0000 to 3.1000 | 3.0000 | 2.6861 to 3.3506 | 0.0022 | 2 | 3.00 times more |
  
  - the values come in steps of 10 %: smaller differences cannot be seen
  $ cd $TMP; cut -d, -f 2,3,5 same.csv > free.csv; tacho compare --samples free.csv | sed -n '1p; /^runs/,/^$/p'
  none of 3 is found to differ from a; differences above 0.8 % would have been seen
  runs         independent samples
  ratio        median of cpu by that of a; the intervals of all ratios hold at once, p is corrected
               for 3 comparisons, and ranks for all pairs
  
  $ cd $TMP; awk -F, '{ print $0 "," (NR == 1 ? "layout" : $4 % 8) }' same.csv > layouts.csv; tacho compare --samples layouts.csv --json | grep -E '^  "(blocks|units_are|answer)"'
    "answer": "none of 3 is found to differ from a; differences above 1.5 % would have been seen",
    "blocks": 16,
    "units_are": "layouts",

Files that are not as they should be.

  $ cd $TMP; printf 'command,cpu\n1,1\n101,2\n' > f.csv; tacho compare --samples f.csv
  tacho: f.csv: line 3: command is a whole number from 1 to 100, not '101'
  [1]
  $ cd $TMP; printf 'command,cpu\nA,1\nB,2\n' > f.csv; tacho compare --samples f.csv
  tacho: f.csv: line 2: command is a whole number from 1 to 100, not 'A'
  [1]
  $ cd $TMP; printf 'command,block,layout,cpu\n1,0,0,1\n2,0,1,2\n3,0,1,2\n' > f.csv; tacho compare --samples f.csv
  tacho: f.csv: sample 2: block 0 is of two layouts, 0 and 1
  [1]
  $ cd $TMP; printf 'command,cpu\n1,1\n3,2\n' > f.csv; tacho compare --samples f.csv
  tacho: note: too few runs for a verdict
  no verdict: too few samples of a command, 0 of the 7 that a confidence of 95 % of all 3 needs
  
  runs         independent samples
  ratio        median of cpu by that of command 1; the intervals of all ratios hold at once, p is
               corrected for 2 comparisons, and ranks for all pairs
  
  command    cpu, s  95 % interval   ratio  95 % interval  p  rank
  command 1  1.0000              -  1.0000              -  -   1-3  baseline
  command 2       -              -       -              -  -     -  no values
  command 3  2.0000              -  2.0000              -  -   1-3  too few runs
  [3]
  $ cd $TMP; printf 'command,cpu\n1,1\n3,-2\n' > f.csv; tacho compare --samples f.csv
  tacho: f.csv: line 3: cpu is a number above 0, not '-2'
  [1]

Real commands: one that does much more is the slowest, and last; its runs can be judged again.

  $ printf '#!/bin/sh\ni=0\nwhile [ $i -lt $1 ]; do i=$((i+1)); done\n' > $TMP/count; chmod +x $TMP/count
  $ cd $TMP; tacho compare --runs 12 --save runs.csv --json -P n=4000,40000,4001 -- ./count {n} > a; echo $?; tacho compare --samples runs.csv | sed -n '/^command  /,$p' | grep -o -e '^n=[0-9]*' -e '  3  .*times slower' | sed 's/[0-9.]* times/N times/'
  0
  n=4000
  n=40000
    3  N times slower
  n=4001
  $ cd $TMP; head -1 runs.csv; cut -d, -f 2-5 runs.csv | sort -u | wc -l; tacho compare --samples runs.csv --json > b; for f in a b; do awk '/"(ratio|ratio_low|ratio_high|median)"/ { printf "%s %.5g\n", $1, $2 }' $f > $f.numbers; done; cmp a.numbers b.numbers && echo the same
  run,command,name,block,layout,exit_status,cpu,user,system,elapsed,cycles,core_clock,page_faults,switches
  37
  the same
  $ cd $TMP; tacho compare --runs 1 --warm-up 0 -P n=4,5,6 -- ./count {n} 2>/dev/null | grep '^command    '
  command      ./count {n}
  $ cd $TMP; tacho compare --runs 12 --json -P n=4000,40000 -L m=x,y -- ./count {n} {m} > a; grep -E '^      "(name|number)"|^        "(n|m)"' a | tr -d ' \n'; echo; grep -A2 '"command": \[' a | grep -c count; grep -E '^  "(blocks|end|warm_up|failed)"' a
  "number":1,"name":"n=4000m=x","n":"4000","m":"x""number":2,"name":"n=4000m=y","n":"4000","m":"y""number":3,"name":"n=40000m=x","n":"40000","m":"x""number":4,"name":"n=40000m=y","n":"40000","m":"y"
  4
    "blocks": 12,
    "end": "runs",
    "warm_up": 1,
    "failed": 0,
  $ cd $TMP; tacho compare --runs 1 --warm-up 0 --format csv --name 'one {n}' --name two -P n=1,2 -- echo {n} -- echo x 2>/dev/null | cut -d, -f 2,3,4,6 | sort
  1,one 1,0,0
  2,one 2,0,0
  3,two,0,0
  command,name,block,exit_status

Parameters of some commands only, and of what is run around the runs; ranges.

  $ cd $TMP; rm -f log; tacho compare --runs 1 --warm-up 0 -P n=1..2 -P s=0..0.5:0.25 --prepare 'echo {s}' --format csv -- echo {n} -- echo x 2>/dev/null | sort -t, -n -k 2 | cut -d, -f 2,3
  command,name
  1,echo 1 [s=0.00]
  2,echo 1 [s=0.25]
  3,echo 1 [s=0.50]
  4,echo 2 [s=0.00]
  5,echo 2 [s=0.25]
  6,echo 2 [s=0.50]
  7,echo x [s=0.00]
  8,echo x [s=0.25]
  9,echo x [s=0.50]
  $ cd $TMP; rm -f log; tacho compare --runs 1 --warm-up 0 -P n=1..20:*3 --setup 'echo s{n} >> log' --prepare 'echo p{n} >> log' --conclude 'echo c{n} >> log' --cleanup 'echo e{n} >> log' -- true {n} > a; sort log | tr '\n' ' '; head -3 log; tail -3 log
  tacho: note: too few runs for a verdict
  c1 c3 c9 e1 e3 e9 p1 p3 p9 s1 s3 s9 s1
  s3
  s9
  e1
  e3
  e9
  $ cd $TMP; echo 17 > in1; echo 18 > in2; echo 19 > in3; tacho compare --runs 12 -P n 1..3 --input in{n} --metric-regex '([0-9]+)' -- cat | sed -n '1p; /^command   *value/,/^$/{/./p;}'
  of 2, 2 are worse than n=1; the best is n=1
  command   value     95 % interval   ratio     95 % interval        p  rank
  n=1      17.000  17.000 to 17.000  1.0000                 -        -     1  baseline
  n=2      18.000  18.000 to 18.000  1.0588  1.0588 to 1.0588  0.00098     2  5.882 % more
  n=3      19.000  19.000 to 19.000  1.1176  1.1176 to 1.1176  0.00098     3  11.765 % more
  $ tacho compare -P n 1 -- echo {n}
  tacho: only one value: what is it to be compared with?
  [2]
  $ tacho compare -P n 1..3:0 -- echo {n}
  tacho: '1..3:0' is no range: MIN..MAX, MIN..MAX:STEP with a STEP above 0, or MIN..MAX:*FACTOR with a whole FACTOR above 1
  [2]
  $ tacho compare -P n 3..1 -- echo {n}
  tacho: '3..1' is no range: MIN is above MAX
  [2]
  $ tacho compare -P n 1..200 -- echo {n}
  tacho: more than 100 values of a parameter
  [2]
  $ tacho compare -P n=1..20 -P m=1..20 -- echo {n} {m}
  tacho: more than 100 commands
  [2]
  $ tacho compare -P n 1,2 -- echo n
  tacho: nothing has parameter 'n' in it: write {n} where its values belong
  [2]
  $ tacho compare -P 8 -- echo {n}
  tacho: -P: '8' is no name of a parameter: -P NAME VALUES, with VALUES as 1,2,4 or 1..8 or 1..8:2
  [2]
  $ tacho compare -P n -- echo {n}
  tacho: parameter 'n' has no values: n VALUES, such as 1,2,4 or 1..8
  [2]
  $ tacho compare -P n 1 8 -- echo {n}
  tacho: -P: '8' is no name of a parameter: -P NAME VALUES, with VALUES as 1,2,4 or 1..8 or 1..8:2
  [2]
  $ tacho compare -P n=1,2 -P n=3,4 -- echo {n}
  tacho: parameter 'n' is given twice
  [2]
  $ tacho compare --name a --name b --name c -- true -- true
  tacho: 3 names of 2 commands
  [2]
  $ tacho compare -- true -- -- true
  tacho: command B is missing: -- A ... -- B ...
  [2]
  $ tacho compare -- true -- true --
  tacho: no command behind the last '--'
  [2]

Commands that fail, and what was there when a signal came.

  $ tacho compare -- true -- sh -c 'exit 7' -- true
  tacho: warm-up run 2: command 2 (sh -c exit 7) ended with status 7 (--ignore-failure: report on it all the same)
  [1]
  $ tacho compare --setup 'exit 3' -- true -- true -- true
  tacho: the setup 'exit 3' ended with status 3
  [1]
  $ tacho compare --runs 12 --ignore-failure --json -- true -- false -- true | grep -o -e '"failed": [0-9]*' -e '"[0-9]* of the runs failed.*do"'
  "failed": 12
  "12 of the runs failed, and count as the others do"
  $ tacho compare --layout 7 -P n=1..9 -- true {n}
  tacho: 7 layouts are too few for a verdict on layouts in general: at least 9
  [2]
  $ timeout --preserve-status -s TERM 2 tacho compare --runs 1000000 -P s=1..3 -- sleep 0.02{s} > $TMP/a; grep -c '^note .*interrupted' $TMP/a
  tacho: note: ended by signal 15 (Terminated): this is what there is
  1
