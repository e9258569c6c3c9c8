#!/bin/sh
# kernels.sh: tacho kernels: usage, its own kernels built, counted, measured and predicted, going on where a study was
# ended, directories of others (PolyBench's interface, too), and kernels that do what they should not.
set -u
. "$(dirname "$0")/checks.sh"
memories=$(cd "$(dirname "$0")" && pwd)/memories
cd "$TMP" || exit 1

# field FILE ID COLUMN: of a CSV file whose fields before the last have no commas
field() {
    awk -F, -v id="$2" -v name="$3" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i } $1 == id { print $c }' "$1"
}

# is FILE ID COLUMN EXPECTED
is() {
    got=$(field "$1" "$2" "$3")
    [ "$got" = "$4" ] || fail "$2: $3 is '$got', not '$4'"
}

above_zero() {
    awk -v x="$(field "$1" "$2" "$3")" 'BEGIN { exit !(x > 0) }' || fail "$2: $3 is '$(field "$1" "$2" "$3")', not above 0"
}

status 2 '--resume needs --output' tacho kernels --resume
status 2 '--format csv' tacho kernels --plot errors.svg
status 2 'a number from 0 to 1' tacho kernels --max-miss 15
status 2 "one DIR at a time: 'a' and 'b'" tacho kernels a b
status 2 'one microarchitecture at a time' tacho kernels -a SKL,ICL
status 2 "no model 'nonsense'" tacho kernels -a SKL --models nonsense
status 1 'No such file' tacho kernels -a SKL --models tacho not-there
status 0 '' tacho kernels --write own
[ -f own/gemm.c ] && [ -f own/kernel.h ] && [ -f own/runtime.c ] || fail "--write: $(ls own)"
status 1 'is there already' tacho kernels --write own

need gcc gcc
need valgrind valgrind

status 2 'did you mean gemm' tacho kernels --kernels gem --list
status 2 "'O9'" tacho kernels --levels O9 --list
status 1 'none of the compilers' tacho kernels --compilers no-such-compiler --list
status 0 '' tacho kernels --list --compilers gcc
grep -q '^gemm .*(dense linear algebra)$' out.txt || fail "--list: $(cat out.txt)"
mkdir nothing empty
status 1 'no kernels in it' tacho kernels --compilers gcc empty

# ---- behind the first level: three arrays of 1.6 MB of a made-up memory; of each element's 24 bytes, 16 are read, at 7
# cycles a line beyond the first level's, and 8 written, at more ----
mkdir streams
cat >streams/triad.c <<'end'
#include "kernel.h"
enum { N = 200000 };
KERNEL void triad(double *a, const double *b, const double *c) { for (int i = 0; i < N; i++) a[i] = b[i] + 3 * c[i]; }
int main(void)
{
    double *a = kernel_alloc(N * sizeof *a), *b = kernel_alloc(N * sizeof *b), *c = kernel_alloc(N * sizeof *c);
    kernel_fill(b, N, 1);
    kernel_fill(c, N, 2);
    kernel_start();
    triad(a, b, c);
    kernel_stop();
    return kernel_result(a, N);
}
end
status 0 '' tacho kernels streams --compilers gcc --levels O1 --vectors sse2 -a SKL --no-measure \
    --memory "$memories/made-up.txt" --models tacho,trace:tacho,memory:tacho,memory:trace:tacho --format csv
cp out.txt far.csv
far=triad-gcc-O1-sse2-none
is far.csv $far status counted
awk -v a="$(field far.csv $far memory:tacho)" -v b="$(field far.csv $far memory:trace:tacho)" -v near="$(field far.csv $far trace:tacho)" \
    'BEGIN { least = 200000 / 8 * 3 * 7; exit !(a > least && a < 3 * least && b > 0.8 * a && b < 1.25 * a && near < 0.8 * b) }' ||
    fail "memory: $(cat far.csv)"
