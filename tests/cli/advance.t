Markers inside a loop, the increment outside: memory is read and written at the same place, whose address never changes. Repeated unchanged, each iteration waits for the one before. It is said first, with both numbers.

  $ printf '1:\n# LLVM-MCA-BEGIN axpy\nmovsd (%%rdi,%%rax,8), %%xmm0\nmulsd %%xmm1, %%xmm0\naddsd (%%rsi,%%rax,8), %%xmm0\nmovsd %%xmm0, (%%rsi,%%rax,8)\n# LLVM-MCA-END\ninc %%rax\ncmp %%rax, %%rcx\njne 1b\n' > $TMP/axpy.s
  $ cd $TMP; tacho predict axpy.s -a SKL | sed -n '1,/^bottleneck/p'
  [0] axpy (line 2)
  9 cycles per iteration on SKL, Skylake (client)
  
  each iteration reads what the one before wrote, as addresses do not advance (instructions 2, 3);
  include the increment, or use --advance: 1.49 cycles
  
  bottleneck   dependencies: the dependency through xmm0 and memory (instructions 2, 3)
  $ cd $TMP; tacho predict axpy.s -a SKL --advance | sed -n -e '1,/^bottleneck/p' -e '/^warning.*advance/p'
  [0] axpy (line 2)
  1.49 cycles per iteration on SKL, Skylake (client)
  
  bottleneck   ports: the 2 load and store ports (p2, p3): 2 loads of 8 bytes and 1 store of 8 bytes
  warning: addresses are assumed to advance by 8 bytes each iteration, so that no iteration reads what
  $ cd $TMP; tacho predict axpy.s -a SKL --json | grep -e '"advance' -e cycles_before -e cycles_after\" | head -5
        "kind": "advance",
        "cycles_before": 9.0,
        "cycles_after": 1.49367088608,
        "cycles_before": 9.0,
        "cycles_after": 4.0,
  $ cd $TMP; tacho predict axpy.s -a SKL --advance --json | grep '"advance'
    "advance_bytes": 8,
  $ cd $TMP; tacho predict axpy.s -a SKL --advance --format csv | cut -d , -f 2-4
  tacho: note: addresses are assumed to advance with each iteration (--advance), which the CSV does not say
  cycles,cycles_exact,mode
  1.493671,,unroll

The loop as it is has no such chain.

  $ cd $TMP; grep -v MCA axpy.s | tacho predict -a SKL - | sed -n 1,3p | cut -c 1-60
  1.5 cycles per iteration (exactly 3/2) on SKL, Skylake (clie
  
  bottleneck   issue: the renamer issues at most 4 fused µops

Where its own branch closes the code, it really does this; on the stack and at fixed addresses as well.

  $ echo '1: addq %rax, (%rdi); dec %rcx; jnz 1b' | tacho predict -a SKL - | grep -c 'do not advance'
  0
  [1]
  $ echo '1: addq %rax, (%rdi); dec %rcx; jnz 1b' | tacho predict -a SKL --advance - | grep -e '^6 cycles' -e '^warning'
  6 cycles per iteration on SKL, Skylake (client)
  warning: --advance has no effect: the code is a loop, which moves its own addresses
  $ echo 'addq %rax, 8(%rsp); addq %rax, x(%rip)' | tacho predict -a SKL --advance - | grep -e '^6 cycles' -e '^warning: --adv'
  6 cycles per iteration on SKL, Skylake (client)
  warning: --advance has no effect: every address either changes in the code, or is fixed or on the
  $ echo 'addq %rax, (%rdi); addq $8, %rdi' | tacho predict -a SKL - | grep -c 'do not advance'
  0
  [1]
