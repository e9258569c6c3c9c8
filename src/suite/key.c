/* key.c - a keyed hash of a block's bytes, by which blocks are chosen. */
#include "tacho/suite.h"
#include "util/hash.h"

/* Up to eight bytes, the first one lowest, whatever the machine's own order. */
static uint64_t word(const uint8_t *bytes, size_t count)
{
    uint64_t w = 0;
    for (size_t i = 0; i < count && i < 8; i++)
        w |= (uint64_t)bytes[i] << 8 * i;
    return w;
}

uint64_t tacho_suite_key(const uint8_t *code, size_t size, uint64_t seed)
{
    uint64_t h = hash_add(hash_mix(seed), size);
    for (size_t at = 0; at < size; at += 8)
        h = hash_add(h, word(code + at, size - at));
    return hash_mix(h);
}