status 1 'not-there' tacho kernels -a SKL --models memory:tacho --memory not-there
status 2 'memory:MODEL' tacho kernels -a SKL --no-measure --memory "$memories/made-up.txt"
# A figure that is missing is not left out of the sum in silence.
sed '/^level L2/s/ load [0-9]*//' "$memories/made-up.txt" >gap.txt
status 1 'does not say what streams from L2 take' tacho kernels streams --compilers gcc --levels O1 --vectors sse2 -a SKL --no-measure \
    --memory gap.txt --models memory:tacho
XDG_CACHE_HOME="$TMP/none" status 1 'doctor --memory' tacho kernels -a SKL --models memory:tacho

# ---- two kernels in two ways, without measuring ----
few='--kernels gemm,prefix_sum --compilers gcc --levels O2 --vectors sse2 --transforms none,restrict -a SKL'
models='tacho,tacho-no-memory-deps,baseline'
# The words of $few are options.
# shellcheck disable=SC2086
status 0 '' tacho kernels $few --models $models --no-measure -o study --format csv
cp out.txt counted.csv
[ "$(wc -l <counted.csv)" = 5 ] || fail "not 4 rows: $(cat counted.csv)"
for id in gemm-gcc-O2-sse2-none prefix_sum-gcc-O2-sse2-none; do
    is counted.csv $id status counted
    is counted.csv $id cycles ''
    is counted.csv $id tacho-no-memory-deps\ coverage 1
    for column in instructions accesses bytes blocks tacho tacho-no-memory-deps baseline; do
        above_zero counted.csv $id $column
    done
done
# It has one array: restrict says nothing.
is counted.csv prefix_sum-gcc-O2-sse2-restrict status merged
is counted.csv prefix_sum-gcc-O2-sse2-restrict same_as prefix_sum-gcc-O2-sse2-none
is counted.csv prefix_sum-gcc-O2-sse2-restrict tacho ''
# 5 instructions of the loop, some 12,000 times.
instructions=$(field counted.csv prefix_sum-gcc-O2-sse2-none instructions)
[ "$instructions" -gt 40000 ] && [ "$instructions" -lt 80000 ] || fail "prefix_sum: $instructions instructions"

# Two compilers whose programs have one name; a list that has one twice.
mkdir other
ln -s "$(command -v gcc)" other/gcc
status 0 '8 variants' sh -c 'tacho kernels --list --kernels gemm,mvt --compilers gcc,gcc,"$PWD/other/gcc" --levels O1,O2 --vectors sse2 \
    --transforms none >&2'
status 0 '' tacho kernels --kernels prefix_sum --compilers gcc,other/gcc --levels O1 --vectors sse2 --transforms none --build-only \
    --format csv
is out.txt prefix_sum-gcc-O1-sse2-none status counted
is out.txt prefix_sum-gcc.2-O1-sse2-none same_as prefix_sum-gcc-O1-sse2-none

# All of the further flags reach the compiler.
mkdir flagged
printf '#ifndef THE_LAST\n#error lost\n#endif\n#include "kernel.h"\nint main(void) { kernel_start(); kernel_stop(); return 0; }\n' \
    >flagged/flagged.c
status 0 '' tacho kernels flagged --compilers gcc --levels O2 --vectors sse2 --transforms none --build-only --format csv \
    --flags "$(printf '%90s' '' | sed 's/ /-w /g')-DTHE_LAST"
is out.txt flagged-gcc-O2-sse2-none status counted

