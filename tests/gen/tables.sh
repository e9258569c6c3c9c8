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
# Where a form's figures stand: in a file of the core itself, or of the one that it has them from.
row() {
    "$generator" --row "$1" "$2" toy 2>&1
}
for place in "TOY|SHL (R32, CL)|toy/arch/TOY/insns.txt:10" "TOY2|SHL (R32, CL)|toy/arch/TOY2/insns.txt:4" \
    "TOY2|PUSH (R64)|toy/arch/TOY/insns.txt:9 (inherited)" "TOY3|LEA_B_I_D8 (R64)|toy/arch/TOY2/insns.txt:5 (inherited)" \
    "TOY|ADD (R64)|TOY has no figures of 'ADD (R64)'; tacho insn finds the names of forms" 'TOY9|XLAT|there is no core TOY9' 'toy|XLAT|toy/arch/TOY/insns.txt:12'; do
    core=${place%%|*} rest=${place#*|}
    said=$(row "$core" "${rest%|*}") || true
    [ "$said" = "${rest#*|}" ] || { echo "--row $core '${rest%|*}' said: $said" >&2; exit 1; }
done
