#!/bin/sh
# hot_causal.sh EXAMPLES: causal profiling of programs of which it is known what a place is worth. How much is estimated
# depends on what else runs; that the place which all wait for is worth more than one that nobody waits for does not.
set -u
examples=$1
. "$(dirname "$0")/checks.sh"
need cc gcc
need jq jq
need_tracing

# What does not go together is said, before anything runs.
status 2 '--what-if needs --progress POINT' tacho hot --what-if f -- true
status 2 '--progress does not go with --threads' tacho hot --progress f --threads -- true
status 2 '--progress does not go with --windows' tacho hot --progress f --windows 1 -- true
status 2 '--progress does not go with --save' tacho hot --progress f --save "$TMP/p.data" -- true
status 2 '--progress does not go with --count' tacho hot --progress f --count -- true
status 2 '--progress does not go with --perf-data' tacho hot --progress f --perf-data p.data
status 2 'not --via ptrace' tacho hot --progress f --via ptrace -- true
status 2 '--progress has no CSV' tacho hot --progress f --format csv -- true
status 2 'it does not go with --diff' tacho hot --progress f --diff -- true -- true

cd "$TMP" || exit 1
for program in pipeline held_lock; do
    cc -O2 -g -pthread -o $program "$examples/$program.c" || fail "$program.c cannot be compiled"
done
tacho hot -q --top 0 --json --progress progress --what-if consume -o out.json -- ./pipeline 2 >err.txt 2>&1 || {
    grep -q 'perf_event' err.txt && skip "no samples, or no breakpoints, by perf_event here: $(cat err.txt)"
    fail "$(cat err.txt)"
}

# causal CONDITION COMMAND...: of `causal`; a host that is busy gets more time
causal() {
    condition=$1
    shift
    for seconds in 6 20; do
        tacho hot -q --top 0 --json -o out.json "$@" $seconds >err.txt 2>&1
        jq -e ".causal | $condition" out.json >/dev/null 2>&1 && return
        echo "again: $*: not seen in $seconds s"
    done
    jq -e '.causal.nothing // "" | contains("ptrace") or contains("too short")' out.json >/dev/null &&
        skip "$(jq -r .causal.nothing out.json)"
    fail "$*: not $condition: $(cat err.txt) $(jq -c .causal out.json)"
}
gain='(.places[] | select(.function == "%s") | .slope)'
# shellcheck disable=SC2059
consume=$(printf "$gain" consume) produce=$(printf "$gain" produce)
causal "$consume > 0.1 and $consume > $produce + 0.1 and .base_experiments > 0 and .delays > 0" \
    --progress progress -- ./pipeline
# The same by a line of the source, and of one place only.
line=$(grep -n 'visits++' "$examples/place.h" | cut -d: -f1)
causal '.places | length == 1 and .[0].function == "inside" and .[0].slope > 0.1' \
    --progress "place.h:$line" --what-if inside -- ./held_lock

# A process that runs goes on afterwards, with no thread left behind.
./pipeline 60 >rate.txt &
program=$!
tacho hot -q --top 0 --progress progress --pid $program --seconds 3 -o out.txt 2>err.txt || fail "--pid: $(cat err.txt)"
grep -q 'what if' out.txt || fail "--pid: $(head -5 out.txt)"
for task in /proc/$program/task/*; do
    grep -E '^TracerPid:.*[1-9]|^State:.*[tT] ' "$task/status" && fail "--pid: a thread is left as above"
done
# So it does where tacho is killed.
tacho hot -q --progress progress --pid $program >out.txt 2>&1 &
sleep 2
kill -KILL $!
wait $! 2>/dev/null
sleep 0.5
for task in /proc/$program/task/*; do
    grep -E '^TracerPid:.*[1-9]|^State:.*[tT] ' "$task/status" && fail "after a kill a thread is left as above"
done
kill $program
wait $program 2>/dev/null

# Points and places that are not there.
status 3 "has a function or line 'nowhere'" tacho hot -q --top 0 --progress nowhere -- ./pipeline 1
has "what if      nothing that ran has a function or line 'nowhere'"
status 3 "no sample fell into 'nowhere'" tacho hot -q --top 0 --progress progress --what-if nowhere -- ./pipeline 1

echo "$failures failures"
[ "$failures" = 0 ]
