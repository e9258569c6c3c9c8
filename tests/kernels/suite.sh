#!/bin/sh
# suite.sh SOURCE-FOLDER: the suite of kernels keeps to its rules. By each compiler, at each level: no warnings, one region, the
# same checksum whenever called (driver.c) and whoever compiled it, also with restrict; working sets as kernels/README.md says and
# at most 24 KiB; 5,000 to 300,000 instructions (where valgrind is there). polybench.h: a program in that manner.
set -u
here=$1/tests/kernels kernels=$1/kernels
. "$1/tests/cli/checks.sh"

names=$(cd "$kernels" && grep -l 'kernel_start();' *.c | grep -v '^runtime.c$' | sed 's/\.c$//')
compilers=
for compiler in gcc clang; do
    ! command -v $compiler >/dev/null || compilers="$compilers $compiler"
done
if [ -z "$compilers" ]; then
    echo 'skipped: neither gcc nor clang is installed'
    exit 77
fi
first=${compilers# }
first=${first%% *}
vector=
if grep -q ' avx2 ' /proc/cpuinfo && grep -q ' fma ' /proc/cpuinfo; then
    vector='-mavx2 -mfma'
else
    echo 'skipped: -mavx2 -mfma: this processor has no AVX2 and FMA'
fi
$first -O1 -o "$TMP/driver" "$here/driver.c" -lm -ldl || exit 1

# COMPILER FLAGS...: all kernels, into shared objects in $TMP/so; their checksums in $TMP/results.
build_and_run() {
    rm -rf "$TMP/so"
    mkdir "$TMP/so"
    flags="-Wall -Wextra -Werror -fPIC -Dmain=tacho_kernel_main -I$kernels"
    # shellcheck disable=SC2086
    "$@" $flags -c "$kernels/runtime.c" -o "$TMP/so/runtime.o" || fail "$*: runtime.c"
    # shellcheck disable=SC2086
    printf '%s\n' $names | xargs -P 2 -I NAME "$@" $flags -shared -o "$TMP/so/NAME.so" "$kernels/NAME.c" "$TMP/so/runtime.o" -lm ||
        fail "$*: a kernel does not compile"
    (cd "$TMP/so" && "$TMP/driver" ./*.so) >"$TMP/results" || fail "$*: a kernel fails"
}

# Prints what differs between two results: integers in any digit, doubles by 1e-9, floats by 1e-5.
compare() { # REFERENCE RESULTS
    awk -v kernels="$kernels" '
        function type_of(name, line, file, type) {
            file = kernels "/" name ".c"
            type = 0
            while ((getline line < file) > 0) {
                if (line ~ /^ \*/ || line ~ /^\/\*/) continue
                if (line ~ /float/) type = 1e-5
                else if (line ~ /double/ && !type) type = 1e-9
            }
            close(file)
            return type
        }
        function abs(x) { return x < 0 ? -x : x }
        NR == FNR { sum[$1] = $2; values[$1] = $3; next }
        {
            name = substr($1, 3)
            sub(/\.so$/, "", name)
            seen++
            if (!($1 in sum)) print name ": only here"
            else if (values[$1] != $3 || abs(sum[$1] - $2) > type_of(name) * abs(sum[$1]))
                print name ": checksum " $2 " instead of " sum[$1]
        }
        END { for (name in sum) expected++; if (seen != expected) print seen " results instead of " expected }
    ' "$1" "$2"
}

count=$(printf '%s\n' "$names" | wc -l)
[ "$count" -ge 36 ] || fail "only $count kernels"
for compiler in $compilers; do
    for level in -O0 -O2 "-O3 $vector -DKERNEL_RESTRICT=restrict"; do
        # shellcheck disable=SC2086
        build_and_run $compiler $level
        [ -f "$TMP/reference" ] || cp "$TMP/results" "$TMP/reference"
        difference=$(compare "$TMP/reference" "$TMP/results")
        [ -z "$difference" ] || fail "$compiler $level: $difference"
        [ "$compiler $level" != "$first -O2" ] || mv "$TMP/so" "$TMP/counted"
    done
done
[ "$(wc -l <"$TMP/reference")" = "$count" ] || fail "results of $(wc -l <"$TMP/reference") kernels, not $count"

