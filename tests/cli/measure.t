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

What may run is a list; what an attack on the sandbox found to be stopped by the processor alone, or by nothing, is not on it.

  $ printf '%s\n' 0f01c1 0f01d9 0f01d4 0f01c0 0f01fa 0f01fb 0f01fd f30f38f800 f30f0128 0f38f608 c4e27b49c0 8fe97890c1 0f0fc19e 62f1780858c1 0fae28 > $TMP/in.csv; tacho measure -q --batch $TMP/in.csv | cut -d, -f 1,2,4,7-
  tacho: 15 of 15 blocks failed: 15 rejected
  hex,cycles,status,error,mode
  0f01c1,,rejected,'vmcall' is for the hypervisor: not run,unroll
  0f01d9,,rejected,'vmmcall' is for the hypervisor: not run,unroll
  0f01d4,,rejected,'vmfunc' is for the hypervisor: not run,unroll
  0f01c0,,rejected,'enclv' is for a part of the processor that blocks cannot use: not run,unroll
  0f01fa,,rejected,'monitorx' puts the processor to sleep: not run,unroll
  0f01fb,,rejected,'mwaitx' puts the processor to sleep: not run,unroll
  0f01fd,,rejected,'rdpru' is of an instruction set that is not allowed to run (RDPRU): not run,unroll
  f30f38f800,,rejected,"'enqcmds rax, zmmword ptr [rax]' is for a part of the processor that blocks cannot use: not run",unroll
  f30f0128,,rejected,'rstorssp qword ptr [rax]' changes the shadow stack: not run,unroll
  0f38f608,,rejected,"'wrssd [rax], ecx' changes the shadow stack: not run",unroll
  c4e27b49c0,,rejected,'tilezero tmm0' is of an instruction set that is not allowed to run (AMX): not run,unroll
  8fe97890c1,,rejected,"'vprotb xmm0, xmm1, xmm0' is of an instruction set that is not allowed to run (XOP): not run",unroll
  0f0fc19e,,rejected,"'pfadd mm0, mm1' is of an instruction set that is not allowed to run (3DNow!): not run",unroll
  62f1780858c1,,rejected,"'vaddps zmm0, zmm0, zmm1' is of an instruction set that is not allowed to run (KNC): not run",unroll
  0fae28,,rejected,'xrstor [rax]' loads the rights to memory: not run,unroll

Messages have the instruction as it was typed, or as --output-syntax says.

  $ printf 'xor %%ecx, %%ecx\n div  %%rcx # by nothing\n' > $TMP/d.s; for o in auto source att intel; do tacho measure -q $TMP/d.s --output-syntax $o 2>&1 | grep -o "crashed: '.*'"; done
  crashed: 'div %rcx'
  crashed: 'div %rcx  # by nothing'
  crashed: 'div %rcx'
  crashed: 'div rcx'
  $ for o in auto att; do tacho measure -q --hex '0f 01 10' --output-syntax $o 2>&1 | grep -o "rejected: '.*' "; done
  rejected: 'lgdt tbyte ptr [rax]' 
  rejected: 'lgdt (%rax)' 
  $ tacho measure -q --hex '31 c9 48 f7 31' --output-syntax att 2>&1 | grep -o "'.*'"
  'divq (%rcx)'
  $ tacho measure --insn 'ADD (R64, R64)' --output-syntax att
  tacho: --insn chooses modes, values and limits itself: --mode, --init, --pages, --max-pages, --timeout, --events, --output-syntax and --also-predict do not apply
  [2]

A number, and what belongs to it.

  $ tacho measure -q --hex '48 0f af c0' --json 2>/dev/null > $TMP/a; grep -c '"cycles": [0-9.nul]*,' $TMP/a; grep -c -e '"status": "ok"' -e '"status": "unstable"' $TMP/a; grep -o '"mode": "[a-z]*"' $TMP/a; grep -o '"schema".*' $TMP/a
  1
  1
  "mode": "unroll"
  "schema": "tacho-measure-1",
  $ tacho measure -q --hex '48 0f af c0' --also-predict -a ICX --format csv > $TMP/a 2>/dev/null; head -1 $TMP/a; sed -n 2p $TMP/a | cut -d, -f 1,8,9,10
  hex,cycles,uncertainty,status,clock,notes,error,mode,arch,predicted,prediction_error,lower_bound
  480fafc0,unroll,ICX,3
  $ tacho measure -q --hex 'd9 fe dd d8' --also-predict -a ZEN5 2>/dev/null | grep -o 'predicted .* for ZEN5\|some instructions.*'
  predicted    at least 0.5 for ZEN5
  some instructions have no figures
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

