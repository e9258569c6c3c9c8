#!/bin/sh
# library.sh BUILD FLAGS COMPILER [ARGUMENT]...: the example of doc/LIBRARY.md is that of examples/library/, and as a user would
# do it is compiled, linked and run: with the flags of tacho's pkg-config file for what is not installed yet.
set -u
build=$1 flags=$2
shift 2
TMP=$(mktemp -d) || exit 1
trap 'rm -rf "$TMP"' EXIT
fail() {
    echo "library.sh: $*"
    exit 1
}
sed -n '/^```c$/,/^```$/p' doc/LIBRARY.md | sed '1d;$d' >"$TMP/page.c"
sed -n '/^#include/,$p' examples/library/predict_block.c | diff -u - "$TMP/page.c" || fail "doc/LIBRARY.md has another example"

if command -v pkg-config >/dev/null && [ -f "$build/meson-uninstalled/tacho-tools-uninstalled.pc" ]; then
    tacho=$(PKG_CONFIG_PATH=$build/meson-uninstalled pkg-config --cflags --libs tacho-tools-uninstalled) || fail "pkg-config"
else
    tacho="-Iinclude -L$build/src -ltacho-tools -ltacho"
fi
# shellcheck disable=SC2086
"$@" -std=c11 -Wall -Wextra -Werror $flags examples/library/predict_block.c -o "$TMP/predict" $tacho || fail "it does not compile"
export LD_LIBRARY_PATH="$build/src"

# That of doc/howto/jit.md, which shows a function of it.
# shellcheck disable=SC2086
"$@" -std=c11 -Wall -Wextra -Werror $flags examples/library/fastest.c -o "$TMP/fastest" $tacho -lm || fail "fastest.c does not compile"
sed -n '/^```c$/,/^```$/p' doc/howto/jit.md | sed '1d;$d' >"$TMP/function.c"
sed -n '/^static double cycles/,/^}/p' examples/library/fastest.c | diff -u - "$TMP/function.c" || fail "doc/howto/jit.md has another function"
said=$("$TMP/fastest" SKL 4801d84801c349ffcf75f5 4801d84801d149ffcf75f5) || fail "fastest.c fails"
[ "$said" = '1: 1.00 cycles' ] || fail "not the code without a chain: $said"
"$TMP/fastest" SKL 06 2>"$TMP/message" && fail "no instruction is no error"

# The third one: a core from a file, a batch, a trace.
# shellcheck disable=SC2086
"$@" -std=c11 -Wall -Wextra -Werror $flags examples/library/slowest.c -o "$TMP/slowest" $tacho || fail "slowest.c does not compile"
printf '4801c0\n06\n480fafc3\n' | "$TMP/slowest" examples/bigger_rob.tacho >"$TMP/trace" 2>"$TMP/message" || fail "slowest.c fails"
[ "$(head -2 "$TMP/trace")" = "$(printf 'line 1: 1.00 cycles\nline 3: 3.00 cycles')" ] || fail "slowest.c: $(cat "$TMP/trace")"
[ "$(grep -c ' compute ' "$TMP/trace")" = 1 ] || fail "not the µop of IMUL: $(cat "$TMP/trace")"
grep -q '^line 2: .*64-bit' "$TMP/message" || fail "a bad line is not named: $(cat "$TMP/message")"
"$TMP/slowest" README.md 2>"$TMP/message" </dev/null && fail "no model is no error"

# So is that of the manual page.
sed -n '/^\.nf$/,/^\.fi$/p' man/tacho.3 | sed '1d;$d;s/\\en/\\n/' >"$TMP/manual.c"
# shellcheck disable=SC2086
"$@" -std=c11 -Wall -Wextra -Werror $flags "$TMP/manual.c" -o "$TMP/manual" $tacho || fail "the manual's does not compile"
[ "$("$TMP/manual")" = '1.00 cycles' ] || fail "not 1 cycle for the manual's"

[ "$("$TMP/predict" SKL examples/dot4.s)" = '4.00 cycles' ] || fail "not 4 cycles for examples/dot4.s"
printf 'vp2intersectd %%zmm1, %%zmm2, %%k2\n' >"$TMP/odd.s"
"$TMP/predict" SKL "$TMP/odd.s" 2>"$TMP/message" && fail "an instruction that the core lacks is no error"
[ "$(wc -l <"$TMP/message")" = 1 ] || fail "not one line: $(cat "$TMP/message")"
"$TMP/predict" zen99 examples/dot4.s 2>"$TMP/message" && fail "an unknown core is no error"
grep -q 'nearest: ZEN5' "$TMP/message" || fail "no message for an unknown core"
"$TMP/predict" SKL "$TMP/none.s" 2>"$TMP/message" && fail "a missing file is no error"
grep -q 'none.s' "$TMP/message" || fail "no message for a missing file"
exit 0
