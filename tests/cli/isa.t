Code that a core cannot execute is an error that names the extension and the instruction.

  $ echo 'vpaddd %zmm1, %zmm2, %zmm3' | tacho predict -a HSW -
  tacho: standard input: offset 0x0: HSW has no AVX-512F: vpaddd %zmm1, %zmm2, %zmm3 (instruction 0); --ignore-isa predicts it all the same
  [1]
  $ echo 'nop; vfmadd231pd %ymm1, %ymm2, %ymm3' | tacho predict -a SNB - --format json
  tacho: standard input: offset 0x1: SNB has no FMA: vfmadd231pd %ymm1, %ymm2, %ymm3 (instruction 1); --ignore-isa predicts it all the same
  [1]
  $ tacho predict --hex '4801d8 c5edfed9' -a IVB --format csv
  tacho: --hex: offset 0x3: IVB has no AVX2: vpaddd ymm3, ymm2, ymm1 (instruction 1); --ignore-isa predicts it all the same
  [1]

Who insists, is told.

  $ echo 'vpaddd %zmm1, %zmm2, %zmm3' | tacho predict -a HSW --ignore-isa - | sed -n -e 1p -e '/cannot execute/,/as if/p'
  at least 0.38 cycles per iteration on HSW, Haswell: 1 of 1 instruction has no figures
  warning: HSW cannot execute 1 of 1 instructions (it has no AVX-512F, which instruction 0 needs):
           predicted as if it could
  $ echo 'vpaddd %zmm1, %zmm2, %zmm3' | tacho predict -a HSW --ignore-isa --json - | grep -e '"cycles"' -e unexecutable -e missing -e 'cannot execute'
    "cycles": 0.375,
    "missing": "1 of 1 instruction has no figures",
      "cycles": 0.25
        "cycles": 0.25,
        "cycles": 0.375,
        "cycles": 0.375,
        "cycles": 0.375,
        "cycles": 0.375,
    "unexecutable_instructions": 1,
        "missing_extension": "AVX-512F",
      "HSW cannot execute 1 of 1 instructions (it has no AVX-512F, which instruction 0 needs): predicted as if it could",
  $ echo 'vpaddd %zmm1, %zmm2, %zmm3' | tacho predict -a SKX --ignore-isa --json - | grep -e unexecutable -e missing -e 'cannot execute'
    "missing": null,
    "unexecutable_instructions": 0,
        "missing_extension": null,
  $ tacho predict --hex 62f16d48fed9 -a HSW --ignore-isa --format csv
  tacho: note: code that the microarchitecture cannot execute is predicted as if it could (--ignore-isa), which the CSV does not say
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,region,unknown,lower_bound,error
  62f16d48fed9,0.375,3/8,unroll,HSW,MITE,predecode,,1,true,

