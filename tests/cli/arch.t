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
  14
  $ tacho arch SLK
  tacho: no microarchitecture SLK; did you mean SKL or SKX?
  [2]
  $ tacho arch SKL ICX
  tacho: one ARCH at a time: 'SKL' and 'ICX'
  [2]

Figures from elsewhere are marked: another product with the same core, another core, not at all where the core was measured.

  $ tacho predict -a SKX --hex 4801d84801c3 | grep -e '  = ' -e ' = .*add'
    =    figures measured on another product with the same core
  $ for a in SKX SKL KBL TGL; do tacho predict -a $a --hex 480fafc3 --json | tr -d ' \n' | grep -o '"notes":[^]]*]'; done
  "notes":["same_core","critical"]
  "notes":["critical"]
  "notes":["critical"]
  "notes":["estimated","critical"]
  $ tacho insn 'IMUL (R64, R64)' -a SKX | grep source
    source           uops.info, measured on Skylake (not measured on this core)
  $ tacho insn 'IMUL (R64, R64)' -a KBL | grep source
    source           uops.info, measured on Kaby Lake
