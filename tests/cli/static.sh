# static.sh [PROGRAM]: the program for Compiler Explorer runs where there is nothing else, and says what tacho says.
set -eu
if [ $# -lt 1 ]; then
    echo "skipped: the static program is not built (wasm/fetch.sh brings what it needs, see integrations/compiler-explorer)"
    exit 77
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
printf 'f(int):\n xorl %%eax, %%eax\n.L3: addl (%%rdi), %%eax\n addq $4, %%rdi\n cmpq %%rdx, %%rdi\n jne .L3\n ret\n' >"$dir/page.s"
size=$(wc -c <"$1")
[ "$size" -le 5500000 ] || { echo "failed: $size bytes, more than 5,500,000"; exit 1; }
case $(LC_ALL=C ldd "$1" 2>&1 || true) in
*"not a dynamic executable"* | *"statically linked"*) ;;
*) echo "failed: it needs libraries"; exit 1 ;;
esac
tacho predict --explorer -a SKL "$dir/page.s" >"$dir/expected"
env -i PATH=/nonexistent "$1" predict --explorer -a SKL "$dir/page.s" >"$dir/got"
cmp "$dir/expected" "$dir/got"
grep -q '^\[0\] f(int)+0x2$' "$dir/got"
