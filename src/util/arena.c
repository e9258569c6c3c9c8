/* arena.c - a chain of chunks; a reset rewinds them, so that a predictor stops allocating after the first
 * blocks. */
#include "arena.h"

#include <stdint.h>
#include <string.h>

#include "util/mem.h"

enum {
    CHUNK_BYTES = 1 << 16
};

struct arena_chunk {
    arena_chunk *next;
    size_t size, used;
    max_align_t data[];
};

static arena_chunk *add_chunk(arena *a, size_t bytes)
{
    size_t size = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
    arena_chunk *chunk = tacho_mem_alloc(sizeof *chunk + size);
    if (!chunk)
        return NULL;
    chunk->size = size;
    chunk->next = NULL;
    if (a->current) {
        chunk->next = a->current->next;
        a->current->next = chunk;
    } else {
        chunk->next = a->chunks;
        a->chunks = chunk;
    }
    return chunk;
}

void *arena_alloc(arena *a, size_t bytes)
{
    void *p = arena_alloc_raw(a, bytes);
    return p ? memset(p, 0, bytes) : NULL;
}

void *arena_alloc_raw(arena *a, size_t bytes)
{
    bytes = (bytes + 15) & ~(size_t)15;
    while (!a->current || a->current->used + bytes > a->current->size) {
        arena_chunk *next = a->current ? a->current->next : a->chunks;
        if (!next || next->size < bytes) {
            next = add_chunk(a, bytes);
            if (!next)
                return NULL;
        }
        next->used = 0;
        a->current = next;
    }
    void *p = (char *)a->current->data + a->current->used;
    a->current->used += bytes;
    return p;
}

void *arena_grow(arena *a, const void *old, size_t old_bytes, size_t new_bytes)
{
    void *p = arena_alloc_raw(a, new_bytes);
    if (p && old_bytes)
        memcpy(p, old, old_bytes);
    return p;
}

void arena_reset(arena *a)
{
    a->current = NULL;
}

void arena_free(arena *a)
{
    for (arena_chunk *chunk = a->chunks; chunk;) {
        arena_chunk *next = chunk->next;
        tacho_mem_free(chunk);
        chunk = next;
    }
    a->chunks = a->current = NULL;
}
