/* cache.h - instructions that a predictor has met before, as described and as lowered: the same instructions
 * come again and again. One is recognised by its bytes but for the displacement and an immediate that is only
 * a number, which are filled in. What comes out is what the stages would make (block.h), which run for what
 * is new; without a cache (NULL) they run each time.
 *
 * Bounded: what has grown too large is forgotten at the next block. A cache belongs to one thread. */
#ifndef TACHO_BLOCK_CACHE_H
#define TACHO_BLOCK_CACHE_H

#include "model/block/block.h"

typedef struct insn_cache insn_cache;

/* @return NULL when memory runs out */
TACHO_PRIVATE insn_cache *tacho_insn_cache_new(void);
TACHO_PRIVATE void tacho_insn_cache_free(insn_cache *c);

/* Takes in the code of the block that is to be built next. What was made for other parameters is forgotten if
 * it is that of too many microarchitectures. @return 0 or TACHO_ERR_MEMORY */
TACHO_PRIVATE int tacho_insn_cache_take(insn_cache *c, const tacho_arch *arch, uint32_t variants,
                                        const uint8_t *code, size_t size);
/* The code taken in, and how many bytes: 0 where it is no block's (empty, or too long). */
const uint8_t *insn_cache_code(const insn_cache *c, uint32_t *size);
/* As many bytes, each instruction's as outline_insn leaves it; NULL where the places of its numbers are not
 * told, or memory runs out. */
const uint8_t *insn_cache_outline(insn_cache *c);
/* Whether the decoder has found the numbers there, now that the block is built. All code with the same
 * outline then differs in those alone. */
bool insn_cache_is_confirmed(const insn_cache *c);

/* Decodes, matches and describes the instruction at `offset` of b->bytes, which the cache has taken in; to be
 * called in their order. bi->insn is in the arena, or the cache's own (see block_insn.insn). @return 0 or a
 * negative code */
int insn_cache_describe(insn_cache *c, block_insn *bi, const block *b, arena *a, uint32_t offset,
                        tacho_error *err);
/* Lowers it. @return 0 or TACHO_ERR_MEMORY */
int insn_cache_lower(insn_cache *c, block *b, arena *a, uint32_t index, lower_context context);

#endif
