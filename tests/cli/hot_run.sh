#!/bin/sh
# hot_run.sh: tacho hot: the loop that takes the time is found, each way of sampling, in threads, processes that are
# forked, programs that are executed, shared libraries, opened ones, stripped files and generated code; what comes out
# in each format; what becomes of commands that cannot be sampled.
set -u
. "$(dirname "$0")/checks.sh"
cd "$TMP" || exit 1

# ---- wrong usage and what cannot be sampled: the same everywhere ----
check 2 'nothing to sample' tacho hot
check 2 'only one of them' tacho hot -p 1 -- true
check 2 'gives none' tacho hot --count -p 1
check 2 'have been taken' tacho hot --perf-data x -F 100
check 2 'at most 1000' tacho hot --via ptrace -F 5000 -- true
check 2 'stands after --' tacho hot true
check 2 'must end in .html' tacho hot --html x.txt -- true
check 2 'auto|att|intel, not .source' tacho hot --output-syntax source -- true
check 2 'percent from 0 to 100' tacho hot --min-share 101 -- true
check 2 'one microarchitecture' tacho hot -a SKL,ICL -- true
check 2 'percent from 0 to 90' tacho hot --windows 91 -- true
check 2 'percent from 0 to 90' tacho hot --windows no -- true
check 2 'does not go with --perf-data' tacho hot --windows 1 --perf-data x
check 1 'cannot write' tacho hot -o /nosuch/file -- touch was_run
check 1 'cannot write' tacho hot -o fine.txt --html /nosuch/file.html -- touch was_run
[ ! -e was_run ] && [ ! -e fine.txt ] || fail "the command was run although the report cannot be written"
check 1 'cannot run ./nothing: No such file' tacho hot -- ./nothing
check 1 'cannot run nothing-here: no such command' tacho hot -- nothing-here
: >plain
check 1 'cannot run ./plain: Permission denied' tacho hot -- ./plain
check 1 'cannot run ./: Is a directory' tacho hot -- ./
check 1 'no perf.data file' tacho hot --perf-data /etc/passwd
check 1 'no perf.data file' tacho hot --perf-data .
check 1 'No such file' tacho hot --perf-data ./nothing
printf 'PERFILE2' >cut.data
check 1 'no perf.data file' tacho hot --perf-data cut.data

ways=
for via in cycles clock ptrace; do
    if message=$(tacho hot -q --via $via --json -- true 2>&1) || printf '%s' "$message" | grep -q '"tacho-hot-1"'; then
        ways="$ways $via"
    else
        printf 'skipped: --via %s: %s\n' $via "$message"
    fi
done
[ -n "$ways" ] || skip "nothing can be sampled here, in none of the three ways"
need cc gcc
need jq jq
for via in $ways; do
    check 1 'no samples' tacho hot --via $via -F 1 -- true
    check 1 'there is no process' tacho hot --via $via --pid 2147483646
done
case "$ways" in *ptrace*)
    hz=$(tacho hot -q --via ptrace -F 1000 --json -- true 2>/dev/null | jq .frequency)
    [ "$hz" = 1000 ] || [ "$hz" = 1000.0 ] || fail "--via ptrace -F 1000: $hz samples a second"
    ;;
esac
tacho hot --json -F 1 -- true >empty.json 2>/dev/null
[ "$(jq -c '[.samples, .places, .exit_status]' empty.json)" = '[0,[],0]' ] || fail "JSON of a run without samples"

# ---- programs ----
cat >spin.h <<'H'
/* The loop is one instruction after the other, so that no compiler does away with it. */
static __attribute__((unused)) unsigned long turn(unsigned long n)
{
    unsigned long x = n;
    while (n--)
        __asm__ volatile("imul %0, %0\n\timul %0, %0" : "+r"(x));
    return x;
}
H
cat >one.c <<'C'
#include "spin.h"
__attribute__((noinline)) unsigned long hot_part(unsigned long n) { return turn(n); }
__attribute__((noinline)) unsigned long cold_part(unsigned long n) { return turn(n); }
int main(int argc, char **argv)
{
    return (hot_part(argc > 1 ? 20000000 : 120000000) + cold_part(6000000)) == 1;
}
C
# An instruction that Zen 5's table lacks (another one, should it be added): the prediction is a lower bound.
cat >lacking.c <<'C'
int main(void)
{
    for (long n = 200000000; n; n--)
        __asm__ volatile("fldpi\n\tfstp %%st(0)" : : : "st");
    return 0;
}
C
gcc -O1 lacking.c -o lacking || fail "lacking.c"
tacho hot -q -a ZEN5 --top 1 --html lacking.html -- ./lacking >lacking.txt 2>&1 || fail "hot of ./lacking: $(cat lacking.txt)"
grep -q '>=1 .*1 of 4 instructions' lacking.txt || fail "no lower bound in hot's table: $(cat lacking.txt)"
grep -q 'predicted    at least 1 cycle .*1 of 4 instructions has no figures' lacking.txt || fail "no lower bound in hot's report"
grep -q '"lower_bound":true' lacking.html || fail "no lower bound in hot's page"

