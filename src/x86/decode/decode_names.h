/* decode_names.h - generated names of mnemonics and registers, and the way back. */
#ifndef TACHO_DECODE_NAMES_H
#define TACHO_DECODE_NAMES_H

#include <stddef.h>
#include <stdint.h>

extern const char tacho_gen_mnemonic_text[];
extern const uint16_t tacho_gen_mnemonic_offset[];
extern const uint16_t tacho_gen_mnemonic_count;

/** The mnemonic of that (upper-case) name, 0 if there is none. */
uint16_t tacho_mnemonic_find(const char *name, size_t length);

/** A register's name as a number: one character a byte. */
static inline uint64_t tacho_register_key(const char *name, size_t length)
{
    uint64_t key = 0;
    while (length--)
        key = key << 8 | (uint8_t)*name++;
    return key;
}
typedef struct register_name {
    uint64_t key;
    uint16_t number; /**< Zydis's */
} register_name;
/** Those that an assembler has, by their keys. */
extern const register_name tacho_gen_registers[];
extern const uint16_t tacho_gen_register_count;

#endif
