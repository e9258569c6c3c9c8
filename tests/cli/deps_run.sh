#!/bin/sh
# deps_run.sh: tacho deps --run: exact dependencies of a known program, what the static analysis says of each and why;
# what becomes of commands that fail, are killed, take too long or become another program.
set -u
. "$(dirname "$0")/checks.sh"
cd "$TMP" || exit 1

status 2 'nothing to run' tacho deps --run -o x
status 2 '--hot goes with --run' tacho deps --hot 5 --hex 90
status 2 '--hex does not go with --run' tacho deps --run -o x --hex 90 -- true
status 2 'INPUT does not go with --run' tacho deps --run -o x true
status 2 '--lifetimes' tacho deps --run -o x --lifetimes 5,0 -- true
status 2 '--lifetimes' tacho deps --run -o x --lifetimes 1,2,3,4,5,6,7,8,9 -- true
status 2 '--timeout' tacho deps --run -o x --timeout no -- true
mkdir nothing
status 1 'valgrind is not installed' env PATH="$PWD/nothing" "$(command -v tacho)" deps --run -o x -- /bin/true

if ! command -v valgrind >/dev/null; then
    [ "$failures" = 0 ] || exit 1
    echo 'skipped: valgrind is not installed'
    exit 77
fi
if ! message=$(tacho deps --run -q -o true.txt -- true 2>&1); then
    [ "$failures" = 0 ] || exit 1
    printf 'skipped: nothing can be traced here: %s\n' "$message"
    exit 77
fi

# ---- a program of known dependencies ----
cat >known.s <<'S'
.globl _start
_start:
 lea buffer+8(%rip), %rdi
 mov $100, %ecx
prefix: mov -8(%rdi), %rax
 add %rax, (%rdi)
 add $8, %rdi
 dec %ecx
 jnz prefix
 lea cell(%rip), %rsi
 mov %rsi, %rdx
 mov $50, %ecx
aliased: mov %eax, (%rsi)
 movzwl 2(%rdx), %ebx
 dec %ecx
 jnz aliased
 mov $20, %ebx
 outer: lea buffer(%rip), %r8
 mov $3, %ecx
again: addq $1, (%r8)
 add $8, %r8
 dec %ecx
 jnz again
 dec %ebx
 jnz outer
 lea cell+32(%rip), %rsi
 mov $60, %ecx
unknown: cvtsi2sd %rsi, %xmm0
 cvttsd2si %xmm0, %rax
 incl (%rax)
 dec %ecx
 jnz unknown
 lea buffer+4000(%rip), %rdi
 mov $400, %ecx
far: mov -2400(%rdi), %rax
 mov %rax, (%rdi)
 add $8, %rdi
 dec %ecx
 jnz far
 mov $25, %ebx
strings: lea buffer(%rip), %rsi
 lea 1(%rsi), %rdi
 mov $9, %ecx
 rep movsb
 dec %ebx
 jnz strings
 mov $60, %ebx
calls: push %rbx
 call leaf
 pop %rbx
 dec %ebx
 jnz calls
 mov $40, %ebx
long: incl cell+64(%rip)
 .rept 4200
 nop
 .endr
 dec %ebx
 jnz long
 movl $1, cell+100(%rip)
 mov cell+100(%rip), %eax
 mov $60, %eax
 mov $3, %edi
 syscall
leaf: ret
.bss
.balign 64
buffer: .skip 8192
cell: .skip 128
S
as -o known.o known.s && ld -Ttext=0x401000 -o known known.o || exit 1
status 1 'ended with status 3' tacho deps --run -o failed.txt -- ./known
[ ! -e failed.txt ] || fail 'a command that fails leaves a report'
status 0 'ended with status 3' tacho deps --run --ignore-failure --lifetimes any,512,4,3 --format csv -o known.csv -- ./known
[ -s out.txt ] && fail "something was written to standard output: $(cat out.txt)"
# symbols and offsets of source and target, count, counts within 512, 4 and 3, shortest, verdict, reason
awk -F, 'NR > 1 { gsub(/"[^"]*"/, "asm"); print $3 "+" $4, $8 "+" $9, $11, $12, $13, $14, $15, $16, $17 }' known.csv |
    sed 's/ *$//' | sort >known.got
