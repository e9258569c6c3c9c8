#!/bin/sh
# compare_link.sh: tacho compare --layout with link commands: the code of both sides really moves, by whatever linker;
# what cannot be linked or moved says so; a signal ends links and leaves no files.
set -u
. "$(dirname "$0")/checks.sh"
need cc gcc
need_layouts
examples=$PWD/examples/compare
cd "$TMP" || exit 1

# A program that says how its functions lie: in which order, and in which quarter of its line the first one is.
for f in one two three; do
    printf 'int %s(int x) { return x * 3; }\nint %s_more(int x) { return x * 5; }\n' $f $f >$f.c
done
cat >main.c <<'TEXT'
#include <stdint.h>
#include <stdio.h>
int one(int), two(int), two_more(int), three(int);
int main(int argc, char **argv)
{
    int (*f[])(int) = {one, two, two_more, three};
    int order = 0, sum = argc;
    (void)argv;
    for (int i = 0; i < 4; i++) {
        sum = f[i](sum);
        for (int k = 0; k < i; k++)
            order = order * 2 + ((uintptr_t)f[i] < (uintptr_t)f[k]);
    }
    printf("1%02d%d\n", order, (int)((uintptr_t)one % 64 / 16));
    return sum != 135;
}
TEXT
cc -O1 -ffunction-sections -c one.c two.c three.c main.c || fail 'no objects'
objects='one.o two.o three.o main.o'

# By each linker, what the programs say in each layout: side, layout, value. Both sides are the same.
for linker in '' bfd gold lld; do
    [ -z "$linker" ] || command -v ld.$linker >kill.txt || continue
    # shellcheck disable=SC2086
    tacho compare --layout 8 --runs 16 -w 0 --metric-regex '(.*)' --format csv \
        --link-a "cc ${linker:+-fuse-ld=$linker} -o {out} {objects}" --objects-a $objects --objects-b $objects \
        -- program -- program 2>err.txt | awk -F, 'NR > 1 { print $2, $4, $NF }' | sort -u >seen
    [ "$(wc -l <seen)" = 16 ] || fail "$linker: not one program a side and layout: $(cat seen err.txt)"
    cut -d' ' -f3 seen | sed 's/.$//' | sort -u >orders
    [ "$(wc -l <orders)" -ge 3 ] || fail "$linker: the order stays: $(cat seen)"
    cut -d' ' -f3 seen | sed 's/.*\(.\)/\1/' | sort -u >quarters
    [ "$(wc -l <quarters)" -ge 3 ] || fail "$linker: the place in a line stays: $(cat seen)"
    grep '^A' seen | cut -c3- >a
    grep '^B' seen | cut -c3- | cmp -s - a || fail "$linker: the same code lies otherwise in B: $(cat seen)"
done

# What is said of it.
cc -O1 -c two.c -o whole.o || fail 'no object'
status 0 '' tacho compare --layout 6 --runs 12 --link-a 'cc -o {out} {objects}' --objects-a one.o two.o three.o main.o \
    --objects-b one.o whole.o three.o main.o -- program -- program
has '7 sections in 4 files of A, 6 sections in 4 files of B lie elsewhere' 'in 1 of the 4 object files of B, functions move together'
status 0 '' tacho compare --layout 6 --runs 12 --json --link-a 'cc -o {out} {objects}' --objects-a one.o two.o three.o main.o \
    --objects-b one.o whole.o three.o main.o -- program -- program
tr -d ' \n' <out.txt | grep -q '"code_layouts":{"a":{"objects":4,"moved_objects":4,"whole_objects":0,"sections":7},"b":{"objects":4,"moved_objects":4,"whole_objects":1,"sections":6},"seconds":' ||
    fail "JSON: $(tail -20 out.txt)"

# The example: two builds of the same code, one 16 bytes further on.
if command -v nm >kill.txt; then
    LAYOUTS=6 status 0 '' "$examples/run" -q --runs 12
    has 'a: the loop begins 0 bytes behind a line of 64' 'b: the loop begins 16 bytes behind a line of 64' \
        'In 6 layouts of memory and code:' '3 sections in 3 files of A, 3 sections in 3 files of B'
else
    echo 'skipped: the example: nm is not installed'
fi

# What cannot be done.
both='--objects-a main.o --objects-b main.o -- program -- program'
# shellcheck disable=SC2086
{
    status 2 'is of two commands, not of 3' tacho compare --layout 6 --link-a 'cc {out} {objects}' $both -- program
    status 2 'go with --layout N' tacho compare --link-a 'cc {out} {objects}' $both
    status 2 'link-a is missing' tacho compare --layout 6 $both
    status 2 'objects-b is missing' tacho compare --layout 6 --link-a 'cc {out} {objects}' --objects-a main.o -- p -- q
    status 2 'link-b needs {out} and {objects}' tacho compare --layout 6 --link-a 'cc {out} {objects}' --link-b cc $both
    status 1 'undefined reference to' tacho compare --layout 6 --link-a 'cc -o {out} {objects}' $both
    status 1 'has not made {out}' tacho compare --layout 6 --link-a 'true {out} {objects}' $both
    status 1 'the code of A cannot be moved' tacho compare --layout 6 \
        --link-a 'cc -o {out} one.o two.o three.o main.o; : {objects}' $both
    status 1 'no/such.o: No such file' tacho compare --layout 6 --link-a 'cc -o {out} {objects}' --objects-a no/such.o \
        --objects-b main.o -- program -- program
}
cat main.o one.o >both.o
head -c 100 main.o >part.o
status 1 'the link command failed' tacho compare --layout 6 --link-a 'cc -o {out} {objects}' --objects-a part.o one.o two.o three.o \
    --objects-b main.o one.o two.o three.o -- program -- program

# A signal ends the links that run, too.
since=$(date +%s)
tacho compare --layout 6 --link-a 'mktemp -t left.XXXXXX >/dev/null; : >linking; sleep 100; : {out} {objects}' \
    --objects-a main.o --objects-b main.o -- program -- program >out.txt 2>err.txt &
pid=$!
while ! [ -e linking ] && kill -0 $pid 2>kill.txt; do
    sleep 0.1
done
kill -INT $pid
wait $pid && fail 'ended by a signal, and status 0'
[ $(($(date +%s) - since)) -lt 60 ] || fail 'a link went on behind the signal'
left=$(find "$TMP" -name 'tacho-*' -o -name 'left.*')
[ -z "$left" ] || fail "left: $left"

echo "$failures failures"
[ "$failures" = 0 ]
