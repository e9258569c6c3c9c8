#!/bin/sh
# compare.sh: comparisons in several layouts, and without address randomisation; skipped where programs cannot be
# traced.
set -u
. "$(dirname "$0")/checks.sh"

need_layouts
tacho compare --layout 6 --runs 12 --json -- true -- true >"$TMP/json" 2>"$TMP/err" || fail "$(cat "$TMP/err")"

# Six blocks, one in each of the layouts, which are what the verdict counts.
[ "$(grep -E '^  "(blocks|units|units_are)"' "$TMP/json" | tr -d ' \n')" = '"blocks":6,"units":6,"units_are":"layouts",' ] ||
    fail "units: $(grep -E '^  "(blocks|units)' "$TMP/json")"
[ "$(grep -c '"stack_bytes"' "$TMP/json")" = 6 ] || fail "not six layouts"
[ "$(grep '"stack_bytes"' "$TMP/json" | sort -u | wc -l)" -gt 3 ] || fail "layouts are alike"

# Both sides see the same ones, which the seed decides: the pad in the environment has these lengths.
see() {
    # shellcheck disable=SC2016
    tacho compare --layout 6 --runs 12 --seed "$1" --metric-regex '([0-9]+)' --format csv \
        -- sh -c 'echo ${#TACHO_PAD}1' -- sh -c 'echo ${#TACHO_PAD}1' 2>"$TMP/err" || fail "$(cat "$TMP/err")"
}
see 1 >"$TMP/one"
see 1 >"$TMP/again"
see 2 >"$TMP/two"
last() { # columns: side, block, layout, value
    awk -F, '{ print $2, $3, $4, $NF }' "$1"
}
last "$TMP/one" >"$TMP/one.values"
last "$TMP/again" | cmp - "$TMP/one.values" || fail "the same seed, other layouts"
last "$TMP/two" | cmp -s - "$TMP/one.values" && fail "another seed, the same layouts"
[ "$(awk 'NR > 1 { v[$2 " " $4] = 1 } END { n = 0; for (i in v) n++; print n }' "$TMP/one.values")" = 6 ] ||
    fail "the runs of a block are not in one layout: $(cat "$TMP/one.values")"

# What waits is seen by elapsed time: two of it at once take less of that than one after the other.
tacho compare --cpu any --runs 6 --warm-up 0 --json -- sh -c 'sleep 0.2; sleep 0.2' -- sh -c 'sleep 0.2 & sleep 0.2; wait' \
    >"$TMP/json" 2>"$TMP/err" || [ $? = 3 ] || fail "$(cat "$TMP/err")"
awk '/"elapsed": {/ { on = 1 } on && /"ratio":|"processors_a"/ { gsub(/[,]/, ""); v[$1] = $2 } /}/ { on = 0 }
    END { exit !(v["\"ratio\":"] < 0.9 && v["\"processors_a\":"] < 0.5 && v["\"processors_a\":"] > 0) }' "$TMP/json" ||
    fail "elapsed: $(grep -A8 '"elapsed": {' "$TMP/json")"
tacho compare --runs 2 --warm-up 0 -- sleep 0.1 -- sleep 0.1 2>/dev/null | grep -q '^elapsed  *A [1-9][0-9.]* m*s, 0.[0-9]* processors' ||
    fail "no line of elapsed time"

# The same addresses each time.
cat >"$TMP/where" <<'END'
#!/bin/sh
echo $((0x$(sed -n 's/-.*stack.*//p' /proc/self/maps | head -c 9)))
END
chmod +x "$TMP/where"
tacho compare --no-aslr --runs 4 --warm-up 0 --metric-regex '([0-9]+)' --format csv -- "$TMP/where" -- "$TMP/where" \
    >"$TMP/csv" 2>"$TMP/err"
[ "$(awk -F, 'NR > 1 { print $NF }' "$TMP/csv" | sort -u | wc -l)" = 1 ] || fail "addresses: $(cat "$TMP/csv" "$TMP/err")"
[ "$failures" = 0 ]
