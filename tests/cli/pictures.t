The timeline: a chain of multiplications, each three cycles after the one before.

  $ tacho predict --hex '480fafc0' -a SKL --timeline-max-iterations 4 | sed -n '/^Timeline/,$p'
  Timeline, from the start of the simulation (the result is that of iterations 112 to 119)
    P predecoded   Q entered the µop queue   I issued   r operands ready   D dispatched to its port
    E executed   R retired   (D in place of r: dispatched in the cycle in which it became ready)
    . in a queue of the front end   ~ waits for operands   = waits for its port   e is being executed
    - done, waits for older µops to retire
  iteration,                   0         10        20
  instruction  port    from    01234567890123456789012
  [0,0]     p1           MITE  P..QI~~~~DeeER          imul rax, rax
  [1,0]     p1           MITE  P..QI~~~~~~~DeeER       imul rax, rax
  [2,0]     p1           MITE  P..QI~~~~~~~~~~DeeER    imul rax, rax
  [3,0]     p1           MITE  P..QI~~~~~~~~~~~~~DeeER imul rax, rax
  $ tacho predict --hex '480fafc0' -a SKL --timeline --trace-iterations 12 --timeline-max-iterations 0 --timeline-max-cycles 0 | grep -c '^\[[0-9]*,0\]'
  12

A load that its instruction needs, a move that the renamer ends.

  $ tacho predict --hex '480306 4889c3 31c9' --mode unroll -a SKL --timeline-max-iterations 2 | grep '^\['
  [0,0]     p2           MITE  P..QI~~~~DeeeeE--R  add rax, [rsi]
  [0,0]     p6           MITE  P..QI~~~~~~~~~DeER    add rax, [rsi]
  [0,1]     eliminated   MITE  P..QI------------R  mov rbx, rax
  [0,2]     zero-idiom   MITE  P..QI------------R  xor ecx, ecx
  [1,0]     p3           MITE  P..QI~~~~DeeeeE---R add rax, [rsi]
  [1,0]     p5           MITE  P..QI~~~~~~~~~~DeER   add rax, [rsi]
  [1,1]     eliminated   MITE  P...QI------------R mov rbx, rax
  [1,2]     zero-idiom   MITE   P..QI------------R xor ecx, ecx

