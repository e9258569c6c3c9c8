Two versions of a predictor, by hand: one block nearer to its measurement, one further from it, one lost.

  $ cd $TMP; printf 'hex,cycles,app\n90,1,a\n4801d8,2,a\n480fafc0,4,b\n4889d8,10,b\n' > m.csv
  $ cd $TMP; printf 'hex,cycles\n90,1\n4801D8,3\n480fafc0,4\n4889d8,8\n31c0,1\n' > old.csv
  $ cd $TMP; printf 'hex,cycles,error\n31c0,2,\n4889d8,,it broke\n480fafc0,5,\n4801d8,2,\n90,1.0005,\n' > new.csv
  $ cd $TMP; tacho eval --diff old.csv new.csv --measured m.csv --worst 1
  old.csv -> new.csv: 5 blocks, 4 measured (m.csv)
  
  blocks     count      %
  unchanged      1  20.00  to within 0.1 %
  worse          1  20.00  further from the measurement
  better         1  20.00  nearer to the measurement
  changed        1  20.00  not measured, or as far from the measurement as before
  lost           1  20.00  no prediction any more
  
  2 blocks are predicted to take more cycles than before, 1 fewer.
  
  Over the 3 measured blocks that both have a prediction for.
  
  figure            old     new  new - old
  MAPE %          16.67    8.35      -8.32
  Kendall's tau  1.0000  1.0000     0.0000
  median %         0.00    0.05      +0.05
  q3 %            25.00   12.52     -12.48
  bias %          16.67    8.35      -8.32
  within 1 %      66.67   66.67       0.00
  within 5 %      66.67   66.67       0.00
  within 10 %     66.67   66.67       0.00
  
  worse: 1
      measured          old          new  old err %  new err %  block
             4            4            5       0.00      25.00  480fafc0
          imul rax, rax
  
  better: 1
      measured          old          new  old err %  new err %  block
             2            3            2      50.00       0.00  4801D8
          add rax, rbx
  
  changed: 1
      measured          old          new  old err %  new err %  block
             -            1            2          -          -  31c0
          xor eax, eax
  
  lost: 1
      measured          old          new  old err %  new err %  block
            10            8            -      20.00          -  4889d8
      why: it broke
          mov rax, rbx
  $ cd $TMP; tacho eval --diff old.csv new.csv
  old.csv -> new.csv: 5 blocks
  
  blocks     count      %
  unchanged      1  20.00  to within 0.1 %
  changed        3  60.00  not measured, or as far from the measurement as before
  lost           1  20.00  no prediction any more
  
  2 blocks are predicted to take more cycles than before, 1 fewer.
  
  changed: 3
      measured          old          new  old err %  new err %  block
             -            1            2          -          -  31c0
          xor eax, eax
             -            3            2          -          -  4801D8
          add rax, rbx
             -            4            5          -          -  480fafc0
          imul rax, rax
  
  lost: 1
      measured          old          new  old err %  new err %  block
             -            8            -          -          -  4889d8
      why: it broke
          mov rax, rbx
  $ cd $TMP; tacho eval --diff old.csv new.csv -m m.csv -f csv
  hex,kind,old,new,measured,old_error,new_error,old_message,new_message
  90,unchanged,1,1.0005,1,0,0.0005,,
  4801D8,better,3,2,2,0.5,0,,
  480fafc0,worse,4,5,4,0,0.25,,
  4889d8,lost,8,,10,0.2,,,it broke
  31c0,changed,1,2,,,,,
  $ cd $TMP; tacho eval --diff old.csv new.csv -m m.csv -f json | grep -E '"(schema|verdict|common_blocks|higher|lower|better|worse|lost)": [^[]'
    "schema": "tacho-eval-diff-1",
      "better": 1,
      "worse": 1,
      "lost": 1,
    "higher": 2,
    "lower": 1,
    "common_blocks": 3,
    "verdict": null,
  $ cd $TMP; tacho eval --diff old.csv new.csv -m m.csv --worst 0
  old.csv -> new.csv: 5 blocks, 4 measured (m.csv)
  
  blocks     count      %
  unchanged      1  20.00  to within 0.1 %
  worse          1  20.00  further from the measurement
  better         1  20.00  nearer to the measurement
  changed        1  20.00  not measured, or as far from the measurement as before
  lost           1  20.00  no prediction any more
  
  2 blocks are predicted to take more cycles than before, 1 fewer.
  
  Over the 3 measured blocks that both have a prediction for.
  
  figure            old     new  new - old
  MAPE %          16.67    8.35      -8.32
  Kendall's tau  1.0000  1.0000     0.0000
  median %         0.00    0.05      +0.05
  q3 %            25.00   12.52     -12.48
  bias %          16.67    8.35      -8.32
  within 1 %      66.67   66.67       0.00
  within 5 %      66.67   66.67       0.00
  within 10 %     66.67   66.67       0.00

