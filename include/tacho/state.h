/* state.h - in which way a block is repeated, and from which state: the same words for predicting and
 * measuring.
 *
 * Core: stable within a major version. */
#ifndef TACHO_STATE_H
#define TACHO_STATE_H

#include <stdint.h>

typedef enum tacho_mode {
    TACHO_MODE_AUTO = 0, /**< loop where the code ends in a branch, else unroll */
    TACHO_MODE_LOOP,     /**< TPL: the block ends in a branch back to its start */
    TACHO_MODE_UNROLL,   /**< TPU: copies of the block one after the other */
} tacho_mode;

/** What is assumed of the registers before the first iteration. */
typedef enum tacho_init {
    TACHO_INIT_DISTINCT = 0, /**< all different, never aliasing */
    TACHO_INIT_ALIGNED,      /**< distinct, each a multiple of 64 */
    TACHO_INIT_SAME,         /**< all registers and memory words hold one value, a multiple of 64 */
} tacho_init;

enum {
    TACHO_MAX_ALIASES = 64
};

/** What is known of a pointer before the first iteration: reg = base + offset. */
typedef struct tacho_alias {
    uint8_t reg, base; /**< general registers, by number; not chained: base must not be another alias's reg */
    int64_t offset;    /**< bytes */
} tacho_alias;

#endif
