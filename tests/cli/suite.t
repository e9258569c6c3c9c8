Every block once, whatever its hex looks like; applications united, counts summed, the first address kept.

  $ printf 'hex,apps,count,x\n4801d8,a;b,3,\n48 01 D8,b+c+g++,4,"y,z"\n90,,,\n' > $TMP/a.csv
  $ printf 'hex,address,app\n90,0x10,libstdc++6\n4801d8,0x20,a\n90,0x30,\n' > $TMP/b.csv
  $ tacho suite dedup $TMP/a.csv $TMP/b.csv
  hex,app,count,x,address
  4801d8,a;b;c;g++,7,"y,z",0x20
  90,libstdc++6,,,0x10
  6 rows, 2 different blocks
  $ tacho suite dedup $TMP/a.csv $TMP/b.csv -o $TMP/c.csv; tacho suite dedup < $TMP/c.csv | cmp - $TMP/c.csv
  6 rows, 2 different blocks
  2 rows, 2 different blocks
  $ tacho suite dedup --output=$TMP/c.csv $TMP/c.csv -- $TMP/c.csv; cut -d , -f 1-3 $TMP/c.csv
  4 rows, 2 different blocks
  hex,app,count
  4801d8,a;b;c;g++,14
  90,libstdc++6,
  $ printf 'hex,count\n90,18446744073709551615\n90,1\n' | tacho suite dedup -
  hex,count
  90,18446744073709551615
  2 rows, 1 different block
  $ printf 'hex,count\n90,1\n90,many\n' | tacho suite dedup
  tacho: standard input: line 3: the count is a whole number, not 'many'
  [1]
  $ printf '90\n9090\n90\n' | tacho suite dedup
  hex
  90
  9090
  3 rows, 2 different blocks
  $ printf '90,gzip\n' | tacho suite dedup
  tacho: standard input: line 1: field 2 belongs to no column; the first line of a suite names its columns: hex,app,address,count
  [1]
  $ printf 'app,hex\ngzip,90\n' | tacho suite dedup
  hex,app
  90,gzip
  1 row, 1 different block
  $ printf 'hex,app,apps\n' | tacho suite dedup
  tacho: standard input: two columns are called 'app' (or 'apps')
  [1]
  $ printf 'hex,app\nzz,a\n,b\n90,c\n9,d\n' | tacho suite dedup
  tacho: standard input: line 2: 'z' at offset 0 is not a hexadecimal digit; the row is left out
  tacho: standard input: line 3: the block is empty; the row is left out
  tacho: standard input: line 5: a digit without its second half at offset 1; each byte is two digits; the row is left out
  hex,app
  90,c
  1 row, 1 different block
  tacho: 3 of 4 rows were left out: their code is not hexadecimal, or none
  [3]
  $ printf 'hex,app\n' | tacho suite dedup
  hex,app
  0 rows, 0 different blocks
  $ printf '' | tacho suite dedup
  tacho: standard input: there is nothing in it
  [1]
  $ printf 'hex\n90\n4801\0d8\n' | tacho suite dedup
  tacho: standard input: line 3: a byte that is 0: this is no text
  [1]
  $ tacho suite dedup /nonexistent.csv
  tacho: /nonexistent.csv: cannot be read: No such file or directory
  [1]
  $ tacho suite dedup $TMP/a.csv -o /nonexistent/b.csv
  tacho: cannot write /nonexistent/b.csv: No such file or directory
  [1]
  $ tacho suite dedup $TMP/a.csv > /dev/full
  tacho: cannot write to standard output: No space left on device
  [1]
  $ tacho suite dedup --outptu x
  tacho: unknown option '--outptu'; did you mean --output?
  [2]
  $ tacho suite dedpu
  tacho: unknown command 'suite dedpu'; did you mean dedup?
  [2]

