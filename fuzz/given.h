/* given.h - the input of a fuzz target as what several files, or a program, say: pieces that end in a byte
 * 0xff each, and what is left. Targets put them in place of the files by --wrap (see fuzz/meson.build). */
#ifndef TACHO_FUZZ_GIVEN_H
#define TACHO_FUZZ_GIVEN_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

typedef struct given {
    const char *at;
    size_t left;
} given;

static inline given given_start(const uint8_t *data, size_t size)
{
    return (given){(const char *)data, size};
}

/* A copy of the next `size` bytes, with a byte 0 behind it; free with tacho_mem_free. */
static inline char *given_bytes(given *g, size_t size)
{
    char *copy = tacho_mem_strndup(size ? g->at : "", size);
    if (!copy)
        abort();
    g->at += size;
    g->left -= size;
    return copy;
}

/* The next piece; "" where none is left. */
static inline char *given_piece(given *g, size_t *size)
{
    const char *end = g->left ? memchr(g->at, 0xff, g->left) : NULL;
    *size = end ? (size_t)(end - g->at) : g->left;
    char *piece = given_bytes(g, *size);
    if (end) {
        g->at++;
        g->left--;
    }
    return piece;
}

static inline char *given_rest(given *g, size_t *size)
{
    *size = g->left;
    return given_bytes(g, g->left);
}

/* The next byte; 0 where none is left. */
static inline uint8_t given_byte(given *g)
{
    if (!g->left)
        return 0;
    g->left--;
    return (uint8_t)*g->at++;
}

#endif
