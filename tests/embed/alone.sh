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
