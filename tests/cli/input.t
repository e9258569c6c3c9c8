Assembly that does not assemble: file, line, what is wrong, what would be right.

  $ printf 'nop\nfrobnicate %%eax\n' > $TMP/a.s; cd $TMP; tacho predict a.s -a SKL
  tacho: a.s: line 2: column 1: no such instruction: 'frobnicate'
  [1]
  $ echo 'add rax, rbx' | tacho predict - -a SKL | head -1
  1 cycle per iteration on SKL, Skylake (client)
  $ echo 'add rax, rbx' | tacho predict - -a SKL --syntax att
  tacho: standard input: line 1: column 1: 'add' does not take these operands
  [1]
  $ echo 'addd rax, rbx' | tacho predict - -a SKL --assembler own
  tacho: standard input: line 1: column 1: no such instruction: 'addd'; did you mean add, addpd or addsd?
  [1]
  $ printf '.macro m\nnop\n.endm\nm\n' | tacho predict - -a SKL --assembler own
  tacho: standard input: line 1: column 1: .macro: macros, repetitions and conditions are not read
  [1]
  $ printf '.macro m\nnop\n.endm\nm\n' | tacho predict - -a SKL | head -2
  tacho: note: line 1: .macro: macros, repetitions and conditions are not read; the GNU assembler reads this text instead
  0.25 cycles per iteration (exactly 1/4) on SKL, Skylake (client)
  
  $ printf '.macro m\nnop\n.endm\nm\n' | tacho predict - -a SKL --assembler gnu | head -1
  0.25 cycles per iteration (exactly 1/4) on SKL, Skylake (client)
  $ echo '48 01 d8' | tacho predict - -a SKL
  tacho: standard input: line 1: column 1: no such instruction: '48' (the text looks like machine code in hex: use --hex)
  [1]
  $ printf '.code32\ninc %%eax\npush %%eax\n' | tacho predict - -a SKL; printf 'nop\n.code16\nnop\n' | tacho predict --assembler gnu - -a SKL
  tacho: standard input: line 1: .code32: only 64-bit code is read
  tacho: standard input: line 2: .code16: only 64-bit code is read
  [1]
  $ echo '.include "/etc/passwd"' | tacho predict - -a SKL
  tacho: standard input: line 1: .include is refused: an input may not read other files; paste the text in
  [1]
  $ printf '' | tacho predict -a SKL
  tacho: standard input: the text has no instructions
  [1]
  $ tacho predict /nonexistent.s -a SKL
  tacho: /nonexistent.s: cannot be read: No such file or directory
  [1]
  $ tacho predict / -a SKL
  tacho: /: cannot be read: Is a directory
  [1]
  $ cd $TMP; printf 'nop\0nop' > zero; tacho predict zero -a SKL
  tacho: zero: offset 0x3: neither an ELF file nor text: a zero byte; machine code is read with --raw
  [1]
  $ cd $TMP; printf 'nop\n.ascii "a\0"\n' > zero; tacho predict zero -a SKL
  tacho: zero: offset 0xd: neither an ELF file nor text: a zero byte; machine code is read with --raw
  [1]
  $ cd $TMP; head -c 500 /dev/zero > zero; tacho predict zero -a SKL
  tacho: zero: offset 0x0: neither an ELF file nor text: a zero byte; machine code is read with --raw
  [1]

What stands in comments does not matter; clang -g writes zero bytes there.

  $ printf 'l: add $1, %%rax # \0 "\n/* \0 */ jnz l\n.section .debug_str,"MS",@progbits,1\n.byte 0 # \\x00 is \0\n' | tacho predict - -a SKL --format csv
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,region,unknown,lower_bound,error
  4883c00175fa,1,1,loop,SKL,DSB,dsb;ports;dependencies,,0,false,

