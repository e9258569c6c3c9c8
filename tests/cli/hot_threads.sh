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
# A lock on the heap has no name: where it was made is told, as far as the program's start may be held.
says heap_lock '(.waits[0] | .kind == "lock" and .name == null and .places[0].function == "take" and .threads == 8)'
if jq -e '.waiting.waits[0].makers == []' out.json >/dev/null; then
    echo "skipped: where locks are made is not told here"
else
    says heap_lock '(.waits[0].makers | map(.function) == ["pool_new", "open_files"] and all(.source_line > 0))' --html page.html
    grep -q 'made in pool_new()' page.html || fail "heap_lock: the page does not say where it was made"
    jq -e '.waiting.text | contains("made in pool_new() (heap_lock.c:") and contains("for open_files() (heap_lock.c:")' out.json >/dev/null ||
        fail "heap_lock: $(jq -r .waiting.text out.json)"
fi
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
# Two versions: what is waited less for, in runs in turn and in saved files; the parts of each kind add up to the run.
cat >two.c <<'C'
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t file_lock = PTHREAD_MUTEX_INITIALIZER;
static __attribute__((noinline)) void save(void)
{
    pthread_mutex_lock(&file_lock);
    usleep(HELD);
    pthread_mutex_unlock(&file_lock);
}
static void *worker(void *p)
{
    volatile unsigned x = 1;
    for (int i = 0; i < 20; i++) {
        for (int k = 0; k < STEPS; k++)
            x = x * 1664525u + 1013904223u;
        save();
    }
    return p;
}
int main(void)
{
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], 0, worker, 0);
#ifdef ENDS
    pthread_exit(NULL);
#endif
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], 0);
    return 0;
}
C
for held in 2000 20000; do
    cc -O2 -g -pthread -DHELD=$held -DSTEPS=200000 -o held$held two.c || fail "two.c cannot be compiled"
    tacho hot -q --threads --windows 0 --save held$held.data --json -o saved$held.json -- ./held$held 2>err.txt || fail "--save: $(cat err.txt)"
    tacho hot --perf-data held$held.data --json >again.json 2>err.txt || fail "a saved file: $(cat err.txt)"
    [ "$(jq -c '.waiting | [.finding, .waits[0]]' again.json)" = "$(jq -c '.waiting | [.finding, .waits[0]]' saved$held.json)" ] ||
        fail "a saved file tells other things: $(jq -c '.waiting.waits[0]' again.json saved$held.json)"
done
# (a busy host's runs may differ by so much that the whole is no change: then nothing has a share)
less='([.threads[] | select(.name == "worker" and .part == "waits" and .wait == "the lock file_lock")][0] | .change < 0 and
    (.share // 1) > 0.2 and .by_start and .threads_a == 4)'
adds='(.elapsed as $all | [.threads | group_by([.first, .name])[] | ([.[].change] | add) - $all.change | fabs < 1e-9] | all)'
for sides in '-- ./held20000 -- ./held2000' 'held20000.data held2000.data'; do
    # shellcheck disable=SC2086
    case $sides in --*) set -- --threads --runs 2 $sides ;; *) set -- $sides ;; esac
    tacho hot --diff -q --json -o diff.json "$@" >err.txt 2>&1 || fail "--diff $sides: $(cat err.txt)"
    jq -e ".elapsed.change < -0.3 and $less and $adds" diff.json >/dev/null ||
        fail "--diff $sides: $(jq -c '.elapsed, .threads[]' diff.json)"
done
status 0 '' tacho hot --diff held20000.data held2000.data --html diff.html
if command -v chromium >/dev/null; then
    timeout 60 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$TMP/browser" \
        --virtual-time-budget=5000 --dump-dom "file://$PWD/diff.html" >page.dom 2>message
    grep -q 'data-ready="yes"' page.dom && ! grep -q 'data-problem' page.dom || fail "--diff: the page is not drawn"
    sed -n '/id="elapsed"/,$p' page.dom | grep -q 'waits for the lock file_lock' || fail "--diff: the page has no elapsed time"
else
    echo 'skipped: the page: chromium is not installed'
fi
has 'worker(), 4 -> 4 threads' '  waits for the lock file_lock ' 'Where elapsed time is' 'the first thread' '% of the change, -'
# A process whose first thread has ended, and which hardly runs: what the others wait for is known, and compared.
for held in 1000 4000; do
    cc -O2 -g -pthread -DHELD=$held -DSTEPS=2 -DENDS -o first$held two.c || fail "two.c cannot be compiled"
    tacho hot -q --threads --windows 0 --save first$held.data --json -o out.json -- ./first$held >err.txt 2>&1 ||
        fail "a first thread that ends: $(cat err.txt)"
done
jq -e '.waiting.waits[0] | .name == "file_lock" and .places[0].function == "save" and .holders[0].call == "usleep"' \
    out.json >/dev/null || fail "a first thread that ends: $(jq -c .waiting.waits out.json)"
tacho hot --diff -q --json -o diff.json first4000.data first1000.data >err.txt 2>&1 || fail "--diff without samples: $(cat err.txt)"
jq -e '.elapsed.change < 0 and any(.threads[]; .wait == "the lock file_lock" and .change < 0)' diff.json >/dev/null ||
    fail "--diff without samples: $(jq -c '.elapsed, .threads[]' diff.json)"
# A file that cannot be completed: said, after the report.
status 1 'cannot write /dev/full' tacho hot -q --threads --windows 0 --save /dev/full --json -o full.json -- ./one_lock 0.3
jq -e '.waiting.threads | length == 9' full.json >/dev/null || fail "--save /dev/full: no report"
# What does not go together is said.
status 2 '--threads does not go with --perf-data' tacho hot --threads --perf-data p.data
status 2 '--threads does not go with --via ptrace' tacho hot --threads --via ptrace -- true
status 2 '--threads does not go with files' tacho hot --threads --diff a b
status 2 '--threads has no CSV' tacho hot --threads --format csv -- true

echo "$failures failures"
[ "$failures" = 0 ]
