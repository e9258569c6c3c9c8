/* assemble_registers.c - the names of registers. */
#include "x86/assemble/assembling.h"

static const struct {
    const char *name;
    ZydisRegister reg;
} fixed[] = {
#define R(n, z)                                                                                              \
    {                                                                                                        \
        n, ZYDIS_REGISTER_##z                                                                                \
    }
    R("al", AL),   R("ah", AH),   R("ax", AX),   R("eax", EAX), R("rax", RAX), R("bl", BL),   R("bh", BH),
    R("bx", BX),   R("ebx", EBX), R("rbx", RBX), R("cl", CL),   R("ch", CH),   R("cx", CX),   R("ecx", ECX),
    R("rcx", RCX), R("dl", DL),   R("dh", DH),   R("dx", DX),   R("edx", EDX), R("rdx", RDX), R("sil", SIL),
    R("si", SI),   R("esi", ESI), R("rsi", RSI), R("dil", DIL), R("di", DI),   R("edi", EDI), R("rdi", RDI),
    R("spl", SPL), R("sp", SP),   R("esp", ESP), R("rsp", RSP), R("bpl", BPL), R("bp", BP),   R("ebp", EBP),
    R("rbp", RBP), R("rip", RIP), R("eip", EIP), R("es", ES),   R("cs", CS),   R("ss", SS),   R("ds", DS),
    R("fs", FS),   R("gs", GS),   R("st", ST0),
#undef R
};

static const struct {
    const char *prefix;
    uint8_t length, count;
    ZydisRegister first;
} numbered[] = {
    {"xmm", 3, 32, ZYDIS_REGISTER_XMM0}, {"ymm", 3, 32, ZYDIS_REGISTER_YMM0},
    {"zmm", 3, 32, ZYDIS_REGISTER_ZMM0}, {"tmm", 3, 8, ZYDIS_REGISTER_TMM0},
    {"bnd", 3, 4, ZYDIS_REGISTER_BND0},  {"mm", 2, 8, ZYDIS_REGISTER_MM0},
    {"st", 2, 8, ZYDIS_REGISTER_ST0},    {"cr", 2, 16, ZYDIS_REGISTER_CR0},
    {"dr", 2, 16, ZYDIS_REGISTER_DR0},   {"db", 2, 16, ZYDIS_REGISTER_DR0},
    {"k", 1, 8, ZYDIS_REGISTER_K0},
};

/* A number of one or two digits. @return -1: it is none */
static int number_of(const char *at, size_t length)
{
    if (length == 1 && at[0] >= '0' && at[0] <= '9')
        return at[0] - '0';
    if (length == 2 && at[0] >= '1' && at[0] <= '9' && at[1] >= '0' && at[1] <= '9')
        return (at[0] - '0') * 10 + at[1] - '0';
    return -1;
}

/* r8, r8d, r8w, r8b, r8l */
static ZydisRegister extended(const char *name, size_t length)
{
    ZydisRegister first = ZYDIS_REGISTER_R8;
    char last = name[length - 1];
    if (last == 'd' || last == 'w' || last == 'b' || last == 'l') {
        first = last == 'd' ? ZYDIS_REGISTER_R8D : last == 'w' ? ZYDIS_REGISTER_R8W : ZYDIS_REGISTER_R8B;
        length--;
    }
    int n = number_of(name + 1, length - 1);
    return n >= 8 && n <= 15 ? first + (ZydisRegister)(n - 8) : ZYDIS_REGISTER_NONE;
}

ZydisRegister as_register(const char *given, size_t length)
{
    char name[6];
    if (length < 2 || length > 5)
        return ZYDIS_REGISTER_NONE;
    for (size_t i = 0; i < length; i++)
        name[i] = tacho_lower(given[i]);
    name[length] = '\0';
    if (name[0] == 'r' && name[1] >= '0' && name[1] <= '9')
        return extended(name, length);
    if (name[length - 1] >= '0' && name[length - 1] <= '9') {
        for (size_t i = 0; i < sizeof numbered / sizeof *numbered; i++) {
            size_t n = numbered[i].length;
            int number =
                length > n && !memcmp(name, numbered[i].prefix, n) ? number_of(name + n, length - n) : -1;
            if (number >= 0 && number < numbered[i].count)
                return numbered[i].first + (ZydisRegister)number;
        }
        return ZYDIS_REGISTER_NONE;
    }
    for (size_t i = 0; length <= 3 && i < sizeof fixed / sizeof *fixed; i++)
        if (fixed[i].name[0] == name[0] && !strcmp(fixed[i].name, name))
            return fixed[i].reg;
    return ZYDIS_REGISTER_NONE;
}

ZydisRegister as_read_register(as_cursor *c)
{
    size_t n = as_word_length(c->at, c->end, false);
    ZydisRegister r = as_register(c->at, n);
    if (r == ZYDIS_REGISTER_NONE)
        return r;
    const char *at = c->at + n;
    if (r == ZYDIS_REGISTER_ST0 && n == 2) {
        while (at < c->end && *at == ' ')
            at++;
        if (at < c->end && *at == '(') {
            do
                at++;
            while (at < c->end && *at == ' ');
            if (at < c->end && *at >= '0' && *at <= '7') {
                r += (ZydisRegister)(*at++ - '0');
                while (at < c->end && *at == ' ')
                    at++;
                if (at < c->end && *at == ')') {
                    c->at = at + 1;
                    return r;
                }
            }
            return ZYDIS_REGISTER_NONE;
        }
        at = c->at + n;
    }
    c->at = at;
    return r;
}

unsigned as_register_bytes(ZydisRegister r)
{
    if (r >= ZYDIS_REGISTER_ST0 && r <= ZYDIS_REGISTER_ST7)
        return 10;
    switch (ZydisRegisterGetClass(r)) {
    case ZYDIS_REGCLASS_GPR8:
        return 1;
    case ZYDIS_REGCLASS_GPR16:
        return 2;
    case ZYDIS_REGCLASS_GPR32:
        return 4;
    case ZYDIS_REGCLASS_GPR64:
    case ZYDIS_REGCLASS_MMX:
    case ZYDIS_REGCLASS_MASK:
        return 8;
    case ZYDIS_REGCLASS_XMM:
        return 16;
    case ZYDIS_REGCLASS_YMM:
        return 32;
    case ZYDIS_REGCLASS_ZMM:
        return 64;
    default:
        return 0;
    }
}
