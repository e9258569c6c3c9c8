/* streams.h - accesses whose addresses move on by the same number of bytes in each iteration. */
#ifndef TACHO_BLOCK_STREAMS_H
#define TACHO_BLOCK_STREAMS_H

#include "model/block/block.h"

/* The addresses of one access, as model/block/registers.h has them: first + n * step in iteration n. */
typedef struct access_stream {
    uint64_t first, step;
} access_stream;

/* Fills in the streams of all accesses with a single address, [insn][INSN_MAX_MEM]; false if some access is
 * none, or that cannot be told. They are streams as long as no load reads what a store of the block wrote. */
bool streams_find(access_stream (*out)[INSN_MAX_MEM], const block *b, const tacho_predict_options *options);
/* Whether some load reads, in some iteration, bytes that an earlier store of the block wrote; true where it
 * takes too long to tell. */
bool streams_meet(const access_stream (*streams)[INSN_MAX_MEM], const block *b);

#endif
