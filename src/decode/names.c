/* names.c - names of mnemonics; the table is generated, see gen/tables.c. */
#include <string.h>
#include "tacho/decode.h"
#include "decode/names.h"

const char *tacho_mnemonic_name(uint16_t mnemonic)
{
    if (mnemonic >= tacho_gen_mnemonic_count)
        return "INVALID";
    return tacho_gen_mnemonic_text + tacho_gen_mnemonic_offset[mnemonic];
}

uint16_t tacho_mnemonic_find(const char *name, size_t length)
{
    for (uint16_t i = 1; i < tacho_gen_mnemonic_count; i++) {
        const char *candidate = tacho_mnemonic_name(i);
        if (strncmp(candidate, name, length) == 0 && candidate[length] == '\0')
            return i;
    }
    return 0;
}
