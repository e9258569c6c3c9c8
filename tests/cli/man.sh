#!/bin/sh
# man.sh DIRECTORY: runs the examples of the manual pages: the lines between .EX and .EE, each of which must
# end with status 0.
set -u
status=0 count=0
TMP=$(mktemp -d) || exit 1
export TMP
trap 'rm -rf "$TMP"' EXIT
can_measure=1
if ! message=$(tacho measure -q --hex 90 2>&1); then
    printf 'skipped: the examples of tacho-measure(1), nothing can be measured here: %s\n' "$message"
    can_measure=
fi
can_trace=1
if ! message=$(tacho extract -q --via ptrace -o "$TMP/true.csv" -- true 2>&1); then
    printf 'skipped: examples that run commands, nothing can be traced here: %s\n' "$message"
    can_trace=
fi
can_lay_out=$can_trace
if [ -n "$can_trace" ] && ! message=$(tacho compare -q --no-aslr --runs 12 -- true -- true 2>&1 >"$TMP/true.txt"); then
    printf 'skipped: examples that lay out memory: %s\n' "$message"
    can_lay_out=
fi
can_deps=$can_trace
if ! command -v valgrind >/dev/null; then
    echo 'skipped: examples of tacho deps --run: valgrind is not installed'
    can_deps=
fi
can_kernels=$can_measure
[ -n "$can_lay_out" ] || can_kernels=
for tool in gcc clang valgrind; do
    if ! command -v $tool >/dev/null; then
        echo "skipped: the examples of tacho-kernels(1): $tool is not installed"
        can_kernels=
    fi
done
can_hot=1
if ! message=$(tacho hot -q -o "$TMP/hot.txt" -- sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done' 2>&1); then
    printf 'skipped: the examples of tacho-hot(1), nothing can be sampled here: %s\n' "$message"
    can_hot=
fi
for page in "$1"/*.1; do
    case $page in
    */tacho-measure.1) [ -n "$can_measure" ] || continue ;;
    */tacho-kernels.1) [ -n "$can_kernels" ] || continue ;;
    */tacho-hot.1) [ -n "$can_hot" ] || continue ;;
    esac
    sed -n '/^\.EX/,/^\.EE/p' "$page" | grep -v '^\.' | sed 's/\\-/-/g; s/\\(aq/'"'"'/g; s/\\e/\\/g' >"$TMP/commands"
    while IFS= read -r command; do
        case $command in
        'tacho extract '*' -- '*) [ -n "$can_trace" ] || continue ;;
        'tacho bias '* | 'tacho compare '*--layout* | 'tacho compare '*--no-aslr*) [ -n "$can_lay_out" ] || continue ;;
        'tacho deps --run '*) [ -n "$can_deps" ] || continue ;;
        esac
        count=$((count + 1))
        if ! sh -c "$command" >"$TMP/out" 2>&1 </dev/null; then
            printf '%s: failed: %s\n' "$page" "$command"
            cat "$TMP/out"
            status=1
        fi
    done <"$TMP/commands"
done
echo "$count examples"
[ $count -gt 0 ] || exit 1
exit $status