The same for machines, as part of the JSON report and as a file.

  $ tacho predict examples/chain.s -a SKL --timeline --json | grep -e '"schema": "tacho-trace-1"' -e '"uops": \[$'
      "schema": "tacho-trace-1",
      "uops": [
  $ tacho predict examples/chain.s -a SKL --trace $TMP/t.json --trace-iterations 5 | head -1
  2 cycles per iteration on SKL, Skylake (client)
  $ grep -c '^{"number"' $TMP/t.json
  15
  $ grep '"number": 4,' $TMP/t.json
  {"number": 4, "instruction": 1, "iteration": 1, "uop": 0, "slot": 4, "kind": "compute", "source": "DSB", "ports": [0, 1, 5, 6], "port": 0, "predecoded": null, "queued": 1, "issued": 2, "ready": 10, "dispatched": 10, "executed": 12, "retired": 13, "waited_for": 1, "producers": [{"producer": 1, "instruction": 1, "iteration": 0, "carrier": "register", "register": "rbx", "through": null, "ready": 9, "latency": 1}, {"producer": 3, "instruction": 0, "iteration": 1, "carrier": "register", "register": "rax", "through": null, "ready": 10, "latency": 1}]},

Files are written whatever the format of the report.

  $ tacho predict examples/chain.s -a SKL --format csv --trace $TMP/t.html --graph $TMP/g.dot; ls $TMP
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,region,unknown,lower_bound,error
  4801d84801c349ffcf75f5,2,2,loop,SKL,DSB,dependencies,,0,false,
  g.dot
  t.html
  t.json

Wrong usage, and files that cannot be written.

  $ C=$PWD/examples/chain.s; cd $TMP; tacho predict $C -a SKL --trace t.txt
  tacho: --trace: the name of FILE says what is written: it must end in .html or .json, not 't.txt'
  [2]
  $ C=$PWD/examples/chain.s; cd $TMP; tacho predict $C -a SKL --trace trace
  tacho: --trace: the name of FILE says what is written: it must end in .html or .json, not 'trace'
  [2]
  $ C=$PWD/examples/chain.s; cd $TMP; tacho predict $C -a SKL,ICX --trace t.json
  tacho: --trace shows one microarchitecture: give one -a ARCH
  [2]
  $ C=$PWD/examples/chain.s; cd $TMP; tacho predict $C -a SKL --timeline --format csv
  tacho: --timeline does not go with --format csv
  [2]
  $ tacho predict --batch examples/blocks.csv -a SKL --trace t.json
  tacho: --trace does not go with --batch
  [2]
  $ C=$PWD/examples/chain.s; cd $TMP; tacho predict $C -a SKL --trace absent/t.json | head -1
  tacho: cannot write absent/t.json: No such file or directory
  2 cycles per iteration on SKL, Skylake (client)
  $ C=$PWD/examples/chain.s; cd $TMP; tacho predict $C -a SKL --trace absent/t.json >/dev/null
  tacho: cannot write absent/t.json: No such file or directory
  [1]
  $ C=$PWD/examples/chain.s; cd $TMP; tacho predict $C -a SKL --trace-iterations 0
  tacho: --trace-iterations is a whole number from 1 to 10000, not '0'
  [2]
  $ C=$PWD/examples/chain.s; cd $TMP; ln -s /dev/full full.json; tacho predict $C -a SKL --trace full.json >/dev/null
  tacho: cannot write full.json: No space left on device
  [1]
  $ printf '# LLVM-MCA-BEGIN a\nnop\n# LLVM-MCA-END\n# LLVM-MCA-BEGIN b\nnop\n# LLVM-MCA-END\n' | tacho predict - -a SKL --trace t.json
  tacho: a file holds one result, and standard input has 2 regions: choose one with --symbol, --range or markers
  [1]

The dependency graph: latencies, distances, the critical cycle, a move that passes a value on.

  $ tacho predict --hex '480fafc3 4889c1 4801cb' --mode unroll -a SKL --graph $TMP/g.dot >/dev/null; cat $TMP/g.dot
  digraph tacho {
    graph [fontname="sans-serif", labelloc=t, nodesep=0.35, ranksep=0.35, bgcolor=white, label="--hex on SKL: 4 cycles per iteration\nred: the critical dependency cycle; labels: what carries the value, cycles; dashed, +N: N iterations later"];
    node [shape=box, style=rounded, fontname="monospace", fontsize=11, margin="0.12,0.05"];
    edge [fontname="sans-serif", fontsize=10, arrowsize=0.7];
    n0 [label="0  imul rax, rbx\n3 of the critical cycle's cycles", color="#c2371f", penwidth=2];
    n1 [label="1  mov rcx, rax\neliminated", style="rounded,dashed"];
    n2 [label="2  add rbx, rcx\n1 of the critical cycle's cycles", color="#c2371f", penwidth=2];
    n0 -> n1 [label=" rax 3", color="#c2371f", fontcolor="#c2371f", penwidth=2];
    n1 -> n2 [label=" rcx 0", color="#c2371f", fontcolor="#c2371f", penwidth=2];
    n0 -> n0 [label=" rax 3, +1", style=dashed, constraint=false, color="#3f5f8f", fontcolor="#3f5f8f"];
    n2 -> n0 [label=" rbx 1, +1", style=dashed, constraint=false, color="#c2371f", fontcolor="#c2371f", penwidth=2];
    n2 -> n2 [label=" rbx 1, +1", style=dashed, constraint=false, color="#3f5f8f", fontcolor="#3f5f8f"];
  }
  $ tacho predict --hex '488b06 4883c001 488906' --mode unroll -a SKL --graph $TMP/g.dot >/dev/null; grep memory $TMP/g.dot
    n2 -> n0 [label=" memory 5, +1", style=dashed, constraint=false, color="#c2371f", fontcolor="#c2371f", penwidth=2];
  $ PATH=$(dirname $(command -v tacho)) /bin/sh -c 'cd $TMP; printf "hex,cycles\n90,1\n" > s.csv; tacho predict --hex 90 -a SKL --graph g.svg; tacho eval --measured s.csv --predicted s.csv --heat-map o.png' 2>&1 >/dev/null; ls $TMP | grep -c -e g.svg -e o.png
  tacho: cannot write g.svg: the program dot is not installed (on Debian: apt-get install graphviz)
  tacho: cannot write o.png: the program gnuplot is not installed (on Debian: apt-get install gnuplot-nox)
  0
  [1]

Where the code starts: a loop whose branch touches the end of 32 bytes comes from the decoders (JCC erratum).

  $ tacho predict --hex 0f1f40000f1f40000f1f40000f1f400049ffcf75eb -a SKL --align all | sed -n '/^Start/,$p'
  Start of the code after a 64-byte boundary, in bytes: cycles per iteration there
     0-7       1.25     1.25     1.25     1.25     1.25     1.25     1.25     1.25
     8-15      1.25     1.25     1.25        2        3        3        3        3
    16-23      1.25     1.25     1.25     1.25     1.25     1.25     1.25     1.25
    24-31      1.25     1.25     1.25     1.25     1.25     1.25     1.25     1.25
    32-39      1.25     1.25     1.25     1.25     1.25     1.25     1.25     1.25
    40-47      1.25     1.25     1.25        2        3      1.5        3        3
    48-55      1.25     1.25     1.25     1.25     1.25     1.25     1.25     1.25
    56-63      1.25     1.25     1.25     1.25     1.25     1.25     1.25     1.25
  
    cycles  exactly     µops from  bottleneck, and where
      1.25  5/4         DSB        issue
              at 0-10, 16-42, 48-63
       1.5  3/2         DSB        issue
              at 45
         2  2           MITE       predecode, decode
              at 11, 43
         3  3           MITE       predecode
              at 12-15, 44, 46-47
  $ tacho predict --hex 0f1f40000f1f40000f1f40000f1f400049ffcf75eb -a SKL --align all --format csv | sed -n '1,2p;13,14p'
  alignment,cycles,cycles_exact,mode,arch,source,bottlenecks,region,unknown,lower_bound
  0,1.25,5/4,loop,SKL,DSB,issue,,0,false
  11,2,2,loop,SKL,MITE,predecode;decode,,0,false
  12,3,3,loop,SKL,MITE,predecode,,0,false
  $ tacho predict examples/chain.s -a SKL --alignment ALL --json | grep -c '"alignment":'
  64
  $ tacho predict --hex 0f1f40000f1f40000f1f40000f1f400049ffcf75eb -a SKL --align 11 --format csv | cut -d, -f 2-7 | tail -1
  2,2,loop,SKL,MITE,predecode;decode
  $ tacho predict examples/chain.s -a SKL,ICX --align all
  tacho: --align all shows one microarchitecture: give one -a ARCH
  [2]
  $ tacho predict examples/chain.s -a SKL --align 64
  tacho: --align is a whole number from 0 to 63, or all, not '64'
  [2]
  $ tacho predict --hex 90 -a SKL --trace-iterations 3
  tacho: --trace-iterations goes with --trace, --graph, --timeline or --html
  [2]

A page of several microarchitectures is of one region, and nothing else goes with it.

  $ tacho predict examples/dot4.s -a SKL,ICX --html $TMP/cores.html; grep -c '"cores":\[{"trace"' $TMP/cores.html
  arch    cycles  exactly     mode    µops from  bottleneck
  SKL          4  4           loop    DSB        load ports, dependencies
  ICX          4  4           loop    DSB        load ports, dependencies
  1
  $ tacho predict examples/dot4.s -a SKL,ICX --html $TMP/cores.html --timeline
  tacho: of several microarchitectures --html makes one page, and nothing else goes with it: no timeline, trace, graph, plot or --align all
  [2]
  $ tacho predict examples/dot4.s -a SKL,ICX --trace $TMP/trace.html
  tacho: --trace shows one microarchitecture: give one -a ARCH
  [2]
  $ printf '# LLVM-MCA-BEGIN a\nnop\n# LLVM-MCA-END\n# LLVM-MCA-BEGIN b\nnop\n# LLVM-MCA-END\n' | tacho predict - -a SKL,ICX --html $TMP/cores.html
  tacho: --html shows 2 regions of one microarchitecture, or one region of several: give one -a ARCH, or --region
  [2]
