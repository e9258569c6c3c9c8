The figures that scripts rely on, by hand: errors of 0, 50, 25 and 1 %, and a block that old does not know.

  $ cd $TMP; printf 'hex,cycles,app\n90,1,a;b\n4801d8,2,a\n480fafc0,4,b\n4889d8,10,b\n31c0,5,\n' > m.csv
  $ cd $TMP; printf 'hex,cycles\n90,1\n4801D8,3\n480fafc0,3\n4889d8,10.1\n' > old.csv
  $ cd $TMP; printf 'hex,cycles,error\n31c0,5,\n4889d8,10,\n480fafc0,4,\n4801d8,,it broke\n90,1,\nc3,7,\n' > new.csv
  $ cd $TMP; tacho eval --measured m.csv --predicted old=old.csv --predicted new=new.csv --by none --worst 0 --format json | grep -E '"(name|count|failures|mape|median|q1|q3|kendall_tau|worst|bias|within_5)": [^[]'
  tacho: note: old.csv: nothing for 1 of 5 blocks; they count as failures
        "name": "old",
        "count": 4,
        "failures": 1,
        "mape": 0.19,
        "median": 0.13,
        "q1": 0.00749999999999997,
        "q3": 0.3125,
        "kendall_tau": 0.912870929175277,
        "worst": 0.5,
        "bias": 0.065,
        "within_5": 0.5,
            "count": 1
        "name": "new",
        "count": 4,
        "failures": 1,
        "mape": 0.0,
        "median": 0.0,
        "q1": 0.0,
        "q3": 0.0,
        "kendall_tau": 1.0,
        "worst": 0.0,
        "bias": 0.0,
        "within_5": 1.0,
            "count": 1
  $ cd $TMP; tacho eval --measured m.csv --predicted old=old.csv --format json | sed -n '/failure_messages/,/]/p'
  tacho: note: old.csv: nothing for 1 of 5 blocks; they count as failures
        "failure_messages": [
          {
            "message": "not in old.csv",
            "count": 1
          }
        ],
  $ cd $TMP; tacho eval m.csv -p new.csv --by application --worst 1
  m.csv: 5 blocks measured
  Errors in % of the measured cycles, over the blocks that have a prediction.
  
  predictor  blocks  failed  MAPE %  median %  q1 %  q3 %  Kendall's tau
  new             4       1    0.00      0.00  0.00  0.00         1.0000
  
  predictor  within 1 %  within 5 %  within 10 %  bias %  worst %
  new            100.00      100.00       100.00    0.00     0.00
  
  By application
  application  blocks  failed  MAPE %  median %  q1 %  q3 %  Kendall's tau
  a                 1       1    0.00      0.00  0.00  0.00              -
  b                 3       0    0.00      0.00  0.00  0.00         1.0000
  
  Why new failed
             1  it broke
  $ cd $TMP; tacho eval --measured m.csv -p new=new.csv --by none --worst 0 --format csv | cut -d , -f 1-6
  grouping,group,predictor,count,failures,mape
  all,,new,4,1,0
  $ cd $TMP; tacho eval m.csv -p new.csv --format json > a; tacho eval m.csv -p new.csv --json | cmp - a
  $ cd $TMP; cat m.csv | tacho eval - -p new=new.csv --by none --worst 0 | head -1
  standard input: 5 blocks measured

