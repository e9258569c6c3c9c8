Shards: the rows of a batch among several runs. Row k is in shard (k - 1) mod N + 1; empty lines are no rows. The last row
says how many rows the input has.

  $ printf 'hex,app\n90,x\n4801d8,y\n\nzz,\n"4801c3",z\n9090\n' > $TMP/in.csv
  $ for i in 1 2 3; do tacho predict --batch $TMP/in.csv -a SKL,ICX --shard $i/3 -o $TMP/p.%s.csv; echo $?; done
  0
  0
  tacho: 2 of 2 predictions failed
  3
  $ cat $TMP/p.1.csv
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,unknown,lower_bound,error,row,rows
  90,0.25,1/4,unroll,SKL,MITE,predecode;decode;issue,0,false,,1,
  90,0.25,1/4,unroll,ICX,MITE,predecode;decode,0,false,,1,
  4801c3,1,1,unroll,SKL,MITE,dependencies,0,false,,4,
  4801c3,1,1,unroll,ICX,MITE,dependencies,0,false,,4,5
  $ cat $TMP/p.3.csv
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,unknown,lower_bound,error,row,rows
  zz,,,,SKL,,,,,'z' at offset 0 is not a hexadecimal digit,3,
  zz,,,,ICX,,,,,'z' at offset 0 is not a hexadecimal digit,3,5
  $ cat $TMP/in.csv | tacho predict --batch - -a SKL,ICX --shard=2/3 | cmp - $TMP/p.2.csv
  $ tacho predict --batch $TMP/in.csv -a SKL,ICX > $TMP/whole.csv
  tacho: 2 of 10 predictions failed
  [3]
  $ cd $TMP; tacho suite join p.2.csv p.3.csv p.1.csv | cmp - whole.csv
  $ cd $TMP; tacho suite join -o joined.csv p.*.csv; cmp joined.csv whole.csv

One shard of one; more shards than rows; no rows at all.

  $ cd $TMP; tacho predict --batch in.csv -a SKL,ICX --shard 1/1 -o one.csv; tacho suite join one.csv | cmp - whole.csv
  tacho: 2 of 10 predictions failed
  $ for i in 1 2 3 4 5 6 7; do tacho predict --batch $TMP/in.csv -a SKL,ICX --shard $i/7 -o $TMP/s.%s.csv 2> /dev/null; done; cat $TMP/s.7.csv
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,unknown,lower_bound,error,row,rows
  $ cd $TMP; tacho suite join s.7.csv s.1.csv s.6.csv s.3.csv s.2.csv s.5.csv s.4.csv | cmp - whole.csv
  $ cd $TMP; for i in 1 2; do printf 'hex\n' | tacho predict --batch - -a SKL --shard $i/2 > none.$i.csv; done; tacho suite join none.*
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,unknown,lower_bound,error

Other batches: tacho suite loops, with one or two results for a row; tacho measure is in measure.t.

  $ cd $TMP; tacho suite loops --batch in.csv --both > whole.loops.csv; for i in 1 2 3; do tacho suite loops --batch in.csv --both --shard $i/3 -o l.%s.csv; done; cat l.2.csv
  tacho: 1 of 5 blocks failed
  tacho: 1 of 1 blocks failed
  hex,loop_hex,unroll,register,error,row,rows
  4801d8,4801d849ffca75f8,1,r10,,2,
  4801d8,4801d84801d84801d84801d84801d849ffca75ec,5,r10,,2,
  9090,909049ffca75f9,1,r10,,5,
  9090,90909090909049ffca75f5,3,r10,,5,5
  $ cd $TMP; tacho suite join l.*.csv | cmp - whole.loops.csv
  $ tacho suite loops $TMP/in.csv --shard 1/2
  tacho: --shard goes with --batch
  [2]
  $ cd $TMP; tacho suite loops --batch in.csv -o in.csv
  tacho: in.csv is read: the results need another file
  [1]

