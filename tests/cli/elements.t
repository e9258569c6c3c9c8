How many elements an iteration works on, and versions that are compared by them.

  $ printf '1: addss (%%rdi,%%rax,4), %%xmm0\n incq %%rax\n cmpq %%rcx, %%rax\n jne 1b\n' > $TMP/scalar.s
  $ printf '1: vaddps (%%rdi,%%rax,4), %%ymm0, %%ymm0\n addq $8, %%rax\n cmpq %%rcx, %%rax\n jne 1b\n' > $TMP/vector.s
  $ printf '1: movq (%%rsi), %%rdx\n movq %%rdx, (%%rdi)\n addq $8, %%rsi\n addq $8, %%rdi\n decl %%ecx\n jnz 1b\n' > $TMP/words.s
  $ printf '1: movups (%%rsi), %%xmm0\n movups %%xmm0, (%%rdi)\n addq $16, %%rsi\n addq $16, %%rdi\n decl %%ecx\n jnz 1b\n' > $TMP/copy.s
  $ printf '1: movq (%%rax), %%rax\n testq %%rax, %%rax\n jnz 1b\n' > $TMP/list.s
  $ for f in scalar vector words copy list; do tacho predict $TMP/$f.s -a SKL | grep -e '^elements' || echo "$f: not known"; done
  elements     4 cycles per element (1 element of 4 bytes an iteration)
  elements     0.5 cycles per element (8 elements of 4 bytes an iteration)
  elements     1.25 cycles per element (1 element of 8 bytes an iteration)
  elements     0.078 cycles per byte (16 bytes an iteration)
  list: not known
  $ tacho predict $TMP/list.s -a SKL --elements 2 | grep '^elements'
  elements     2 cycles per element (2 elements an iteration)
  $ cd $TMP && tacho predict scalar.s vector.s -a SKL
  A            scalar.s: 4 cycles per element (1 element of 4 bytes an iteration), limited by
               dependencies
  B            vector.s: 0.5 cycles per element (8 elements of 4 bytes an iteration), limited by
               dependencies
  compared     by element: B is 8 times as fast as A
  $ cd $TMP && tacho predict words.s copy.s -a SKL
  A            words.s: 0.156 cycles per byte (8 bytes an iteration), limited by issue
  B            copy.s: 0.078 cycles per byte (16 bytes an iteration), limited by issue
  compared     by byte: B is 2 times as fast as A
  $ cd $TMP && tacho predict vector.s vector.s -a SKL
  A            vector.s: 4 cycles per iteration, limited by dependencies
  B            vector.s: 4 cycles per iteration, limited by dependencies
  compared     by iteration (8 elements of 4 bytes in both): as fast as each other
  $ cd $TMP && tacho predict vector.s list.s -a SKL
  A            vector.s: 4 cycles per iteration, limited by dependencies
  B            list.s: 4 cycles per iteration, limited by dependencies
  compared     by iteration (how much data one works on is not known of both): as fast as each other
  $ cd $TMP && tacho predict vector.s list.s -a SKL --elements 8
  A            vector.s: 4 cycles per iteration, limited by dependencies
  B            list.s: 4 cycles per iteration, limited by dependencies
  compared     by iteration (8 elements in both): as fast as each other
  $ tacho predict $TMP/vector.s -a SKL --format json | grep -A 7 '"elements"'
    "elements": {
      "count": 8,
      "cycles": 0.5,
      "smallest_bytes": 4,
      "largest_bytes": 4,
      "stream_bytes": 32,
      "cycles_per_byte": 0.125
    },
  $ tacho predict $TMP/scalar.s - -a SKL --format json < $TMP/vector.s | grep -A 2 '"elements"'
      "elements": {
        "count": 1,
        "cycles": 4.0,
  --
      "elements": {
        "count": 8,
        "cycles": 0.5,
  $ tacho predict $TMP/scalar.s - -a SKL --format json < $TMP/vector.s | grep -A 4 '"compared"'
      "compared": {
        "by": "element",
        "cycles": 4.0,
        "times_as_fast": 0.125
      }
  --
      "compared": {
        "by": "element",
        "cycles": 0.5,
        "times_as_fast": 8.0
      }

What does not go together.

  $ tacho predict $TMP/scalar.s $TMP/vector.s -a SKL,ICL
  tacho: two INPUTs are compared on one microarchitecture: give one -a ARCH
  [2]
  $ tacho predict $TMP/scalar.s $TMP/vector.s -a SKL --format csv
  tacho: two INPUTs are compared in text or JSON, not in CSV
  [2]
  $ tacho predict $TMP/scalar.s $TMP/vector.s -a SKL --graph $TMP/graph.dot
  tacho: --graph shows one INPUT
  [2]
  $ tacho predict - - -a SKL
  tacho: of two INPUTs one can be standard input
  [2]
  $ tacho predict a b c -a SKL
  tacho: two INPUTs at most: 'a', 'b' and 'c'
  [2]
  $ tacho predict $TMP/scalar.s examples/loops.s -a SKL > $TMP/out; cat $TMP/out
  tacho: examples/loops.s has 3 loops, and versions of one are compared: choose it with --loop N, --symbol or --range
  $ tacho predict $TMP/scalar.s -a SKL --elements 0
  tacho: --elements is a whole number from 1 to 4294967295, not '0'
  [2]
