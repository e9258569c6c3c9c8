#!/bin/sh
# hot_diff.sh: tacho hot --diff: of two builds of a program with one function made slower, that function is first, and
# the parts add up to the whole; what is asked for wrongly; where output goes; signals; the page.
set -u
. "$(dirname "$0")/checks.sh"
cd "$TMP" || exit 1

# ---- wrong usage ----
check 2 'compares two commands' tacho hot --diff
check 2 'compares two files, not 1' tacho hot --diff one.data
check 2 'compares two files, not 3' tacho hot --diff a b c
check 2 'compares two commands' tacho hot --diff a b -- true -- true
check 2 'command B is missing' tacho hot --diff -- true
check 2 'command B is missing' tacho hot --diff -- true --
check 2 'command A is missing' tacho hot --diff -- -- true
check 2 'there is a third one' tacho hot --diff -- true -- true -- true
check 2 '--pid does not go with --diff' tacho hot --diff --pid 1
check 2 '--seconds does not go with --diff' tacho hot --diff --seconds 1 -- true -- true
check 2 'not CSV' tacho hot --diff --format csv -- true -- true
check 2 '--runs goes with commands' tacho hot --diff --runs 3 a b
check 2 '--count goes with commands' tacho hot --diff --count a b
check 2 '--runs goes with --diff' tacho hot --runs 3 -- true
check 2 'a command stands after --' tacho hot true
check 1 'no perf.data file' tacho hot --diff /etc/passwd /etc/passwd
check 1 'No such file' tacho hot --diff ./nothing ./nothing
check 1 'cannot write' tacho hot --diff -o /nosuch/file -- touch was_run -- touch was_run
[ ! -e was_run ] || fail "a command ran though its report cannot be written"

# ---- two builds ----
via=
for way in clock ptrace; do
    tacho hot -q --via $way --json -- true >can.json 2>can.txt || grep -q '"tacho-hot-1"' can.json || continue
    via=$way
    break
done
[ "$via" ] || skip "nothing can be sampled here: $(cat can.txt)"
check 1 'no samples' tacho hot --diff --via $via -F 1 -- true -- true
check 1 'cannot run ./nothing' tacho hot --diff --via $via -- ./nothing -- true
check 1 'status 1' tacho hot --diff --via $via -- false -- false

need cc gcc
need jq jq
cat >two.c <<'C'
#include <stdio.h>
__attribute__((noinline)) unsigned long steady(unsigned long n)
{
    unsigned long x = 1;
    for (unsigned long i = 0; i < n; i++) {
        x = x * 5 + i;
        __asm__("" : "+r"(x));
    }
    return x;
}
__attribute__((noinline)) unsigned long changed(unsigned long n)
{
    unsigned long x = 3;
    for (unsigned long i = 0; i < n; i++) {
        x *= x;
#ifdef SLOW
        x *= x;
        x *= x;
        x *= x;
#endif
        __asm__("" : "+r"(x));
    }
    return x;
}
int main(void)
{
    printf("%lu\n", changed(25000000) + steady(25000000));
    return 0;
}
C
cc -g -O2 -o fast two.c && cc -g -O2 -DSLOW -o slow two.c || exit 1

# The slower function is first, its loops are a pair, and the parts add up. Neighbours may take time from either: again.
sums='def close(x; y): (x - y) * (x - y) < 1e-12;
    close([.changes[].before] | add; .whole.before) and close([.changes[].after] | add; .whole.after) and
    close([.changes[].change] | add; .whole.change)'
first='.changes[0] | .part == "places" and .a[0].function == "changed" and .b[0].function == "changed" and .matched_by == "name" and
    .change > 0 and .predicted_b > .predicted_a and (.aligned | length) > 0 and (.reasons | map(.kind) | index("dependencies")) != null'
for attempt in 1 2 3; do
    tacho hot --diff -q --via $via --runs 3 -a SKL --json --html diff.html -o diff.json -- ./fast -- ./slow >streams 2>&1 || fail "--diff: $(cat streams)"
    [ ! -s streams ] || fail "the commands' output is seen: $(cat streams)"
    jq -e "$first" diff.json >/dev/null && break
    echo "again: --diff: the slower function: attempt $attempt of 3 failed"
