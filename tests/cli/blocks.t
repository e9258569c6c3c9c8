A compiler's whole file, or a function with branches: its innermost loops, and a line that says so.

  $ tacho predict tests/cli/whole.s -a SKL | grep -E 'several|^ +[#0-9].*scale|^ +[#0-9].*sum|^\[|^[0-9.]+ cycle'
  tests/cli/whole.s holds several blocks: its innermost loops are predicted, as with --loops (--loop N: one of them; --straight: all as one block)
     0  scale+0x10   1.25     6   3   2     1  lines 13-18  limit: issue
     1  sum+0x10        4     4   1   1     1  lines 31-34  limit: dependencies
           64-byte block a loop lies; sections are assumed to begin at a multiple of 64 (--alignment
  [0] scale+0x10
  1.25 cycles per iteration (exactly 5/4) on SKL, Skylake (client)
  [1] sum+0x10
  4 cycles per iteration on SKL, Skylake (client)
  to move it   a shorter chain, or several independent ones (more accumulators)
  $ tacho predict tests/cli/whole.s -a SKL --symbol sum | sed -n '1,/^bottleneck/p'
  tests/cli/whole.s holds several blocks: its innermost loop is predicted, as with --loops (--straight: all as one block)
  
  [0] sum+0x10
  loop         0x40-0x4d in .text, not nested; 1 block
  text         lines 31-34 of the assembly
  
  4 cycles per iteration on SKL, Skylake (client)
  
  bottleneck   dependencies: the dependency through xmm0 (instruction 0)
  $ tacho predict - -a SKL --format csv < tests/cli/whole.s
  tacho: note: standard input holds several blocks: its innermost loops are predicted, as with --loops (--loop N: one of them; --straight: all as one block)
  tacho: note: the sections ask for an alignment of less than 64 bytes, so the linker decides where in a 64-byte block a loop lies; sections are assumed to begin at a multiple of 64 (--alignment changes that)
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,region,unknown,lower_bound,error
  f30f100ff30f59c8f30f110f4883c7044839c775eb,1.25,5/4,loop,SKL,DSB,issue,scale+0x10,0,false,
  f20f58074883c70883ee0175f3,4,4,loop,SKL,DSB,dependencies,sum+0x10,0,false,
  $ tacho predict tests/cli/whole.s -a SKL --json | grep -E '^[][{}]|^  "(region|cycles|function|loop)"|several'
  [
  {
    "region": "scale+0x10",
    "cycles": 1.25,
      "tests/cli/whole.s holds several blocks: its innermost loops are predicted, as with --loops (--loop N: one of them; --straight: all as one block)",
    "loop": 0,
    "function": "scale",
  },
  {
    "region": "sum+0x10",
    "cycles": 4.0,
      "tests/cli/whole.s holds several blocks: its innermost loops are predicted, as with --loops (--loop N: one of them; --straight: all as one block)",
    "loop": 1,
    "function": "sum",
  }
  ]
  $ tacho predict tests/cli/whole.s -a SKL --symbol sum --json | grep -E '^[][{}]|^  "(region|cycles|function|loop)"|several'
  {
    "region": "sum+0x10",
    "cycles": 4.0,
      "tests/cli/whole.s holds several blocks: its innermost loop is predicted, as with --loops (--straight: all as one block)",
    "loop": 0,
    "function": "sum",
  }
  $ tacho predict tests/cli/whole.s -a SKL,ICX --symbol sum | sed -n '1,6p'
  tests/cli/whole.s holds several blocks: its innermost loop is predicted, as with --loops (--straight: all as one block)
  
  1 innermost loop in 1 function (9 instructions) of tests/cli/whole.s
  Cycles per iteration along the likeliest path
  
  #  function  SKL  ICX  where        remarks

An executable and one of its functions alike.

  $ as -o $TMP/w.o tests/cli/whole.s && ld -shared -o $TMP/w.so $TMP/w.o; cd $TMP; for what in w.o w.so 'w.so --symbol sum' 'w.o --symbol scale'; do tacho predict $what -a SKL --format csv 2>/dev/null | cut -d, -f1-4,8; done
  hex,cycles,cycles_exact,mode,region
  f30f100ff30f59c8f30f110f4883c7044839c775eb,1.25,5/4,loop,scale+0x10
  f20f58074883c70883ee0175f3,4,4,loop,sum+0x10
  hex,cycles,cycles_exact,mode,region
  f30f100ff30f59c8f30f110f4883c7044839c775eb,1.25,5/4,loop,scale+0x10
  f20f58074883c70883ee0175f3,4,4,loop,sum+0x10
  hex,cycles,cycles_exact,mode,region
  f20f58074883c70883ee0175f3,4,4,loop,sum+0x10
  hex,cycles,cycles_exact,mode,region
  f30f100ff30f59c8f30f110f4883c7044839c775eb,1.25,5/4,loop,scale+0x10

All of it as one straight block, ret and all: --straight, or --mode, which says how one block is repeated.

  $ tacho predict tests/cli/whole.s -a SKL --straight --symbol sum --format csv
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,region,unknown,lower_bound,error
  0f57c085f67e16660f1f840000000000f20f58074883c70883ee0175f3c3,6,6,unroll,SKL,MITE,decode,sum,0,false,
  $ tacho predict tests/cli/whole.s -a SKL --mode unroll --symbol sum --format csv
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,region,unknown,lower_bound,error
  0f57c085f67e16660f1f840000000000f20f58074883c70883ee0175f3c3,6,6,unroll,SKL,MITE,decode,sum,0,false,
  $ tacho predict tests/cli/whole.s -a SKL --mode loop --symbol sum --format csv
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,region,unknown,lower_bound,error
  0f57c085f67e16660f1f840000000000f20f58074883c70883ee0175f3c3,6,6,loop,SKL,mixed,decode,sum,0,false,
  $ tacho predict tests/cli/whole.s -a SKL --straight --loops
  tacho: --loops does not go with --straight
  [2]

What other sections hold is left out then, and that is said, too.

  $ printf 'f: je 1f\ninc %%eax\n1: ret\n.section .text.g,"ax"\ndec %%ecx\n' | tacho predict - -a SKL | grep 'left out'
  warning: other sections with code are left out (--section NAME: one of them)

What is one block stays one: straight code, a loop with its label, a function that only returns, with padding behind; machine code whatever it holds; regions between markers.

  $ for code in 'add %%eax,%%ecx; imul %%ecx,%%ecx' 'l: add %%eax,%%ecx; call f; jne l; f=0x9' 'add %%eax,%%ecx; ret; nop; int3' 'l: add %%eax,%%ecx; jmp l'; do printf "$code\n" | tacho predict - -a SKL --format csv | tail -1 | cut -d, -f1,4,8; done
  01c10fafc9,unroll,
  01c1e80000000075f7,loop,
  01c1c390cc,unroll,
  01c1ebfc,loop,
  $ tacho predict --hex '85c0 7402 ffc1 48ffc8 75f5 c3' -a SKL --format csv
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,region,unknown,lower_bound,error
  85c07402ffc148ffc875f5c3,6,,unroll,SKL,MITE,decode,,0,false,
  $ printf '# LLVM-MCA-BEGIN\nf: test %%eax,%%eax; je 1f; inc %%ecx; 1: dec %%eax; jne f; ret\n# LLVM-MCA-END' | tacho predict - -a SKL --format csv
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,region,unknown,lower_bound,error
  85c07402ffc1ffc875f6c3,6,,unroll,SKL,MITE,decode,,0,false,

Code before a loop, an exit in its middle, a jump into it: these are several.

  $ for code in 'xor %%eax,%%eax; l: inc %%eax; cmp %%ecx,%%eax; jl l' 'l: inc %%eax; je out; dec %%ecx; jne l; out: ret' 'jmp m; l: inc %%eax; m: dec %%ecx; jne l; ret'; do printf "$code\n" | tacho predict - -a SKL --format csv 2>&1 | grep -v -e '^hex' -e 'linker'; done
  tacho: note: standard input holds several blocks: its innermost loop is predicted, as with --loops (--straight: all as one block)
  ffc039c87cfa,1,1,loop,SKL,DSB,dsb;ports;dependencies,0x2,0,false,
  tacho: note: standard input holds several blocks: its innermost loop is predicted, as with --loops (--straight: all as one block)
  ffc07404ffc975f8,1,1,loop,SKL,DSB,dsb;ports;dependencies,l+0x0,0,false,
  tacho: note: standard input holds several blocks: its innermost loop is predicted, as with --loops (--straight: all as one block)
  ffc0ffc975fa,1,1,loop,SKL,DSB,dsb;ports;dependencies,0x2,0,false,

Several blocks without a loop are taken as one, and that is said.

  $ tacho predict tests/cli/whole.s -a SKL --symbol main | grep -E '^[0-9.]+ cycles|several'
  11 cycles per iteration on SKL, Skylake (client)
  warning: there are several blocks but no loop: this code is treated as one straight block that is
  $ tacho predict tests/cli/whole.s -a SKL --symbol main --json | grep several
      "there are several blocks but no loop: this code is treated as one straight block that is repeated",
  $ tacho predict tests/cli/whole.s -a SKL --symbol main --format csv
  tacho: note: there are several blocks but no loop: this code is treated as one straight block that is repeated
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,region,unknown,lower_bound,error
  83ff037e06b801000000c3b802000000c3,11,11,unroll,SKL,MITE,decode,main,0,false,

Functions in sections of their own.

  $ printf '.section .text.f,"ax"\nf: dec %%ecx; jne f; ret\n.section .text.g,"ax"\ng: imul %%ecx,%%ecx; dec %%eax; jne g; ret\n' > $TMP/s.s; cd $TMP; tacho predict s.s -a SKL --format csv 2>/dev/null; tacho predict s.s -a SKL --straight
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,region,unknown,lower_bound,error
  0fafc9ffc875f9,3,3,loop,SKL,DSB,dependencies,g+0x0,0,false,
  ffc975fc,1,1,loop,SKL,DSB,dsb;ports;dependencies,f+0x0,0,false,
  tacho: s.s: .text is empty; choose one of .text.f, .text.g with --section
  [1]

One loop of several: its report, pictures and pages.

  $ tacho predict tests/cli/whole.s -a SKL --loop 1 | grep -E '^(\[|loop|[0-9.]+ cycle)'
  [1] sum+0x10
  loop         0x40-0x4d in .text, not nested; 1 block
  4 cycles per iteration on SKL, Skylake (client)
  $ tacho predict tests/cli/whole.s -a SKL --loop 1 --json | grep -E '^[][{}]|^  "(cycles|function|loop)"'
  {
    "cycles": 4.0,
    "loop": 1,
    "function": "sum",
  }
  $ tacho predict tests/cli/whole.s -a SKL --loop 1 --format csv 2>/dev/null | cut -d, -f2,9
  cycles,function
  4,sum
  $ tacho predict tests/cli/whole.s -a SKL --loop 1 --html $TMP/p.html --trace $TMP/t.json --graph $TMP/g.dot --timeline --timeline-max-iterations 1 | sed -n '/^iteration,/,$p'; grep -c 'sum' $TMP/p.html >/dev/null && wc -l < $TMP/g.dot | grep -c '[1-9]'
  iteration,                   0         10
  instruction  port    from    01234567890123456
  [0,0]     p2           DSB   QI~~~~DeeeeE----R addsd (%rdi), %xmm0
  [0,0]     p1           DSB   QI~~~~~~~~~DeeeER   addsd (%rdi), %xmm0
  [0,1]     p5           DSB   QI~~~~DeE-------R addq $8, %rdi
  [0,2]     p6           DSB   QI~~~~DeE-------R subl $1, %esi
  1
  $ tacho predict --loops tests/cli/whole.s -a SKL --html $TMP/p.html >/dev/null; echo $?; grep -c 'id="data"' $TMP/p.html
  0
  1
  $ W=$PWD/tests/cli/whole.s; cd $TMP; tacho predict --loops $W -a SKL --html p.html --top 1 >/dev/null
  tacho: note: p.html has 1 of 2 loops; --top N or --top all: more of them
  $ tacho predict --loops tests/cli/whole.s -a SKL --html $TMP/p.html --top 0
  tacho: --top 0: no loop would be on the page
  [2]
  $ tacho predict tests/cli/whole.s -a SKL --graph $TMP/g.dot
  tacho: a file holds one result, and tests/cli/whole.s has 2 loops: choose one with --loop N, from 0 to 1
  [1]
  $ tacho predict --symbol sum tests/cli/whole.s -a SKL --html $TMP/p.html >/dev/null; echo $?
  0
  $ tacho predict tests/cli/whole.s -a SKL,ICX --loop 1 --timeline
  tacho: --timeline shows one microarchitecture: give one -a ARCH
  [2]
  $ tacho predict tests/cli/whole.s -a SKL --loop 2
  tacho: tests/cli/whole.s has no loop 2: it has 2, numbered from 0
  [1]
  $ tacho predict tests/cli/whole.s -a SKL --loop x
  tacho: --loop is a whole number from 0 to 1000000, not 'x'
  [2]
  $ echo nop | tacho predict - -a SKL --loop 0
  tacho: standard input has no loop 0: it has 0, numbered from 0
  [1]

Regions between markers, one of them by name or number.

  $ printf '# LLVM-MCA-BEGIN alpha\nnop\n# LLVM-MCA-END\n# OSACA-BEGIN\ncltd\n# OSACA-END\n# LLVM-MCA-BEGIN beta\nimul %%eax,%%ecx\n# LLVM-MCA-END\n' > $TMP/r.s; cd $TMP; tacho predict --list-regions r.s
     0  alpha                     line 1, 1 byte
     1                            line 4, 1 byte
     2  beta                      line 7, 3 bytes
  $ cd $TMP; tacho predict r.s -a SKL --region beta --format csv; tacho predict r.s -a SKL --region 1 --format csv | tail -1
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,region,unknown,lower_bound,error
  0fafc8,3,3,unroll,SKL,MITE,dependencies,beta,0,false,
  99,1,1,unroll,SKL,MITE,decode,,0,false,
  $ cd $TMP; tacho predict r.s -a SKL --region beta --json | grep '"region"'
    "region": "beta",
  $ cd $TMP; tacho predict r.s -a SKL --region bta
  tacho: r.s: no region 'bta'; did you mean beta?
  [1]
  $ cd $TMP; tacho predict r.s -a SKL --region x
  tacho: r.s: no region 'x'; there are: alpha, 1, beta
  [1]
  $ cd $TMP; tacho predict r.s -a SKL --region 3
  tacho: r.s: no region '3'; there are: alpha, 1, beta
  [1]
  $ cd $TMP; tacho deps --region alpha r.s | head -1; tacho deps --list-regions r.s | wc -l; tacho measure --list-regions r.s | wc -l; tacho measure --region y r.s
  r.s: alpha: 1 instruction, 1 byte
  3
  3
  tacho: r.s: no region 'y'; there are: alpha, 1, beta
  [1]
  $ echo nop | tacho predict --list-regions
  tacho: note: standard input has no markers
  $ echo nop | tacho predict --region a
  tacho: standard input: no region 'a': the input has no markers
  [1]
  $ tacho predict --batch x --region a
  tacho: --region does not go with --batch
  [2]
  $ tacho predict --ignore-markers --region a x
  tacho: --region does not go with --ignore-markers
  [2]
  $ tacho predict --loops --region a x
  tacho: --loops does not go with --region: it does not look at markers
  [2]
  $ tacho predict --list-regions /nonexistent
  tacho: /nonexistent: cannot be read: No such file or directory
  [1]
  $ printf '\273\157\0\0\0\144\147\220\231\273\336\0\0\0\144\147\220' > $TMP/b; tacho predict --raw --list-regions $TMP/b
     0                            0x8, 1 byte

Source code that tacho has compiled.

  $ printf 'double sum(const double *x, long n)\n{\n    double s = 0;\n    for (long i = 0; i < n; i++)\n        s += x[i];\n    return s;\n}\n' > $TMP/sum.c; cd $TMP; tacho predict --cc 'cc -O1' sum.c -a SKL | grep -E -o '^sum.c holds|^source .*sum.c:[0-9]' | sed 's,/.*/,,'
  sum.c holds
  source       sum.c:4
  $ tacho predict --cc 'cc -O1' - -a SKL --format csv < $TMP/sum.c 2>/dev/null | grep -c ',sum+0x'
  1
  $ printf 'static inline double sum(const double *x, long n)\n{\n    double s = 0;\n    for (long i = 0; i < n; i++)\n        s += x[i];\n    return s;\n}\ndouble mean(const double *x, long n) { return sum(x, n) / n; }\n' > $TMP/mean.c; cd $TMP; tacho predict --cc 'cc -O2 -g -fno-unroll-loops' --loops mean.c -a SKL | grep -o '^.0. sum (inlined into mean+0x'
  [0] sum (inlined into mean+0x
  $ cd $TMP; tacho deps --cc 'cc -O1' sum.c | grep -c '^sum.c: sum+0x[0-9a-f]*: [0-9]* instructions'
  tacho: note: sum.c holds several blocks: its innermost loop is analysed, as with --loops (--straight: all as one block)
  1
  $ cd $TMP; echo 'int f( {' > bad.c; tacho predict --cc 'cc -O1' bad.c 2>&1 | grep -e 'error:' -e '^tacho' | sed 's/error:.*/error: .../'
  bad.c:1:8: error: ...
  tacho: bad.c: 'cc -O1' did not compile it
  $ cd $TMP; tacho predict --cc 'cc -O1' bad.c 2>/dev/null
  [1]
  $ tacho predict --cc nosuchcompiler x.c
  tacho: --cc: the compiler nosuchcompiler is not installed
  [1]
  $ tacho predict --cc '' x.c
  tacho: --cc is a compiler and its options, for instance 'gcc -O3', not nothing
  [2]
  $ tacho predict --cc "cc '-O1'" x.c
  tacho: --cc is a compiler and its options, separated by blanks, without quotes; not 'cc '-O1''
  [2]
  $ tacho predict --cc cc --hex 90
  tacho: --cc compiles INPUT: it does not go with --hex
  [2]
  $ tacho predict --cc cc --batch x
  tacho: --cc does not go with --batch
  [2]