What does not fit together: parts that are missing, there twice, cut off, of other runs.

  $ cd $TMP; tacho suite join p.1.csv p.2.csv -o bad.csv; test -e bad.csv
  tacho: p.1.csv: row 4 comes after row 1: rows are missing, or there are not 2 parts but more
  tacho: note: bad.csv was removed: it was not whole
  [1]
  $ cd $TMP; tacho suite join p.1.csv p.3.csv
  tacho: p.3.csv begins with row 3, so there are at least 3 parts, and 2 were given
  [1]
  $ cd $TMP; tacho suite join s.1.csv s.2.csv s.7.csv
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,unknown,lower_bound,error
  tacho: s.1.csv is of an input of 5 rows, but the parts have 2: parts are missing, or from runs on different inputs
  [1]
  $ cd $TMP; tacho suite join p.1.csv p.2.csv p.2.csv
  tacho: p.2.csv and p.2.csv both begin with row 2: the same part twice
  [1]
  $ cd $TMP; tacho suite join p.1.csv p.2.csv s.3.csv
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,unknown,lower_bound,error
  90,0.25,1/4,unroll,SKL,MITE,predecode;decode;issue,0,false,
  90,0.25,1/4,unroll,ICX,MITE,predecode;decode,0,false,
  4801d8,1,1,unroll,SKL,MITE,dependencies,0,false,
  4801d8,1,1,unroll,ICX,MITE,dependencies,0,false,
  zz,,,,SKL,,,,,'z' at offset 0 is not a hexadecimal digit
  zz,,,,ICX,,,,,'z' at offset 0 is not a hexadecimal digit
  4801c3,1,1,unroll,SKL,MITE,dependencies,0,false,
  4801c3,1,1,unroll,ICX,MITE,dependencies,0,false,
  9090,0.5,1/2,unroll,SKL,MITE,predecode;decode;issue,0,false,
  9090,0.5,1/2,unroll,ICX,MITE,predecode;decode,0,false,
  $ cd $TMP; head -n 4 p.1.csv > cut.csv; tacho suite join p.2.csv cut.csv p.3.csv
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,unknown,lower_bound,error
  tacho: cut.csv: was cut off behind row 4: its run has not come to its end
  [1]
  $ cd $TMP; head -c 200 p.1.csv > cut.csv; tacho suite join p.2.csv cut.csv p.3.csv
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,unknown,lower_bound,error
  tacho: cut.csv: was cut off: its last line has no end, so its run has not come to its end
  [1]
  $ cd $TMP; tacho predict --batch in.csv -a SKL,ICX --shard 1/3 | head -c -2 > cut.csv; tacho suite join cut.csv p.2.csv p.3.csv
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,unknown,lower_bound,error
  tacho: cut.csv: was cut off: its last line has no end, so its run has not come to its end
  [1]
  $ cd $TMP; : > empty.csv; tacho suite join empty.csv p.2.csv p.3.csv
  tacho: empty.csv: no results of a shard: its first line does not end in the columns row and rows
  [1]
  $ cd $TMP; sed '4,5d' p.1.csv > cut.csv; tacho suite join p.3.csv cut.csv p.2.csv
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,unknown,lower_bound,error
  tacho: cut.csv: was cut off behind row 1: its run has not come to its end
  [1]
  $ cd $TMP; sed '3s/.*/x/' p.1.csv > bad.csv; tacho suite join bad.csv p.2.csv p.3.csv
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,unknown,lower_bound,error
  tacho: bad.csv: a row does not end in the columns row and rows: 'x'
  [1]
  $ cd $TMP; (cat p.2.csv; sed 1d p.2.csv) > bad.csv; tacho suite join bad.csv p.1.csv p.3.csv > /dev/null
  tacho: bad.csv: goes on behind the end of its shard
  [1]
  $ cd $TMP; tacho suite join whole.csv
  tacho: whole.csv: no results of a shard: its first line does not end in the columns row and rows
  [1]
  $ cd $TMP; sed '1s/,source//' p.2.csv > bad.csv; tacho suite join p.1.csv bad.csv p.3.csv
  tacho: p.1.csv and bad.csv are results of different kinds: their first lines differ
  [1]
  $ for i in 1 2 3; do head -n 6 $TMP/in.csv | tacho predict --batch - -a SKL,ICX --shard $i/3 -o $TMP/q.%s.csv 2> /dev/null; done
  [3]
  $ cd $TMP; tacho suite join p.1.csv q.2.csv p.3.csv > /dev/null
  tacho: p.1.csv is of an input of 5 rows, but the parts have 4: parts are missing, or from runs on different inputs
  [1]
  $ cd $TMP; tacho suite join q.1.csv q.2.csv p.3.csv > /dev/null
  tacho: p.3.csv is of an input of 5 rows, but the parts have 4: parts are missing, or from runs on different inputs
  [1]
  $ cd $TMP; cp p.1.csv copy.csv; tacho suite join p.2.csv copy.csv p.3.csv -o copy.csv; cmp copy.csv p.1.csv
  tacho: copy.csv is read: the results need another file
  $ cd $TMP; tacho suite join nowhere.csv
  tacho: nowhere.csv: cannot be read: No such file or directory
  [1]
  $ tacho suite join
  tacho: suite join: give the parts: PART ...
  [2]
  $ cd $TMP; tacho suite join p.1.csv --sort
  tacho: unknown option '--sort'; 'tacho help' lists the commands, 'tacho COMMAND --help' the options
  [2]

The input stays whole.

  $ cd $TMP; cp in.csv same.csv; tacho predict --batch same.csv -a SKL -o same.csv; cmp same.csv in.csv
  tacho: same.csv is read: the results need another file

