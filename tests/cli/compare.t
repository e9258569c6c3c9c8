Made-up samples: 12 blocks of A B B A; B takes 5 % more. The verdict, and what it rests on.

  $ awk 'BEGIN { srand(1); print "run,side,block,cpu"; for (b = 0; b < 12; b++) for (i = 0; i < 4; i++) { s = i == 1 || i == 2; print 4 * b + i + 1 "," (s ? "B" : "A") "," b "," (s ? 1.05 : 1) * (0.01 + 0.0001 * ((7 * b + 3 * i) % 11) / 11) } }' > $TMP/slower.csv; head -3 $TMP/slower.csv
  run,side,block,cpu
  1,A,0,0.01
  2,B,0,0.0105286
  $ tacho compare --samples $TMP/slower.csv
  B is 5.0 % slower than A (95 % interval 4.6 to 5.4 %)
  
  ratio        cpu of B / cpu of A: 1.0500, 95 % interval 1.0462 to 1.0538; signed-rank test p =
               0.00049
  runs         12 blocks of A B B A or B A A B
  
  cpu, ms:
          runs        min         q1     median         q3        max        MAD
  A         24     10.000     10.018     10.046     10.073     10.091     0.0273
  B         24     10.500     10.526     10.548     10.569     10.596     0.0238
  $ tacho compare --samples $TMP/slower.csv --json > $TMP/a; grep -E '^  "(schema|verdict|interesting|ratio_of|ratio|ratio_low|ratio_high|confidence|threshold|test|blocks|units|units_needed|units_are|file)"' $TMP/a | sed "s|$TMP/||"
    "schema": "tacho-compare-1",
    "ratio_of": "cpu of B / cpu of A",
    "verdict": "slower",
    "interesting": true,
    "ratio": 1.04999253397,
    "ratio_low": 1.04620612902,
    "ratio_high": 1.05380311749,
    "confidence": 0.95,
    "threshold": 0.02,
    "test": "signed_rank",
    "blocks": 12,
    "units": 12,
    "units_needed": 6,
    "units_are": "blocks",
    "file": "slower.csv",
  $ tacho compare --samples $TMP/slower.csv --threshold 10 | head -1
  B is 5.0 % slower than A (95 % interval 4.6 to 5.4 %); less than the threshold of 10 %
  $ tacho compare --samples $TMP/slower.csv --higher-is-better --unit frames/s | head -1
  B's cpu is 5.0 % higher than A's (95 % interval 4.6 to 5.4 %), which is better
  $ tacho compare --samples $TMP/slower.csv --confidence 99 | head -1
  B is 5.0 % slower than A (99 % interval 4.5 to 5.5 %)

The same the other way round, and with itself.

  $ tr AB BA < $TMP/slower.csv > $TMP/faster.csv; tacho compare --samples $TMP/faster.csv | head -1
  B is 4.8 % faster than A (95 % interval 4.4 to 5.1 %)
  $ awk -F, '{ if ($2 == "B") $4 /= 1.05; print $1 "," $2 "," $3 "," $4 }' $TMP/slower.csv > $TMP/same.csv; tacho compare --samples $TMP/same.csv | head -1
  no difference found; differences above 0.9 % would have been seen
  $ tacho compare --samples $TMP/same.csv --json | grep -e '"verdict"' -e '"interesting"'
    "verdict": "no_difference",
    "interesting": false,

For scripts: --fail-if.

  $ tacho compare --samples $TMP/slower.csv --fail-if slower > $TMP/a
  [4]
  $ tacho compare --samples $TMP/slower.csv --fail-if different > $TMP/a
  [4]
  $ tacho compare --samples $TMP/slower.csv --fail-if faster > $TMP/a
  $ tacho compare --samples $TMP/faster.csv --fail-if faster > $TMP/a
  [4]
  $ tacho compare --samples $TMP/slower.csv --fail-if slower --threshold 10 > $TMP/a
  $ tacho compare --samples $TMP/same.csv --fail-if different > $TMP/a

