#!/bin/sh
# metamorphic.sh: bench/metamorphic changes code in each of its ways, and finds what must not be: what a core, or a
# parameter of it, makes of code that does the same.
set -eu
search=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cat >"$dir/blocks.csv" <<'END'
hex,what
488b8090000000,"mov rax, [rax+0x90]"
488b03480fafc0480fafc0480fafc0480fafc0,"mov rax, [rbx]; imul rax, rax four times"
0f1f400048ffc048ffc048ffc0,"nop; inc rax three times"
450fbec0,"movsx r8d, r8b: is not renamed, as r8b is not"
80e6bf80ce40488916,"and dh, 0xbf; or dh, 0x40; mov [rsi], rdx: rdx is not renamed"
4901c34d01cc4c8b6b08,"add r11, rax; add r12, r9; mov r13, [rbx+8]: each may be before the others"
4829d84801c84889c2,"sub rax, rbx; add rax, rcx; mov rdx, rax: none may"
75fe,"a branch: left out"
END
# Compares with the groups, the numbers of pairs and the last line.
run() {
    "$search" --mode unroll --jobs 1 "$@" "$dir/blocks.csv" >"$dir/out"
    sed 's/  *$//' "$dir/out" | grep -e ' differ$' -e '^  [a-zA-Z]' -e 'such a reason$' | tr -s ' ' >"$dir/found"
    diff "$dir/expected" "$dir/found" || { echo "of metamorphic $*" >&2; exit 1; }
}
pairs() {
    printf '%s\n' "$1 unroll doubled 7 pairs, 0 without slack in the front end, 0 differ" \
        "$1 unroll exchanged 1 pairs, 0 without slack in the front end, 0 differ" \
        "$1 unroll renamed 5 pairs, 0 without slack in the front end, 0 differ" \
        "$1 unroll NOP added 7 pairs, $2 without slack in the front end, $3 differ" \
        "$1 unroll NOP removed 1 pairs, 0 without slack in the front end, $4 differ" \
        "$1 unroll moved by 4096 1 pairs, 0 without slack in the front end, $5 differ"
}
{
    echo ' moved by 4096 pointers fast_pointer_chasing 1, +25.0 %'
    pairs SKL 1 0 0 1
    echo '0 without such a reason'
} >"$dir/expected"
run -a SKL
{
    pairs SKL 1 0 0 0
    echo '0 without such a reason'
} >"$dir/expected"
run -a SKL --set fast_pointer_chasing=no
# A reorder buffer in which NOPs take the place of what could run at once.
{
    printf '%s\n' ' NOP added - rob_entries 6, +50.0 %' ' moved by 4096 pointers fast_pointer_chasing 1, +25.0 %' \
        ' NOP removed - rob_entries 1, -7.7 %'
    pairs SKL 0 6 1 1
    echo '7 without such a reason'
} >"$dir/expected"
run -a SKL --set rob_entries=16