A prediction that differs by 0.05 % is unchanged, but not without tolerance; then the measurement judges.

  $ cd $TMP; tacho eval --diff old.csv new.csv -m m.csv -f csv --tolerance 0 | grep ^90
  90,worse,1,1.0005,1,0,0.0005,,
  $ cd $TMP; tacho eval --diff old.csv new.csv -m m.csv -f csv --tolerance 40 | cut -d , -f 1,2
  hex,kind
  90,unchanged
  4801D8,unchanged
  480fafc0,unchanged
  4889d8,lost
  31c0,changed

From standard input; rows of the measurements that do not count.

  $ cd $TMP; tacho eval --diff old.csv - -f csv < new.csv | head -2
  hex,kind,old,new,measured,old_error,new_error,old_message,new_message
  90,unchanged,1,1.0005,,,,,
  $ cd $TMP; tacho eval --diff old.csv new.csv -m m.csv --only app=a --worst 0 | head -3
  old.csv -> new.csv: 5 blocks, 2 measured (m.csv)
  2 rows left out: app is not a
  

Limits for CI look at the new predictions.

  $ cd $TMP; tacho eval --diff old.csv new.csv -m m.csv --fail-above MAPE=5 -f csv | wc -l
  tacho: new: MAPE is 8.35 %, above the limit of 5 %
  6
  $ cd $TMP; tacho eval --diff old.csv new.csv -m m.csv --fail-above MAPE=5 -f csv > o.txt; echo $?
  tacho: new: MAPE is 8.35 %, above the limit of 5 %
  4
  $ cd $TMP; tacho eval --diff old.csv new.csv -m m.csv --fail-above new:MAPE=50 --fail-below tau=0.5 -f csv > o.txt
  $ cd $TMP; tacho eval --diff old.csv new.csv --fail-above failures=10 -f csv > o.txt
  tacho: new: failures is 20 %, above the limit of 10 %
  [4]
  $ cd $TMP; tacho eval --diff old.csv new.csv --fail-above failures=20 -f csv > o.txt
  $ cd $TMP; tacho eval --diff old.csv new.csv --fail-above failures=19.9 -f csv > o.txt
  tacho: new: failures is 20 %, above the limit of 19.9 %
  [4]
  $ cd $TMP; tacho eval --diff old.csv new.csv --fail-above old:MAPE=50 -f csv > o.txt
  tacho: limit old:MAPE=50: there is no predictor 'old'
  [2]

With enough blocks there is a verdict.

  $ cd $TMP; for f in 1.00 1.10 1.20; do awk -v f=$f 'BEGIN { print "hex,cycles"; for (i = 10; i < 40; i++) printf "4883c0%d,%.6f\n", i, (i % 7 + 1) * (f + (f > 1) * (i % 5) / 50) }' > $f.csv; done
  $ cd $TMP; tacho eval --diff 1.20.csv 1.10.csv -m 1.00.csv -f json | grep verdict
    "verdict": "better",
  $ cd $TMP; tacho eval --diff 1.20.csv 1.10.csv -m 1.00.csv --worst 0
  1.20.csv -> 1.10.csv: 30 blocks, 30 measured (1.00.csv)
  
  blocks     count       %
  unchanged      0    0.00  to within 0.1 %
  better        30  100.00  nearer to the measurement
  
  0 blocks are predicted to take more cycles than before, 30 fewer.
  
  Over the 30 measured blocks that both have a prediction for; in brackets 95 % intervals of 1000
  resamples (seed 1), which are the same ones for both.
  
  figure                             old                      new                new - old
  MAPE %            24.00 [23.00, 25.07]     14.00 [13.00, 15.07]  -10.00 [-10.00, -10.00]
  Kendall's tau  0.9408 [0.9230, 0.9555]  0.9408 [0.9230, 0.9555]  0.0000 [0.0000, 0.0000]
  median %                         24.00                    14.00                   -10.00
  q3 %                             26.00                    16.00                   -10.00
  bias %                           24.00                    14.00                   -10.00
  within 1 %                        0.00                     0.00                     0.00
  within 5 %                        0.00                     0.00                     0.00
  within 10 %                       0.00                    20.00                   +20.00
  
  The new predictions are better: their mean error is lower by 10.00 to 10.00 percentage points.
  $ cd $TMP; tacho eval --diff 1.10.csv 1.20.csv -m 1.00.csv -f json --seed 7 --resamples 50 | grep -E 'verdict|seed|resamples'
      "resamples": 50,
      "seed": 7,
    "verdict": "worse",
  $ cd $TMP; tacho eval --diff 1.10.csv 1.10.csv -m 1.00.csv --worst 0 | grep -E 'the same|unchanged'
  unchanged     30  100.00  to within 0.1 %
  resamples (seed 1), which are the same ones for both.
  The mean error is the same.
  $ cd $TMP; tacho eval --diff 1.10.csv 1.20.csv -m 1.00.csv -f json -j 1 > a; tacho eval --diff 1.10.csv 1.20.csv -m 1.00.csv -f json -j 8 | cmp a