# ---- measured, going on with the same objects ----
before=$(cksum study/objects/gemm-gcc-O2-sse2-none.so)
can_measure=
if message=$(tacho measure -q --hex 90 2>&1) && can_fix_addresses; then
    can_measure=1
    # shellcheck disable=SC2086
    status 0 '' tacho kernels $few --models $models -o study --resume --format csv
    cp out.txt measured.csv
    for id in gemm-gcc-O2-sse2-none prefix_sum-gcc-O2-sse2-none; do
        case $(field measured.csv $id status) in
        ok | unstable) ;;
        *) fail "$id: $(grep "^$id," measured.csv)" ;;
        esac
        above_zero measured.csv $id cycles
        above_zero measured.csv $id uncertainty
        is measured.csv $id tacho "$(field counted.csv $id tacho)"
    done
    [ "$(cksum study/objects/gemm-gcc-O2-sse2-none.so)" = "$before" ] || fail 'the object was built again'
    # All is there: nothing is built or measured, and another model can be asked.
    # shellcheck disable=SC2086
    status 0 '' tacho kernels $few --models baseline,tacho -o study --resume --json
    grep -q '"same_core": ' out.txt || fail "JSON: $(head -20 out.txt)"
    for word in '"schema": 1' '"arch": "SKL"' '"merged": ' '"kendall_tau"' '"without_memory_bound"'; do
        grep -qF "$word" out.txt || fail "JSON lacks $word"
    done
    cycles=$(field measured.csv gemm-gcc-O2-sse2-none cycles)
    grep -qF "\"cycles\": ${cycles%.*}" out.txt || fail 'the measurement of before is not there'
    # With another clock there would be two units in one table.
    if [ "$(field measured.csv gemm-gcc-O2-sse2-none clock)" != tsc ]; then
        # shellcheck disable=SC2086
        status 2 'another clock' tacho kernels $few --kernels gemm,prefix_sum,atax --models tacho -o study --resume --clock tsc
    fi
    # shellcheck disable=SC2086
    status 0 '' tacho kernels $few --models $models -o study --resume
    grep -q '^Predicted for SKL, Skylake (client); measured on ' out.txt || tr '\n' ' ' <out.txt |
        grep -q 'Predicted for SKL, Skylake (client); measured on ' || fail "what was predicted and measured: $(cat out.txt)"
    grep -q '^tacho-no-memory-deps' out.txt || fail "the table: $(cat out.txt)"
else
    printf 'skipped: measured kernels: %s\n' "$message"
fi
# shellcheck disable=SC2086
status 2 'has results already' tacho kernels $few --models tacho -o study --no-measure
mkdir bin
ln -s "$(command -v gcc)" bin/gcc
status 1 'apt-get install valgrind' env PATH="$TMP/bin" "$(command -v tacho)" kernels --compilers gcc --kernels gemm \
    --levels O1 --vectors sse2 --transforms none -a SKL --models tacho --build-only

# ---- the same code with other constants, or with the same ones elsewhere ----
mkdir constants
cat >constants/constants.c <<'C'
#include "kernel.h"
#ifdef POLYBENCH_USE_RESTRICT
static const double factors[] = {0.5, 0.25, FACTOR};
#else
static const double factors[] = {0.5, 0.25, 0.125};
#endif
KERNEL void work(double *a, int n)
{
    for (int i = 1; i < n; i++)
        a[i] = a[i - 1] * factors[i % 3] + a[i];
}
int main(void)
{
    double *a = kernel_alloc(8000);
    kernel_fill(a, 1000, 1);
    kernel_start();
    work(a, 1000);
    kernel_stop();
    return kernel_result(a, 1000);
}
C
ways='--compilers gcc --levels O2 --vectors sse2 --transforms none,restrict --build-only --format csv'
# shellcheck disable=SC2086
status 3 '1 of 2 variants failed' tacho kernels constants $ways --flags -DFACTOR=0.75
is out.txt constants-gcc-O2-sse2-none status counted
is out.txt constants-gcc-O2-sse2-restrict status failed
has 'its results are others'
# shellcheck disable=SC2086
status 0 '' tacho kernels constants $ways --flags -DFACTOR=0.125
is out.txt constants-gcc-O2-sse2-restrict same_as constants-gcc-O2-sse2-none