# ---- what was observed and what is predicted: a walk through memory took many times the 5 cycles that are predicted,
# and the report gave advice on the instruction's latency ----
cat >walk.c <<'C'
#include <stdlib.h>
__attribute__((noinline)) long walk(long *next, long n)
{
    long i = 0;
    while (n--)
        i = next[i];
    return i;
}
int main(void)
{
    const long n = 1 << 23;
    long *next = malloc(n * sizeof *next);
    for (long i = 0; i < n; i++)
        next[i] = (i * 2654435761u + 12345) % n;
    return walk(next, 6000000) == -1;
}
C
gcc -O1 -g walk.c -o walk || fail "walk.c"
# Without a measured memory, whatever this user has measured.
XDG_CACHE_HOME=$TMP/cache tacho hot -q -a SKL --top 1 -o walk.txt -- ./walk 2>walk.err || fail "hot of ./walk: $(cat walk.err)"
sed -n '/^\[0\]/,$p' walk.txt >walk.first
gap=$(sed -n 's/.* \([0-9]*\)[.0-9]* times the prediction.*/\1/p' walk.first)
if ! grep -q '\[0\] loop walk' walk.first || [ -z "$gap" ]; then
    grep -q 'observed     not' walk.first || fail "nothing on what was observed: $(cat walk.first)"
    echo "skipped: advice that was observed not to help: the walk was not observed here"
elif [ "$gap" -ge 2 ]; then
    grep -q '^advice  *none' walk.first && ! grep -q -e '^What ' -e '^to move it' walk.first ||
        fail "advice on what is not what takes the time: $(cat walk.first)"
    grep -q '^   0  loop walk.*not as predicted' walk.txt || fail "a limit that is none: $(cat walk.txt)"
else
    grep -q '^bottleneck' walk.first || fail "no bottleneck of what is as predicted: $(cat walk.first)"
fi
awk 'length($0) > 100 && !/µ/' walk.txt >long.txt
[ ! -s long.txt ] || fail "hot: lines of more than 100 columns: $(cat long.txt)"
if tacho hot -q -a SKL --via "${ways##* }" -- ./walk 2>/dev/null >walk.pipe; then
    { tacho hot -q -a SKL --via "${ways##* }" -- ./walk 2>pipe.err; echo $? >pipe.status; } | head -1 >/dev/null
    [ "$(cat pipe.status)" = 141 ] || [ "$(cat pipe.status)" = 0 ] || fail "hot | head -1: status $(cat pipe.status): $(cat pipe.err)"
fi