Which shard: as schedulers say (env -i: nothing of what this test runs under counts).

  $ for i in 1 2 3 4 5 6 7 8; do echo 90; done > $TMP/eight; echo 'env -i PATH="$PATH" "$@" tacho predict --batch $TMP/eight -a SKL --shard auto > $TMP/auto && cut -d , -f 9 $TMP/auto | tr "\n" " " && echo' > $TMP/auto.sh
  $ sh $TMP/auto.sh OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=3
  lower_bound false false false 
A batch script is no step of its job; mpirun in a job counts before the job's own numbers; the ranks of an array's task
divide its rows.

  $ sh $TMP/auto.sh SLURM_PROCID=0 SLURM_NTASKS=4
  tacho: --shard auto: this is no task of a Slurm array, nor started by srun or mpirun: none of these is set: SLURM_ARRAY_TASK_ID; SLURM_PROCID and SLURM_STEP_NUM_TASKS; OMPI_COMM_WORLD_RANK and _SIZE; PMI_RANK and PMI_SIZE
  [2]
  $ sh $TMP/auto.sh SLURM_PROCID=0 SLURM_NTASKS=4 OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=2
  lower_bound false false false false 
An array with gaps has no rank and size; nor have numbers that contradict each other.

  $ sh $TMP/auto.sh SLURM_ARRAY_TASK_ID=7 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX=7 SLURM_ARRAY_TASK_STEP=1 SLURM_ARRAY_TASK_COUNT=3
  tacho: --shard auto: the job array is no range of numbers (3 tasks from 1 to 7): give --shard I/N
  [2]
  $ sh $TMP/auto.sh SLURM_ARRAY_TASK_ID=7
  tacho: --shard auto: SLURM_ARRAY_TASK_ID is set, but not all of SLURM_ARRAY_TASK_MIN, _MAX, _STEP and _COUNT are
  [2]
  $ sh $TMP/auto.sh OMPI_COMM_WORLD_RANK=3 OMPI_COMM_WORLD_SIZE=3
  tacho: --shard auto: OMPI_COMM_WORLD_RANK is 3, and OMPI_COMM_WORLD_SIZE is 3
  [2]
  $ sh $TMP/auto.sh PMI_RANK=one PMI_SIZE=3
  tacho: --shard auto: PMI_RANK is 'one', which is no number
  [2]

Each process needs a file of its own.

  $ env -i PATH="$PATH" PMI_RANK=1 PMI_SIZE=3 tacho predict --batch $TMP/eight -a SKL --shard auto -o one.csv
  tacho: --shard auto: one.csv would be written by each of 3 shards: put %s, the shard's number, into its name
  [2]
  $ env -i PATH="$PATH" PMI_RANK=1 PMI_SIZE=3 tacho predict --batch $TMP/eight -a SKL --shard auto -o $TMP/r.%s.csv; tail -n 1 $TMP/r.2.csv
  90,0.25,1/4,unroll,SKL,MITE,predecode;decode;issue,0,false,,8,8
  $ tacho predict --batch $TMP/eight -a SKL -o $TMP/100%s.csv; wc -l < $TMP/100%s.csv
  9

Wrong usage.

  $ for s in 0/3 4/3 2 1/ /2 1/0 x/y 1/3/5 -1/2; do tacho predict --batch $TMP/eight --shard $s; done
  tacho: --shard is I/N, shard I of N (1 <= I <= N <= 1000000), or auto, not '0/3'
  tacho: --shard is I/N, shard I of N (1 <= I <= N <= 1000000), or auto, not '4/3'
  tacho: --shard is I/N, shard I of N (1 <= I <= N <= 1000000), or auto, not '2'
  tacho: --shard is I/N, shard I of N (1 <= I <= N <= 1000000), or auto, not '1/'
  tacho: --shard is I/N, shard I of N (1 <= I <= N <= 1000000), or auto, not '/2'
  tacho: --shard is I/N, shard I of N (1 <= I <= N <= 1000000), or auto, not '1/0'
  tacho: --shard is I/N, shard I of N (1 <= I <= N <= 1000000), or auto, not 'x/y'
  tacho: --shard is I/N, shard I of N (1 <= I <= N <= 1000000), or auto, not '1/3/5'
  tacho: --shard is I/N, shard I of N (1 <= I <= N <= 1000000), or auto, not '-1/2'
  [2]
  $ tacho predict --hex 90 --shard 1/2
  tacho: --shard goes with --batch
  [2]
  $ tacho predict --hex 90 -o $TMP/x
  tacho: --output goes with --batch
  [2]
  $ tacho predict --batch $TMP/eight -a SKL --shard 1/2 -o /nonexistent/a.csv
  tacho: cannot write /nonexistent/a.csv: No such file or directory
  [1]
