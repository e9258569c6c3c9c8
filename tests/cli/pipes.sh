#!/bin/sh
# pipes.sh: what goes wrong with pipes: readers that leave, writers that wait, outputs that are full.
set -u
. "$(dirname "$0")/checks.sh"
i=0
while [ $i -lt 3000 ]; do
    echo 4801d84801c349ffcf75f5
    i=$((i + 1))
done >"$TMP/blocks"

# A reader that leaves early: no message, no hang.
timeout 60 tacho predict --batch "$TMP/blocks" -a SKL 2>"$TMP/err" | head -1 >"$TMP/first"
grep -q '^hex,cycles,' "$TMP/first" || fail 'no header in the first line'
[ ! -s "$TMP/err" ] || fail "message after | head: $(cat "$TMP/err")"

# A program that sends a block and waits for its answer before it sends the next.
mkfifo "$TMP/in" "$TMP/out"
converse() { # START-OF-THE-ANSWER COMMAND...
    expected=$1
    shift
    timeout 60 "$@" <"$TMP/in" >"$TMP/out" &
    exec 3>"$TMP/in" 4<"$TMP/out"
    for n in 1 2; do
        echo 4801d8 >&3
        [ $n != 1 ] || read -r header <&4
        read -r answer <&4
        [ "$answer" = "${answer#"$expected"}" ] && fail "$*: answer $n: ${header-}: $answer"
    done
    exec 3>&-
    wait
    exec 4<&-
}
converse 4801d8,1, tacho predict --batch - -a SKL --jobs 2
converse 4801d8,4801d84801d84801d84801d84801d849ffca75ec,5,r10, tacho suite loops --batch -

# The same output whatever the number of threads.
for jobs in 1 3 8; do
    tacho predict --batch "$TMP/blocks" -a SKL --jobs $jobs >"$TMP/out.$jobs" || fail "--jobs $jobs failed"
    cmp -s "$TMP/out.1" "$TMP/out.$jobs" || fail "--jobs $jobs differs from --jobs 1"
done
[ "$(wc -l <"$TMP/out.1")" = 3001 ] || fail 'not one row for each block'

# An output that is full is an error.
if [ -w /dev/full ]; then
    tacho predict --batch "$TMP/blocks" -a SKL >/dev/full 2>"$TMP/err" && fail 'a full output went unnoticed'
    grep -q 'cannot write' "$TMP/err" || fail "no message about a full output"
    tacho arch --list >/dev/full 2>/dev/null && fail 'a full output went unnoticed by arch'
fi

# A line without end is an error in its row, in constant memory.
{
    echo 4801d8
    head -c 5000000 /dev/zero | tr '\0' 4
    echo
    echo 4801c3
} | timeout 60 tacho predict --batch - -a SKL >"$TMP/out.long" 2>/dev/null
[ $? = 3 ] || fail 'status after a line that is too long'
[ "$(grep -c '^480' "$TMP/out.long")" = 2 ] && [ "$(wc -l <"$TMP/out.long")" = 4 ] ||
    fail 'rows around a line that is too long'
[ "$failures" = 0 ]
