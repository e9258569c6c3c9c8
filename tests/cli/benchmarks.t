Results of benchmarks: the files in tests/cli/benchmarks were written by hyperfine 1.15, Google Benchmark
1.7, pytest-benchmark 3.2 and criterion 0.3. What was read of each:

  $ for f in hyperfine-old.json google-old.json pytest.json criterion; do tacho compare --import tests/cli/benchmarks/$f tests/cli/benchmarks/$f --format csv | cut -d, -f1,11,13; done
  name,old_median,old_samples
  seq 1000,0.000843463,12
  seq 20000,0.0010350645,12
  name,old_median,old_samples
  empty/real_time,6.516264e-10,8
  sum/100,4.07702624e-08,8
  sum/1000,2.70528842e-07,8
  fails,,0
  name,old_median,old_samples
  test_p.py::test_join[1000],0.00010052972,12
  test_p.py::test_join[10],5.29890021e-07,12
  name,old_median,old_samples
  fib 15,3.84560271e-06,10
  sort/reversed/100,1.49326874e-06,10
  sort/reversed/1000,1.26505772e-05,10
  $ tacho compare --import tests/cli/benchmarks/google-old.json tests/cli/benchmarks/google-new.json
  2 of 3 benchmarks are slower
  
  old          tests/cli/benchmarks/google-old.json: google-benchmark, 4 benchmarks
  new          tests/cli/benchmarks/google-new.json: google-benchmark, 4 benchmarks
  suite        no difference found: the geometric mean of 3 ratios is 1.1895, 95 % interval 0.7094 to
               1.9946
  
  benchmark             old       new   ratio     95 % interval      q
  sum/1000         270.5 ns  520.8 ns  1.9251  1.8732 to 1.9536  2e-04  93 % slower
  sum/100          40.77 ns  58.01 ns  1.4230  1.3947 to 1.5753  2e-04  42 % slower
  empty/real_time  0.652 ns  0.400 ns  0.6144  0.5240 to 1.9030  0.442  no difference found
  fails                   -         -       -                 -      -  no samples
  
  note         these results do not show how much runs of the same code differ (memory layout,
               neighbours): 6 runs of each, in a folder for each side, would
  note         1 benchmark has too few samples for a verdict: 4 of each side where they are far apart,
               else 6; 10 and more are better
  note         old results of fails: failed: no input
  note         new results of fails: failed: no input
  $ tacho compare --import tests/cli/benchmarks/google-old.json tests/cli/benchmarks/google-new.json --metric elapsed --format markdown
  ### Benchmarks: 1 of 3 benchmarks is slower
  
  **suite: no difference found: the geometric mean of 3 ratios is 1.1094, 95 % interval 0.6470 to 1.9022**
  
  | benchmark | old | new | ratio | 95 % interval | q |  |
  |---|--:|--:|--:|--:|--:|---|
  | sum/1000 | 728.3 ns | 1.369 µs | 1.8798 | 1.1331 to 2.8377 | 0.009 | 88 % slower |
  
  
  - these results do not show how much runs of the same code differ (memory layout, neighbours): 6 runs of each, in a folder for each side, would
  - 1 benchmark has too few samples for a verdict: 4 of each side where they are far apart, else 6; 10 and more are better
  - old results of fails: failed: no input
  - new results of fails: failed: no input
  
  <details><summary>3 others</summary>
  
  | benchmark | old | new | ratio | 95 % interval | q |  |
  |---|--:|--:|--:|--:|--:|---|
  | empty/real\_time | 0.652 ns | 0.400 ns | 0.6144 | 0.5240 to 1.9030 | 0.442 | no difference found |
  | sum/100 | 114.9 ns | 135.8 ns | 1.1822 | 0.8022 to 1.7535 | 0.292 | no difference found |
  | fails | - | - | - | - | - | no samples |
  
  </details>
  
  <sub>old: tests/cli/benchmarks/google-old.json: google-benchmark, 4 benchmarks; new: tests/cli/benchmarks/google-new.json: google-benchmark, 4 benchmarks</sub>
  $ tacho compare --import tests/cli/benchmarks/google-old.json tests/cli/benchmarks/google-new.json --json | grep -E '^  "(schema|answer|slower|faster|same|too_few_samples|run_spread|run_spread_by)"'
    "schema": "tacho-benchmarks-1",
    "answer": "2 of 3 benchmarks are slower",
    "slower": 2,
    "faster": 0,
    "same": 1,
    "too_few_samples": 1,
    "run_spread": null,
    "run_spread_by": null,

