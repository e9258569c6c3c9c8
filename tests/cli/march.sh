#!/bin/sh
# march.sh ARCH=MARCH ... - what GCC compiles for a core with -march, the core has here, too. Not the other way
# round: GCC leaves out what some products lack, and what no compiler makes.
set -u
command -v gcc >/dev/null || {
    echo "skipped: gcc is not installed"
    exit 77
}
compared=0 failed=0
for pair; do
    arch=${pair%%=*} march=${pair#*=}
    list=$(gcc "-march=$march" -Q --help=target 2>/dev/null) || {
        echo "$march: not known to this gcc"
        continue
    }
    # Of gcc's options, those that are named as here but for punctuation; "avx512vnni" is AVX-512_VNNI.
    wanted=$(echo "$list" | sed -n 's/^  -m\([a-z0-9.-]*\)[[:space:]]*\[enabled\].*/\1/p')
    case " $(echo $wanted) " in
    *" sse2 "*) ;;
    *)
        echo "$march: not known to this gcc"
        continue
        ;;
    esac
    has=$(tacho arch "$arch" --json | sed -n '/"extensions"/,/}/s/^    "\([^"]*\)".*/\1/p' | tr A-Z a-z | tr -d '_-')
    compared=$((compared + 1))
    for name in $wanted; do
        case $name in
        avx512* | avx | avx2 | avxvnni | adx | aes | bmi2 | clflushopt | clwb | clzero | cx16 | f16c | fma | fsgsbase | gfni | \
            kl | lzcnt | movbe | movdir64b | movdiri | mwaitx | pclmul | pconfig | pku | popcnt | rdpid | rdrnd | rdseed | rtm | \
            sahf | sgx | sha | sse3 | sse4.1 | sse4.2 | sse4a | ssse3 | bmi | vaes | vpclmulqdq | waitpkg | widekl | \
            xsave | xsavec | xsaveopt | xsaves | serialize | ptwrite | uintr | hreset | enqcmd | amx-*) ;;
        *) continue ;;
        esac
        case $arch:$name in # GCC 12 has them, later ones do not
        ADL:sgx | ADL:pconfig | SPR:avx512vp2intersect) continue ;;
        esac
        case $name in
        bmi) name=bmi1 ;;
        pclmul) name=pclmulqdq ;;
        rdrnd) name=rdrand ;;
        sahf) name=lahf ;;
        mwaitx) name=monitorx ;;
        amx-*) name=$(echo "$name" | tr -d '-') ;;
        esac
        echo "$has" | grep -qxF "$name" || {
            echo "$arch: gcc -march=$march has $name, which is not among the core's extensions"
            failed=1
        }
    done
done
echo "$compared cores compared"
[ $compared -gt 0 ] || {
    echo "skipped: this gcc knows none of the names"
    exit 77
}
exit $failed
