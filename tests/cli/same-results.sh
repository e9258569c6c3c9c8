#!/bin/sh
# The same result for the same input: in every run, with any number of threads, and whatever blocks came before (a
# predictor keeps what it has learnt of instructions); in a batch as in a report of its own.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
status=0

# 400 generated blocks, in this order and in the opposite one.
awk '!/^#/ && NF { print $1 }' tests/golden/blocks.txt >"$dir/blocks"
awk '{ line[NR] = $0 } END { while (NR) print line[NR--] }' "$dir/blocks" >"$dir/backwards"
[ "$(grep -c . "$dir/blocks")" -ge 300 ] || { echo 'too few blocks'; exit 1; }

# NAME FILE OPTIONS...
predict() {
    name=$1 file=$2
    shift 2
    tacho predict --batch "$dir/$file" --ignore-isa "$@" 2>"$dir/notes" >"$dir/$name"
}

# Stores to neighbouring words: in a batch they were one instruction to Zen 5's memory renaming, but not in a report.
printf '%s\n' 83431c1083431801 480343584889435848894348 48836d988048836d9080443b4d88 >"$dir/few"
awk 'NR % 20 == 0' "$dir/blocks" >>"$dir/few"
for arch in SKL ICX ZEN5; do
    predict batch few -a $arch --jobs 1
    while read -r hex; do
        tacho predict --hex "$hex" -a $arch --ignore-isa --format csv 2>>"$dir/notes" | sed -n 2p | cut -d, -f1-6
    done <"$dir/few" >"$dir/alone"
    sed 1d "$dir/batch" | cut -d, -f1-6 | cmp -s - "$dir/alone" && continue
    echo "$arch: a batch differs from the blocks alone:"
    sed 1d "$dir/batch" | cut -d, -f1-6 | diff - "$dir/alone" | head -n 4
    status=1
done

for arch in SKL ICX ZEN5; do
    for how in '' --bounds-only; do
        for mode in unroll loop; do
            predict one blocks -a $arch --mode $mode $how --jobs 1
            predict two blocks -a $arch --mode $mode $how --jobs 2
            predict again blocks -a $arch --mode $mode $how --jobs 3
            predict turned backwards -a $arch --mode $mode $how --jobs 1
            { head -n 1 "$dir/turned"; sed 1d "$dir/turned" | awk '{ line[NR] = $0 } END { while (NR) print line[NR--] }'; } >"$dir/back"
            for other in two again back; do
                cmp -s "$dir/one" "$dir/$other" && continue
                echo "$arch $mode $how: '$other' differs from one thread's results:"
                diff "$dir/one" "$dir/$other" | head -n 4
                status=1
            done
        done
    done
done
exit $status