sort >known.expected <<'X'
prefix+4 prefix+0 99 99 99 0 4 found
aliased+0 aliased+2 50 50 50 50 1 missed other_pointer
again+0 again+0 57 57 0 0 16 missed same_pointer
unknown+10 unknown+10 59 59 0 0 5 missed address_unknown
far+7 far+0 100 0 0 0 1499 missed far
long+0 long+0 39 0 0 0 4203 missed not_analysed
prefix+4 again+0 2 0 0 0 708 across
again+0 strings+16 25 0 0 0 2322 across
calls+0 calls+6 60 60 60 60 3 across
calls+1 leaf+0 60 60 60 60 1 across
strings+16 strings+16 25 25 25 25 0 cold
long+4214 long+4224 1 1 1 1 1 cold
X
diff -u known.expected known.got || fail 'dependencies of the known program'

# ---- text, JSON and what they add up to ----
status 0 'ended with status 3' tacho deps --run --ignore-failure --lifetimes any,4 --top 1 -o known.txt -- ./known
grep -q ' any        1        5   16.7 %              99             305   24.5 %$' known.txt ||
    fail "coverage in the text: $(cat known.txt)"
# What JSON calls cov_u and cov_w has words here.
grep -q '^lifetime    found   missed  covered     times found    times missed  covered$' known.txt ||
    fail "heads of the table: $(cat known.txt)"
grep -q 'cov_' known.txt && fail 'identifiers in the text'
grep -q '  4        1        1   50.0 %              99              50   66.4 %$' known.txt ||
    fail "coverage within 4 in the text: $(cat known.txt)"
grep -q '^100 times, 0 within 4; shortest 1499: missed (far)$' known.txt || fail "the first dependency: $(cat known.txt)"
grep -q '^         store known 0x.* <far+0x7>  mov \[rdi\], rax$' known.txt || fail "its store: $(cat known.txt)"
grep -q '^         load  known 0x.* <far+0x0>  mov rax, \[rdi-0x960\]$' known.txt || fail "its load: $(cat known.txt)"
[ "$(grep -c ' times[,)]' known.txt)" = 2 ] || fail '--top 1 shows one (and the hottest block)'
status 0 '' tacho deps --run --ignore-failure -q --json -o known.json -- ./known
[ -s err.txt ] && fail "-q is not quiet: $(cat err.txt)"
tr -d ' \n' <known.json >flat.json
for part in '"schema":"tacho-deps-run-1","command":["./known"],"ended":true,"judged":true,"exit_status":3,"signal":null' \
    '"hottest_count":400,' '{"lifetime":null,"cov_u":0.16666666666' '"found":{"dependencies":1,"count":99},' \
    '"not_analysed":{"dependencies":1,"count":39},' '"within":[99,99,99],"shortest":4,"verdict":"found","reason":null,"analyses":{"block":"found",' \
    '"symbol":"prefix","offset":4,"asm":"add[rdi],rax","hex":"480107",' '"warnings":[]'; do
    grep -qF "$part" flat.json || fail "JSON lacks $part: $(head -c 3000 flat.json)"
done
# All blocks are judged; windows reach further.
status 0 '' tacho deps --run --ignore-failure -q --hot 0 --window 2000 --format csv -o all.csv -- ./known
grep -q ',cold,' all.csv && fail 'with --hot 0 nothing is cold'
grep -q ',100,.*,1499,found,,found,' all.csv || fail "a window of 2000 reaches 300 iterations: $(cat all.csv)"

# ---- functions that are followed ----
cat >nest.s <<'S'
.globl _start
_start:
 lea buffer(%rip), %rdi
 call rows
 call indices
 mov $60, %eax
 xor %edi, %edi
 syscall