Source code is not assembly text, and is told from it by what it says, or else by its name.

  $ printf '#include <math.h>\n/* it'"'"'s C */\ndouble f(double x)\n{\n    return sqrt(x);\n}\n' > $TMP/f.c; cd $TMP; tacho predict f.c -a SKL
  tacho: f.c: this is C; compile it: tacho predict --cc 'gcc -O3' f.c
  [1]
  $ tacho predict - -a SKL < $TMP/f.c
  tacho: standard input: this is C; compile it: gcc -O3 -S -o - -x c - | tacho predict -
  [1]
  $ cd $TMP; cp f.c f.cpp; tacho predict --loops f.cpp -a SKL
  tacho: f.cpp: this is C++; compile it: tacho predict --cc 'g++ -O3' f.cpp
  [1]
  $ printf 'vmovaps %%zmm0, %%zmm1{%%k1}\nint $3\nbogus %%rax\n' | tacho predict - -a SKX
  tacho: standard input: line 3: column 1: no such instruction: 'bogus'
  [1]
  $ printf 'template <class T> T f(T x) { return x; }\n' | tacho deps
  tacho: standard input: this is C++; compile it: g++ -O3 -S -o - -x c++ - | tacho predict -
  [1]
  $ printf 'fn main() { let x = 1; }\n' | tacho predict - -a SKL
  tacho: standard input: this is Rust; compile it: rustc -O --crate-type=lib --emit=asm -o - - | tacho predict -
  [1]
  $ printf 'define i32 @f(i32 %%x) {\n  ret i32 %%x\n}\n' | tacho predict - -a SKL
  tacho: standard input: this is LLVM IR; compile it: llc -O3 -o - - | tacho predict -
  [1]
  $ echo 'garbage' > $TMP/f.f90; cd $TMP; tacho predict f.f90 -a SKL
  tacho: f.f90: this is Fortran; compile it: tacho predict --cc 'gfortran -O3' f.f90
  [1]
  $ printf 'func main() {\n}\n' | tacho predict - -a SKL
  tacho: standard input: this is Go; build it, and give the executable, with --symbol or --loops
  [1]
  $ printf '# int main() { }\nnop\n' > $TMP/g.c; tacho predict $TMP/g.c -a SKL --format csv
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,region,unknown,lower_bound,error
  90,0.25,1/4,unroll,SKL,MITE,predecode;decode;issue,,0,false,

Several regions, one of them wrong: the others are there, and the status says that some failed.

  $ cd $TMP; printf '# LLVM-MCA-BEGIN good\nnop\n# LLVM-MCA-END\n# LLVM-MCA-BEGIN bad\n.byte 6\n# LLVM-MCA-END\n' > two.s; tacho predict two.s -a SKL --format csv
  tacho: two.s: bad: offset 0x1: not a valid instruction in 64-bit mode
  tacho: 1 of 2 predictions failed
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,region,unknown,lower_bound,error
  90,0.25,1/4,unroll,SKL,MITE,predecode;decode;issue,good,0,false,
  06,,,,SKL,,,bad,,,two.s: bad: offset 0x1: not a valid instruction in 64-bit mode
  [3]
  $ cd $TMP; tacho predict two.s -a SKL --json | grep -e '"region"' -e '^    "cycles"' -e '"error"'
  tacho: two.s: bad: offset 0x1: not a valid instruction in 64-bit mode
  tacho: 1 of 2 predictions failed
      "region": "good",
      "cycles": 0.25,
      "error": null
      "region": "bad",
      "cycles": null,
      "error": "two.s: bad: offset 0x1: not a valid instruction in 64-bit mode"

