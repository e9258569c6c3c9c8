The highest bound in place of a simulation.

  $ tacho predict --bounds-only examples/dot.s -a SKL | sed -n '2p;/by bounds/p;/issued/p'
  4 cycles per iteration on SKL, Skylake (client)
  by bounds    the highest of the bounds, not simulated: a lower limit
  $ tacho predict --bounds-only --hex 4801d8 -a SKL --json | grep -e bounds_only -e '"cycles"' -e cycles_exact -e topdown -e what_if
    "cycles": 1.0,
    "cycles_exact": null,
    "bounds_only": true,
    "topdown": null,
    "what_if": null,
  $ printf 'hex\n4801d8\n90\nff\n' | tacho predict --bounds-only --batch - -a SKL; echo "status $?"
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,error
  4801d8,1,,unroll,SKL,MITE,dependencies,
  90,0.25,,unroll,SKL,MITE,predecode;decode;issue,
  ff,,,,SKL,,,offset 0x0: the instruction is cut off
  tacho: 1 of 3 blocks failed
  status 3
