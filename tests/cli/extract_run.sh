#!/bin/sh
# extract_run.sh: tacho extract -- COMMAND: exact counts in known programs, each way of watching them; what becomes of
# commands that fail, are killed, or take too long.
set -u
. "$(dirname "$0")/checks.sh"
cd "$TMP" || exit 1

if ! message=$(tacho extract -q --via ptrace -o true.csv -- true 2>&1); then
    printf 'skipped: nothing can be traced here: %s\n' "$message"
    exit 77
fi
ways='ptrace step'
if command -v valgrind >/dev/null; then
    ways="$ways valgrind"
else
    echo 'skipped: --via valgrind, which is not installed'
fi

# ---- a program of known counts, to the block ----
cat >known.s <<'S'
.globl _start
_start: mov $3, %ebx
1: mov $5, %ecx
 lea buffer(%rip), %rdi
 mov %rdi, %rsi
 rep movsb
 dec %ebx
 jnz 1b
 mov $4, %ebx
2: mov $6, %ecx
 lea buffer(%rip), %rdi
3: rep stosb
 dec %ebx
 jz 4f
 test $1, %bl
 jz 2b
 mov $2, %ecx
 jmp 3b
4: mov $9, %ebp
5: mov %ebp, %edi
 call f
 lea table(%rip), %rdx
 mov %ebp, %eax
 and $1, %eax
 call *(%rdx,%rax,8)
 dec %ebp
 jnz 5b
 mov $7, %ecx
6: inc %eax
 loop 6b
 jrcxz 7f
 ud2
7: push $1
 push $2
 call h
 lea 8f(%rip), %rax
 jmp *%rax
 ud2
8: mov $20, %edi
 call g
 call finish
f: cmp $5, %edi
 jb 9f
 nop
9: ret
g: lea -1(%rdi), %rdi
 test %rdi, %rdi
 js 9b
 jmp g
h: cmpq $2, 8(%rsp)
 ret $16
finish: mov $60, %eax
 xor %edi, %edi
 syscall
.data
table: .quad f, g
buffer: .skip 64
S
as -o known.o known.s && ld -Ttext=0x401000 -o known known.o || exit 1
cat >known.expected <<'S'
bb03000000 1
b905000000 3
bb04000000 1
b906000000 2
f3aaffcb 4
f6c301 3
b902000000 2
bd09000000 1
89ef 9
488d15 9
ffcd 9
b907000000 1
ffc0 7
6a016a02 1
488d05 1
bf14000000 1
83ff05 13
90 7
488d7fff4885ff 51
48837c240802 1
b83c00000031ff 1
S
for way in $ways; do
    if ! tacho extract -q --via $way -o known.$way.csv -- ./known; then
        fail "known --via $way: status $?"
        continue
    fi
    while read -r start count; do
        # The last block of a process is not counted by callgrind.
        [ $way != valgrind ] || [ "$start" != b83c00000031ff ] || continue
        got=$(grep "^$start" known.$way.csv | cut -d, -f4)
        [ "$got" = "$count" ] || fail "--via $way: blocks that begin with $start: counted '$got', not $count"
    done <known.expected
    [ $way = valgrind ] || [ "$(wc -l <known.$way.csv)" = 22 ] || fail "--via $way: more or fewer blocks than there are"
done
cmp known.ptrace.csv known.step.csv || fail 'breakpoints and steps differ'
tacho extract -q --via ptrace --with-branch --min-insns 3 --app me -o with.csv -- ./known
grep -q '^b905000000488d3d........4889fef3a4ffcb75..,me,0x401005,3,known$' with.csv || fail '--app: no such row'
grep -q '^ffcd' with.csv && fail '--min-insns: a short block'
tacho extract -q --via ptrace --with-branch -o with.csv -- ./known
grep -q '^ffc0e2fc,known,0x[0-9a-f]*,7,known$' with.csv || fail '--with-branch: no loop'

