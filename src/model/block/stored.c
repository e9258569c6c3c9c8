/* stored.c - see stored.h. */
#include "model/block/stored.h"

#include "base/number.h"

/* Bits of the bytes that a mask of consecutive bytes has. */
static uint64_t bits_of(uint8_t mask)
{
    unsigned from = (unsigned)__builtin_ctz(mask); /* some byte is in it */
    unsigned count = (unsigned)__builtin_ctz(~(mask >> from));
    return lowest_bits(8 * count) << 8 * from;
}

/* The followed bytes of a value that is stored at `address`, as they lie in the word. */
static uint64_t in_place(uint64_t word, uint64_t address, uint64_t bits)
{
    return address - word < WORD_BYTES ? bits << 8 * (address - word) : bits >> 8 * (word - address);
}

void stored_word_write(stored_word *w, uint64_t address, unsigned bytes, uint32_t store, followed_value v)
{
    uint8_t mask = bytes_in_word(w->address, address, bytes), known = 0;
    uint64_t bits = 0;
    if (v.known && accesses_meet(address, sizeof v.bits, w->address, WORD_BYTES)) {
        known = mask & bytes_in_word(w->address, address, sizeof v.bits);
        if (known)
            bits = in_place(w->address, address, v.bits) & bits_of(known);
    }
    w->word.bits = (w->word.bits & ~bits_of(mask)) | bits;
    w->word.written |= mask;
    w->word.known = (uint8_t)((w->word.known & ~mask) | known);
    w->word.constant = (uint8_t)((w->word.constant & ~mask) | (v.constant ? known : 0));
    w->last = store;
    if (mask == 0xff) {
        for (int k = 0; k < WORD_BYTES; k++)
            w->writer[k] = store;
        return;
    }
    for (uint32_t left = mask; left; left &= left - 1)
        w->writer[__builtin_ctz(left)] = store;
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