Too few: no number that was not computed.

  $ head -21 $TMP/slower.csv > $TMP/few.csv; tacho compare --samples $TMP/few.csv
  tacho: note: too few runs for a verdict
  no verdict: too few blocks of runs, 5 of the 6 that a confidence of 95 % needs (2 where the sides are far apart)
  
  ratio        cpu of B / cpu of A: 1.0500
  runs         5 blocks of A B B A or B A A B
  
  cpu, ms:
          runs        min         q1     median         q3        max        MAD
  A         10     10.000     10.030     10.050     10.070     10.091     0.0227
  B         10     10.509     10.521     10.552     10.579     10.596     0.0334
  [3]
  $ tacho compare --samples $TMP/few.csv --json 2>/dev/null | grep -E '^  "(verdict|interesting|ratio|ratio_low|ratio_high|p_value|detectable)"'
    "verdict": null,
    "interesting": null,
    "ratio": 1.05,
    "ratio_low": null,
    "ratio_high": null,
    "p_value": null,
    "detectable": null,

Two blocks are enough where the sides are far apart; without blocks four samples of each.

  $ awk -F, 'NR == 1 { print } NR > 1 && NR < 10 { if ($2 == "B") $4 *= 7.7; print $1 "," $2 "," $3 "," $4 }' $TMP/slower.csv > $TMP/two.csv; tacho compare --samples $TMP/two.csv
  B is slower: its cpu time is 8.07 times that of A (95 % interval 7.97 to 8.23)
  
  ratio        cpu of B / cpu of A: 8.0740, 95 % interval 7.9688 to 8.2253; rank-sum test p = 0.029
  runs         2 blocks of A B B A or B A A B
  
  cpu, ms:
          runs        min         q1     median         q3        max        MAD
  A          4     10.000     10.034     10.055     10.068     10.082     0.0181
  B          4     80.997     81.052     81.181     81.365     81.585     0.1470
  
  note         few runs: the verdict rests on the sides being far apart. The smallest value of B is
               8.03 times the largest of A, and values within a side differ by less. That is enough
               where runs are disturbed independently of each other; 6 blocks would do without that,
               and narrow the interval
  $ tacho compare --samples $TMP/two.csv --json | grep -E '^  "(verdict|interesting|ratio|ratio_low|ratio_high|confidence|test|p_value|by_separation|nearest|detectable|units|units_needed|units_needed_apart)"'
    "verdict": "slower",
    "interesting": true,
    "ratio": 8.07402618715,
    "ratio_low": 7.96880710377,
    "ratio_high": 8.2252768572,
    "confidence": 0.95,
    "test": "rank_sum",
    "p_value": 0.0285714285714,
    "by_separation": true,
    "nearest": 8.03399194588,
    "detectable": null,
    "units": 2,
    "units_needed": 6,
    "units_needed_apart": 2,
  $ tacho compare --samples $TMP/two.csv --fail-if slower > $TMP/a
  [4]
  $ tacho compare --samples $TMP/two.csv --confidence 99 | head -1
  tacho: note: too few runs for a verdict
  no verdict: too few blocks of runs, 2 of the 8 that a confidence of 99 % needs (3 where the sides are far apart)
  $ tr AB BA < $TMP/two.csv > $TMP/two-faster.csv; tacho compare --samples $TMP/two-faster.csv | sed -n '1p; /^note/,$p'
  B is faster: A's cpu time is 8.07 times that of B (95 % interval 7.97 to 8.23)
  note         few runs: the verdict rests on the sides being far apart. The smallest value of A is
               8.03 times the largest of B, and values within a side differ by less. That is enough
               where runs are disturbed independently of each other; 6 blocks would do without that,
               and narrow the interval
  $ tacho compare --samples $TMP/two-faster.csv --higher-is-better --unit frames/s | head -1
  B's cpu is 0.124 times that of A (95 % interval 0.122 to 0.125), which is worse
  $ cd $TMP; printf 'a,b\n1,3\n1.1,3\n1,3.1\n1,3\n' > four.csv; tacho compare --samples four.csv | head -3
  B's value is 3.00 times that of A (95 % interval 2.48 to 3.41), which is worse
  
  ratio        value of B / value of A: 3.0000, 95 % interval 2.4793 to 3.4100; rank-sum test p =
  $ cd $TMP; printf 'a,b\n1,3\n1.1,3\n1,3.1\n' > three.csv; tacho compare --samples three.csv | head -1
  tacho: note: too few runs for a verdict
  no verdict: too few samples of a side, 3 of the 6 that a confidence of 95 % needs (4 where the sides are far apart)
  $ awk -F, '{ print $0 "," (NR == 1 ? "layout" : $3) }' $TMP/two.csv > $TMP/two-layouts.csv; tacho compare --samples $TMP/two-layouts.csv | head -1
  tacho: note: too few runs for a verdict
  no verdict: too few layouts, 2 of the 6 that a confidence of 95 % needs

