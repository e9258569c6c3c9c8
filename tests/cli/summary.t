What ./dev test says at its end, of Meson's log: tests that were skipped with their reasons, parts that were left out, and
what was tried again. Meson alone says "exit status 77".

  $ printf '%s\n' '=== 1/5 ===' 'test:   tacho:cli / cli-page' 'result:  exit status 77' 'skipped: chromium is not installed' '=== 2/5 ===' 'test:   tacho:unit / unit-bias' 'result:  exit status 0' 'again: a: attempt 1 of 3 failed' 'again: b: attempt 1 of 3 failed' > $TMP/log
  $ printf '%s\n' '=== 3/5 ===' 'test:   tacho:unit / unit-hot' 'result:  exit status 0' 'skipped: no counters' 'skipped: no counters' '=== 4/5 ===' 'test:   tacho:unit / silent' 'result:  exit status 77' '=== 5/5 ===' 'test:   tacho:unit / wrong' 'result:  exit status 1' >> $TMP/log
  $ printf '%s\n' 'Ok:                 2   ' 'Expected Fail:      0' 'Fail:               1' 'Unexpected Pass:    0' 'Skipped:            2' 'Timeout:            0' >> $TMP/log
  $ tests/summary.sh $TMP/log
  
  Skipped, and why:
    cli-page             chromium is not installed
    silent               (it does not say why, which is an error of the test)
  
  Parts of other tests that were left out, and why:
    unit-hot             no counters
  
  ./dev ci-tools installs the programs that these need.
  
  Tried again, as something else used the machine:
    unit-bias            2 times
  
  2 passed, 1 failed, 2 skipped

A test that runs Meson itself has figures in its output; they were counted in, and what it said after them was lost.

  $ printf '%s\n' '=== 1/1 ===' 'test:   tacho:embed / embed' 'result:  exit status 0' 'Ok:                 7   ' 'Fail:               0' 'Skipped:            3   ' 'skipped: no second compiler' 'Ok:                 1   ' 'Expected Fail:      1   ' 'Fail:               0   ' 'Unexpected Pass:    0   ' 'Skipped:            0   ' 'Timeout:            0   ' > $TMP/log; tests/summary.sh $TMP/log
  
  Parts of other tests that were left out, and why:
    embed                no second compiler
  
  2 passed, 0 failed, 0 skipped