In a batch it is the row's error, and on all microarchitectures a dash and the reason; those that were asked for by name count as failed.

  $ printf 'hex\n4801d8\n62f16d48fed9\nc5fcc4e2edb8d9\n4801c8c4e2edb8d9\n' | tacho predict --batch - -a SNB,HSW,SKX --jobs 1
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,unknown,lower_bound,error
  4801d8,1,1,unroll,SNB,MITE,dependencies,0,false,
  4801d8,1,1,unroll,HSW,MITE,dependencies,0,false,
  4801d8,1,1,unroll,SKX,MITE,dependencies,0,false,
  62f16d48fed9,,,,SNB,,,,,"offset 0x0: SNB has no AVX-512F: vpaddd zmm3, zmm2, zmm1 (instruction 0)"
  62f16d48fed9,,,,HSW,,,,,"offset 0x0: HSW has no AVX-512F: vpaddd zmm3, zmm2, zmm1 (instruction 0)"
  62f16d48fed9,0.5,1/2,unroll,SKX,MITE,ports,0,false,
  c5fcc4e2edb8d9,,,,SNB,,,,,offset 0x0: not a valid instruction in 64-bit mode
  c5fcc4e2edb8d9,,,,HSW,,,,,offset 0x0: not a valid instruction in 64-bit mode
  c5fcc4e2edb8d9,,,,SKX,,,,,offset 0x0: not a valid instruction in 64-bit mode
  4801c8c4e2edb8d9,,,,SNB,,,,,"offset 0x3: SNB has no FMA: vfmadd231pd ymm3, ymm2, ymm1 (instruction 1)"
  4801c8c4e2edb8d9,5,5,unroll,HSW,MITE,dependencies,0,false,
  4801c8c4e2edb8d9,4,4,unroll,SKX,MITE,dependencies,0,false,
  tacho: 6 of 12 predictions failed
  [3]
  $ printf 'hex\n62f16d48fed9\n' | tacho predict --batch - -a HSW --ignore-isa
  tacho: note: code that the microarchitecture cannot execute is predicted as if it could (--ignore-isa), which the CSV does not say
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,unknown,lower_bound,error
  62f16d48fed9,0.375,3/8,unroll,HSW,MITE,predecode,1,true,
  $ tacho predict examples/dot4.s -a all
  tacho: note: 2 of 21 predictions left out: the microarchitecture cannot execute the code (--ignore-isa predicts it all the same)
  arch    cycles  exactly     mode    µops from  bottleneck
  SNB          -  SNB has no FMA: vfmadd231ps (%rsi,%rax), %ymm4, %ymm0 (instruction 4)
  IVB          -  IVB has no FMA: vfmadd231ps (%rsi,%rax), %ymm4, %ymm0 (instruction 4)
  HSW          5  5           loop    LSD        dependencies
  BDW          5  5           loop    LSD        dependencies
  SKL          4  4           loop    DSB        load ports, dependencies
  KBL          4  4           loop    DSB        load ports, dependencies
  CFL          4  4           loop    DSB        load ports, dependencies
  CLX          4  4           loop    DSB        load ports, dependencies
  SKX          4  4           loop    DSB        load ports, dependencies
  ICL          4  4           loop    LSD        load ports, dependencies
  ICX          4  4           loop    DSB        load ports, dependencies
  TGL          4  4           loop    LSD        load ports, dependencies
  RKL          4  4           loop    LSD        load ports, dependencies
  ADL          4  4           loop    LSD        dependencies
  SPR          4  4           loop    LSD        dependencies
  MTL          4  4           loop    LSD        dependencies
  GNR          4  4           loop    LSD        dependencies
  ZEN2         5  5           loop    op cache   dependencies
  ZEN3         4  4           loop    op cache   load units, dependencies
  ZEN4         4  4           loop    op cache   load units, dependencies
  ZEN5         4  4           loop    op cache   load units, dependencies
  $ tacho predict examples/dot4.s -a SNB,HSW
  tacho: 1 of 2 predictions failed
  arch    cycles  exactly     mode    µops from  bottleneck
  SNB          -  SNB has no FMA: vfmadd231ps (%rsi,%rax), %ymm4, %ymm0 (instruction 4)
  HSW          5  5           loop    LSD        dependencies
  [3]
  $ tacho predict --hex 62f16d48fed9 -a SNB,HSW
  tacho: 2 of 2 predictions failed
  arch    cycles  exactly     mode    µops from  bottleneck
  SNB          -  SNB has no AVX-512F: vpaddd zmm3, zmm2, zmm1 (instruction 0)
  HSW          -  HSW has no AVX-512F: vpaddd zmm3, zmm2, zmm1 (instruction 0)
  [1]
  $ tacho predict examples/dot4.s -a all --json | grep -A1 -e '"arch": "SNB"'
  tacho: note: 2 of 21 predictions left out: the microarchitecture cannot execute the code (--ignore-isa predicts it all the same)
      "arch": "SNB",
      "cycles": null,
  $ tacho predict --hex 0f01c1 -a ZEN5
  tacho: --hex: offset 0x0: ZEN5 has no VMX: vmcall (instruction 0); --ignore-isa predicts it all the same
  [1]

