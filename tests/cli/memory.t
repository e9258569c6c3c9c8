Descriptions of a machine's memory: shown, and what is none. The measurement differs from machine to machine
(tests/unit/machine/test_levels.c).

  $ tacho arch --memory tests/cli/memories/made-up.txt
  Memory of Some Processor (SKX), at 3 GHz
  
                                  cycles a load     bytes a cycle
  level         size   by CPUID   latency  random   loads  stores  copies
  L1          32 KiB     32 KiB         5       -      64      32      32
  L2           1 MiB      1 MiB        14       -      32      20      16
  memory      16 GiB          -       300       -       8       4       3
  
  TLB 1        64 pages of 4 KiB (256 KiB); a load that misses waits 7 cycles more
  walk         30 cycles with 4 KiB pages
  huge pages   none to be had here: /sys/kernel/mm/transparent_hugepage/enabled
  prefetching  1024 bytes ahead of a stream of loads
  
  Latency: loads at random places, each with its address from the last; random:
  without that. Streams: vectors of 32 bytes, of copies each byte once.
  $ tacho arch --memory tests/cli/memories/made-up.txt --json | grep -e schema -e '"walk' -e cpuid | head -4
    "schema": "tacho-memory-1",
        "cpuid_bytes": 32768,
        "cpuid_bytes": 1048576,
        "cpuid_bytes": null,
  $ sed 's/latency 14/latency fast/' tests/cli/memories/made-up.txt | tacho arch --memory -
  tacho: -: line 7: 'latency' needs a number from 1 to 1e+06
  [1]
  $ echo hello > $TMP/hello; tacho arch --memory $TMP/hello 2>&1 | sed "s#$TMP#TMP#"
  tacho: TMP/hello: line 1: this is no description of a memory: those begin with 'tacho memory 1'
  $ printf 'ab\0c' > $TMP/junk; tacho arch --memory $TMP/junk 2>&1 | sed "s#$TMP#TMP#"
  tacho: TMP/junk: a byte that is 0: this is no description of a memory: those begin with 'tacho memory 1'
  $ tacho arch --memory $TMP/none 2>&1 | sed "s#$TMP#TMP#"
  tacho: TMP/none: No such file or directory
  $ XDG_CACHE_HOME=$TMP/empty tacho arch --memory
  tacho: the memory of this machine has not been measured: 'tacho doctor --memory' does it
  [1]
  $ tacho arch --memory zen3 | head -1
  Memory of AMD EPYC (ZEN3)
  $ tacho predict tests/cli/memories/triad.s -a ZEN3 --data L2 --memory ZEN3 | head -1
  With its data in L2: 2.96 cycles per iteration, limited by bandwidth of L2
  $ tacho arch --memory --list
  tacho: --memory does not go with --check and --list
  [2]
  $ tacho doctor --svg memory.svg
  tacho: --svg goes with --memory
  [2]
  $ tacho doctor -o memory.txt
  tacho: --output goes with --memory
  [2]
  $ timeout 5 tacho doctor --memory -o $TMP/none/memory.txt 2>&1 | sed "s#$TMP#TMP#"
  tacho: cannot write TMP/none/memory.txt: No such file or directory

Predictions with data in another level.

  $ cat tests/cli/memories/triad.s
  # a[i] = b[i] + s * c[i]
  .intel_syntax noprefix
  1:
      vmulpd ymm0, ymm15, [rdx+rax]
      vaddpd ymm0, ymm0, [rsi+rax]
      vmovapd [rdi+rax], ymm0
      add rax, 32
      cmp rax, rcx
      jne 1b
  $ tacho predict tests/cli/memories/triad.s -a SKX --data L2 --memory tests/cli/memories/made-up.txt | head -11
  With its data in L2: 2.5 cycles per iteration, limited by bandwidth of L2
    memory of Some Processor; 3 streams, 96 bytes an iteration
    data in     cycles   transfers   latency   lines read   written   limited by
    L1               2           -         -            -         -   the core
    L2             2.5         1.5         -          1.5       0.5   bandwidth of L2
    memory       14.17       13.17         -          1.5       0.5   bandwidth of memory
  
  In the core, with its data in L1:
  2 cycles per iteration on SKX, Skylake (server)
  
  bottleneck   issue: the renamer issues at most 4 fused µops a cycle
  $ tacho predict tests/cli/memories/triad.s -a SKX --data 2M --memory tests/cli/memories/made-up.txt --json | sed -n '/"data"/,/"levels"/p'
    "data": {
      "machine": "Some Processor",
      "level": "memory",
      "cycles": 14.1666666667,
      "core_cycles": 2.0,
      "exposed_cycles": 1.0,
      "levels": [
  $ tacho predict tests/cli/memories/triad.s -a SKX --data L4 --memory tests/cli/memories/made-up.txt
  tacho: --data: data lie in L1, L2, memory, or are of a size such as 512K, not 'L4'
  [2]
  $ tacho predict tests/cli/memories/triad.s -a SKX --data 0K --memory tests/cli/memories/made-up.txt
  tacho: --data: data lie in L1, L2, memory, or are of a size such as 512K, not '0K'
  [2]
  $ tacho predict tests/cli/memories/triad.s -a ICX --data L2 --memory tests/cli/memories/made-up.txt 2>&1 > $TMP/out; grep -c 'With its data in L2' $TMP/out
  tacho: note: the memory is that of a machine with SKX, the prediction is for ICX
  1
  $ for core in SNB ZEN2; do XDG_CACHE_HOME=$TMP/empty tacho predict tests/cli/memories/triad.s -a $core --data L2; done 2>&1 | grep -q 'no description of the memory of a machine with' && echo said
  said
  $ tacho predict tests/cli/memories/triad.s -a SKX --memory tests/cli/memories/made-up.txt
  tacho: --memory goes with --data
  [2]
  $ tacho predict tests/cli/memories/triad.s -a SKX,ICX --data L2 --memory tests/cli/memories/made-up.txt
  tacho: --data is of one machine: give one -a ARCH
  [2]
  $ tacho predict tests/cli/memories/triad.s -a SKX --data L2 --format csv
  tacho: --data does not go with --format csv
  [2]

Wrong footprints.

  $ tacho measure --hex 4801c0 --huge-pages
  tacho: --memory, --svg and --huge-pages go with --footprint
  [2]
  $ tacho measure --hex 4801c0 --footprint 64K --init same
  tacho: --footprint measures one loop, whose registers it sets: it does not go with --insn, --batch, --init and --mode unroll
  [2]
  $ tacho measure --hex 4801c0 --memory tests/cli/memories/made-up.txt --footprint 64K
  tacho: --memory is for the predictions of --also-predict
  [2]
