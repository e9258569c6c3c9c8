/* learn_decode.h - what experiments about the decoders share. */
#ifndef TACHO_LEARN_DECODE_H
#define TACHO_LEARN_DECODE_H

#include "learn/loopset.h"

/** Whether unrolled code comes from the decoders here. If not, `names` (separated by spaces, static, each for
 *  its own) are said to be of no account, or undecided where it is not known. */
bool learn_decodes_copies(loopset *s, const char *const *names, size_t count);
/** Adds a plain instruction that needs the complex decoder, of number `kind`, on the `n`-th of some
 * registers. */
void learn_add_complex(loopset *s, unsigned kind, unsigned n);

enum {
    LEARN_COMPLEX_KINDS = 3
};

#endif
