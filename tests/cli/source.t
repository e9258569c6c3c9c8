The user's own code comes back: what was typed, in the syntax in which it was typed, with its labels. Several
statements in a line and a prefix alone come to what they make; what nobody typed as an instruction (bytes) is
disassembled in the same syntax, and so is text with macros, which the GNU assembler reads. Advice, timelines and
dependencies have the same words.

  $ printf '%s\n' 'f:' '.LFB0:' ' .p2align 4' '.L3:' >"$TMP/a.s"
  $ printf '%s\n' '	movq	(%rdi,%rax,8), %rdx   # load it' ' subq $-128, %rax; xorl %ecx, %ecx' ' lock' ' addl %ecx, (%rsi)' >>"$TMP/a.s"
  $ printf '%s\n' ' imulq %rdx, %rdx' ' .byte 0x90' '1: cmpq %rsi, %rax' ' jne 1b' ' jnz .L3' >>"$TMP/a.s"
  $ tacho predict "$TMP/a.s" -a SKL --mode loop | sed -n '/ instruction .* rthr/,/^ sum/p' | cut -c1-30 | sed 's/ *$//'
     #  instruction
        f:
        .L3:
     0  movq (%rdi,%rax,8), %rdx
     1  subq $-128, %rax
     2  xorl %ecx, %ecx
     3  lock addl %ecx, (%rsi)
     4  imulq %rdx, %rdx
     5  nop
        1:
     6  cmpq %rsi, %rax
     7  jne 1b
     8  jnz .L3
   sum
  $ tacho deps --straight "$TMP/a.s" | grep -A1 -e addl -e jnz
       3  lock addl %ecx, (%rsi)
           register  2: rcx
  --
       8  jnz .L3
           flags     6: flags but carry
  $ tacho predict "$TMP/a.s" -a SKL --mode loop --timeline --timeline-max-iterations 1 | sed -n "s,.*E*R  *\([a-z]* .*\),\1,p" | head -3
  retired   (D in place of r: dispatched in the cycle in which it became ready)
  movq (%rdi,%rax,8), %rdx
  subq $-128, %rax
  $ tacho predict "$TMP/a.s" -a SKL --mode loop --output-syntax source | grep -o 'movq.*load it'
  movq (%rdi,%rax,8), %rdx  # load it
  $ tacho predict "$TMP/a.s" -a SKL --mode loop --output-syntax att | sed -n '/ instruction .* rthr/,/^ sum/p' | cut -c7-30 | sed 's/ *$//'
  instruction
  mov (%rdi,%rax,8), %rdx
  sub $-0x80, %rax
  xor %ecx, %ecx
  lock add %ecx, (%rsi)
  imul %rdx, %rdx
  nop
  cmp %rsi, %rax
  jnz 0x12
  jnz 0x0
  
  $ tacho predict "$TMP/a.s" -a SKL --mode loop --output-syntax intel | sed -n '/ instruction .* rthr/,/^ sum/p' | cut -c7-30 | sed 's/ *$//'
  instruction          lat
  mov rdx, [rdi+rax*8]   5
  sub rax, -0x80         1
  xor ecx, ecx           0
  lock add [rsi], ecx   17
  imul rdx, rdx          3
  nop
  cmp rax, rsi           1
  jnz 0x12
  jnz 0x0
  

In JSON, the disassembly and what was typed, with its place:

  $ tacho predict "$TMP/a.s" -a SKL --mode loop --json | sed -n '/"instructions": \[$/,/"hex"/p' | grep -A6 '"asm"'
        "asm": "mov (%rdi,%rax,8), %rdx",
        "source": {
          "line": 5,
          "text": "movq (%rdi,%rax,8), %rdx",
          "comment": "# load it"
        },
        "hex": "488b14c7",

  $ (printf '.macro twice r\n addq $1, \\r\n.endm\n'; sed 's/xorl/twice %r8; xorl/' "$TMP/a.s") >"$TMP/m.s"
  $ tacho predict "$TMP/m.s" -a SKL --mode loop | sed -n '/ instruction .* rthr/,/^ sum/p' | cut -c1-30 | sed 's/ *$//'
  tacho: note: line 1: .macro: macros, repetitions and conditions are not read; the GNU assembler reads this text instead
     #  instruction
     0  mov (%rdi,%rax,8), %rdx
     1  sub $-0x80, %rax
     2  add $0x1, %r8
     3  xor %ecx, %ecx
     4  lock add %ecx, (%rsi)
     5  imul %rdx, %rdx
     6  nop
     7  cmp %rsi, %rax
     8  jnz 0x16
     9  jnz 0x0
   sum

