#!/bin/sh
# build_suite.sh SCRIPT: examples/suite/build-suite with the one application that is everywhere: its suite, its table, and that
# what is done is not done again.
set -u
script=$1
command -v valgrind >/dev/null || {
    echo 'skipped: valgrind is not installed, and without it this takes minutes'
    exit 77
}
TMP=$(mktemp -d) || exit 1
trap 'rm -rf "$TMP"' EXIT
fail() {
    printf 'failed: %s\n' "$*"
    cat "$TMP/out" "$TMP/err"
    exit 1
}
tacho extract -q --via valgrind -o "$TMP/true.csv" -- true 2>"$TMP/err" || {
    printf 'skipped: nothing can be run under valgrind here: '
    cat "$TMP/err"
    exit 77
}
"$script" --dir "$TMP/suite" --via valgrind gzip >"$TMP/out" 2>"$TMP/err" || fail "status $?"
grep -q '^| gzip | compression | [0-9]\{4,\} | [0-9]\{4,\} | [0-9]\{8,\} |$' "$TMP/out" || fail 'no such row in the table'
rows=$(wc -l <"$TMP/suite/suite.csv")
[ "$rows" -gt 1000 ] || fail "$rows rows"
[ "$(tail -n +2 "$TMP/suite/suite.csv" | cut -d, -f1 | sort -u | wc -l)" = $((rows - 1)) ] || fail 'a block stands twice'
rm "$TMP/suite/gzip.csv" "$TMP/suite/gzip/decompress.csv"
"$script" --dir "$TMP/suite" --via valgrind gzip >"$TMP/out" 2>"$TMP/err" || fail "again: status $?"
grep -q decompress "$TMP/err" || fail 'what is missing is not made again'
grep -q compress6 "$TMP/err" && fail 'what is there is made again'
[ "$(wc -l <"$TMP/suite/suite.csv")" = "$rows" ] || fail 'another suite the second time'
"$script" --dir "$TMP/suite" nothing >"$TMP/out" 2>"$TMP/err" && fail 'an application that does not exist'
grep -q "no application 'nothing'" "$TMP/err" || fail 'no message'
exit 0
