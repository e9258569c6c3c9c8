#!/bin/sh
# bias.sh PROBE: tacho bias: what a sweep says in each format, commands that cannot be measured, wrong usage.
set -u
probe=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
. "$(dirname "$0")/checks.sh"
cd "$TMP" || exit 1

status 2 'no command' tacho bias
status 2 'stands after --' tacho bias true
status 2 'multiple of 16' tacho bias --step 24 -- true
status 2 'multiple of 16' tacho bias --span 100 -- true
status 2 'did you mean stack' tacho bias --factors stak -- true
status 2 "--factors is" tacho bias --factors stack,,heap -- true
status 2 '--passes' tacho bias --passes 1 -- true
status 2 '--threshold' tacho bias --threshold much -- true
status 2 '--max-time' tacho bias --max-time -1 -- true
status 2 'go together' tacho bias --link 'cc -o {out} {objects}' -- true
status 2 'go together' tacho bias --objects a.o -- true
status 2 'needs {out}' tacho bias --link 'cc' --objects a.o -- true
status 2 'need --link' tacho bias --factors code -- true
status 2 '.svg or .png' tacho bias --plot curve.pdf -- true
status 1 'no-such-event' tacho bias --metric no-such-event -- true

need_layouts

status 1 "cannot run no-such-command: no such command" tacho bias -- no-such-command
status 1 'signal 6' tacho bias -- "$probe" crash
status 1 'time limit' tacho bias --timeout 0.3 -- "$probe" hang
status 1 'ended with status' tacho bias -- "$probe" flaky
status 1 'no/such' tacho bias --input no/such -- cat

# A command that fails is an error at its first run, unless nobody minds.
status 1 'ended with status' timeout 200 tacho bias -- /bin/false
status 1 'ended with status' tacho bias -- "$probe" fail
status 0 '' tacho bias --ignore-failure --metric cpu --factors stack --step 1024 --passes 2 --json -- "$probe" fail
has '"schema": "tacho-bias-1"' '"name": "stack"' '"effect": ' '"low": ' '"high": ' '"biased": ' '"period_bytes": ' \
    '"cause": '
[ "$(grep -c '^ *"position": [0-9.]*,' out.txt)" -ge 4 ] || fail "not four points: $(cat out.txt)"

status 0 '' tacho bias --metric cpu --factors environment,heap --span 64 --passes 2 -f csv --save points.csv -- "$probe" none 100000
head -1 out.txt | grep -q '^name,effect,low,high,biased,period_bytes,cause,' || fail "CSV: $(cat out.txt)"
[ "$(wc -l <out.txt)" = 3 ] || fail "CSV has not two rows: $(cat out.txt)"
head -1 points.csv | grep -q '^factor,position,label,value,ratio,runs,spike,cycles,cpu,elapsed,page-faults,' ||
    fail "points: $(cat points.csv)"
[ "$(cut -d, -f1,2 points.csv | grep -c -e '^environment,\(0\|16\|32\|48\)$' -e '^heap,\(0\|16\|32\|48\)$')" = 8 ] ||
    fail "points: $(cat points.csv)"

status 0 '' tacho bias --metric cpu --factors allocator,buffers,directory,argument --span 32 --passes 2 -- "$probe" none 100000
has 'allocator ' 'buffers ' 'directory ' 'argument '

# Temporary files lie where TMPDIR says, however long its name is; a name that does not serve is an error.
long=$TMP/$(printf '%0100d' 0)
mkdir "$long" "$TMP/a b"
TMPDIR=$long status 0 '' tacho bias --metric cpu --factors directory --span 64 --passes 2 -- \
    sh -c 'echo "$PWD" >>"$0/where.txt"' "$TMP"
[ "$(grep -c "^$long/tacho-......" where.txt)" -ge 8 ] || fail "directories: $(sort -u where.txt)"
[ -z "$(ls "$long")" ] || fail "something was left: $(ls "$long")"
TMPDIR=$TMP/no/such status 1 'no/such (TMPDIR)' tacho bias --factors directory -- true
TMPDIR="$TMP/a b" status 1 'no factor could be swept; buffers: the dynamic' tacho bias --metric cpu --factors buffers --passes 2 -- true
has "buffers       the dynamic linker takes no library from a directory with a space"

# Control characters do not reach the terminal, and the shell's words do.
status 0 '' tacho bias --metric cpu --factors stack --step 2048 --passes 2 -- sh -c "$(printf ': \033[31m')"
has 'sh -c :  [31m: cpu'

# What a signal ends early says so.
tacho bias --factors stack,heap -- "$probe" none 10000000 >out.txt 2>err.txt &
pid=$!
sleep 2
kill -INT $pid
wait $pid
got=$?
[ $got = 3 ] || fail "interrupted: status $got"
grep -q 'ended by signal 2 .*: this is what there is' err.txt || fail "interrupted: $(cat err.txt)"
has 'the sweep ended before it'
[ -z "$(find "$TMP" -name 'tacho-*')" ] || fail "something was left: $(find "$TMP" -name 'tacho-*')"

if command -v gnuplot >/dev/null; then
    status 0 '' tacho bias --metric cpu --factors stack,allocator --span 128 --passes 2 --plot curve.svg -- "$probe" none 100000
    grep -q 'where the stack begins' curve.svg && grep -q 'allocator of memory' curve.svg || fail "the plot"
else
    echo 'skipped: the plot: gnuplot is not installed'
fi

echo "$failures failures"
[ "$failures" = 0 ]
