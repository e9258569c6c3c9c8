Why: where the issue slots went, and what would help, in the ordinary report.

  $ echo 'l: popcnt rax, rcx; add rdx, rax; dec r15; jnz l' | tacho predict --syntax intel -a SKL - | sed -n '/^Issue/,/^µops/p'
  Issue slots: 25 % retiring, 0 % front-end bound, 75 % back-end bound (core 0 %, dependencies 75 %)
    lost to dependencies 75 %
  
  Critical dependency cycle, 3 cycles in 1 iteration:
     #  instruction     lat  passes on
     0  popcnt rax, rcx   3  rax, next iteration
  
  What if there were (simulated), cycles per iteration:
           1   -67 %  a latency of one cycle for instruction 0 (popcnt rax, rcx)
  
  What would help (simulated):
    - breaking the false dependency of instruction 0 on rax by xor before it: 1 cycle instead of 3
  
  µops per iteration: by source, issued (fused), executed, on ports

All what-if runs.

  $ echo 'l: popcnt rax, rcx; add rdx, rax; dec r15; jnz l' | tacho predict --syntax intel -a SKL --what-if - | sed -n '/^What if/,/^$/p'
  What if there were (simulated), cycles per iteration:
           3    +0 %  an unlimited front end
           3    +0 %  8 fused µops issued a cycle instead of 4
           3    +0 %  no port contention for the µops of p1
           3    +0 %  no port contention for the µops of p0156
           3    +0 %  no port contention for the µops of p6
           3    +0 %  no port contention at all
           1   -67 %  a latency of one cycle for instruction 0 (popcnt rax, rcx)
           1   -67 %  a latency of one cycle for every µop
           1   -67 %  no dependencies at all
           3    +0 %  a reorder buffer of 600 and a scheduler of 400 µops instead of 224 and 97
  

Ports that are lost to others have their numbers.

  $ echo 'l: pshufd xmm0, xmm1, 1; pshufd xmm2, xmm1, 1; pshufd xmm3, xmm1, 1; dec r15; jnz l' | tacho predict --syntax intel -a SKL - | sed -n '/^Issue/,/^µops/p'
  Issue slots: 33 % retiring, 0 % front-end bound, 67 % back-end bound (core 67 %, dependencies 0 %)
    lost to ports 67 % (p5 67 %)
  
  What if there were (simulated), cycles per iteration:
           1   -67 %  no port contention for the µops of p5
  
  µops per iteration: by source, issued (fused), executed, on ports

Nothing is said where nothing helps.

  $ tacho predict --hex '4801d8 49ffcf 75f8' -a SKL | grep -c What
  0
  [1]