What samples look like: modes, drift, outliers, steps.

  $ awk -F, 'NR > 1 && NR % 2 && $2 == "B" { $4 *= 1.2 } { print $1 "," $2 "," $3 "," $4 }' $TMP/slower.csv > $TMP/modes.csv; tacho compare --samples $TMP/modes.csv | sed -n '/^note/,$p'
  note         B has several modes (dip test, p = 0.001): 50 % of the runs near 10.552 ms, 50 % near
               12.651 ms; a median says little of either

  $ awk -F, 'NR > 1 { $4 *= (NR % 3 ? 1 : 1.2) * (1 + NR / 500) * (NR == 20 ? 3 : 1) } { print $1 "," $2 "," $3 "," $4 }' $TMP/slower.csv > $TMP/odd.csv; tacho compare --samples $TMP/odd.csv | sed -n '/^note/,$p'
  note         drift: the last quarter of the runs is 6.8 % higher than the first (Spearman's rho
               0.51); blocks have it on both sides alike
  note         1 outlier beyond Tukey's inner fences, 1 beyond the outer ones: run 19 (B, 32.79 ms);
               they count
  $ awk -F, 'NR > 1 { $4 = NR % 4 == 0 ? 1.1 : 1 } { print $1 "," $2 "," $3 "," $4 }' $TMP/slower.csv > $TMP/steps.csv; tacho compare --samples $TMP/steps.csv | sed -n '/^note/,$p'
  note         the values come in steps of 10 %: smaller differences cannot be seen

