  $ tacho arch SKL | grep -e '^SKL' -e issue_width
  SKL: Skylake (client)
    issue_width                    4 fused µops a cycle            [1]
  $ tacho arch skylake --json | grep -e '"schema"' -e '"arch"'
    "schema": "tacho-arch-1",
    "arch": "SKL",
  $ tacho arch --list | cut -c 1-5 | head -2
  SNB  
  IVB  
  $ tacho arch --list --json | grep -c '"tacho-arch-1"'
  21
  $ tacho arch SLK
  tacho: no microarchitecture SLK; did you mean SKL or SKX?
  [2]
  $ tacho arch SKL ICX
  tacho: one ARCH at a time: 'SKL' and 'ICX'
  [2]

How two cores differ: the parameters in words, the extensions, the timing of forms.

  $ tacho learn --diff SKL ICL >$TMP/diff; head -4 $TMP/diff; grep -A1 issue_width $TMP/diff; grep -A1 ^Extensions $TMP/diff
  SKL, Skylake (client) -> ICL, Ice Lake (client)
  
  33 of 149 parameters differ:
    dsb_block_bytes                32 -> 64 bytes
    issue_width                    4 -> 5 fused µops a cycle
        rate of the renamer
  Extensions on ICL alone:
    PKU RDPID SHA GFNI VAES VPCLMULQDQ AVX-512F AVX-512CD AVX-512BW AVX-512DQ AVX-512VL AVX-512_IFMA
  $ grep -A3 '^  reciprocal throughput' $TMP/diff
    reciprocal throughput: 1011 forms
        RDRAND (R16)                                       2761.25 -> 21
        RDRAND (R32)                                       2761.25 -> 21
        RDRAND (R64)                                       2761.25 -> 21
  $ tacho learn --diff SKX CLX | head -10
  SKX, Skylake (server) -> CLX, Cascade Lake
  
  0 of 149 parameters differ.
  
  Extensions on CLX alone:
    AVX-512_VNNI
  
  Timing: 13093 instruction forms are on both, and 296 of them differ; 0 are on SKX alone, 0 on CLX.
  How many differ in what, and by the greatest factors:
    µops: 51 forms
  $ tacho learn --diff ICX ICX
  ICX, Ice Lake (server) -> ICX, Ice Lake (server)
  
  0 of 149 parameters differ.
  
  Timing: 13768 instruction forms are on both, and 0 of them differ; 0 are on ICX alone, 0 on ICX.
  $ tacho learn --diff SKL ICL --json >$TMP/diff.json; grep -c '"form"' $TMP/diff.json; grep -A8 '"name": "lsd_enabled"' $TMP/diff.json
  1520
        "name": "lsd_enabled",
        "unit": null,
        "meaning": "there is a loop stream detector",
        "from": "no",
        "to": "yes"
      },
      {
        "name": "lsd_unroll",
        "unit": "copies, by µops in the loop (else 1)",
  $ tacho learn --diff SKL SLK
  tacho: no microarchitecture SLK; did you mean SKL or SKX?
  [2]
  $ tacho arch --diff SKL ICL
  tacho: 'tacho arch --diff' is no more: 'tacho learn --diff A B' has it, of cores and models
  [2]
  $ tacho arch all --json | grep -c '"issue_width"'
  21

Figures from elsewhere are marked: another product with the same core, another core, not at all where the core was measured.

  $ for code in 4801d8 4801d84801c3; do tacho predict -a SKX --hex $code | grep -e '  = '; done
    =    figures measured on another product with the same core
    =    all figures measured on another product with the same core
  $ for a in SKX SKL KBL TGL; do tacho predict -a $a --hex 480fafc3 --json | tr -d ' \n' | grep -o '"notes":[^]]*]'; done
  "notes":["same_core","critical"]
  "notes":["critical"]
  "notes":["critical"]
  "notes":["estimated","critical"]
  $ tacho insn 'IMUL (R64, R64)' -a SKX | grep source
    source           uops.info, measured on Skylake (not measured on this core)
  $ tacho insn 'IMUL (R64, R64)' -a KBL | grep source
    source           uops.info, measured on Kaby Lake
