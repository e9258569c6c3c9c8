#!/bin/sh
# signals.sh: the rule of doc/RUNNING.md for commands that run no command of the user's: after the first signal what is
# finished is written, status 3, and a note; --resume then gives the rows of a run that nothing has ended. Commands that
# run one: running.sh; kernels: kernels.sh.
set -u
. "$(dirname "$0")/checks.sh"
cd "$TMP" || exit 1

# until COMMAND...: waits until it is true, 20 seconds at most
until_true() {
    tries=1000
    while ! "$@" && [ $tries -gt 0 ]; do
        sleep 0.02
        tries=$((tries - 1))
    done
}
has_lines() { # FILE COUNT
    [ "$(cat "$1" 2>/dev/null | wc -l)" -ge "$2" ]
}

# ended EXPECTED WORDS: the process $process, in the background, and what it has written to err.txt
ended() {
    wait $process
    got=$?
    [ $got = "$1" ] || fail "$case: status $got, not $1: $(cat err.txt)"
    grep -q "$2" err.txt || fail "$case: standard error lacks '$2': $(cat err.txt)"
}

has_come_further() { # FILE COUNT: or is done
    has_lines "$1" "$2" || ! grep -q '^State:.[^Z]' /proc/$process/status 2>/dev/null
}

mkfifo rows
for signal in INT TERM HUP; do
    # ---- predict --batch, suite loops --batch: the first rows; one that waits for input wakes up ----
    for command in 'predict --batch rows -a SKL -j 1' 'predict --batch rows -a SKL,ICX -j 3' 'suite loops --batch rows'; do
        case="$command, SIG$signal"
        rm -f out.csv
        # shellcheck disable=SC2086
        env --default-signal=INT,TERM,HUP tacho $command -o out.csv 2>err.txt &
        process=$!
        exec 9>rows
        printf 'hex\n90\n4801d8\n' >&9
        until_true has_lines out.csv 3
        kill -$signal $process
        ended 3 'ended by signal .*: out.csv has the results of 2 rows'
        exec 9>&-
        [ "$(cut -d, -f1 out.csv | uniq | xargs)" = 'hex 90 4801d8' ] || fail "$case: $(cat out.csv)"
    done
done

# ---- in the middle of its work it ends at once, with whole rows ----
awk 'BEGIN { for (i = 0; i < 200000; i++) printf "4801d8480fafc34805%04x0000\n", i * 7919 % 65536 }' >many.csv
case='predict --batch, many rows'
rm -f out.csv
tacho predict --batch many.csv -a all -j 2 -o out.csv 2>err.txt &
process=$!
until_true has_lines out.csv 3
kill -TERM $process
ended 3 'ended by signal 15'
[ "$(tail -c 1 out.csv | wc -l)" = 1 ] || fail "$case: half a row"
rows=$(sed -n 's/.*out.csv has the results of \([0-9]*\) rows/\1/p' err.txt)
tail -n +2 out.csv | cut -d, -f1 | uniq | head -n 1000 >got.txt
head -n "${rows:-0}" many.csv | uniq | head -n 1000 | cmp -s - got.txt || fail "$case: other rows than the first $rows"

# ---- suites ----
case='suite loops into a pipe that nobody reads'
mkfifo unread
(exec tacho suite loops many.csv >unread) 2>err.txt &
process=$!
exec 8<unread
sleep 1
kill -TERM $process
wait $process
got=$?
[ $got = 143 ] || fail "$case: status $got: $(cat err.txt)"
exec 8<&-

# ---- eval: what was predicted is saved; figures are of all blocks ----
export TMP
cat >slow-tool <<'S'
#!/bin/sh
: >"$TMP/begun"
case $* in
*4801d8*) sleep 1000 ;;
esac
echo 1
S
chmod +x slow-tool
cat >slow.json <<'S'
{"command": ["./slow-tool", "{hex}"], "input": "hex", "stdin": true, "pattern": "([0-9]+)"}
S
printf 'hex,cycles\n90,1\n4801d8,1\n' >measured.csv
if tacho eval --measured measured.csv --model ./slow.json --timeout 0.3 -a SKL >out.txt 2>err.txt; then
    for save in '' '--save saved.csv'; do
        case="eval $save"
        rm -f begun saved.csv
        # shellcheck disable=SC2086
        tacho eval --measured measured.csv --model baseline --model ./slow.json --timeout 600 -a SKL $save >out.txt 2>err.txt &
        process=$!
        until_true test -e begun
        sleep 0.2
        kill -TERM $process
        if [ -z "$save" ]; then
            ended 1 'ended by signal 15 .*: there are no figures'
        else
            ended 3 'ended by signal 15 .*: saved.csv has the predictions so far'
            [ "$(grep -c ',baseline,' saved.csv)" = 2 ] || fail "$case: $(cat saved.csv)"
            grep -q '4801d8,[^b]' saved.csv && fail "$case: a block that was not predicted: $(cat saved.csv)"
        fi
        [ ! -s out.txt ] || fail "$case: figures: $(cat out.txt)"
    done
    [ -z "$(ls -d tacho-* 2>/dev/null)" ] || fail "eval: temporary files are left: $(ls -d tacho-*)"
