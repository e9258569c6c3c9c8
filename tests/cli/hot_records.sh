#!/bin/sh
# hot_records.sh: tacho hot --opt-records: what gcc and clang said of the loop that takes the time, of what they have
# just compiled; records that cannot be read.
set -u
. "$(dirname "$0")/checks.sh"
cd "$TMP" || exit 1

cat >loops.c <<'C'
#include <stdio.h>
static double values[1000];
double chain(const double *v, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s = s * v[i] + 1;
    return s;
}
int main(void)
{
    double *volatile where = values;
    volatile int n = 1000;
    double s = 0;
    for (int i = 0; i < 60000; i++)
        where[i % n] = s += chain(where, n);
    printf("%g\n", s);
}
C

# Records are looked at before anything is run.
refused() { # WORDS FILE...
    words=$1
    shift
    tacho hot --opt-records "$@" -- touch was_run >out 2>&1
    got=$?
    [ $got -eq 1 ] && grep -q -- "$words" out && [ ! -e was_run ] || fail "status $got, wanted 1 with '$words': $(cat out)"
}
refused 'No such file' nothing
refused 'no remarks of clang or gcc' loops.c
mkdir empty && refused 'fsave-optimization-record' empty
printf '[{}, [], 3]' >x.opt-record.json && refused 'no record of gcc' .
tacho hot --diff --opt-records . -- true -- true >out 2>&1
[ $? -eq 2 ] && grep -q 'does not go with --diff' out || fail "--diff: $(cat out)"
rm x.opt-record.json

message=$(tacho hot -q --json -- true 2>&1) || printf '%s' "$message" | grep -q '"tacho-hot-1"' || skip "nothing can be sampled here: $message"
need jq jq

# hot's words on the loop of line 6 are the compiler's.
told() { # COMPILER RECORDS PROGRAM
    tacho hot -q --windows 0 --json --opt-records "$2" -- "$3" >json 2>err || fail "$1: $(cat err)"
    jq -e '[.places[].remarks[] | select(.about == "vectorisation" and
        .kind == "missed" and .line == 6 and .file == "loops.c")] | length > 0' json >/dev/null ||
        fail "$1: $(jq -c '[.places[] | [.prediction.function, .remarks]]' json)"
    tacho hot -q --windows 0 --opt-records "$2" -- "$3" 2>err | grep -A 1 'What the compiler said' | grep -q 'loops.c:6: missed: ' ||
        fail "$1: text: $(cat err)"
}
tried=
if command -v gcc >/dev/null && gcc -O3 -g -fsave-optimization-record -c loops.c -o gcc.o -fopt-info-optimized-missed=info.txt 2>err &&
    gcc gcc.o -o gcc.out; then
    tried=1
    mkdir records && mv ./*.json.gz records
    printf 'int i;\n' >none.c && gcc -c none.c
    tacho hot -q --windows 0 --opt-records records -- true >out 2>&1
    grep -q 'without zlib' out && printf 'skipped: records of gcc: built without zlib\n' || told gcc records ./gcc.out
    told 'gcc -fopt-info' info.txt ./gcc.out
fi
if command -v clang >/dev/null && clang -O2 -g -fsave-optimization-record -c loops.c -o clang.o 2>err && clang clang.o -o clang.out; then
    tried=1
    tacho hot -q --windows 0 --opt-records clang.opt.yaml -- true >out 2>&1
    grep -q 'without libyaml' out && printf 'skipped: records of clang: built without libyaml\n' || told clang clang.opt.yaml ./clang.out
    # Of what was compiled without -g no line is known.
    strip -g clang.out && tacho hot --windows 0 --opt-records clang.opt.yaml -- ./clang.out >out 2>&1
    grep -q 'is on a hot place' out || grep -q 'without libyaml' out || fail "without lines: $(cat out)"
fi
[ -n "$tried" ] || skip "neither gcc nor clang writes optimisation records here"
[ "$failures" = 0 ]