Loops, too.

  $ printf 'l: vfmadd231pd %%ymm1, %%ymm2, %%ymm3\ndec %%r15\njnz l\nm: dec %%r14\njnz m\nret\n' > $TMP/l.s; cd $TMP; tacho predict --loops l.s -a SNB --top 1 | grep -v -e warning -e '^         '
  tacho: l.s: l+0x0 on SNB: offset 0x0 of the path: SNB has no FMA: vfmadd231pd %ymm1, %ymm2, %ymm3 (instruction 0)
  tacho: 1 of 2 predictions failed
  2 innermost loops in 1 function (6 instructions) of l.s, hottest-looking first
  Cycles per iteration on SNB along the likeliest path; instructions on it, with vector
  registers, with memory
  
     #  function cycles insns vec mem depth  where      remarks
     0  l+0x0         -     3   1   0     1  lines 1-3  not predicted
     1  l+0xa         1     2   0   0     1  lines 4-5  limit: LSD, port p5, dependencies
  
  
  [0] l+0x0
  loop         0x0-0xa in .text, not nested; 1 block
  text         lines 1-3 of the assembly
  
  not predicted: offset 0x0 of the path: SNB has no FMA: vfmadd231pd %ymm1, %ymm2, %ymm3 (instruction 0)
  $ cd $TMP; tacho predict --loops l.s -a SNB --top 0 --ignore-isa | sed -n '5,8p'
     #  function cycles insns vec mem depth  where      remarks
     0  l+0x0       >=1     3   1   0     1  lines 1-3  limit: LSD, port p5, dependencies, 1
                                                        instruction has no figures
     1  l+0xa         1     2   0   0     1  lines 4-5  limit: LSD, port p5, dependencies
  $ cd $TMP; tacho predict --loops l.s -a SNB --json | grep '"error"'
  tacho: l.s: l+0x0 on SNB: offset 0x0 of the path: SNB has no FMA: vfmadd231pd %ymm1, %ymm2, %ymm3 (instruction 0)
  tacho: 1 of 2 predictions failed
    "error": "offset 0x0 of the path: SNB has no FMA: vfmadd231pd %ymm1, %ymm2, %ymm3 (instruction 0)",
    "error": null,

What is harmless where it is not known is no error; what is another instruction there is said to be one.

  $ echo 'endbr64; pause; prefetchw (%rax); cldemote (%rax); bndmk (%rax), %bnd0; xacquire lock add %rax, (%rbx); rep ret' | tacho predict -a SNB - --mode loop | head -1
  at least 23 cycles per iteration on SNB, Sandy Bridge: 1 of 7 instructions has no figures
  $ echo 'tzcnt %rax, %rbx' | tacho predict -a IVB - | grep bsf
  warning: IVB has no BMI1 and executes instruction 0, tzcnt, as bsf, which has another result
  $ echo 'tzcnt %rax, %rbx' | tacho predict -a HSW - | grep bsf
  [1]

What a core has, and where that is from.

  $ tacho arch IVB | sed -n '/^extensions/,/^$/p'
  extensions of the instruction set, as products with this core have them; code that needs others is refused:
      SSE3 SSSE3 SSE4.1 SSE4.2 POPCNT CX16 LAHF RDTSCP MONITOR AES PCLMULQDQ XSAVE XSAVEOPT
      AVX F16C RDRAND FSGSBASE VMX SMX [8]
  
  $ tacho arch HSW --json | grep -e '"FMA"' -e '"AVX-512F"'
      "FMA": "Intel 64 and IA-32 Architectures Software Developer Manual",
  $ tacho arch ZEN5 | grep -o -e 'AVX-512_BF16' -e 'RTM'
  AVX-512_BF16

Loops on all cores, as straight code: those that cannot execute it are left out, which is no failure.

  $ printf 'f:\nl: vpaddd %%zmm1, %%zmm2, %%zmm3\n dec %%ecx\n jnz l\n ret\n' > $TMP/wide.s; cd $TMP; tacho predict wide.s -a all | grep '^0 '; tacho predict wide.s -a all --json | grep -c '"error": "offset'
  tacho: note: 10 of 21 predictions left out: the microarchitecture cannot execute the code (--ignore-isa predicts it all the same)
  0  f+0x0       -    -    -    -    -    -    -    1    1    1    1    1    1    1    1    -    1
  0  f+0x0        -     -     1     1  lines 2-4  some cannot execute it
  tacho: note: 10 of 21 predictions left out: the microarchitecture cannot execute the code (--ignore-isa predicts it all the same)
  10
  $ cd $TMP; tacho predict --loops wide.s -a SKL,SKX > $TMP/out
  tacho: wide.s: f+0x0 on SKL: offset 0x0 of the path: SKL has no AVX-512F: vpaddd %zmm1, %zmm2, %zmm3 (instruction 0)
  tacho: 1 of 2 predictions failed
  [3]
  $ grep '^0 ' $TMP/out
  0  f+0x0       -    1  lines 2-4  some cannot execute it
  $ cd $TMP; tacho predict --loops wide.s -a all >$TMP/out 2>$TMP/err; echo $?; cat $TMP/err
  0
  tacho: note: 10 of 21 predictions left out: the microarchitecture cannot execute the code (--ignore-isa predicts it all the same)
