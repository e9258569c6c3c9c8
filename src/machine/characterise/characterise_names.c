/* characterise_names.c - names of statuses and paths, and the forms that are worth checking on any machine:
 * what most code consists of, at least one for each kind of execution unit. */
#include "tacho/characterise.h"

#define NAME(names, n) ((size_t)(n) < sizeof(names) / sizeof *(names) ? (names)[n] : "unknown")

const char *tacho_latency_status_name(tacho_latency_status status)
{
    static const char *const names[] = {"ok",          "at-most",  "round-trip",
                                        "independent", "no-chain", "not-measured"};
    return NAME(names, status);
}

const char *tacho_path_name(tacho_path path)
{
    static const char *const names[] = {"register", "address", "address-index", "memory", "same-register"};
    return NAME(names, path);
}

const char *tacho_check_form(size_t n)
{
    static const char *const forms[] = {
        /* scalar arithmetic and logic */
        "ADD (R64, R64)", "ADD (R64, I8)", "SUB (R32, R32)", "XOR (R64, R64)", "INC (R64)", "NEG (R64)",
        "CMP (R64, R64)", "TEST (R64, R64)", "ADC (R64, R64)", "SBB (R64, R64)", "MOV (R64, R64)",
        "MOVZX (R32, R8l)", "MOVSX (R64, R8l)", "BSWAP (R64)", "XCHG (R64, R64)",
        /* shifts and bits */
        "SHL (R64, I8)", "SHL (R64, CL)", "SHLX (R64, R64, R64)", "ROL (R64, I8)", "SHLD (R64, R64, I8)",
        "POPCNT (R64, R64)", "LZCNT (R64, R64)", "TZCNT (R64, R64)", "BSF (R64, R64)", "ANDN (R64, R64, R64)",
        "PDEP (R64, R64, R64)",
        /* multiplication, division */
        "IMUL (R64, R64)", "IMUL (R32, R32)", "MUL (R64)", "DIV (R32)", "DIV (R64)",
        /* addresses, conditions */
        "LEA_B_D8 (R64)", "LEA_B_I (R64)", "LEA_B_IS_D8 (R64)", "CMOVZ (R64, R64)", "CMOVBE (R64, R64)",
        "SETZ (R8l)",
        /* loads and stores */
        "MOV (R64, M64)", "MOV (M64, R64)", "MOVZX (R32, M8)", "ADD (R64, M64)", "ADD (M64, R64)",
        "MOVUPS (XMM, M128)", "MOVUPS (M128, XMM)",
        /* floating point */
        "ADDPD (XMM, XMM)", "MULPD (XMM, XMM)", "ADDSS (XMM, XMM)", "DIVSD (XMM, XMM)", "SQRTSD (XMM, XMM)",
        "VADDPS (YMM, YMM, YMM)", "VFMADD231PD (YMM, YMM, YMM)", "VDIVPD (YMM, YMM, YMM)",
        "UCOMISD (XMM, XMM)",
        /* vector integers, shuffles */
        "PADDD (XMM, XMM)", "VPADDD (YMM, YMM, YMM)", "VPMULLD (YMM, YMM, YMM)", "PMADDWD (XMM, XMM)",
        "PXOR (XMM, XMM)", "PSHUFB (XMM, XMM)", "PSHUFD (XMM, XMM, I8)", "VPERMD (YMM, YMM, YMM)",
        "VINSERTI128 (YMM, YMM, XMM, I8)", "VPBLENDVB (YMM, YMM, YMM, YMM)", "AESENC (XMM, XMM)",
        "PCLMULQDQ (XMM, XMM, I8)",
        /* between files, conversions, gathers */
        "MOVD (R32, XMM)", "MOVD (XMM, R32)", "PMOVMSKB (R32, XMM)", "CVTSI2SD (XMM, R64)",
        "CVTTSD2SI (R64, XMM)", "CVTPS2PD (XMM, XMM)", "VPGATHERDD (YMM, VSIB_YMM, YMM)",
        /* AVX-512 */
        "VPADDD (ZMM, ZMM, ZMM)", "VFMADD231PS (ZMM, ZMM, ZMM)", "VPTERNLOGD (ZMM, ZMM, ZMM, I8)",
        "VPERMB (ZMM, ZMM, ZMM)", "VPCMPEQD (K, ZMM, ZMM)", "KANDW (K, K, K)"};
    return n < sizeof forms / sizeof *forms ? forms[n] : NULL;
}
