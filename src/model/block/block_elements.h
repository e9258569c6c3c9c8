/* block_elements.h - how many elements an iteration works on. */
#ifndef TACHO_BLOCK_ELEMENTS_H
#define TACHO_BLOCK_ELEMENTS_H

#include "base/arena.h"
#include "model/block/block.h"

/* Of a block with whole_insns; see tacho_elements. @return 0 or TACHO_ERR_MEMORY */
int elements_find(tacho_elements *out, const block *b, arena *a);

#endif
