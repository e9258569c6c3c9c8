/* decode_names.h - generated mnemonic names, and the way back. */
#ifndef TACHO_DECODE_NAMES_H
#define TACHO_DECODE_NAMES_H

#include <stddef.h>
#include <stdint.h>

extern const char tacho_gen_mnemonic_text[];
extern const uint16_t tacho_gen_mnemonic_offset[];
extern const uint16_t tacho_gen_mnemonic_count;

/** The mnemonic of that (upper-case) name, 0 if there is none. */
uint16_t tacho_mnemonic_find(const char *name, size_t length);

#endif
