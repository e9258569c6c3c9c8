/* suite_key.c - a keyed hash of a block's bytes, by which blocks are chosen. */
#include "base/hash.h"
#include "tacho/suite.h"

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

uint32_t tacho_suite_part(uint64_t key, const uint32_t *shares, uint32_t count)
{
    uint64_t sum = 0, below = 0;
    uint32_t part = 0;
    for (uint32_t k = 0; k < count; k++)
        sum += shares[k];
    uint64_t place = (uint64_t)((unsigned __int128)key * sum >> 64);
    while (part + 1 < count && place >= (below += shares[part]))
        part++;
    return part;
}
