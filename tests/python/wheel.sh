# wheel.sh SOURCE [--install]: the commands of doc/PYTHON.md, as they stand there, in a copy of the source: pip makes a
# wheel, for any Python since 3.11, and installs it, and it predicts. With --install the first one, too, which installs
# Debian packages.
set -eu
PATH=/usr/bin:$PATH # Debian's Python
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
# The page's first example: a command a line, once those that end in a backslash are joined.
awk '/^    / { sub(/^    /, ""); print; found = 1; next } found { exit }' "$1/doc/PYTHON.md" | sed -e ':more' -e '/\\$/N; s/\\\n */ /; tmore' >"$dir/all"
sed -n 's/^sudo apt-get install //p' "$dir/all" >"$dir/packages"
grep -v '^sudo' "$dir/all" >"$dir/commands"
[ "$(wc -l <"$dir/packages") $(wc -l <"$dir/commands")" = '1 2' ] || {
    echo "doc/PYTHON.md does not begin with a line of packages and two commands:"
    cat "$dir/all"
    exit 1
}
if [ "${2-}" = --install ]; then
    # shellcheck disable=SC2046 # words
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq -o Dpkg::Use-Pty=0 $(cat "$dir/packages") >/dev/null
elif ! python3 -c 'import cffi, ensurepip, mesonpy' 2>/dev/null || ! command -v patchelf >/dev/null; then
    echo "skipped: the Python package's build needs $(cat "$dir/packages") (./dev ci-tools brings them)"
    exit 77
fi
mkdir "$dir/source"
(cd "$1" && tar cf - --exclude='./build*' --exclude=./.git .) | tar xf - -C "$dir/source"
cd "$dir/source"
HOME=$dir PIP_NO_INDEX=1 PIP_QUIET=1 sh -e "$dir/commands"
cd "$dir"
grep -x 'Tag: cp311-abi3-linux_x86_64' tacho-python/lib/python3*/site-packages/tacho-*.dist-info/WHEEL
got=$(tacho-python/bin/python -c 'import tacho; print(tacho.predict("imul rax, rbx", "SKL").cycles)')
[ "$got" = 3.0 ] || { echo "predicted $got, not 3.0"; exit 1; }
