/* memory_internal.h - what the files of this module share. */
#ifndef TACHO_MEMORY_INTERNAL_H
#define TACHO_MEMORY_INTERNAL_H

#include "base/options_take.h"
#include "base/str.h"
#include "tacho/memory.h"

enum {
    MEMORY_PATH_SIZE = 1024
};

/* Goes once over `bytes`, a multiple of 512. */
typedef void memory_stream(char *to, const char *from, uint64_t bytes);
enum {
    MEMORY_LOADS,
    MEMORY_STORES,
    MEMORY_COPIES,
    MEMORY_STREAMS
};
/* @return the bytes of their vectors */
uint32_t memory_streams(memory_stream *out[MEMORY_STREAMS]);

#endif
