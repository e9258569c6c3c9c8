A row for each row, in order; failures have a message, and the status says that there were some.

  $ printf 'hex,app\n4801d8,x\n"4801c3",y\n\nzz,\n,\n4801\n48 01 d8\n' | tacho predict --batch - -a SKL
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,unknown,lower_bound,error
  4801d8,1,1,unroll,SKL,MITE,dependencies,0,false,
  4801c3,1,1,unroll,SKL,MITE,dependencies,0,false,
  zz,,,,SKL,,,,,'z' at offset 0 is not a hexadecimal digit
  ,,,,SKL,,,,,the block is empty: there is nothing to analyse
  4801,,,,SKL,,,,,offset 0x0: the instruction is cut off
  48 01 d8,1,1,unroll,SKL,MITE,dependencies,0,false,
  tacho: 3 of 6 blocks failed
  [3]
  $ tacho predict --batch examples/blocks.csv -a SKL --jobs 1
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,unknown,lower_bound,error
  4801d84801c349ffcf75f5,2,2,loop,SKL,DSB,dependencies,0,false,
  4889c3,0.3125,5/16,unroll,SKL,MITE,predecode,0,false,
  48f7f1,32,32,unroll,SKL,MITE,dependencies,0,false,
  $ printf '4801d8\r\n4801c3\r\n' | tacho predict --batch - -a SKL
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,unknown,lower_bound,error
  4801d8,1,1,unroll,SKL,MITE,dependencies,0,false,
  4801c3,1,1,unroll,SKL,MITE,dependencies,0,false,
  $ printf '\357\273\277hex\n90' | tacho predict --batch - -a SKL
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,unknown,lower_bound,error
  90,0.25,1/4,unroll,SKL,MITE,predecode;decode;issue,0,false,
  $ printf '\033[31mzz\377\n90\n' | tacho predict --batch - -a SKL
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,unknown,lower_bound,error
  ?[31mzz?,,,,SKL,,,,,byte 0x1b at offset 0 is not a hexadecimal digit
  90,0.25,1/4,unroll,SKL,MITE,predecode;decode;issue,0,false,
  tacho: 1 of 2 blocks failed
  [3]
  $ printf '90,"a line\nbreak"\n90\n' | tacho predict --batch - -a SKL
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,unknown,lower_bound,error
  90,0.25,1/4,unroll,SKL,MITE,predecode;decode;issue,0,false,
  90,0.25,1/4,unroll,SKL,MITE,predecode;decode;issue,0,false,
  $ printf '' | tacho predict --batch - -a SKL
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,unknown,lower_bound,error
  $ tacho predict --batch /nonexistent.csv -a SKL
  tacho: /nonexistent.csv: cannot be read: No such file or directory
  [1]
  $ printf 'hex\n4801d8\nzz\n' | tacho predict --batch - -a SNB,SKL --jobs 2
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,unknown,lower_bound,error
  4801d8,1,1,unroll,SNB,MITE,dependencies,0,false,
  4801d8,1,1,unroll,SKL,MITE,dependencies,0,false,
  zz,,,,SNB,,,,,'z' at offset 0 is not a hexadecimal digit
  zz,,,,SKL,,,,,'z' at offset 0 is not a hexadecimal digit
  tacho: 2 of 4 predictions failed
  [3]
  $ printf '90\n' | tacho predict --batch - -a all | cut -d , -f 1,5 | tr '\n' ' '; echo
  hex,arch 90,SNB 90,IVB 90,HSW 90,BDW 90,SKL 90,KBL 90,CFL 90,CLX 90,SKX 90,ICL 90,ICX 90,TGL 90,RKL 90,ADL 90,SPR 90,MTL 90,GNR 90,ZEN2 90,ZEN3 90,ZEN4 90,ZEN5 
  $ tacho predict --batch examples/blocks.csv -a SKL --json
  tacho: --batch writes CSV; --format json and text do not apply
  [2]
  $ tacho predict --batch examples/blocks.csv -a SKL --symbol f
  tacho: --batch reads machine code in hex; --symbol, --section, --range, --raw, --syntax and --output-syntax do not apply
  [2]
  $ tacho predict --batch examples/blocks.csv -a SKL --jobs 0
  tacho: --jobs is a whole number from 1 to 256, not '0'
  [2]

The code is in the column that a header calls hex, wherever it stands; what the other columns are called does not matter. One rule for all that read CSV.

  $ cd $TMP; printf 'name,cycles,"Hex"\n"a, ""b""",1, 4801d8 \nshort,1\n\n,,90\n' > third.csv; printf 'hex,whatever\n4801d8,x\n' > first.csv; printf 'block,other\n' > none.csv
  $ cd $TMP; tacho predict --batch third.csv -a SKL
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,unknown,lower_bound,error
  4801d8,1,1,unroll,SKL,MITE,dependencies,0,false,
  ,,,,SKL,,,,,the block is empty: there is nothing to analyse
  90,0.25,1/4,unroll,SKL,MITE,predecode;decode;issue,0,false,
  tacho: 1 of 3 blocks failed
  [3]
  $ cd $TMP; tacho predict --batch first.csv -a SKL | cut -d, -f1,2
  hex,cycles
  4801d8,1
  $ cd $TMP; tacho predict --batch none.csv -a SKL
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,unknown,lower_bound,error
  block,,,,SKL,,,,,'l' at offset 1 is not a hexadecimal digit
  tacho: 1 of 1 blocks failed
  [3]
  $ cd $TMP; tacho suite loops --batch third.csv | cut -d, -f1,3-
  tacho: 1 of 3 blocks failed
  hex,unroll,register,error
  4801d8,5,r10,
  ,,,the block is empty
  90,5,r10,
  $ cd $TMP; printf 'name,hex\nx,4801d8\n' > second.csv; tacho suite dedup second.csv first.csv 2>/dev/null
  hex,name,whatever
  4801d8,x,x
  $ cd $TMP; printf 'cycles,hex\n1,4801d8\n' > m.csv; tacho eval --measured m.csv --predicted A=m.csv | tail -1
  1            1       0    0.00      0.00  0.00  0.00              -

Comments at the beginning are passed over, and what gzip has compressed is read as it was.

  $ cd $TMP; printf '# cpu: none\n# mode: loop\nhex,note\n4801d8,a\n90,b\n' > commented.csv; gzip -nk commented.csv
  $ cd $TMP; tacho predict --batch commented.csv -a SKL --mode unroll
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,unknown,lower_bound,error
  4801d8,1,1,unroll,SKL,MITE,dependencies,0,false,
  90,0.25,1/4,unroll,SKL,MITE,predecode;decode;issue,0,false,
  $ cd $TMP; tacho predict --batch commented.csv.gz -a SKL --mode unroll
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,unknown,lower_bound,error
  4801d8,1,1,unroll,SKL,MITE,dependencies,0,false,
  90,0.25,1/4,unroll,SKL,MITE,predecode;decode;issue,0,false,
  $ cd $TMP; cat commented.csv.gz | tacho predict --batch - -a SKL --mode unroll | tail -n 1
  90,0.25,1/4,unroll,SKL,MITE,predecode;decode;issue,0,false,
  $ cd $TMP; tacho suite sample -n 1 --seed 1 commented.csv.gz
  hex,note
  90,b
  2 blocks in 2 rows
  standard output: 1 block in 1 row
  $ cd $TMP; yes 9090909090909090909090909090909090909090 | head -c 80000000 | gzip -9 > bomb.csv.gz; tacho suite dedup bomb.csv.gz
  tacho: bomb.csv.gz: cannot be read: it is compressed to less than a hundredth of its size: gunzip it first
  [1]
  $ cd $TMP; printf 'hex\r90\r9090\r' | tacho predict --batch - -a SKL --mode unroll
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,unknown,lower_bound,error
  90,0.25,1/4,unroll,SKL,MITE,predecode;decode;issue,0,false,
  9090,0.5,1/2,unroll,SKL,MITE,predecode;decode;issue,0,false,
  $ cd $TMP; head -c 30 commented.csv.gz | tacho predict --batch - -a SKL; tacho measure --batch commented.csv --resume -o commented.csv.gz
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,unknown,lower_bound,error
  tacho: standard input: cannot be read: it is compressed, and cut off
  tacho: --resume: commented.csv.gz is compressed: gunzip it to go on
  [1]
