All loops of what a compiler wrote, in a table; source lines by its debug information.

  $ tacho predict --loops examples/loops.s -a SKL --top 0
  3 innermost loops in 3 functions (96 instructions) of examples/loops.s, hottest-looking first
  Cycles per iteration on SKL along the likeliest path; instructions on it, with vector
  registers, with memory
  
     #  function                cycles insns vec mem  where          remarks
     0  matrix_add_product+0x30    1.5     6   3   3  loops.c:10     limit: issue, load and store
                                                                     ports
     1  count_words+0x10             2    10   0   1  loops.c:21-24  4 of 6 blocks, limit: DSB, port
                                                                     p6
     2  sum_of_positive+0x20      1.42     7   0   1  loops.c:35-38  2 of 3 blocks, nearest limit:
                                                                     issue at 1.25
  
  warning: the sections ask for an alignment of less than 64 bytes, so the linker decides where in a
           64-byte block a loop lies; sections are assumed to begin at a multiple of 64 (--alignment
           changes that)

A full report says where the loop is, which way is assumed and why.

  $ tacho predict --loops examples/loops.s -a SKL --symbol sum_of_positive | sed -n '/^\[0\]/,/^bottleneck/p'
  [0] sum_of_positive+0x20
  loop         0xf0-0x124 in .text, not nested; 3 blocks
  source       ./loops.c:35-38
  text         lines 169-180 of the assembly
  path         0xf0-0x105
  left out     0x118-0x124
  assumed      branch at 0xf7 not taken: the other way has more calls
               branch at 0x103 taken: the other way leaves the loop
  
  1.42 cycles per iteration on SKL, Skylake (client)
  
  bottleneck   no single limit: several components interact; the nearest is issue at 1.25
  $ tacho predict --loops examples/loops.s -a SKL --symbol sum_of_positive | grep -A1 '^warning'
  warning: the sections ask for an alignment of less than 64 bytes, so the linker decides where in a
           64-byte block a loop lies; sections are assumed to begin at a multiple of 64 (--alignment
  --
  warning: the loop has 3 blocks; the prediction follows one likely path, through 2 of them, in every
           iteration; iterations that go through the other one take a different time
  warning: blocks that were left out contain calls

Several microarchitectures make columns.

  $ tacho predict --loops examples/loops.s -a SKL,ICX | sed -n '/^#/,/^$/p'
  #  function                  SKL   ICX  where          remarks
  0  matrix_add_product+0x30   1.5  1.33  loops.c:10
  1  count_words+0x10            2     2  loops.c:21-24  4 of 6 blocks
  2  sum_of_positive+0x20     1.42  1.44  loops.c:35-38  2 of 3 blocks
  

The object file that it assembles to gives the same loops; so does the file without symbols and debug information.

  $ as -o $TMP/l.o examples/loops.s; cd $TMP; tacho predict --loops l.o -a SKL --top 0 | sed -n 5,11p
     #  function                cycles insns vec mem  where          remarks
     0  matrix_add_product+0x30    1.5     6   3   3  loops.c:10     limit: issue, load and store
                                                                     ports
     1  count_words+0x10             2    10   0   1  loops.c:21-24  4 of 6 blocks, limit: DSB, port
                                                                     p6
     2  sum_of_positive+0x20      1.42     7   0   1  loops.c:35-38  2 of 3 blocks, nearest limit:
                                                                     issue at 1.25
  $ cd $TMP; strip -o s.o l.o; tacho predict --loops s.o -a SKL --top 0 | sed -n 5,11p
     #  function cycles insns vec mem depth  where       remarks
     0  0x30        1.5     6   3   3     3  0x30-0x4c   limit: issue, load and store ports
     1  0x90          2    10   0   1     1  0x90-0xbe   4 of 6 blocks, limit: DSB, port p6
     2  0xf0       1.42     7   0   1     1  0xf0-0x124  2 of 3 blocks, nearest limit: issue at 1.25
  
  warning: the sections ask for an alignment of less than 64 bytes, so the linker decides where in a
           64-byte block a loop lies; sections are assumed to begin at a multiple of 64 (--alignment

Without debug information, lines are those of the text. Functions may be none.

  $ printf 'f: xor eax, eax\nl: inc eax\ncmp eax, 100\njl l\nret\n' | tacho predict --loops --syntax intel -a SKL --top 0 - | sed -n '1p;5p'
  1 innermost loop in 1 function (5 instructions) of standard input
     #  function cycles insns vec mem depth  where      remarks

JSON is a list, with the loop's own fields beside those of a prediction.

  $ tacho predict --loops examples/loops.s -a SKL --symbol count_words --json | grep -A45 '"loop":' | tr -d ' \n'; echo
  "loop":0,"heat":10.5,"function":"count_words","function_address":128,"section":".text","start":144,"end":190,"depth":1,"source_file":"./loops.c","source_first_line":21,"source_last_line":24,"first_line":87,"last_line":106,"blocks":[{"start":144,"end":148,"on_path":true},{"start":148,"end":156,"on_path":false},{"start":156,"end":168,"on_path":true},{"start":168,"end":172,"on_path":true},{"start":172,"end":176,"on_path":true},{"start":176,"end":190,"on_path":false}],"path":[
  $ tacho predict --loops examples/loops.s -a SKL --symbol count_words --json | grep -E '^  "(schema|cycles|mode|arch)"'
    "schema": "tacho-predict-1",
    "arch": "SKL",
    "cycles": 2.0,
    "mode": "loop",
  $ tacho predict --loops examples/loops.s -a SKL,ICX --json | grep -c '"schema"'
  6
  $ tacho predict --loops examples/loops.s -a SKL --json --top 1 | grep -c '"critical_latency"'
  6
  $ echo nop | tacho predict --loops -a SKL --json -
  []

CSV has a row for each loop.

  $ tacho predict --loops examples/loops.s -a SKL --format csv 2>/dev/null
  hex,cycles,cycles_exact,arch,source,bottlenecks,loop,heat,function,section,start,end,depth,source_file,source_first_line,source_last_line,first_line,last_line,blocks,path_blocks,flags,unknown,lower_bound,error
  c5fc100401c4e275a80402c5fc1104024883c020483d0004000075e4,1.5,3/2,SKL,DSB,issue;ports,0,30.5,matrix_add_product,.text,0x30,0x4c,3,./loops.c,10,10,41,46,1,1,,0,false,
  85d275080fb647014883c70184c074163c2074043c0a75e0,2,2,SKL,DSB,dsb;ports,1,10.5,count_words,.text,0x90,0xbe,1,./loops.c,21,24,87,106,6,4,,0,false,
  49637c9d0085ff781f4883c3014801fd4939dc75eb,1.420118,,SKL,DSB,,2,8.714,sum_of_positive,.text,0xf0,0x124,1,./loops.c,35,38,169,180,3,2,calls_elsewhere,0,false,

No loops are no error.

  $ echo nop | tacho predict --loops -a SKL -
  no innermost loops in 1 function (1 instruction) of standard input

Addresses decide the alignment, unless it is given: here a pair that is fused touches a 32-byte boundary.

  $ printf '.skip 27, 0x90\nl: dec r15\njnz l\nret\n' > $TMP/a.s; tacho predict --loops $TMP/a.s --syntax intel -a SKL --format csv 2>/dev/null | cut -d, -f2-5
  cycles,cycles_exact,arch,source
  1,1,SKL,MITE
  $ tacho predict --loops $TMP/a.s --syntax intel -a SKL --format csv --alignment 0 2>/dev/null | cut -d, -f2-5
  cycles,cycles_exact,arch,source
  1,1,SKL,DSB

Linked files have addresses: the same loop takes the same cycles, however it is asked for. Other inputs have none yet; it is said where that matters, and only there.

  $ cd $TMP; printf '.p2align 6\n.skip 29, 0x90\n.globl f\nf: dec %%rax\njnz f\n.globl g\ng: ret\n' | as -o a.o - && ld -shared -o a.so a.o; at=0x$(nm a.so | sed -n 's/ T f//p') to=0x$(nm a.so | sed -n 's/ T g//p'); for how in "--range $at:$to" '--symbol f' '--loops --symbol f'; do tacho predict a.so -a SKL $how --format csv | grep -o '^48ffc875fb,[^,]*'; done
  48ffc875fb,2
  48ffc875fb,2
  48ffc875fb,2
  $ cd $TMP; tacho predict a.so -a SKL --symbol f --json | grep -E '"cycles":|linker'
    "cycles": 2.0,
      "cycles": 1.0
        "cycles": 1.0,
        "cycles": 2.0,
        "cycles": 2.0,
        "cycles": 2.0,
        "cycles": 2.0,
        "cycles": 2.0,
        "cycles": 2.0,
  $ cd $TMP; tacho predict a.so -a SKL --symbol f --alignment 0 --format csv | cut -d, -f2 | tail -1
  1
  $ cd $TMP; tacho predict a.o -a SKL --symbol f --format csv | cut -d, -f2 | tail -1
  2
  $ printf '.skip 29\n# LLVM-MCA-BEGIN\nl: dec %%rax\njnz l\n# LLVM-MCA-END\n' | tacho predict - -a SKL | sed -n -e 1p -e '/^warning/,$p'
  2 cycles per iteration on SKL, Skylake (client)
  warning: the linker decides where in a block of 64 bytes the code will lie; offset 29 is assumed
           here, other offsets take from 1 to 2 cycles (--alignment all shows each)
  $ printf 'l: dec %%rax\njnz l\n' | tacho predict - -a SKL | sed -n -e 1p -e '/^warning/,$p'
  1 cycle per iteration on SKL, Skylake (client)
  warning: the linker decides where in a block of 64 bytes the code will lie; offset 0 is assumed
           here, other offsets take from 1 to 2 cycles (--alignment all shows each)
  $ printf 'l: dec %%rax\njnz l\n' | tacho predict - -a SKL --json | grep linker
      "the linker decides where in a block of 64 bytes the code will lie; offset 0 is assumed here, other offsets take from 1 to 2 cycles (--alignment all shows each)"
  $ printf 'l: imul %%rax, %%rax; dec %%rax\njnz l\n' | tacho predict - -a SKL | sed -n -e 1p -e '/^warning/,$p'
  4 cycles per iteration on SKL, Skylake (client)
  $ tacho predict --hex 48ffc875fb -a SKL | sed -n -e 1p -e '/^warning/,$p'
  1 cycle per iteration on SKL, Skylake (client)
  $ printf 'l: dec %%rax\njnz l\n' | tacho predict - -a SKL --alignment 0 | sed -n -e 1p -e '/^warning/,$p'
  1 cycle per iteration on SKL, Skylake (client)

A loop that cannot be predicted is one of several failures, or all of them.

  $ printf 'l: gf2p8mulb xmm0, xmm1\ndec r15\njnz l\nm: dec r14\njnz m\nret\n' > $TMP/u.s; cd $TMP; tacho predict --loops u.s --syntax intel -a SKL --ignore-isa --unknown error --top 0 | sed -n '4,$p' | grep -v warning
  tacho: u.s: l+0x0 on SKL: offset 0x0 of the path: the SKL table has no figures for 'gf2p8mulb xmm0, xmm1'
  tacho: 1 of 2 predictions failed
  
     #  function cycles insns vec mem depth  where      remarks
     0  l+0x0         -     3   1   0     1  lines 1-3  not predicted
     1  l+0xa         1     2   0   0     1  lines 4-5  limit: DSB, port p6, dependencies
  
           64-byte block a loop lies; sections are assumed to begin at a multiple of 64 (--alignment
           changes that)
  $ cd $TMP; tacho predict --loops u.s --syntax intel -a SKL --ignore-isa --unknown error --format csv >out 2>err; echo $?; cut -d, -f1,2 out; grep -o 'offset 0x0 of the path.*' out; grep -v note: err
  3
  hex,cycles
  660f38cfc149ffcf75f6,
  49ffce75fb,1
  offset 0x0 of the path: the SKL table has no figures for 'gf2p8mulb xmm0, xmm1'"
  tacho: u.s: l+0x0 on SKL: offset 0x0 of the path: the SKL table has no figures for 'gf2p8mulb xmm0, xmm1'
  tacho: 1 of 2 predictions failed
  $ cd $TMP; tacho predict --loops u.s --syntax intel -a SKL --ignore-isa --unknown error --range 0:10 --format csv >out 2>err
  [1]

Calls, jumps through tables, code that is entered twice: said so.

  $ printf '.globl f\n.type f,@function\nf: nop\n1: call g\ndec ecx\njne 1b\ntest al,al\nje 2f\n3: inc eax\n2: dec ecx\njne 3b\nret\n' | tacho predict --loops --syntax intel -a SKL - | grep -E '^ +[01] .* f|^warning: .*(call|irreducible)'
     0  f+0xe         1     3   0   0     1  lines 9-11  irreducible, limit: DSB, port p6,
     1  f+0x1         1     3   0   1     1  lines 4-6   calls g, limit: DSB, ports p0, p6,
  warning: the loop can be entered at more than one place (it is irreducible), so where an iteration
  warning: 1 call on the path, the first one to g: the time of the called code comes on top, and which

Stripped files: .eh_frame still tells functions apart that a branch joins, and stubs tell whom they call.

  $ cd $TMP; printf '.globl f,g\nf: .cfi_startproc\n1: call ext@plt\ndec %%ecx\njne 1b\njmp g@plt\n.cfi_endproc\nh: .cfi_startproc\ntest %%al,%%al\nje i\nret\n.cfi_endproc\ni: .cfi_startproc\n2: dec %%ecx\njne 2b\nret\n.cfi_endproc\ng: ret\n' | as -o p.o - && ld -shared -o p.so p.o && strip p.so && tacho predict --loops p.so -a SKL --section .text --top 0 | sed -n '1p;4,$p' | sed 's/0x[0-9a-f]*/ADDRESS/g'
  2 innermost loops in 4 functions (11 instructions) of p.so, hottest-looking first
  
     #  function cycles insns vec mem depth  where          remarks
     0  ADDRESS        1     2   0   0     1  ADDRESS-ADDRESS  limit: DSB, port p6, dependencies
     1  f+ADDRESS         1     3   0   1     1  ADDRESS-ADDRESS  calls ext, limit: DSB, ports p0, p6,
                                                            dependencies

What does not go together.

  $ tacho predict --loops --batch x
  tacho: --loops does not go with --batch
  [2]
  $ tacho predict --loops examples/loops.s --mode unroll
  tacho: --loops does not go with --mode: it predicts loops
  [2]
  $ tacho predict --straight --top 3 examples/loops.s
  tacho: --top goes with --loops
  [2]
  $ tacho predict --loops examples/loops.s --top few
  tacho: --top is a whole number from 0 to 4294967295, or all, not 'few'
  [2]
  $ tacho predict --loops examples/loops.s --symbol count_word -a SKL
  tacho: examples/loops.s: no symbol 'count_word'; did you mean count_words?
  [1]
  $ cd $TMP; head -c 100 l.o > cut.o; tacho predict --loops cut.o -a SKL
  tacho: cut.o: an ELF file without code (no sections or segments to be executed, or truncated)
  [1]
  $ tacho predict --loops --hex '31c0 ffc0 83f809 7cf9' --symbol f -a SKL
  tacho: --hex: machine code alone has no symbols or sections
  [2]
  $ tacho predict --loops --hex '31c0 ffc0 83f809 7cf9' -a SKL --top 0 | sed -n '1p;5p'
  1 innermost loop in 1 function (4 instructions) of --hex
     #  function cycles insns vec mem depth  where    remarks

Names in a file cannot move a terminal's cursor: what is no character is a blank.

  $ printf '.globl "a\033b"\n.type "a\033b",@function\n"a\033b":\n1: dec %%ecx\n jnz 1b\n ret\n.size "a\033b",.-"a\033b"\n' > $TMP/escape.s; as $TMP/escape.s -o $TMP/escape.o
  $ cd $TMP; tacho predict --loops escape.o -a SKL | grep '^ *.0. ' ; tacho predict --loops escape.o -a SKL | LC_ALL=C grep -c "$(printf '\033')"
     0  a b+0x0       1     2   0   0     1  0x0-0x4  limit: DSB, port p6, dependencies
  [0] a b+0x0
     0  dec ecx       1  rcx, next iteration
     0  dec ecx       1 0.25   1   1    1  1    1  M*
  0
  [1]
  $ cd $TMP; printf '# LLVM-MCA-BEGIN a\033b\nnop\n# LLVM-MCA-END\n# LLVM-MCA-BEGIN c\nnop\n# LLVM-MCA-END\n' > names.s; tacho predict --list-regions names.s; for c in "predict -a SKL" "predict -a SKL,ICX" deps; do tacho $c names.s | LC_ALL=C grep -c "$(printf '\033')"; done
     0  a b                       line 1, 1 byte
     1  c                         line 4, 1 byte
  0
  0
  0
  [1]

How many reports there are can be said where loops are what is found anyway.

  $ tacho predict examples/loops.s -a SKL --top 1 2>/dev/null | grep '^\['
  [0] matrix_add_product+0x30

Debug information is read with elfutils' libdw. Where it is missing, this says so.

  $ cd $TMP; mkdir -p none; echo >none/libdw.so.1; printf 'l: dec %%eax\njnz l\n' | as -o d.o -; LD_LIBRARY_PATH=$TMP/none:$LD_LIBRARY_PATH tacho predict --loops d.o -a SKL
  tacho: d.o: debug information needs elfutils' libdw (libdw.so.1), which is not installed
  [1]