.type rows, @function
rows: mov $12, %ecx
1: xor %eax, %eax
2: mov 128(%rdi,%rax), %rdx
 add %rdx, (%rdi,%rax)
 add $8, %rax
 cmp $128, %rax
 jne 2b
 dec %ecx
 jnz 1b
 xor %eax, %eax
3: mov (%rdi,%rax), %rdx
 add $8, %rax
 cmp $128, %rax
 jne 3b
 ret
.size rows, .-rows
.type indices, @function
indices: mov $100, %ecx
 lea table(%rip), %rsi
1: mov (%rsi), %eax
 incl 1024(%rdi,%rax,4)
 add $4, %rsi
 dec %ecx
 jnz 1b
 ret
.size indices, .-indices
.data
table: .rept 50
 .long 1, 5
 .endr
.bss
.balign 64
buffer: .skip 8192
S
as -o nest.o nest.s && ld -Ttext=0x401000 -o nest nest.o || exit 1
status 0 '' tacho deps --run --ignore-failure -q --lifetimes 512 --hot 5 --format csv -o nest.csv -- ./nest
# found within a block by the function alone, and from one block to another; a chain of every second index
awk -F, 'NR > 1 { gsub(/"[^"]*"/, "asm"); print $3 "+" $4, $8 "+" $9, $11, $13, $14, $15, $16, $17 }' nest.csv | grep -v '^_start' | sort >nest.got
sort >nest.expected <<'X'
rows+15 rows+15 176 83 found  missed found
rows+15 rows+37 16 67 across   found
indices+14 indices+14 98 10 found  missed found
X
diff -u nest.expected nest.got || fail 'dependencies that following the functions finds'
status 0 '' tacho deps --run --ignore-failure -q --lifetimes 512 --hot 5 -o nest.txt -- ./nest
grep -q '^     512        2        0  100.0 %             274               0  100.0 %$' nest.txt ||
    fail "coverage by both: $(cat nest.txt)"
grep -q '^     512 block           0        2    0.0 %               0             274    0.0 %        0        0          -$' nest.txt ||
    fail "coverage by the block alone: $(cat nest.txt)"
grep -q '^     512 between         1        0  100.0 %              16               0  100.0 %        1        1    100.0 %$' nest.txt ||
    fail "coverage between blocks: $(cat nest.txt)"
grep -q '^16 times, 16 within 512; shortest 67: across (between)$' nest.txt || fail "who finds it: $(cat nest.txt)"
grep -q '^176 times, 176 within 512; shortest 83: found (function)$' nest.txt || fail "who finds it: $(cat nest.txt)"
status 0 '' tacho deps --run --ignore-failure -q --lifetimes 512 --hot 5 --budget 20 --json -o nest.json -- ./nest
tr -d ' \n' <nest.json | grep -qF '"budget":{"dependencies":2,"count":274}' ||
    fail "the budget as a reason: $(head -c 3000 nest.json)"

# ---- the command's standard output is its own; errors ----
[ "$(tacho deps --run -q -o echo.txt -- echo of its own)" = 'of its own' ] || fail 'standard output of the command'
for to in '' '-o -'; do
    # shellcheck disable=SC2086
    tacho deps --run -q --format csv $to -- echo of its own >report.txt 2>said.txt
    grep -q '^source_object,' report.txt || fail "the report is not on standard output: $(cat report.txt)"
    grep -q '^of its own$' report.txt && fail 'the output of the command is in the report'
    grep -q '^of its own$' said.txt || fail "the output of the command is not on standard error: $(cat said.txt)"
