#!/bin/sh
# again.sh COMMAND...: a script whose assertions are of times. Where some do not hold it is done again, twice at most: a machine
# that others use is quiet at another moment, and what is broken fails each time. Anything else that goes wrong (a
# crash, a sanitizer's report without a failed assertion, a leak) counts at once.
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
exit $status
