What a block takes differs from machine to machine; here is what does not. (Where no sandbox works, measure.sh skips this.)

  $ tacho measure -q --hex '0f 05'
  tacho: --hex: offset 0x0: rejected: 'syscall' is a system call: not run
  [1]
  $ tacho measure -q --hex '48 31 c9 48 f7 f1' --json > $TMP/a; echo $?; grep -e '"status"' -e '"cycles"' -e '"uncertainty"' -e '"offset"' -e '"message"' $TMP/a
  tacho: --hex: offset 0x3: crashed: 'div rcx' divides by zero, or the quotient is too large (SIGFPE); --init chooses other values
  1
    "cycles": null,
    "uncertainty": null,
    "status": "crashed",
    "message": "'div rcx' divides by zero, or the quotient is too large (SIGFPE); --init chooses other values",
    "offset": 3,
  $ tacho measure -q --hex '90 0f 0b' --format csv 2>/dev/null | cut -d, -f 1,2,3,4,6-
  hex,cycles,uncertainty,status,notes,error,mode
  900f0b,,,crashed,,'ud2' is undefined by intent (SIGILL),unroll
  $ tacho measure -q --hex 'eb fe'
  tacho: --hex: offset 0x0: rejected: the loop has nothing but a branch that cannot be counted
  [1]
  $ tacho measure -q --hex '90 eb fe 90' --timeout 0.1 --format csv 2>/dev/null | cut -d, -f 1,2,4
  hex,cycles,status
  90ebfe90,,timeout

A number, and what belongs to it.

  $ tacho measure -q --hex '48 0f af c0' --json > $TMP/a; grep -c '"cycles": [0-9.]*,' $TMP/a; grep -c -e '"status": "ok"' -e '"status": "unstable"' $TMP/a; grep -o '"mode": "[a-z]*"' $TMP/a; grep -o '"schema".*' $TMP/a
  1
  1
  "mode": "unroll"
  "schema": "tacho-measure-1",
  $ tacho measure -q --hex '48 0f af c0' --also-predict -a ICX --format csv > $TMP/a 2>/dev/null; head -1 $TMP/a; sed -n 2p $TMP/a | cut -d, -f 1,8,9,10
  hex,cycles,uncertainty,status,clock,notes,error,mode,arch,predicted,prediction_error
  480fafc0,unroll,ICX,3
  $ printf 'l: add %%rax, %%rbx\n add $8, %%rcx\n cmp %%rdx, %%rcx\n jne l\n' | tacho measure -q - --json | grep -o -e '"mode": "[a-z]*"' -e 'branch-replaced'
  "mode": "loop"
  $ tacho measure -q --hex '48 8b 46 3d' --json | grep -c '"line-crossing"'
  1
  $ printf '# LLVM-MCA-BEGIN a\nnop\n# LLVM-MCA-END\n# LLVM-MCA-BEGIN b\nsyscall\n# LLVM-MCA-END\n' | tacho measure -q - --format csv > $TMP/a 2>$TMP/e; echo $?; cut -d, -f1 $TMP/a; cat $TMP/e
  3
  hex
  90
  0f05
  tacho: standard input: b: offset 0x0: rejected: 'syscall' is a system call: not run

Batches: rows in order, failures beside, exit status 3; --resume goes on where the file ends, also in the middle of a line.

  $ printf 'hex,name\n480fafc0,a\nzz,b\n0f05,c\n\n90,d\n' > $TMP/in.csv
  $ tacho measure -q --batch $TMP/in.csv > $TMP/out.csv
  tacho: 2 of 4 blocks failed
  [3]
  $ cut -d, -f1 $TMP/out.csv; cut -d, -f4 $TMP/out.csv | sed 's/unstable/ok/'
  hex
  480fafc0
  zz
  0f05
  90
  status
  ok
  rejected
  rejected
  ok
  $ tacho measure -q --batch $TMP/in.csv -o $TMP/out2.csv; head -3 $TMP/out2.csv > $TMP/out3.csv; printf '0f05,,,rej' >> $TMP/out3.csv; cp $TMP/out3.csv $TMP/before.csv
  tacho: 2 of 4 blocks failed
  $ tacho measure -q --batch $TMP/in.csv -o $TMP/out3.csv --resume; cut -d, -f1 $TMP/out3.csv | xargs; head -3 $TMP/before.csv | cmp - $TMP/out3.csv 2>&1 | sed 's/.*EOF on -.*/the first rows are as they were/'
  tacho: 1 of 2 blocks failed
  hex 480fafc0 zz 0f05 90
  the first rows are as they were
  $ tacho measure -q --batch $TMP/in.csv -o $TMP/out3.csv --resume && wc -l < $TMP/out3.csv
  5
  $ cd $TMP; printf '90\n' | tacho measure -q --batch - -o out3.csv --resume
  tacho: --resume: row 1 of out3.csv is not row 1 of -
  [1]
  $ cd $TMP; tacho measure -q --batch in.csv -o out3.csv --resume --also-predict -a SKL
  tacho: --resume: out3.csv was not written with these options: its first line is not 'hex,cycles,uncertainty,status,clock,notes,error,mode,arch,predicted,prediction_error'
  [1]
  $ tacho measure -q --batch nothing.csv
  tacho: nothing.csv: cannot be read: No such file or directory
  [1]
  $ printf '90\n' | tacho measure -q --batch - -o /nowhere/x.csv
  tacho: /nowhere/x.csv: cannot be written: No such file or directory
  [1]

Wrong usage.

  $ tacho measure --resume --hex 90
  tacho: --output, --resume and --jobs go with --batch
  [2]
  $ tacho measure --batch x --resume
  tacho: --resume needs --output FILE: the results that are there
  [2]
  $ tacho measure --batch x --json
  tacho: --batch writes CSV; --format json and text do not apply
  [2]
  $ tacho measure --hex 90 --clock sundial
  tacho: --clock is auto|perf|tsc-calibrated|tsc, not 'sundial'
  [2]
  $ tacho measure --hex 90 --pages 9
  tacho: --pages is a whole number from 1 to 8, not '9'
  [2]
  $ tacho measure --hex 90 --timeout 0
  tacho: --timeout is a number of seconds from 0.01 to 600, not '0'
  [2]
  $ tacho measure --hex 90 --init rax=x
  tacho: --init: 'x' is not a whole number (decimal, or hexadecimal after 0x)
  [2]
  $ tacho measure --hex 90 -a SKL
  tacho: --arch is for --also-predict and --insn: a measurement is of this machine
  [2]
  $ tacho measure --hex 90 --cpu 4095
  tacho: this process may not run on processor 4095
  [1]
  $ tacho measure --hex 9
  tacho: --hex: a digit without its second half at offset 1; each byte is two digits
  [1]
  $ tacho measure --hex 06
  tacho: --hex: offset 0x0: rejected: not a valid instruction in 64-bit mode
  [1]