cat >threads.c <<'C'
#include <pthread.h>
#include "spin.h"
__attribute__((noinline)) void *hot_thread(void *p) { return (void *)turn(100000000); }
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, hot_thread, 0);
    pthread_create(&b, 0, hot_thread, 0);
    pthread_join(a, 0);
    return pthread_join(b, 0);
}
C
cat >forks.c <<'C'
#include <sys/wait.h>
#include <unistd.h>
#include "spin.h"
__attribute__((noinline)) unsigned long hot_child(unsigned long n) { return turn(n); }
int main(int argc, char **argv)
{
    if (fork() == 0)
        _exit(hot_child(argc > 1 ? 20000000 : 100000000) == 1); /* most is another program's, if there is one */
    wait(0);
    return argc > 1 ? execv(argv[1], argv + 1) : 0;
}
C
cat >lib.c <<'C'
#include "spin.h"
unsigned long hot_library(unsigned long n) { return turn(n); }
C
cat >opens.c <<'C'
#include <dlfcn.h>
int main(void)
{
    void *lib = dlopen("./libspin.so", RTLD_NOW);
    unsigned long (*f)(unsigned long) = (unsigned long (*)(unsigned long))dlsym(lib, "hot_library");
    return f(120000000) == 1;
}
C
cat >generated.c <<'C'
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
/* What it makes it names, as for perf. */
static void name(const void *at, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
    FILE *f = fopen(path, "w");
    if (f) {
        fprintf(f, "%lx %zx made_here\n", (unsigned long)at, size);
        fclose(f);
    }
}
int main(void)
{
    /* mov ecx, N; l: imul eax, eax; dec ecx; jnz l; ret */
    static const unsigned char code[] = {0xb9, 0, 0, 0, 16, 0x0f, 0xaf, 0xc0, 0xff, 0xc9, 0x75, 0xf9, 0xc3};
    void *at = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(at, code, sizeof code);
    name(at, sizeof code);
    ((void (*)(void))at)();
    return 0;
}
C
cc -g -O2 -o one one.c && cc -O2 -s -o stripped one.c && cc -g -O2 -no-pie -o fixed one.c &&
    cc -g -O2 -pthread -o threads threads.c && cc -g -O2 -o forks forks.c &&
    cc -g -O2 -shared -fPIC -o libspin.so lib.c && cc -O2 -o opens opens.c -ldl || exit 1
cc -O2 -o generated generated.c || exit 1

# The top place of a run is a loop of this function (or any, "-") of this object, with most of the samples. Samples are
# by chance, and so is what else the machine does: three attempts.
top() {
    via=$1 function=$2 object=$3
    shift 3
    for attempt in 1 2 3; do
        [ $attempt = 1 ] || echo "again: --via $via: the hot loop of $*: attempt $((attempt - 1)) of 3 failed"
        tacho hot -q --via "$via" --json --top 1 -a SKL -o top.json -- "$@" >/dev/null 2>message || continue
        jq -e --arg f "$function" --arg o "$object" '.places[0] | .kind == "loop" and .share > 0.5 and
            ($f == "-" or .prediction.function == $f) and (.object | endswith("/" + $o)) and
            .share_low < .share and .share <= .share_high and .prediction.cycles == 6 and
            ([.code[] | select(.asm | startswith("imul"))] | length) == 2' top.json >/dev/null && return 0
    done
    fail "--via $via: the hot loop of $*"
    cat message
    jq -c '{samples, places: [.places[] | [.kind, .share, .object, .prediction.function, .prediction.cycles]]}' top.json
}
# Windows are taken, or it is said why not, and the program ends as ever. Its loop takes 6 cycles on all cores, or more
# beside other work; how many it took is known, where the core's clock is.
windows() {
    via=$1
    shift
    for attempt in 1 2 3; do
        [ $attempt = 1 ] || echo "again: --via $via --windows 50: $*: attempt $((attempt - 1)) of 3 failed"
        tacho hot -q --via "$via" --windows 50 --json --top 0 -a SKL -o windows.json -- "$@" >/dev/null 2>message || continue
        jq -e '.exit_status == 0 and
            (.no_windows != null or (.windows > 0 and .window_insns >= 100 and .window_seconds < .seconds)) and
            (.core_hz == null or (.places[0] | .observed_by == "progress" and .observed_cycles > 5 and
                .observed_low <= .observed_cycles and .observed_cycles <= .observed_high))' windows.json >/dev/null && return 0
    done
    fail "--via $via --windows 50: $*: $(cat message)"
    jq -c '{windows, window_insns, no_windows, core_hz, places: [.places[] | [.observed_by, .observed_cycles]]}' windows.json
}
for via in $ways; do
    top "$via" hot_part one ./one
    jq -e '.places[0] | .prediction.source_file | endswith("spin.h")' top.json >/dev/null || fail "$via: source file"
    jq -e '[.places[0].code[] | select(.source != null and (.source | contains("imul")))] | length > 0' top.json \
        >/dev/null || fail "$via: text of the source"
    jq -e '.functions[0] | .name == "hot_part" and .share > 0.5' top.json >/dev/null || fail "$via: the function"
    jq -e '.user_seconds > 0 and .exit_status == 0 and .processes == 1' top.json >/dev/null || fail "$via: the run"
    tacho hot -q --via "$via" --top 1 --output-syntax att --html att.html -a SKL -o att.txt -- ./one >/dev/null 2>message ||
        fail "$via: --output-syntax att: $(cat message)"
    grep -q '  imul[lq]* %[a-z]*, %[a-z]* ' att.txt && ! grep -q 'imul [a-z]' att.txt || fail "$via: not AT&T: $(cat att.txt)"
    grep -q '"asm":"imul[lq]* %' att.html && ! grep -q '"asm":"imul [a-z]' att.html || fail "$via: the page is not AT&T"
    windows "$via" ./one
    windows "$via" ./threads
    windows "$via" ./forks ./one
    top "$via" - stripped ./stripped
    jq -e '[.warnings[] | select(startswith("stripped is stripped"))] | length == 1' top.json >/dev/null || fail "$via: stripped"
    top "$via" hot_part fixed ./fixed
    top "$via" hot_thread threads ./threads
    jq -e '.threads == 2' top.json >/dev/null || fail "$via: $(jq .threads top.json) threads, not 2"
    top "$via" hot_child forks ./forks
    jq -e '.processes == 2' top.json >/dev/null || fail "$via: $(jq .processes top.json) processes, not 2"
    top "$via" hot_part one ./forks "$PWD/one"
    top "$via" hot_library libspin.so ./opens
    tacho hot -q --via "$via" --json -o made.json -- ./generated 2>message
    jq -e '.objects[0] | .kind == "memory" and .share > 0.5' made.json >/dev/null || {
        fail "--via $via: generated code"
        cat message
    }
    jq -e '.elsewhere > 0.5' made.json >/dev/null || fail "$via: generated code is elsewhere"
    jq -e '.functions[0] | .name == "made_here" and .share > 0.5' made.json >/dev/null || fail "$via: its name"
    rm -f "/tmp/perf-$(jq '.objects[0].process' made.json).map"
