/* schedulers.c - reservation tables, reorder buffer, and schedulers of one kind of µops. */
#include "base/hash.h"
#include "base/number.h"
#include "model/sim/inner_loop.h"
#include "x86/decode/regs.h"

#include <string.h>

/* ---- ports, divider and reorder buffer ---- */

/* Scheduler, divider and reorder buffer as reservation tables. uiCA paper, section 4.1.3; pipeline model,
 * section 5.
 *
 * The oldest ready µop goes first, one for each port and cycle. So µops, entered in the order of renaming,
 * take the first cycle that older µops have left free. Only the divider, and units with an initiation
 * interval, are busy for longer. In the processor a younger division begins if it is ready, although an older
 * one becomes ready before its end, and delays the older one. Here the older one keeps its place, and those
 * after both are delayed; the rate is the same. */

enum {
    LONGEST_AFTER = 256 /* cycles after the last entry that a division may last, or its place be taken */
};

static void clear_words(uint64_t *bits, int32_t from, int32_t to)
{
    for (int32_t w = from / 64; w <= to / 64; w++)
        bits[w & RESERVED_WORD] = 0;
}

/* A table with so many bytes for each cycle, from that cycle of the run before on. */
static void clear_cycles(const sim *s, void *table, size_t each, int32_t from)
{
    const int32_t to = max_i32(s->reserved.last, s->cycle) + LONGEST_AFTER;
    const uint32_t first = (uint32_t)from % SIM_HORIZON,
                   count = min_u32((uint32_t)(to - from) + 1, SIM_HORIZON),
                   before_end = min_u32(count, SIM_HORIZON - first);
    memset((uint8_t *)table + first * each, 0, before_end * each);
    memset(table, 0, (count - before_end) * each);
}

void reservations_reset(sim *s)
{
    reservations *t = &s->reserved;
    const int32_t from = s->cycle < 192 ? 0 : s->cycle - 192, to = max_i32(t->last, s->cycle) + LONGEST_AFTER;
    clear_cycles(s, t->leaving, sizeof *t->leaving, from > 2 ? from - 2 : 0);
    if (s->queues.turned >= 0)
        clear_cycles(s, s->queues.leaving, sizeof *s->queues.leaving, s->queues.turned);
    if (s->parts.turned >= 0)
        clear_cycles(s, s->parts.leaving, sizeof *s->parts.leaving, s->parts.turned);
    s->queues.turned = s->parts.turned = -1;
    clear_cycles(s, t->taken, sizeof *t->taken, from);
    for (uint32_t d = 0; d < DIVIDERS_MOST; d++)
        clear_words(t->divider[d], from, to);
    clear_words(t->loads, from, to);
    clear_words(t->wide_loads, from, to);
    for (uint32_t k = 0; k < CLOSERS; k++) {
        clear_words(t->closed[k], from, to);
        clear_words(t->used[k], from, to);
    }
    t->last = 0;
    t->occupancy = 0;
}

void reservations_clear_word(sim *s, uint32_t word)
{
    memset(&s->reserved.taken[64 * word], 0, 64 * sizeof *s->reserved.taken);
    for (uint32_t d = 0; d < s->arch->dividers; d++)
        s->reserved.divider[d][word] = 0;
    s->reserved.loads[word] = s->reserved.wide_loads[word] = 0;
    for (uint32_t k = 0; k < CLOSERS; k++)
        s->reserved.closed[k][word] = s->reserved.used[k][word] = 0;
}

static bool is_set(const uint64_t *bits, int32_t cycle)
{
    return bits[(cycle / 64) & RESERVED_WORD] >> (cycle % 64) & 1;
}

bool divider_busy(const sim *s, int32_t cycle)
{
    bool busy = true;
    for (uint32_t d = 0; d < s->arch->dividers; d++)
        busy &= is_set(s->reserved.divider[d], cycle);
    return busy;
}

/* The first cycle in which both the port and a divider are free. From then on the division takes as many
 * free cycles of that divider as it needs, also on both sides of an older one that has its place already. */
