/* gen_mnemonics.c - Zydis' mnemonic names, for the tools that run at build time. The library has a generated
 * copy of them (tacho_mnemonic_name), which these tools cannot use as they write it. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <Zydis/Zydis.h>
#include "tacho/decode.h"
#include "x86/decode/decode_names.h"

const char *tacho_mnemonic_name(uint16_t mnemonic)
{
    static char name[64];
    const char *text = mnemonic <= ZYDIS_MNEMONIC_MAX_VALUE ? ZydisMnemonicGetString(mnemonic) : NULL;
    snprintf(name, sizeof name, "%s", text ? text : "invalid");
    for (char *p = name; *p; p++)
        *p = (char)toupper((unsigned char)*p);
    return name;
}

uint16_t tacho_mnemonic_find(const char *name, size_t length)
{
    for (uint16_t i = 1; i <= ZYDIS_MNEMONIC_MAX_VALUE; i++) {
        const char *text = ZydisMnemonicGetString(i);
        if (text && strlen(text) == length && strncasecmp(text, name, length) == 0)
            return i;
    }
    return 0;
}