done

# ---- symbols and lines that are packed apart ----
if command -v objcopy >/dev/null && command -v strip >/dev/null; then
    via=${ways##* }
    cc -g -O2 -Wl,--build-id -o apart one.c && objcopy --only-keep-debug apart apart.debug && strip apart &&
        objcopy --add-gnu-debuglink=apart.debug apart || exit 1
    top "$via" hot_part apart ./apart
    jq -e '.places[0].prediction.source_file | endswith("spin.h")' top.json >/dev/null || fail "lines of a debug file"
    cc -g -O1 -Wl,--build-id -o apart.debug one.c || exit 1 # another program's
    top "$via" - apart ./apart
    jq -e '.places[0].prediction | .function == null and .source_file == null' top.json >/dev/null ||
        fail "a debug file of another program was used"
else
    echo 'skipped: debug files apart: no objcopy, or no strip'
fi

# ---- a process that runs ----
cat >endless.c <<'C'
#include "spin.h"
__attribute__((noinline)) unsigned long hot_part(unsigned long n) { return turn(n); }
int main(void) { for (;;) hot_part(1000000); }
C
cat >lasting.c <<'C'
#include <pthread.h>
#include "spin.h"
__attribute__((noinline)) void *hot_thread(void *p) { for (;;) turn(1000000); return p; }
int main(void)
{
    pthread_t a;
    pthread_create(&a, 0, hot_thread, 0);
    return pthread_join(a, 0);
}
C
cc -g -O2 -o endless endless.c && cc -g -O2 -pthread -o lasting lasting.c || exit 1
for via in $ways; do
    ./endless &
    pid=$!
    tacho hot -q --via "$via" --pid $pid --seconds 0.5 --json -o pid.json 2>message || fail "--via $via --pid"
    kill -0 $pid 2>/dev/null || fail "--via $via --pid: the process is gone"
    kill $pid
    wait $pid 2>/dev/null
    jq -e '.places[0] | .share > 0.5 and .prediction.function == "hot_part"' pid.json >/dev/null || {
        fail "--via $via --pid: the loop"
        cat message
    }
    ./lasting &
    pid=$!
    thread=
    for attempt in 1 2 3 4 5 6 7 8 9 10; do
        thread=$(ls /proc/$pid/task | grep -vx $pid | head -n 1)
        [ -n "$thread" ] && break
        sleep 0.05
    done
    tacho hot -q --via "$via" --pid "$thread" --seconds 0.2 --json -o thread.json 2>message &&
        jq -e '.places[0].prediction.function == "hot_thread" and (.warnings[0] | contains("a thread of process"))' \
            thread.json >/dev/null || {
        fail "--via $via --pid of a thread"
        cat message
    }
    kill $pid 2>/dev/null
    wait $pid 2>/dev/null
    # a command is ended
    tacho hot -q --via "$via" --seconds 0.3 --json -o ended.json -- ./endless 2>message || fail "--via $via --seconds"
    jq -e '.ended == false and .signal == 15 and .places[0].share > 0.5' ended.json >/dev/null || fail "$via: --seconds"
done

# ---- processes that cannot be sampled ----
cat >zombie.c <<'C'
#include <stdio.h>
#include <unistd.h>
int main(void)
{
    int child = fork();
    if (!child) return 0;
    printf("%d\n", child);
    fflush(stdout);
    for (;;) pause();
}
C
cc -o zombie zombie.c || exit 1
./zombie >child &
pid=$!
for attempt in 1 2 3 4 5 6 7 8 9 10; do
    grep -q '^State:.Z' "/proc/$(cat child)/status" 2>/dev/null && break
    sleep 0.1
done
tacho hot --pid "$(cat child)" --seconds 0.2 >out 2>message
[ $? -eq 1 ] && [ ! -s out ] && grep -q 'has ended: .*zombie' message || {
    fail "a zombie"
    cat message
}
kill $pid
wait $pid 2>/dev/null
tacho hot --pid "$pid" >out 2>message
[ $? -eq 1 ] && grep -q "there is no process $pid" message || fail "a process that is gone"

# ---- signals: a Ctrl-C that ends the command leaves a report ----
for via in $ways; do
    tacho hot -q --via "$via" --json -o stopped.json -- ./endless 2>message &
    pid=$!
    # until the command runs, or where the kernel does not tell, a while
    for attempt in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        [ -z "$(cat /proc/$pid/task/*/children 2>/dev/null)" ] || break
        sleep 0.1
    done
    sleep 0.5
    kill $pid # tacho alone: it ends the command
    wait $pid
    got=$?
    [ $got = 3 ] || fail "--via $via: status $got after SIGTERM"
    jq -e '.ended == false and .places[0].prediction.function == "hot_part"' stopped.json >/dev/null ||
        fail "--via $via: no report after SIGTERM"
done

# ---- counts ----
if message=$(tacho extract -q --via ptrace -o true.csv -- true 2>&1); then
    tacho hot -q --count --json -o count.json -- ./one less >/dev/null 2>message || {
        fail "--count"
        cat message
    }
    # of a loop that waits for its multiplication: as much of the program as the gain and the shares say
    jq -e '. as $r | all(.worth[]; .worth <= $r.places[.place].share * .gain + 1e-6 and .worth_low <= .worth and .worth <= .worth_high)' \
        count.json >/dev/null || fail "the worth of advice"
    jq -e '.places[0] | .executions == 20000000' count.json >/dev/null ||
        fail "--count: $(jq '.places[0].executions' count.json) iterations, not 20000000"
    # A filter: the second run reads its input again.
    cat >filter.c <<'C'
#include <stdio.h>
#include "spin.h"
__attribute__((noinline)) unsigned long hot_part(unsigned long n) { return turn(n); }
int main(void)
{
    unsigned long n = 0;
    return scanf("%lu", &n) == 1 && hot_part(n) == 1;
}
C
    cc -g -O2 -o filter filter.c || exit 1
    echo 10000000 >number
    tacho hot -q --count --json -o filter.json -- ./filter <number 2>message || fail "--count with standard input"
    jq -e '.places[0] | .executions == 10000000' filter.json >/dev/null || fail "--count: the second run's input"
else
    echo "skipped: --count: nothing can be traced here: $message"
fi

# ---- where output goes, formats ----
cat >says.sh <<'S'
#!/bin/sh
echo word
./one
S
chmod +x says.sh
tacho hot -q --top 1 -- ./says.sh >report.txt 2>errors.txt || fail "a script"
grep -qx word errors.txt || fail "the command's output is not on standard error"
grep -q '^\[0\] loop turn (inlined into hot_part+0x' report.txt || fail "the report's first place"
grep -q '^  *worth %  *95 %  place: advice' report.txt || ! grep -q '^What would help' report.txt || fail "advice without its worth"
grep -q 'imul' report.txt || fail "instructions in the report"
tacho hot -q --format csv -o report.csv -- ./says.sh >out.txt || fail "CSV"
grep -qx word out.txt || fail "with -o the command's output stays its own"
head -1 report.csv | grep -q '^hex,cycles,cycles_exact,arch,bottlenecks,place,kind,share,' || fail "the head of the CSV"
sed -n 2p report.csv | grep -q ',0,loop,0\.[5-9]' || fail "the first row of the CSV"

# ---- names that a terminal would obey ----
cp one "$(printf 'o\033[31mne')" || fail "a copy"
tacho hot -q -o odd.txt -- "$(printf './o\033[31mne')" >/dev/null 2>message || fail "a name with a control character"
grep -q 'o \[31mne' odd.txt || fail "the name is not there: $(cat -v odd.txt)"
! grep -q "$(printf '\033')" odd.txt || fail "control characters reach the text"

# ---- the page ----
tacho hot -q --min-share 0 --html page.html -o page.txt -- ./one >/dev/null 2>message || fail "--html"
if command -v chromium >/dev/null; then
    # A place that is chosen has its code, its limits and its timeline.
    timeout 60 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$TMP/browser" \
        --virtual-time-budget=5000 --dump-dom "file://$PWD/page.html#place=1" >page.dom 2>message
    grep -q 'data-ready="yes"' page.dom && ! grep -q 'data-problem' page.dom || fail "the page is not drawn"
    grep -q '<h2 id="place-title" class="place-title">\[1\] ' page.dom || fail "the page shows another place"
    grep -q '<tr data-place="1" class="chosen">' page.dom || fail "the place is not marked in the page's table"
    grep -q 'id="count"[^>]*>[1-9][0-9]* µops' page.dom || fail "the page has no timeline"
    grep -q 'What limits it' page.dom || fail "the page does not say what limits the place"
    # The hottest place is first, with what its samples prove; the run, and what advice is worth, come last.
    grep -q 'id="answer"><strong>[0-9.]* %</strong> of the time in the hottest .* with 95 % confidence, by [0-9]* sample' page.dom ||
        fail "the page does not begin with the hottest place"
    tr -d '\n' <page.dom | grep -q 'aria-label="Hot places".*id="place-title".*aria-label="The run"' || fail "the page's order"
else
    echo 'skipped: the page: chromium is not installed'
fi

if command -v perf >/dev/null && perf record -q -o perf.data ./one >/dev/null 2>&1; then
    tacho hot -q --perf-data perf.data --json >perf.json || fail "--perf-data"
    jq -e '.file == "perf.data" and .via == "file" and .places[0].prediction.function == "hot_part"' perf.json \
        >/dev/null || fail "--perf-data: the loop"
else
    echo 'skipped: --perf-data: perf (Debian: linux-perf) is not installed, or cannot record here'
fi

# ---- samples that are kept ----
if tacho hot -q --save kept.data --json -o live.json -- ./one >message 2>&1; then
    tacho hot -q --perf-data kept.data --json >kept.json || fail "--perf-data of a file by --save"
    jq -e -s '.[0].samples == .[1].samples and .[0].places[0].share == .[1].places[0].share and
        .[1].places[0].prediction.function == "hot_part"' live.json kept.json >/dev/null ||
        fail "--save: not the same samples: $(jq -c '[.samples, .places[0].share]' live.json kept.json)"
    tacho hot -q --diff kept.data kept.data >kept.txt || fail "--diff of files by --save"
    status 1 'cannot write' tacho hot --save ./nothing/kept.data -- ./one
else
    grep -q 'by perf_event only' message || fail "--save: $(cat message)"
    echo "skipped: --save: $(cat message)"
fi
status 2 '--save does not go with --perf-data' tacho hot --save a --perf-data kept.data
status 2 '--save does not go with --via ptrace' tacho hot --save a --via ptrace -- ./one
status 2 '--save is of one program' tacho hot --save a --diff -- ./one -- ./one

[ "$failures" = 0 ] && echo "all as expected, sampling by:$ways"
