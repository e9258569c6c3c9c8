Blocks end before branches, calls, returns and system calls, and before what something leads to. Data in .text is not
taken, nor is padding; addresses of object files are offsets.

  $ cd $TMP; printf '.globl f,g\n.type f,@function\nf: xor %%eax,%%eax\nl: inc %%eax\ncmp $9,%%eax\njl l\ncall g\nmov $60,%%eax\nsyscall\nret\n.size f,.-f\n.ascii "no code at all"\n.p2align 4\n.type g,@function\ng: lea 1(%%rdi),%%rax\nret\n.size g,.-g\n' > a.s; as -o a.o a.s; tacho extract a.o
  tacho: note: a.o: 53 bytes of code in sections, 2 functions known; 27 (50.9 %) reached; 26 (49.1 %) in no function: data or unknown code
  tacho: note: 4 blocks
  hex,app,address,count,object
  31c0,a.o,0x0,,a.o
  ffc083f809,a.o,0x2,,a.o
  b83c000000,a.o,0xe,,a.o
  488d4701,a.o,0x30,,a.o
  $ cd $TMP; tacho extract -q --with-branch a.o
  hex,app,address,count,object
  31c0,a.o,0x0,,a.o
  ffc083f8097cf9,a.o,0x2,,a.o
  b83c000000,a.o,0xe,,a.o
  488d4701c3,a.o,0x30,,a.o
  $ cd $TMP; tacho extract --min-insns 2 --app me a.o
  tacho: note: a.o: 53 bytes of code in sections, 2 functions known; 27 (50.9 %) reached; 26 (49.1 %) in no function: data or unknown code
  tacho: note: 1 block
  tacho: note: 3 blocks were shorter or longer than asked for
  hex,app,address,count,object
  ffc083f809,me,0x2,,a.o
  $ cd $TMP; tacho extract -q --max-insns 1 a.o
  hex,app,address,count,object
  31c0,a.o,0x0,,a.o
  b83c000000,a.o,0xe,,a.o
  488d4701,a.o,0x30,,a.o

Sections other than .text are named; the same code twice is one row with --unique, with all applications.

  $ cd $TMP; printf '.section .text.b,"ax"\n.type h,@function\nh: inc %%eax\nret\n.size h,.-h\n.type i,@function\ni: inc %%eax\nret\n.size i,.-i\n' > b.s; as -o b.o b.s; tacho extract -q b.o
  hex,app,address,count,object
  ffc0,b.o,0x0,,b.o(.text.b)
  ffc0,b.o,0x3,,b.o(.text.b)
  $ cd $TMP; tacho extract -q --unique b.o; cp b.o c.o; tacho extract -q -u b.o c.o
  hex,app,address,count,object
  ffc0,b.o,0x0,,b.o(.text.b)
  hex,app,address,count,object
  ffc0,b.o;c.o,0x0,,b.o(.text.b)

Jumps into the middle of other functions lead there; a jump table leads to its cases.

  $ cd $TMP; printf '.type f,@function\nf: nop\ncmp $2,%%edi\nja o\nlea t(%%rip),%%rdx\nmovslq (%%rdx,%%rdi,4),%%rax\nadd %%rdx,%%rax\njmp *%%rax\nc0: mov $10,%%eax\nret\nc1: mov $11,%%eax\nnop\nret\nc2: mov $12,%%eax\nret\nmov $13,%%eax\nret\n.size f,.-f\n.type c,@function\nc: inc %%eax\njmp c1+5\no: dec %%eax\n ret\n.size c,.-c\n.section .rodata\nt: .long c0-t,c1-t,c2-t\n' > t.s; as -o t.o t.s; tacho extract t.o
  tacho: note: t.o: 54 bytes of code in sections, 2 functions known; 48 (88.9 %) reached; 6 (11.1 %) in functions, where nothing known leads
  tacho: note: 8 blocks
  hex,app,address,count,object
  9083ff02,t.o,0x0,,t.o
  488d1500000000486304ba4801d0,t.o,0x6,,t.o
  b80a000000,t.o,0x16,,t.o
  b80b000000,t.o,0x1c,,t.o
  90,t.o,0x21,,t.o
  b80c000000,t.o,0x23,,t.o
  ffc0,t.o,0x2f,,t.o
  ffc8,t.o,0x33,,t.o

A table whose length nothing tells ends where something else begins that code refers to: here, what follows would lead into
the middle of an instruction.

  $ cd $TMP; printf '.type f,@function\nf: lea t(%%rip),%%rdx\nmovslq (%%rdx,%%rdi,4),%%rax\nadd %%rdx,%%rax\njmp *%%rax\nc0: mov $0x90909010,%%eax\nret\nc1: mov $11,%%eax\nret\nc2: mov $12,%%eax\nret\n.size f,.-f\n.type g,@function\ng: lea u(%%rip),%%rsi\nret\n.size g,.-g\n.section .rodata\nt: .long c0-t,c1-t\nu: .long c0+2-t,c2-t\n' > m.s; as -o m.o m.s; ld -shared -o m.so m.o; tacho extract m.so | cut -d, -f1 | sed 's,^\(488d..\)........,\1,'
  tacho: note: m.so: 42 bytes of code in sections, 2 functions known; 36 (85.7 %) reached; 6 (14.3 %) in functions, where nothing known leads; 1 indirect jump with unknown targets
  tacho: note: 4 blocks
  hex
  488d15486304ba4801d0
  b810909090
  b80b000000
  488d35
  $ cd $TMP; tacho extract -q m.o | cut -d, -f1 | sed 's,^\(488d..\)........,\1,'
  hex
  488d15486304ba4801d0
  488d35

