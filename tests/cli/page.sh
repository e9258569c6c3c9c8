#!/bin/sh
# page.sh EXPECTED ACTIONS: pages in a browser without a window. What ACTIONS does in one is compared with EXPECTED;
# pages with hostile names, in both colour schemes, must draw themselves and ask the network for nothing.
# Skipped without Chromium. With --update first, EXPECTED is rewritten.
set -u
update=
[ "$1" != --update ] || {
    update=1
    shift
}
expected=$1 actions=$2
. "$(dirname "$0")/browser.sh"

cat >"$TMP/code.s" <<'END'
# LLVM-MCA-BEGIN </script><script id=hostile>alert(1)</script><b id=hostile>"&amp;'
        imulq %rax, %rax
        movq %rax, %rbx
        addq (%rsi), %rbx
# LLVM-MCA-END
END
tacho predict "$TMP/code.s" -a SKL --trace "$TMP/page.html" --trace-iterations 12 >/dev/null || fail "no page"
act "$actions"

dom "$TMP/acted.html" >"$TMP/dom" || fail "the browser: $(tail -3 "$TMP/browser.txt")"
grep -q 'data-ready="yes"' "$TMP/dom" || fail "the page has not drawn itself"
grep -q 'data-acted="yes"' "$TMP/dom" || fail "the actions did not come to their end"
grep -o '<ol id="seen">.*</ol>' "$TMP/dom" | sed 's,</li>,\n,g; s,<[^>]*>,,g' | sed '/^$/d' >"$TMP/seen"
if [ -n "$update" ]; then
    cp "$TMP/seen" "$expected"
else
    diff -u "$expected" "$TMP/seen" || fail "the actions show something else"
fi

