#!/bin/sh
# locks.sh [DENY]: results files and work folders are one process's at a time (doc/RUNNING.md): the second one is refused at
# once, with who has it, and changes and removes nothing; who is killed leaves no lock; children have none.
set -u
deny=${1:+$(realpath "$1")}
. "$(dirname "$0")/checks.sh"
cd "$TMP" || exit 1
need flock util-linux

busy='process [0-9]* is writing it\|it is being written already'

# hold FILE-OR-FOLDER: locked by a process until let_go
hold() {
    rm -f held
    flock "$1" sh -c ': >held; while [ -e held ]; do sleep 0.02; done' &
    flocking=$!
    tries=400
    while [ ! -e held ] && [ $tries -gt 0 ]; do
        sleep 0.02
        tries=$((tries - 1))
    done
}
let_go() {
    rm held
    wait $flocking
}

# refused FILE COMMAND...: it says that FILE is written, ends with 1 at once, and FILE stays as it is
refused() {
    file=$1
    shift
    timeout 200 "$@" >out.txt 2>err.txt
    got=$?
    [ $got = 1 ] || fail "$*: status $got: $(cat err.txt)"
    grep -q "cannot write $file: \($busy\)" err.txt || fail "$*: not refused: $(cat err.txt)"
    [ "$(cat "$file")" = 'as it was' ] || fail "$*: $file has changed: $(head -3 "$file")"
}

# ---- every command that writes a file ----
printf 'hex\n90\n4801d8\n' >in.csv
printf 'hex,cycles\n90,1\n9090,2\n' >measured.csv
printf 'side,value\nA,1\nA,1\nA,1\nB,1\nB,1\nB,1\n' >samples.csv
cp "$(command -v cat)" program
for command in \
    'predict --batch in.csv -a SKL -o F' \
    'predict --hex 90 -a SKL --html F.html' \
    'predict --hex 90 -a SKL --graph F.dot' \
    'predict --hex 90 -a SKL --trace F.json' \
    'eval --measured measured.csv --model baseline -a SKL --save F' \
    'eval --measured measured.csv --model baseline -a SKL --html F.html' \
    'suite dedup in.csv -o F' \
    'suite filter in.csv -o F' \
    'suite filter in.csv --rejected F' \
    'suite sample -n 1 in.csv -o F' \
    'suite loops in.csv -o F' \
    'suite loops --batch in.csv -o F' \
    'suite cluster in.csv -a SKL -o F' \
    'extract program -o F' \
    'extract -o F -- touch was-run' \
    'hot -o F -- touch was-run' \
    'hot -o fine.txt --html F.html -- touch was-run' \
    'compare --save F -- touch was-run -- true' \
    'compare --command-output F -- touch was-run -- true' \
    'bias --factors stack --metric cpu --save F -- touch was-run' \
    'deps --run -o F -- touch was-run'; do
    name=$(printf '%s\n' "$command" | grep -o 'F[.a-z]*' | tail -1 | sed 's/^F/results/')
    case $command in
    *split*) name=results-1.csv ;;
    esac
    # The words of the command are words.
    # shellcheck disable=SC2046,SC2086
    set -- $(printf '%s\n' "$command" | sed 's/F\([.a-z]*\)/results\1/')
    printf 'as it was\n' >$name
    hold $name
    refused $name tacho "$@"
    let_go
    rm -f $name
done
[ ! -e was-run ] || fail 'a command was run although its results cannot be written'
[ ! -e fine.txt ] || fail 'hot: the other file is there'

# ---- two of one command ----
mkfifo rows
tacho predict --batch rows -a SKL -o both.csv 2>first.txt &
first=$!
exec 9>rows
printf 'hex\n90\n' >&9
tries=400
while [ "$(cat both.csv 2>/dev/null | wc -l)" -lt 2 ] && [ $tries -gt 0 ]; do
    sleep 0.02
    tries=$((tries - 1))
done
status 1 "cannot write both.csv: process $first is writing it" tacho predict --batch in.csv -a SKL -o both.csv
printf '4801d8\n' >&9
exec 9>&-
wait $first || fail "the first one: $(cat first.txt)"
[ "$(cut -d, -f1 both.csv | xargs)" = 'hex 90 4801d8' ] || fail "the first one's rows: $(cat both.csv)"
# Two results of one command do not go to one file.
status 1 'cannot write one.html: another result goes there already' tacho hot -o one.html --html one.html -- touch was-run
[ ! -e one.html ] && [ ! -e was-run ] || fail 'hot: two results in one file'
# Devices and pipes are no results files.
status 3 '' tacho suite cluster in.csv -a SKL -o /dev/null