static int32_t first_free_division(reservations *t, uint32_t place, uint32_t dividers, int32_t from,
                                   int32_t cycles)
{
    int32_t start = INT32_MAX;
    uint64_t *divider = t->divider[0];
    for (uint32_t d = 0; d < dividers; d++) {
        int32_t c = from;
        while (is_set(t->divider[d], c) || (t->taken[c & RESERVED_SLOT] & place))
            c++;
        if (c < start) {
            start = c;
            divider = t->divider[d];
        }
    }
    for (int32_t c = start; cycles > 0; c++) {
        cycles -= !is_set(divider, c);
        reservations_set(divider, c);
    }
    return start;
}

int32_t throttle_first_free(const throttle *t, int32_t ready, int32_t cycles)
{
    int32_t free = t->floor;
    if (ready < free)
        ready = free;
    for (uint32_t k = 0; k < t->count && t->starts[k] <= ready; k++) {
        free = (t->starts[k] > free ? t->starts[k] : free) + cycles;
        if (ready < free)
            ready = free;
    }
    return ready;
}

void throttle_enter(throttle *t, int32_t start, int32_t cycles)
{
    if (t->count == THROTTLE_STARTS) {
        t->floor = (t->starts[0] > t->floor ? t->starts[0] : t->floor) + cycles;
        memmove(t->starts, t->starts + 1, --t->count * sizeof *t->starts);
    }
    uint32_t k = t->count++;
    for (; k > 0 && t->starts[k - 1] > start; k--)
        t->starts[k] = t->starts[k - 1];
    t->starts[k] = start;
}

/* The first cycle from which on the port is free for so many; it is taken in all of them. */
static int32_t take_successive(reservations *t, int place, int32_t from, int32_t cycles)
{
    int32_t start = reservations_first_free(t, IN_EACH_CYCLE << place, from).cycle;
    for (int32_t c = start + 1; c < start + cycles; c++)
        if (t->taken[c & RESERVED_SLOT] >> place & 1)
            start = c = reservations_first_free(t, IN_EACH_CYCLE << place, c + 1).cycle;
    for (int32_t c = start; c < start + cycles; c++)
        reservations_take(t, place, c);
    return start;
}

/* A wide load needs the ways of both ports to the cache: no other load starts in that cycle. */
static int32_t first_free_load(reservations *t, int place, int32_t from, bool wide)
{
    int32_t c = reservations_first_free(t, IN_EACH_CYCLE << place, from).cycle;
    while (is_set(wide ? t->loads : t->wide_loads, c))
        c = reservations_first_free(t, IN_EACH_CYCLE << place, c + 1).cycle;
    reservations_set(t->loads, c);
    if (wide)
        reservations_set(t->wide_loads, c);
    return c;
}

/* No µop is placed further ahead. */
static int32_t not_too_far(const sim *s, int32_t ready)
{
    return ready < s->cycle + RESERVED_FARTHEST ? ready : s->cycle + RESERVED_FARTHEST;
}

int32_t reservations_enter_for(sim *s, int place, int32_t ready, int32_t cycles)
{
    const int32_t start = take_successive(&s->reserved, place, not_too_far(s, ready), cycles);
    reservations_bind(s, place);
    reservations_leave(&s->reserved, 1u << place, start);
    return start;
}

int32_t reservations_enter(sim *s, const op *u, int place, int32_t ready)
{
    reservations *t = &s->reserved;
    const uint32_t bit = u->flags & OP_NO_PORT ? 0 : 1u << place;
    int32_t start = not_too_far(s, ready);
    if (u->div_cycles)
        start = first_free_division(t, bit, s->arch->dividers, start, u->div_cycles);
    else if ((u->flags & OP_LOAD) && bit)
        start = first_free_load(t, place, start, u->flags & OP_WIDE);
    else if ((u->flags & OP_WIDE) && bit)
        start = take_successive(t, place, start, 2);
    else if (bit)
        start = reservations_first_free(t, IN_EACH_CYCLE << place, start).cycle;
    if (bit) {
        reservations_take(t, place, start);
        reservations_bind(s, place);
    }
    reservations_leave(t, bit, start);
    return start;
}

/* ---- what closes ALUs ---- */

