The example of the issue: two cycles, and the dependency through rax and rbx.

  $ echo 'l: add rax, rbx; add rbx, rax; dec r15; jnz l' | tacho predict --syntax intel -a SKL - | head -4
  2 cycles per iteration on SKL, Skylake (client)
  
  bottleneck   dependencies: the dependency through rax and rbx (instructions 0, 1)
  to move it   a shorter chain, or several independent ones (more accumulators)

The same in the other ways to write it.

  $ tacho predict --hex '48 01 d8 48 01 c3 49 ff cf 75 f5' -a skylake | head -1
  2 cycles per iteration on SKL, Skylake (client)
  $ tacho predict -arch SKL examples/chain.s | head -1
  2 cycles per iteration on SKL, Skylake (client)
  $ tacho predict --format csv --arch=SKL examples/chain.s
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,region,unknown,lower_bound,error
  4801d84801c349ffcf75f5,2,2,loop,SKL,DSB,dependencies,,0,false,
  $ tacho predict -aSKL --mode unroll -- examples/chain.s | head -5 | tail -1
  next limit   predecode, at 1.38

Regions have names; several architectures make a table.

  $ tacho predict examples/dot.s -a SKL | head -2
  [0] dot (line 11)
  4 cycles per iteration on SKL, Skylake (client)
  $ tacho predict examples/dot.s -a SNB,HSW | tail -2
  tacho: 1 of 2 predictions failed
  SNB          -  SNB has no FMA: vfmadd231ps (%rsi,%rax), %ymm1, %ymm0 (instruction 1)
  HSW          5  5           loop    LSD        dependencies
  $ tacho predict examples/dot.s -a SKL,ICX
  arch    cycles  exactly     mode    µops from  bottleneck
  SKL          4  4           loop    DSB        dependencies
  ICX          4  4           loop    DSB        dependencies

