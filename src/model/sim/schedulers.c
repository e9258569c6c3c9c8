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

static void clear_words(uint64_t *bits, int32_t from, int32_t to)
{
    for (int32_t w = from / 64; w <= to / 64; w++)
        bits[w & RESERVED_WORD] = 0;
}

static void clear_cycles(uint32_t *leaving, int32_t from, int32_t to)
{
    uint32_t first = (uint32_t)from % SIM_HORIZON, count = (uint32_t)(to - from) + 1;
    if (count > SIM_HORIZON)
        count = SIM_HORIZON;
    uint32_t before_end = count < SIM_HORIZON - first ? count : SIM_HORIZON - first;
    memset(leaving + first, 0, before_end * sizeof *leaving);
    memset(leaving, 0, (count - before_end) * sizeof *leaving);
}

void reservations_reset(sim *s)
{
    reservations *t = &s->reserved;
    int32_t from = s->cycle < 192 ? 0 : s->cycle - 192, to = t->last > s->cycle ? t->last : s->cycle;
    to += 256; /* a division may last beyond */
    for (int p = 0; p < TACHO_MAX_PORTS; p++)
        clear_words(t->busy[p], from, to);
    for (uint32_t d = 0; d < DIVIDERS_MOST; d++)
        clear_words(t->divider[d], from, to);
    clear_words(t->loads, from, to);
    clear_words(t->wide_loads, from, to);
    clear_cycles(t->leaving, from > 2 ? from - 2 : 0, to);
    t->last = 0;
    t->occupancy = 0;
}