/* Of the µops that closers keep from leaving, that one: the first cycle in which it may, and one of its ports
 * is free. */
int32_t reservations_first_open(const sim *s, const op *u, port_places places, int32_t ready)
{
    const reservations *t = &s->reserved;
    const int32_t farthest = s->cycle + RESERVED_FARTHEST;
    for (bool closed = true; closed && ready < farthest; ready += closed) {
        closed = false;
        ready = reservations_first_free(t, places, ready).cycle;
        for (uint32_t k = 0; k < CLOSERS; k++)
            closed |= (u->closed_by >> k & 1) && is_set(t->closed[k], ready);
    }
    return ready;
}

/* A µop that closes ports, or that others close, leaves in that cycle. Where older ones leave in a cycle that
 * is closed now, it is the next one that they would have had. */
void reservations_close(sim *s, const op *u, int32_t start)
{
    reservations *t = &s->reserved;
    const int32_t farthest = s->cycle + RESERVED_FARTHEST;
    for (uint32_t k = 0; k < CLOSERS; k++) {
        int32_t cycle = start;
        if (u->closed_by >> k & 1)
            reservations_set(t->used[k], start);
        if (!(u->closes >> k & 1))
            continue;
        while (cycle < farthest && (is_set(t->used[k], cycle) || is_set(t->closed[k], cycle)))
            cycle++;
        reservations_set(t->closed[k], cycle);
        t->last = max_i32(t->last, cycle);
    }
}

/* ---- free registers ---- */

/* The physical registers that µops in flight write. Known of each core is how many there are; how many remain
 * beside the architectural ones is measured (additions in the shadow of a chain through memory:
 * doc/ACCURACY.md). Those of vectors are not modelled. */

static bool writes_general(const block *b, const uop *u)
{
    bool vector = u->insn < b->insn_count && insn_names_vector_reg(b->insns[u->insn].insn);
    for (int k = 0; k < u->out_count; k++)
        if (u->out[k].slot < UNIT_HIGH8 || u->out[k].slot == UNIT_FLAG_C ||
            u->out[k].slot == UNIT_FLAG_SPAZO || (u->out[k].slot >= TEMP_BASE && !vector))
            return true;
    return false;
}

/* How many the fused µops of an iteration write, up to each of them; made when it is asked for first. */
static void count_written(sim *s)
{
    const block *b = s->b;
    uint16_t *written = s->prog.written, sum = 0;
    uint32_t n = 0;
    for (uint32_t i = 0; i < b->insn_count; i++)
        for (uint32_t l = 0; l < b->insns[i].laminated_count; l++) {
            const uop_group *lam = &b->laminated[b->insns[i].laminated_first + l];
            for (uint32_t f = lam->first; f < lam->first + lam->count; f++) {
                written[n++] = sum;
                for (uint32_t k = 0; k < b->fused[f].count && !b->insns[i].eliminable; k++)
                    sum = (uint16_t)(sum + writes_general(b, &b->uops[b->fused[f].first + k]));
            }
        }
    written[n] = sum;
    s->prog.fused_count = n;
}

/* By the µops that are in the reorder buffer: the last of them is the one that left the µop queue last. */
static uint32_t written_in_flight(const sim *s, uint32_t inside)
{
    const program *g = &s->prog;
    const lam_op *last;
    uint32_t back = 1;
    do
        last = &g->lams[s->fe.idq[(s->fe.idq_head - back++) & (SIM_IDQ - 1)] & ~IDQ_FLAGS];
    while (last->flags & LAM_SYNTHETIC);
    uint32_t end = last->fused_first + last->fused_count, whole = inside / g->fused_count,
             rest = inside % g->fused_count;
    if (rest <= end)
        return whole * g->written[g->fused_count] + g->written[end] - g->written[end - rest];
    return (whole + 1) * g->written[g->fused_count] + g->written[end] -
           g->written[g->fused_count + end - rest];
}

bool free_registers_lack(sim *s)
{
    if (!s->arch->free_general_registers)
        return false;
    if (!s->prog.fused_count)
        count_written(s);
    uint32_t inside = (uint32_t)(s->rob.tail - s->rob.head);
    return written_in_flight(s, inside) + s->arch->issue_width > s->arch->free_general_registers;
}