Wrong use, and files that do not do.

  $ cd $TMP; tacho eval --diff old.csv
  tacho: --diff compares two files: tacho eval --diff OLD.csv NEW.csv [--measured FILE]
  [2]
  $ cd $TMP; tacho eval --diff old.csv new.csv m.csv
  tacho: 'm.csv' is one file too many
  [2]
  $ cd $TMP; tacho eval --diff old.csv new.csv --model tacho
  tacho: --diff goes with --measured, --only, --without, --arch, --tolerance, --worst, --fail-above, --fail-below, the options of intervals, and --format text, json or csv
  [2]
  $ cd $TMP; tacho eval --diff old.csv new.csv --format latex; tacho eval --diff old.csv new.csv --format markdown
  tacho: 'tacho eval --format latex' is no more: --format csv has the figures
  tacho: 'tacho eval --format markdown' is no more: the text between two lines of ``` does in Markdown, too
  [2]
  $ cd $TMP; tacho eval --diff old.csv new.csv --tolerance x
  tacho: --tolerance is a number of percent from 0 to 100, not 'x'
  [2]
  $ cd $TMP; tacho eval --diff old.csv nowhere.csv
  tacho: nowhere.csv: cannot be read: No such file or directory
  [1]
  $ cd $TMP; printf 'hex,model,cycles\n90,a,1\n90,b,2\n' > two.csv; tacho eval --diff old.csv two.csv
  tacho: two.csv: line 3: predictions of b, and of a before: --diff compares files of one model each
  [1]
  $ cd $TMP; printf 'hex,cycles\n90,fast\n' > bad.csv; tacho eval --diff old.csv bad.csv
  tacho: bad.csv: line 2: cycles: 'fast' is no number
  [1]
  $ cd $TMP; printf 'hex,cycles,arch\n90,1,SKL\n90,2,ICL\n' > arch.csv; tacho eval --diff arch.csv arch.csv
  tacho: arch.csv: predictions for SKL and ICL; -a says which are to be compared
  [1]
  $ cd $TMP; tacho eval --diff arch.csv arch.csv -a ICL -f csv
  hex,kind,old,new,measured,old_error,new_error,old_message,new_message
  90,unchanged,2,2,,,,,
  $ cd $TMP; tacho eval --diff arch.csv arch.csv -a SNB
  tacho: arch.csv: no row is for SNB
  [1]
  $ cd $TMP; printf 'hex,cycles\n0f0b,1\n' > other.csv; tacho eval --diff old.csv new.csv -m other.csv
  tacho: other.csv: none of its blocks is among the predicted ones
  [1]

A tolerance without a comparison is a mistake.

  $ printf 'hex,cycles\n90,1\n' | tacho eval - --model baseline -a SKL --tolerance 1
  tacho: --tolerance is for --diff: it says which predictions are unchanged
  [2]

Predictions for different cores are called so, at the head and on standard error.

  $ cd $TMP; for a in SKL ICX; do printf '90\n4801d8\n' | tacho predict --batch - -a $a > $a.csv; done; cat SKL.csv > both.csv; tail -2 ICX.csv >> both.csv
  $ cd $TMP; tacho eval --diff SKL.csv ICX.csv | head -1
  tacho: note: SKL.csv is for SKL, ICX.csv for ICX: what differs may be the cores
  SKL.csv -> ICX.csv: 2 blocks; for different cores: old SKL, new ICX
  $ cd $TMP; tacho eval --diff SKL.csv SKL.csv | head -1
  SKL.csv -> SKL.csv: 2 blocks, SKL
  $ cd $TMP; tacho eval --diff SKL.csv ICX.csv --format json 2>/dev/null | grep arch
    "arch": null,
    "old_arch": "SKL",
    "new_arch": "ICX",
  $ cd $TMP; tacho eval --diff both.csv ICX.csv -a ICX | sed -n 1p
  both.csv -> ICX.csv: 2 blocks, ICX
  $ cd $TMP; tacho eval --diff old.csv ICX.csv | head -1
  old.csv -> ICX.csv: 5 blocks, ICX
