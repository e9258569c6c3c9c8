Through registers, flags and memory, within an iteration and across iterations.

  $ echo 'mov rax, [rdi+rcx*8-8]; add rax, [rdi+rcx*8-16]; mov [rdi+rcx*8], rax; inc rcx; adc rdx, 0' | tacho deps --syntax intel -
  standard input: 5 instructions, 21 bytes
  dependencies: 7 through registers, 1 through flags, 2 through memory
  
       0  mov rax, [rdi+rcx*8-8]
           memory    2 of the iteration before: [rdi+rcx*8-0x8], 8 bytes
           register  3 of the iteration before: rcx
       1  add rax, [rdi+rcx*8-16]
           register  0: rax
           register  3 of the iteration before: rcx
           memory    2 of 2 iterations before: [rdi+rcx*8-0x10], 8 bytes
       2  mov [rdi+rcx*8], rax
           register  1: rax
           register  3 of the iteration before: rcx
       3  inc rcx
           register  3 of the iteration before: rcx
       4  adc rdx, 0
           flags     1: carry flag
           register  4 of the iteration before: rdx
  $ echo 'mov [rsp], ecx; mov rdx, [rsp]; cvttsd2si rax, xmm0; mov rbx, [rax]' | tacho deps --syntax intel --kinds memory -
  standard input: 4 instructions, 15 bytes
  dependencies: 1 through memory
  1 of 3 accesses to memory has an address that cannot be followed
  
       0  mov [rsp], ecx
       1  mov rdx, [rsp]
           memory    0: [rsp], 4 of 8 bytes: cannot be forwarded
       2  cvttsd2si rax, xmm0
       3  mov rbx, [rax]
           address unknown
  $ tacho deps --hex '4889034c8b1e' --format csv
  source,target,distance,kind,carrier,bytes,load_bytes,store_bytes,forwards,share
  $ tacho deps --hex '4889034c8b1e' --format csv --alias rsi=rbx
  source,target,distance,kind,carrier,bytes,load_bytes,store_bytes,forwards,share
  0,1,0,memory,[rsi],8,8,8,yes,1
  $ tacho deps --hex '488943084c8b1e' --format csv --alias RSI=rbx+8
  source,target,distance,kind,carrier,bytes,load_bytes,store_bytes,forwards,share
  0,1,0,memory,[rsi],8,8,8,yes,1
  $ tacho deps --hex '488943f84c8b1e' --format csv --alias rsi=rbx-0x8
  source,target,distance,kind,carrier,bytes,load_bytes,store_bytes,forwards,share
  0,1,0,memory,[rsi],8,8,8,yes,1
  $ tacho deps --hex '4889034c8b1e' --format csv --init rbx=0x1000,rsi=0x1000
  source,target,distance,kind,carrier,bytes,load_bytes,store_bytes,forwards,share
  0,1,0,memory,[rsi],8,8,8,yes,1
  $ tacho deps --hex '4889034c8b1e' --format csv --init same
  source,target,distance,kind,carrier,bytes,load_bytes,store_bytes,forwards,share
  0,1,0,memory,[rsi],8,8,8,yes,1
  $ tacho deps --hex '488b07488987a00f00004883c708' --format csv --kinds memory
  source,target,distance,kind,carrier,bytes,load_bytes,store_bytes,forwards,share
  $ tacho deps --hex '488b07488987a00f00004883c708' --format csv --kinds memory --window 2000
  source,target,distance,kind,carrier,bytes,load_bytes,store_bytes,forwards,share
  1,0,500,memory,[rdi],8,8,8,yes,1
  $ tacho deps --hex '48ffc04801c3' --json | tr -d ' \n' | sed 's/.*"dependencies"/"dependencies"/'; echo
  "dependencies":[{"source":0,"target":0,"distance":1,"kind":"register","carrier":"rax","share":1.0},{"source":0,"target":1,"distance":0,"kind":"register","carrier":"rax","share":1.0},{"source":1,"target":1,"distance":1,"kind":"register","carrier":"rbx","share":1.0}]}
  $ printf '# LLVM-MCA-BEGIN a\ninc %%rax\n# LLVM-MCA-END a\n# LLVM-MCA-BEGIN b\ninc %%rbx\n# LLVM-MCA-END b\n' > $TMP/two.s; tacho deps $TMP/two.s --format csv
  region,source,target,distance,kind,carrier,bytes,load_bytes,store_bytes,forwards,share
  a,0,0,1,register,rax,,,,,1
  b,0,0,1,register,rbx,,,,,1
  $ tacho deps $TMP/two.s --json | grep -c '"schema": "tacho-deps-1"'
  2
  $ cd $TMP; printf '# LLVM-MCA-BEGIN a\n.byte 6\n# LLVM-MCA-END a\n# LLVM-MCA-BEGIN b\ninc %%rbx\n# LLVM-MCA-END b\n' > bad.s; tacho deps bad.s --format csv
  tacho: bad.s: a: offset 0x0: not a valid instruction in 64-bit mode
  tacho: 1 of 2 regions failed
  region,source,target,distance,kind,carrier,bytes,load_bytes,store_bytes,forwards,share
  b,0,0,1,register,rbx,,,,,1
  [3]
  $ cd $TMP; tacho deps bad.s 2> /dev/null; tacho deps bad.s --json 2> /dev/null | head -n 3
  bad.s: b: 1 instruction, 3 bytes
  dependencies: 1 through registers, 0 through flags, 0 through memory
  
       0  inc %rbx
           register  0 of the iteration before: rbx
  [
    {
      "schema": "tacho-deps-1",

Wrong usage and bad input.

  $ tacho deps --hex '4801' ; tacho deps --hex '90 06'
  tacho: --hex: offset 0x0: the instruction is cut off
  tacho: --hex: offset 0x1: not a valid instruction in 64-bit mode
  [1]
  $ tacho deps --hex '90' --alias rax=rax
  tacho: --alias rax=rax: wanted REG=REG, REG=REG+N or REG=REG-N of two 64-bit registers, such as rax=rbx+8
  [2]
  $ tacho deps --hex '90' --alias eax=rbx
  tacho: --alias eax=rbx: wanted REG=REG, REG=REG+N or REG=REG-N of two 64-bit registers, such as rax=rbx+8
  [2]
  $ tacho deps --hex '90' --alias rax=rbx+x
  tacho: --alias rax=rbx+x: wanted REG=REG, REG=REG+N or REG=REG-N of two 64-bit registers, such as rax=rbx+8
  [2]
  $ tacho deps --hex '90' --alias rax=rbx=5
  tacho: --alias rax=rbx=5: wanted REG=REG, REG=REG+N or REG=REG-N of two 64-bit registers, such as rax=rbx+8
  [2]
  $ tacho deps --hex '90' --alias rax=rbx --alias rcx=rax
  tacho: --alias rcx=rax: a register is given once, by another one that is not itself given so
  [2]
  $ tacho deps --hex '90' --kinds colour
  tacho: --kinds is register|flags|memory, not 'colour'
  [2]
  $ tacho deps --hex '90' --kinds ''
  tacho: --kinds is register|flags|memory, not ''
  [2]
  $ tacho deps --hex '90' --window 0
  tacho: --window is a whole number from 1 to 1000000, not '0'
  [2]
  $ tacho deps --hex '90' --share 50 --follow
  tacho: --share does not go with --follow: of a function, a dependency counts that is seen with all seeds, in whatever share of the executions
  [2]
  $ tacho deps --hex '90' --share 101
  tacho: --share is a number of percent from 1 to 100, not '101'
  [2]
  $ tacho deps --hex '90' --hexx
  tacho: unknown option '--hexx'; did you mean --hex?
  [2]
  $ tacho deps /nonexistent
  tacho: /nonexistent: cannot be read: No such file or directory
  [1]
  $ tacho deps --hex '488943104c8b1e' --format csv --alias rdi=rbx,rsi=rbx+16
  source,target,distance,kind,carrier,bytes,load_bytes,store_bytes,forwards,share
  0,1,0,memory,[rsi],8,8,8,yes,1
  $ tacho deps --hex '4889034c8b1e' --format csv --init same --noalias
  source,target,distance,kind,carrier,bytes,load_bytes,store_bytes,forwards,share
  $ tacho deps --hex '4889034c8b1e' --format csv --noalias --alias rsi=rbx
  source,target,distance,kind,carrier,bytes,load_bytes,store_bytes,forwards,share
  0,1,0,memory,[rsi],8,8,8,yes,1

A function, followed from its start: a row that is updated once in each outer iteration. As a loop, its last branch would be the end of it.

  $ printf 'xor ecx, ecx\n2: xor eax, eax\n1: mov rdx, [rsi+rax*8]\nadd [rdi+rax*8], rdx\ninc eax\ncmp eax, 26\njne 1b\ninc ecx\ncmp ecx, 26\njne 2b\nret\n' > $TMP/nest.s; tacho deps --syntax intel --follow --kinds memory - < $TMP/nest.s
  standard input: 11 instructions, 27 bytes
  dependencies: 1 through memory
  followed in 4 calls, 4 of them to the end: 13944 instructions
  
       0  xor ecx, ecx
       1  xor eax, eax
       2  mov rdx, [rsi+rax*8]
       3  add [rdi+rax*8], rdx
           memory    3 of 26 iterations before: [rdi+rax*8], 8 bytes, in 96 % of the executions
       4  inc eax
       5  cmp eax, 26
       6  jne 1b
       7  inc ecx
       8  cmp ecx, 26
       9  jne 2b
      10  ret
  $ tacho deps --syntax intel --follow --kinds memory --format csv $TMP/nest.s
  source,target,distance,kind,carrier,bytes,load_bytes,store_bytes,forwards,share,longest,back
  3,3,26,memory,[rdi+rax*8],8,8,8,yes,0.9615,26,134
  $ tacho deps --syntax intel --straight --kinds memory --format csv $TMP/nest.s
  source,target,distance,kind,carrier,bytes,load_bytes,store_bytes,forwards,share
  3,3,1,memory,[rdi+rax*8],8,8,8,yes,1
  $ tacho deps --syntax intel --follow --kinds memory --json $TMP/nest.s | tr -d ' \n' | sed 's/.*"dependencies"/"dependencies"/'; echo
  "dependencies":[{"source":3,"target":3,"distance":26,"kind":"memory","carrier":"[rdi+rax*8]","share":0.961538461538,"longest":26,"back":134,"bytes":8,"load_bytes":8,"store_bytes":8,"offset":0,"forwards":true}],"returned":4,"executed":13944,"undetermined":0,"calls":0}
  $ printf '1: mov eax, [rdi]\ntest eax, eax\njs 2f\nadd [rsi], eax\n2: call rax\nadd rdi, 4\ncmp rdi, rdx\njne 1b\nret\n' | tacho deps --syntax intel --follow --budget 5000 --kinds memory -
  standard input: 9 instructions, 20 bytes
  dependencies: 0 through memory
  followed in 52 calls, 34 of them to the end: 4912 instructions, 1302 branches whose way was chosen, 650 calls not followed
  
       0  mov eax, [rdi]
       1  test eax, eax
       2  js 2f
       3  add [rsi], eax
       4  call rax
       5  add rdi, 4
       6  cmp rdi, rdx
       7  jne 1b
       8  ret
  $ tacho deps --budget 100 --hex 90
  tacho: --budget goes with --follow or --run
  [2]
  $ tacho deps --follow --budget 0 --hex 90
  tacho: --budget is a whole number from 1 to 1000000000, not '0'
  [2]
  $ tacho deps --follow --run -o x -- true
  tacho: --follow does not go with --run
  [2]

Input with branches: its innermost loops.

  $ printf 'f: xor %%eax, %%eax\n1: add (%%rdi), %%rax\nadd $8, %%rdi\ndec %%rsi\njne 1b\n2: imul %%rax, %%rax\ndec %%rdx\njne 2b\nret\n' > $TMP/loops.s; cd $TMP; tacho deps loops.s
  tacho: note: loops.s holds several blocks: its innermost loops are analysed, as with --loops (--loop N: one of them; --straight: all as one block)
  loops.s: f+0xe: 3 instructions, 9 bytes
  dependencies: 2 through registers, 1 through flags, 0 through memory
  
       0  imul %rax, %rax
           register  0 of the iteration before: rax
       1  dec %rdx
           register  1 of the iteration before: rdx
       2  jne 2b
           flags     1: flags but carry
  
  loops.s: f+0x2: 4 instructions, 12 bytes
  dependencies: 4 through registers, 1 through flags, 0 through memory
  
       0  add (%rdi), %rax
           register  0 of the iteration before: rax
           register  1 of the iteration before: rdi
       1  add $8, %rdi
           register  1 of the iteration before: rdi
       2  dec %rsi
           register  2 of the iteration before: rsi
       3  jne 1b
           flags     2: flags but carry
  $ cd $TMP; tacho deps --loop 1 --format csv loops.s
  source,target,distance,kind,carrier,bytes,load_bytes,store_bytes,forwards,share
  0,0,1,register,rax,,,,,1
  1,0,1,register,rdi,,,,,1
  1,1,1,register,rdi,,,,,1
  2,2,1,register,rsi,,,,,1
  2,3,0,flags,flags but carry,,,,,1
  $ cd $TMP; tacho deps --top 1 --json loops.s | grep -e region -e '^.$'
  tacho: note: loops.s holds several blocks: its innermost loops are analysed, as with --loops (--loop N: one of them; --straight: all as one block)
  tacho: note: 1 of 2 loops are analysed; --top N or --top all: more of them
  {
    "region": "f+0xe",
  }
  $ cd $TMP; tacho deps --loops --top 0 loops.s
  tacho: --top 0: no loop would be analysed
  [2]
  $ cd $TMP; tacho deps --loop 2 loops.s
  tacho: loops.s has no loop 2: it has 2, numbered from 0
  [1]
  $ cd $TMP; tacho deps --loops --follow loops.s
  tacho: --loops does not go with --follow: it takes a function
  [2]
  $ cd $TMP; tacho deps --loops --hex '4801d8'
  tacho: --hex: no loop in 1 function
  [1]