Text that says where its lines come from (.loc), and debug sections, change nothing; labels that no branch names and
that compilers made are left out. A string or a comment with a semicolon is no statement's end.

  $ printf '%s\n' '.file 1 "x.c"' '.loc 1 3' '.LVL1:' '.L2: addq $1, %rax # a;b' '.loc 1 4' 'jnz .L2' '.section .debug_str,"MS",@progbits,1' '.string "a;b"' >"$TMP/g.s"
  $ tacho predict "$TMP/g.s" -a SKL | sed -n '/ instruction .* rthr/,/^ sum/p' | cut -c1-19 | sed 's/ *$//'
     #  instruction
        .L2:
     0  addq $1, %rax
     1  jnz .L2
   sum

Intel syntax stays Intel, also in the middle of a text; machine code is Intel; numbers have signs, branches lead to
addresses.

  $ printf '%s\n' '.intel_syntax noprefix' 'l: sub rax, -128' 'jnz l' '.att_syntax' | tacho predict -a SKL --json - | grep -A3 '"asm"'
        "asm": "sub rax, -0x80",
        "source": {
          "line": 2,
          "text": "sub rax, -128",
  --
        "asm": "jnz 0x0",
        "source": {
          "line": 3,
          "text": "jnz l",
  $ tacho predict --hex '48 83 e8 80 48 8b 45 f8 75 f6' -a SKL --json | grep -e '"asm"' -e '"source": null'
        "asm": "sub rax, -0x80",
        "source": null,
        "asm": "mov rax, [rbp-0x8]",
        "source": null,
        "asm": "jnz 0x0",
        "source": null,
  $ tacho predict --hex '48 83 e8 80 48 8b 45 f8 75 f6' -a SKL --output-syntax att --json | grep -e '"asm"'
        "asm": "sub $-0x80, %rax",
        "asm": "mov -0x8(%rbp), %rax",
        "asm": "jnz 0x0",
  $ printf '%s\n' 'l: subq $-128, %rax' 'jnz l' >"$TMP/b.s" && as -o "$TMP/b.o" "$TMP/b.s" && tacho predict "$TMP/b.o" -a SKL --json | grep '"asm"'
        "asm": "sub rax, -0x80",
        "asm": "jnz 0x0",

Advice and what-if runs quote in the same words, loops too.

  $ printf '%s\n' 'l: imulq %rax, %rax # slow' 'decl %ecx' 'jnz l' | tacho predict -a SKL --what-if - | grep 'a latency of'
           1   -67 %  a latency of one cycle for instruction 0 (imulq %rax, %rax)
           1   -67 %  a latency of one cycle for every µop
  $ tacho predict --loops examples/loops.s -a SKL --top 1 | sed -n '/ instruction .* rthr/,/^ sum/p' | cut -c7-43 | sed 's/ *$//'

What cannot be chosen says so.

  $ tacho predict --hex 90 --output-syntax masm
  tacho: --output-syntax is auto|source|att|intel, not 'masm'
  [2]
  $ tacho predict --hex 90 --output-asm-variant=2
  tacho: --output-asm-variant is 0|1, not '2'
  [2]

A command line of llvm-mca's, and what else its users type.

  $ for t in -mtriple=x86_64-unknown-linux-gnu '-mtriple amd64-pc-freebsd' --mtriple=X86_64; do tacho predict --hex 90 -a SKL $t | head -1; done
  0.25 cycles per iteration (exactly 1/4) on SKL, Skylake (client)
  0.25 cycles per iteration (exactly 1/4) on SKL, Skylake (client)
  0.25 cycles per iteration (exactly 1/4) on SKL, Skylake (client)
  $ tacho predict --hex 90 -a SKL -mtriple=aarch64-linux-gnu
  tacho: -mtriple: tacho analyses x86-64 code (x86_64-..., amd64-...), not 'aarch64-linux-gnu'
  [2]
  $ tacho predict --hex 90 -a SKL -mattr=+avx512f
  tacho: unknown option '-mattr=+avx512f'; 'tacho help' lists the commands, 'tacho COMMAND --help' the options
  [2]
  $ tacho predict --hex 90 -a SKL -m=unroll | grep -c 'mode  *unroll'
  1
  $ tacho predict --hex 90 -a SKL -munroll | grep -c 'mode  *unroll'
  1

  $ tacho predict -mcpu=skylake -march=skylake -iterations=100 -bottleneck-analysis -instruction-info -timeline -timeline-max-iterations=2 -output-asm-variant=1 examples/dot4.s | grep -e iterations -e bottleneck -e ' rthr ' -e '^.0,0'
  bottleneck   ports: the 2 load ports (p2, p3): 8 loads of 32 bytes need 4 cycles
  bottleneck   dependencies: the dependency through ymm0 (instruction 4)
  run          100 iterations: 419 cycles, starting with an empty pipeline
     #  instruction                              lat rthr DSB iss exec   p0   p1 p23 p5 p6 crit  notes
    rthr reciprocal throughput: cycles between independent copies of it
  Timeline, from the start of the simulation (the result is that of iterations 42 to 91)
  [0,0]     p2           DSB   QI~~~~DeeeeER               vmovups ymm4, [rdi+rax*1]
