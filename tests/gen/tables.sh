#!/bin/sh
# tables.sh GENERATOR DIR - the toy tables give the committed output, the bad ones the committed complaints.
# --update rewrites both. The keys in the expected output hold Zydis 4.0's mnemonic numbers.
set -eu
generator=$(realpath "$1") here=$2 update=${3:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$here"
"$generator" --no-mnemonics toy "$work/toy.c" > "$work/toy.out"
if "$generator" --no-mnemonics bad "$work/bad.c" 2> "$work/bad.err"; then
    echo "the bad tables were accepted" >&2
    exit 1
fi
if [ -e "$work/bad.c" ]; then
    echo "something was written for the bad tables" >&2
    exit 1
fi
if [ "$update" = --update ]; then
    cp "$work/toy.c" toy.expected.c
    cp "$work/toy.out" toy.expected.txt
    cp "$work/bad.err" bad.expected.txt
fi
diff -u toy.expected.c "$work/toy.c"
diff -u toy.expected.txt "$work/toy.out"
diff -u bad.expected.txt "$work/bad.err"