done
jq -e "$first" diff.json >/dev/null || fail "--diff: the slower function is not first: $(jq -c '.changes[0] | [.part, .a, .b, .change]' diff.json)"
jq -e "$sums" diff.json >/dev/null || fail "--diff: the parts do not add up to the whole"
jq -e '.schema == "tacho-hot-diff-1" and .runs == 3 and .unit == "s" and .kernel == true' diff.json >/dev/null ||
    fail "--diff: the head of the JSON: $(jq -c '[.schema, .runs, .unit, .kernel]' diff.json)"
jq -e '.changes[] | select(.part == "places" and .a[0].function == "steady") | .likeness == 1' diff.json >/dev/null ||
    fail "--diff: the function that is the same"
tacho hot --diff -q --via $via --runs 1 -a SKL -- ./fast -- ./slow >diff.txt 2>&1 || fail "--diff as text: $(cat diff.txt)"
for words in '^A: ./fast$' '^B: ./slow$' '^change  *[+]' 'one run of each' 'the whole$' 'loop changed'; do
    grep -q "$words" diff.txt || fail "--diff: no '$words' in the text"
done

# A third, to the same file: nothing differs by place. The standard input is read by each run, if it is a file.
cat >reads.sh <<'S'
#!/bin/sh
read -r word || exit 7
[ "$word" = here ] || exit 8
exec ./fast
S
chmod +x reads.sh
echo here >input
tacho hot --diff -q --via $via --runs 1 --json -o same.json -- ./reads.sh -- ./reads.sh <input >streams 2>&1 || fail "--diff: the standard input: $(cat streams)"
jq -e '[.changes[] | select(.part == "places" and .b[0].function == "changed")] | length == 1' same.json >/dev/null || fail "--diff of a command and itself"

# ---- a signal: the pairs that have run are reported ----
tacho hot --diff -q --via $via --runs 200 --json -o ended.json -- ./fast -- ./fast >streams 2>&1 &
pid=$!
sleep 2.5
kill $pid
wait $pid
got=$?
[ $got = 3 ] && jq -e '.runs >= 1 and .runs < 200' ended.json >/dev/null || {
    [ $got = 1 ] && grep -q 'one of the two has not run' streams && echo 'again: a signal came before both commands had run' ||
        fail "--diff: status $got after SIGTERM: $(cat streams)"
}

# ---- the page ----
if command -v chromium >/dev/null; then
    timeout 60 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$TMP/browser" \
        --virtual-time-budget=5000 --dump-dom "file://$PWD/diff.html" >page.dom 2>message
    grep -q 'data-ready="yes"' page.dom && ! grep -q 'data-problem' page.dom || fail "--diff: the page is not drawn"
    grep -q '<tr data-change="0" class="chosen">' page.dom || fail "--diff: no change is marked in the page"
    grep -q 'class="delta slower"' page.dom || fail "--diff: no bar of a slower place"
    grep -q 'The path of both, aligned' page.dom || fail "--diff: the page has no code"
else
    echo 'skipped: the page: chromium is not installed'
fi

if command -v perf >/dev/null && perf record -q -e cpu-clock:u -o a.data ./fast >/dev/null 2>&1 && perf record -q -e cpu-clock:u -o b.data ./slow >/dev/null 2>&1; then
    tacho hot --diff --json a.data b.data >files.json || fail "--diff of two files"
    jq -e '.a.file == "a.data" and .kernel == false and .changes[0].b[0].function == "changed"' files.json >/dev/null || fail "--diff of two files: the slower function"
    jq -e "$sums" files.json >/dev/null || fail "--diff of two files: the parts do not add up"
else
    echo 'skipped: --diff of files: perf (Debian: linux-perf) is not installed, or cannot record here'
fi

[ "$failures" = 0 ] && echo "all as expected, sampling by $via"
