Text for panes beside code: --explorer. A core that the compiler was told is taken, names that are no core's are not.

  $ printf 'sum: testl %%esi, %%esi\njle .L4\nxorl %%eax, %%eax\n.L3: addl (%%rdi), %%eax\naddq $4, %%rdi\ncmpq %%rdx, %%rdi\njne .L3\nret\n.L4: xorl %%eax, %%eax\nret\n' > $TMP/page.s
  $ tacho predict --explorer --compiled-for znver4 $TMP/page.s | head -5
  [0] sum+0x6
  loop         0x6-0x11 in .text, not nested; 1 block
  text         lines 4-7 of the assembly
  
  1 cycle per iteration on ZEN4, Zen 4
  $ tacho predict --explorer --compiled-for x86-64-v3 $TMP/page.s | grep -o 'per iteration on ICX'
  per iteration on ICX
  $ tacho predict --explorer --compiled-for native $TMP/page.s | grep -c ICX
  1
  $ tacho predict --explorer --compiled-for skylake -a HSW $TMP/page.s | grep -c HSW
  1

No line has more than 100 columns, and nothing is coloured.

  $ tacho predict --explorer --color always $TMP/page.s -a SKL > $TMP/out; awk 'length > 100' $TMP/out | wc -l; grep -c "$(printf '\033')" $TMP/out
  0
  0
  [1]
  $ tail -3 $TMP/out
  warning: the sections ask for an alignment of less than 64 bytes, so the linker decides where in a
           64-byte block a loop lies; sections are assumed to begin at a multiple of 64 (--alignment
           changes that)
  $ printf 'a: vfmadd231ps zmm30{k1}, zmm29, dword ptr [r15+r14*8+0x12345678]{1to16}\ndec r15\njnz a\n' > $TMP/wide.s
  $ tacho predict --explorer --syntax intel $TMP/wide.s -a ICX | grep -c 'vfm.*0x12345678.*{1to16}'
  2

Code without a loop is no failure, and the first line says so.

  $ printf 'foo: leal (%%rdi,%%rsi), %%eax\nret\n' | tacho predict --explorer - | head -1
  no loop here: treated as straight code that is repeated
  $ printf 'foo: testl %%eax, %%eax\njz 1f\nincl %%eax\n1: ret\n' | tacho predict --explorer - | head -1
  no loop here: treated as straight code that is repeated
  $ tacho predict --explorer --json $TMP/page.s
  tacho: --explorer writes text; --format does not go with it
  [2]