/* ---- schedulers of one kind of µops ---- */

/* Cores with separate schedulers for the µops of general registers, of addresses and of vectors; and the
 * queue before those of vectors.
 *
 * The schedulers of general registers and addresses: while one has no free entry, nothing is renamed.
 * Published for Zen 5 (AMD's optimization guide): 88 and 56 entries. Measured: chains begin behind 63 and 52
 * µops that wait, as if there had to be room for a whole group.
 *
 * Vector µops enter their scheduler in the order of the code. While it is full they wait in a queue before
 * it, from which nothing leaves for a port; when the queue is full, too, nothing is renamed. A scheduler of N
 * entries has a free one when all but N - 1 of the earlier µops have left, that is, some cycles after the
 * N-th latest of them leaves. Of two schedulers each leads to ports of its own, so the scheduler that a µop
 * enters decides where it goes.
 *
 * Published for Zen 5 (AMD's optimization guide): schedulers of 38 entries and a queue of 96. Measured: µops
 * that wait for a chain of square roots let a second chain begin as long as there are no more than 70 of
 * them, whatever they compute; of stores, 38. Chains of multiplications and additions one after the other
 * overlap as if an entry were free again only some four cycles after its µop has left. */

scheduler queues_of(const tacho_arch *arch, const op *u)
{
    const uint16_t second = arch->vector_second_ports;
    if (!(u->flags & OP_SCHEDULER))
        return SCHEDULER_NONE;
    if (u->flags & OP_INTEGER)
        return u->kind == UOP_LOAD || u->kind == UOP_STORE_ADDRESS ? SCHEDULER_ADDRESS : SCHEDULER_ALU;
    if (u->flags & OP_STORE_QUEUE)
        return SCHEDULER_STORES;
    if (!(u->ports & second) || !(u->ports & ~second))
        return u->ports & second ? SCHEDULER_SECOND : SCHEDULER_FIRST;
    return SCHEDULER_EITHER;
}

void queues_reset(sim *s)
{
    scheduler_queues *q = &s->queues;
    const tacho_arch *a = s->arch;
    if (!s->queued)
        return;
    memset(q->ahead, 0, sizeof q->ahead);
    q->count = 0;
    q->crowded = false;
    q->chosen = 0;
    q->entered_last = q->stopped = SIM_LONG_AGO;
    q->width[SCHEDULER_FIRST] = q->width[SCHEDULER_SECOND] = a->vector_scheduler_entries;
    q->width[SCHEDULER_STORES] = a->vector_store_scheduler_entries;
    /* that are left when a group is renamed, as the whole group must find room: */
    q->width[SCHEDULER_ALU] = a->alu_scheduler_entries + 1u - a->issue_width;
    q->width[SCHEDULER_ADDRESS] = a->address_scheduler_entries + 1u - bits_in_16(a->load_ports);
    q->lack = 0;
    for (unsigned w = 0; w < SCHEDULERS; w++)
        q->lack |= (scheduler_counts)(QUEUE_FULL - q->width[w]) << SCHEDULER_BITS * w;
    q->inside = q->lack;
}

/* How many have not left it after that cycle, this one or a later one. Of vectors,
 * it is mostly no earlier than the one that was asked for last. */
static scheduler_look *look_ahead(sim *s, scheduler which, int32_t cycle)
{
    scheduler_queues *q = &s->queues;
    scheduler_look *l = &q->ahead[which];
    if (which >= SCHEDULER_ALU || l->cycle < s->cycle || l->cycle > cycle)
        *l = (scheduler_look){s->cycle, queues_inside(q, which)};
    while (l->count && l->cycle < cycle)
        l->count -= queues_count(q->leaving[++l->cycle & (SIM_HORIZON - 1)], which);
    l->cycle = cycle;
    return l;
}

