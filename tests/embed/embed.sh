#!/bin/sh
# embed.sh shared LIBRARY PROGRAM [static LIBRARY PROGRAM]: what libtacho needs and shows, and that a program that links it
# alone predicts.
set -u
failures=0
fail() {
    echo "failed: $*"
    failures=$((failures + 1))
}

predicts() {
    [ "$("$1" SKL 480fafc0)" = 3.00 ] || fail "$1 SKL, imul rax, rax: '$("$1" SKL 480fafc0 2>&1)'"
    [ "$("$1" zen5 4801c0)" = 1.00 ] || fail "$1 zen5, add rax, rax: '$("$1" zen5 4801c0 2>&1)'"
    ! "$1" SKL 06 2>/dev/null || fail "$1: no error for 06"
}

# Names that are there for others to link. A sanitizer, the compiler and the linker have names of their own.
shown() {
    nm "$@" --defined-only | awk 'NF == 3 && $2 ~ /[TDRBVW]/ { print $3 }' | sed 's/@.*//' |
        grep -vE '^(tacho_|_init$|_fini$|TACHO_2$|TACHO_PRIVATE$|__(asan|ubsan|sanitizer|sancov|odr_asan)|_?_?(start|stop)__*_sancov)'
}

while [ $# -gt 0 ]; do
    kind=$1 library=$2 program=$3
    shift 3
    predicts "$program"
    case $kind in
    shared)
        others=$(ldd "$library" | sed 's/^[[:space:]]*//; s/ .*//' |
            grep -vE '^(linux-vdso|libc|libm|libZydis|libZycore|libasan|libubsan|libpthread|libgcc_s|libdl|librt)\.so|ld-linux')
        case $(ldd "$library") in
        *libubsan.so*) others=$(echo "$others" | grep -v '^libstdc++\.so') ;; # the sanitizer's own need
        esac
        [ -z "$others" ] || fail "$library needs $others"
        names=$(shown -D "$library") && fail "$library shows $names"
        ;;
    static)
        names=$(shown -g "$library") && fail "$library shows $names"
        # No file, process, thread or environment is reached from here.
        for name in fopen open read write mmap fork execve pthread_create getenv environ system popen socket sigaction; do
            ! nm -u "$library" | grep -qwE "U $name(64)?" || fail "$library uses $name"
        done
        ;;
    esac
done
[ "$failures" = 0 ]
