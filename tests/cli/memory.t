Descriptions of a machine's memory: shown, and what is none. The measurement differs from machine to machine
(tests/unit/machine/test_levels.c).

  $ tacho arch --memory tests/cli/memories/made-up.txt
  Memory of Some Processor (SKX), at 3 GHz
  
                                  cycles   bytes a cycle
  level         size   by CPUID   latency   loads  stores  copies
  L1          32 KiB     32 KiB         5      64      32      32
  L2           1 MiB      1 MiB        14      32      20      16
  memory      16 GiB          -       300       8       4       3
  
  TLB 1        64 pages of 4 KiB (256 KiB); a load that misses waits 7 cycles more
  walk         30 cycles with 4 KiB pages
  huge pages   none to be had here: /sys/kernel/mm/transparent_hugepage/enabled
  prefetching  1024 bytes ahead of a stream of loads
  
  Latency: loads at random places, each with its address from the last. Streams: vectors of
  32 bytes, of copies each byte once.
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
  $ tacho arch --memory $TMP/none 2>&1 | sed "s#$TMP#TMP#"
  tacho: TMP/none: No such file or directory
  $ XDG_CACHE_HOME=$TMP/empty tacho arch --memory
  tacho: the memory of this machine has not been measured: 'tacho doctor --memory' does it
  [1]
  $ tacho arch --memory --list
  tacho: --memory does not go with --check, --diff and --list
  [2]
  $ tacho doctor --svg memory.svg
  tacho: --svg goes with --memory
  [2]
  $ tacho doctor -o memory.txt
  tacho: --output goes with --memory
  [2]
