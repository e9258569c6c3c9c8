#!/bin/sh
# running.sh: commands that tacho runs for its user, one rule for all (doc/RUNNING.md): where their output goes, what
# their failure means, and what becomes of them and of the report after a signal.
set -u
. "$(dirname "$0")/checks.sh"
cd "$TMP" || exit 1

hot= watched='extract --via ptrace'
for via in clock ptrace; do
    tacho hot -q --json --via $via -- true >can.txt 2>&1 && hot="$hot hot_--via_$via"
done
if ! tacho extract -q --via ptrace -o can.csv -- true >message.txt 2>&1; then
    printf 'skipped: commands that are watched, nothing can be traced here: %s\n' "$(cat message.txt)"
    watched=
fi
once=$hot
[ -z "$watched" ] || once="$once extract_--via_ptrace"
if command -v valgrind >/dev/null && tacho deps --run -q -o can.txt -- true >/dev/null 2>&1; then
    once="$once extract_--via_valgrind deps_--run"
else
    echo 'skipped: commands under valgrind: it is not installed, or does not run here'
fi
words() { echo "$1" | tr _ ' '; }

# ---- a command that cannot be started, and one that fails: at once, and no report ----
cat >fails <<'S'
#!/bin/sh
echo run >>runs
i=0
while [ $i -lt ${WORK:-0} ]; do i=$((i + 1)); done
exit 3
S
chmod +x fails
: >plain
for tool in $once bias 'compare_--warm-up_0_--_true'; do
    tool=$(words "$tool")
    rm -f runs
    # shellcheck disable=SC2086
    status 1 'cannot run no-such-command: no such command' timeout 200 tacho $tool -- no-such-command
    # shellcheck disable=SC2086
    status 1 'cannot run ./plain: Permission denied' timeout 200 tacho $tool -- ./plain
    # shellcheck disable=SC2086
    status 1 'ended with status 3' timeout 200 tacho $tool -- ./fails
    grep -qF -- '(--ignore-failure: report on it all the same)' err.txt || fail "$tool: no word of --ignore-failure"
    [ ! -s out.txt ] || fail "$tool: a report on a command that failed: $(head -3 out.txt)"
    [ "$(wc -l <runs)" = 1 ] || fail "$tool: a command that fails was run $(wc -l <runs) times"
done

# ---- its standard output: where the report is not ----
# Where it is sampled it works for a while (WORK), as a processor that others use may leave a short run without any sample;
# what is stepped through does not.
own='echo of its own; i=0; while [ $i -lt ${WORK:-0} ]; do i=$((i + 1)); done'
for tool in $once; do
    tool=$(words "$tool") more=
    case $tool in
    hot*) more=--json WORK=50000 ;;
    *) WORK= ;;
    esac
    export WORK
    # shellcheck disable=SC2086
    {
        status 0 '' tacho $tool $more -- sh -c "$own"
        grep -qx 'of its own' out.txt && fail "$tool: it mixes with the report"
        grep -qx 'of its own' err.txt || fail "$tool: it is not on standard error: $(cat err.txt)"
        status 0 '' tacho $tool $more -o report.txt -- sh -c "$own"
        [ "$(cat out.txt)" = 'of its own' ] || fail "$tool -o: standard output is not the command's: $(head -3 out.txt)"
        status 0 '' tacho $tool $more --command-output null -- sh -c "$own"
        grep -qx 'of its own' out.txt err.txt && fail "$tool: --command-output null"
        status 0 '' tacho $tool $more --command-output said.txt -- sh -c "$own"
        [ "$(cat said.txt)" = 'of its own' ] || fail "$tool: --command-output FILE"
        status 2 'the report goes there' tacho $tool $more --command-output stdout -- true
        status 1 'cannot write /nowhere/x' tacho $tool $more --command-output /nowhere/x -- touch was-run
        [ ! -e was-run ] || fail "$tool: the command was run although its output cannot be written"
        status 0 'ended with status 3' tacho $tool $more --ignore-failure -- ./fails
        [ -s out.txt ] || fail "$tool --ignore-failure: no report"
    }
done

# ---- signals: a report of what there is, status 3, and nothing is left running ----
cat >endless <<'S'
#!/bin/sh
echo $$ >pid
sleep 1000 &
echo $! >>pid
: >begun
i=0
while :; do i=$((i + 1)); done
S
chmod +x endless

# begin COMMAND...: in the background, as $process, until "endless" runs
begin() {
    rm -f begun
    "$@" >out.txt 2>err.txt &
    process=$!
    tries=400
    while [ ! -e begun ] && [ $tries -gt 0 ]; do
        sleep 0.05
        tries=$((tries - 1))
    done
    sleep 0.4
}
is_gone() { # PID: gone, or a zombie that nobody asks for
    ! grep -q '^State:.[^Z]' "/proc/$1/status" 2>/dev/null
}
all_gone() { # WHAT
    for attempt in 1 2 3 4 5 6 7 8 9 10; do
        left=
        while read -r pid; do
            is_gone "$pid" || left="$left $pid"
        done <pid
        [ -z "$left" ] && return
        sleep 0.2
    done
    fail "$1: processes are left:$left"
    # shellcheck disable=SC2086
    kill -9 $left
}
for tool in $once bias 'compare_--runs_100_--_true'; do
    tool=$(words "$tool")
    for signal in INT TERM; do
        # shellcheck disable=SC2086
        begin tacho $tool -- ./endless
        kill -$signal $process
        wait $process
        got=$?
        case $tool in
        compare*) # there was no run of B yet
            [ $got = 1 ] && grep -q 'ended by signal .*: nothing was run' err.txt || fail "$tool: SIG$signal: $got: $(cat err.txt)"
            ;;
        *)
            [ $got = 3 ] || fail "$tool: SIG$signal: status $got: $(cat err.txt)"
            grep -q 'ended by signal .*: this is what there is' err.txt || fail "$tool: SIG$signal: $(cat err.txt)"
            [ -s out.txt ] || fail "$tool: SIG$signal: no report"
            ;;
        esac
        all_gone "$tool: SIG$signal"
    done
done

# ---- the second signal ends a command that does not listen, and tacho, at once ----
sed 's/^i=0$/trap "" TERM; i=0/' endless >deaf
chmod +x deaf
for tool in $hot; do
    tool=$(words "$tool")
    # shellcheck disable=SC2086
    begin tacho $tool -- ./deaf
    kill $process
    sleep 1.2
    kill $process
    wait $process
    got=$?
    [ $got = 143 ] || [ $got = 3 ] || fail "$tool: the second SIGTERM: status $got: $(cat err.txt)"
    all_gone "$tool: the second SIGTERM"
done
[ -z "$(find . -name 'tacho-*')" ] || fail "temporary files are left: $(find . -name 'tacho-*')"
[ "$failures" = 0 ]