Each block as a loop: a row for each row.

  $ printf 'hex,app\n4801d8,x\n"48 01 C3 90"\n\nzz\n,\n4801\nc3\n4154415541564157415041514152415353505152565755\n9090909090\n' > $TMP/blocks.csv
  $ tacho suite loops --batch $TMP/blocks.csv
  hex,loop_hex,unroll,register,error
  4801d8,4801d84801d84801d84801d84801d849ffca75ec,5,r10,
  48 01 C3 90,4801c3904801c3904801c39049ffca75ef,3,r10,
  zz,,,,'z' at offset 0 is not a hexadecimal digit
  ,,,,the block is empty
  4801,,,,offset 0x0: the instruction is cut off
  c3,,,,offset 0x0: 'ret' is a return; a loop is made of straight code
  4154415541564157415041514152415353505152565755,,,,no register is left for the counter: the block uses all of them
  9090909090,909090909049ffca75f6,1,r10,
  tacho: 5 of 8 blocks failed
  [3]
  $ tacho suite loops --batch - --no-unroll < examples/blocks.csv
  hex,loop_hex,unroll,register,error
  4801d84801c349ffcf75f5,,,,offset 0x9: 'jnz -0x9' is a branch; a loop is made of straight code
  4889c3,4889c349ffca75f8,1,r10,
  48f7f1,48f7f149ffca75f8,1,r10,
  tacho: 1 of 3 blocks failed
  [3]
  $ tacho suite loops --batch $TMP/blocks.csv --both -o $TMP/both.csv; cut -d , -f 1-4 $TMP/both.csv | head -6
  tacho: 5 of 8 blocks failed
  hex,loop_hex,unroll,register
  4801d8,4801d849ffca75f8,1,r10
  4801d8,4801d84801d84801d84801d84801d849ffca75ec,5,r10
  48 01 C3 90,4801c39049ffca75f7,1,r10
  48 01 C3 90,4801c3904801c3904801c39049ffca75ef,3,r10
  zz,,,
  $ printf '' | tacho suite loops --batch -
  hex,loop_hex,unroll,register,error
  $ { echo 90; head -c 1048580 /dev/zero | tr '\0' 9; echo; echo 9090; } > $TMP/long.csv
  $ tacho suite loops --batch $TMP/long.csv
  hex,loop_hex,unroll,register,error
  90,909090909049ffca75f6,5,r10,
  ,,,,a line longer than 1 MiB (or a quote that is not closed)
  9090,90909090909049ffca75f5,3,r10,
  tacho: 1 of 3 blocks failed
  [3]
  $ tacho suite loops --batch /nonexistent.csv
  tacho: /nonexistent.csv: cannot be read: No such file or directory
  [1]
  $ tacho suite loops --batch $TMP/blocks.csv -o /nonexistent/b.csv
  tacho: cannot write /nonexistent/b.csv: No such file or directory
  [1]

Suites as a suite: what has no loop variant is left out, the other columns are kept.

  $ tacho suite loops $TMP/a.csv $TMP/b.csv --both
  hex,block_hex,unroll,register,app,count,x,address
  4801d849ffca75f8,4801d8,1,r10,a;b,3,,
  4801d84801d84801d84801d84801d849ffca75ec,4801d8,5,r10,a;b,3,,
  4801d849ffca75f8,4801d8,1,r10,b;c;g++,4,"y,z",
  4801d84801d84801d84801d84801d849ffca75ec,4801d8,5,r10,b;c;g++,4,"y,z",
  9049ffca75fa,90,1,r10,,,,
  909090909049ffca75f6,90,5,r10,,,,
  9049ffca75fa,90,1,r10,libstdc++6,,,0x10
  909090909049ffca75f6,90,5,r10,libstdc++6,,,0x10
  4801d849ffca75f8,4801d8,1,r10,a,,,0x20
  4801d84801d84801d84801d84801d849ffca75ec,4801d8,5,r10,a,,,0x20
  9049ffca75fa,90,1,r10,,,,0x30
  909090909049ffca75f6,90,5,r10,,,,0x30
  6 blocks, 12 loops (6 of them unrolled); no loop as all registers are used: 0, for other reasons: 0
  $ tacho suite loops < $TMP/blocks.csv
  tacho: standard input: line 5: 'z' at offset 0 is not a hexadecimal digit; the row is left out
  tacho: standard input: line 6: the block is empty; the row is left out
  tacho: standard input: line 7: offset 0x0: the instruction is cut off
  tacho: standard input: line 8: offset 0x0: 'ret' is a return; a loop is made of straight code
  hex,block_hex,unroll,register,app
  4801d84801d84801d84801d84801d849ffca75ec,4801d8,5,r10,x
  4801c3904801c3904801c39049ffca75ef,4801c390,3,r10,
  909090909049ffca75f6,9090909090,1,r10,
  6 blocks, 3 loops (2 of them unrolled); no loop as all registers are used: 1, for other reasons: 2
  tacho: 2 of 8 rows were left out: their code is not hexadecimal, or none
  [3]
  $ tacho suite loops $TMP/a.csv | tacho suite loops
  3 blocks, 3 loops (3 of them unrolled); no loop as all registers are used: 0, for other reasons: 0
  tacho: standard input: there is a column 'block_hex' already: these are loops
  [1]
  $ tacho suite loops $TMP/a.csv 2> /dev/null | tacho predict --batch - -a SKL
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,unknown,lower_bound,error
  4801d84801d84801d84801d84801d849ffca75ec,5,5,loop,SKL,DSB,dependencies,0,false,
  4801d84801d84801d84801d84801d849ffca75ec,5,5,loop,SKL,DSB,dependencies,0,false,
  909090909049ffca75f6,1.5,3/2,loop,SKL,DSB,issue,0,false,
  $ tacho suite loops --batch $TMP/blocks.csv $TMP/a.csv
  tacho: give FILEs (suites) or --batch FILE, not both
  [2]
  $ tacho suite loops --both --no-unroll
  tacho: give one of --both and --no-unroll
  [2]
  $ tacho suite loops --unroll 5
  tacho: unknown option '--unroll'; 'tacho help' lists the commands, 'tacho COMMAND --help' the options
  [2]