Models are run on the measured blocks; our own say the same as tacho predict.

  $ cd $TMP; tacho eval m.csv --model tacho -a SKL --save saved.csv > /dev/null; tacho predict --batch m.csv -a SKL | cut -d , -f 1,2
  hex,cycles
  90,0.25
  4801d8,1
  480fafc0,3
  4889d8,0.3125
  31c0,0.25
  $ cd $TMP; cat saved.csv
  hex,model,cycles,lower_bound,error
  90,tacho,0.25,false,
  4801d8,tacho,1,false,
  480fafc0,tacho,3,false,
  4889d8,tacho,0.3125,false,
  31c0,tacho,0.25,false,
  $ cd $TMP; tacho eval m.csv --model mine=tacho --model baseline --model tacho-bounds -a SKL --format csv > direct.csv
  $ cd $TMP; tacho eval m.csv --model mine=tacho --model baseline --model tacho-bounds -a SKL --save saved.csv --jobs 3 | head -1
  m.csv: 5 blocks measured, SKL
  $ cd $TMP; tacho eval m.csv --predicted saved.csv -a SKL --format csv | cmp - direct.csv
  $ cd $TMP; tacho eval m.csv --predicted saved.csv --by none --format csv | cut -d , -f 3,4
  predictor,count
  mine,5
  baseline,5
  tacho-bounds,5
  $ cd $TMP; tacho eval m.csv --model variants -a SKL --by none --format csv | cut -d , -f 3
  predictor
  tacho-no-memory-deps
  tacho-no-mispredictions
  tacho-simple-front-end
  tacho-simple-port-assignment
  tacho-no-micro-fusion
  tacho-no-macro-fusion
  tacho-no-lsd-unrolling
  tacho-no-move-elimination
  tacho-full-move-elimination
  tacho-simple-memory
  $ tacho eval --list-models -a SKL | grep -c '^tacho'
  12