Batches: rows in order, failures beside, exit status 3; --resume goes on where the file ends, also in the middle of a line, and counts what failed before.
What is said of unstable rows depends on what else runs here: `calmly` leaves it away.

  $ printf '#!/bin/sh\n"$@" 2>$TMP/said; status=$?; grep -v unstable $TMP/said >&2; exit $status\n' > $TMP/calmly; chmod +x $TMP/calmly
  $ printf 'hex,name\n480fafc0,a\nzz,b\n0f05,c\n\n90,d\n' > $TMP/in.csv
  $ $TMP/calmly tacho measure -q --batch $TMP/in.csv > $TMP/out.csv
  tacho: 2 of 4 blocks failed: 2 rejected
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
  $ $TMP/calmly tacho measure -q --batch $TMP/in.csv -o $TMP/out2.csv; head -3 $TMP/out2.csv > $TMP/out3.csv; printf '0f05,,,rej' >> $TMP/out3.csv; cp $TMP/out3.csv $TMP/before.csv
  tacho: 2 of 4 blocks failed: 2 rejected
  $ $TMP/calmly tacho measure -q --batch $TMP/in.csv -o $TMP/out3.csv --resume; cut -d, -f1 $TMP/out3.csv | xargs; head -3 $TMP/before.csv | cmp - $TMP/out3.csv 2>&1 | sed 's/.*EOF on -.*/the first rows are as they were/'
  tacho: 2 of 4 blocks failed: 2 rejected
  hex 480fafc0 zz 0f05 90
  the first rows are as they were
  $ wc -l < $TMP/out3.csv; $TMP/calmly tacho measure -q --batch $TMP/in.csv -o $TMP/out3.csv --resume
  5
  tacho: 2 of 4 blocks failed: 2 rejected
  [3]
  $ cd $TMP; for edit in 's/,rejected,/,rejecte,/' 's/,rejected,/,,/' '3s/,[^,]*$//' '4s/$/,loop/'; do sed "$edit" out3.csv > damaged.csv; tacho measure -q --batch in.csv -o damaged.csv --resume; done
  tacho: --resume: row 2 of damaged.csv is damaged: it has no status, or not as many fields as the first line
  tacho: --resume: row 2 of damaged.csv is damaged: it has no status, or not as many fields as the first line
  tacho: --resume: row 2 of damaged.csv is damaged: it has no status, or not as many fields as the first line
  tacho: --resume: row 3 of damaged.csv is damaged: it has no status, or not as many fields as the first line
  [1]
  $ cd $TMP; printf '90\n' | $TMP/calmly tacho measure -q --batch - -o out3.csv --resume
  tacho: --resume: row 1 of out3.csv is not row 1 of -
  [1]
  $ cd $TMP; $TMP/calmly tacho measure -q --batch in.csv -o out3.csv --resume --also-predict -a SKL
  tacho: --resume: out3.csv was not written with these options: its first line is not 'hex,cycles,uncertainty,status,clock,notes,error,mode,arch,predicted,prediction_error,lower_bound'
  [1]
  $ cd $TMP; printf '\033[31m\n' > junk.csv; for resume in '' --resume; do tacho measure -q --batch junk.csv -o junk.out $resume; done; cut -d, -f1,4,7 junk.out
  tacho: 1 of 1 blocks failed: 1 rejected
  tacho: 1 of 1 blocks failed: 1 rejected
  hex,status,error
  ?[31m,rejected,byte 0x1b at offset 0 is not a hexadecimal digit
  $ $TMP/calmly tacho measure -q --batch nothing.csv
  tacho: nothing.csv: cannot be read: No such file or directory
  [1]
  $ printf '90\n' | $TMP/calmly tacho measure -q --batch - -o /nowhere/x.csv
  tacho: cannot write /nowhere/x.csv: No such file or directory
  [1]
  $ (echo 90; head -c 5000000 /dev/zero | tr '\0' 4; echo; echo 9090) > $TMP/long.csv; $TMP/calmly tacho measure -q --batch $TMP/long.csv > $TMP/out.csv
  tacho: 1 of 3 blocks failed: 1 rejected
  [3]
  $ cut -d, -f 1,4,7 $TMP/out.csv | sed 's/,unstable,.*/,ok,/' | cut -c 1-100
  hex,status,error
  90,ok,
  ,rejected,a line longer than 1 MiB (or a quote that is not closed)
  9090,ok,

Rows that have no usable number are counted, with why and what to do, and the status is 3: of 103 rows 102 were unstable, and it
said "1 of 103 blocks failed", status 0. (These results are made up: there is nothing left to measure.)

  $ cd $TMP; printf '90\n9090\n909090\n0f0b\n' > few.csv
  $ cd $TMP; printf "$(head -1 out2.csv)"'\n90,0.3,0.4,unstable,tsc,noisy,,loop\n9090,0.6,0.4,unstable,tsc,noisy,,loop\n909090,0.75,0,ok,tsc,,,loop\n0f0b,,,crashed,tsc,,why,loop\n' > made.csv; tacho measure -q --batch few.csv -o made.csv --resume
  tacho: 1 of 4 blocks failed: 1 crashed
  tacho: 2 of 4 blocks are unstable: their passes disagree, as other work or a changing clock disturbs them; 'tacho eval' leaves them out; 'tacho doctor' says what disturbs; to measure them again, take their rows out of made.csv, then --resume
  [3]
  $ cd $TMP; sed -i s/unstable/ok/ made.csv; tacho measure -q --batch few.csv -o made.csv --resume
  tacho: 1 of 4 blocks failed: 1 crashed
  [3]
  $ cd $TMP; sed -i '/crashed/d; s/ok/unstable/' made.csv; sed -i 4d few.csv; tacho measure -q --batch few.csv -o made.csv --resume; tacho eval --measured made.csv --model tacho -a SKL
  tacho: 3 of 3 blocks are unstable: their passes disagree, as other work or a changing clock disturbs them; 'tacho eval' leaves them out; 'tacho doctor' says what disturbs; to measure them again, take their rows out of made.csv, then --resume
  tacho: made.csv: no row is left to compare with: status unstable (3)
  tacho: unstable: passes disagreed; measure these rows again on a quieter machine ('tacho doctor' says what disturbs), or take their medians as they are with --only status=unstable
  [1]

What a process hands on does not matter: signals that it has blocked, few descriptors.

  $ env --block-signal=SEGV tacho measure -q --hex 488b03 --format csv 2>/dev/null | cut -d, -f4 | grep -c -e ok -e unstable
  1
  $ sh -c 'ulimit -n 10; exec tacho measure -q --hex 4801d8 --format csv' 2>/dev/null | cut -d, -f4 | grep -c -e ok -e unstable
  1
  $ ulimit -n 6; tacho measure -q --hex 4801d8
  tacho: no memory file for the sandbox (memfd_create): Too many open files (ulimit -n) ('tacho doctor' says what this machine lacks)
  [1]

A block that writes to where the runner had its results ends nothing but itself (one that said that a system call had
failed; one that jumped into the runner by its return address); nor does one that says how it ended.

  $ cd $TMP; printf '4801d8\n48b8a40f0010f06f0000c70001000000c7400426000000\n48b888000010f06f000048bb00100000f06f0000488918\n4801c8\n' > hostile.csv
  $ cd $TMP; $TMP/calmly tacho measure -q --quick --batch hostile.csv 2>&1 | cut -d, -f1,4 | sed 's/,unstable/,ok/'
  hex,status
  4801d8,ok
  48b8a40f0010f06f0000c70001000000c7400426000000,crashed
  48b888000010f06f000048bb00100000f06f0000488918,crashed
  4801c8,ok
  tacho: 2 of 4 blocks failed: 2 crashed

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
  $ tacho measure --hex 90 --pages 17
  tacho: --pages is a whole number from 1 to 16, not '17'
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
  tacho: this process may not use CPU 4095, or there is none ('taskset -p $$' shows which it may)
  [2]
  $ tacho measure --hex 9
  tacho: --hex: a digit without its second half at offset 1; each byte is two digits
  [1]
  $ tacho measure --hex 06
  tacho: --hex: offset 0x0: rejected: not a valid instruction in 64-bit mode
  [1]

Input with branches: its innermost loops.

  $ printf 'f: xor %%eax, %%eax\n1: add (%%rdi), %%rax\nadd $8, %%rdi\ndec %%rsi\njne 1b\n2: imul %%rax, %%rax\ndec %%rdx\njne 2b\nret\n' > $TMP/loops.s; cd $TMP; ./calmly tacho measure -q --format csv loops.s | cut -d, -f1
  tacho: note: loops.s holds several blocks: its innermost loops are measured, as with --loops (--loop N: one of them; --straight: all as one block)
  hex
  480fafc048ffca75f7
  4803074883c70848ffce75f4
  $ cd $TMP; ./calmly tacho measure -q --loop 1 --json loops.s | grep -e '"region"' -e '"hex"' -e '"mode"'
    "region": "f+0x2",
    "hex": "4803074883c70848ffce75f4",
    "mode": "loop",
  $ cd $TMP; ./calmly tacho measure -q --top 1 --format csv loops.s | cut -d, -f1
  tacho: note: loops.s holds several blocks: its innermost loops are measured, as with --loops (--loop N: one of them; --straight: all as one block)
  tacho: note: 1 of 2 loops are measured; --top N or --top all: more of them
  hex
  480fafc048ffca75f7
  $ cd $TMP; tacho measure --straight loops.s
  tacho: loops.s: offset 0x17: rejected: 'ret' is a return: not run
  [1]
  $ cd $TMP; tacho measure --loop 2 loops.s
  tacho: loops.s has no loop 2: it has 2, numbered from 0
  [1]
  $ cd $TMP; tacho measure --loops --mode loop loops.s
  tacho: --loops does not go with --mode: it measures loops
  [2]
  $ printf '1: test %%rcx, %%rcx\nje 2f\ninc %%rax\njmp 3f\n2: inc %%rbp\n3: dec %%rdx\njne 1b\nret\n' > $TMP/arms.s; cd $TMP; tacho measure -q arms.s
  tacho: note: arms.s holds several blocks: its innermost loop is measured, as with --loops (--straight: all as one block)
  tacho: arms.s: 0x0: rejected: its path leaves out code that lies between, so it cannot run alone
  [1]

Loops over arrays of their own.

  $ tacho measure -q bench/streams/copy_sse.s --footprint 64K --huge-pages --format csv | cut -d, -f1,2
  footprint_bytes,iterations
  65536,1024
  $ tacho measure -q bench/streams/copy_sse.s --footprint 64K --json | grep -e schema -e '"bytes"' -e '"iterations"'
    "schema": "tacho-footprint-1",
    "bytes": 64.0,
        "bytes": 65536,
        "iterations": 1024,
  $ tacho measure -q bench/streams/copy_sse.s --footprint much
  tacho: --footprint is a size such as 512K or 64M, or curve, not 'much'
  [2]
  $ tacho measure -q bench/streams/copy_sse.s --footprint 1K
  tacho: bench/streams/copy_sse.s: rejected: a footprint of 1024 bytes is too little to measure: 250 iterations walk through 16000 bytes
  [1]
  $ tacho measure -q --hex 4801c0 --footprint 64K
  tacho: --hex: rejected: the loop walks through no array: no address moves by as many bytes in each iteration
  [1]
  $ tacho measure -q bench/streams/copy_sse.s --footprint 64K --svg x.svg
  tacho: --svg draws a curve: --footprint curve
  [2]
