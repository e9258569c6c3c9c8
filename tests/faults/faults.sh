#!/bin/sh
# faults.sh DENY TINY doc/FAULTS.md SHARE OF: each command of the tables in FAULTS.md under each fault: the exit
# status, and what standard error says, are among those that stand there. SHARE of OF parts of the commands, from
# 1. With FAULTS_SHOW set it prints what came out in every cell; FAULTS_ONLY is one command, FAULTS_OF one fault.
set -u
. "$(dirname "$0")/../cli/checks.sh"
deny=$1 tiny=$2 document=$3 share=$4 of=$5
case $deny in /*) ;; *) deny=$PWD/$deny ;; esac
work=$TMP/work usual=$TMP/usual
# The leak checker traces the program itself; what leaks is found elsewhere.
grep -q __asan_init "$(command -v tacho)" && sanitized=yes || sanitized=
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
export ASAN_OPTIONS

# ---- the tables: lines COMMAND<tab>FAULT<tab>STATUS<tab>TEXT; a command's line as its FAULT "=" ----
awk -F ' *[|] *' '
    /^### / { command = substr($0, 5) }
    command == "" { next }
    /^    tacho / { print command "\t=\t" substr($0, 11) "\t" }
    /^\| / && $2 != "fault" { gsub("`", "", $4); print command "\t" $2 "\t" $3 "\t" $4 }
' "$document" >"$TMP/cells"
commands() { awk -F '\t' '$2 == "=" { print $1 }' "$TMP/cells"; }
line_of() { awk -F '\t' -v c="$1" '$1 == c && $2 == "=" { print $3; exit }' "$TMP/cells"; }

# What may come out: a command's own rows of the fault, else those of all commands.
outcomes() { # COMMAND FAULT
    awk -F '\t' -v c="$1" -v f="$2" '
        $2 == f && $1 == c { own = own $3 "\t" $4 "\n" }
        $2 == f && $1 == "every command" { all = all $3 "\t" $4 "\n" }
        END { printf "%s", own != "" ? own : all }' "$TMP/cells"
}

# ---- faults: each runs the words that it gets ----
with() { # WHAT COMMAND...: without it, by deny
    "$deny" "$@"
}
limited() { # LETTER NUMBER COMMAND...
    letter=$1 number=$2
    shift 2
    (
        ulimit "-$letter" "$number" || exit 126
        exec "$@"
    )
}
after_a_while() { # SIGNAL COMMAND...: the signal comes at some moment of the time that it usually takes
    signal=$1
    shift
    moment=$(awk -v t="$took" -v r="$(od -An -N2 -tu2 /dev/urandom)" 'BEGIN { printf "%.3f", t * r / 65536 + 0.001 }')
    env --default-signal=INT,TERM timeout --preserve-status -k 20 -s "$signal" "$moment" "$@"
}
# Options stand before the words of a command that is run.
run_before_dashes() { # OPTION VALUE COMMAND...
    option=$1 value=$2 line=
    shift 2
    count=$#
    placed=
    while [ "$count" -gt 0 ]; do
        word=$1
        shift
        if [ "$word" = -- ] && [ -z "$placed" ]; then
            set -- "$@" "$option" "$value"
            placed=1
        fi
        set -- "$@" "$word"
        count=$((count - 1))
    done
    [ -n "$placed" ] || set -- "$@" "$option" "$value"
    "$@"
}
into_full_files() { # COMMAND...: what its words that begin with "results" name is full; without any: -o
    full=
    for word in "$@"; do
        case $word in
        results*) ln -s /dev/full "$word" && ln -s /dev/full "$word-1.csv" && full=1 ;;
        esac
    done
    if [ -n "$full" ]; then "$@"; else run_before_dashes -o /dev/full "$@"; fi
}
run_under() { # FAULT COMMAND...
    fault=$1
    shift
    case $fault in
    'full disk') "$@" >/dev/full ;;
    'full file') into_full_files "$@" ;;
    'file too large') limited f 0 "$@" ;;
    'closed output') "$@" >&- ;;
    'no reader') env --default-signal=PIPE "$deny" reader "$@" ;;
    SIGINT) after_a_while INT "$@" ;;
    SIGTERM) after_a_while TERM "$@" ;;
    'no /proc') with proc "$@" ;;
    'no ptrace') with ptrace "$@" ;;
    'no perf') with perf_event_open "$@" ;;
    'no threads') with threads "$@" ;;
    'few descriptors') limited n 10 "$@" ;;
    'little memory') limited v "$address_space" "$@" ;;
    'read-only TMPDIR') TMPDIR=$TMP/closed with override "$@" ;;
    'missing TMPDIR') TMPDIR=$TMP/nowhere "$@" ;;
    esac
}
faults='full disk,full file,file too large,closed output,no reader,SIGINT,SIGTERM,no /proc,no ptrace,no perf,no threads,few descriptors,little memory,read-only TMPDIR,missing TMPDIR'

# ---- a command ----
fresh() {
    rm -rf "$work" "$TMP/temporary"
    cp -r "$TMP/inputs" "$work"
    mkdir "$TMP/temporary"
}
# run FAULT COMMAND...: standard output and error in out and err, the status in $got
run() {
    fault=$1
    shift
    fresh
    # A limit to files may not keep from seeing the message: standard error is a pipe.
    {
        {
            (
                cd "$work" || exit 126
                TMPDIR=$TMP/temporary
                if [ "$fault" = none ]; then "$@"; else run_under "$fault" "$@"; fi
            ) 2>&1 >&3 3>&- 4<&- </dev/null
            echo $? >"$TMP/status"
        } | cat >"$TMP/err"
    } 3>"$TMP/out"
    read -r got <"$TMP/status"
    only_unstable && got=0
}
# What is unstable, and whether others leave the machine fit, depends on what else runs here: no other reason why it
# is unfit is passed over.
only_unstable() {
    case $got in
    1) said='unfit for measuring: \(steal time\|neighbour\): ' ;;
    3) said='blocks are unstable' ;;
    *) return 1 ;;
    esac
    grep -q "$said" "$TMP/err" && ! grep -qv "$said" "$TMP/err"
}

# What differs from run to run is only looked at for being there.
same_output() {
    case $command in
    measure* | hot* | 'deps --run' | compare | 'compare --save' | 'compare of three' | 'compare --layout' | bias | doctor | kernels*) [ -s "$TMP/out" ] || [ ! -s "$usual.out" ] ;;
    *) cmp -s "$TMP/out" "$usual.out" ;;
    esac
}
loses_output() { # the faults under which standard output is not what the test sees
    case $1 in
    'full disk' | 'full file' | 'closed output' | 'no reader') return 0 ;;
    esac
    return 1
}
accepted() { # FAULT STATUS TEXT
    # No number, as other work disturbed all passes: nothing was written that could be lost.
    [ "$got" = 1 ] && grep -q ': unstable: all passes were disturbed' "$TMP/err" && return 0
    case $2 in
    'as usual') [ "$got" = "$usual_status" ] && { loses_output "$1" || same_output; } ;;
    'ended by it')
        case $1 in
        SIGINT) [ "$got" = 130 ] ;;
        SIGTERM) [ "$got" = 143 ] ;;
        'no reader') [ "$got" = 141 ] ;;
        esac
        ;;
    *) [ "$got" = "$2" ] && grep -qF -- "$3" "$TMP/err" ;;
    esac
}
tab=$(printf '\t')
judge() { # FAULT
    found=
    outcomes "$command" "$1" >"$TMP/accepted"
    while IFS=$tab read -r status text; do
        accepted "$1" "$status" "$text" && found=1
    done <"$TMP/accepted"
    [ -z "${FAULTS_SHOW:-}" ] || printf '%s: %s: %s%s: %s\n' "$command" "$1" "$got" "${found:+ as written}" "$(head -3 "$TMP/err" | cut -c 1-300)"
    [ -n "$found" ] || fail "$command: $1: status $got, $(wc -c <"$TMP/out") bytes of output: $(head -5 "$TMP/err")"
    [ "$got" = "$usual_status" ] || [ "$got" -gt 128 ] || grep -q '^tacho: ' "$TMP/err" ||
        fail "$command: $1: status $got without a message of its own: $(head -3 "$TMP/err")"
    ! grep -q -e Sanitizer -e 'runtime error:' "$TMP/err" || fail "$command: $1: $(cat "$TMP/err")"
    # Valgrind leaves this where it cannot begin.
    rm -f "$TMP/temporary/valgrind_proc_"*
    [ -z "$(ls -A "$TMP/temporary")" ] || [ "$got" -gt 128 ] || fail "$command: $1: left behind: $(ls -A "$TMP/temporary")"
}

# ---- all ----
mkdir "$TMP/inputs" "$TMP/closed"
chmod 555 "$TMP/closed"
cp examples/chain.s "$TMP/inputs"
cp "$tiny" "$TMP/inputs/tiny"
cd "$TMP/inputs" || exit 1
printf 'hex,app,address,count\n4801d84801c3,a,0x10,3\n4801d8,b,0x20,4\n488b03488903,a;b,0x30,1\n' >blocks.csv
printf 'hex,cycles,app\n4801d84801c3,2,a\n90,0.25,b\n488b03488903,4.5,a\n' >measured.csv
printf 'hex,cycles\n4801d84801c3,2.1\n90,0.25\n488b03488903,5\n' >predicted.csv
for name in old new; do
    echo '{"results": [{"command": "x", "times": [1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6]}]}' >$name.json
done
printf 'a,b\n' >samples.csv
awk 'BEGIN { for (i = 0; i < 40; i++) printf "%d,%d\n", 1000 + i * 7 % 13, 1100 + i * 5 % 11 }' >>samples.csv
tacho suite cluster -k 2 blocks.csv --model model.json >cluster.txt 2>&1
cd "$TMP" || exit 1

program=$(command -v tacho)
# Without /proc a program does not find the library beside it.
LD_LIBRARY_PATH=$(dirname "$program")/src${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH

# What the program needs to begin at all, in KB, differs from host to host; with sanitizers it has no limit.
address_space=1000
until [ -n "$sanitized" ] || limited v $address_space tacho --version >/dev/null 2>&1 || [ $address_space -gt 1000000 ]; do
    address_space=$((address_space + 1000))
done
least=$address_space

check_command() {
    eval "set -- tacho $(line_of "$command")"
    started=$(date +%s%N)
    run none "$@"
    took=$(awk -v a="$started" -v b="$(date +%s%N)" 'BEGIN { print (b - a) / 1e9 }')
    usual_status=$got
    cp "$TMP/out" "$usual.out"
    if [ "$got" != 0 ]; then
        grep -q -e 'not installed' -e ptrace -e perf -e 'unfit for measuring' "$TMP/err" || fail "$command: as usual: status $got: $(cat "$TMP/err")"
        echo "skipped: $command: $(head -1 "$TMP/err")"
        return
    fi
    echo "$faults" | tr , '\n' >"$TMP/faults"
    while read -r fault; do
        [ -z "${FAULTS_OF:-}" ] || [ "$FAULTS_OF" = "$fault" ] || continue
        grep -qxF "$fault" "$TMP/cannot" && continue
        outcomes "$command" "$fault" | grep -q "^none$tab" && continue
        for more in 1000 4000 16000; do
            address_space=$((least + more))
            run "$fault" "$@"
            judge "$fault"
            [ "$fault" = 'little memory' ] || break
        done
    done <"$TMP/faults"
}

# Faults that cannot be had here.
: >"$TMP/cannot"
cannot() { # FAULT WHY
    echo "$1" >>"$TMP/cannot"
    echo "skipped: $1: $2"
}
"$deny" ptrace true 2>/dev/null || for fault in 'no ptrace' 'no perf' 'no threads'; do cannot "$fault" 'system calls cannot be denied here'; done
"$deny" proc true 2>/dev/null || cannot 'no /proc' 'nothing can be mounted here'
[ -z "$sanitized" ] || cannot 'little memory' 'sanitizers need much address space'
[ -z "$sanitized" ] || cannot 'no /proc' 'sanitizers read /proc'
[ -e /dev/full ] || for fault in 'full disk' 'full file'; do cannot "$fault" 'there is no /dev/full'; done

number=0
commands >"$TMP/commands"
while read -r command <&4; do
    number=$((number + 1))
    [ $((number % of + 1)) = "$share" ] || continue
    [ -z "${FAULTS_ONLY:-}" ] || [ "$FAULTS_ONLY" = "$command" ] || continue
    check_command
done 4<"$TMP/commands"

# ---- what a signal has ended, and --resume goes on with, comes to the same ----
seconds_of() { # COMMAND...: that it takes, as $took
    started=$(date +%s%N)
    "$@" >"$TMP/out" 2>"$TMP/err"
    got=$?
    only_unstable && got=0
    took=$(awk -v a="$started" -v b="$(date +%s%N)" 'BEGIN { print (b - a) / 1e9 }')
}
ended_then_resumed() { # SIGNAL COMMAND...: what the resumed run says in $TMP/out
    fresh
    cd "$work" || exit 1
    after_a_while "$@" >"$TMP/out" 2>"$TMP/err"
    got=$?
    case $got in
    0 | 1 | 3 | 130 | 143) ;;
    *) fail "SIG$*: status $got: $(cat "$TMP/err")" ;;
    esac
    shift
    seen="status $got: $(cat "$TMP/err")"
    "$@" --resume >"$TMP/out" 2>"$TMP/err"
    got=$?
    [ $got = 0 ] || only_unstable || fail "$* --resume: status $got: $(cat "$TMP/err"); before: $seen"
    cd "$TMP" || exit 1
}
study='tacho kernels --kernels prefix_sum,mvt --compilers gcc --levels O2 --vectors sse2 --transforms none --models baseline --no-measure -a SKL --format csv -o study'
measuring='tacho measure --quick --batch blocks.csv -o measured-here.csv'
# The words are options.
# shellcheck disable=SC2086
if [ "$share" = 2 ] && [ -z "${FAULTS_ONLY:-}" ]; then
    fresh
    cd "$work" || exit 1
    seconds_of $study
    cd "$TMP" || exit 1
    cp out uninterrupted
    [ "$got" = 0 ] || echo "skipped: kernels --resume: $(head -1 err)"
    for signal in INT TERM; do
        [ "$got" = 0 ] || break
        ended_then_resumed $signal $study
        cmp out uninterrupted || fail "SIG$signal, then $study --resume: $(cat out)"
        got=0
    done
    fresh
    cd "$work" || exit 1
    seconds_of $measuring
    cut -d , -f 1 measured-here.csv >"$TMP/uninterrupted"
    cd "$TMP" || exit 1
    [ "$got" = 0 ] || echo "skipped: measure --resume: $(head -1 err)"
    for signal in INT TERM; do
        [ "$got" = 0 ] || break
        ended_then_resumed $signal $measuring
        cut -d , -f 1 "$work/measured-here.csv" | cmp - uninterrupted || fail "SIG$signal, then $measuring --resume"
        got=0
    done
fi

# Messages went into the results, when standard error was closed and the file took its place.
if [ "$share" = 1 ]; then
    fresh
    printf 'hex\n4801d8\nzz\n' >"$work/bad.csv"
    tacho predict -a SKL --batch "$work/bad.csv" -o "$work/out.csv" <&- >&- 2>&-
    [ $? = 3 ] || fail 'closed descriptors: not status 3'
    tacho predict -a SKL --batch "$work/bad.csv" >"$work/usual.csv" 2>/dev/null
    cmp "$work/out.csv" "$work/usual.csv" || fail "closed descriptors: $(cat "$work/out.csv")"
fi
[ "$failures" = 0 ]
