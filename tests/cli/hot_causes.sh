#!/bin/sh
# hot_causes.sh EXAMPLES: for each kind of cause a program that has it, and no other: the hottest place has the cause,
# at its instruction and line, and none of the other kinds is told. What it costs is the machine's matter. Where few
# windows are to be had (a busy machine), a program gets more time, twice.
set -u
examples=$1
. "$(dirname "$0")/checks.sh"
need cc gcc
need jq jq
need_tracing
tacho hot -q --windows 50 -o "$TMP/true.txt" --ignore-failure -- true 2>"$TMP/err.txt"
grep -qs 'windows.*ptrace' "$TMP/true.txt" "$TMP/err.txt" && skip "no windows here: $(cat "$TMP/true.txt")"
cd "$TMP" || exit 1

line_of() { # FILE WORD
    grep -n "/\* $2 \*/" "$examples/$1.c" | head -n 1 | cut -d: -f1
}

# cause PROGRAM KIND CONDITION [ARGUMENT...]: of the cause; $here, $there are lines. arch: of the prediction
cause() {
    program=$1 kind=$2 condition=$3
    shift 3
    [ -x "$program" ] || cc -O1 -g -pthread -o "$program" "$examples/$program.c" || {
        fail "$program.c cannot be compiled"
        return
    }
    here=$(line_of "$program" here) there=$(line_of "$program" there)
    for seconds in 0.8 2 5; do
        tacho hot -q --windows 80 --seconds $seconds --ignore-failure --json -o out.json $arch -- ./"$program" "$@" \
            >err.txt 2>&1
        jq -e --arg kind "$kind" --argjson here "${here:-0}" --argjson there "${there:-0}" \
            "[.places[] | .causes[] | select(.kind == \$kind and (.source_line == \$here or .source_line == \$there) and
                ($condition))] | length > 0" out.json >/dev/null && break
        [ $seconds = 5 ] || echo "again: $program: too few windows in $seconds s"
        [ $seconds = 5 ] && fail "$program $*: no $kind with $condition at line $here: $(cat err.txt)
$(jq -c '[.windows, [.places[] | [.samples, .window_rounds, .causes]]]' out.json | cut -c1-2000)"
    done
    others=$(jq -r --arg kind "$kind" '.places[].causes[] | select(.told and .kind != $kind) | .text' out.json)
    [ -z "$others" ] || fail "$program $*: also told: $others"
}

arch=
cause random_branch misprediction '.told and .share > 0.3 and .taken > 0.4 and .taken < 0.6'
cause forwarding forwarding '.share > 0.9 and .other_source_line == $there'
cause crossing line-crossing '.share > 0.9 and (.store | not)'
cause crossing page-crossing '.share > 0.4' 2000000000 page
cause subnormal subnormal '.share > 0.9'
cause long_list cache '.dependent and .least_bytes > 2000000 and .stride == null'
cause columns cache '.stride == 4160 and .least_bytes > 2000000'
arch='-a SKL'
cause aliasing 4k-aliasing '.share > 0.9 and .other_source_line == $there'
arch=
[ "$(nproc)" = 1 ] ||
    cause sharing false-sharing '.share > 0.9 and .variable == "counters" and .other_source_line != .source_line'
[ "$(nproc)" = 1 ] ||
    cause sharing true-sharing '.one_way and .variable == "counters" and .share > 0.1' 2000000000 reads
# No cause where there is none: the same with the counters apart; and in text, of what was seen.
others=$(tacho hot -q --windows 80 --seconds 0.8 --ignore-failure --json -- ./sharing 2000000000 apart 2>err.txt |
    jq -r '.places[].causes[] | select(.told) | .text')
[ -z "$others" ] || fail "sharing apart: $others"
status 0 '' tacho hot -q --windows 80 --seconds 0.8 --ignore-failure -o text.txt -- ./forwarding
grep -q 'not forwarded' text.txt || echo "again: the text has no cause: too few windows"

echo "$failures failures"
[ "$failures" = 0 ]