JSON has it all.

  $ echo 'l: popcnt rax, rcx; add rdx, rax; dec r15; jnz l' | tacho predict --syntax intel -a SKL --json - | sed -n '/"advice"/,/^  \]/p'
    "advice": [
      {
        "kind": "false_dependency",
        "instructions": [
          0
        ],
        "cycles_before": 3.0,
        "cycles_after": 1.0,
        "cycles_after_exact": "1",
        "text": "breaking the false dependency of instruction 0 on rax by xor before it: 1 cycle instead of 3"
      }
    ],
  $ echo 'l: popcnt rax, rcx; add rdx, rax; dec r15; jnz l' | tacho predict --syntax intel -a SKL --json - | sed -n '/"topdown"/,/^  }/p' | tr -d ' \n'; echo
  "topdown":{"retiring":0.248756218905,"frontend":0.0,"backend_core":0.0,"backend_dependencies":0.751243781095,"lost":{"predecode":0.0,"decode":0.0,"ms":0.0,"dsb":0.0,"lsd":0.0,"rename":0.0,"ports":0.0,"divider":0.0,"start_intervals":0.0,"rob":0.0,"scheduler":0.0,"dependencies":0.751243781095},"lost_to_ports":{"0":0.0,"1":0.0,"2":0.0,"3":0.0,"4":0.0,"5":0.0,"6":0.0,"7":0.0}},
  $ echo 'l: popcnt rax, rcx; add rdx, rax; dec r15; jnz l' | tacho predict --syntax intel -a SKL --json - | sed -n '/"what_if"/,/}/p'
    "what_if": [
      {
        "what": "front_end",
        "also": null,
        "ports": null,
        "instruction": null,
        "cycles": 3.0,
        "cycles_exact": "3",
        "gain": 0.0,
        "text": "an unlimited front end"
      },

Tables of several microarchitectures stay tables.

  $ tacho predict examples/dot.s -a SKL,ICX --what-if
  arch    cycles  exactly     mode    µops from  bottleneck
  SKL          4  4           loop    DSB        dependencies
  ICX          4  4           loop    DSB        dependencies

Instructions that are left out do not get in the way; the code is not changed then.

  $ tacho predict --hex '4801d8 660f38cfc1 f3480fb8c1' -a SKL --ignore-isa --unknown skip | sed -n '/^What/,/^µops/p'
  What if there were (simulated), cycles per iteration:
           1   -75 %  no dependencies at all
           2   -50 %  a latency of one cycle for instruction 1 (popcnt rax, rcx)
  
  µops per iteration: by source, issued (fused), executed, on ports

The critical cycle: each instruction, what it adds, what it hands on. Not where ports are the limit.

  $ echo 'l: imul rax, rbx; cmp rax, rcx; adc rax, rbx; dec r15; jnz l' > $TMP/chain; tacho predict $TMP/chain --syntax intel -a SKL | sed -n '/^Critical/,/^$/p'
  Critical dependency cycle, 5 cycles in 1 iteration:
     #  instruction   lat  passes on
     0  imul rax, rbx   3  rax
     1  cmp rax, rcx    1  the carry flag
     2  adc rax, rbx    1  rax, next iteration
  
  $ echo 'l: imul rax, rbx; cmp rax, rcx; adc rax, rbx; dec r15; jnz l' > $TMP/chain; tacho predict $TMP/chain --syntax intel -a SKL --json | sed -n '/"steps"/,/^    ]/p' | tr -d ' \n'; echo
  "steps":[{"instruction":0,"latency":3.0,"hands_on":["rax"],"next_iteration":false},{"instruction":1,"latency":1.0,"hands_on":["thecarryflag"],"next_iteration":false},{"instruction":2,"latency":1.0,"hands_on":["rax"],"next_iteration":true}]
  $ echo 'l: pshufd xmm0, xmm1, 1; pshufd xmm2, xmm1, 1; dec r15; jnz l' | tacho predict --syntax intel -a SKL - | grep -c Critical
  0
  [1]

Two limits at the same place.

  $ echo 'l: imul rax, rbx; pshufd xmm0, xmm1, 1; pshufd xmm2, xmm1, 1; pshufd xmm3, xmm1, 1; dec r15; jnz l' | tacho predict --syntax intel -a SKL - | sed -n '/^What/,/^$/p'
  What if there were (simulated), cycles per iteration:
        1.25   -58 %  no port contention at all, and no dependencies at all
  
  $ echo 'l: imul rax, rbx; pshufd xmm0, xmm1, 1; pshufd xmm2, xmm1, 1; pshufd xmm3, xmm1, 1; dec r15; jnz l' | tacho predict --syntax intel -a SKL --json - | grep -A1 '"all_ports"' | grep also
        "also": null,
        "also": "all_ports",
        "also": "all_ports",
        "also": "dependencies",

Long sentences are wrapped.

  $ echo 'l: add dword ptr [rsp+8], 1; imul rax, [rsp+16], 3; mov [rsp+16], rax; dec r15; jnz l' | tacho predict --syntax intel -a SKL - | sed -n '/would help/,/^$/p'
  What would help (simulated):
    - keeping [rsp+0x8], [rsp+0x10] in registers over the iterations (instructions 0, 1 and 2), if
      nothing else accesses them: 3 cycles instead of 8
  

Text has words for what JSON calls start_intervals, dsb, lsd; all numbers of cycles are rounded in one way.

  $ tacho predict --hex 'f0 48 01 07' -a ICX | sed -n '/^next limit/p;/^Each/,/^$/p;/lost to/p'
  next limit   start intervals, at 19
  Each component alone, cycles per iteration:
    predecode        0.25
    decode              5  ##########
    issue             1.6  ###
    ports            1.25  ##
    dependencies       21  ########################################
    start intervals    19  ####################################
  
    lost to start intervals 92 %
  $ tacho predict --hex '48 01 d8 48 0f af d8 ff c9 75 f5' -a SKL --align all | grep -E '_|DSB'
  next limit   DSB, at 1
  mode         loop: the code jumps back to its start; µops from the DSB (µop cache)
    predecode           1  does not apply: µops come from the DSB
    decode              1  does not apply: µops come from the DSB
    DSB                 1  ##########
     #  instruction   lat rthr DSB iss exec   p0 p1   p5   p6 crit  notes
         4  4           DSB        dependencies
  $ tacho predict --hex 'f0 48 01 07' -a ICX --json | grep -o 'start_intervals' | sort -u
  start_intervals
