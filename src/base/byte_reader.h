/* byte_reader.h - numbers out of bytes that nobody vouches for. */
#ifndef TACHO_BASE_BYTE_READER_H
#define TACHO_BASE_BYTE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct byte_reader {
    const uint8_t *at, *end;
    bool failed; /* something was not there; from then on nothing is */
} byte_reader;

static inline void bytes_pass(byte_reader *r, uint64_t count)
{
    if (r->failed || (uint64_t)(r->end - r->at) < count)
        r->failed = true;
    else
        r->at += count;
}

/** A number of up to 8 bytes, little-endian; 0 where it is not there. */
static inline uint64_t bytes_take(byte_reader *r, size_t count)
{
    uint64_t value = 0;
    const uint8_t *at = r->at;
    bytes_pass(r, count);
    if (!r->failed)
        memcpy(&value, at, count);
    return value;
}

#endif
