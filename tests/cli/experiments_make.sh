#!/bin/sh
# experiments_make.sh: bench/experiments-make repeats what it is told to, with registers and offsets of their own, and
# makes both forms of each loop.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
build=$(dirname "$(command -v tacho)")
cat >"$dir/families" <<'END'
# a family of three rows, one of one
stores: {mov [rsi+#], $}*0..2; nop
chain: add rax, 1
END
bench/experiments-make "$build" "$dir/families" >"$dir/rows"
cat >"$dir/expected" <<'END'
family,asm,hex,mode
stores,"nop",90,U
stores,"nop",9049ffca75fa,L
stores,"mov [rsi+0], rbx; nop",48891e90,U
stores,"mov [rsi+0], rbx; nop",48891e9049ffca75f7,L
stores,"mov [rsi+0], rbx; mov [rsi+8], rcx; nop",48891e48894e0890,U
stores,"mov [rsi+0], rbx; mov [rsi+8], rcx; nop",48891e48894e089049ffca75f3,L
chain,"add rax, 1",4883c001,U
chain,"add rax, 1",4883c00149ffca75f7,L
END
diff "$dir/expected" "$dir/rows"
bench/experiments-make "$build" >"$dir/all"
awk -F '"' 'NR > 1 && $3 !~ /^,[0-9a-f]+,[UL]$/ { print "no code: " $0; bad = 1 } END { exit bad || NR < 300 }' "$dir/all"
