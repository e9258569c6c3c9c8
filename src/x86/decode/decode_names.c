/* decode_names.c - names of mnemonics; the table is generated, see gen/tables.c. */
#include <string.h>
#include "base/search.h"
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
    size_t at;
    COUNT_BEFORE(at, tacho_gen_mnemonic_count,
                 !at || strncmp(tacho_mnemonic_name((uint16_t)at), name, length) < 0);
    const char *found = tacho_mnemonic_name((uint16_t)at);
    return at < tacho_gen_mnemonic_count && !strncmp(found, name, length) && !found[length] ? (uint16_t)at
                                                                                            : 0;
}