Independent samples in two columns; layouts.

  $ awk -F, 'NR > 1 { v[$2, ++n[$2]] = $4 } END { print "a,b"; for (i = 1; i <= 24; i++) print v["A", i] "," v["B", i]; print v["A", 1] "," }' $TMP/slower.csv > $TMP/ab.csv; tacho compare --samples $TMP/ab.csv --unit s
  B is 5.0 % slower than A (95 % interval 4.7 to 5.3 %)
  
  ratio        value of B / value of A: 1.0500, 95 % interval 1.0472 to 1.0533; rank-sum test p =
               1.6e-14
  runs         independent samples
  
  value, ms:
          runs        min         q1     median         q3        max        MAD
  A         25     10.000     10.018     10.046     10.073     10.091     0.0273
  B         24     10.500     10.526     10.548     10.569     10.596     0.0238
  $ awk -F, '{ print $0 "," (NR == 1 ? "layout" : $3 % 6) }' $TMP/slower.csv > $TMP/layouts.csv; tacho compare --samples $TMP/layouts.csv
  B is 5.0 % slower than A (95 % interval 4.5 to 5.4 %)
  
  ratio        cpu of B / cpu of A: 1.0500, 95 % interval 1.0453 to 1.0539; signed-rank test p = 0.031
  runs         12 blocks of A B B A or B A A B in 6 layouts
  layouts      6; ratios from 1.0448 to 1.0526; of A's variance, 9 % comes from the layout; of B's
               variance, 5 % comes from the layout
  
  cpu, ms:
          runs        min         q1     median         q3        max        MAD
  A         24     10.000     10.018     10.046     10.073     10.091     0.0273
  B         24     10.500     10.526     10.548     10.569     10.596     0.0238
  
  note         the ratio is the same in all layouts, as far as can be told (by shuffling, p = 0.24)
  $ tacho compare --samples $TMP/layouts.csv --json | sed -n '/"layouts": {/,/}/p'
    "layouts": {
      "ratios": [
        {
          "layout": 0,
          "blocks": 2,
          "ratio": 1.04739169871
        },
  $ cd $TMP; printf 'side,layout,cpu\nA,1,1.5\nB,1,1.4\nA,2,1.5\nB,2,1.4\n' > apart.csv; tacho compare --samples apart.csv
  tacho: apart.csv: samples with layouts need blocks, too: which runs belong together
  [1]

Numbers of any size.

  $ cd $TMP; echo a,b > huge.csv; for i in 1 2 3 4 5 6; do echo 1e90,1e-90; done >> huge.csv; tacho compare --samples huge.csv | sed -n '/^value/,$p'
  value:
          runs        min         q1     median         q3        max        MAD
  A          6      1e+90      1e+90      1e+90      1e+90      1e+90     0.0000
  B          6     0.0000     0.0000     0.0000     0.0000     0.0000     0.0000

Files that are not as they should be.

  $ tacho compare --samples $TMP/none.csv 2>&1 | sed "s|$TMP/||"
  tacho: none.csv: cannot be read: No such file or directory
  $ echo 'x,y' > $TMP/f.csv; cd $TMP; tacho compare --samples f.csv
  tacho: f.csv: wanted a header with the columns side and value (or cpu; or --metric NAME), or with the columns a and b
  [1]
  $ cd $TMP; printf 'side,cpu\nA,1\nC,2\n' > f.csv; tacho compare --samples f.csv
  tacho: f.csv: line 3: side is A or B, not 'C'
  [1]
  $ cd $TMP; printf 'side,cpu\nA,1\nB,x\n' > f.csv; tacho compare --samples f.csv
  tacho: f.csv: line 3: cpu is a number above 0, not 'x'
  [1]
  $ cd $TMP; printf 'side,cpu\nA,1\nB,-1\n' > f.csv; tacho compare --samples f.csv
  tacho: f.csv: line 3: cpu is a number above 0, not '-1'
  [1]
  $ cd $TMP; printf 'side,cpu,block\nA,1,0\nB,2,x\n' > f.csv; tacho compare --samples f.csv
  tacho: f.csv: line 3: block is a whole number, not 'x'
  [1]
  $ cd $TMP; printf 'side,block,layout,cpu\nA,0,0,1\nB,0,1,2\n' > f.csv; tacho compare --samples f.csv
  tacho: f.csv: sample 2: block 0 is of two layouts, 0 and 1
  [1]
  $ cd $TMP; printf 'side,cpu\n' > f.csv; tacho compare --samples f.csv
  tacho: f.csv: no samples
  [1]
  $ cd $TMP; tacho compare --samples slower.csv --metric elapsed
  tacho: slower.csv: no column 'elapsed'
  [1]
  $ cd $TMP; printf 'side,x\nA,1\nB,2\n' > f.csv; tacho compare --samples f.csv
  tacho: f.csv: no column 'value', nor 'cpu'; --metric says which it is
  [1]
  $ cd $TMP; printf 'side,cpu\nA,1\nA,2\n' > f.csv; tacho compare --samples f.csv
  tacho: note: too few runs for a verdict
  no verdict: too few samples of a side, 0 of the 6 that a confidence of 95 % needs (4 where the sides are far apart)
  
  ratio        none: a side has no samples
  runs         independent samples
  
  cpu, s:
          runs        min         q1     median         q3        max        MAD
  A          2     1.0000     1.2500     1.5000     1.7500     2.0000     0.5000
  B          0          -          -          -          -          -          -
  [3]

Commands. One that does five times the work is slower; the runs can be judged again.

  $ printf '#!/bin/sh\ni=0\nwhile [ $i -lt $1 ]; do i=$((i+1)); done\n' > $TMP/count; chmod +x $TMP/count
  $ tacho compare --runs 12 --save $TMP/runs.csv -- $TMP/count 4000 -- $TMP/count 40000 > $TMP/a; echo $?; head -1 $TMP/a | sed 's/[0-9][0-9.]*/N/g'
  0
  B is slower: its cpu time is N times that of A (N % interval N to N)
  $ head -1 $TMP/runs.csv; wc -l < $TMP/runs.csv; tacho compare --samples $TMP/runs.csv | head -1 > $TMP/b; head -1 $TMP/a | cmp - $TMP/b && echo the same
  run,side,block,layout,exit_status,cpu,user,system,elapsed,cycles,core_clock,page_faults,switches
  25
  the same
  $ tacho compare --runs 12 --fail-if slower -- $TMP/count 4000 -- $TMP/count 40000 > $TMP/a
  [4]
  $ tacho compare --runs 11 --json -- $TMP/count 1000 -- $TMP/count 1000 > $TMP/a; grep -E '^  "(blocks|end|warm_up|failed|timed_out)"' $TMP/a; grep -c '"block":' $TMP/a; grep '"name": "' $TMP/a | tr -d ' \n'; echo
    "blocks": 6,
    "end": "runs",
    "warm_up": 1,
    "failed": 0,
    "timed_out": 0,
  24
  "name":"cpu","name":"user","name":"system","name":"elapsed","name":"cycles","name":"core_clock","name":"page_faults","name":"switches",
  $ tacho compare --runs 2 --format csv -- true -- true 2>/dev/null | cut -d, -f 1-5
  run,side,block,layout,exit_status
  1,A,0,,0
  2,B,0,,0
  3,B,0,,0
  4,A,0,,0

What the command itself reports.

  $ tacho compare --runs 12 --metric-regex '([0-9.]+) frames/s' --unit frames/s --higher-is-better -- echo '30.5 frames/s' -- echo '31.5 frames/s' | head -3
  B's value is 3.3 % higher than A's (95 % interval 3.3 to 3.3 %), which is better
  
  A            echo 30.5 frames/s
  $ tacho compare --runs 12 --metric-regex 'took ([0-9]+)' -- echo took 12.9 -- echo took 12e9 | sed -n 's/ *$//; /^[AB]  *1/p'
  A         12     12.000     12.000     12.000     12.000     12.000     0.0000
  B         12     12.000     12.000     12.000     12.000     12.000     0.0000
  $ tacho compare --metric-regex '([0-9.]+) frames/s' -- echo 30.5 frames/s -- echo none
  tacho: warm-up run 2: B (echo none): nothing in its output matches '([0-9.]+) frames/s'
  [1]
  $ tacho compare --metric-regex '(.*) frames/s' -- echo 30.5 frames/s -- echo many frames/s
  tacho: warm-up run 2: B (echo many frames/s): 'many', which '(.*) frames/s' finds in its output, is no number
  [1]
  $ tacho compare --metric-regex '([0-9]+) frames/s' -- echo 30 frames/s -- echo 0 frames/s
  tacho: warm-up run 2: B (echo 0 frames/s): its metric 'value' is 0: ratios need values above 0
  [1]
  $ tacho compare --metric-regex '(.*) frames/s' -- echo 1e-200 frames/s -- echo 1 frames/s
  tacho: warm-up run 1: A (echo 1e-200 frames/s): its metric 'value' is 1e-200: ratios need values of 1e-100 or more
  [1]
  $ tacho compare --metric-regex '(.*) frames/s' -- echo 1e308 frames/s -- echo 1 frames/s
  tacho: warm-up run 1: A (echo 1e308 frames/s): '1e308', which '(.*) frames/s' finds in its output, is no number up to 1e100
  [1]
  $ tacho compare --metric-regex '[0-9]+' -- true -- true
  tacho: '[0-9]+' has no group: (...) around what is wanted
  [2]
  $ tacho compare --metric-regex '([0-9+' -- true -- true
  tacho: '([0-9+' is no extended regular expression: Unmatched [, [^, [:, [., or [=
  [2]

Layouts, preparation, input, separators.

  $ tacho compare --layout 5 -- true -- true
  tacho: 5 layouts are too few for a verdict on layouts in general: at least 6
  [2]
  $ cd $TMP; rm -f log; tacho compare --runs 2 --prepare 'echo x >> log' -- true -- true >/dev/null 2>&1; wc -l < log
  6
  $ tacho compare --prepare 'exit 3' -- true -- true
  tacho: the preparation 'exit 3' ended with status 3
  [1]
  $ echo 17 > $TMP/in; tacho compare --runs 12 --input $TMP/in --metric-regex '([0-9]+)' -- cat -- cat | sed -n 's/ *$//; /^[AB]  *1/p'
  A         12     17.000     17.000     17.000     17.000     17.000     0.0000
  B         12     17.000     17.000     17.000     17.000     17.000     0.0000
  $ tacho compare --runs 2 --separator versus -- echo -- 1 versus echo -- 2 2>/dev/null | sed -n 3,4p
  A            echo -- 1
  B            echo -- 2

What is run around the runs of a command: setups first, then preparation and conclusion of each run (the one to warm up,
too), cleanups at the end, also after an error. A cleanup that fails is a note.

  $ cd $TMP; rm -f log; tacho compare --runs 2 --warm-up 0 --setup 'echo s >> log' --prepare 'echo p >> log' --conclude 'echo c >> log' --cleanup 'echo e >> log; exit 5' -- echo 1 -- echo 2 > a; tr '\n' ' ' < log; echo
  tacho: note: the cleanup 'echo e >> log; exit 5' ended with status 5
  tacho: note: too few runs for a verdict
  s s p c p c p c p c e e 
  $ cd $TMP; rm -f log; tacho compare --setup 'echo s >> log; exit 1' --prepare 'echo p >> log' --cleanup 'echo e >> log' -- true -- false; tr '\n' ' ' < log; echo
  tacho: the setup 'echo s >> log; exit 1' ended with status 1
  s e 
  $ cd $TMP; rm -f log; tacho compare --conclude 'echo c >> log' --cleanup 'echo e >> log' -- false -- true; tr '\n' ' ' < log; echo
  tacho: warm-up run 1: A (false) ended with status 1 (--ignore-failure: report on it all the same)
  c e e 
  $ tacho compare --conclude 'exit 2' -- true -- true
  tacho: the conclusion 'exit 2' ended with status 2
  [1]

Commands that fail, hang, or are not there.

  $ tacho compare -- true -- sh -c 'exit 7'
  tacho: warm-up run 2: B (sh -c exit 7) ended with status 7 (--ignore-failure: report on it all the same)
  [1]
  $ tacho compare --warm-up 0 -- sh -c 'kill -SEGV $$' -- true
  tacho: run 1: A (sh -c kill -SEGV $$) was ended by signal 11 (Segmentation fault) (--ignore-failure: report on it all the same)
  [1]
  $ tacho compare --runs 12 --ignore-failure --json -- true -- false | grep -o -e '"failed": [0-9]*' -e '"[0-9]* of the runs failed.*do"'
  "failed": 12
  "12 of the runs failed, and count as the others do"
  $ tacho compare --timeout 1 -- true -- sleep 10
  tacho: warm-up run 2: B (sleep 10) did not end within 1 s
  [1]
  $ tacho compare --max-time 1 -- true -- sleep 10 2>&1 | sed 's/took [0-9.]* s/took no time/'
  tacho: warm-up run 2: B (sleep 10) does not end within 1 s, which is all the time that there was; A took no time
  $ tacho compare --max-time 1 -- true -- sleep 10 2>/dev/null
  [3]
  $ tacho compare --max-time 2 -- sleep 1.5 -- sleep 1.5 2>&1 | sed 's/took [0-9.]* s/took 1.5 s/'
  tacho: warm-up run 2: B (sleep 1.5) does not end within 2 s, which is all the time that there was; A took 1.5 s
  $ tacho compare -- true -- /nonexistent/program
  tacho: cannot run /nonexistent/program: No such file or directory
  [1]
  $ tacho compare --input $TMP/nothing -- cat -- cat 2>&1 | sed "s|$TMP/||"
  tacho: nothing: No such file or directory
  $ tacho compare --save $TMP/nothing/x -- true -- true 2>&1 | sed "s|$TMP/||"
  tacho: cannot write nothing/x: No such file or directory

What the commands write is dropped, unless somebody wants to see it.

  $ tacho compare --runs 1 --warm-up 0 -- sh -c 'echo out; echo err >&2' -- true > $TMP/a
  tacho: note: too few runs for a verdict
  [3]
  $ grep -c -e '^out$' -e '^err$' $TMP/a
  0
  [1]
  $ tacho compare --runs 1 --warm-up 0 --show-output -- sh -c 'echo out; echo err >&2' -- true 2>&1 > $TMP/a | sort -u
  err
  out
  tacho: note: too few runs for a verdict
  $ tacho compare --runs 1 --warm-up 0 --command-output $TMP/b -- sh -c 'echo out; echo err >&2' -- true > $TMP/a; sort -u $TMP/b
  tacho: note: too few runs for a verdict
  out
  $ tacho compare --command-output stdout -- true -- true
  tacho: --command-output stdout: the report goes there
  [2]
  $ tacho compare --metric-regex '([0-9]+)' --show-output -- echo 1 -- echo 2
  tacho: --metric-regex reads the commands' standard output: it goes nowhere else
  [2]

Interrupted: what there is, with the status of a partial result.

  $ timeout --foreground --preserve-status -s TERM 2 tacho compare --runs 1000000 -- sleep 0.02 -- sleep 0.02 > $TMP/a 2> $TMP/notes
  [3]
  $ grep -v 'too few runs' $TMP/notes
  tacho: note: ended by signal 15 (Terminated): this is what there is

Time is up before a block of runs is complete, with layouts, too.

  $ tacho compare --warm-up 0 --layout 6 --max-time 3 -- sleep 1 -- sleep 1 > $TMP/a
  tacho: note: too few runs for a verdict
  [3]

  $ timeout --foreground -s INT 3 tacho compare --json --runs 1000000 -- sleep 0.02 -- sleep 0.02 2>/dev/null | grep -o -e '"end": "stopped"' -e '"it was interrupted: .* until then"'
  "end": "stopped"
  "it was interrupted: this is what there was until then"

Of several commands each is compared with the first one; all verdicts hold together.

  $ printf '#!/bin/sh\ni=0\nwhile [ $i -lt $1 ]; do i=$((i+1)); done\n' > $TMP/count; chmod +x $TMP/count
  $ cd $TMP; tacho compare -n 12 -w 0 --name few --name more './count 100' './count 40000' './count 80000' --fail-if slower > several; echo $?; sed -n '/^command/,$s/  .* /  ... /p' several
  4
  command  ... interval
  few  ... first
  more  ... slower
  ./count 80000  ... slower
  $ cd $TMP; tacho compare -n 12 -w 0 --json './count 100' './count 40000' './count 80000' | grep -E '^    "(schema|verdict|confidence)"|^        "\./count'
      "schema": "tacho-compare-1",
      "verdict": "slower",
      "confidence": 0.975,
          "./count",
          "./count",
      "schema": "tacho-compare-1",
      "verdict": "slower",
      "confidence": 0.975,
          "./count",
          "./count",
  $ tacho compare --save $TMP/x true true true
  tacho: --save is of two commands, not of 3
  [2]
  $ tacho compare --format csv true true true
  tacho: --format csv is of two commands, not of 3
  [2]
  $ tacho compare --parameter n=1,2 true
  tacho: 'tacho compare --parameter' is no more: a loop in the shell compares each value with the first
  [2]
  $ tacho compare -P n=1,2 true
  tacho: 'tacho compare -P' is no more: a loop in the shell compares each value with the first
  [2]

Wrong usage.

  $ tacho compare
  tacho: what is to be compared? 'A' 'B', -- A ... -- B ..., or --samples FILE
  [2]
  $ cd $TMP; tacho compare -q -n 3 --command-output out.txt 'echo "a  b" c\ d' "echo '1'" > /dev/null; sort -u out.txt
  tacho: note: too few runs for a verdict
  1
  a  b c d
  $ tacho compare 'sh -c "exit 3"' true
  tacho: warm-up run 1: A (sh -c exit 3) ended with status 3 (--ignore-failure: report on it all the same)
  [1]
  $ tacho compare 'echo "a' true
  tacho: 'echo "a': a quote is not closed
  [2]
  $ tacho compare 'true | true' true
  tacho: 'true | true': what only a shell understands is in it; -- sh -c '...' runs one
  [2]
  $ tacho compare ' ' true
  tacho: an empty command
  [2]
  $ tacho compare 'true'
  tacho: only one command: what is it to be compared with? 'A' 'B', or -- A ... -- B ...
  [2]
  $ tacho compare true -- true
  tacho: 'true' stands before --: commands are words ('cmd a' 'cmd b'), or stand after --
  [2]
  $ tacho compare -- true
  tacho: only one command: what is it to be compared with? 'A' 'B', or -- A ... -- B ...
  [2]
  $ tacho compare -- -- true
  tacho: command A is missing: -- A ... -- B ...
  [2]
  $ tacho compare -- true --
  tacho: command B is missing: -- A ... -- B ...
  [2]
  $ tacho compare --samples x.csv -- true -- true
  tacho: either --samples or commands, not both
  [2]
  $ tacho compare --samples x.csv --runs 3
  tacho: --runs goes with commands, not with --samples
  [2]
  $ tacho compare --samples x.csv --format csv
  tacho: --format csv writes the runs of commands, not those of --samples
  [2]
  $ tacho compare --metric cpu --metric-regex '(.)' -- true -- true
  tacho: either --metric or --metric-regex decides, not both
  [2]
  $ tacho compare --unit s -- true -- true
  tacho: --unit goes with --metric-regex or --samples
  [2]
  $ tacho compare --metric value -- true -- true
  tacho: the metric 'value' is what a regular expression finds in the output
  [2]
  $ tacho compare --metric no_such_event -- true -- true 2>&1 | grep -c no_such_event
  1
  $ tacho compare --threshold two -- true -- true
  tacho: --threshold is a number of percent from 0 to 1000, not 'two'
  [2]
  $ tacho compare --confidence 0.95 -- true -- true
  tacho: --confidence is a number of percent from 50 to 99.99, not '0.95'
  [2]
  $ tacho compare --runs 0 -- true -- true
  tacho: --runs is a whole number from 1 to 1000000, not '0'
  [2]
  $ tacho compare --max-time -1 -- true -- true
  tacho: --max-time is a number of seconds, not '-1'
  [2]
  $ tacho compare --cpu all -- true -- true
  tacho: --cpu is a whole number from 0 to 4095, or any, not 'all'
  [2]
  $ tacho compare --fail-if better -- true -- true
  tacho: --fail-if is slower|faster|different, not 'better'
  [2]
  $ tacho compare --run 3 -- true -- true
  tacho: unknown option '--run'; did you mean --runs?
  [2]