# The page with everything.
tacho predict "$TMP/code.s" -a SKL --html "$TMP/all.html" >/dev/null || fail "no page of everything"
dom "$TMP/all.html" >"$TMP/dom"
grep -q 'data-ready="yes"' "$TMP/dom" || fail "the page of everything has not drawn itself"
! grep -q 'data-problem' "$TMP/dom" || fail "$(grep -o 'data-problem="[^"]*"' "$TMP/dom")"
[ "$(grep -o '<b id="hostile\|<script id="hostile' "$TMP/dom" | wc -l)" = 0 ] || fail "a name was taken for HTML"
for title in 'What limits it' 'Each component alone' 'Where the issue slots go' '>µops of each instruction' '>Dependencies' \
    'How full the queues are' 'Cycles by the place of the code' '>Timeline' \
    'Load of each port' '% of the cycles"><th' 'What if there were' '% fewer cycles"><th' 'scope="col" hidden=""[^>]*>p4<'; do
    grep -q "$title" "$TMP/dom" || fail "no part '$title'"
done
[ "$(grep -o '<g data-from=' "$TMP/dom" | wc -l)" -ge 3 ] || fail "no dependencies are drawn"
[ "$(grep -o '<title>[0-9]*: [0-9.]* cycles' "$TMP/dom" | wc -l)" = 64 ] || fail "not 64 places of the code"


# How much data an iteration works on, as in text.
printf '%s\n' 'vpmovzxbd (%rdi,%rax), %ymm0' 'vmovdqu %ymm0, (%rsi,%rax,4)' 'addq $8, %rax' >"$TMP/elements.s"
tacho predict "$TMP/elements.s" -a SKL --html "$TMP/elements.html" >"$TMP/said" || fail "no page of elements"
dom "$TMP/elements.html" | sed '/<script/,/<\/script>/d' >"$TMP/dom"
words=$(tacho predict "$TMP/elements.s" -a SKL | sed -n 's/^elements  *//p')
[ "${words#*(8 elements of 1 to 4 bytes an iteration)}" != "$words" ] || fail "the text says: $words"
grep -q "<dd>$words</dd>" "$TMP/dom" || fail "the page does not say: $words"

# Names of JSON are shown as words: the data, which has them, is taken out before looking.
tacho predict --hex 'f0 48 01 07' -a SKX --html "$TMP/words.html" >/dev/null || fail "no page of a locked instruction"
dom "$TMP/words.html" | sed '/<script/,/<\/script>/d' >"$TMP/dom"
grep -q 'Empty slots are due to [^_]*<' "$TMP/dom" || fail "no words for empty slots"
! grep -o -w 'start_intervals\|same_core\|port_conflicts\|store_forward\|micro_fused\|lsd\|dsb' "$TMP/dom" || fail "names instead of words"

# Without figures for all instructions the page begins with a lower bound (fldpi: not in Zen 5's table).
tacho predict --hex 'd9eb ddd8' -a ZEN5 --html "$TMP/lacking.html" >/dev/null || fail "no page without figures"
dom "$TMP/lacking.html" | sed '/<script/,/<\/script>/d' >"$TMP/dom"
grep -q 'at least' "$TMP/dom" || fail "the page does not say that the result is a lower bound"

# Several cores: side by side, and one of them in full; one that cannot execute the code says why.
printf '%s\n' 'l: vfmadd231ps (%rdi), %ymm1, %ymm0' 'imulq %rax, %rax' 'addq $32, %rdi' 'decq %rcx' 'jnz l' >"$TMP/loop.s"
tacho predict "$TMP/loop.s" -a SNB,SKL,ZEN5 --html "$TMP/cores.html" >/dev/null 2>&1
[ $? = 3 ] || fail "one of three cores fails, and the status does not say so"
dom "$TMP/cores.html" '#core=ZEN5' | sed '/<script/,/<\/script>/d' >"$TMP/dom"
grep -q 'data-ready="yes"' "$TMP/dom" || fail "the page of several cores has not drawn itself"
! grep -q 'data-problem' "$TMP/dom" || fail "cores: $(grep -o 'data-problem="[^"]*"' "$TMP/dom")"
[ "$(grep -o '<tr[^>]*data-core=' "$TMP/dom" | wc -l)" = 3 ] || fail "not a row for each of three cores"
grep -q 'SNB has no FMA' "$TMP/dom" || fail "the page does not say why SNB has no result"
grep -q 'id="place-title"[^>]*>ZEN5: ' "$TMP/dom" || fail "the address does not choose a core"
[ "$(grep -o 'class="bound binds"' "$TMP/dom" | wc -l)" -ge 2 ] || fail "the limits of two cores are not marked"
grep -q '>Dependencies' "$TMP/dom" || fail "the chosen core has no report"

# With --data a line for each level, that which was asked for marked.
tacho predict "$TMP/loop.s" -a SKX --data L2 --memory "$(dirname "$0")/memories/made-up.txt" --html "$TMP/data.html" >"$TMP/said" || fail "no page of --data"
dom "$TMP/data.html" | sed '/<script/,/<\/script>/d' >"$TMP/dom"
grep -q 'With its data in each level' "$TMP/dom" && grep -q '<tr class="chosen"><td class="asm">L2<' "$TMP/dom" ||
    fail "the page does not say what --data does"

# AMD's cores in AMD's words: facts, bars, columns and pictures; beside an Intel core each in its own.
tacho predict "$TMP/loop.s" -a SKL,ZEN5 --html "$TMP/two.html" >/dev/null || fail "no page of SKL and ZEN5"
shown() { dom "$@" | sed '/<script/,/<\/script>/d; /<dialog/,/<\/dialog>/d'; }
shown "$TMP/two.html" '#core=ZEN5' >"$TMP/dom"
for words in '>DSB</td>' '>op cache</td>' '>DSB, op cache</td>' '<dt>µops from</dt><dd>op cache' '<th[^>]*>op cache' 'µops from: op cache'; do
    grep -q "$words" "$TMP/dom" || fail "SKL, ZEN5: no '$words'"
done
printf '%s\n' 'l: cpuid' 'imulq %rax, %rax' 'jmp l' >"$TMP/microcode.s"
tacho predict "$TMP/microcode.s" -a ZEN5 --html "$TMP/amd.html" >/dev/null || fail "no page of ZEN5"
shown "$TMP/amd.html" >"$TMP/dom"
grep -q '<th[^>]*>microcode' "$TMP/dom" || fail "ZEN5: no column of microcode"
! grep -o '.*\b\(DSB\|MITE\|MS\)\b.*' "$TMP/dom" || fail "ZEN5 in Intel's words"
# The filter takes both vendors' words, whole ones: the beginning of "decoders" is an instruction's name.
matching() { shown "$1" "$2" | sed -n 's/.*id="count"[^>]*>\([0-9]*\) of [0-9]* µops.*/\1/p'; }
microcode=$(matching "$TMP/amd.html" '#filter=MS')
[ "${microcode:-0}" -gt 0 ] && [ "$(matching "$TMP/amd.html" '#filter=microcode')" = "$microcode" ] || fail "filter: MS has $microcode µops, microcode others"
[ "$(matching "$TMP/amd.html" '#filter=micro')" = 0 ] || fail "filter: the beginning of a source is taken for it"
tacho predict "$TMP/loop.s" -a ZEN5 --html "$TMP/one.html" >/dev/null || fail "no page of ZEN5's loop"
[ "$(matching "$TMP/one.html" '#filter=op%20cache')" -gt 0 ] || fail "filter: nothing is from the op cache"

# Several loops: all of them, and one in full.
printf '%s\n' 'f:' 'a: imulq %rax, %rax' 'decq %rcx' 'jnz a' 'b: addq $1, (%rdi)' 'decq %rcx' 'jnz b' 'ret' >"$TMP/loops.s"
tacho predict "$TMP/loops.s" -a SKL --html "$TMP/loops.html" >/dev/null 2>&1 || fail "no page of two loops"
dom "$TMP/loops.html" '#loop=f%2B0x9,%20lines%205–7' | sed '/<script/,/<\/script>/d' >"$TMP/dom"
! grep -q 'data-problem' "$TMP/dom" || fail "loops: $(grep -o 'data-problem="[^"]*"' "$TMP/dom")"
[ "$(grep -o '<tr[^>]*data-core=' "$TMP/dom" | wc -l)" = 2 ] || fail "not a row for each of two loops"
grep -q 'id="place-title"[^>]*>f+0x9, lines 5–7: ' "$TMP/dom" || fail "the address does not choose a loop"

for scheme in light dark; do
    dom "$TMP/page.html" "#theme=$scheme&filter=imul&uop=3" >"$TMP/dom"
    grep -q "data-theme=\"$scheme\"" "$TMP/dom" || fail "the address does not choose $scheme"
    grep -q 'data-ready="yes"' "$TMP/dom" || fail "$scheme: the page has not drawn itself"
    ! grep -q 'data-problem' "$TMP/dom" || fail "$scheme: $(grep -o 'data-problem="[^"]*"' "$TMP/dom")"
done
if grep -o -E '(src|href)="[a-z]+:[^"]*"|url\([^)]*\)|https?://[a-zA-Z0-9./]*' "$TMP/page.html" "$TMP/all.html" "$TMP/cores.html" | grep -v 'http://www.w3.org/2000/svg'; then
    fail "the page names other places"
fi
[ "$failures" = 0 ]
