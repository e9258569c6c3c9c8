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