/* The first cycle from that one on after which an entry is free. */
static int32_t first_free_entry(sim *s, scheduler which, int32_t cycle)
{
    scheduler_look *l = look_ahead(s, which, cycle);
    while (l->count >= s->queues.width[which])
        l->count -= queues_count(s->queues.leaving[++l->cycle & (SIM_HORIZON - 1)], which);
    return l->cycle;
}

/* Where both schedulers lead to ports of the µop: the one where two µops or more fewer wait, or else the one
 * with the port that is free first. */
static scheduler one_of_both(sim *s, const op *u, int32_t cycle, int32_t ready)
{
    const uint32_t width = s->queues.width[SCHEDULER_FIRST];
    uint32_t first = min_u32(look_ahead(s, SCHEDULER_FIRST, cycle)->count, width),
             other = min_u32(look_ahead(s, SCHEDULER_SECOND, cycle)->count, width);
    bool to_second = first < other + 2 && other < first + 2
                         ? s->prog.second_places >> reservations_free_port(s, u->places, ready).place & 1
                         : other < first;
    return to_second ? SCHEDULER_SECOND : SCHEDULER_FIRST;
}

/* The schedulers of ALUs and addresses have no queue before them: what follows waits, too. */
int32_t queues_wait(sim *s, scheduler which)
{
    scheduler_queues *q = &s->queues;
    const int32_t free = first_free_entry(s, which, s->cycle);
    q->stopped = free > q->stopped ? free : q->stopped;
    return free;
}

/* Whether so many vector µops wait that what they wake is a cycle late. */
static bool is_crowded(const sim *s)
{
    const scheduler_queues *q = &s->queues;
    const uint32_t width = q->width[SCHEDULER_FIRST];
    return q->entered_last > s->cycle || min_u32(queues_inside(q, SCHEDULER_FIRST), width) +
                                                 min_u32(queues_inside(q, SCHEDULER_SECOND), width) >=
                                             s->arch->vector_quick_places;
}

int32_t queues_enter_vectors(sim *s, const op *u, int32_t ready)
{
    scheduler_queues *q = &s->queues;
    int32_t cycle = s->cycle > q->entered_last ? s->cycle : q->entered_last;
    scheduler which = u->scheduler == SCHEDULER_EITHER ? one_of_both(s, u, cycle, ready) : u->scheduler;
    q->crowded = s->arch->vector_quick_places && is_crowded(s);
    cycle = first_free_entry(s, which, cycle);
    q->chosen = (uint8_t)which;
    q->entered_last = cycle;
    q->entered[q->count++ % QUEUE_MOST] = cycle;
    return cycle;
}

/* Of the µops that leave in a cycle those that are among the latest `left` of their schedulers. */
static scheduler_counts among_latest(scheduler_counts counts, uint32_t left[SCHEDULERS])
{
    scheduler_counts out = 0;
    for (unsigned w = 0; w < SCHEDULERS; w++) {
        const uint32_t now = min_u32(queues_count(counts, w), left[w]);
        out |= (scheduler_counts)now << SCHEDULER_BITS * w;
        left[w] -= now;
    }
    return out;
}

uint64_t queues_hash(const sim *s, uint64_t h)
{
    const scheduler_queues *q = &s->queues;
    const scheduler_counts inside = q->inside - q->lack - q->leaving[s->cycle & (SIM_HORIZON - 1)];
    uint32_t left[SCHEDULERS];
    bool too_many = false;
    for (unsigned w = 0; w < SCHEDULERS; w++) {
        left[w] = q->width[w];
        too_many |= queues_count(inside, w) > left[w];
    }
    for (int32_t c = s->reserved.last + s->arch->vector_release_cycles; c > s->cycle; c--) {
        scheduler_counts now = q->leaving[c & (SIM_HORIZON - 1)];
        if (now && too_many)
            now = among_latest(now, left);
        if (now)
            h = hash_add(hash_add(h, (uint32_t)(c - s->cycle)), now);
    }
    for (uint32_t k = 1; k <= q->count && k <= QUEUE_MOST; k++)
        if (q->entered[(q->count - k) % QUEUE_MOST] > s->cycle)
            h += hash_mix((uint64_t)(q->entered[(q->count - k) % QUEUE_MOST] - s->cycle) << 32 | k);
    return h;
}
