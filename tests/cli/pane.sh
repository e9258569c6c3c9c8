#!/bin/sh
# pane.sh PROGRAM: what a page's user asks of the program for Compiler Explorer runs nothing, writes nothing and reads no file
# but the page's, whichever option it is.
set -u
. "$(dirname "$0")/checks.sh"
pane=$1
mkdir "$TMP/work"
cd "$TMP/work" || exit 1
printf 'f: xorl %%eax, %%eax\n1: addl (%%rdi), %%eax\naddq $4, %%rdi\ncmpq %%rdx, %%rdi\njne 1b\nret\n' >page.s
echo classified >secret
echo 'inherit SKL' >own.tacho
# Whatever is run instead of a compiler or an assembler leaves a trace.
for program in as gcc cc evil dot gnuplot c++filt; do
    printf '#!/bin/sh\ntouch "%s/ran"\n' "$TMP" >"$TMP/$program"
    chmod +x "$TMP/$program"
done
PATH=$TMP:$PATH
ls >"$TMP/before"

untouched() { # WHAT
    [ ! -e "$TMP/ran" ] || fail "$1: another program was run"
    rm -f "$TMP/ran"
    ls | cmp -s - "$TMP/before" || fail "$1: files were written: $(ls | tr '\n' ' ')"
    ! grep -q classified "$TMP/out" || fail "$1: another file was read: $(cat "$TMP/out")"
}
page() { # OPTION...: as tacho-tool.ts calls it
    "$pane" predict --explorer --compiled-for skylake "$@" page.s >"$TMP/out" 2>&1
}

page || fail "without options: $(cat "$TMP/out")"
grep -q 'on SKL' "$TMP/out" || fail "no report: $(cat "$TMP/out")"
untouched 'without options'

# Each option of the program, with a value where it takes one: it is taken, or refused in one line.
refused='cc data memory html trace trace-iterations graph batch output jobs raw hex assembler format json'
number=0
tacho predict --help | sed -n 's/^  \(-., \| *\)\(--[a-zA-Z-]*\)\( [^ a-z][^ ]*\)\{0,1\}.*/\2 \3/p' >"$TMP/options"
while read -r option value; do
    number=$((number + 1))
    name=${option#--}
    [ "$name" != help ] || continue
    case $value in
    '') set -- "$option" ;;
    FILE) set -- "$option" out.html ;;
    COMMAND) set -- "$option" "$TMP/evil" ;;
    *) set -- "$option" secret ;;
    esac
    page "$@"
    is=$?
    untouched "$*"
    case " $refused " in
    *" $name "*)
        [ $is = 2 ] && [ "$(wc -l <"$TMP/out")" = 1 ] && grep -q 'is not for pages' "$TMP/out" ||
            fail "$* is not refused in one line: status $is: $(cat "$TMP/out")"
        ;;
    *) ! grep -q 'is not for pages' "$TMP/out" || fail "$* is refused" ;;
    esac
done <"$TMP/options"
[ $number -gt 55 ] || fail "only $number options were tried"

# A path in whatever place, and what swallows the page's own.
for words in secret './secret' '-- secret' 'secret --symbol' '-a own.tacho' '-a SKL,own.tacho' '-a secret' '-mcpu=../x' '--cc=evil' \
    '--assembler gnu' '--batch=secret' '-j 9' '-'; do
    # shellcheck disable=SC2086 # words
    page $words && fail "$words: no failure: $(head -3 "$TMP/out")"
    [ "$(wc -l <"$TMP/out")" = 1 ] || fail "$words: not in one line: $(cat "$TMP/out")"
    untouched "$words"
done

# What tacho's own assembler does not read is handed to nobody.
printf '.macro m\nnop\n.endm\nm\n' >page.s
page && fail 'a macro was read'
untouched 'a macro'
[ "$failures" = 0 ]