# ---- a kernel that never ends, while others are tried ----
mkdir bad
head='#include <stdlib.h>
#include "kernel.h"
KERNEL void work(double *a, int n) { for (int i = 1; i < n; i++) a[i] += a[i - 1]; }
int main(void) { double *a = kernel_alloc(8000); kernel_fill(a, 1000, 1); '
bad() { # NAME BODY
    printf '%s%s}\n' "$head" "$2" >"bad/$1.c"
}
bad endless 'kernel_start(); for (volatile int i = 0;;) i = i + 1;'
mkdir endless
mv bad/endless.c endless
one='--compilers gcc --levels O2 --vectors sse2 --transforms none -a SKL --models tacho --no-measure --format csv'
# shellcheck disable=SC2086
tacho kernels endless $one --timeout 8 >endless.csv 2>endless.txt &
endless=$!

# ---- PolyBench's interface ----
mkdir -p poly/stencils/line poly/utilities
cat >poly/stencils/line/line.h <<'C'
#ifdef MINI_DATASET
#define STEPS 20
#define N 100
#else
#define STEPS 40
#define N 200
#endif
#define DATA_TYPE double
C
cat >poly/stencils/line/line.c <<'C'
#include <stdio.h>
#include <polybench.h>
#include "line.h"
static void init_array(int n, DATA_TYPE POLYBENCH_1D(a, N, n))
{
    for (int i = 0; i < n; i++)
        a[i] = (i + 2.0) / n;
}
static void print_array(int n, DATA_TYPE POLYBENCH_1D(a, N, n))
{
    POLYBENCH_DUMP_START;
    for (int i = 0; i < n; i++)
        fprintf(POLYBENCH_DUMP_TARGET, "%0.2lf ", a[i]);
    POLYBENCH_DUMP_FINISH;
}
static void kernel_line(int steps, int n, DATA_TYPE POLYBENCH_1D(a, N, n))
{
#pragma scop
    for (int t = 0; t < steps; t++)
        for (int i = 1; i < n - 1; i++)
            a[i] = (a[i - 1] + a[i] + a[i + 1]) / 3.0;
#pragma endscop
}
int main(int argc, char **argv)
{
    int n = N;
    POLYBENCH_1D_ARRAY_DECL(a, DATA_TYPE, N, n);
    init_array(n, POLYBENCH_ARRAY(a));
    polybench_start_instruments;
    kernel_line(STEPS, n, POLYBENCH_ARRAY(a));
    polybench_stop_instruments;
    polybench_print_instruments;
    polybench_prevent_dce(print_array(n, POLYBENCH_ARRAY(a)));
    POLYBENCH_FREE_ARRAY(a);
    return 0;
}
C
echo 'void polybench_start_instruments(void);' >poly/utilities/template.c
# shellcheck disable=SC2086
status 0 '' tacho kernels poly $one
cp out.txt mini.csv
# shellcheck disable=SC2086
status 0 '' tacho kernels poly $one --dataset SMALL
[ "$(wc -l <mini.csv)" = 2 ] || fail "not one kernel: $(cat mini.csv)"
is mini.csv line-gcc-O2-sse2-none status counted
is mini.csv line-gcc-O2-sse2-none category stencils/line
is mini.csv line-gcc-O2-sse2-none bytes 800
is out.txt line-gcc-O2-sse2-none bytes 1600
above_zero mini.csv line-gcc-O2-sse2-none tacho

# Names of files that are none of kernels, and a folder that would speak to the terminal.
folder=$(printf 'esc\033[31m\nline')
mkdir -p "odd/$folder"
for name in 'a,"b' "a, b" "new
line" -x; do
    cp poly/stencils/line/line.h odd/line.h
    sed 's/line.h/..\/line.h/' poly/stencils/line/line.c >"odd/$folder/$name.c"
done
status 0 '' tacho kernels odd --list --compilers gcc
for name in a__b a__b.2 new_line -x; do
    grep -q "^$name  *(esc?\[31m?line)\$" out.txt || fail "no kernel $name: $(cat out.txt)"
done
# shellcheck disable=SC2086
status 0 '' tacho kernels odd $one -o odd-study
# shellcheck disable=SC2086
status 0 '' tacho kernels odd $one -o odd-study --resume
[ "$(grep -c '^[^,]*-gcc-O2-sse2-none,.*,counted,' out.txt)" = 4 ] && [ "$(grep -c '^[^ ]*-gcc-O2' odd-study/variants.csv)" = 4 ] ||
    fail "odd names: $(cat out.txt odd-study/variants.csv)"

# ---- along the trace ----
# Sums of four products each: by blocks a chain of additions without end, along the trace one chain beside the other.
mkdir traced
cat >traced/short.c <<'C'
#include "kernel.h"
KERNEL void sums(int rows, int n, double *y, const double *a, const double *x)
{
    for (int i = 0; i < rows; i++) {
        double s = 0;
        for (int j = 0; j < n; j++)
            s += a[i * n + j] * x[j];
        y[i] = s;
    }
}
int main(void)
{
    double *y = kernel_alloc(1600), *a = kernel_alloc(6400), *x = kernel_alloc(32);
    kernel_fill(a, 800, 1);
    kernel_fill(x, 4, 2);
    kernel_start();
    sums(200, 4, y, a, x);
    kernel_stop();
    return kernel_result(y, 200);
}
C
# One chain: each element from the one before, 999 additions of four cycles, or more through memory.
cat >traced/chain.c <<'C'
#include "kernel.h"
KERNEL void work(double *a, int n)
{
    for (int i = 1; i < n; i++)
        a[i] += a[i - 1];
}
int main(void)
{
    double *a = kernel_alloc(8000);
    kernel_fill(a, 1000, 1);
    kernel_start();
    work(a, 1000);
    kernel_stop();
    return kernel_result(a, 1000);
}
C
# Numbers without a rule decide where it goes, 20000 times: half of them are not foreseen.
cat >traced/random.c <<'C'
#include "kernel.h"
KERNEL long work(int n)
{
    unsigned long x = 1;
    long sum = 0;
    for (int i = 0; i < n; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        if (x >> 63) {
            __asm__ volatile("");
            sum += 2;
        }
    }
    return sum;
}
int main(void)
{
    double *a = kernel_alloc(8);
    kernel_start();
    a[0] = (double)work(20000);
    kernel_stop();
    return kernel_result(a, 1);
}
C
# Calls, returns, jumps by a table, calls by a pointer and of a library: all ways from one branch to the next.
cat >traced/calls.c <<'C'
#include "kernel.h"
double cbrt(double);
static __attribute__((noinline)) long twice(long x) { return 2 * x + 1; }
static __attribute__((noinline)) long depth(long x) { return x > 3 ? depth(x / 2) + 1 : x; }
static long (*const ways[])(long) = {twice, depth};
KERNEL double work(int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        switch (i % 6) {
        case 0: sum += cbrt(i); break;
        case 1: sum *= 0.5; break;
        case 2: sum += (double)ways[i % 7 > 3](i); break;
        case 3: sum -= (double)twice(i); break;
        case 4: sum = -sum; break;
        default: sum += (double)depth(i); break;
        }
    return sum;
}
int main(void)
{
    double *a = kernel_alloc(8);
    kernel_start();
    a[0] = work(600);
    kernel_stop();
    return kernel_result(a, 1);
}
C
status 0 '' tacho kernels traced --compilers gcc --levels O1 --vectors sse2 --transforms none -a SKL --no-measure --format csv \
    --models tacho,trace:tacho,trace:tacho-no-memory-deps,trace:tacho-no-mispredictions,trace:baseline
cp out.txt traced.csv
if grep -q 'cannot be stepped through' traced.csv; then
    echo 'skipped: traces: nothing can be stepped through here'
else
    for pair in 'short 100 0.9' 'chain 3900 1.2'; do
        # shellcheck disable=SC2086
        set -- $pair
        awk -v blocks="$(field traced.csv "$1-gcc-O1-sse2-none" tacho)" -v least="$2" -v most="$3" \
            -v trace="$(field traced.csv "$1-gcc-O1-sse2-none" trace:tacho)" \
            -v without="$(field traced.csv "$1-gcc-O1-sse2-none" trace:tacho-no-memory-deps)" \
            'BEGIN { exit !(trace >= least && trace < most * blocks && without > 0 && without <= trace) }' ||
            fail "$1 along the trace: $(cat traced.csv)"
    done
    # Four instructions a cycle: what comes before the part of a window that counts is taken off again. Blocks of nothing
    # but a jump, as where a library is called, are not among those that are counted.
    for name in short chain calls; do
        awk -v instructions="$(field traced.csv "$name-gcc-O1-sse2-none" instructions)" \
            -v trace="$(field traced.csv "$name-gcc-O1-sse2-none" trace:baseline)" \
            -v more="$([ $name != calls ] || echo 0.02)" \
            'BEGIN { exit !(4 * trace > 0.99 * instructions && 4 * trace < (1.01 + more) * instructions) }' ||
            fail "$name, baseline along the trace: $(cat traced.csv)"
    done
    for column in mispredictions trace:tacho trace:tacho-no-mispredictions; do
        field traced.csv random-gcc-O1-sse2-none $column
        field traced.csv chain-gcc-O1-sse2-none $column
    done | xargs | awk '{ exit !($1 > 6000 && $1 < 12000 && $2 < 20 && $3 > $5 + 8 * $1 && $3 < $5 + 24 * $1 && $4 < 1.05 * $6) }' ||
        fail "mispredictions: $(cat traced.csv)"
    if tacho kernels traced --kernels chain --compilers gcc --levels O1 --vectors sse2 --transforms none -a SKL --no-measure \
        --json --models tacho | grep -q '"mispredictions": [0-9]'; then
        fail 'mispredictions of what was not stepped through'
    fi
fi

status 2 "walk:' is no more" tacho kernels traced --compilers gcc --levels O1 -a SKL --no-measure --models walk:tacho
status 2 'nonsense' tacho kernels traced --compilers gcc --levels O1 -a SKL --no-measure --models trace:nonsense

# ---- kernels that do what they should not, beside one that does not ----
bad good 'kernel_start(); work(a, 1000); kernel_stop(); return kernel_result(a, 1000);'
bad syntax 'kernel_start() work(a, 1000); kernel_stop(); return kernel_result(a, 1000);'
bad crash 'kernel_start(); *(volatile int *)8 = 1; kernel_stop(); return 0;'
bad early '*(volatile int *)8 = 1; kernel_start(); kernel_stop(); return 0;'
bad never 'if (a[0] > 1e9) kernel_start(); work(a, 1000); return kernel_result(a, 1000);'
bad unstopped 'kernel_start(); work(a, 1000); return kernel_result(a, 1000);'
bad twice 'kernel_start(); work(a, 1000); kernel_stop(); kernel_start(); kernel_stop(); return 0;'
bad exits 'kernel_start(); work(a, 1000); exit(3);'
bad returns 'kernel_start(); work(a, 1000); kernel_stop(); return 7;'
bad huge 'a = kernel_alloc((size_t)1 << 40); kernel_start(); work(a, 1000); kernel_stop(); return 0;'
bad misses 'char *b = kernel_alloc(1 << 23); kernel_start(); for (int i = 0; i < 1 << 23; i += 64) b[i] = 1; kernel_stop(); return 0;'
ln -s . bad/loop
ln -s not-there bad/dangling.c
head -c 100000 /dev/urandom >bad/random.c
# shellcheck disable=SC2086
status 3 '9 of 11 variants failed' tacho kernels bad $one
got() { # NAME STATUS WORDS
    is out.txt "$1-gcc-O2-sse2-none" status "$2"
    grep "^$1-" out.txt | grep -qF -- "$3" || fail "$1: $(grep "^$1-" out.txt)"
}
got good counted ''
got syntax not-compiled error:
got crash crashed 'in its region'
got early crashed 'outside its region'
got never failed 'never called kernel_start'
got unstopped failed 'never stops it'
got twice failed 'several times'
got exits failed 'exit status 3'
got returns failed 'returned: 7'
got huge failed 'larger than the memory'
got misses cache-misses 'miss the first-level data cache'
above_zero out.txt good-gcc-O2-sse2-none tacho
wait $endless
[ $? = 3 ] && grep -q '1 of 1 variants failed' endless.txt || fail "endless: $(cat endless.txt)"
cp endless.csv out.txt
got endless timeout 'did not end in 8 s; it was in its region'

# ---- signals: while it is compiled, counted and measured ----
# Each says in the file "begun" which process never ends, and leaves a temporary file.
cat >endless-cc <<S
#!/bin/sh
case \$* in
*--version*) echo 'endless gcc 1' ;;
*)
    : >"\$TMPDIR/tacho-left"
    echo \$\$ >"$TMP/begun.new"
    mv "$TMP/begun.new" "$TMP/begun"
    exec sleep 1000
    ;;
