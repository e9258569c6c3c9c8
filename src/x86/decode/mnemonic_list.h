/* mnemonic_list.h - what the files share that know the decoder library: whether an instruction is one of a
 * few; registers. */
#ifndef TACHO_DECODE_MNEMONIC_LIST_H
#define TACHO_DECODE_MNEMONIC_LIST_H

#include <Zydis/Zydis.h>
#include <stddef.h>

#include "base/each.h"
#include "x86/decode/insn_struct.h"

static inline bool mnemonic_in_list(uint16_t mnemonic, const uint16_t *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (list[i] == mnemonic)
            return true;
    return false;
}
#define MNEMONIC_(unused, name) ZYDIS_MNEMONIC_##name
#define IN_LIST(mnemonic, ...)                                                                               \
    mnemonic_in_list(mnemonic, (const uint16_t[]){EACH(MNEMONIC_, , __VA_ARGS__)},                           \
                     sizeof((const uint16_t[]){EACH(MNEMONIC_, , __VA_ARGS__)}) / sizeof(uint16_t))

/* Of class none where it is none, of the unknown others where nothing above knows it. */
tacho_reg reg_from_zydis(ZydisRegister reg);

#endif
