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
  $ tacho predict --hex '480fafc0' -a SKL --timeline --timeline-max-iterations 0 --timeline-max-cycles 30 | grep -c '^\[[0-9]*,0\]'
  104
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

Wrong usage, and files that cannot be written.

  $ C=$PWD/examples/chain.s; cd $TMP; tacho predict $C -a SKL --trace t.txt
  tacho: --trace: the name of FILE says what is written: it must end in .html or .json, not 't.txt'
  [2]
  $ C=$PWD/examples/chain.s; cd $TMP; tacho predict $C -a SKL --trace trace
  tacho: --trace: the name of FILE says what is written: it must end in .html or .json, not 'trace'
  [2]
  $ C=$PWD/examples/chain.s; cd $TMP; tacho predict $C -a SKL,ICX --trace t.json
  tacho: a file holds one result: with --trace give one -a ARCH
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