A region that is not closed, and one that was never opened.

  $ printf 'nop\n# OSACA-BEGIN\ncltd\n' | tacho predict - -a SKL --format csv
  tacho: note: the region that begins on line 2 is not closed; it runs to the end
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,region,unknown,lower_bound,error
  99,1,1,unroll,SKL,MITE,decode,,0,false,
  $ printf 'nop\n# LLVM-MCA-END\ncltd\n' | tacho predict - -a SKL --format csv
  tacho: note: the end marker on line 2 has no begin marker; its region is all that comes before
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,region,unknown,lower_bound,error
  90,0.25,1/4,unroll,SKL,MITE,predecode;decode;issue,,0,false,
  $ printf 'nop\n# LLVM-MCA-END f\ncltd\n' | tacho predict - -a SKL --format csv
  tacho: standard input: line 2: this end marker closes no open region named 'f'
  [1]
  $ printf 'nop\n# LLVM-MCA-END\ncltd\n' | tacho predict - -a SKL --json | grep -A1 '"warnings"'
    "warnings": [
      "the end marker on line 2 has no begin marker; its region is all that comes before"

Object files: symbols, sections, ranges.

  $ cd $TMP; printf '.globl first,second\nfirst: nop; ret\nsecond: cltd; ret\n' | as -o t.o -; tacho predict t.o -a SKL --symbol second --format csv
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,region,unknown,lower_bound,error
  99c3,4.93617,,unroll,SKL,MITE,decode,second,0,false,
  $ cd $TMP; tacho predict t.o -a SKL --symbol secnd
  tacho: t.o: no symbol 'secnd'; did you mean second?
  [1]
  $ cd $TMP; tacho predict t.o -a SKL --section .txt
  tacho: t.o: no section '.txt' with contents; did you mean .text?
  [1]
  $ cd $TMP; tacho predict t.o -a SKL --range 0:1 --format csv
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,region,unknown,lower_bound,error
  90,0.25,1/4,unroll,SKL,MITE,predecode;decode;issue,,0,false,
  $ cd $TMP; tacho predict t.o -a SKL --range 2:99
  tacho: t.o: the range ends outside section .text, which is 0x0:0x4
  [1]
  $ cd $TMP; tacho predict t.o -a SKL --range 9
  tacho: --range is START:END with END after START, for instance 0x1140:0x1180, not '9'
  [2]
  $ cd $TMP; head -c 70 t.o > cut.o; tacho predict cut.o -a SKL
  tacho: cut.o: an ELF file without code (no sections or segments to be executed, or truncated)
  [1]
  $ cd $TMP; printf '\220\220' > raw; tacho predict --raw raw -a SKL --format csv
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,region,unknown,lower_bound,error
  9090,0.5,1/2,unroll,SKL,MITE,predecode;decode;issue,,0,false,
  $ cd $TMP; printf '\220\220' > raw; tacho predict --raw raw -a SKL --symbol f
  tacho: raw: machine code alone has no symbols or sections
  [2]

Too much at once.

  $ cd $TMP; printf '.rept 5000\nnop\n.endr\n' | tacho predict - -a SKL
  tacho: note: line 1: .rept: macros, repetitions and conditions are not read; the GNU assembler reads this text instead
  tacho: standard input: the block has more than 4096 instructions; analyse a smaller region (with --symbol, --range or markers)
  [1]

Listings: a comment of the source that goes on in lines that are not shown, and a line that is no instruction.

  $ printf '0000000000000040 <f>:\n/* why\n  40:\t48 ff c8 \tdec %%rax\n  43:\t(bad)\n  44:\t75 fa \tjne 40 <f>\n' | tacho predict - -a SKL --format csv
  tacho: note: line 4 of the listing cannot be read and is left out; INT3 stands for bytes that are missing
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,region,unknown,lower_bound,error
  48ffc8cc75fa,1,1,loop,SKL,DSB,dsb;ports;dependencies,,1,true,

Macros are of an assembler, whatever else looks like C.

  $ printf '#include "x.h"\n.macro m\nnop\n.endm\nvaddps %%zmm1, %%zmm2, %%zmm3{%%k1}{z}\n' | tacho predict - -a SKX --assembler own
  tacho: standard input: line 2: column 1: .macro: macros, repetitions and conditions are not read
  [1]
