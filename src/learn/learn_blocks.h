/* learn_blocks.h - blocks that a model is judged by: made up of instruction forms, the same ones everywhere.
 */
#ifndef TACHO_LEARN_LEARN_BLOCKS_H
#define TACHO_LEARN_LEARN_BLOCKS_H

#include "learn/subject.h"

/** Whether the block may be in a sample: what it takes may not depend on what its registers hold. */
bool learn_block_is_fit(const subject_loop *l);
/** Adds the instructions of the `number`-th block to a loop: 3 to 12 of the forms, drawn by their shares
 * (learn_form_shares), or the first more often where that is NULL, with registers from a few, so that some
 * depend on others, and addresses that do not alias. Nothing is added where the forms allow none: those that
 * are no part of blocks, and those whose time depends on values.
 *  @return 0; TACHO_ERR_MEMORY, TACHO_ERR_LIMIT */
int learn_block_make(subject_loop *out, const uint32_t *forms, const double *shares, size_t count,
                     uint64_t number, tacho_error *err);

#endif
