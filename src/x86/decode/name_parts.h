/* name_parts.h - what the beginning and the end of a mnemonic say, for the files of this module that know
 * whole families of them. */
#ifndef TACHO_DECODE_NAME_PARTS_H
#define TACHO_DECODE_NAME_PARTS_H

#include <string.h>

#include "x86/decode/insn_struct.h"
#include "x86/decode/regs.h"

/* Whether the name begins with one of these words, which have spaces between them. */
static inline bool name_begins(const char *name, const char *words)
{
    while (*words) {
        size_t n = strcspn(words, " ");
        if (!strncmp(name, words, n))
            return true;
        words += n + (words[n] == ' ');
    }
    return false;
}

/* Bytes of a whole number; 0: the letter names none. */
static inline uint8_t name_letter_bytes(char c)
{
    return c == 'B' ? 1 : c == 'W' ? 2 : c == 'D' ? 4 : c == 'Q' ? 8 : 0;
}

/* Bytes of a float: "...PS" and the like, in the first `n` characters. */
static inline uint8_t name_float_bytes(const char *name, size_t n)
{
    if (n < 2 || (name[n - 2] != 'P' && name[n - 2] != 'S'))
        return 0;
    return name[n - 1] == 'S' ? 4 : name[n - 1] == 'D' ? 8 : name[n - 1] == 'H' ? 2 : 0;
}

static inline bool insn_has_vector(const tacho_insn *insn)
{
    for (unsigned i = 0; i < insn->operand_count; i++)
        if (reg_is_vector(insn->operands[i].reg) || insn->operands[i].reg.class_ == TACHO_REG_MM)
            return true;
    return false;
}

#endif
