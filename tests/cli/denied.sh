#!/bin/sh
# denied.sh DENY RUNNER TEST...: tests that run code, as on hosts that refuse some system calls: each of them must skip with
# a reason, or pass; and the program must say what it lacks. (A container without ptrace or counters; one whose filter
# does not let address space randomisation be turned off.)
set -u
deny=$1
shift
. "$(dirname "$0")/checks.sh"
# The leak checker of the sanitizers traces the program itself, with ptrace; what leaks is found elsewhere.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
export ASAN_OPTIONS
"$deny" ptrace true || skip "system calls cannot be denied here: status $?"

status 1 'can only be moved with ptrace, which is not allowed here' "$deny" ptrace tacho bias --metric cpu --factors stack -- true
status 1 'the same addresses each time' "$deny" personality tacho bias --metric cpu --factors stack -- true
status 1 'the same addresses each time' "$deny" personality tacho compare --no-aslr --runs 12 -- true -- true
status 1 'perf_event_paranoid' "$deny" perf_event_open tacho measure --hex 90 --clock perf
status 1 'ptrace' "$deny" ptrace tacho hot --via ptrace -- true
status 1 'cannot trace true' "$deny" ptrace tacho extract --via ptrace -o "$TMP/x.csv" -- true
status 0 '' "$deny" perf_event_open,ptrace,personality tacho compare --runs 12 -- true -- true

# ends CALLS COMMAND...
ends() {
    calls=$1
    shift
    "$deny" "$calls" "$@" >"$TMP/out.txt" 2>&1
    got=$?
    [ $got = 0 ] || { [ $got = 77 ] && grep -q '^skipped: ..' "$TMP/out.txt"; } ||
        fail "without $calls: $*: status $got: $(grep -e failed -e ERROR -e FAILED "$TMP/out.txt")"
}
for test in "$@"; do
    for calls in perf_event_open,ptrace personality; do
        # A test and its arguments are one word of ours.
        # shellcheck disable=SC2086
        ends $calls $test
    done
done
[ "$failures" = 0 ]
