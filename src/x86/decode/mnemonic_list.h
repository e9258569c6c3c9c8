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

/* Decodes all of these bytes with all modes of the decoder, as on the newest processors. `operands`: room for
 * ZYDIS_MAX_OPERAND_COUNT, or NULL. @return false: they are not one instruction */
bool zydis_decode(ZydisDecodedInstruction *out, ZydisDecodedOperand *operands, const uint8_t *bytes,
                  size_t length);

/* What AT&T's assemblers call x87 arithmetic whose result is not in ST0: FSUB FSUBR and the other way round
 * (a bug of the first such assembler that all kept); other instructions what they are. */
uint16_t att_swapped(uint16_t mnemonic);

/* 0: none */
unsigned zydis_broadcast_count(ZydisBroadcastMode mode);
ZydisBroadcastMode zydis_broadcast_mode(unsigned count);

/* Zydis numbers its registers in runs; each run is one class with ascending encodings. */
typedef struct reg_run {
    uint8_t class_, number; /* of the run's first register */
    uint16_t first;
} reg_run;
extern const reg_run zydis_runs[ZYDIS_REGISTER_MAX_VALUE + 1];

/* Of class none where it is none, of the unknown others where nothing above knows it. */
static inline tacho_reg reg_from_zydis(ZydisRegister reg)
{
    if (reg == ZYDIS_REGISTER_NONE)
        return (tacho_reg){TACHO_REG_NONE, 0};
    const reg_run *run = &zydis_runs[reg];
    if (run->class_ == TACHO_REG_NONE)
        return (tacho_reg){TACHO_REG_OTHER, TACHO_OTHER_UNKNOWN};
    return (tacho_reg){run->class_, (uint8_t)(run->number + (reg - run->first))};
}

/* NONE: there is no such one. */
ZydisRegister reg_to_zydis(tacho_reg reg);

#endif
