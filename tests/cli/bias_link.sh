#!/bin/sh
# bias_link.sh: tacho bias --link: the order of object files and the place of their code are really changed; links that
# fail, and links that a signal ends.
set -u
. "$(dirname "$0")/checks.sh"
need cc gcc
need as binutils
need_layouts
cd "$TMP" || exit 1

# A program that takes three times as long where its functions lie in one order of six, and another one that does where a
# function lies at one of four places of a line.
for f in one two three; do
    printf 'void %s(void) {}\n' $f >$f.c
done
cat >program.c <<'TEXT'
#include <stdint.h>
void one(void), two(void), three(void);
static volatile uint64_t sink;
int main(void)
{
    uintptr_t a = (uintptr_t)&one, b = (uintptr_t)&two, c = (uintptr_t)&three;
    uint64_t x = 1, rounds = SLOW ? 3000000 : 1000000;
    for (uint64_t i = 0; i < rounds; i++)
        x = x * 6364136223846793005u + i;
    sink = x;
    return (a ^ b ^ c) == 0;
}
TEXT
cc -O1 -falign-functions=16 -c one.c two.c three.c || fail 'no objects'
cc -O1 -DSLOW='b < c && c < a' -c program.c -o by_order.o || fail 'no objects'
cc -O1 -DSLOW='(a % 64 / 16 == 2)' -c program.c -o by_place.o || fail 'no objects'

# The compiler reads what is fixed as it stands: only the three are reordered.
status 0 '' tacho bias --no-why --metric cpu --factors link-order --passes 2 -f csv \
    --link 'cc -o {out} by_order.o {objects}' --objects one.o two.o three.o -- program
grep -q '^link-order,[1-9][0-9.]*,[0-9.]*,[0-9.]*,true,.*,two.o three.o one.o,' out.txt || fail "order: $(cat out.txt)"
[ "$(tail -1 out.txt | cut -d, -f15-17)" = 6,2,25 ] || fail "order: not 6 variants, 2 passes, 25 rounds: $(cat out.txt)"

status 0 '' tacho bias --no-why --metric cpu --factors code --passes 2 -f csv --save points.csv \
    --link 'cc -o {out} {objects}' --objects one.o by_place.o two.o three.o -- program
grep -q '^code,[1-9][0-9.]*,[0-9.]*,[0-9.]*,true,' out.txt || fail "place: $(cat out.txt)"
cut -d, -f1,2,7 points.csv | grep -q '^code,[0-9]*,true$' || fail "place: no spike: $(cat points.csv)"

# More than four files: orders by chance, none twice.
for i in 1 2; do
    printf 'int more%s;\n' $i >more$i.c
done
cc -c more1.c more2.c || fail 'no objects'
status 0 '' tacho bias --no-why --metric cpu --factors link-order --passes 2 --max-time 20 --seed 2 --save points.csv \
    --link 'cc -o {out} by_order.o {objects}' --objects one.o two.o three.o more1.o more2.o -- program
[ "$(tail -n +2 points.csv | cut -d, -f3 | sort -u | wc -l)" = 24 ] || fail "orders: $(cut -d, -f3 points.csv)"

status 1 'undefined reference to' tacho bias --link 'cc -o {out} {objects}' --objects by_order.o -- program
status 1 'no/such.o' tacho bias --link 'cc -o {out} {objects}' --objects no/such.o -- program
status 1 'has not made {out}' tacho bias --link 'true {out} {objects}' --objects one.o -- program
status 1 'no factor could be swept' tacho bias --factors link-order --link 'cc -o {out} by_order.o two.o three.o {objects}' --objects one.o -- program
has 'there is one object file only'

# ended SIGNAL WHEN COMMAND...: what a signal ends says so, at once, and leaves no files, nor do the tools that it ends.
ended() {
    signal=$1 when=$2
    shift 2
    rm -f linking
    "$@" >out.txt 2>err.txt &
    pid=$!
    while ! [ -e linking ] && kill -0 $pid 2>kill.txt; do
        sleep 0.1
    done
    kill -"$signal" $pid
    wait $pid
    got=$?
    [ $got = 3 ] || fail "$when: status $got: $(cat err.txt)"
    has 'the sweep ended before it'
    left=$(find "$TMP" -name 'tacho-*' -o -name 'left.*')
    [ -z "$left" ] || fail "$when: left: $left"
}
since=$(date +%s)
ended INT 'the first link' tacho bias --factors link-order --objects one.o two.o three.o \
    --link 'mktemp -t left.XXXXXX >/dev/null; : >linking; sleep 100; : {out} {objects}' -- program
ended TERM 'a later link' tacho bias --factors link-order,code --objects one.o two.o three.o \
    --link 'cc -o {out} by_order.o {objects}; [ -e first ] && : >linking && mktemp -t left.XXXXXX && sleep 100; : >first' -- program
[ $(($(date +%s) - since)) -lt 60 ] || fail 'a link went on behind the signal'

echo "$failures failures"
[ "$failures" = 0 ]
