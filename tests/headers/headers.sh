#!/bin/sh
# run.sh LANGUAGE STANDARD DIRECTORY COMPILER...: compiles every public header alone, with the first of the
# compilers that is there.
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
    echo "#include \"tacho/$(basename "$header")\"" |
        $compiler -x "$language" -std="$standard" -pedantic -Wall -Wextra -Werror -fsyntax-only \
            -I"$directory" - || status=1
done
exit $status
