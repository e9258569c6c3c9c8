  $ tacho insn 'ADD (R64, M64)' -a SKL
  ADD (R64, M64) on SKL
    cost             2 µops on 1*p0156+1*p23; 1 fused; decoders 1, microcode 0
                     latency 6, reciprocal throughput 0.5
    source           uops.info, measured on Skylake
  
    latencies in cycles
       1  R64 (1st) -> R64 (1st)
       1  R64 (1st) -> flags
       6  address of M64 (2nd) -> R64 (1st)
       6  index of M64 (2nd) -> R64 (1st)
       3  data of M64 (2nd) -> R64 (1st)
       6  address of M64 (2nd) -> flags
       6  index of M64 (2nd) -> flags
       3  data of M64 (2nd) -> flags
  $ tacho insn ' add(r64,m64) ' -a SKL --format csv
  form,arch,uops,retire_slots,ports,latency_min,latency_max,source,reciprocal_throughput
  "ADD (R64, M64)",SKL,2,1,1*p0156+1*p23,1,6,"uops.info, measured on Skylake",0.5
  $ tacho insn 'ADD (R64, M64)' -a SKL --json | grep -e '"schema"' -e '"form"' -e '"source":' | sort | uniq -c
        2       "source": 0,
        2       "source": 1,
        1   "form": "ADD (R64, M64)",
        1   "schema": "tacho-insn-1",
        1   "source": "uops.info, measured on Skylake",
  $ tacho insn 'ADD (R64, R64)' -a SKL | head -3
  form                                 arch µops  fused  latency  rthr  ports                   
  ADD_01 (R64, R64)                    SKL      1      1  1        0.25  1*p0156                  
  ADD_03 (R64, R64)                    SKL      1      1  1        0.25  1*p0156                  

Latency and reciprocal throughput are those of a prediction's table.

  $ tacho insn 'ADD (R64, M64)' -a SKL --json | grep -e '"latency":' -e '"reciprocal_throughput":'
      "latency": 6.0,
      "reciprocal_throughput": 0.5
  $ tacho predict --hex '480307' -a SKL --json | grep -e '"latency":' -e '"reciprocal_throughput":'
          "latency": 1.0,
        "latency": 6.0,
        "reciprocal_throughput": 0.5,
  $ tacho insn 'NOP' -a SKL --json | grep -e '"latency":' -e '"reciprocal_throughput":' | sort | uniq -c
        1     "latency": null,
        1     "reciprocal_throughput": 0.25
  $ tacho insn 'VDIVSD (XMM, XMM, XMM)' -a SKL --format csv
  form,arch,uops,retire_slots,ports,latency_min,latency_max,source,reciprocal_throughput
  "VDIVSD (XMM, XMM, XMM)",SKL,1,1,1*p0,13,13,"uops.info, measured on Skylake",4
  "VDIVSD_EVEX (XMM, XMM, XMM)",SKL,,,,,,,
  "VDIVSD_EVEX_ER (XMM, XMM, XMM)",SKL,,,,,,,

The core is named, also where it was not asked for.

  $ tacho insn 'ADD (R64, R64)' 2>/dev/null | sed -n 2p | grep -c "^ADD_01 (R64, R64)  *$(tacho predict --hex 90 --format csv 2>/dev/null | tail -1 | cut -d, -f5)  *1 "
  1
  $ tacho insn 'add (m64' -a SKL | grep -c '^ADD'
  8
  $ tacho insn VADDPSS -a SKL
  tacho: no instruction form 'VADDPSS'; did you mean VADDPS, VADDSS or ADDPS?
  [1]
  $ tacho insn
  tacho: no FORM; for instance: tacho insn 'ADD (R64, M64)' -a SKL
  [2]

