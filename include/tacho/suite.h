/* suite.h - suites of basic blocks: what is done with each block when a suite is put together.
 *
 * A suite is a CSV file with columns by name: `hex` (the block's bytes), `app` (applications that contain it,
 * separated by ";"), `address`, `count` (how often it was executed); others are kept. `tacho suite` works on
 * such files with the functions below. */
#ifndef TACHO_SUITE_H
#define TACHO_SUITE_H

#include <stdbool.h>
#include "error.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A number in 0 .. 2^64 - 1 made of a block's bytes and a seed: the same on every machine and in every
 *  version of tacho, and for another seed another one that tells nothing of it. Choosing blocks by it does
 * not depend on their order, nor on which others there are. Not meant to withstand those who choose blocks to
 *  make numbers meet. */
TACHO_API uint64_t tacho_suite_key(const uint8_t *code, size_t size, uint64_t seed);

/** The next name in a list of applications. Names are separated by ";", or by a "+" between characters that
 *  are no "+" ("redis+sqlite", but "g++" is one name); white space around them does not belong to them, and
 *  empty ones are passed over.
 *  @param rest where to look; moved behind the name
 *  @return false at the end; else *name (not terminated, in the list) and *length */
TACHO_API bool tacho_suite_next_app(const char **rest, const char **name, size_t *length);

#ifdef __cplusplus
}
#endif
#endif
