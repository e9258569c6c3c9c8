#!/bin/sh
# evaluate.sh BUILD: bench/evaluate on measurements that are there: one page with all tables; what is missing is said.
set -eu
build=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
status=0
wrong() {
    echo "wrong: $*"
    status=1
}
# shellcheck disable=SC2086
quick="--no-speed --no-pictures --resamples 10"

printf '# core: SKL\n# processor: none, made up\nhex,app,cycles,uncertainty,status,notes\n' >"$dir/made_U.csv"
printf '4801d8,a,1,0,ok,\n4801d84889d8,a;b,0.625,0,ok,\n480fafc0,b,3,0,ok,\n90,b,1,0,unstable,\n' >>"$dir/made_U.csv"
printf '488b00,a,4,0,ok,\nc5f458c2,b,0.5,0,ok,\n' >>"$dir/made_U.csv"
printf 'hex,block_hex,cycles,flags\n4801d849ffca75f8,4801d8,1,\n480fafc049ffca75f7,480fafc0,6,\n9049ffca75fa,90,2,alias\n' >"$dir/made_L.csv"

bench/evaluate "$build" "$dir/out" --judge SKL="$dir/made" $quick >"$dir/log" 2>&1 || {
    cat "$dir/log"
    wrong 'it failed'
}
page=$dir/out/evaluation.md
grep -q '^## SKL: made$' "$page" || wrong 'no section of SKL'
grep -q 'Measured by tacho itself' "$page" || wrong 'it does not say who measured'
grep -q -- '- processor: none, made up' "$page" || wrong 'the comments are lost'
grep -q -- '- unrolled: 5 blocks (left out: status unstable 1)' "$page" || wrong 'unrolled blocks'
grep -q -- '- loops: 2 blocks (left out: flags is not empty 1)' "$page" || wrong 'loops'
# unrolled all is as predicted; of the loops one takes twice as long
grep -q '^| \*\*tacho\*\* | 0.00 ' "$page" || wrong "Table 3: $(grep -F '**tacho**' "$page" | head -n 1)"
grep -F '| **tacho** |' "$page" | grep -q '| 25.00 | 25.00 ' || wrong "Table 3, loops: $(grep -F '**tacho**' "$page" | head -n 1)"
for what in '### Table 4' '### By application' '### By category' '### By length' '### By bottleneck' 'without micro fusion'; do
    grep -q "$what" "$page" || wrong "no $what"
done
grep -q '^| b | 3 | 0.00' "$page" || wrong "by application: $(grep '^| b |' "$page")"
for what in '<!doctype html>' '<h2 id="skl-made">' '<b>tacho</b>' '</html>'; do
    grep -q "$what" "$dir/out/index.html" || wrong "the page has no $what"
done
grep -q '| --:' "$dir/out/index.html" && wrong 'the page has Markdown in it'

# What is not there.
if bench/evaluate "$build" "$dir/out2" --judge SKL="$dir/none" $quick >"$dir/log" 2>&1; then
    wrong 'no measurements, and it did not fail'
fi
grep -q 'none: there is no pair of files' "$dir/log" || wrong "$(cat "$dir/log")"
bench/evaluate "$build" "$dir/out2" --judge SKL $quick >"$dir/log" 2>&1 && wrong 'a core without measurements'
grep -q 'CORE=PREFIX' "$dir/log" || wrong "$(cat "$dir/log")"
bench/evaluate "$build" "$dir/out2" --judge NONE="$dir/made" $quick >"$dir/log" 2>&1 && wrong 'a core that there is not'

# A sample, measured here; where nothing can be measured, that is said.
bench/evaluate "$build" "$dir/here" --blocks 12 --kernels 0 $quick >"$dir/log" 2>&1 || true
if grep -q 'This machine cannot measure' "$dir/here/evaluation.md"; then
    echo 'skipped: measuring: not possible here'
elif grep -q 'tacho has no model of this processor' "$dir/here/evaluation.md"; then
    ls "$dir"/here/unknown-*.csv.gz >/dev/null || wrong 'nothing was measured'
else
    grep -q 'Measured by tacho itself' "$dir/here/evaluation.md" || {
        cat "$dir/log"
        wrong 'measured here'
    }
    # The same again measures nothing.
    cp "$dir/here/measured_L.csv" "$dir/before.csv"
    bench/evaluate "$build" "$dir/here" --blocks 12 --kernels 0 $quick >"$dir/log" 2>&1 || wrong "again: $(cat "$dir/log")"
    cmp "$dir/before.csv" "$dir/here/measured_L.csv" || wrong 'it was measured again'
fi
exit $status