# ---- threads, forks, signals, generated code: blocks that are told by a constant in them ----
cat >many.c <<'S'
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#define LOOP(constant, n) do { int left = n; __asm__ volatile("1: xor $" #constant ", %%eax\n dec %0\n jnz 1b" : "+r"(left) : : "eax", "cc"); } while (0)
#define ONCE(constant) __asm__ volatile("jmp 1f\n1: xor $" #constant ", %%eax\n jmp 2f\n2:" : : : "eax", "cc")
static sigjmp_buf back;
static void handler(int s) { ONCE(0x11110003); }
static void leave(int s) { ONCE(0x11110005); siglongjmp(back, 1); }
static void *thread(void *a) { LOOP(0x11110001, 50); return a; }
int main(int argc, char **argv)
{
    if (argc > 1) { LOOP(0x11110008, 13); return 5; }
    pthread_t t[6];
    for (int i = 0; i < 6; i++) pthread_create(&t[i], 0, thread, 0);
    for (int i = 0; i < 6; i++) pthread_join(t[i], 0);
    for (int i = 0; i < 3; i++) if (!fork()) { LOOP(0x11110002, 7); _exit(3); }
    while (wait(0) > 0) ;
    signal(SIGUSR1, handler);
    for (int i = 0; i < 11; i++) raise(SIGUSR1);
    struct itimerval every = {{0, 2000}, {0, 2000}}, never = {{0, 0}, {0, 0}};
    signal(SIGALRM, handler);
    setitimer(ITIMER_REAL, &every, 0);
    LOOP(0x11110004, 3000);
    setitimer(ITIMER_REAL, &never, 0);
    if (argc == 1 && !strstr(argv[0], "no-fault")) {
        signal(SIGSEGV, leave);
        for (volatile int i = 0; i < 4; i++) if (!sigsetjmp(back, 1)) *(volatile int *)0 = 1;
        unsigned char *code = mmap(0, 4096, 7, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        for (int k = 0; k < 3; k++) {
            unsigned char made[] = {0x35, 6, 0, 0x11, 0x11, 0x83, 0xc0, k, 0xc3};
            memcpy(code, made, sizeof made);
            mprotect(code, 4096, k < 2 ? 7 : 5);
            for (int i = 0; i < 5; i++) ((void (*)(void))code)();
        }
    }
    if (!vfork()) { execl(argv[0], "second", "x", (char *)0); _exit(1); }
    int status;
    wait(&status);
    return WEXITSTATUS(status);
}
S
if ! "${CC:-cc}" -O1 -pthread -o many many.c 2>/dev/null; then
    echo 'skipped: threads, forks and signals: no C compiler'
    ways=
fi
ln -sf many no-fault
expect() { # WAY CONSTANT COUNT WHAT
    got=$(grep "35$2" many.$1.csv | cut -d, -f4 | sort -n | tr '\n' ' ')
    [ "$got" = "$3 " ] || fail "--via $1: $4: counted '$got', not $3"
}
for way in $ways; do
    program=./many
    [ $way != valgrind ] || program=./no-fault # callgrind 3.19 fails where a handler is left by siglongjmp
    timeout 100 tacho extract --via $way --ignore-failure -o many.$way.csv -- $program 2>many.err || fail "many --via $way: status $?"
    grep -q 'the command ended with status 5' many.err || fail "--via $way: not the status of the command: $(cat many.err)"
    expect $way 01001111 300 'six threads'
    expect $way 02001111 21 'three children'
    expect $way 04001111 3000 'a loop that signals interrupt'
    expect $way 08001111 13 'another program'
    [ "$(grep 3503001111 many.$way.csv | cut -d, -f4)" -ge 11 ] || fail "--via $way: a handler"
    [ $way != valgrind ] || continue
    expect $way 05001111 4 'a handler that is left'
    expect $way 06001111 '5 5 5' 'generated code'
    grep 06001111 many.$way.csv | grep -q '\[memory\]$' || fail "--via $way: generated code is in no file"
    grep -q 'control was elsewhere' many.err && fail "--via $way: $(cat many.err)"
done

# ---- code that is entered inside an instruction (behind its prefix), and code made writable by less than a page ----
cat >inside.s <<'S'
.globl _start
_start: mov $3, %ebx
1: test $1, %bl
 jnz 3f
 .byte 0xf0
3: incl word(%rip)
 dec %ebx
 jnz 1b
 mov $10, %eax
 lea _start(%rip), %rdi
 and $-4096, %rdi
 mov $1, %esi
 mov $7, %edx
 syscall
 movzbl last(%rip), %edi
 call last
 mov $60, %eax
 syscall
last: ret
.data
word: .long 0
S
sed 's/mov .1, %esi/call last\n&/' inside.s >writable.s
as -o inside.o inside.s && ld -Ttext=0x401000 -o inside inside.o || exit 1
as -o writable.o writable.s && ld -Ttext=0x401000 -o writable writable.o || exit 1
for way in ptrace step; do
    tacho extract -q --via $way --ignore-failure -o inside.csv -- ./inside
    [ "$(sed -n 's/^f0ff05........ffcb,inside,[^,]*,\([0-9]*\),.*/\1/p' inside.csv)" = 1 ] || fail "--via $way: with the prefix: $(cat inside.csv)"
    [ "$(sed -n 's/^ff05........ffcb,inside,[^,]*,\([0-9]*\),.*/\1/p' inside.csv)" = 2 ] || fail "--via $way: without the prefix: $(cat inside.csv)"
done
# 195: RET, where a breakpoint was.
tacho extract --via ptrace --ignore-failure -o writable.csv -- ./writable 2>err
grep -q 'command ended with status 195' err || fail "a breakpoint was seen in code that is writable: $(cat err)"

# ---- commands that do not end well ----
for way in ptrace ${ways##*step}; do
    status 1 "cannot run ./nowhere: No such file" tacho extract --via $way -o x.csv -- ./nowhere
    status 1 "cannot run ./known.s: Permission denied" tacho extract --via $way -o x.csv -- ./known.s
    status 1 "cannot run /: " tacho extract --via $way -o x.csv -- /
    status 1 "cannot run : " tacho extract --via $way -o x.csv -- ''
    status 1 "command ended with status 3" tacho extract --via $way -o failed.csv -- sh -c 'exit 3'
    [ ! -e failed.csv ] || fail "--via $way: a command that fails leaves a file"
    status 0 "command ended with status 3" tacho extract --via $way --ignore-failure -o x.csv -- sh -c 'exit 3'
    status 1 "ended by signal 15" tacho extract --via $way -o failed.csv -- sh -c 'kill $$'
    status 0 "ended by signal 15" tacho extract --via $way --ignore-failure -o x.csv -- sh -c 'kill $$'
    [ "$(wc -l <x.csv)" -gt 100 ] || fail "--via $way: a command that is killed leaves its blocks"
    status 3 "the run was ended after" tacho extract --via $way --timeout 1 -o x.csv -- sleep 60
    [ "$(wc -l <x.csv)" -gt 100 ] || fail "--via $way: --timeout leaves the blocks until then"
done
if [ -n "$ways" ]; then
    cat >stays.c <<'S'
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <unistd.h>
static char stack[65536];
static int stay(void *p)
{
    for (;;) pause();
    return p != 0;
}
int main(int argc, char **argv)
{
    signal(SIGTERM, SIG_IGN);
    if (argc > 1) clone(stay, stack + sizeof stack, CLONE_VM, 0); /* a process without a signal when it ends */
    return stay(argv);
}
S
    "${CC:-cc}" -O1 -o stays stays.c || exit 1
    status 3 'the run was ended after' timeout -s KILL 60 tacho extract --via ptrace --timeout 2 -o x.csv -- ./stays clone
    case $ways in
    *valgrind) status 3 'the run was ended after' timeout -s KILL 60 tacho extract --via valgrind --timeout 1 -o x.csv -- ./stays ;;
    esac
fi
status 0 'command ended with status 3' sh -c 'trap "" HUP; tacho extract --via ptrace --ignore-failure -o x.csv -- sh -c "kill -HUP \$PPID; sleep 0.5; exit 3"'
for signal in TERM INT; do
    rm -f ready
    tacho extract --via ptrace -o x.csv -- sh -c 'echo ready >ready; exec sleep 60' 2>err &
    pid=$!
    while [ ! -e ready ]; do sleep 0.1; done
    # sh starts what is in the background with SIGINT ignored, which tacho's handler overrules.
    kill -$signal $pid
    wait $pid
    [ $? = 3 ] || fail "SIG$signal: status $?"
    [ "$(wc -l <x.csv)" -gt 100 ] || fail "SIG$signal: nothing was kept"
done
status 0 'ended by signal 9' tacho extract --via ptrace --ignore-failure -o x.csv -- sh -c 'kill -9 $$'

# ---- streams ----
echo some text | tacho extract -q --via ptrace -o x.csv -- cat >out 2>err
[ "$(cat out)" = 'some text' ] || fail 'standard streams are not those of the command'
status 2 'not both' tacho extract -o x.csv known -- true
status 2 'goes with a command' tacho extract --via step known
status 2 '--timeout is a number' tacho extract --timeout soon -o x.csv -- true
status 2 '--via is auto|ptrace' tacho extract --via pt -o x.csv -- true
status 1 'apt-get install valgrind' env PATH="$(dirname "$(command -v tacho)")" tacho extract --via valgrind -o x.csv -- ./known

# That nothing can be written is found before the run; what is there stays where there is nothing to write.
status 1 'cannot write /nowhere/x' tacho extract -o /nowhere/x -- touch ran
[ ! -e ran ] || fail 'the command was run although its blocks cannot be written'
echo kept >kept.csv
status 1 'missing' tacho extract -o kept.csv -- ./missing
[ "$(cat kept.csv)" = kept ] || fail 'what was in the output file is gone'

# Mappings that change while another thread runs: what is executed then belongs to the file that is there.
if command -v cc >/dev/null; then
    cat >maps.c <<'C'
/* One thread puts two pages of a file over each other in turns and calls what is there, while another one runs code
 * of its own making. */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
static const unsigned char made[] = {0x31, 0xc0, 0xff, 0xc0, 0x83, 0xf8, 0x05, 0x75, 0xf9, 0xc3};
static atomic_int stop;
static void *other(void *p)
{
    while (!stop)
        ((void (*)(void))p)();
    return 0;
}
int main(void)
{
    static unsigned char page[8192];
    pthread_t t[2];
    memset(page, 0xcc, sizeof page);
    memcpy(page, "\xb8\x01\x00\x00\x00\xc3", 6);
    memcpy(page + 4096, "\xb8\x01\x00\x00\x00\xc3", 6);
    int fd = open("two.bin", O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || write(fd, page, sizeof page) != sizeof page)
        return 1;
    void *code = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    void *at = mmap(0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
    memcpy(code, made, sizeof made);
    for (int i = 0; i < 2; i++)
        if (pthread_create(&t[i], 0, other, code))
            return 1;
    for (int i = 0; i < 150; i++) {
        if (mmap(at, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd, i % 2 * 4096) != at)
            return 1;
        if (((int (*)(void))at)() != 1)
            return 2;
    }
    stop = 1;
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    return 0;
}
C
    cc -O1 -pthread -o maps maps.c || exit 1
    for way in ptrace step; do
        tacho extract -q --via $way -o maps.csv -- ./maps || fail "$way: mappings that change"
        [ "$(grep -c '^b801000000,maps,0x1*0*,75,two.bin$' maps.csv)" = 2 ] ||
            fail "$way: code of two pages in turns: $(grep two.bin maps.csv)"
    done
fi
# Nothing of a watched run is left, however it is ended.
mkdir empty
for signal in TERM QUIT PIPE USR1; do
    case $ways in
    *valgrind*) way=valgrind ;;
    *) break ;;
    esac
    rm -f begun
    TMPDIR=$TMP/empty tacho extract -q --via $way -o ended.csv -- sh -c 'echo >begun; while :; do sleep 0.1; done' 2>err &
    process=$!
    until [ -e begun ]; do sleep 0.05; done
    kill -$signal "$process"
    wait "$process"
    got=$?
    [ $got = 3 ] || fail "ended by SIG$signal: status $got: $(cat err)"
    rm -f empty/valgrind_proc_* # valgrind's own, of a process that was killed while it began
    [ -z "$(ls empty)" ] || fail "left after SIG$signal: $(ls empty)"
    rm -rf empty
    mkdir empty
done

[ $failures = 0 ]
