#!/bin/sh
# run.sh [--update] FILE: runs the commands in FILE and compares what they print with what stands there.
#
# In a .t file, "  $ command" is run by sh with standard error joined to standard output; the lines after it,
# indented by two spaces, are the expected output, "  [N]" an exit status that is not 0; all else is prose.
# In a .md file the same holds in blocks that begin with "```console", without the indentation.
# With --update FILE is rewritten with what comes out; read the difference.
set -u
update=
[ "$1" != --update ] || {
    update=1
    shift
}
file=$1
TMP=$(mktemp -d) || exit 1
export TMP
export TACHO_NO_LEARNT=1 # what its user has learnt is no part of a test
trap 'rm -rf "$TMP"' EXIT

run() { # COMMAND INDENT
    sh -c "$1" >"$TMP/.out" 2>&1 </dev/null
    result=$?
    sed "s/^/$2/" "$TMP/.out"
    [ $result = 0 ] || printf '%s[%s]\n' "$2" $result
}

transcript() {
    fence= markdown=
    case $file in
    *.md) markdown=1 ;;
    esac
    while IFS= read -r line || [ -n "$line" ]; do
        if [ -z "$markdown" ]; then
            case $line in
            '  $ '*)
                printf '%s\n' "$line"
                run "${line#"  $ "}" '  '
                ;;
            '  '*) ;; # what came out last time
            *) printf '%s\n' "$line" ;;
            esac
            continue
        fi
        case ${fence:-out}$line in
        'out```console') fence=in: ;;
        'in:```') fence= ;;
        'in:$ '*)
            printf '%s\n' "$line"
            run "${line#"$ "}" ''
            continue
            ;;
        in:*) continue ;;
        esac
        printf '%s\n' "$line"
    done <"$file"
}

transcript >"$TMP/.transcript"
if [ -n "$update" ]; then
    cp "$TMP/.transcript" "$file"
    exit 0
fi
diff -u "$file" "$TMP/.transcript" && exit 0
echo "differs; if the new output is right: $0 --update $file (with the program's directory first in PATH)"
exit 1
