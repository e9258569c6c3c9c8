Variants of the model: each changes what it says it changes. What is printed: cycles, exactly, source.

  $ echo 'tacho predict -a SKL --format csv --hex "$@" | tail -1 | cut -d , -f 2,3,6' >$TMP/p

Long NOPs, which only the predecoder holds back (16 bytes a cycle), and what the renamer would take:

  $ sh $TMP/p 0f1f80000000000f1f80000000000f1f80000000000f1f8000000000
  1.75,7/4,MITE
  $ sh $TMP/p 0f1f80000000000f1f80000000000f1f80000000000f1f8000000000 --simple-front-end
  1,1,LSD

Ports at random: additions now sometimes take the branch's port, and there is no exact result; always the same one.

  $ sh $TMP/p 4883c0014883c3014883c10149ffcf75ef
  1.085586,,DSB
  $ sh $TMP/p 4883c0014883c3014883c10149ffcf75ef --simple-port-assignment | cut -d , -f 2
  
  $ for i in 1 2; do sh $TMP/p 4883c0014883c3014883c10149ffcf75ef --simple-port-assignment; done | uniq -d | grep -c ,
  1

Without fusion a load and its addition, a decrement and its jump are two µops each.

  $ sh $TMP/p 48030348034b084803531048037318
  2,2,MITE
  $ sh $TMP/p 48030348034b084803531048037318 --no-micro-fusion
  4,4,MITE
  $ sh $TMP/p 48030348034b084803531048037318 -noMicroFusion
  4,4,MITE
  $ sh $TMP/p 48ffc948ffc348ffc649ffcf75f2
  1.085586,,DSB
  $ sh $TMP/p 48ffc948ffc348ffc649ffcf75f2 --no-macro-fusion
  1.477987,,DSB
  $ sh $TMP/p 48ffc948ffc348ffc649ffcf75f2 -noMacroFusion
  1.477987,,DSB

Moves: eliminated as the model says, never, always.

  $ sh $TMP/p 4889d84889c3
  1,1,MITE
  $ sh $TMP/p 4889d84889c3 --no-move-elimination
  2,2,MITE
  $ sh $TMP/p 4889d84889c3 --full-move-elimination
  0.625,5/8,MITE
  $ tacho predict -a SKL --hex 4889d84889c3 --full-move-elimination --no-move-elimination
  tacho: give --no-move-elimination or --full-move-elimination, not both
  [2]

The report says what was not as it is.

  $ tacho predict -a SKL --hex 4889d84889c3 --no-move-elimination --no-macro-fusion | head -3
  2 cycles per iteration on SKL, Skylake (client)
  
  what if      no macro fusion, no move elimination
  $ tacho predict -a SKL --hex 4889d84889c3 --no-move-elimination --no-macro-fusion --json | grep -A 4 '"variants"'
    "variants": [
      "no_macro_fusion",
      "no_move_elimination"
    ],
    "bottlenecks": [