done
status 1 'cannot run ./missing' tacho deps --run -o x -- ./missing
status 1 'cannot run ./nothing: Is a directory' tacho deps --run -o x -- ./nothing
printf '#!/nowhere/interpreter\n' >script
chmod +x script
status 1 'valgrind could not run ./script' tacho deps --run -o x -- ./script
# That nothing can be written is found before the run; what is there stays where there is nothing to write.
status 1 'cannot write /nowhere/x' tacho deps --run -q -o /nowhere/x -- touch ran
[ ! -e ran ] || fail 'the command was run although its report cannot be written'
[ ! -e x ] || fail 'a file is left where nothing was written'
echo kept >kept.txt
status 1 'cannot run ./missing' tacho deps --run -o kept.txt -- ./missing
[ "$(cat kept.txt)" = kept ] || fail 'what was in the output file is gone'
seq 1 100000 >kept.txt
status 0 '' tacho deps --run -q -o kept.txt -- true
grep -q '^99999$' kept.txt && fail 'something of the old output file is left'
# Names that a terminal would obey.
LC_ALL=C sed 's/prefix/pre\x1bix/g' known >"$(printf 'known\033')" && chmod +x known*
status 0 '' tacho deps --run --ignore-failure -q --hot 0 -o escape.txt -- "$(printf './known\033')" "$(printf 'a\033b')"
grep -q '^\./known  *a b$' escape.txt || fail "control characters of the command: $(head -1 escape.txt | od -c)"
grep -q '^         store known  0x.* <pre ix+0x4>  add' escape.txt || fail 'control characters of a symbol'
LC_ALL=C grep -q "$(printf '\033')" escape.txt && fail 'control characters in the text'
status 0 'ended by signal 15' tacho deps --run --ignore-failure -o killed.txt -- sh -c 'kill -TERM $$'
[ -s killed.txt ] || fail 'what a killed command did is kept'
status 3 'the run was ended after' tacho deps --run --timeout 2 -o slow.txt -- sh -c 'while :; do :; done'
grep -q 'instructions executed' slow.txt || fail 'what was seen until the end is kept'
# Judging that takes long ends, too: after as much time again, and when it is told to.
{
    printf '.globl _start\n_start: mov $10, %%ecx\n lea buffer(%%rip), %%rdi\n'
    printf '1: .rept 1500\n mov %%rax, (%%rdi)\n mov (%%rdi), %%rbx\n .endr\n dec %%ecx\n jnz 1b\n'
    printf ' mov $60, %%eax\n xor %%edi, %%edi\n syscall\n.bss\nbuffer: .skip 64\n'
} >large.s
as -o large.o large.s && ld -o large large.o || exit 1
set -- tacho deps --run --window 1000000 --seeds 100 --json -o large.json
status 3 'the judging was ended' "$@" --timeout 5 -- ./large
tr -d ' \n' <large.json >flat.json
grep -q '"ended":true,"judged":false,"exit_status":0,.*"unjudged":{"dependencies":1500,"count":15000}' flat.json ||
    fail "judging that took too long: $(head -c 1500 flat.json)"
"$@" -- ./large 2>err.txt &
process=$!
until ls -d tacho-* >/dev/null 2>&1; do sleep 0.05; done
while ls -d tacho-* >/dev/null 2>&1; do sleep 0.05; done
kill -TERM "$process"
wait "$process"
[ $? = 3 ] && grep -q 'the judging was ended' err.txt || fail "judging that is told to end: $(cat err.txt)"
status 0 'executed another program' tacho deps --run --ignore-failure -o exec.txt -- sh -c 'exec ./known'
status 0 '2 processes that the command started were not watched' tacho deps --run -o fork.txt -- \
    sh -c './known; ./known; exit 0'
# Threads, of which the first ends before the others; code that the program has made itself.
if command -v cc >/dev/null; then
    cat >threads.c <<'C'
#include <pthread.h>
#include <sys/mman.h>
#include <string.h>
static volatile long a[4][1024], b[1000];
/* mov rax, [rdi-8]; add [rdi], rax; add rdi, 8; dec esi; jnz; ret */
static const unsigned char code[] = {0x48, 0x8b, 0x47, 0xf8, 0x48, 0x01, 0x07, 0x48,
                                     0x83, 0xc7, 0x08, 0xff, 0xce, 0x75, 0xf1, 0xc3};
