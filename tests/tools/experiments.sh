#!/bin/sh
# experiments.sh PROGRAM: bench/experiments counts what agrees by family, the worst first, in figures that are made up.
set -u
TMP=$(mktemp -d) || exit 1
trap 'rm -rf "$TMP"' EXIT
failures=0
fail() {
    echo "failed: $*"
    failures=$((failures + 1))
}

# imul rax, rax: 3 cycles. add rax, rax: 1.
cat >"$TMP/measured.csv" <<'END'
family,asm,hex,mode,cycles,range
right,"imul rax, rax",480fafc0,U,3.00,0.001
right,"imul rax, rax; dec r10; jnz",480fafc049ffca75f7,L,3.00,0.001
near,"add rax, rax",4801c0,U,1.01,0.001
far,"imul rax, rax",480fafc0,U,2.00,0.001
far,"add rax, rax",4801c0,U,1.00,0.001
far,not code,zz,U,1.00,0.001
END
"$1" SKL "$TMP/measured.csv" >"$TMP/out" || fail "status $?"
[ "$(sed -n 2p "$TMP/out" | tr -s ' ')" = 'far 2 25.00 % 50.0 %' ] || fail 'far is not first'
grep -q '^near  *1  *0.99 %' "$TMP/out" || fail 'near'
grep -q '^right  *2  *0.00 %' "$TMP/out" || fail 'right'
grep -q '^SKL: 5 rows, mean error 10.20 %, 1 not predicted$' "$TMP/out" || fail 'the sum'
[ "$(tail -n 1 "$TMP/out")" = 'families 2 of 3 within 2 %, 1 within 0.5 %' ] || fail "$(tail -n 1 "$TMP/out")"
[ "$("$1" --rows far SKL "$TMP/measured.csv" | grep -c '  imul rax, rax$')" = 1 ] || fail '--rows'

"$1" SKL /dev/null 2>"$TMP/why" && fail 'nothing to read is no error'
echo 'family,asm,hex,mode' >"$TMP/short.csv"
"$1" SKL "$TMP/short.csv" 2>"$TMP/why" && fail 'a column that is missing is no error'
grep -q 'no column cycles' "$TMP/why" || fail "$(cat "$TMP/why")"
"$1" SLK "$TMP/measured.csv" 2>"$TMP/why" && fail 'an unknown core is no error'
[ $failures = 0 ] || cat "$TMP/out"
[ $failures = 0 ]