void reservations_clear_word(sim *s, uint32_t word)
{
    for (int p = 0; p < s->arch->ports; p++)
        s->reserved.busy[p][word] = 0;
    for (uint32_t d = 0; d < s->arch->dividers; d++)
        s->reserved.divider[d][word] = 0;
    s->reserved.loads[word] = s->reserved.wide_loads[word] = 0;
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
static int32_t first_free_division(reservations *t, const uint64_t *busy, uint32_t dividers, int32_t from,
                                   int32_t cycles)
{
    int32_t start = INT32_MAX;
    uint64_t *divider = t->divider[0];
    for (uint32_t d = 0; d < dividers; d++) {
        int32_t c = from;
        while (is_set(t->divider[d], c) || is_set(busy, c))
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

/* The first cycle in which the port is free, and in the next one, too. */
static int32_t first_two_free(reservations *t, int port, int32_t from)
{
    int32_t c = reservations_first_free(t->busy[port], from);
    while (is_set(t->busy[port], c + 1))
        c = reservations_first_free(t->busy[port], c + 1);
    reservations_set(t->busy[port], c + 1);
    return c;
}

/* A wide load needs the ways of both ports to the cache: no other load starts in that cycle. */
static int32_t first_free_load(reservations *t, int port, int32_t from, bool wide)
{
    int32_t c = reservations_first_free(t->busy[port], from);
    while (is_set(wide ? t->loads : t->wide_loads, c))
        c = reservations_first_free(t->busy[port], c + 1);
    reservations_set(t->loads, c);
    if (wide)
        reservations_set(t->wide_loads, c);
    return c;
}

int32_t reservations_enter_twice(sim *s, int port, int32_t ready)
{
    reservations *t = &s->reserved;
    int32_t start =
        first_two_free(t, port, ready < s->cycle + RESERVED_FARTHEST ? ready : s->cycle + RESERVED_FARTHEST);
    reservations_set(t->busy[port], start);
    reservations_bind(s, (uint32_t)port);
    reservations_leave(t, 1u << port, start);
    return start;
}

int32_t reservations_enter(sim *s, const op *u, int port, int32_t ready)
{
    static const uint64_t never_busy[SIM_HORIZON / 64];
    reservations *t = &s->reserved;
    const uint64_t *busy = u->flags & OP_NO_PORT ? never_busy : t->busy[port];
    int32_t start;
    if (ready > s->cycle + RESERVED_FARTHEST)
        ready = s->cycle + RESERVED_FARTHEST;
    if (u->div_cycles)
        start = first_free_division(t, busy, s->arch->dividers, ready, u->div_cycles);
    else if ((u->flags & OP_LOAD) && busy != never_busy)
        start = first_free_load(t, port, ready, u->flags & OP_WIDE);
    else if ((u->flags & OP_WIDE) && busy != never_busy)
        start = first_two_free(t, port, ready);
    else
        start = reservations_first_free(busy, ready);
    if (busy != never_busy) {
        reservations_set(t->busy[port], start);
        reservations_bind(s, (uint32_t)port);
    }
    reservations_leave(t, busy != never_busy ? 1u << port : 0, start);
    return start;
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
    for (int32_t c = q->turned; c <= q->last; c++) /* of the run before */
        q->leaving[c & (SIM_HORIZON - 1)] = 0;
    q->inside = 0;
    memset(q->ahead, 0, sizeof q->ahead);
    q->last = q->turned = 0;
    q->count = 0;
    q->crowded = false;
    q->chosen = 0;
    q->entered_last = q->stopped = SIM_LONG_AGO;
    q->width[SCHEDULER_FIRST] = q->width[SCHEDULER_SECOND] = a->vector_scheduler_entries;
    q->width[SCHEDULER_STORES] = a->vector_store_scheduler_entries;
    /* that are left when a group is renamed, as the whole group must find room: */
    q->width[SCHEDULER_ALU] = a->alu_scheduler_entries + 1u - a->issue_width;
    q->width[SCHEDULER_ADDRESS] = a->address_scheduler_entries + 1u - bits_in_16(a->load_ports);
}

/* How many have not left it after that cycle, this one or a later one. Of vectors,
 * it is mostly no earlier than the one that was asked for last. */
static scheduler_look *look_ahead(sim *s, scheduler which, int32_t cycle)
{
    scheduler_queues *q = &s->queues;
    scheduler_look *l = &q->ahead[which];
    if (which >= SCHEDULER_ALU || l->cycle < s->cycle || l->cycle > cycle)
        *l = (scheduler_look){s->cycle, queues_count(q->inside, which)};
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

/* Where both schedulers lead to ports of the µop: the one with fewer µops, or else the one with the port that
 * is free first. */
static scheduler one_of_both(sim *s, const op *u, int32_t cycle, int32_t ready)
{
    const uint32_t width = s->queues.width[SCHEDULER_FIRST];
    uint32_t first = min_u32(look_ahead(s, SCHEDULER_FIRST, cycle)->count, width),
             other = min_u32(look_ahead(s, SCHEDULER_SECOND, cycle)->count, width);
    bool to_second =
        first == other ? s->arch->vector_second_ports >> reservations_free_port(s, u->places, ready).port & 1
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
    return q->entered_last > s->cycle || min_u32(queues_count(q->inside, SCHEDULER_FIRST), width) +
                                                 min_u32(queues_count(q->inside, SCHEDULER_SECOND), width) >=
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
    const scheduler_counts inside = q->inside - q->leaving[s->cycle & (SIM_HORIZON - 1)];
    uint32_t left[SCHEDULERS];
    bool too_many = false;
    for (unsigned w = 0; w < SCHEDULERS; w++) {
        left[w] = q->width[w];
        too_many |= queues_count(inside, w) > left[w];
    }
    for (int32_t c = q->last; c > s->cycle; c--) {
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

/* ---- ALUs that pick µops early ---- */

/* ALUs whose scheduler is in parts, each for some of them, and picks µops before their operands are there.
 * Measured on Zen 5:
 *
 * - An addition that another one uses, `lea rbx, [rdi+8]; cmp rsi, rbx`, takes 0.53 cycles in place of 0.33,
 *   with a second comparison 0.88, with a third 1.26: each takes an ALU twice. Comparisons with what was
 *   loaded take it once. With more between the two this becomes less, and is gone after 25 other additions.
 * - Of chains of additions in parallel, four take 1.03 cycles a link, five 1.17, six 1.29, eight 1.53.
 *
 * - Of what only some ALUs take (shifts, multiplications), chains in parallel get all of their ALUs: three
 *   chains of shifts take a cycle a link.
 *
 * All follow, within 7 % on the average of 69 such loops (`alu`), if a µop that any ALU takes waits in one of
 * three parts (of two at random the one with fewer), from each of which the two oldest leave in a cycle; if
 * others find what is free as they leave; and if a µop wakes those that use its result when it could leave,
 * although older ones then take its place. They are picked in vain, and again a cycle later, until their
 * operands are there. */

/* Numbers at random, each once: the ranks of hash_mix(0) to hash_mix(ALU_NUMBERS - 1) (test_sim.c). */
const uint8_t early_picks_numbers[ALU_NUMBERS] = {
    217, 131, 141, 24,  102, 84,  184, 85,  147, 161, 10,  71,  135, 191, 96,  118, 80,  113, 14,  182, 45,
    7,   195, 225, 155, 148, 189, 140, 128, 180, 152, 213, 229, 37,  120, 66,  227, 194, 230, 201, 47,  16,
    186, 174, 246, 240, 175, 110, 4,   23,  176, 79,  244, 196, 183, 100, 145, 44,  111, 138, 178, 58,  40,
    122, 212, 48,  38,  218, 6,   72,  89,  205, 125, 204, 63,  121, 219, 83,  74,  119, 185, 133, 12,  11,
    202, 101, 210, 237, 55,  206, 233, 241, 146, 245, 238, 247, 82,  70,  235, 59,  29,  207, 15,  22,  62,
    181, 27,  28,  200, 166, 129, 243, 106, 160, 88,  68,  214, 64,  105, 35,  2,   34,  21,  168, 208, 199,
    167, 57,  157, 136, 108, 124, 164, 3,   223, 123, 53,  95,  158, 41,  221, 171, 156, 154, 92,  76,  43,
    54,  30,  36,  242, 165, 236, 65,  130, 248, 139, 109, 51,  87,  132, 143, 18,  192, 188, 249, 193, 163,
    77,  231, 69,  198, 75,  5,   91,  177, 93,  107, 142, 8,   159, 33,  112, 50,  26,  42,  1,   114, 127,
    203, 17,  250, 239, 32,  172, 78,  0,   190, 134, 20,  56,  151, 222, 169, 19,  153, 99,  115, 67,  150,
    224, 232, 25,  137, 49,  220, 197, 211, 46,  215, 9,   86,  117, 228, 31,  126, 144, 103, 116, 61,  162,
    94,  98,  39,  149, 81,  13,  234, 179, 173, 187, 226, 104, 52,  90,  60,  73,  97,  170, 216, 209,
};

uint32_t early_picks_distance(const sim *s)
{
    const tacho_arch *a = s->arch;
    const bool moves =
        s->any_move && (a->move_elim_slots_gpr != TACHO_SLOTS_UNLIMITED ||
                        a->move_elim_slots_simd != TACHO_SLOTS_UNLIMITED || a->move_elim_except_slot);
    if (!a->alu_scheduler_parts || moves || s->b->has_stack || s->b->has_high8_write)
        return 1;
    uint32_t waiting = 0; /* in the parts, in each iteration: each that is bound takes two random numbers */
    for (uint32_t k = 0; k < s->prog.op_count; k++)
        waiting += early_picks_has(s, &s->prog.ops[k]) && s->prog.ops[k].parts &&
                   !s->b->insns[s->prog.ops[k].insn].eliminable;
    return waiting % ALU_NUMBERS ? ALU_NUMBERS : 1;
}

void early_picks_in_vain(sim *s, uint32_t places, int32_t woken, int32_t ready)
{
    for (int32_t cycle = woken; cycle < ready; cycle++) {
        int32_t first = ready;
        int port = -1;
        for (uint32_t left = places; left; left &= left - 1) {
            int candidate = s->prog.spare_first[__builtin_ctz(left)];
            int32_t free = reservations_first_free(s->reserved.busy[candidate], cycle);
            if (free < first || (free == first && candidate < port)) {
                first = free;
                port = candidate;
            }
        }
        if (port < 0)
            return;
        reservations_set(s->reserved.busy[port], first);
        cycle = first;
    }
}

/* ---- schedulers in parts ---- */

/* Of ALUs: see above. Of addresses: Zen 3 and Zen 4 have four schedulers of 24 entries, each with an ALU,
 * three with an address unit, too (AMD's optimization guides). A load or store address is bound to one of
 * these when it is renamed. From loads alone (measured on Zen 4: doc/rooms/accuracy.md) follows:
 *
 * They are bound by turns, but to none where two more wait than elsewhere as the cycle begins. Where the one
 * in turn is full, nothing is renamed, and in the next cycle it is the next one's turn. So loads wait for
 * their unit while another is free.
 *
 * An entry is kept for some cycles after the µop has left, as if it might have to begin again: chains of one
 * to five loads, independent of each other, are measured to take 0.33, 0.72, 1.11, 1.8 and 2.2 cycles, and
 * are predicted with 0.33, 0.69, 1.16, 1.63 and 2.16.
 *
 * That ALU µops are bound, too, agrees with no more of what was measured; they go where a port is free. */

/* Of the ALUs' scheduler, above: every third of the ALUs, where there are three. Only what any ALU takes is
 * bound. */
static void prepare_alus(sim *s, op *ops, uint32_t count)
{
    scheduler_parts *parts = &s->parts;
    const uint32_t number = s->arch->alu_scheduler_parts;
    for (uint32_t left = s->arch->alu_ports, nth = 0; left; left &= left - 1, nth++)
        parts->places[nth % number] |= (uint16_t)ports_places(&s->prog, left & -left);
    for (uint32_t k = 0; k < ALU_NUMBERS; k++)
        parts->picks[k] = (uint8_t)(early_picks_numbers[k] % number);
    for (op *u = ops; u < ops + count; u++)
        if (u->ports == s->arch->alu_ports && !(u->flags & OP_NO_PORT))
            u->parts = (uint8_t)((1u << number) - 1);
}

/* One for each load port. */
static void prepare_addresses(sim *s, op *ops, uint32_t count)
{
    uint32_t part = 0;
    for (uint32_t left = s->arch->load_ports; left; left &= left - 1, part++) {
        const uint32_t port = left & -left;
        s->parts.count = (uint8_t)(part + 1);
        s->parts.places[part] = (uint16_t)ports_places(&s->prog, port);
        for (op *u = ops; u < ops + count; u++)
            if (u->scheduler == SCHEDULER_ADDRESS && (u->ports & port))
                u->parts |= (uint8_t)(1u << part);
    }
}

void parts_prepare(sim *s, op *ops, uint32_t count)
{
    memset(s->parts.places, 0, sizeof s->parts.places);
    if (s->binds)
        prepare_addresses(s, ops, count);
    else if (s->parted)
        prepare_alus(s, ops, count);
}

void parts_reset(sim *s)
{
    scheduler_parts *p = &s->parts;
    if (!s->parted)
        return;
    for (int32_t c = p->turned; c <= p->last; c++) /* of the run before */
        p->leaving[c & (SIM_HORIZON - 1)] = 0;
    p->waiting = 0;
    memset(s->rn.told, 0, sizeof s->rn.told);
    p->last = p->turned = 0;
    p->turn = p->drawn = p->chosen = 0;
    p->stopped = -1;
}

uint64_t parts_hash(const sim *s, uint64_t h)
{
    const scheduler_parts *p = &s->parts;
    h = hash_add(h, p->turn | p->drawn << 8);
    for (int32_t c = s->cycle + 1; c <= p->last; c++)
        if (p->leaving[c & (SIM_HORIZON - 1)])
            h = hash_add(hash_add(h, (uint32_t)(c - s->cycle)), p->leaving[c & (SIM_HORIZON - 1)]);
    return h;
}

bool parts_find_room(sim *s, const lam_op *l, bool all_full)
{
    scheduler_parts *p = &s->parts;
    if (p->stopped == s->cycle)
        return false;
    for (const op *u = &s->prog.ops[l->op_first], *end = u + l->op_count; u < end; u++) {
        if (all_full && (u->flags & OP_INTEGER))
            return false;
        const uint32_t next = u->parts ? parts_next(p, u) : 0;
        if (u->parts && parts_count(p->waiting, next) >= s->arch->shared_scheduler_entries) {
            p->stopped = s->cycle;
            p->turn = (uint8_t)(next + 1);
            return false;
        }
    }
    return true;
}
