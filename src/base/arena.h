/* arena.h - memory that is given back all at once and reused. */
#ifndef TACHO_BASE_ARENA_H
#define TACHO_BASE_ARENA_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "tacho/error.h"

typedef struct arena_chunk arena_chunk;
typedef struct arena {
    arena_chunk *chunks; /* newest first; only the first one is filled further */
    size_t wanted;       /* what the next chunk should hold at least */
    bool huge;           /* where chunks of a huge page are worth while: it holds much, for long */
} arena;

/* Zeroed memory, aligned to 16 bytes; NULL when memory runs out. */
void *arena_alloc(arena *a, size_t bytes);
/* The same, not zeroed. */
void *arena_alloc_raw(arena *a, size_t bytes);
/* `old` copied into a larger piece (the old one is not reused before the reset). */
void *arena_grow(arena *a, const void *old, size_t old_bytes, size_t new_bytes);
/* A copy of a text. NULL when memory runs out; so, too, of the next */
char *arena_text_n(arena *a, const char *text, size_t length);
char *arena_text(arena *a, const char *text);
/* What printf would write. */
char *arena_vformat(arena *a, const char *format, va_list args);
char *arena_format(arena *a, const char *format, ...) TACHO_PRINTF(2, 3);
/* Everything becomes free for reuse. Up to 4 MB stay, from the next use on in one piece. */
void arena_reset(arena *a);
void arena_free(arena *a);

#endif
