#!/bin/sh
# hot_memory.sh EXAMPLES: a linked list over 64 MB and a stream, by the registers of samples: their operands' patterns and
# footprints. What they wait for is the machine's matter.
set -u
examples=$1
. "$(dirname "$0")/checks.sh"
need cc gcc
need jq jq
need_tracing
cc -O2 -g -o "$TMP/memory" "$examples/memory.c" || { fail "memory.c cannot be compiled"; exit 1; }
cd "$TMP" || exit 1

# seen PROGRAM CONDITION: of the operand with most samples of the hottest place
seen() {
    for seconds in 1 4; do
        tacho hot -q --windows 0 --json -o out.json -- ./memory "$1" plain $seconds >err.txt 2>&1
        samples=$(jq '[.places[0].memory.operands[].samples] | max // 0' out.json)
        [ "$samples" = 0 ] && skip "no registers in samples here: $(cat err.txt)"
        jq -e ".places[0].memory.operands | max_by(.samples) | $2" out.json >/dev/null && return
    done
    fail "$1: no operand with $2: $(jq -c '.places[0].memory' out.json) $(cat err.txt)"
}

seen chase-65536 '.pattern == "chain" and .footprint_low < 67200000 and .footprint_high > 60000000'
seen nodes '.pattern == "stride" and .stride == 64 and .line_bytes == 8'
jq -e '.places[0] | if .memory.limit then .limited_by | test("(L2|L3|memory) (latency|bandwidth)") else .limited_by != "" end' out.json >/dev/null ||
    fail "limited_by: $(jq -c '.places[0] | [.limited_by, .memory.limit]' out.json)"
jq -e '.places[0].memory | .limit == null or .operand != null' out.json >/dev/null || fail "a limit without an operand"

# Lines are watched, or it is said why not. (How many is the machine's matter, and how busy it is.)
tacho hot -q --json -o out.json -- ./memory between plain 3 >err.txt 2>&1 || fail "between: $(cat err.txt)"
jq -e '.watched > 0 or .no_watch != null or .no_windows != null' out.json >/dev/null || fail "no line is watched: $(jq -c '{watched,no_watch,windows}' out.json)"
jq -e '[.places[].memory.operands[] | select(.watched) | .touched <= .watched and .watched >= 8] | all' out.json >/dev/null ||
    fail "watched lines: $(jq -c '[.places[].memory.operands[]]' out.json)"
tacho hot -q --windows 0 -- ./memory between plain 1 >out.txt 2>err.txt && grep -q watched out.txt && fail "lines are watched without windows"

# A picture: each place that computes has its circle, JSON the same figures; without a description it says how to get one.
export XDG_CACHE_HOME="$TMP/cache"
tacho hot -q --windows 0 --json -o out.json --roofline out.svg -- ./memory nodes plain 1 >/dev/null 2>err.txt || fail "--roofline: $(cat err.txt)"
[ "$(grep -c "class='point'" out.svg)" = "$(jq '[.roofline.points[] | select(.operations_per_cycle > 0)] | length' out.json)" ] ||
    fail "--roofline: not a circle for each place"
jq -e '.roofline | .bandwidths == null and (.points | any(.bytes > 0)) and (.peaks | length) >= 2' out.json >/dev/null || fail "roofline: $(jq -c .roofline out.json)"
grep -q 'tacho doctor --memory' out.svg || fail "--roofline: does not say how bandwidths are known"
tacho hot --roofline out.pdf -- ./memory nodes plain 1 >/dev/null 2>err.txt && fail "--roofline out.pdf is accepted"
tacho hot --roofline no/such/place.svg -- touch ran >/dev/null 2>err.txt && fail "--roofline into a missing folder"
[ -e ran ] && fail "--roofline into a missing folder was found out after the run"

echo "$failures failures"
[ "$failures" = 0 ]
