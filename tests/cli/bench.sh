#!/bin/sh
# bench.sh BENCH-RUN BUILD: what ./dev bench says of accuracy where there is no reference data: figures against our own
# measurements, and which others are missing. It printed empty tables and zeros.
set -u
. "$(dirname "$0")/checks.sh"
status 0 '' env TACHO_SHARED_DATA="$TMP/nothing" "$1" "$2" accuracy
[ "$(grep -c '^\(unroll\|loop\) .* [1-9][0-9]* blocks, MAPE [0-9.]* %, tau 0[.]' "$TMP/out.txt")" = 4 ] || fail "not four figures: $(cat "$TMP/out.txt")"
grep -q '^# not measured, .*uiCA' "$TMP/out.txt" || fail "what is missing is not named: $(cat "$TMP/out.txt")"
[ "$failures" = 0 ]
