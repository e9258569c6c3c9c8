#!/bin/sh
# again.sh COMMAND...: a script whose assertions are of times. Where some do not hold it is done again, twice at most: a machine
# that others use is quiet at another moment, and what is broken fails each time. Anything else that goes wrong (a
# crash, a sanitizer's report without a failed assertion, a leak) counts at once. Where a loop gets less than three fifths of
# a processor after all attempts, nothing can be told: the script is left out.
set -u
out=$(mktemp) || exit 1
trap 'rm -f "$out"' EXIT
for attempt in 1 2 3; do
    "$@" >"$out" 2>&1
    status=$?
    cat "$out"
    [ $status -gt 0 ] && [ $status -lt 77 ] && grep -q '^failed: ' "$out" || exit $status
    [ $attempt = 3 ] || echo "again: attempt $attempt of 3 failed"
done
# how long a loop takes, and what it takes of a processor for that
starved() {
    from=$(date +%s%N)
    used=$(sh -c 'i=0; while [ $i -lt 500000 ]; do i=$((i + 1)); done; times' | sed 's/[ms]/ /g; q')
    echo "$used $((($(date +%s%N) - from) / 1000000))" |
        awk '{ exit !(60 * ($1 + $3) + $2 + $4 < 0.6 * $5 / 1000) }'
}
if starved; then
    echo 'skipped: the processors are too busy with something else'
    exit 77
fi
exit $status
