/* stored.c - see stored.h. */
#include "block/stored.h"

void stored_word_write(stored_word *w, uint64_t address, unsigned bytes, uint32_t store, followed_value v)
{
    uint8_t mask = bytes_in_word(w->address, address, bytes), known = 0;
    for (uint32_t left = mask; left; left &= left - 1) {
        unsigned k = (unsigned)__builtin_ctz(left);
        uint64_t from = w->address + k - address; /* byte of what is stored */
        bool followed = v.known && from < sizeof v.bits;
        uint64_t byte = followed ? v.bits >> 8 * from & 0xff : 0;
        known |= (uint8_t)(followed << k);
        w->word.bits = (w->word.bits & ~((uint64_t)0xff << 8 * k)) | byte << 8 * k;
        w->writer[k] = store;
    }
    w->word.written |= mask;
    w->word.known = (uint8_t)((w->word.known & ~mask) | known);
    w->word.constant = (uint8_t)((w->word.constant & ~mask) | (v.constant ? known : 0));
    w->last = store;
}

uint32_t stored_word_youngest(const stored_word *w, uint64_t address, unsigned bytes)
{
    uint32_t youngest = 0;
    for (uint32_t left = bytes_in_word(w->address, address, bytes); left; left &= left - 1) {
        uint32_t writer = w->writer[__builtin_ctz(left)];
        youngest = writer > youngest ? writer : youngest;
    }
    return youngest;
}
