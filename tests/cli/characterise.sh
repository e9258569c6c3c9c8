#!/bin/sh
# characterise.sh: tacho measure --insn and tacho arch --check, as far as this machine can measure. What is
# wrong with the command line is told on any machine.
set -u
. "$(dirname "$0")/checks.sh"

# STATUS PATTERN COMMAND...: the exit status, and what is said (also on standard error).
expect() {
    status=$1 pattern=$2
    shift 2
    "$@" >"$TMP/out" 2>&1
    is=$?
    [ $is = "$status" ] || fail "'$*' ended with $is, not $status"
    grep -q -e "$pattern" "$TMP/out" || {
        fail "'$*' does not say '$pattern' but:"
        head -5 "$TMP/out" >&2
    }
}

expect 2 'does not go with INPUT' tacho measure --insn 'ADD (R64, R64)' --hex 90
expect 2 'chooses modes, values and limits itself' tacho measure --insn 'ADD (R64, R64)' --mode loop
expect 2 'do not go together' tacho arch --check --list
expect 2 'goes with --check' tacho arch SKL --only imul
expect 2 'goes with --check' tacho arch SKL --quick
expect 2 'none of the forms' tacho arch --check -a SKL --only nonsense
expect 2 'one ARCH at a time' tacho arch --check SKL -a ICX
expect 2 "no microarchitecture nonsense" tacho arch --check -a nonsense
if tacho predict -a native --hex 90 >"$TMP/out" 2>&1; then
    echo "skipped: what is said where there is no table: this machine has one"
else
    expect 1 'there is no table for this machine' tacho arch --check
fi
[ "$failures" = 0 ] || exit 1

tacho measure --hex 90 --quick >"$TMP/out" 2>&1
[ $? = 0 ] || skip "nothing can be measured here: $(head -1 "$TMP/out")"

expect 1 "no instruction form 'NONSENSE'" tacho measure --insn NONSENSE
expect 1 "forms are called 'IMUL'" tacho measure --insn IMUL
expect 3 'is a branch' tacho measure -q --insn 'CALL (Rel32)'
expect 3 'not measured: takes as long as its count says' tacho measure --insn MOVSB_REPE
[ "$failures" = 0 ] || exit 1

# FORM LEAST: a row for the latency from the second operand to the first. Where it was stable it is not less than on any
# core; what it is exactly is the core's affair (what becomes of samples is judged in unit-estimate).
latency() {
    tacho measure --quick --insn "$1" --format csv >"$TMP/csv" 2>"$TMP/err"
    is=$?
    [ $is = 0 ] || [ $is = 3 ] || fail "$1: exit status $is: $(cat "$TMP/err")"
    grep -q '",latency,1,0,register,[a-z-]*,' "$TMP/csv" || fail "$1: no latency: $(cat "$TMP/csv")"
    sed -n 's/.*",latency,1,0,register,ok,\([0-9.]*\),.*/\1/p' "$TMP/csv" |
        awk -v least="$2" '$1 < least { exit 1 }' || fail "$1: less than $2 cycles: $(cat "$TMP/csv")"
    sed -n 's/.*",throughput,,,,ok,\([0-9.]*\),.*/\1/p' "$TMP/csv" |
        awk '$1 <= 0 { exit 1 }' || fail "$1: no throughput: $(cat "$TMP/csv")"
}
latency 'IMUL (R64, R64)' 2.5
latency 'ADD (R64, R64)' 0.8

# What the text has, JSON has.
tacho measure --quick --insn 'ADD (R64, R64)' -a SKL --json >"$TMP/json" 2>/dev/null
for field in '"schema": "tacho-characterisation-1"' '"form": "ADD_01 (R64, R64)"' '"arch": "SKL"' \
    '"arch_is_this_machine"' '"throughput": {' '"table": 0.25' '"source_name": "R64 (2nd)"' '"target_name": "flags"' \
    '"chain": "add r8, r9"' '"divided_by": 2' '"clock"' '"values": null'; do
    grep -q -F -e "$field" "$TMP/json" || fail "JSON lacks $field"
done

# A line a form, and a sum; JSON has the same forms.
tacho arch --check -q -a SKL --only imul,PopCnt >"$TMP/check" 2>"$TMP/err"
is=$?
[ $is = 0 ] || [ $is = 3 ] || fail "arch --check: exit status $is: $(cat "$TMP/err")"
[ "$(grep -c -E '^(IMUL|POPCNT) \(R(64|32), R(64|32)\) +(<= )?[0-9.-]+ +1(.00)? +[0-9]+ +[0-9]+ +[0-9]+ +[0-9]+$' "$TMP/check")" = 3 ] ||
    fail "arch --check lacks forms: $(cat "$TMP/check")"
grep -q -E '^[0-9]+ figures agree with SKL, [0-9]+ are within bounds, [0-9]+ differ; [0-9]+ were not measured. 0 forms of 3 skipped.$' "$TMP/check" ||
    fail "arch --check lacks the sum: $(cat "$TMP/check")"
tacho predict -a native --hex 90 >"$TMP/out" 2>&1 || grep -q 'This machine is not SKL' "$TMP/check" ||
    fail "arch --check does not say that this machine is another one"
tacho arch --check -q -a SKL --only popcnt --json >"$TMP/json" 2>/dev/null
for field in '"schema": "tacho-check-1"' '"arch": "SKL"' '"forms_skipped": 0' '"schema": "tacho-characterisation-1"' \
    '"form": "POPCNT (R64, R64)"'; do
    grep -q -F -e "$field" "$TMP/json" || fail "arch --check: JSON lacks $field"
done
[ "$failures" = 0 ]
