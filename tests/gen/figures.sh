#!/bin/sh
# figures.sh MEASURER DATA_DIR - what tacho-measure-figures refuses, and what it does with the file that it
# adds to; nothing is measured here.
set -eu
measurer=$1 blocking=$2/arch/ZEN5/blocking.txt
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# complains STATUS MESSAGE ARGUMENT ... - with no forms
complains() {
    expected=$1 message=$2 status=0
    shift 2
    "$measurer" "$@" < /dev/null > "$work/out" 2> "$work/err" || status=$?
    if [ "$status" != "$expected" ] || ! grep -qF -- "$message" "$work/err"; then
        echo "$*: status $status, not $expected with '$message':" >&2
        cat "$work/err" >&2
        exit 1
    fi
}

"$measurer" --help | grep -q '^usage: tacho-measure-figures'
complains 2 'unknown option --slow' --slow
complains 2 '--cpu needs the number of a CPU' --cpu one a b
complains 2 'BLOCKING and OUT are needed' "$blocking"
complains 1 'No such file' "$work/none.txt" "$work/out.tsv"
printf '012345\tadd\n' > "$work/blocking.txt"
complains 1 'blocking.txt:1: not a set, a number and an instruction' "$work/blocking.txt" "$work/out.tsv"
printf '# head\n012345\tsix\tadd rax, rbx\n' > "$work/blocking.txt"
complains 1 'blocking.txt:2: the number a cycle' "$work/blocking.txt" "$work/out.tsv"

# A new file gets the head; an interrupted last line is cut off; other columns are refused.
"$measurer" "$blocking" "$work/out.tsv" < /dev/null
cp "$work/out.tsv" "$work/head.tsv"
printf 'ADD_01 (R64, R64)\t0.19' >> "$work/out.tsv"
"$measurer" "$blocking" "$work/out.tsv" < /dev/null
cmp "$work/head.tsv" "$work/out.tsv"
printf 'NOP\t# why\n' >> "$work/out.tsv"
echo NOP | "$measurer" "$blocking" "$work/out.tsv"
printf '# form\tcycles\n' > "$work/other.tsv"
complains 1 'other.tsv:1: its columns are not those of the sets' "$blocking" "$work/other.tsv"
if echo 'FOO (R1)' | "$measurer" "$blocking" "$work/out.tsv" 2> "$work/err"; then
    echo "an unknown form was accepted" >&2
    exit 1
fi
grep -q 'FORMS:1: FOO (R1)' "$work/err"
