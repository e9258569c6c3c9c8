A row for each row, in order; failures have a message, and the status says that there were some.

  $ printf 'hex,app\n4801d8,x\n"4801c3",y\n\nzz,\n,\n4801\n48 01 d8\n' | tacho predict --batch - -a SKL
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,error
  4801d8,1,1,unroll,SKL,MITE,dependencies,
  4801c3,1,1,unroll,SKL,MITE,dependencies,
  zz,,,,SKL,,,'z' at offset 0 is not a hexadecimal digit
  ,,,,SKL,,,the block is empty: there is nothing to analyse
  4801,,,,SKL,,,offset 0x0: the instruction is cut off
  48 01 d8,1,1,unroll,SKL,MITE,dependencies,
  tacho: 3 of 6 blocks failed
  [3]
  $ tacho predict --batch examples/blocks.csv -a SKL --jobs 1
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,error
  4801d84801c349ffcf75f5,2,2,loop,SKL,DSB,dependencies,
  4889c3,0.3125,5/16,unroll,SKL,MITE,predecode,
  48f7f1,32,32,unroll,SKL,MITE,dependencies,
  $ printf '4801d8\r\n4801c3\r\n' | tacho predict --batch - -a SKL
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,error
  4801d8,1,1,unroll,SKL,MITE,dependencies,
  4801c3,1,1,unroll,SKL,MITE,dependencies,
  $ printf '\357\273\277hex\n90' | tacho predict --batch - -a SKL
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,error
  90,0.25,1/4,unroll,SKL,MITE,predecode;decode;issue,
  $ printf '90,"a line\nbreak"\n90\n' | tacho predict --batch - -a SKL
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,error
  90,0.25,1/4,unroll,SKL,MITE,predecode;decode;issue,
  90,0.25,1/4,unroll,SKL,MITE,predecode;decode;issue,
  $ printf '' | tacho predict --batch - -a SKL
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,error
  $ tacho predict --batch /nonexistent.csv -a SKL
  tacho: /nonexistent.csv: cannot be read: No such file or directory
  [1]
  $ printf 'hex\n4801d8\nzz\n' | tacho predict --batch - -a SNB,SKL --jobs 2
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,error
  4801d8,1,1,unroll,SNB,MITE,dependencies,
  4801d8,1,1,unroll,SKL,MITE,dependencies,
  zz,,,,SNB,,,'z' at offset 0 is not a hexadecimal digit
  zz,,,,SKL,,,'z' at offset 0 is not a hexadecimal digit
  tacho: 2 of 4 predictions failed
  [3]
  $ printf '90\n' | tacho predict --batch - -a all | cut -d , -f 1,5 | tr '\n' ' '; echo
  hex,arch 90,SNB 90,IVB 90,HSW 90,BDW 90,SKL 90,KBL 90,CFL 90,CLX 90,SKX 90,ICL 90,ICX 90,TGL 90,RKL 90,ZEN5 
  $ tacho predict --batch examples/blocks.csv -a SKL --json
  tacho: --batch writes CSV; --format json and text do not apply
  [2]
  $ tacho predict --batch examples/blocks.csv -a SKL --symbol f
  tacho: --batch reads machine code in hex; --symbol, --section, --range, --raw and --syntax do not apply
  [2]
  $ tacho predict --batch examples/blocks.csv -a SKL --jobs 0
  tacho: --jobs is a whole number from 1 to 256, not '0'
  [2]
