/* deps_words.h - what carries a dependency, in words. */
#ifndef TACHO_REPORT_DEPS_WORDS_H
#define TACHO_REPORT_DEPS_WORDS_H

#include "tacho/deps.h"

enum {
    DEPS_CARRIER_SIZE = 100
};

/** "rax", "carry flag", "[rdi+rcx*8-0x8]". @return out */
const char *deps_carrier(const tacho_dependency *d, char out[DEPS_CARRIER_SIZE]);

#endif