Some of the blocks: the same ones whatever the order of the rows, which is kept; another seed, other ones.

  $ for i in $(seq 10 73); do echo 48b8${i}00000000000000,a$((i / 40)),$i; done | sed '1ihex,app,n' > $TMP/many.csv
  $ tacho suite sample -n 3 $TMP/many.csv
  hex,app,n
  48b81300000000000000,a0,13
  48b86400000000000000,a1,64
  48b87000000000000000,a1,70
  64 blocks in 64 rows
  standard output: 3 blocks in 3 rows
  $ tacho suite sample -n 3 --seed 1 $TMP/many.csv
  hex,app,n
  48b82500000000000000,a0,25
  48b84300000000000000,a1,43
  48b85800000000000000,a1,58
  64 blocks in 64 rows
  standard output: 3 blocks in 3 rows
  $ (head -1 $TMP/many.csv; tail -n +2 $TMP/many.csv | sort -r) | tacho suite sample -n 3 -
  hex,app,n
  48b87000000000000000,a1,70
  48b86400000000000000,a1,64
  48b81300000000000000,a0,13
  64 blocks in 64 rows
  standard output: 3 blocks in 3 rows
  $ tacho suite sample --count=5 $TMP/many.csv $TMP/many.csv -o $TMP/five.csv 2> /dev/null; cut -d , -f 3 $TMP/five.csv | tr '\n' ' '; echo
  n 13 18 27 64 70 13 18 27 64 70 
  $ tacho suite sample -n 100 $TMP/many.csv 2> /dev/null | cmp - $TMP/many.csv
  $ tacho suite sample $TMP/many.csv
  tacho: how many blocks? -n N
  [2]
  $ tacho suite sample -n 0 $TMP/many.csv
  tacho: -n is a whole number from 1 to 4294967295, not '0'
  [2]
  $ tacho suite sample -n 1 --seed x $TMP/many.csv
  tacho: --seed is a whole number from 0 to 18446744073709551615, not 'x'
  [2]
  $ tacho suite sample -n 1 $TMP/b.csv | wc -l
  2 blocks in 3 rows
  standard output: 1 block in 2 rows
  3
  $ echo 90 | tacho suite sample -n 1 --by-app
  tacho: 'tacho suite sample --by-app' is no more: 'tacho suite filter --by app=NAME' has the blocks of each, to be sampled
  [2]
  $ printf '' | tacho suite sample -n 1
  tacho: standard input: there is nothing in it
  [1]
  $ printf 'hex,x\n' | tacho suite sample -n 1
  hex,x
  0 blocks in 0 rows
  standard output: 0 blocks in 0 rows
  $ tacho suite sample -n 1 $TMP/many.csv -o /nonexistent/x
  tacho: cannot write /nonexistent/x: No such file or directory
  [1]

