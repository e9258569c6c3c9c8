#!/bin/sh
# measured.sh IMPORTER DIR - the toy measurements give the committed rows, each bad file its committed complaint.
# --update rewrites both.
set -eu
importer=$(realpath "$1") here=$2/measured update=${3:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$here"
"$importer" toy.tsv > "$work/toy.txt" 2> "$work/toy.err"
for file in bad/*.tsv; do
    if "$importer" "$file" > "$work/bad.out" 2>> "$work/bad.err"; then
        echo "$file was accepted" >&2
        exit 1
    fi
    if [ -s "$work/bad.out" ]; then
        echo "something was written for $file" >&2
        exit 1
    fi
done
if [ "$update" = --update ]; then
    cp "$work/toy.txt" toy.expected.txt
    cp "$work/toy.err" toy.expected.err
    cp "$work/bad.err" bad.expected.txt
fi
diff -u toy.expected.txt "$work/toy.txt"
diff -u toy.expected.err "$work/toy.err"
diff -u bad.expected.txt "$work/bad.err"
