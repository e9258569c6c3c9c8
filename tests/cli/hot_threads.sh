#!/bin/sh
# hot_threads.sh EXAMPLES: programs whose threads wait, for what is known: the right lock, place and holder are named.
# How much it costs is a matter of processors and of what else runs, so that only what holds on any host is asked for:
# on one processor, too, threads wait for the lock that another one has.
set -u
examples=$1
. "$(dirname "$0")/checks.sh"
need cc gcc
need jq jq
need_tracing
cd "$TMP" || exit 1
tacho hot -q --threads --windows 0 --json -o true.json -- true 2>err.txt || {
    grep -q 'perf_event' err.txt && skip "threads are not looked at here: $(cat err.txt)"
    fail "$(cat err.txt)"
}
# Of a run in which no thread was seen nothing is said but that: it was called idle.
jq -e 'if .waiting then .waiting.threads != [] else any(.warnings[]; contains("no thread was seen")) end' true.json >/dev/null ||
    fail "a short run: $(jq -c '[.waiting, .warnings]' true.json)"

# says PROGRAM CONDITION [ARGUMENT...]: of `waiting`; longer runs where a short one shows too little
says() {
    program=$1 condition=$2
    shift 2
    [ -x "$program" ] || cc -O2 -g -DTRUTH -pthread -o "$program" "$examples/$program.c" || {
        fail "$program.c cannot be compiled"
        return
    }
    for seconds in 0.5 2 6; do
        tacho hot -q --threads --windows 0 --json -o out.json "$@" -- ./"$program" $seconds >err.txt 2>&1
        jq -e ".waiting | $condition" out.json >/dev/null 2>&1 && return
        echo "again: $program: not seen in $seconds s"
    done
    fail "$program: not $condition: $(cat err.txt)
$(jq -c '.waiting | del(.threads)' out.json | cut -c1-3000)"
}

# The wait for LOCK, of KIND, which begins in FUNCTION.
wait_of() {
    printf '([.waits[] | select(.kind == "%s" and .name == %s and .places[0].function == "%s")][0])' "$1" "$2" "$3"
}

lock=$(wait_of lock '"table_lock"' insert)
says one_lock "$lock | .threads == 8 and .seconds > 0 and any(.holders[]; .function == \"rehash\")"
text=$(jq -r '.waiting.text' out.json)
[ -n "$text" ] || fail "no sentence"
# What the clock on both sides of the lock says is no less than half of it, nor more than twice.
true=$(sed -n 's/^truth: table_lock //p' err.txt)
jq -e --argjson true "${true:-0}" ".waiting | $lock.seconds | . > \$true / 2 and . < \$true * 2" out.json >/dev/null ||
    fail "table_lock: $(jq -c ".waiting | $lock.seconds" out.json) s, not $true"
lock=$(wait_of lock '"log_lock"' log_write)
says io_lock "$lock | .seconds > 0 and .holders[0].function == \"log_write\" and .holders[0].call == \"read\""
says barrier "$(wait_of barrier '"step_done"' run) | .threads >= 3 and any(.holders[]; .function == \"slow_border\")"
says queue "$(wait_of condition '"not_full"' put) | .threads >= 1 and any(.holders[]; .function == \"consume\")"
says spinning '.spinning > 0 and any(.spins[]; .function == "await")'
says serial '.serial > 0 and .serial_places[0].function == "merge" and .limit > 1'
says crowded '.finding == "crowded" and .ready > 0'
says quiet_lock '.finding != "wait" and .finding != "spin"'
# A process that runs; its children.
./one_lock 30 &
tacho hot -q --threads --windows 0 --pid $! --seconds 1 --json -o out.json 2>err.txt || fail "--pid: $(cat err.txt)"
kill $!
jq -e '.waiting.waits | any(.name == "table_lock")' out.json >/dev/null || fail "--pid: $(jq -c .waiting.waits out.json)"
status 0 '' tacho hot -q --threads --windows 0 --html page.html -o out.txt -- sh -c './one_lock 0.3; ./barrier 0.3'
grep -q 'of 3 processes' out.txt || fail "children: $(head -3 out.txt)"
grep -q '^strip' out.txt || fail "no strip: $(cat out.txt)"
awk 'length > 100 { print "too long: " $0; bad = 1 } END { exit bad }' out.txt || fail "lines are too long"
grep -q 'Threads by time' page.html || fail "the page has no strip"
# A file that cannot be completed: said, after the report.
status 1 'cannot write /dev/full' tacho hot -q --threads --windows 0 --save /dev/full --json -o full.json -- ./one_lock 0.3
jq -e '.waiting.threads | length == 9' full.json >/dev/null || fail "--save /dev/full: no report"
# What does not go together is said.
status 2 '--threads does not go with --perf-data' tacho hot --threads --perf-data p.data
status 2 '--threads does not go with --via ptrace' tacho hot --threads --via ptrace -- true
status 2 'it does not go with --diff' tacho hot --threads --diff -- true -- true
status 2 '--threads has no CSV' tacho hot --threads --format csv -- true

echo "$failures failures"
[ "$failures" = 0 ]