What is fit, and why the rest is not.

  $ printf 'hex,app,flags\n4801d8,a,\n488b0748890e,b,\nd9e8,c,\nzz,c,\n"48 f7 f1",d,wide;dep\ne80000000090,e,\n488b07488b1e,f,dep\n480fbcc3f30fbcc3,g,\n,h,\n' > $TMP/mixed.csv
  $ tacho suite filter $TMP/mixed.csv --rejected $TMP/out.csv
  hex,app,flags
  4801d8,a,
  488b07488b1e,f,dep
  480fbcc3f30fbcc3,g,
  9 blocks: 3 kept, 6 rejected
    reason            blocks  no other
    undecodable            2         2
    control-flow           1         1
    x87                    1         1
    timing                 1         1
    aliasing               1         1
  $ cat $TMP/out.csv
  hex,app,flags,reason,instruction
  488b0748890e,b,,aliasing,"mov rax, [rdi]"
  d9e8,c,,x87,fld1
  zz,c,,undecodable,
  48f7f1,d,wide;dep,timing,div rcx
  e80000000090,e,,control-flow,call +0x5
  ,h,,undecodable,
  $ tacho suite filter -a SNB --except timing < $TMP/mixed.csv
  hex,app,flags
  4801d8,a,
  48f7f1,d,wide;dep
  9 blocks: 2 kept, 7 rejected
    reason            blocks  no other
    undecodable            2         2
    control-flow           1         1
    unsupported            1         1
    x87                    1         1
    aliasing               1         1
    bank-conflict          1         1
  $ tacho suite filter -a HSW,ICL --only x87,unsupported $TMP/mixed.csv | cut -d , -f 2 | tr '\n' ' '; echo
  9 blocks: 8 kept, 1 rejected
    reason            blocks  no other
    x87                    1         1
  app a b c d e f g h 
  $ tacho suite filter --by flags= --drop app=a $TMP/mixed.csv --only undecodable --rejected $TMP/out.csv -o $TMP/kept.csv; cut -d , -f 2 $TMP/kept.csv | tr '\n' ' '; echo; cut -d , -f 2,4,5 $TMP/out.csv
  9 blocks: 4 kept, 5 rejected
    reason            blocks  no other
    undecodable            2         2
    columns                3         3
  app b c e g 
  app,reason,instruction
  a,app=a,
  c,undecodable,
  d,not flags=,
  f,not flags=,
  h,undecodable,
  $ tacho suite filter --only too-long,accesses --max-instructions 1 --max-accesses 0 $TMP/mixed.csv | cut -d , -f 2 | tr '\n' ' '; echo
  9 blocks: 5 kept, 4 rejected
    reason            blocks  no other
    too-long               4         1
    accesses               3         0
  app a c c d h 
  $ tacho suite filter --max-bytes 3 --only too-long $TMP/mixed.csv 2> /dev/null | wc -l
  6
  $ tacho suite filter --drop flags=dep --only x87 $TMP/mixed.csv 2> /dev/null | cut -d , -f 2 | tr '\n' ' '; echo
  app a b c e g h 
  $ tacho suite filter --help | sed -n '/^Reasons/,/^A block/s/^  \([a-z0-9-]*\) .*/\1/p' > $TMP/reasons; wc -l < $TMP/reasons
  11
  $ for reason in $(cat $TMP/reasons); do tacho suite filter -a SKL --only $reason $TMP/mixed.csv > /dev/null 2>&1 || echo $reason; done
  $ tacho suite filter $TMP/mixed.csv --by colour=red
  tacho: --by colour=red: there is no column 'colour'
  [1]
  $ tacho suite filter $TMP/mixed.csv --by flags
  tacho: --by is COLUMN=VALUE, not 'flags'
  [2]
  $ tacho suite filter $TMP/mixed.csv --only aliasin
  tacho: --only: 'aliasin' is not a reason; did you mean aliasing?
  [2]
  $ tacho suite filter $TMP/mixed.csv --only x87 --except x87
  tacho: give one of --only and --except
  [2]
  $ tacho suite filter $TMP/mixed.csv --only store-pairing
  tacho: --only store-pairing: unsupported, bank-conflict and store-pairing need --arch
  [2]
  $ tacho suite filter $TMP/mixed.csv -a P4
  tacho: no microarchitecture P4; known are SNB, IVB, HSW, BDW, SKL, KBL, CFL, CLX, SKX, ICL, ICX, TGL, RKL, ADL, SPR, MTL, GNR, ZEN2, ZEN3, ZEN4, ZEN5
  [2]
  $ tacho suite filter $TMP/mixed.csv --rejected $TMP/x -o $TMP/x
  tacho: --output and --rejected are the same file
  [2]
  $ tacho suite filter $TMP/mixed.csv --rejected -
  tacho: --output and --rejected are the same file
  [2]
  $ printf 'hex,app,tag\n90,a+b,x+y\n4801d8,c;b,x\n4889c3,g++,y\n' > $TMP/apps.csv
  $ tacho suite filter --by app=b $TMP/apps.csv 2>/dev/null
  hex,app,tag
  90,a;b,x+y
  4801d8,c;b,x
  $ tacho suite filter --drop app=a --drop tag=y $TMP/apps.csv 2>/dev/null
  hex,app,tag
  4801d8,c;b,x
  $ tacho suite filter $TMP/mixed.csv --rejected /nonexistent/x
  tacho: cannot write /nonexistent/x: No such file or directory
  [1]
  $ tacho suite filter $TMP/out.csv --rejected $TMP/again.csv 2>&1 | sed "s,$TMP/,,"
  tacho: out.csv: there is a column 'reason' already, which --rejected would add
  $ tacho suite filter $TMP/nothing.csv 2>&1 | sed "s,$TMP/,,"
  tacho: nothing.csv: cannot be read: No such file or directory
  $ printf 'hex,app\n' | tacho suite filter
  hex,app
  0 blocks: 0 kept, 0 rejected

A line that does not end is an error with its number, and is not read to its end: 1 GB took 2.4 GB.

  $ { echo hex; head -c 40000000 /dev/zero | tr '\0' a; } 2>/dev/null | tacho suite dedup
  tacho: standard input: line 2: longer than 16 MiB (or a quoted field does not end)
  [1]
  $ { echo a,b; head -c 40000000 /dev/zero | tr '\0' 1; } 2>/dev/null | tacho compare --samples -
  tacho: standard input: line 2: longer than 16 MiB (or a quoted field does not end)
  [1]
