/* store_buffer.c - when stores reach the first-level cache: in order, once they have retired. One a cycle; or
 * two in succession to one line (from Ice Lake on); or all in succession to the same 32 bytes, and as many
 * cycles more as one reaches into others (Zen 3 and 4; measured); or two a cycle to any of the latest lines
 * (Zen 5; measured: stores that go round 12 lines take half a cycle each, round 16 lines one). Until then a
 * store takes an entry of the store buffer, and loads can have its data only by forwarding (Intel
 * optimization manual: store forwarding; pipeline model, sections 5 and 9). As with the reorder buffer, all
 * of that is known when the store is renamed. */
#include "model/sim/sim.h"

void store_buffer_reset(sim *s)
{
    s->stored.head = s->stored.tail = 0;
    s->stored.last = SIM_LONG_AGO;
    s->stored.alone = false;
    s->stored.next_more = 0;
    s->stored.made = 0;
    s->stored.line_free = SIM_LONG_AGO;
    memset(s->stored.gathered, 0xff, sizeof s->stored.gathered);
}

/* Whether the next store's line is one of those that are gathered; it is the latest one then. */
static bool gather(store_buffer *b, uint32_t lines)
{
    uint32_t k = 0;
    while (k < lines && b->gathered[k] != b->next_line)
        k++;
    bool found = k < lines;
    memmove(b->gathered + 1, b->gathered, (found ? k : lines - 1) * sizeof *b->gathered);
    b->gathered[0] = b->next_line;
    return found;
}

/* Stores to any of the latest lines go on two a cycle; another line begins only every cycle. */
static int32_t next_gathered(sim *s, int32_t earliest)
{
    store_buffer *b = &s->stored;
    int32_t last = b->alone ? b->last : b->last + 1;
    int32_t cycle = last > earliest ? last : earliest;
    if (!gather(b, s->arch->store_gather_lines)) {
        cycle = b->line_free > cycle ? b->line_free : cycle;
        b->line_free = cycle + 1;
    }
    b->alone = cycle > b->last || !b->alone;
    return cycle;
}

/* The cycle in which the next store reaches the cache, if it can from `earliest` on. */
static int32_t next_commit(sim *s, int32_t earliest)
{
    store_buffer *b = &s->stored;
    if (s->stores_unlimited)
        return b->last > earliest ? b->last : earliest;
    if (s->arch->store_gather_lines)
        return next_gathered(s, earliest);
    if (s->arch->paired_stores_same_line) {
        bool together = b->alone && b->line == b->next_line && b->last >= earliest;
        b->alone = !together || s->arch->store_write_bytes;
        b->line = b->next_line + b->next_more;
        return (together ? b->last : b->last >= earliest ? b->last + 1 : earliest) + (int32_t)b->next_more;
    }
    return b->last >= earliest ? b->last + 1 : earliest;
}

/* The latest stores whose µops are all renamed. */
static void note_commit(sim *s, uint32_t back)
{
    store_record *r = store_number(s, s->store_count - back);
    if (s->store_count > back && r->commit == STORE_INCOMPLETE)
        r->commit = s->stored.last;
}

void store_buffer_aim(sim *s, uint64_t address, uint32_t bytes)
{
    const uint32_t unit = s->arch->store_write_bytes, shift = unit ? (uint32_t)__builtin_ctz(unit) : 6;
    s->stored.next_line = address >> shift;
    s->stored.next_more = unit ? (uint32_t)(((address + bytes - 1) >> shift) - s->stored.next_line) : 0;
}

void store_buffer_enter(sim *s, uint32_t stores)
{
    store_buffer *b = &s->stored;
    for (; stores; stores--) {
        b->last = next_commit(s, rob_last(&s->rob) + 1);
        if (s->compares)
            note_commit(s, stores - 1);
        if (s->track_lines)
            b->commit[b->tail++ & (SIM_STORE_BUFFER - 1)] = b->last;
    }
    b->next_line = b->next_more = 0; /* scattered, unless the next store says where */
}