# The table: exactly these kernels, with the working sets that they ask for.
sed -n 's/^| `\([a-z0-9_]*\)` | .* | \([0-9]*\) | [0-9]* | [^|]* |$/\1 \2/p' "$kernels/README.md" | sort >"$TMP/stated"
sed 's/^\.\///; s/\.so / /' "$TMP/reference" | awk '{ print $1, $4 }' | sort >"$TMP/real"
diff "$TMP/stated" "$TMP/real" >"$TMP/diff" || fail "kernels/README.md (<) states other working sets than there are (>): $(cat "$TMP/diff")"
large=$(awk '$2 > 24 * 1024' "$TMP/real")
[ -z "$large" ] || fail "more than 24 KiB: $large"

# Memory that is laid out as promised; a program in the manner of PolyBench, its arrays in the checksum.
for compiler in $compilers; do
    $compiler -O2 -Wall -Wextra -Werror -fPIC -shared -Dmain=tacho_kernel_main -o "$TMP/arrays.so" "$here/arrays.c" "$kernels/runtime.c" &&
        "$TMP/driver" "$TMP/arrays.so" >/dev/null || fail "$compiler: arrays do not lie as kernel.h says"
    for flags in -DMINI_DATASET '-DMINI_DATASET -DPOLYBENCH_USE_C99_PROTO -DPOLYBENCH_USE_SCALAR_LB -DPOLYBENCH_USE_RESTRICT' \
        '-DMINI_DATASET -DDATA_TYPE_IS_FLOAT' '-DSMALL_DATASET' '-DMINI_DATASET -DPOLYBENCH_PADDING_FACTOR=3'; do
        # shellcheck disable=SC2086
        $compiler -O3 $vector $flags -fPIC -shared -Dmain=tacho_kernel_main -I"$kernels" -o "$TMP/smooth.so" \
            "$here/polybench/smooth.c" "$kernels/runtime.c" -lm || fail "$compiler $flags: smooth.c does not compile"
        got=$("$TMP/driver" "$TMP/smooth.so" | sed 's/.*smooth.so //')
        # a checksum's five digits, values, bytes
        case $flags in
        *PADDING*) expected='9614.4 3749 29992' ;;
        *FLOAT*) expected='9421.3 1460 5840' ;;
        *SMALL*) expected='39151.6 5800 46400' ;;
        *) expected='9421.3 1460 11680' ;;
        esac
        [ "$(echo "$got" | awk '{ printf "%.1f %d %d", $1, $2, $3 }')" = "$expected" ] ||
            fail "$compiler $flags: smooth.c gives $got, not $expected"
    done
done

# A program of its own, without a loader.
$first -O2 -I"$kernels" -o "$TMP/alone" "$kernels/crc.c" "$kernels/runtime.c" -lm && "$TMP/alone" >"$TMP/out"
grep -q '^checksum [0-9]* of 1 values; 9028 bytes in 3 arrays$' "$TMP/out" || fail "crc.c alone: $(cat "$TMP/out")"

if command -v valgrind >/dev/null && echo '#include <valgrind/callgrind.h>' | $first -E - >/dev/null 2>&1; then
    (cd "$TMP/counted" && valgrind --tool=callgrind --collect-atstart=no --callgrind-out-file=counts \
        "$TMP/driver" --count ./*.so) >/dev/null 2>"$TMP/err" || fail "valgrind: $(tail -3 "$TMP/err")"
    for dump in "$TMP"/counted/counts.*; do
        sed -n 's/^desc: Trigger: Client Request: \.\/\(.*\)\.so$/\1/p; s/^totals: //p' "$dump" | paste -s -d ' ' -
    done >"$TMP/counts"
    [ "$(grep -c '^[a-z0-9_]* [0-9]*$' "$TMP/counts")" = "$count" ] || fail "counts of fewer than $count kernels"
    outside=$(awk '$2 < 5000 || $2 > 300000' "$TMP/counts")
    [ -z "$outside" ] || fail "not 5,000 to 300,000 instructions at -O2: $outside"
else
    echo 'skipped: counts of instructions: valgrind is not installed'
fi

[ "$failures" = 0 ]