A folder has several runs of each: then runs are what counts, and there are six of them here.

  $ mkdir $TMP/old $TMP/new; for i in 1 2 3 4 5 6; do awk -v f=1.00$i '{ if (/"(cpu|real)_time"/) { sub(",", "", $2); $2 = $2 * f "," } print }' tests/cli/benchmarks/google-old.json > $TMP/old/$i.json; awk -v f=1.05$i '{ if (/"(cpu|real)_time"/) { sub(",", "", $2); $2 = $2 * f "," } print }' tests/cli/benchmarks/google-old.json > $TMP/new/$i.json; done; tacho compare --import $TMP/old $TMP/new | sed "s|$TMP/||"
  3 of 3 benchmarks are slower
  
  old          old: google-benchmark, 4 benchmarks, 6 runs
  new          new: google-benchmark, 4 benchmarks, 6 runs
  suite        5.0 % slower: the geometric mean of 3 ratios is 1.0498, 95 % interval 1.0470 to 1.0527
  
  benchmark             old       new   ratio     95 % interval      q
  sum/100          40.91 ns  42.95 ns  1.0498  1.0457 to 1.0539  0.002  5.0 % slower
  sum/1000         271.5 ns  285.0 ns  1.0498  1.0457 to 1.0539  0.002  5.0 % slower
  empty/real_time  0.654 ns  0.686 ns  1.0498  1.0457 to 1.0539  0.002  5.0 % slower
  fails                   -         -       -                 -      -  no samples
  
  note         1 benchmark has too few samples for a verdict: 4 of each side where they are far apart,
               else 6; 10 and more are better
  note         old results of fails: failed: no input
  note         new results of fails: failed: no input
  $ tacho compare --import $TMP/old $TMP/new --format csv | cut -d, -f1,3,15-19
  name,verdict,old_runs,new_runs,old_units,new_units,units_are
  sum/100,slower,6,6,6,6,runs
  sum/1000,slower,6,6,6,6,runs
  empty/real_time,slower,6,6,6,6,runs
  fails,,0,0,0,0,samples

A baseline, and what a script asks: the status.

  $ tacho compare --import tests/cli/benchmarks/google-old.json --save-baseline $TMP/main.json
  $ tacho compare --import tests/cli/benchmarks/google-new.json --baseline $TMP/main.json --fail-if slower | head -1
  2 of 3 benchmarks are slower
  $ tacho compare --import tests/cli/benchmarks/google-new.json --baseline $TMP/main.json --fail-if slower > $TMP/a
  [4]
  $ tacho compare --import tests/cli/benchmarks/google-new.json --baseline $TMP/main.json --fail-if slower:95 > $TMP/a
  $ tacho compare --import tests/cli/benchmarks/google-new.json --baseline $TMP/main.json --fail-if faster --save-baseline $TMP/main.json | sed -n "1,4s|$TMP/||p"
  old          main.json: saved baseline, 4 benchmarks
  $ tacho compare --import tests/cli/benchmarks/google-new.json --baseline $TMP/main.json --fail-if different | head -1
  no difference found in 3 benchmarks

Wrong usage, and what is no result.

  $ tacho compare --import tests/cli/benchmarks/google-old.json
  tacho: --import takes two results, old and new, or one with --baseline or --save-baseline
  [2]
  $ tacho compare --import a b c
  tacho: --import takes two results, old and new, not 3: several runs of one go into a folder
  [2]
  $ tacho compare --import a b --baseline c
  tacho: either --baseline or the old results for --import, not both
  [2]
  $ tacho compare --baseline a
  tacho: --baseline goes with --import
  [2]
  $ tacho compare --save-baseline a
  tacho: --save-baseline goes with --import
  [2]
  $ tacho compare --import a b -- true -- false
  tacho: either --import or commands, not both
  [2]
  $ tacho compare --import a b --runs 3
  tacho: --runs does not go with --import
  [2]
  $ tacho compare --import a b --plot x.svg
  tacho: --plot does not go with --import
  [2]
  $ tacho compare --import a b --metric cycles
  tacho: --metric of results is cpu or elapsed, not 'cycles'
  [2]
  $ tacho compare --import a b --fail-if slower:
  tacho: --fail-if: 'slower:': behind the colon stands a number of percent, above 0 and up to 1000
  [2]
  $ tacho compare --import a b --fail-if sooner
  tacho: --fail-if is slower|faster|different, not 'sooner'; did you mean slower?
  [2]
  $ tacho compare --import nothing.json tests/cli/benchmarks/google-new.json
  tacho: nothing.json: No such file or directory
  [1]
  $ tacho compare --import tests/cli/benchmarks/google-old.json doc
  tacho: doc: no file in it, or below, has results as hyperfine, Google Benchmark, criterion and pytest-benchmark write them in JSON, and no saved baseline
  [1]
  $ echo '{"results": [' > $TMP/broken.json; tacho compare --import $TMP/broken.json tests/cli/benchmarks/google-new.json 2>&1 | sed "s|$TMP/||"
  tacho: broken.json: line 2: this is no JSON: ']' expected near end of file
  $ mkdir $TMP/empty; tacho compare --import $TMP/empty tests/cli/benchmarks/google-new.json 2>&1 | sed "s|$TMP/||"
  tacho: empty: no file in it, or below, has results as hyperfine, Google Benchmark, criterion and pytest-benchmark write them in JSON, and no saved baseline
  $ tacho compare --import tests/cli/benchmarks/google-old.json --save-baseline /nowhere/at/all
  tacho: cannot write /nowhere/at/all: No such file or directory
  [1]
  $ tacho compare --import tests/cli/benchmarks/google-old.json tests/cli/benchmarks/pytest.json > $TMP/a
  tacho: note: no benchmark is in both
  [3]
  $ head -1 $TMP/a
  no benchmark is in both
  $ tacho compare --import tests/cli/benchmarks/hyperfine-old.json - < tests/cli/benchmarks/hyperfine-new.json | head -1
  no difference found in 2 benchmarks
