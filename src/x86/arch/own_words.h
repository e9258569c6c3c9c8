/* own_words.h - what vendors call the same parts of their cores. */
#ifndef TACHO_X86_OWN_WORDS_H
#define TACHO_X86_OWN_WORDS_H

#include "base/private.h"
#include "x86/arch/arch_struct.h"

/** Whose words for the same things are others: op cache, ALU, AGU, FP. */
static inline bool arch_is_amd(const tacho_arch *arch)
{
    return arch->port_policy == TACHO_PORTS_AT_DISPATCH;
}

static inline const char *arch_vendor(const tacho_arch *arch)
{
    return arch_is_amd(arch) ? "AMD" : "Intel";
}

/** What the model calls a part of the core by Intel's word, AMD another; and the head of a column. */
typedef struct own_word {
    const char *word, *amd, *column;
} own_word;

TACHO_PRIVATE extern const own_word tacho_own_words[]; /**< the last one's word is NULL */
/** NULL: the core's vendor has no other one. */
TACHO_PRIVATE const own_word *tacho_own_word_row(const tacho_arch *arch, const char *word);
/** "op cache" for "DSB" on AMD's cores; else `word`. */
TACHO_PRIVATE const char *tacho_own_word(const tacho_arch *arch, const char *word);

#endif
