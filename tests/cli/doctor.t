What tacho doctor finds differs from machine to machine; here are the things that do not.

  $ tacho doctor --json > $TMP/a; status=$?; grep -e '"schema"' $TMP/a; grep -o '"fit": [a-z]*' $TMP/a | sed 's/"fit": true/0/; s/"fit": false/1/' | grep -qx $status && echo "the status says the same"
    "schema": "tacho-doctor-1",
  the status says the same
  $ grep -o '"group": "[a-z]*"' $TMP/a | uniq
  "group": "counters"
  "group": "clock"
  "group": "frequency"
  "group": "sharing"
  "group": "noise"
  "group": "memory"
  "group": "sandbox"
  $ grep '"id"' $TMP/a | sed 's/.*: "//; s/",//' | xargs -n 8
  perf_counters tsc tsc_granularity tsc_cost core_clock drift governor turbo
  smt hypervisor quota steal load isolation interrupts neighbour
  aslr numa_balancing huge_pages sandbox
  $ grep -c -e '"state": "good"' -e '"state": "acceptable"' -e '"state": "bad"' -e '"state": "unknown"' $TMP/a
  20
  $ grep '"clock"' $TMP/a | grep -c -e '"perf"' -e '"tsc-calibrated"' -e '"tsc"'
  1

All of it, measured; each finding is a line in the text, by its title.

  $ tacho doctor --color never > $TMP/b; head -1 $TMP/b | sed 's/:.*//; s/, with care//; s/Unf/F/'
  Fit for measuring
  $ grep -c -E '^  (good|acceptable|bad|unfit|unknown)  ' $TMP/b
  20
  $ grep '"title"' $TMP/a | sed 's/.*": "//; s/",//' | while read -r title; do grep -q "^  [a-z]*  *$title  " $TMP/b || echo "missing: $title"; done
  $ awk 'length > 100' $TMP/b | grep -v '[$]'
  [1]
  $ tacho doctor --color always | grep -c '^  .\[3[123]m\(good\|acceptable\|bad\|unfit\)  ' | sed 's/[1-9][0-9]/N/'
  N
  $ tacho doctor --cpu $(awk '/^Cpus_allowed_list/ { split($2, a, /[-,]/); print a[1] }' /proc/self/status) | sed -n 's/.*: CPU \([0-9]*\), .*/examined/p'
  examined

Wrong usage.

  $ tacho doctor --cpu 4095
  tacho: this process may not use CPU 4095, or there is none ('taskset -p $$' shows which it may)
  [2]
  $ tacho doctor --cpu x
  tacho: --cpu is a whole number from 0 to 4095, not 'x'
  [2]
  $ tacho doctor --format csv
  tacho: --format is text|json, not 'csv'
  [2]
  $ tacho doctor all
  tacho: tacho doctor takes no input: 'all'
  [2]
  $ tacho doctor --quick
  tacho: 'tacho doctor --quick' is no more: all of it takes half a second
  [2]
  $ tacho doctor --fast
  tacho: unknown option '--fast'; 'tacho help' lists the commands, 'tacho COMMAND --help' the options
  [2]
  $ tacho doctor > /dev/full
  tacho: cannot write to standard output: No space left on device
  [1]
