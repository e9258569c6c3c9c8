#!/bin/sh
# run.sh LANGUAGE STANDARD DIRECTORY COMPILER...: compiles every public header alone, and the defaults of
# its options, with the first of the compilers that is there.
set -u
language=$1 standard=$2 directory=$3
shift 3
for compiler in "$@"; do
    command -v "$compiler" >/dev/null 2>&1 && break
    compiler=
done
if [ -z "$compiler" ] || ! echo 'int x;' | $compiler -x "$language" -fsyntax-only - 2>/dev/null; then
    echo "skipped: no compiler for $language"
    exit 77
fi
status=0
for header in "$directory"/tacho/*.h; do
    # Its head says whether it is stable.
    line='Tools: may change with each minor version.'
    if [ "$(basename "$header")" = tacho.h ] || grep -q "^#include \"$(basename "$header")\"" "$directory/tacho/tacho.h"; then
        line='Core: stable within a major version.'
    fi
    sed '/\*\/$/q' "$header" | tail -n 1 | grep -qxF " * $line */" || { echo "$header: its head does not end in '$line'"; status=1; }
    {
        echo "#include \"tacho/$(basename "$header")\""
        sed -n 's/^#define TACHO_\([A-Z_]*\)_OPTIONS_INIT\>.*/\1/p' "$header" | while read -r name; do
            type=tacho_$(echo "$name" | tr A-Z a-z)_options
            echo "$type init_$type(void); $type init_$type(void) { $type o = TACHO_${name}_OPTIONS_INIT; return o; }"
        done
    } |
        $compiler -x "$language" -std="$standard" -pedantic -Wall -Wextra -Werror -fsyntax-only \
            -I"$directory" - || status=1
done
exit $status
