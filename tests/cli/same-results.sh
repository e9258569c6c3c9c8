#!/bin/sh
# The same result for the same input: in every run, with any number of threads, and whatever blocks came before (a
# predictor keeps what it has learnt of instructions).
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

for arch in SKL ICX; do
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
