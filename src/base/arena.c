/* arena.c - a chain of chunks. A reset that finds several joins them into one, so that a predictor stops
 * allocating after the first blocks. */
#include "base/arena.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"

/* AddressSanitizer sees pieces, with a gap behind each, and not just chunks. */
#if defined __has_feature
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1 /* as gcc calls it */
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#define GAP_BYTES 16
#else
#define ASAN_POISON_MEMORY_REGION(at, size)   ((void)(at), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(at, size) ((void)(at), (void)(size))
#define GAP_BYTES                             0
#endif

enum {
    CHUNK_BYTES = 1 << 16,
    KEEP_BYTES = 1 << 22
};

struct arena_chunk {
    arena_chunk *next;
    size_t size, used;
    max_align_t data[];
};

static arena_chunk *add_chunk(arena *a, size_t bytes)
{
    size_t size = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
    if (size < a->wanted)
        size = a->wanted;
    bool huge = a->huge && sizeof(arena_chunk) + size <= TACHO_MEM_HUGE_PAGE;
    if (huge)
        size = TACHO_MEM_HUGE_PAGE - sizeof(arena_chunk);
    arena_chunk *chunk =
        huge ? tacho_mem_alloc_huge(TACHO_MEM_HUGE_PAGE) : tacho_mem_alloc(sizeof *chunk + size);
    if (!chunk)
        return NULL;
    *chunk = (arena_chunk){.next = a->chunks, .size = size};
    ASAN_POISON_MEMORY_REGION(chunk->data, chunk->size);
    a->wanted = 0;
    a->chunks = chunk;
    return chunk;
}

void *arena_alloc_raw(arena *a, size_t bytes)
{
    arena_chunk *chunk = a->chunks;
    const size_t taken = (bytes + 15 + GAP_BYTES) & ~(size_t)15;
    if ((!chunk || taken > chunk->size - chunk->used) && !(chunk = add_chunk(a, taken)))
        return NULL;
    void *p = (char *)chunk->data + chunk->used;
    chunk->used += taken;
    ASAN_UNPOISON_MEMORY_REGION(p, bytes);
    return p;
}

void *arena_alloc(arena *a, size_t bytes)
{
    void *p = arena_alloc_raw(a, bytes);
    return p ? memset(p, 0, bytes) : NULL;
}

void *arena_grow(arena *a, const void *old, size_t old_bytes, size_t new_bytes)
{
    void *p = arena_alloc_raw(a, new_bytes);
    if (p && old_bytes)
        memcpy(p, old, old_bytes);
    return p;
}

char *arena_text_n(arena *a, const char *text, size_t length)
{
    char *copy = arena_alloc_raw(a, length + 1);
    if (!copy)
        return NULL;
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

char *arena_text(arena *a, const char *text)
{
    return arena_text_n(a, text, strlen(text));
}

char *arena_vformat(arena *a, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = length < 0 ? NULL : arena_alloc_raw(a, (size_t)length + 1);
    if (text)
        vsnprintf(text, (size_t)length + 1, format, args);
    return text;
}

char *arena_format(arena *a, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = arena_vformat(a, format, args);
    va_end(args);
    return text;
}

void arena_reset(arena *a)
{
    if (!a->chunks)
        return;
    if (!a->chunks->next && a->chunks->size <= KEEP_BYTES) {
        a->chunks->used = 0;
        ASAN_POISON_MEMORY_REGION(a->chunks->data, a->chunks->size);
        return;
    }
    size_t total = 0;
    for (const arena_chunk *c = a->chunks; c; c = c->next)
        total += c->size;
    arena_free(a);
    a->wanted = total < KEEP_BYTES ? total : KEEP_BYTES;
}

void arena_free(arena *a)
{
    for (arena_chunk *chunk = a->chunks; chunk;) {
        arena_chunk *next = chunk->next;
        tacho_mem_free(chunk);
        chunk = next;
    }
    *a = (arena){0};
}
