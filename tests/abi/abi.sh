#!/bin/sh
# abi.sh LIBRARY COMPILER [ARGUMENT]...: the binary interface of libtacho is the one that tests/abi/libtacho.abi describes.
# abi.sh --update: writes that file anew; doc/LIBRARY.md says when.
#
# Types are taken from the headers, so that they do not depend on how the library was built: each public function gets
# a body that does nothing, compiled with debug information. Which functions there are is asked of the library itself.
set -u
described=tests/abi/libtacho.abi
for tool in abidw abidiff; do
    command -v $tool >/dev/null || { echo "skipped: no $tool (Debian: abigail-tools)"; exit 77; }
done
TMP=$(mktemp -d) || exit 1
trap 'rm -rf "$TMP"' EXIT
library=$1
shift
[ "$library" = --update ] && set -- cc

# The preprocessed header, with each `__attribute__((visibility("default"))) ... ;` as a definition.
echo '#include <tacho/tacho.h>' | "$@" -Iinclude -E -P - | tr '\n' ' ' | sed 's/;/;\n/g' |
    sed 's/^\(.*__attribute__((visibility("default"))).*\);$/\1 { __builtin_trap(); }/
        /__builtin_trap/s/__attribute__((format([^()]*)))//' >"$TMP/tacho.c"
(cd "$TMP" && "$@" -std=gnu11 -g -O0 -fPIC -shared tacho.c -o libtacho.so) || { echo "failed: the headers do not compile"; exit 1; }
abidw --no-corpus-path --no-comp-dir-path --no-show-locs --no-architecture --no-elf-needed --no-parameter-names \
    --no-write-default-sizes --type-id-style hash "$TMP/libtacho.so" >"$TMP/now.abi" || { echo "failed: abidw"; exit 1; }
if [ "$library" = --update ]; then
    cp "$TMP/now.abi" $described
    exit
fi

if ! abidiff $described "$TMP/now.abi" >"$TMP/differences"; then
    cat "$TMP/differences"
    echo "failed: not as in $described; doc/LIBRARY.md, Versions, says what may change and how that is noted"
    exit 1
fi

sed -n "s/.*<elf-symbol name='\([^']*\)'.*/\1/p" $described | sort >"$TMP/described"
nm -D --defined-only "$library" | sed -n 's/.* T \(tacho_[^@]*\)@@TACHO_2$/\1/p' | sort >"$TMP/exported"
if [ ! -s "$TMP/exported" ]; then
    echo "skipped: the library's symbols have no versions here"
    exit 77
fi
# Versions are absolute symbols; all other names are ours.
for file in "$library" "$(dirname "$library")/libtacho-tools.so"; do
    [ -e "$file" ] || continue
    foreign=$(nm -D --defined-only "$file" | awk '$2 != "A" { sub(/@.*/, "", $3); if ($3 !~ /^tacho_/) print $3 }')
    [ -z "$foreign" ] || { echo "failed: $file exports what is not tacho's: $(echo $foreign)"; exit 1; }
done
diff "$TMP/described" "$TMP/exported" || { echo "failed: libtacho has other functions (>) than its headers (<)"; exit 1; }