Stubs that lead to functions of other files, until these are looked up, are entered by pointers.

  $ cd $TMP; printf '.globl f\n.type f,@function\nf: call g@plt\nret\n.size f,.-f\n' | as -o p.o - && ld -shared -z lazy -o p.so p.o && tacho extract -q p.so | cut -d, -f1 | grep -v '^ff35'
  hex
  6800000000

Stripped: .eh_frame keeps the functions, .init_array what the dynamic linker calls, the tables of exceptions where these are handled; the
rest is found by calls.

  $ cd $TMP; printf '.globl f\n.type f,@function\nf: .cfi_startproc\n.cfi_personality 0x9b,p\n.cfi_lsda 0x1b,lsda\nb: call k\ne: ret\npad: mov $7,%%eax\nret\n.cfi_endproc\n.size f,.-f\n.type k,@function\nk: mov $3,%%eax\nret\n.size k,.-k\n.type n,@function\nn: mov $4,%%eax\nret\n.size n,.-n\n.type q,@function\nq: .cfi_startproc\nmov $5,%%eax\nret\n.cfi_endproc\n.size q,.-q\n.type u,@function\nu: mov $6,%%eax\nret\n.size u,.-u\n.section .init_array,"aw",@init_array\n.quad n\n.section .gcc_except_table,"a"\nlsda: .byte 255,255,1\n.uleb128 y-x\nx: .uleb128 b-f,e-b,pad-f,0\ny:\n.data\np: .quad 0\n' > s.s; as -o s.o s.s; ld -shared -o s.so s.o; tacho extract s.so | sed 's/0x[0-9a-f]*/ADDRESS/'
  tacho: note: s.so: 36 bytes of code in sections, 5 functions known; 36 (100.0 %) reached
  tacho: note: 5 blocks
  hex,app,address,count,object
  b807000000,s.so,ADDRESS,,s.so
  b803000000,s.so,ADDRESS,,s.so
  b804000000,s.so,ADDRESS,,s.so
  b805000000,s.so,ADDRESS,,s.so
  b806000000,s.so,ADDRESS,,s.so
  $ cd $TMP; strip s.so; tacho extract s.so | sed 's/0x[0-9a-f]*/ADDRESS/'
  tacho: note: s.so: 36 bytes of code in sections, 2 functions known; 30 (83.3 %) reached; 6 (16.7 %) in no function: data or unknown code
  tacho: note: 4 blocks
  hex,app,address,count,object
  b807000000,s.so,ADDRESS,,s.so
  b803000000,s.so,ADDRESS,,s.so
  b804000000,s.so,ADDRESS,,s.so
  b805000000,s.so,ADDRESS,,s.so

What cannot be read. One of several files is enough for a result.

  $ cd $TMP; head -c 100 a.o > cut.o; tacho extract cut.o
  tacho: cut.o: an ELF file without code (no sections or segments to be executed, or truncated)
  [1]
  $ cd $TMP; head -c 60 a.o > cut.o; tacho extract cut.o
  tacho: cut.o: a damaged or truncated ELF file: invalid ELF file data
  [1]
  $ tacho extract /dev/null
  tacho: /dev/null: not an ELF file; blocks are found in executables, shared libraries and object files
  [1]
  $ cd $TMP; tacho extract a.s
  tacho: a.s: not an ELF file; blocks are found in executables, shared libraries and object files
  [1]
  $ cd $TMP; tacho extract missing.o
  tacho: missing.o: cannot be read: No such file or directory
  [1]
  $ cd $TMP; tacho extract -q missing.o b.o
  tacho: missing.o: cannot be read: No such file or directory
  tacho: 1 of 2 files could not be analysed
  hex,app,address,count,object
  ffc0,b.o,0x0,,b.o(.text.b)
  ffc0,b.o,0x3,,b.o(.text.b)
  [3]
  $ cd $TMP; tacho extract -q -o /dev/full a.o
  tacho: cannot write /dev/full: No space left on device
  [1]
  $ cd $TMP; tacho extract -q -o nowhere/a.csv a.o
  tacho: cannot write nowhere/a.csv: No such file or directory
  [1]

Standard input is a file, too; what comes out goes on into others.

  $ cd $TMP; tacho extract -q - < b.o
  hex,app,address,count,object
  ffc0,stdin,0x0,,stdin(.text.b)
  ffc0,stdin,0x3,,stdin(.text.b)
  $ cd $TMP; tacho extract -q a.o | tacho predict --bounds-only --batch - -a SKL | cut -d, -f1,2
  hex,cycles
  31c0,0.25
  ffc083f809,1
  b83c000000,0.3125
  488d4701,0.5

Wrong usage.

  $ tacho extract
  tacho: nothing to extract from: a file, or -- and a command
  [2]
  $ tacho extract --app 'a;b' x
  tacho: --app is a name without ';', which joins several, not 'a;b'
  [2]
  $ tacho extract --min-insns 3 --max-insns 2 x
  tacho: --max-insns 2 is less than --min-insns 3
  [2]
  $ tacho extract --min-insns 0 x
  tacho: --min-insns is a whole number from 1 to 4294967295, not '0'
  [2]
