/* ways.c - loads of a line that was read by another address before: the first-level cache finds a line by a
 * part of its linear address, and that is of the address that was used last. Such a load is made again.
 *
 * Real code has one address for a line. Measurements have many: all of a block's pages are one, so that a
 * line is met again at another address as soon as the block has gone through a page, and addresses that
 * differ by multiples of a page meet at once (doc/MEASURING.md). So this is done only where the registers'
 * values are said to be those of a measurement, all the same (TACHO_INIT_SAME). The lines that a block has
 * not read yet count as read by another address.
 *
 * Measured on Zen 5 (ways in bench/zen5-experiments.csv): four loads of a line take 1.78 cycles in place
 * of 1.0 where the address goes on by a line each time, 1.41 by half a line; a chain of loads that alternate
 * between two pages takes 10 cycles a link in place of 5. */
#include "model/sim/reservations.h"

#include <string.h>

enum {
    LINE_BYTES = 64
};

void ways_reset(sim *s)
{
    memset(&s->ways, 0, sizeof s->ways);
}

static int32_t take_any(sim *s, uint16_t ports, int32_t from)
{
    int port = ports_choose_at_dispatch(s, ports, from);
    int32_t cycle = reservations_first_free(s->reserved.busy[port], from);
    reservations_set(s->reserved.busy[port], cycle);
    return cycle;
}

int32_t ways_delay(sim *s, const op *u, const mem_access *m, int32_t start)
{
    const uint64_t address = registers_load_address(&s->rn.values, m);
    way_use *w = &s->ways.lines[address % PAGE_BYTES / LINE_BYTES];
    s->ways.offsets = s->ways.offsets * 31 + (uint32_t)(address % LINE_BYTES);
    if (w->page != address / PAGE_BYTES + 1) {
        *w = (way_use){address / PAGE_BYTES + 1, start};
        s->forwards++; /* as with them, registers decide: periods are looked at twice */
    }
    if (start > w->since)
        return 0;
    return take_any(s, u->ports, start + s->arch->way_miss_cycles) - start;
}
