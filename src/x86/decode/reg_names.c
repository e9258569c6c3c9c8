/* reg_names.c - the names of registers, and what Zydis calls them. */
#include "x86/decode/mnemonic_list.h"
#include "x86/decode/regs.h"

#define RUN(first, last, class, number)                                                                      \
    [ZYDIS_REGISTER_##first... ZYDIS_REGISTER_##last] = {class, number, ZYDIS_REGISTER_##first}
const reg_run zydis_runs[ZYDIS_REGISTER_MAX_VALUE + 1] = {
    RUN(RAX, R15, TACHO_REG_R64, 0),
    RUN(EAX, R15D, TACHO_REG_R32, 0),
    RUN(XMM0, XMM31, TACHO_REG_XMM, 0),
    RUN(YMM0, YMM31, TACHO_REG_YMM, 0),
    RUN(ZMM0, ZMM31, TACHO_REG_ZMM, 0),
    RUN(AL, BL, TACHO_REG_R8L, 0),
    RUN(AH, BH, TACHO_REG_R8H, 0),
    RUN(SPL, R15B, TACHO_REG_R8L, 4),
    RUN(AX, R15W, TACHO_REG_R16, 0),
    RUN(RIP, RIP, TACHO_REG_RIP, 0),
    RUN(EIP, EIP, TACHO_REG_RIP, 0),
    RUN(K0, K7, TACHO_REG_K, 0),
    RUN(MM0, MM7, TACHO_REG_MM, 0),
    RUN(ST0, ST7, TACHO_REG_ST, 0),
    RUN(ES, GS, TACHO_REG_SEG, 0),
    RUN(CR0, CR15, TACHO_REG_CR, 0),
    RUN(DR0, DR15, TACHO_REG_DR, 0),
    RUN(BND0, BND3, TACHO_REG_BND, 0),
    RUN(TMM0, TMM7, TACHO_REG_TMM, 0),
    RUN(MXCSR, MXCSR, TACHO_REG_OTHER, TACHO_OTHER_MXCSR),
    RUN(X87CONTROL, X87CONTROL, TACHO_REG_OTHER, TACHO_OTHER_X87CONTROL),
    RUN(X87STATUS, X87STATUS, TACHO_REG_OTHER, TACHO_OTHER_X87STATUS),
    RUN(X87TAG, X87TAG, TACHO_REG_OTHER, TACHO_OTHER_X87TAG),
    RUN(GDTR, GDTR, TACHO_REG_OTHER, TACHO_OTHER_GDTR),
    RUN(IDTR, IDTR, TACHO_REG_OTHER, TACHO_OTHER_IDTR),
    RUN(LDTR, LDTR, TACHO_REG_OTHER, TACHO_OTHER_LDTR),
    RUN(TR, TR, TACHO_REG_OTHER, TACHO_OTHER_TR),
    RUN(XCR0, XCR0, TACHO_REG_OTHER, TACHO_OTHER_XCR0),
    RUN(PKRU, PKRU, TACHO_REG_OTHER, TACHO_OTHER_PKRU),
};
#undef RUN

/* From the last one on: RIP comes before EIP, which are one register to us. */
ZydisRegister reg_to_zydis(tacho_reg reg)
{
    int z = ZYDIS_REGISTER_MAX_VALUE;
    while (z > ZYDIS_REGISTER_NONE && !reg_is_same(reg_from_zydis((ZydisRegister)z), reg))
        z--;
    return (ZydisRegister)z;
}

/* By number. NULL: the class's names are Zydis's. */
static const char *own_name(tacho_reg reg)
{
    static const char *const st[] = {"st(0)", "st(1)", "st(2)", "st(3)", "st(4)", "st(5)", "st(6)", "st(7)"};
    static const char *const flags[] = {"flags", "flags:C", "flags:SPAZO", "flags:C+SPAZO"};
    static const char *const other[] = {"other", "mxcsr",  "x87control", "x87status", "x87tag", "gdtr",
                                        "idtr",  "ldtr",   "tr",         "fsbase",    "gsbase", "msrs",
                                        "tsc",   "tscaux", "xcr0",       "ssp",       "pkru"};
    _Static_assert(sizeof other / sizeof *other == TACHO_OTHER_COUNT, "a name for each");
    switch (reg.class_) {
    case TACHO_REG_ST:
        return reg.number < 8 ? st[reg.number] : "unknown";
    case TACHO_REG_FLAGS:
        return reg.number < 4 ? flags[reg.number] : "unknown";
    case TACHO_REG_OTHER:
        return reg.number < TACHO_OTHER_COUNT ? other[reg.number] : "unknown";
    default:
        return NULL;
    }
}

const char *tacho_reg_name(tacho_reg reg)
{
    const char *own = own_name(reg);
    if (own || reg.class_ == TACHO_REG_NONE || reg.class_ > TACHO_REG_OTHER)
        return own ? own : "none";
    const ZydisRegister of_zydis = reg_to_zydis(reg);
    return of_zydis == ZYDIS_REGISTER_NONE ? "unknown" : ZydisRegisterGetString(of_zydis);
}