The loops by which a form is characterised, predicted: what the simulator makes of its table.

  $ tacho insn 'IMUL (R64, R64)' -a SKL --chains
  IMUL (R64, R64), predicted by the simulator, beside the table it rests on
  
  throughput, in cycles an instance
             1         1  agrees    10 instances, unrolled
                imul r8, rax; imul r9, rax; imul r10, rax; imul r11, rax; imul r12, rax; imul r13, rax; imul rbx, rax; imul rbp, rax; imul rdx, rax; imul rcx, rax
  
  latency in cycles
     predicted       SKL
             3         3  agrees    R64 (1st) -> R64 (1st)
                imul r8, r9
                3 cycles
             3         3  agrees    R64 (2nd) -> R64 (1st)
                imul r8, r9; mov r9d, 0x12340678; imul r9, r8; mov r8d, 0x12340678
                6 cycles, for 2 instances
             3         3  agrees    R64 (1st) -> flags
                mov r8d, 0x12340678; cmovb r8, r15; imul r8, r9
                4 cycles, of these 1 for what is not the instruction
             3         3  agrees    R64 (2nd) -> flags
                mov r9d, 0x12340678; cmovb r9, r15; mov r8d, 0x12340678; imul r8, r9
                4 cycles, of these 1 for what is not the instruction
  $ tacho insn 'IMUL (R64, R64)' -a SKL --chains --json | grep -E '"(schema|clock|cpu|arch|cycles)"'
    "schema": "tacho-characterisation-1",
    "arch": "SKL",
      "cycles": 1.0,
        "cycles": 3.0,
        "cycles": 3.0,
        "cycles": 3.0,
        "cycles": 3.0,
  $ tacho insn 'VPADDD (ZMM, ZMM, ZMM)' -a HSW --chains
  tacho: note: unsupported: HSW has no AVX-512F: vpaddd zmm0, zmm11, zmm10 (instruction 0)
  VPADDD (ZMM, ZMM, ZMM), predicted by the simulator, beside the table it rests on
    not predicted: unsupported: HSW has no AVX-512F: vpaddd zmm0, zmm11, zmm10 (instruction 0)
  [3]
  $ tacho insn 'ADD (R64, R64)' -a SKL,ICX --chains
  tacho: --chains is for one microarchitecture at a time
  [2]
  $ tacho insn ADD -a SKL --chains
  tacho: 71 forms are called 'ADD': one at a time, for instance 'ADD (AL, 0)', 'ADD (AL, I8)', 'ADD (AX, I16)', 'ADD (EAX, I32)'
  [1]

Operands as in assembly text, in any case.

  $ tacho insn 'vpaddd ymm, ymm,m256' -a SKL | head -1; tacho insn 'add r64,m64' -a SKL | head -1
  form                                 arch µops  fused  latency  rthr  ports                   
  ADD (R64, M64) on SKL
  $ tacho insn 'vpaddd ymm,nonsense' -a SKL
  tacho: no instruction form 'vpaddd ymm,nonsense'; did you mean VPADDD (XMM, XMM, XMM), VPADDD (YMM, YMM, YMM) or VPADDD (ZMM, ZMM, ZMM)?
  [1]

Two divisions are under way at a time on AMD's cores: what one costs among others is half of what blocks a divider,
here and in the simulator.
  $ tacho insn 'DIVSD (XMM, XMM)' -a ZEN3 | sed -n 2,3p
    cost             1 µop on 1*pb; 1 fused; decoders 1, microcode 0; divider 9 cycles
                     latency 13, reciprocal throughput 4.5
  $ tacho predict --hex f20f5ec1f20f5ed1f20f5ed9 -a ZEN3 -m unroll --init distinct -f csv | cut -d, -f2,8
  cycles,region
  13.5,

What has the mnemonic, but no such operands: that mnemonic has others.

  $ tacho insn 'BLSI (R64)' -a ZEN5
  tacho: no instruction form 'BLSI (R64)'; did you mean BLSI (R32, M32), BLSI (R32, R32) or BLSI (R64, M64)?
  [1]