A model that does not know the core is left out, which is said, and the status is 3: it ended the evaluation of all. (The tool is
the tests' stand-in.)

  $ printf 'hex,cycles\n4801d8,1\n' > $TMP/one.csv; PATH=$PWD/tests/models:$PATH tacho eval -m $TMP/one.csv --model tacho --model llvm-mca-60 -a RKL --by none --format csv > $TMP/out; echo $?; cut -d, -f 1-6 $TMP/out
  tacho: left out: llvm-mca-60 does not know -mcpu=rocketlake
  3
  grouping,group,predictor,count,failures,mape
  all,,tacho,1,0,0
  $ PATH=$PWD/tests/models:$PATH tacho eval -m $TMP/one.csv --model llvm-mca-60 -a RKL
  tacho: left out: llvm-mca-60 does not know -mcpu=rocketlake
  tacho: no predictor is left
  [1]

One of a file's models; words for several models stand where they are.

  $ cd $TMP; tacho eval m.csv -p baseline=saved.csv --by none --format csv | cut -d , -f 3,4
  predictor,count
  baseline,5
  $ cd $TMP; tacho eval m.csv -p none=saved.csv
  tacho: saved.csv: nothing of a model 'none'
  [1]
  $ cd $TMP; tacho eval m.csv --model first=tacho --model ours --model last=tacho -a SKL --by none --format csv | cut -d , -f 3
  predictor
  first
  tacho
  tacho-bounds
  baseline
  last

Blocks that come several times: a prediction is for all of them, and however many there are, each is looked at once.

  $ cd $TMP; printf 'hex,cycles\n90,1\n90,2\n' > twice.csv; printf 'hex,cycles\n90,1\n90,1\n90,3\n' > again.csv; tacho eval twice.csv -p again.csv --by none --worst 0 2>&1 | head -n 5
  tacho: note: again.csv: 1 row is about blocks that had another prediction before; the first one counts
  twice.csv: 2 blocks measured
  Errors in % of the measured cycles, over the blocks that have a prediction.
  
  predictor  blocks  failed  MAPE %  median %   q1 %   q3 %  Kendall's tau
  $ cd $TMP; awk 'BEGIN { print "hex,cycles"; for (i = 0; i < 300000; i++) print "90,1" }' > same.csv; awk 'BEGIN { print "hex,category"; for (i = 0; i < 300000; i++) print "90,nop" }' > nops.csv; tacho eval same.csv -p same.csv --categories nops.csv --by category --worst 0 --resamples 0 | tail -n 3
  By category
  category   blocks  failed  MAPE %  median %  q1 %  q3 %  Kendall's tau
  nop       300,000       0    0.00      0.00  0.00  0.00              -

The file of the measurements is not written to.

  $ cd $TMP; tacho eval m.csv --model tacho -a SKL --save m.csv
  tacho: m.csv is read: the results need another file
  [1]

Rows that do not count, and say why.

  $ cd $TMP; printf 'hex,cycles,flags,status,notes\n90,1,,ok,\n4801d8,2,dep,ok,slow\n31c0,3,,unstable,\n4889d8,,,ok,\n4829c0,1,,ok,fine\n' > f.csv
  $ cd $TMP; tacho eval f.csv --model baseline -a SKL --only flags= --by none --worst 1 --resamples 0
  f.csv: 2 blocks measured, SKL
  1 row left out: flags is not empty
  1 row left out: status unstable
  1 row left out: not measured
  Errors in % of the measured cycles, over the blocks that have a prediction.
  
  predictor  blocks  failed  MAPE %  median %   q1 %   q3 %  Kendall's tau
  baseline        2       0   75.00     75.00  75.00  75.00              -
  
  predictor  within 1 %  within 5 %  within 10 %  bias %  worst %
  baseline         0.00        0.00         0.00  -75.00    75.00
  
  Largest errors of baseline
      measured    predicted         error     factor  block
             1         0.25       75.00 %       0.25  90
      note: limited by predecode, decode, issue; µops from MITE
          nop
  $ cd $TMP; tacho eval f.csv --model baseline -a SKL --without flags=DEP --only status=ok --by none --worst 0 --resamples 0 | sed -n 2,3p
  1 row left out: flags is DEP
  1 row left out: status is not ok
  $ cd $TMP; tacho eval f.csv --model baseline -a SKL --only flags=none
  tacho: f.csv: no row is left to compare with: flags is not none (5)
  [1]
  $ cd $TMP; tacho eval f.csv --model baseline -a SKL --only colour=red
  tacho: f.csv: no column 'colour'; there are: hex, cycles, flags, status, notes
  [1]

Predictors that know different blocks can be judged by those that both know.

  $ cd $TMP; tacho eval m.csv -p old.csv -p new.csv --common --by application --worst 0 2> /dev/null
  m.csv: 3 blocks measured
  2 rows left out: not predicted by all
  Errors in % of the measured cycles, over the blocks that have a prediction.
  
  predictor  blocks  failed  MAPE %  median %  q1 %   q3 %  Kendall's tau
  old             3       0    8.67      1.00  0.50  13.00         1.0000
  new             3       0    0.00      0.00  0.00   0.00         1.0000
  
  predictor  within 1 %  within 5 %  within 10 %  bias %  worst %
  old             66.67       66.67        66.67   -8.00    25.00
  new            100.00      100.00       100.00    0.00     0.00
  
  By application: MAPE % / Kendall's tau
  application  blocks            old            new
  a                 1       0.00 / -       0.00 / -
  b                 3  8.67 / 1.0000  0.00 / 1.0000
  $ cd $TMP; printf 'hex,cycles\n31c0,5\n' > one.csv; tacho eval m.csv -p old.csv -p one.csv --common 2>&1 | tail -1
  tacho: --common: there is no block that all of them have a prediction for

Limits, for CI.

  $ cd $TMP; tacho eval m.csv -p old=old.csv --fail-above MAPE=19.1 --fail-below tau=0.9 > /dev/null
  tacho: note: old.csv: nothing for 1 of 5 blocks; they count as failures
  $ cd $TMP; tacho eval m.csv -p old=old.csv --fail-above MAPE=18.9% --fail-above failures=20 --fail-below within-10=60 > /dev/null
  tacho: note: old.csv: nothing for 1 of 5 blocks; they count as failures
  tacho: old: MAPE is 19 %, above the limit of 18.9 %
  tacho: old: within-10 is 50 %, below the limit of 60 %
  [4]
  $ cd $TMP; tacho eval m.csv -p old=old.csv -p new=new.csv --fail-above new:MAPE=0 --fail-above new:worst=0 --fail-above old:q3=31 > /dev/null
  tacho: note: old.csv: nothing for 1 of 5 blocks; they count as failures
  tacho: old: q3 is 31.25 %, above the limit of 31 %
  [4]
  $ cd $TMP; tacho eval m.csv -p old=old.csv --fail-above other:MAPE=1 > /dev/null
  tacho: note: old.csv: nothing for 1 of 5 blocks; they count as failures
  tacho: limit other:MAPE=1: there is no predictor 'other'
  [2]
  $ cd $TMP; tacho eval m.csv -p old=old.csv --fail-above MAPE
  tacho: --fail-above MAPE: wanted FIGURE=LIMIT or PREDICTOR:FIGURE=LIMIT, such as MAPE=2; figures: MAPE, median, q3, worst, failures, tau, within-1, within-5, within-10
  [2]
  $ cd $TMP; tacho eval m.csv -p old=old.csv --fail-above MAPE=much
  tacho: --fail-above MAPE=much: 'much' is no number of percent
  [2]
  $ cd $TMP; tacho eval m.csv -p old=old.csv --fail-below tau=1%
  tacho: --fail-below tau=1%: '1%' is no number
  [2]

Wrong usage, and files that are not what they should be.

  $ tacho eval
  tacho: no measurements: --measured FILE
  [2]
  $ cd $TMP; tacho eval --measured m.csv
  tacho: nothing to judge: --predicted NAME=FILE, or --model tacho
  [2]
  $ cd $TMP; tacho eval m.csv old.csv
  tacho: 'old.csv': predictions come with --predicted NAME=FILE, measurements with --measured FILE
  [2]
  $ cd $TMP; tacho eval m.csv old.csv new.csv
  tacho: 'old.csv': predictions come with --predicted NAME=FILE, measurements with --measured FILE
  [2]
  $ cd $TMP; tacho eval m.csv -p old.csv --by colour
  tacho: --by is application|category|length|bottleneck|content|none, not 'colour'
  [2]
  $ cd $TMP; tacho eval m.csv -p old.csv --by category
  tacho: m.csv: no column 'category' to divide the blocks by; 'tacho suite cluster' makes one, or --categories FILE has them
  [1]
  $ cd $TMP; tacho eval m.csv -p old.csv --only flags
  tacho: --only flags: wanted COLUMN=VALUE, such as flags= for rows without flags
  [2]
  $ cd $TMP; tacho eval m.csv -p old.csv --format xml
  tacho: --format is text|json|csv, not 'xml'
  [2]
  $ cd $TMP; tacho eval m.csv -p old.csv --confidence 100
  tacho: --confidence is a number of percent from 1 to 99.99, not '100'
  [2]
  $ cd $TMP; tacho eval m.csv -p old.csv --save x.csv
  tacho: --save writes what models predict: --model says which
  [2]
  $ cd $TMP; tacho eval m.csv -p old.csv --heat-map x.gif
  tacho: --heat-map: the name of FILE says what is written: it must end in .svg or .png, not 'x.gif'
  [2]
  $ cd $TMP; tacho eval m.csv -p a=old.csv -p a=new.csv
  tacho: note: old.csv: nothing for 1 of 5 blocks; they count as failures
  tacho: there are two predictors named 'a'
  [1]
  $ cd $TMP; tacho eval m.csv --model tacko -a SKL
  tacho: there is no model 'tacko'; did you mean tacho?
  [2]
  $ cd $TMP; tacho eval m.csv --model tacho -a SKL,ICL
  tacho: measurements are of one microarchitecture: -a SKL
  [2]
  $ cd $TMP; tacho eval m.csv --model tacho -a SKL --init rax=1
  tacho: --init: values of registers are not for many blocks: distinct, aligned or same
  [2]
  $ cd $TMP; tacho eval m.csv -p none.csv
  tacho: none.csv: cannot be read: No such file or directory
  [1]
  $ cd $TMP; printf 'hex,cycles\n90,two\n' > bad.csv; tacho eval m.csv -p bad.csv
  tacho: bad.csv: line 2: cycles: 'two' is no number
  [1]
  $ cd $TMP; tacho eval bad.csv -p old.csv
  tacho: bad.csv: line 2: cycles: 'two' is no number
  [1]
  $ cd $TMP; printf 'hex,cycles\n90,0\n' > bad.csv; tacho eval bad.csv -p old.csv
  tacho: bad.csv: line 2: cycles must be more than 0
  [1]
  $ cd $TMP; printf 'hex,cycles\n90,0\n' > bad.csv; tacho eval bad.csv -p old.csv 2> /dev/null
  [1]
  $ cd $TMP; printf 'app,hex,cycles\na,90,1\n' > order.csv; tacho eval order.csv -p old.csv --by application --format csv | cut -d , -f 1-6
  grouping,group,predictor,count,failures,mape
  all,,old,1,0,0
  application,a,old,1,0,0
  $ cd $TMP; printf 'code,cycles\n90,1\n' > bad.csv; tacho eval bad.csv -p old.csv
  tacho: bad.csv: line 1: cycles: 'cycles' is no number; a first line that names columns has hex among them
  [1]
  $ cd $TMP; printf 'hex,cycles\n0f0b,1\n' > bad.csv; tacho eval m.csv -p bad.csv
  tacho: bad.csv: none of its blocks is among the measured ones
  [1]
  $ cd $TMP; printf 'hex,cycles,arch\n90,1,SKL\n90,2,ICL\n' > two.csv; tacho eval m.csv -p two.csv
  tacho: two.csv: predictions for SKL and ICL; -a says which are to be compared
  [1]
  $ cd $TMP; tacho eval m.csv -p two.csv -a ICL --by none --format csv | cut -d , -f 1-6
  tacho: note: two.csv: nothing for 4 of 5 blocks; they count as failures
  grouping,group,predictor,count,failures,mape
  all,,two,1,4,1
  $ cd $TMP; tacho eval m.csv -p two.csv -a SNB
  tacho: two.csv: none of its blocks is among the measured ones, or none is for SNB
  [1]
  $ cd $TMP; tacho eval m.csv -p old.csv > /dev/full
  tacho: note: old.csv: nothing for 1 of 5 blocks; they count as failures
  tacho: cannot write to standard output: No space left on device
  [1]

Predictions stand in for measurements, and are called what they are.

  $ tacho predict --batch examples/blocks.csv -a SKL -o $TMP/cycles.csv
  $ tacho eval $TMP/cycles.csv --model tacho-bounds -a SKL --by none --worst 1 --resamples 0 | sed "s,$TMP/,,"
  cycles.csv: 3 blocks predicted, not measured, SKL
  Errors in % of the reference cycles, over the blocks that have a prediction.
  
  predictor     blocks  failed  MAPE %  median %  q1 %  q3 %  Kendall's tau
  tacho-bounds       3       0    0.00      0.00  0.00  0.00         1.0000
  
  predictor     within 1 %  within 5 %  within 10 %  bias %  worst %
  tacho-bounds      100.00      100.00       100.00    0.00     0.00
  
  tacho 2.0.0: tacho-bounds
  $ tacho eval $TMP/cycles.csv --model tacho-bounds -a SKL --by none --json | grep '"reference"'
    "reference": "predicted",
  $ tacho eval $TMP/cycles.csv --model tacho-bounds -a SKL --by none | grep 'blocks predicted' | sed "s,$TMP/,,"
  cycles.csv: 3 blocks predicted, not measured, SKL