static void *sum(void *p)
{
    volatile long *q = p;
    for (int r = 0; r < 20; r++)
        for (int i = 8; i < 1024; i++)
            q[i] += q[i - 8];
    return 0;
}
int main(void)
{
    pthread_t t[4];
    void *p = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return 1;
    memcpy(p, code, sizeof code);
    ((void (*)(volatile long *, int))p)(b + 1, 900);
    for (int i = 0; i < 4; i++)
        if (pthread_create(&t[i], 0, sum, (void *)a[i]))
            return 1;
    pthread_exit(0);
}
C
    cc -O1 -pthread -o threads threads.c || exit 1
    status 0 '' tacho deps --run -q --hot 0 --format csv -o threads.csv -- ./threads
    # 20 rounds of 1008 loads in each of 4 threads
    grep -q '^threads,.*,80640,[0-9]*,[0-9]*,[0-9]*,found,,found,found$' threads.csv || fail "threads: $(head -3 threads.csv)"
    grep -q '^,.*"add \[rdi\], rax",,.*,899,899,899,4,found,,found,$' threads.csv || fail 'code made by the program'
fi

# ---- a program without symbols: its functions are known by .eh_frame ----
if command -v strip >/dev/null && command -v jq >/dev/null; then
    cat >hist.c <<'C'
__attribute__((noinline)) void hist(int *h, const unsigned char *d, long n)
{
    for (long i = 0; i < n; i++)
        h[d[i]]++;
}
static int h[256];
static unsigned char d[4000];
int main(void)
{
    hist(h, d, 4000);
    return h[1];
}
C
    cc -O1 -o hist hist.c && cp hist bare && strip bare || exit 1
    status 0 '' tacho deps --run --ignore-failure -q --hot 50 --format json -o hist.json -- ./hist
    status 0 '' tacho deps --run --ignore-failure -q --hot 50 --format json -o bare.json -- ./bare
    for f in hist bare; do
        jq -c '.coverage | map(.analyses.function | [.found, .missed, .cov_w])' $f.json >$f.covered || fail "$f: no coverage"
    done
    cmp -s hist.covered bare.covered || fail "stripped: $(cat bare.covered), not $(cat hist.covered)"
    jq -e '.coverage[0].analyses.function.found.dependencies > 0' bare.json >/dev/null || fail 'stripped: nothing is found in functions'
    jq -e '.warnings | map(select(startswith("bare: 1 function that is followed has no symbol"))) | length == 1' \
        bare.json >/dev/null || fail "stripped: $(jq -c .warnings bare.json)"
    jq -e '.warnings | map(select(startswith("hist:"))) | length == 0' hist.json >/dev/null || fail 'a warning too many'
    # ... in files, too
    address=0x$(nm hist | sed -n 's/^0*\([0-9a-f]*\) T hist$/\1/p')
    for f in hist bare; do
        name=$address
        [ $f = bare ] || name=hist
        status 0 '' tacho deps --follow --format csv --symbol $name $f
        cp out.txt $f.csv
    done
    cmp -s hist.csv bare.csv && [ "$(wc -l <bare.csv)" -gt 1 ] || fail '--follow --symbol ADDRESS'
    status 0 "the function from $address to 0x" tacho deps --follow --symbol "$address" bare
    status 1 "no function begins at $(printf '0x%x' $((address + 1))); one goes from $address to 0x" \
        tacho deps --symbol "$(printf '0x%x' $((address + 1)))" bare
    status 0 'bare holds several blocks: its innermost loop is analysed' tacho deps bare
    status 0 'with more than one function, is taken as one function' tacho deps --follow bare
    status 1 "no symbol '0x99999999'; the file is stripped: give the address" tacho deps --symbol 0x99999999 bare
    status 0 '' tacho predict -a SKL --loops --symbol "$address" bare
    grep -q "$address" out.txt || fail "--loops --symbol ADDRESS: $(cat out.txt)"
else
    echo 'skipped: programs without symbols: no strip, or no jq'
fi
[ -z "$(find . -name 'tacho-*')" ] || fail 'temporary files are left'
[ "$failures" = 0 ]