else
    fail "eval with a description of a tool: $(cat err.txt)"
fi

# ---- extract FILE...: the files that were looked at ----
case='extract many files'
cp "$(command -v cat)" program
i=0 files=
while [ $i -lt 2000 ]; do
    i=$((i + 1)) files="$files program"
done
# shellcheck disable=SC2086
tacho extract -o blocks.csv $files 2>err.txt &
process=$!
sleep 0.3
kill -TERM $process
wait $process
got=$?
case $got in
3)
    grep -q 'ended by signal 15 .*: [0-9]* of 2000 files were looked at' err.txt || fail "$case: $(cat err.txt)"
    has_lines blocks.csv 2 || fail "$case: no blocks"
    ;;
0 | 143) ;; # it was done, or had not begun to listen
*) fail "$case: status $got: $(cat err.txt)" ;;
esac

# ---- measure --batch: killed again and again, and gone on with, it is the run that nothing has ended ----
if ! message=$(tacho measure -q --quick --hex 90 2>&1); then
    printf 'skipped: measure: %s\n' "$message"
    [ "$failures" = 0 ]
    exit
fi
# Blocks that differ, some twice, some that are none; the slow ones among them finish behind those that follow.
awk 'BEGIN { print "hex"; for (i = 0; i < 150; i++) {
    if (i % 10 == 3) print "zz" i; else if (i % 10 == 7) print "9090"
    else { s = "4801d8"; for (k = i; k > 0; k = int(k / 2)) s = s (k % 2 ? "480fafc3" : "4801c1"); print s } } }' >in.csv
tail -n +2 in.csv >wanted.txt
tacho measure -q --quick --batch in.csv -o whole.csv 2>/dev/null
cut -d, -f1 whole.csv | tail -n +2 | cmp -s - wanted.txt || fail 'a run that nothing ends has other rows'
rm -f m.csv
again=0 lost=
for signal in INT TERM KILL HUP; do
    case="measure --resume, SIG$signal"
    before=$(cat m.csv 2>/dev/null | wc -l)
    env --default-signal=INT,TERM,HUP tacho measure -q --quick --batch in.csv -o m.csv --resume 2>err.txt &
    process=$!
    until_true has_come_further m.csv $((before < 2 ? 8 : before + 3))
    sleep 0.$((again * 37 % 9))
    kill -$signal $process 2>/dev/null
    wait $process
    got=$?
    again=$((again + 1))
    [ $signal != KILL ] || continue
    if [ $got = 3 ] && grep -q 'ended by signal' err.txt; then
        grep -q "ended by signal .*: m.csv has $(($(wc -l <m.csv) - 1)) rows; --resume goes on" err.txt || fail "$case: $(cat err.txt)"
    elif [ "$(wc -l <m.csv)" != 151 ]; then
        fail "$case: status $got: $(cat err.txt)"
    fi
    # Rows of the input, in its order, each line whole; a row that is there stays.
    tail -n +2 m.csv | cut -d, -f1 >got.txt
    awk 'NR == FNR { want[FNR] = $0; n = FNR; next } { do at++; while (at <= n && want[at] != $0); if (at > n) exit 1 }' wanted.txt got.txt ||
        fail "$case: not rows of the input, in its order: $(cat m.csv)"
done
status 3 '15 of 150 blocks failed' tacho measure -q --quick --batch in.csv -o m.csv --resume
tail -n +2 m.csv | cut -d, -f1 | cmp -s - wanted.txt || fail "resumed: other rows: $(cut -d, -f1 m.csv)"
cut -d, -f1,4,7 m.csv | grep -e zz -e ^hex >got.txt
cut -d, -f1,4,7 whole.csv | grep -e zz -e ^hex | cmp -s - got.txt || fail "resumed: other statuses of bad rows: $(cat got.txt)"

# ---- rows that are missing are measured and put where they belong; the others stay as they are ----
sed -n '1p;3,5p;9p;14,151p' whole.csv | awk -F, -v OFS=, 'NR > 1 { $3 = "kept" } 1' >m.csv
status 3 'of 150 blocks failed' tacho measure -q --quick --batch in.csv -o m.csv --resume
tail -n +2 m.csv | cut -d, -f1 | cmp -s - wanted.txt || fail "with gaps: other rows: $(cut -d, -f1 m.csv)"
sed -n '3,5p;9p;14,151p' m.csv | grep -v -e ,kept, -e ^zz -e ^9090, | grep . && fail 'with gaps: rows were measured again'
tail -n +2 in.csv | sort -r >other.csv
cp m.csv before.csv
status 1 'is not row' tacho measure -q --quick --batch other.csv -o m.csv --resume
cmp -s before.csv m.csv || fail 'results of other rows were changed'
[ "$failures" = 0 ]
