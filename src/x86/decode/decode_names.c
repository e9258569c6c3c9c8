/* decode_names.c - names of mnemonics; the table is generated, see gen/tables.c. */
#include <string.h>
#include "tacho/decode.h"
#include "x86/decode/decode_names.h"

const char *tacho_mnemonic_name(uint16_t mnemonic)
{
    if (mnemonic >= tacho_gen_mnemonic_count)
        return "INVALID";
    return tacho_gen_mnemonic_text + tacho_gen_mnemonic_offset[mnemonic];
}

/* They are in the order of the alphabet, but for the first one, which is none (gen/tables.c sees to it). */
uint16_t tacho_mnemonic_find(const char *name, size_t length)
{
    uint16_t low = 1, high = tacho_gen_mnemonic_count;
    while (low < high) {
        uint16_t middle = (uint16_t)(low + (high - low) / 2);
        const char *candidate = tacho_mnemonic_name(middle);
        int order = strncmp(candidate, name, length);
        if (!order && !candidate[length])
            return middle;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return 0;
}
