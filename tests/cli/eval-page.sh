#!/bin/sh
# eval-page.sh TEST ACTIONS: the page of an evaluation with hostile names in a browser without a window. `TEST
# --page FILE` writes it; ACTIONS does what a user does. Skipped without Chromium.
set -u
test=$1 actions=$2
. "$(dirname "$0")/browser.sh"

"$test" --page "$TMP/page.html" || fail "no page"
act "$actions"
dom "$TMP/acted.html" >"$TMP/dom" || fail "the browser: $(tail -3 "$TMP/browser.txt")"
grep -o '<ol id="seen">.*</ol>' "$TMP/dom" | sed 's,</li>,\n,g; s,<[^>]*>,,g; s,&lt;,<,g; s,&gt;,>,g; s,&amp;,\&,g' | sed '/^$/d' >"$TMP/seen"
cat >"$TMP/expected" <<'END'
sections: Predictors | Measured and predicted cycles | How many blocks are predicted to within an error | By application | By length | Largest errors | Why predictors failed
first: <script>|uiCA & "co", µ
sorted by name, the other way round: none
what is not there is last: none
points of the heat maps: 3
a point by the keyboard: measured 0.5, predicted 0.25 (-50 %): cmp rax, 0x0; mov r13, rax
its title: measured 0.5, predicted 0.25 (-50 %) cmp rax, 0x0 mov r13, rax
none: 3 blocks
curve drawn: true
curve switched off: none
a group's figures: 50.00 1.0000
worst: cmp rax, 0x0 / mov r13, rax
note: a note with <b>, | and "quotes" in two lines
failures: timed out
END
diff -u "$TMP/expected" "$TMP/seen" || fail "the page shows something else"

for scheme in light dark; do
    dom "$TMP/page.html" "#theme=$scheme" >"$TMP/dom"
    grep -q "data-theme=\"$scheme\"" "$TMP/dom" || fail "the address does not choose $scheme"
    grep -q 'data-ready="yes"' "$TMP/dom" || fail "$scheme: the page has not drawn itself"
    ! grep -q 'data-problem' "$TMP/dom" || fail "$scheme: $(grep -o 'data-problem="[^"]*"' "$TMP/dom")"
    ! grep -q -F -e '<lib>' -e '<b>' -e '<unstable>' "$TMP/dom" || fail "$scheme: a text was taken for HTML"
    ! sed '/<script/,/<\/script>/d' "$TMP/dom" | grep -q 'with intervals' || fail "$scheme: these groups have no intervals"
    [ "$(grep -c '<script' "$TMP/dom")" = 2 ] || fail "$scheme: not the two scripts of the page"
done

# Of many blocks the page has counts, no points.
awk 'BEGIN { print "hex,cycles"; for (i = 0; i < 2100; i++) printf "b8%04x0000,%g\n", i, 1 + i % 7 / 8 }' >"$TMP/many.csv"
tacho eval --measured "$TMP/many.csv" --predicted same="$TMP/many.csv" --html "$TMP/many.html" >/dev/null || fail "no page of many blocks"
dom "$TMP/many.html" >"$TMP/dom"
! grep -q 'data-problem\|<circle' "$TMP/dom" || fail "many blocks: $(grep -o 'data-problem="[^"]*"' "$TMP/dom")"
[ "$(grep -o '<path d="M' "$TMP/dom" | wc -l)" -gt 0 ] || fail "no cells of the heat map"

if grep -o -E '(src|href)="[a-z]+:[^"]*"|url\([^)]*\)|https?://[a-zA-Z0-9./]*' "$TMP/page.html" | grep -v 'http://www.w3.org/2000/svg'; then
    fail "the page names other places"
fi
[ "$failures" = 0 ]
