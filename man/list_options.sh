#!/bin/sh
# list_options.sh TACHO PAGE: the manual page with all options of its commands, as their help lists them from the program's
# tables, before its examples.
tacho=$1 page=$2
command=$(basename "$page")
command=$(echo "${command%%.*}" | tr - ' ')
command=${command#tacho }
case $command in
tacho) cat "$page" && exit ;;
suite) commands=$("$tacho" suite | sed -n 's/^  \([a-z]*\) .*/suite-\1/p') ;;
*) commands=$command ;;
esac
list() {
    printf '.SH ALL OPTIONS\n'
    for name in $commands; do
        [ "$name" = "$command" ] || printf '.SS tacho %s, all options\n' "$(echo "$name" | tr - ' ')"
        # shellcheck disable=SC2046 # two words
        "$tacho" help $(echo "$name" | tr - ' ') | awk '
            function plain(s) { gsub(/\\/, "\\e", s); gsub(/-/, "\\-", s); sub(/^[.'"'"']/, "\\\\\\&&", s); return s }
            /^  -h, --help / { exit }
            /^  (-., |    )--[a-z]/ {
                line = $0
                match(line, /^  (-., |    )/)
                letter = substr(line, 3, 2)
                line = substr(line, 7)
                match(line, /^--[a-zA-Z0-9-]+/)
                head = "\\fB" plain(substr(line, 1, RLENGTH)) "\\fR"
                line = substr(line, RLENGTH + 1)
                if (match(line, /^ [^ a-z][^ ]*/)) {
                    head = head " \\fI" plain(substr(line, 2, RLENGTH - 1)) "\\fR"
                    line = substr(line, RLENGTH + 1)
                }
                if (letter != "  ") head = "\\fB" plain(letter) "\\fR, " head
                sub(/^ +/, "", line)
                printf ".TP\n%s\n%s\n", head, plain(line)
                in_list = 1
                next
            }
            in_list && /^                             / { sub(/^ +/, ""); print plain($0); next }
            { in_list = 0 }'
    done
}
text=$(list) || exit
while IFS= read -r line; do
    [ "$line" != '.SH EXAMPLES' ] || printf '%s\n' "$text"
    printf '%s\n' "$line"
done <"$page"
