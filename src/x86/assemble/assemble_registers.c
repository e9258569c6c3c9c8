/* assemble_registers.c - the names of registers. */
#include "base/search.h"
#include "x86/assemble/assembling.h"
#include "x86/decode/decode_names.h"

/* Names that Zydis has not: DBn for DRn, RnL for RnB, ST for ST0. */
static size_t other_name(char *name, size_t length)
{
    if (length == 2 && !memcmp(name, "st", 2)) {
        name[length++] = '0';
    } else if (name[0] == 'd' && name[1] == 'b')
        name[1] = 'r';
    else if (name[0] == 'r' && name[length - 1] == 'l' && name[1] >= '0' && name[1] <= '9')
        name[length - 1] = 'b';
    return length;
}

ZydisRegister as_register(const char *given, size_t length)
{
    char name[7];
    if (length < 2 || length > 5)
        return ZYDIS_REGISTER_NONE;
    for (size_t i = 0; i < length; i++)
        name[i] = tacho_lower(given[i]);
    length = other_name(name, length);
    const uint64_t key = tacho_register_key(name, length);
    const size_t count = tacho_gen_register_count,
                 i = tacho_count_below(tacho_gen_registers, count, sizeof *tacho_gen_registers, key);
    return i < count && tacho_gen_registers[i].key == key ? (ZydisRegister)tacho_gen_registers[i].number
                                                          : ZYDIS_REGISTER_NONE;
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
