The highest bound in place of a simulation.

  $ tacho predict --bounds-only examples/dot.s -a SKL | sed -n '2p;/by bounds/p;/issued/p'
  4 cycles per iteration on SKL, Skylake (client)
  by bounds    the highest of the bounds, not simulated: a lower limit
  $ tacho predict --bounds-only --hex 4801d8 -a SKL --json | grep -e bounds_only -e '"cycles"' -e cycles_exact -e topdown -e what_if
    "cycles": 1.0,
    "cycles_exact": null,
    "bounds_only": true,
      "cycles": 0.3125
    "topdown": null,
    "what_if": null,
  $ printf 'hex\n4801d8\n90\nff\n' | tacho predict --bounds-only --batch - -a SKL; echo "status $?"
  hex,cycles,cycles_exact,mode,arch,source,bottlenecks,unknown,lower_bound,error
  4801d8,1,,unroll,SKL,MITE,dependencies,0,false,
  90,0.25,,unroll,SKL,MITE,predecode;decode;issue,0,false,
  ff,,,,SKL,,,,,offset 0x0: the instruction is cut off
  tacho: 1 of 3 blocks failed
  status 3

What shows a simulation does not go with it, whatever the input is.

  $ tacho predict no-such-file --bounds-only --trace x.json -a SKL
  tacho: --trace does not go with --bounds-only: it shows a simulation, and the bounds have none
  [2]
  $ for o in '--graph x.dot' '--html x.html' --timeline '--timeline-max-cycles 9' --what-if '--align all --html x.html'; do tacho predict no-such-file --bounds-only $o -a SKL; echo "status $?"; done
  tacho: --graph does not go with --bounds-only: it shows a simulation, and the bounds have none
  status 2
  tacho: --html does not go with --bounds-only: it shows a simulation, and the bounds have none
  status 2
  tacho: --timeline does not go with --bounds-only: it shows a simulation, and the bounds have none
  status 2
  tacho: --timeline does not go with --bounds-only: it shows a simulation, and the bounds have none
  status 2
  tacho: --what-if does not go with --bounds-only: it shows a simulation, and the bounds have none
  status 2
  tacho: --html does not go with --bounds-only: it shows a simulation, and the bounds have none
  status 2
  $ tacho predict --bounds-only --hex 90 -a SKL --align all --format csv | wc -l
  65
