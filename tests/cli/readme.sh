#!/bin/sh
# readme.sh RUNNER ROOT FILE...: everything in these documents works. What they show (```console) is what comes out; what
# they only give (```sh) is run, each line, in a folder of its own; where links lead, there is something. A README is a page.
# Where this machine cannot measure or sample, the lines that need it are named and left out.
set -u
runner=$(realpath "$1")
root=$(cd "$2" && pwd)
shift 2
failures=0
fail() {
    echo "failed: $*"
    failures=$((failures + 1))
}

for file; do
    case $file in
    README.md)
        [ "$(wc -l <"$root/$file")" -le 150 ] || fail "more than 150 lines"
        long=$(LC_ALL=C.UTF-8 grep -nE '^.{101,}' "$root/$file") && fail "more than 100 columns: $long" # others: tests/docs.py
        ;;
    esac
    for target in $(grep -oE '\]\([^)#]+' "$root/$file" | sed 's,^](,,' | grep -v :); do
        [ -e "$root/$(dirname "$file")/$target" ] || fail "$file: a link leads to $target, which is not there"
    done
    (cd "$root" && sh "$runner" "$file") || fail "what $file shows is not what comes out"
done

TMP=$(mktemp -d) || exit 1
trap 'rm -rf "$TMP"' EXIT
ln -s "$root/examples" "$TMP/examples"
(cd "$root" && awk '/^```sh$/ { in_it = 1; next } /^```/ { in_it = 0 } in_it' "$@") >"$TMP/lines"
cd "$TMP" || exit 1

can_measure=yes can_sample=yes can_place=yes
tacho measure -q --hex 90 >/dev/null 2>"$TMP/why" || can_measure=
tacho hot --command-output null -- gzip -9 -c "$(command -v tacho)" >/dev/null 2>>"$TMP/why" || can_sample=
tacho compare --layout 6 --max-time 1 -- true -- true >/dev/null 2>>"$TMP/why" # a container may refuse ptrace, or fixed addresses
[ $? != 1 ] || can_place=
[ "$can_measure$can_sample$can_place" = yesyesyes ] || echo "not run here in part: $(grep -a -m 1 '^tacho: ' "$TMP/why")"

[ -s lines ] || fail "no lines to run"
while IFS= read -r line; do
    case $line in
    'tacho measure --batch'*) [ "$can_measure" ] || break ;; # the next line needs its result
    'tacho measure'* | 'tacho compare'* | 'tacho bias'*) [ "$can_measure" ] || continue ;;
    'tacho hot'*) [ "$can_sample" ] || continue ;;
    esac
    case $line in
    'tacho bias'* | 'tacho compare --layout'*) [ "$can_place" ] || continue ;;
    *'| jq '*) command -v jq >/dev/null || continue ;;
    esac
    sh -c "$line" >out 2>&1 </dev/null
    status=$?
    case "$status $line" in
    '0 '*) ;;
    '1 tacho doctor'*) ;;                         # this machine is not fit, and it says so
    '3 tacho bias'* | '3 tacho compare'*) ;; # --max-time was too little for all on a machine that is slow, or busy
    '3 tacho measure --batch'* | '3 tacho predict --batch'*) ;; # some blocks cannot be
    '1 tacho eval '*) # all that was measured is unstable, on a machine that is busy
        grep -q 'no row is left.*status unstable' out || fail "status 1: $line: $(head -n 3 out)"
        ;;
    '3 tacho measure --insn'*) ;; # some figures cannot be, on a machine that is busy
    *) fail "status $status: $line: $(head -n 3 out)" ;;
    esac
    [ -s out ] || case $line in *' -o '* | *' >big.txt '*) ;; *) fail "nothing printed: $line" ;; esac
done <lines
[ $failures = 0 ]