esac
S
chmod +x endless-cc
mkdir ended
cat >ended/ended.c <<'C'
#include <stdio.h>
#include <unistd.h>
#include "kernel.h"
int main(void)
{
    static int calls;
    kernel_start();
    if (++calls == CALLS) {
        FILE *f = fopen(TEMPORARY "/begun.new", "w");
        fprintf(f, "%d", (int)getpid());
        fclose(f);
        rename(TEMPORARY "/begun.new", TEMPORARY "/begun");
        for (volatile int i = 0;;)
            i = i + 1;
    }
    kernel_stop();
    return 0;
}
C
cat >ended/brief.c <<'C'
#include "kernel.h"
int main(void)
{
    double *a = kernel_alloc(8);
    kernel_start();
    for (int i = 0; i < 1000; i++)
        a[i % 8] += i;
    kernel_stop();
    return kernel_result(a, 8);
}
C
end_while() { # WHAT STATUS MESSAGE COMMAND...
    what=$1 status=$2 message=$3
    shift 3
    rm -f begun
    "$@" -a SKL --models baseline --levels O1 --vectors sse2 --transforms none --timeout 100 >out.txt 2>err.txt &
    pid=$!
    tries=600
    while [ ! -e begun ] && [ $tries -gt 0 ]; do
        sleep 0.1
        tries=$((tries - 1))
    done
    kill -TERM $pid
    wait $pid
    got=$?
    [ $got = "$status" ] || fail "ended while $what: status $got: $(cat err.txt)"
    grep -q "ended by signal 15 .*: $message" err.txt || fail "ended while $what: $(cat err.txt)"
    ! kill -0 "$(cat begun)" 2>/dev/null || fail "ended while $what: what it ran still runs"
}
# Where nothing was built there is nothing to report, which is an error.
nothing() { # WHAT COMMAND...
    what=$1
    shift
    end_while "$what" 1 'nothing was built' "$@"
    [ ! -s out.txt ] || fail "ended while $what: $(cat out.txt)"
}
part() { # WHAT COUNTS COMMAND...
    what=$1 counts=$2
    shift 2
    end_while "$what" 3 'this is what there is' "$@"
    grep -q "$counts" out.txt || fail "ended while $what: $(cat out.txt)"
}
flags="-DCALLS=2 -DTEMPORARY=\"$TMP\""
nothing compiling tacho kernels --compilers ./endless-cc --kernels gemm
nothing 'counting the only one' tacho kernels ended --kernels ended --compilers gcc --flags "$flags"
part counting 'of which 1 w[a-z]* not built' tacho kernels ended -j 1 --compilers gcc --flags "$flags"
part counting 'of which 1 w[a-z]* not built' tacho kernels ended -j 1 -o ended-study --compilers gcc --flags "$flags"
grep -qF -e '--resume goes on with what is in ended-study' err.txt || fail "with --output: $(cat err.txt)"
[ ! -e ended-study/temporary ] || fail 'the folder for temporary files is left'
if [ -n "$can_measure" ]; then
    before=$failures
    for attempt in 1 2 3; do
        failures=$before
        part measuring 'of which 1 w[a-z]* counted and not measured' tacho kernels ended --kernels ended --compilers gcc \
            --flags "-DCALLS=4 -DTEMPORARY=\"$TMP\"" >measuring.txt
        [ "$failures" != "$before" ] || break
        echo "again: ended while measuring: attempt $attempt of 3 failed"
    done
    cat measuring.txt
fi

# Ended while it steps through kernels, it has what is predicted without that; nothing had predictions.
TACHO_PROGRESS=0 tacho kernels -a SKL --kernels gemm,floyd_warshall,doitgen --compilers gcc --levels O2 --vectors sse2 --transforms none \
    --models trace:tacho,tacho --no-measure -f csv >ended.csv 2>err.txt &
pid=$!
tries=600
while ! grep -q 'stepped through' err.txt && [ $tries -gt 0 ]; do
    sleep 0.05
    tries=$((tries - 1))
done
kill -TERM $pid
wait $pid
above_zero ended.csv gemm-gcc-O2-sse2-none tacho
[ "$failures" = 0 ]
