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
  13
  $ tacho arch SLK
  tacho: no microarchitecture SLK; did you mean SKL, SNB or CLX?
  [2]
  $ tacho arch SKL ICX
  tacho: one ARCH at a time: 'SKL' and 'ICX'
  [2]
