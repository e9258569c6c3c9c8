/* block_advance.c - code between markers inside a loop whose increment is elsewhere. Repeated as it stands,
 * each iteration would read what the one before wrote. Here registers move on after each iteration, as that
 * increment would move them: by as many bytes as the code accesses. */
#include "model/block/registers.h"

/* The stack stays where it is, and so does what is changed anyway. */
static uint16_t registers_that_stay(const block *b)
{
    uint16_t stay = 1u << UNIT_RSP;
    for (uint32_t i = 0; i < b->insn_count; i++)
        stay |= b->insns[i].written_gprs;
    return stay;
}

/* The register that moves on: the base, or the index where the base stays (RSP); none if the code changes one
 * of the two. */
static uint16_t mover_of(const mem_access *m, uint16_t stay)
{
    uint16_t all = registers_of_address(m), base = m->base < 16 ? (uint16_t)(1u << m->base) : 0;
    if (m->unknown_address || (all & stay & ~(1u << UNIT_RSP)))
        return 0;
    return base & ~stay ? base : all & (uint16_t)~stay;
}

void block_find_advance(block *b)
{
    uint16_t stay = registers_that_stay(b);
    int64_t low = INT64_MAX, high = INT64_MIN;
    for (uint32_t i = 0; i < b->insn_count; i++)
        for (int k = 0; k < b->insns[i].mem_count; k++) {
            const mem_access *m = &b->insns[i].mem[k];
            uint16_t mover = mover_of(m, stay);
            if (!mover)
                continue;
            int64_t end = m->disp + registers_access_bytes(m);
            b->advancing |= mover;
            low = m->disp < low ? m->disp : low;
            high = end > high ? end : high;
        }
    uint64_t bytes = b->advancing ? ((uint64_t)high - (uint64_t)low + 7) & ~(uint64_t)7 : 0;
    b->advance_bytes = bytes <= INT32_MAX ? (uint32_t)bytes : INT32_MAX;
}
