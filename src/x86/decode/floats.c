/* floats.c - floating-point arithmetic by mnemonics; see floats.h. */
#include "x86/decode/floats.h"

#include <Zydis/Zydis.h>

#include "x86/decode/ops.h"

#define OF(name, operation, from, to)                                                                        \
    [ZYDIS_MNEMONIC_##name] = {operation, from, to}, [ZYDIS_MNEMONIC_V##name] = {operation, from, to}
#define PACKED(name, operation)                                                                              \
    OF(name##PS, operation, FLOAT_PS, FLOAT_PS), OF(name##PD, operation, FLOAT_PD, FLOAT_PD)
#define ALL(name, operation)                                                                                 \
    OF(name##SS, operation, FLOAT_SS, FLOAT_SS), OF(name##SD, operation, FLOAT_SD, FLOAT_SD),                \
        PACKED(name, operation)
#define ONE(name, kind)      [ZYDIS_MNEMONIC_##name] = {FLOAT_FUSED, kind, kind}
#define FUSED_PACKED(name)   ONE(name##PS, FLOAT_PS), ONE(name##PD, FLOAT_PD)
#define FUSED_ORDER(name)    ONE(name##SS, FLOAT_SS), ONE(name##SD, FLOAT_SD), FUSED_PACKED(name)
#define FUSED(name)          FUSED_ORDER(name##132), FUSED_ORDER(name##213), FUSED_ORDER(name##231)
#define FUSED_BY_TURNS(name) FUSED_PACKED(name##132), FUSED_PACKED(name##213), FUSED_PACKED(name##231)

static const float_arithmetic rows[ZYDIS_MNEMONIC_MAX_VALUE + 1] = {
    ALL(ADD, FLOAT_ADD),
    ALL(SUB, FLOAT_ADD),
    ALL(MUL, FLOAT_MULTIPLY),
    ALL(DIV, FLOAT_DIVIDE),
    ALL(SQRT, FLOAT_ROOT),
    PACKED(ADDSUB, FLOAT_ADD),
    PACKED(HADD, FLOAT_ADD),
    PACKED(HSUB, FLOAT_ADD),
    FUSED(VFMADD),
    FUSED(VFMSUB),
    FUSED(VFNMADD),
    FUSED(VFNMSUB),
    FUSED_BY_TURNS(VFMADDSUB),
    FUSED_BY_TURNS(VFMSUBADD),
    OF(CVTSS2SD, FLOAT_CONVERT, FLOAT_SS, FLOAT_SD),
    OF(CVTSD2SS, FLOAT_CONVERT, FLOAT_SD, FLOAT_SS),
    OF(CVTPS2PD, FLOAT_CONVERT, FLOAT_PS, FLOAT_PD),
    OF(CVTPD2PS, FLOAT_CONVERT, FLOAT_PD, FLOAT_PS),
};

float_arithmetic tacho_insn_floats(const tacho_insn *insn)
{
    return insn->mnemonic <= ZYDIS_MNEMONIC_MAX_VALUE ? rows[insn->mnemonic] : (float_arithmetic){0};
}

#define BOTH(name)         [ZYDIS_MNEMONIC_##name] = true, [ZYDIS_MNEMONIC_V##name] = true
#define BOTH_PACKED(name)  BOTH(name##PS), BOTH(name##PD)
#define BOTH_SCALARS(name) BOTH(name##SS), BOTH(name##SD)

bool insn_is_of_floats(const tacho_insn *insn)
{
    static const bool others[ZYDIS_MNEMONIC_MAX_VALUE + 1] = {
        BOTH_PACKED(AND),  BOTH_PACKED(ANDN),  BOTH_PACKED(OR),     BOTH_PACKED(XOR), BOTH_PACKED(CMP),
        BOTH_SCALARS(CMP), BOTH_PACKED(ROUND), BOTH_SCALARS(ROUND), BOTH_PACKED(DP),  BOTH(RCPPS),
        BOTH(RCPSS),       BOTH_SCALARS(MOV),  BOTH(CVTDQ2PS),      BOTH(CVTDQ2PD),   BOTH(CVTPS2DQ),
        BOTH(CVTPD2DQ),    BOTH(CVTTPS2DQ),    BOTH(CVTTPD2DQ),     BOTH(CVTSI2SS),   BOTH(CVTSI2SD),
        BOTH(CVTSS2SI),    BOTH(CVTSD2SI),     BOTH(CVTTSS2SI),     BOTH(CVTTSD2SI),  BOTH_PACKED(MIN),
        BOTH_PACKED(MAX),  BOTH_SCALARS(MIN),  BOTH_SCALARS(MAX)};
    return tacho_insn_floats(insn).operation != FLOAT_NOT ||
           insn_is(insn, INSN_RECIPROCAL_ROOT | INSN_COMPARES_FLOATS) ||
           (insn->mnemonic <= ZYDIS_MNEMONIC_MAX_VALUE && others[insn->mnemonic]);
}