JSON has the fields that scripts rely on.

  $ tacho predict examples/chain.s -a SKL --json | grep -c -e '^  "cycles": 2' -e '^  "cycles_exact"' -e '"period_iterations"' -e '"mode": "loop"' -e '"arch": "SKL"' -e '"source": "DSB"' -e '"bottlenecks"' -e '"bounds"' -e '"topdown"' -e '"instructions": \[$' -e '"warnings"'
  13
  $ tacho predict examples/chain.s -a SKL,ICX --json | head -1
  [
  $ tacho predict examples/chain.s -a SKL --json | grep -A12 '"bounds"' | grep -o '"[a-z]*":' | tr '\n' ' '; echo
  "bounds": "predecode": "decode": "dsb": "lsd": "issue": "ports": "divider": "dependencies": 

  $ tacho predict examples/chain.s -a SKL --color always | head -1 | od -c | head -1 | cut -c 9-30
  033   [   1   m   2   

Initial values are understood and checked.

  $ tacho predict --hex 4801d8 -a SKL --init same,rax=0x40,rbx=-64 --format csv
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,region,unknown,lower_bound,error
  4801d8,1,1,unroll,SKL,MITE,dependencies,,0,false,
  $ tacho predict --hex 4801d8 -a SKL --init raxx=1
  tacho: --init: 'raxx' is not a 64-bit general-purpose register; did you mean rax, rcx or rdx?
  [2]
  $ tacho predict --hex 4801d8 -a SKL --init rax=one
  tacho: --init: 'one' is not a whole number (decimal, or hexadecimal after 0x)
  [2]
  $ tacho predict --hex 4801d8 -a SKL --init sane
  tacho: --init is distinct|aligned|same|REG=VALUE, not 'sane'; did you mean same?
  [2]

Bytes that are no instruction.

  $ tacho predict --hex 4801d806 -a SKL
  tacho: --hex: offset 0x3: not a valid instruction in 64-bit mode
  [1]
  $ tacho predict --hex 48 -a SKL
  tacho: --hex: offset 0x0: the instruction is cut off
  [1]
  $ tacho predict --hex 4x -a SKL
  tacho: --hex: 'x' at offset 1 is not a hexadecimal digit
  [1]
  $ tacho predict --hex '' -a SKL
  tacho: --hex: empty input
  [1]

Instructions without figures, four ways.

  $ tacho predict --hex '4801d8 660f38cfc1' -a SKL --ignore-isa --format csv
  tacho: note: code that the microarchitecture cannot execute is predicted as if it could (--ignore-isa), which the CSV does not say
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,region,unknown,lower_bound,error
  4801d8660f38cfc1,1,1,unroll,SKL,MITE,dependencies,,1,true,
  $ tacho predict --hex '4801d8 660f38cfc1' -a SKL --ignore-isa --format csv --unknown 3
  tacho: note: code that the microarchitecture cannot execute is predicted as if it could (--ignore-isa), which the CSV does not say
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,region,unknown,lower_bound,error
  4801d8660f38cfc1,3,3,unroll,SKL,MITE,dependencies,,1,false,
  $ tacho predict --hex '4801d8 660f38cfc1' -a SKL --ignore-isa --unknown error
  tacho: --hex: offset 0x3: the SKL table has no figures for 'gf2p8mulb xmm0, xmm1'
  [1]
  $ tacho predict --hex '4801d8 660f38cfc1' -a SKL --ignore-isa --unknown skip | tail -5
  
  warning: SKL cannot execute 1 of 2 instructions (it has no GFNI, which instruction 1 needs):
           predicted as if it could
  warning: 1 of 2 instructions is not in the SKL table and left out, though its bytes stay in place:
           'gf2p8mulb xmm0, xmm1'
  $ tacho predict --hex '4801d8 660f38cfc1' -a SKL --ignore-isa --unknown skip --json | grep -e unknown_i -e skipped
    "unknown_instructions": 1,
    "skipped_instructions": 1,
  $ tacho predict --hex '90' -a SKL --unknown maybe
  tacho: --unknown is warn|skip|error|a latency in cycles, not 'maybe'
  [2]
  $ tacho predict --hex '90' -a SKL --unknown 0
  tacho: --unknown N is a whole number from 1 to 1000, not '0'
  [2]

What is known of pointers, and forwarding that fails.

  $ tacho predict -a SKL --hex '4889034c8b1e4c89d8' --mode unroll --format csv
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,region,unknown,lower_bound,error
  4889034c8b1e4c89d8,1,1,unroll,SKL,MITE,ports,,0,false,
  $ tacho predict -a SKL --hex '4889034c8b1e4c89d8' --mode unroll --format csv --alias rsi=rbx
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,region,unknown,lower_bound,error
  4889034c8b1e4c89d8,5,5,unroll,SKL,MITE,dependencies,,0,false,
  $ tacho predict -a SKL --hex '4889034c8b1e4c89d8' --mode unroll --format csv --alias rdi=rbx-8,RSI=rbx+0x4
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,region,unknown,lower_bound,error
  4889034c8b1e4c89d8,15,,unroll,SKL,MITE,,,0,false,
  $ tacho predict -a SKL --hex '4889034c8b1e4c89d8' --mode unroll --format csv --init same
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,region,unknown,lower_bound,error
  4889034c8b1e4c89d8,5,5,unroll,SKL,MITE,dependencies,,0,false,
  $ tacho predict -a SKL --hex '4889034c8b1e4c89d8' --mode unroll --format csv --init rsi=64,rbx=64 --noalias
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,region,unknown,lower_bound,error
  4889034c8b1e4c89d8,1,1,unroll,SKL,MITE,ports,,0,false,
  $ tacho predict -a SKL --hex '4889034c8b1e4c89d8' --mode unroll --format csv --init same --noalias --alias rsi=rbx
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,region,unknown,lower_bound,error
  4889034c8b1e4c89d8,5,5,unroll,SKL,MITE,dependencies,,0,false,
  $ tacho predict -a SKL --hex '4889034c8b1e4c89d8' --mode unroll --format csv --init same --no-memory-deps
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,region,unknown,lower_bound,error
  4889034c8b1e4c89d8,1,1,unroll,SKL,MITE,ports,,0,false,
  $ tacho predict -a SKL --hex 'c600014c8b20' --mode unroll --format csv --simple-memory
  tacho: note: a what-if run, which the CSV does not say
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,region,unknown,lower_bound,error
  c600014c8b20,1,1,unroll,SKL,MITE,ports,,0,false,
  $ tacho predict -a SKL --hex 'c600014c8b20' --json | grep -E '"(notes|blocked_by)"|store_'
        "notes": [
        "blocked_by": null,
        "notes": [
          "store_blocked"
        "blocked_by": 0,
  $ tacho predict -a SKL --hex 'c600014c8b20' | grep -A1 -e '^  B' -e '^warning'
    B    loads what a store of the block cannot forward: waits for the cache
  
  warning: instruction 1 loads bytes of which the store of instruction 0 wrote only some: the store
           cannot forward them, so the load waits until the store has reached the cache
  $ tacho predict -a SKL --hex 4889034c8b1e --alias rsi
  tacho: --alias rsi: wanted REG=REG, REG=REG+N or REG=REG-N of two 64-bit registers, such as rax=rbx+8
  [2]
  $ tacho predict -a SKL --hex 4889034c8b1e --alias rsi=rsi
  tacho: --alias rsi=rsi: wanted REG=REG, REG=REG+N or REG=REG-N of two 64-bit registers, such as rax=rbx+8
  [2]
  $ tacho predict -a SKL --hex 4889034c8b1e --alias rsi=rbx,rbx=rdi
  tacho: --alias rbx=rdi: a register is given once, by another one that is not itself given so
  [2]
  $ tacho predict -a SKL --hex 4889034c8b1e --alias rsi=rbx+x
  tacho: --alias rsi=rbx+x: wanted REG=REG, REG=REG+N or REG=REG-N of two 64-bit registers, such as rax=rbx+8
  [2]

4K aliasing: where the distance is known, by offsets, by what is said of pointers or by values.

  $ echo 'mov [rdi], rcx; mov rsi, [rsi]' > $TMP/chase.s
  $ tacho predict -a SKL --syntax intel $TMP/chase.s --mode unroll --format csv --init same,rdi=0x12346640
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,region,unknown,lower_bound,error
  48890f488b36,4,4,unroll,SKL,MITE,dependencies,,0,false,
  $ tacho predict -a SKL --syntax intel $TMP/chase.s --mode unroll --format csv --init same,rdi=0x12346600
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,region,unknown,lower_bound,error
  48890f488b36,12,,unroll,SKL,MITE,,,0,false,
  $ tacho predict -a SKL --syntax intel $TMP/chase.s --mode unroll --format csv --init same,rdi=0x12346604
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,region,unknown,lower_bound,error
  48890f488b36,12,,unroll,SKL,MITE,,,0,false,
  $ tacho predict -a SKL --syntax intel $TMP/chase.s --mode unroll --format csv --init same,rdi=0x12346608
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,region,unknown,lower_bound,error
  48890f488b36,4,4,unroll,SKL,MITE,dependencies,,0,false,
  $ tacho predict -a SKL --syntax intel $TMP/chase.s --mode unroll --format csv --init same,rdi=0x12346600 --set alias_4k_cycles=0
  tacho: note: a what-if run, which the CSV does not say
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,region,unknown,lower_bound,error
  48890f488b36,4,4,unroll,SKL,MITE,dependencies,,0,false,
  $ tacho predict -a SKL --syntax intel $TMP/chase.s --mode unroll --init same,rdi=0x12346600 | grep -E -B1 'load is repeated|no dependencies through'
           1   -92 %  no dependencies at all
           4   -67 %  no dependencies through memory
  --
    *    on the critical dependency cycle
    4    loads from a multiple of 4096 bytes away from a store of the block: the load is repeated
  $ tacho predict -a SKL --syntax intel $TMP/chase.s --mode unroll --init same,rdi=0x12346600 --json | grep -E '"aliased_by"|"alias_4k"'
        "aliased_by": null
          "alias_4k"
        "aliased_by": 0
  $ echo 'mov rax, [rsi]; mov [rdi], rax; add rsi, 8; add rdi, 8' > $TMP/copy.s
  $ for by in 0 4096 4104 8200 4108 4112; do tacho predict -a SKL --syntax intel $TMP/copy.s --mode unroll --alias rdi=rsi+$by | grep -c 'repeats the load\|load is repeated'; done
  0
  0
  2
  2
  2
  2
  $ echo 'mov rax, [rsi+4104]; mov [rsi], rax; add rsi, 8' | tacho predict -a SKL --syntax intel - --mode unroll | grep -c 'repeats the load\|load is repeated'
  0
  [1]
  $ echo 'mov rax, [rsi+4088]; mov [rsi], rax; add rsi, 8' | tacho predict -a SKL --syntax intel - --mode unroll | grep -B1 -E '4K aliasing'
  warning: instruction 0 loads from a multiple of 4096 bytes away from what instruction 1 stores: the
           core takes it for a dependency, and repeats the load 7 cycles later (4K aliasing)
  $ tacho predict -a SKL --syntax intel $TMP/copy.s --mode unroll | grep -c 'repeats the load\|load is repeated'
  0
  [1]

A core of sixteen ports: the later ones are letters, those that take nothing have no column.

  $ echo 'vmovups [rdi], ymm0' | tacho predict --syntax intel -a ZEN5 -m unroll - | grep -e '^  *#' -e vmovups
     #  instruction         rthr opc iss exec AGU FP  notes
     0  vmovups [rdi], ymm0  0.5   1   1    2   1  1  m
  $ echo 'vmovups [rdi], ymm0' | tacho predict --syntax intel -a ZEN5 -m unroll --json - | tr -d ' \n' | grep -o '"ports":{[^}]*}' | head -1
  "ports":{"0":0.0,"1":0.0,"2":0.0,"3":0.0,"4":0.0,"5":0.0,"6":0.0,"7":0.0,"8":0.49593495935,"9":0.50406504065,"10":0.0,"11":0.0,"12":0.0,"13":0.0,"14":0.49593495935,"15":0.50406504065}
  $ tacho arch ZEN5 --json | tr -d ' \n' | grep -o '"store_data_ports":{"value":[^]]*]'
  "store_data_ports":{"value":[14,15]

What each instruction takes alone: loads with the first-level cache, eliminated moves nothing, stores and NOPs no
latency at all; a division its least interval.

  $ tacho predict --hex '4801d8 0fafd8 488b0c91 4889d8 31c0 90 488903 48f7f1 440f44c1' -a SKL | sed -n '/^ *# .* rthr/,/^ sum/p' | cut -c1-38
     #  instruction          lat rthr MI
     0  add rax, rbx           1 0.25   
     1  imul ebx, eax          3    1   
     2  mov rcx, [rcx+rdx*4]   5  0.5   
     3  mov rax, rbx           0 0.25   
     4  xor eax, eax           0 0.25   
     5  nop                      0.25   
     6  mov [rbx], rax              1   
     7  div rcx               35   21   
     8  cmovz r8d, ecx         1  0.5   
   sum                                  
  $ tacho predict --hex '488b0c91 90' -a SKL --json | grep -E '^ {6}"(latency|reciprocal_throughput)"' | sort -u
        "latency": 5.0,
        "latency": null,
        "reciprocal_throughput": 0.25,
        "reciprocal_throughput": 0.5,
