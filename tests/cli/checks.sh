# checks.sh: read by tests that are scripts: a directory of their own, which holds all temporary files and is gone at
# the end, and counted failures. A test ends with: [ "$failures" = 0 ]
TMP=$(mktemp -d) || exit 1
trap 'rm -rf "$TMP"' EXIT
TMPDIR=$TMP
export TMPDIR
failures=0

fail() {
    printf 'failed: %s\n' "$*"
    failures=$((failures + 1))
}

# skip WHY: ends a test that cannot be done here. What has failed until then counts all the same.
skip() {
    [ "$failures" = 0 ] || exit 1
    printf 'skipped: %s\n' "$*"
    exit 77
}

# need PROGRAM PACKAGE: ends a test that cannot be done without
need() {
    command -v "$1" >/dev/null || skip "$1 is not installed (Debian: apt-get install $2; ./dev ci-tools brings it)"
}

need_tracing() {
    message=$(tacho extract -q --via ptrace -o "$TMP/true.csv" -- true 2>&1) || skip "nothing can be traced here: $message"
}

# Where programs can be run at the same addresses each time, without being moved.
can_fix_addresses() {
    message=$(tacho compare -q --no-aslr --runs 12 -- true -- true 2>&1 >"$TMP/true.txt")
}

# Where a program's memory can be laid out as is asked for.
need_layouts() {
    need_tracing
    message=$(tacho bias -q --metric cpu --factors stack --step 2048 --passes 2 -- true 2>&1 >"$TMP/true.txt") ||
        skip "$message"
}

# status EXPECTED WORDS COMMAND...: exit status, and words that standard error must have
status() {
    expected=$1 words=$2
    shift 2
    "$@" >"$TMP/out.txt" 2>"$TMP/err.txt"
    got=$?
    [ "$got" = "$expected" ] || fail "$*: status $got, not $expected: $(cat "$TMP/err.txt")"
    [ -z "$words" ] || grep -qF -- "$words" "$TMP/err.txt" ||
        fail "$*: standard error lacks '$words': $(cat "$TMP/err.txt")"
}

# has WORDS...: what the last command that `status` ran has printed
has() {
    for words in "$@"; do
        grep -qF -- "$words" "$TMP/out.txt" || fail "the output lacks '$words': $(cat "$TMP/out.txt")"
    done
}

# check STATUS WORDS COMMAND...: its exit status, and words on standard error or output
check() {
    want=$1 words=$2
    shift 2
    "$@" >out 2>&1
    got=$?
    [ $got -eq "$want" ] && grep -q -- "$words" out || {
        fail "status $got, wanted $want with '$words': $*"
        cat out
    }
}
