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

/** The part that a block with this key belongs to when a suite is split: part k gets shares[k] of the sum of
 *  the shares, as exactly as chance has it. It depends on nothing but key and shares, so a block stays in its
 *  part whatever else the suite holds.
 *  @param shares  with a sum from 1 to 2^32 - 1
 *  @return a number below `count` */
TACHO_API uint32_t tacho_suite_part(uint64_t key, const uint32_t *shares, uint32_t count);

/** The next name in a list of applications. Names are separated by ";", or by a "+" between characters that
 *  are no "+" ("redis+sqlite", but "g++" is one name); white space around them does not belong to them, and
 *  empty ones are passed over.
 *  @param rest where to look; moved behind the name
 *  @return false at the end; else *name (not terminated, in the list) and *length */
TACHO_API bool tacho_suite_next_app(const char **rest, const char **name, size_t *length);

enum {
    TACHO_LOOP_MIN_INSTRUCTIONS = 5, /**< blocks with fewer are unrolled until they have so many */
    TACHO_LOOP_EXTRA_BYTES = 80      /**< that a loop variant takes at most beyond its block */
};

/** How a block was made a loop. */
typedef struct tacho_loop_variant {
    size_t size;           /**< bytes of the loop */
    uint32_t instructions; /**< of the block itself */
    uint32_t unroll;       /**< copies of the block in the loop's body, at least 1 */
    uint8_t counter;       /**< number of the general register that counts (RAX 0 ... R15 15); never RSP */
} tacho_loop_variant;

/** Makes a block a loop as the uiCA paper's BHive_L has it (section 5.2): the block, `dec Rx` (64 bits),
 *  `jnz` to its start, where Rx is a general register of which the block uses no part, not even implicitly.
 *  With `unroll_short` a block of fewer than five instructions is repeated until the loop has at least five
 *  besides `dec` and `jnz`. The block's bytes stay as they are, so that displacements relative to RIP lead
 *  elsewhere in each copy.
 *  @param code  the bytes of at least one instruction, without branches, calls, returns and system calls
 *  @param out   room for size + TACHO_LOOP_EXTRA_BYTES bytes
 *  @return 0; TACHO_ERR_INPUT (bytes that are no instruction, an instruction that goes elsewhere: err->offset
 *  says where); TACHO_ERR_UNSUPPORTED when the block uses all general registers; TACHO_ERR_LIMIT over 1 GiB
 */
TACHO_API int tacho_suite_loop(uint8_t *out, tacho_loop_variant *variant, const uint8_t *code, size_t size,
                               bool unroll_short, tacho_error *err);

#ifdef __cplusplus
}
#endif
#endif