# ---- measure --resume ----
if message=$(tacho measure -q --quick --hex 90 2>&1); then
    tacho measure -q --quick --batch rows -o m.csv --resume 2>first.txt &
    first=$!
    exec 9>rows
    printf 'hex\n90\nzz\n' >&9
    tries=400
    while [ ! -s m.csv ] && [ $tries -gt 0 ]; do
        sleep 0.02
        tries=$((tries - 1))
    done
    cp m.csv before.csv
    status 1 "cannot write m.csv: process $first is writing it" tacho measure -q --quick --batch in.csv -o m.csv --resume
    cmp -s before.csv m.csv || fail "two --resume: changed: $(cat m.csv)"
    status 1 "cannot write m.csv: process $first is writing it" tacho measure -q --quick --batch in.csv -o m.csv
    # Killed, it leaves no lock, and nothing that the next one could not go on with.
    kill -9 $first
    wait $first 2>/dev/null
    exec 9>&-
    tacho measure -q --quick --batch in.csv -o m.csv --resume 2>err.txt || grep -q unstable err.txt ||
        fail "after a killed one: status $?: $(cat err.txt)"
    [ "$(cut -d, -f1 m.csv | xargs)" = 'hex 90 4801d8' ] || fail "after a killed one: $(cat m.csv)"
else
    printf 'skipped: measure --resume: %s\n' "$message"
fi

# ---- what a command leaves running has no lock ----
cat >leaves <<'S'
#!/bin/sh
setsid sleep 30 &
echo $! >>pids
S
chmod +x leaves
if command -v setsid >/dev/null; then
    status 0 '' tacho compare --warm-up 0 --runs 12 --save saved.csv --command-output said.txt -- ./leaves -- true
    for file in saved.csv said.txt; do
        flock -n $file true || fail "$file is still locked"
    done
    xargs kill <pids
fi

# ---- a work folder ----
if command -v gcc >/dev/null && command -v valgrind >/dev/null; then
    few='--kernels prefix_sum --compilers gcc --levels O1 --vectors sse2 --transforms none -a SKL --models tacho --no-measure'
    mkdir -p study/temporary
    echo mine >study/temporary/file
    for again in '' --resume; do
        hold study
        # shellcheck disable=SC2086
        status 1 'cannot write study: ' timeout 200 tacho kernels $few -o study $again
        grep -q "$busy" err.txt || fail "kernels: who has it? $(cat err.txt)"
        [ "$(ls study)" = temporary ] && [ -s study/temporary/file ] || fail "kernels: the folder has changed: $(ls study)"
        let_go
    done
    # A folder that was there is its owner's; one that a killed study has left goes with the next one.
    # shellcheck disable=SC2086
    status 0 '' tacho kernels $few -o study
    [ -s study/temporary/file ] || fail 'kernels has removed a folder that was there before'
    # shellcheck disable=SC2086
    status 2 'has results already' tacho kernels $few -o study
    [ -s study/temporary/file ] || fail 'a refused study has removed a folder'
    # shellcheck disable=SC2086
    status 0 '' tacho kernels $few -o study --resume
    [ ! -e study/temporary ] || fail 'the folder of a killed study is left'
    # What failed is tried again: here the compiler can write no temporary file, there it can.
    mkdir other
    printf '#!/bin/sh\ncase $* in\n*version*) exec gcc "$@" ;;\nesac\n[ -e "%s" ] || { echo "error: no space" >&2; exit 1; }\nexec gcc "$@"\n' \
        "$TMP/space" >other/cc
    chmod +x other/cc
    few=$(printf '%s\n' "$few" | sed 's/compilers gcc/compilers .\/other\/cc/')
    # shellcheck disable=SC2086
    status 3 '1 of 1 variants failed' tacho kernels $few -o again --format csv
    : >space
    # shellcheck disable=SC2086
    status 0 '' tacho kernels $few -o again --resume --format csv
    has ',counted,'
else
    echo 'skipped: kernels: gcc or valgrind is not installed'
fi

# ---- where nothing can be locked the work goes on, and it is said once ----
if [ -n "$deny" ] && "$deny" ptrace true; then
    status 0 'results.csv cannot be locked' "$deny" flock tacho suite filter in.csv -o results.csv --rejected others.csv
    [ "$(grep -c 'cannot be locked' err.txt)" = 1 ] || fail "said again: $(cat err.txt)"
    [ -s results.csv ] && [ -s others.csv ] || fail 'without locks: no results'
else
    echo 'skipped: without locks: system calls cannot be denied here'
fi
[ "$failures" = 0 ]
