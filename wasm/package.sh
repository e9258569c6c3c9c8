# package.sh SOURCES DIRECTORY STAMP FILE...: the npm package as a directory, with the notices of what is compiled into it.
set -eu
sources=$1 to=$2 stamp=$3
shift 3
rm -rf "$to"
mkdir -p "$to"
cp "$@" "$to"
docs=/usr/share/doc
for of in Zydis:"$sources/zydis/LICENSE" Zycore:"$docs"/libzycore-dev/copyright Jansson:"$sources/jansson/LICENSE" \
    wasi-libc:"$docs"/wasi-libc/copyright; do
    [ ! -e "${of#*:}" ] || printf '==== %s ====\n\n%s\n\n' "${of%%:*}" "$(cat "${of#*:}")"
done >"$to/NOTICES.txt"
ls "$to" >"$stamp"
