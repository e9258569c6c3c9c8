#!/bin/sh
# instlat.sh PROGRAM: bench/instlat finds what agrees, what does not, and what is no form, in figures that are made up.
set -u
TMP=$(mktemp -d) || exit 1
trap 'rm -rf "$TMP"' EXIT
failures=0
fail() {
    echo "failed: $*"
    failures=$((failures + 1))
}

cat >"$TMP/figures.csv" <<'END'
form,latency,throughput,file,instlat_name
"IMUL (R64, R64)",2.98,0.999,made-up,"IMUL r64, r64"
"ADD (R64, R64)",1.00,0.25,made-up,"ADD r64, r64"
"MOV (R64, M64)",3.98,0.5,made-up,"MOV r64, [m64]"
"PXOR (XMM, XMM)",0.25,0.25,made-up,"PXOR xmm, xmm"
"PXOR (XMM, XMM)",1.00,0.33,made-up,"PXOR xmm1, xmm2"
"ADDPS (XMM, XMM)",2.00,0.5,made-up,"ADDPS xmm, xmm"
"ANDPS (XMM, XMM)",,0.1,made-up,"ANDPS xmm, xmm"
MOV+ADD,1,1,made-up,"MOV+ADD r64, r64"
END
"$1" SKL "$TMP/figures.csv" >"$TMP/out" || fail "status $?"
grep -q '^ADDPS (XMM, XMM)  *latency  *2.00  *4.00  *2.00  the table has it so$' "$TMP/out" || fail 'ADDPS: 2 for 4'
grep -q '^ANDPS (XMM, XMM)  *throughput  *0.10  *0.33 ' "$TMP/out" || fail 'ANDPS: 0.1 for 0.33'
[ "$(sed -n 2p "$TMP/out" | cut -d' ' -f1)" = ANDPS ] || fail 'the worst is not first'
grep -q '^1 rows are no single form, 0 forms have no timing on SKL$' "$TMP/out" || fail 'what is no form'
[ "$(tail -n 1 "$TMP/out")" = 'latency 5 of 6 agree, throughput 6 of 7 agree' ] || fail "$(tail -n 1 "$TMP/out")"

"$1" SKL /dev/null 2>"$TMP/why" && fail 'nothing to read is no error'
echo 'form,latency' >"$TMP/short.csv"
"$1" SKL "$TMP/short.csv" 2>"$TMP/why" && fail 'a column that is missing is no error'
grep -q 'no column throughput' "$TMP/why" || fail "$(cat "$TMP/why")"
"$1" SLK "$TMP/figures.csv" 2>"$TMP/why" && fail 'an unknown core is no error'
[ $failures = 0 ] || cat "$TMP/out"
[ $failures = 0 ]
