/* cache.h - instructions that a predictor has met before, as decoded, found in the table and lowered: the
 * same instructions come again and again. One is recognised by its bytes but for the displacement and an
 * immediate that is only a number, which are filled in. What comes out is what would be made afresh.
 *
 * Bounded: what has grown too large is forgotten at the next block. A cache belongs to one thread. */
#ifndef TACHO_BLOCK_CACHE_H
#define TACHO_BLOCK_CACHE_H

#include "base/private.h"
#include "model/block/block.h"

typedef struct insn_cache insn_cache;
typedef struct insn_template insn_template;

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

/* Has memory fetch what is known of the first instructions, so that it is there when they are decoded. */
void insn_cache_look_ahead(insn_cache *c);

/* Decodes the instruction at `offset` of the code; to be called in their order. *out is in the arena, or the
 * cache's own (see block_insn.insn); *found is the template, NULL where it is not kept. @return the length,
 * or a negative code */
int insn_cache_decode(insn_cache *c, const tacho_insn **out, insn_template **found, const block *b, arena *a,
                      uint32_t offset, tacho_error *err);

/* Takes over or provides what describing the instruction gives: all of block_insn before `notes`, and the
 * notes. Provides: returns true and that much of *bi is filled, but for what depends on the block. Both fill
 * in the numbers that the code has; without a template, nothing happens. */
bool insn_cache_describe(const insn_cache *c, const insn_template *t, block_insn *bi);
void insn_cache_keep_description(const insn_cache *c, insn_template *t, block_insn *bi);
/* The place of the facts of that form, which instructions share: NULL stands there until they are put in, in
 * memory that is kept. @return NULL when memory runs out */
insn_facts **insn_cache_facts(insn_cache *c, uint32_t form);
/* Memory until all is forgotten; NULL when memory runs out. */
void *insn_cache_keep(insn_cache *c, size_t bytes);

/* The same for what lowering makes of it; `context` tells apart ways to lower it. @return whether it was
 * there; negative when memory runs out */
int insn_cache_lower(const insn_cache *c, const insn_template *t, uint32_t context, block *b, arena *a,
                     uint32_t index);
void insn_cache_keep_lowered(insn_cache *c, insn_template *t, uint32_t context, const block *b,
                             uint32_t index);
/* Fills in the numbers that the code has, where the instruction was lowered without the cache. */
void insn_cache_number_accesses(const insn_cache *c, const insn_template *t, const block *b, block_insn *bi);

#endif
