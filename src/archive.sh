#!/bin/sh
# archive.sh OBJECTS.a LIBRARY.a: all objects as one, in which names that no user of the library may see are local.
set -eu
object=$2.o
trap 'rm -f "$object"' EXIT
"${LD:-ld}" -r -o "$object" --whole-archive "$1"
"${OBJCOPY:-objcopy}" --localize-hidden "$object"
rm -f "$2"
"${AR:-ar}" rcs "$2" "$object"
