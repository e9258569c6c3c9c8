#!/bin/sh
# drawn.sh: what Graphviz and gnuplot make of graphs and plots, with hostile names; skipped where one is missing.
set -u
for program in dot gnuplot; do
    command -v $program >/dev/null 2>&1 || {
        echo "skipped: no $program (Debian: apt-get install graphviz gnuplot-nox)"
        exit 77
    }
done
. "$(dirname "$0")/checks.sh"

# Would end a string, or be taken for a command, if it were not escaped.
cat >"$TMP/code.s" <<'END'
# LLVM-MCA-BEGIN '"]; system "touch pwned" <b>&\ $x `touch pwned`
        imulq %rax, %rax
        movq %rax, %rbx
        addq (%rsi), %rbx
# LLVM-MCA-END
END
cd "$TMP" || exit 1
tacho predict code.s -a SKL --graph g.svg >out 2>&1 || fail "$(cat out)"
tacho predict code.s -a SKL --graph g.png >out 2>&1 || fail "$(cat out)"
grep -q '<svg' g.svg || fail "g.svg is no SVG"
grep -q -e '&lt;b&gt;' -e '&lt;b>' g.svg || fail "g.svg does not show the name as it is"
[ "$(head -c 4 g.png | tail -c 3)" = PNG ] || fail "g.png is no PNG"
[ ! -e pwned ] || fail "a name was taken for a command"
[ "$(grep -c '<g id="node' g.svg)" = 3 ] || fail "not three instructions in the graph"
grep -q 'imul' g.svg || fail "no instruction's text in the graph"
[ ! -s out ] || grep -q 'cycles per iteration' out || fail "$(cat out)"

# Categories by application: the same for the names of applications, and of the file.
name="'\"] system \"touch pwned\" <b>&@_{x}\$(touch pwned)\`touch pwned\`"
{
    echo hex,app
    for i in 1 2 3 6; do
        printf '488b03488b410%s,"%s"\n4801d84829d8,ordinary;µ\n48890348890%s,b\n' $i \
            "$(printf %s "$name" | sed 's/"/""/g')" $i
    done
} >"it's <odd>.csv"
# Evaluations: the same for the names of predictors, files and applications.
sed 's/^hex,app/hex,app,cycles/; s/$/,1/; 1s/,1$//' "it's <odd>.csv" >"m's <odd>.csv"
sed 's/,1$/,1.1/' "m's <odd>.csv" >p.csv
for format in svg png; do
    tacho eval "m's <odd>.csv" -p "$name=p.csv" -p p.csv --by application --resamples 9 --heat-map h.$format --html page.html \
        >/dev/null 2>err || fail "evaluation: $(cat err)"
    [ ! -s err ] || fail "evaluation: $(cat err)"
done
for f in h; do
    grep -q '&lt;b' $f.svg || fail "$f.svg does not show the name as it is"
    [ "$(head -c 4 $f.png | tail -c 3)" = PNG ] || fail "$f.png is no PNG"
done
grep -q '12 of 12 blocks' h.svg && grep -q 'MAPE 10.00 %' h.svg || fail "h.svg does not say what it is of"
[ ! -e pwned ] || fail "a predictor's name was taken for a command"
! grep -q '<b>' page.html || fail "a name is HTML in the page"
for option in --heat-map --html; do
    file=absent/f.svg
    [ $option != --html ] || file=absent/f.html
    tacho eval "m's <odd>.csv" -p p.csv --by application --resamples 0 $option $file >/dev/null 2>err
    [ $? = 1 ] && grep -q $file err || fail "$option into no directory: $(cat err)"
done

# Errors: the directory is missing, the disk is full.
tacho predict code.s -a SKL --graph absent/f.svg >/dev/null 2>err
[ $? = 1 ] || fail "--graph into a directory that is not there: not status 1"
grep -q 'cannot write absent/f.svg' err || fail "--graph: $(cat err)"
[ "$failures" = 0 ]
