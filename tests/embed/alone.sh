#!/bin/sh
# alone.sh SOURCES COMPILER: libtacho is built without the tools, in a folder of its own, and passes its test.
set -eu
TMP=$(mktemp -d)
trap 'rm -rf "$TMP"' EXIT
CC=$2 meson setup "$TMP/build" "$1" -Dtools=disabled --werror >"$TMP/log" || {
    cat "$TMP/log"
    exit 1
}
ninja -C "$TMP/build" >"$TMP/log" || {
    cat "$TMP/log"
    exit 1
}
meson test -C "$TMP/build" --no-rebuild --print-errorlogs
[ ! -e "$TMP/build/tacho" ] || { echo 'failed: the program was built, too'; exit 1; }

# What is installed can be included: no header needs one of the tools, which are not there.
DESTDIR="$TMP/root" meson install -C "$TMP/build" --no-rebuild >"$TMP/log"
include=$(dirname "$(dirname "$(find "$TMP/root" -name tacho.h)")")
[ ! -e "$include/tacho/tools.h" ] || { echo 'failed: headers of the tools are installed, too'; exit 1; }
echo '#include <tacho/tacho.h>' | $2 -I "$include" -fsyntax-only -x c - || { echo 'failed: tacho.h lacks a header'; exit 1; }
