/* scheduler_parts.c - schedulers in parts: ALUs that pick µops early (Zen 5), and loads and store addresses
 * that are bound to address units (Zen 3, Zen 4). */
#include "base/hash.h"
#include "model/sim/inner_loop.h"

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
        waiting += s->prog.ops[k].parts && !s->b->insns[s->prog.ops[k].insn].eliminable;
    return waiting % ALU_NUMBERS ? ALU_NUMBERS : 1;
}

void early_picks_in_vain(sim *s, port_places places, int32_t woken, int32_t ready)
{
    for (int32_t cycle = woken; cycle < ready; cycle++) {
        free_port first = reservations_first_free(&s->reserved, places, cycle);
        if (first.cycle >= ready)
            return;
        cycle = first.cycle;
        const uint32_t free = (uint16_t)places & ~s->reserved.taken[cycle & RESERVED_SLOT];
        for (uint32_t left = free & (free - 1); left; left &= left - 1) /* the one with the lowest number */
            if (s->prog.spare_first[__builtin_ctz(left)] < s->prog.spare_first[first.place])
                first.place = __builtin_ctz(left);
        reservations_take(&s->reserved, first.place, cycle);
    }
}

/* ---- entries ---- */

/* Of ALUs: see above. Of addresses: Zen 3 and Zen 4 have four schedulers of 24 entries, each with an ALU,
 * three with an address unit, too (AMD's optimization guides). A load or store address is bound to one of
 * these when it is renamed. From loads alone (measured on Zen 4: doc/rooms/accuracy.md) follows:
 *
 * They are bound by turns (on Zen 3 to none where two more wait than elsewhere as the cycle begins). Where
 * the one in turn is full, nothing is renamed, and in the next cycle it is the next one's turn. So loads wait
 * for their unit while another is free.
 *
 * An entry is kept for some cycles after the µop has left, as if it might have to begin again: chains of one
 * to five loads, independent of each other, are measured to take 0.33, 0.72, 1.11, 1.8 and 2.2 cycles, and
 * are predicted with 0.33, 0.67, 1.17, 1.61 and 2.12.
 *
 * ALU µops are bound, too (alu_balance_uops, Zen 4), by a rule without memory: in each group, first those
 * that not all ALUs take, then the others from ALU 3 downwards, one to each ALU before a second. So three
 * additions of which each uses the one before take 1.50 cycles in copies, as their ALUs change from group to
 * group, and 1.00 in a loop, where they do not. Of a group that finds no entry for one, what is before it is
 * renamed. What not all ALUs take goes where fewer wait, by steps of so many. On Zen 3 they go where a port
 * is free.
 *
 * On Zen 4 each scheduler takes two µops a cycle (shared_scheduler_uops), those for its ALU among them, and a
 * group goes as a whole: where one of its accesses finds no entry, nothing is renamed. What computes with
 * memory, or moves an immediate there, has the entry of its access. The others take at most one place in each
 * scheduler, counted from the one without an address unit downwards by their place in the group; that counts
 * here alone. So `load; load; operation`, in any order, take 0.75 cycles, as measured, where the units would
 * take 0.67: of eight loads one unit gets three. */

/* Of the ALUs' scheduler, above: every third of the ALUs, where there are three. Only what any ALU takes is
 * bound. */
static void prepare_alus(sim *s, op *ops, uint32_t count)
{
    scheduler_parts *parts = &s->parts;
    const uint32_t number = s->arch->alu_scheduler_parts;
    for (uint32_t left = s->arch->alu_ports, nth = 0; left; left &= left - 1, nth++)
        parts->places[nth % number] |= ports_places(&s->prog, left & -left);
    for (uint32_t k = 0; k < ALU_NUMBERS; k++)
        parts->picks[k] = (uint8_t)(early_picks_numbers[k] % number);
    for (op *u = ops; u < ops + count; u++)
        if (early_picks_has(s, u) && u->ports == s->arch->alu_ports)
            u->parts = (uint8_t)((1u << number) - 1);
}

/* What is sent of each laminated µop that is executed. */
static void count_sent(sim *s)
{
    s->parts.grouped = false;
    for (lam_op *l = s->prog.lams; l < s->prog.lams + s->prog.lam_count; l++) {
        l->accesses = l->others = l->bound_alus = l->integer = 0;
        for (uint32_t k = 0; k < l->op_count && !(l->flags & LAM_ELIMINABLE); k++) {
            const op *u = &l->ops[k];
            l->integer |= (u->flags & OP_INTEGER) != 0;
            l->accesses += u->parts && !(u->parts >> FIRST_COUNTED_ALU);
            l->bound_alus += u->parts >> FIRST_COUNTED_ALU != 0;
            l->others += u->scheduler == SCHEDULER_ALU && !(u->flags & OP_NO_PORT) &&
                         !(u->ports & s->arch->store_data_alu_ports);
        }
        if (l->accesses)
            l->others = 0;
        s->parts.grouped |= l->accesses + l->bound_alus > 0;
    }
}

/* One for each ALU, for what only computes and goes to no other port. */
static void prepare_bound_alus(sim *s, op *ops, uint32_t count)
{
    uint32_t part = FIRST_COUNTED_ALU;
    for (uint32_t left = s->arch->alu_ports; left && part < SCHEDULER_PARTS; left &= left - 1, part++) {
        s->parts.places[part] = ports_places(&s->prog, left & -left);
        for (op *u = ops; u < ops + count; u++)
            if (u->scheduler == SCHEDULER_ALU && !(u->flags & OP_NO_PORT) &&
                !(u->ports & ~s->arch->alu_ports) && (u->ports & left & -left))
                u->parts |= (uint8_t)(1u << part);
    }
}

/* One for each load port. Those that lead to some of the ports only (vectors) choose as they leave where µops
 * are sent by groups. */
static void prepare_addresses(sim *s, op *ops, uint32_t count)
{
    uint32_t part = 0;
    for (uint32_t left = s->arch->load_ports; left; left &= left - 1, part++) {
        const uint32_t port = left & -left, all = s->arch->shared_scheduler_uops ? s->arch->load_ports : port;
        s->parts.count = (uint8_t)(part + 1);
        s->parts.places[part] = ports_places(&s->prog, port);
        for (op *u = ops; u < ops + count; u++)
            if (u->scheduler == SCHEDULER_ADDRESS && (u->ports & all) == all)
                u->parts |= (uint8_t)(1u << part);
    }
    if (parts_bind_alus(s->arch))
        prepare_bound_alus(s, ops, s->prog.op_count);
    count_sent(s);
    s->parts.grouped &= s->arch->shared_scheduler_uops > 0;
}

/* In the order of their places, where there are bytes for them and for the load ports. */
static void prepare_counted(sim *s, const op *ops, uint32_t count)
{
    scheduler_parts *p = &s->parts;
    const uint16_t alus = s->arch->alus_by_waiting;
    p->alus = 0;
    if (!s->parted || parts_bind_alus(s->arch) ||
        __builtin_popcount(alus) > SCHEDULER_PARTS - FIRST_COUNTED_ALU ||
        __builtin_popcount(s->arch->load_ports) > FIRST_COUNTED_ALU)
        return;
    for (const op *u = ops; u < ops + count; u++)
        if (alus && u->ports == alus)
            p->alus = u->places;
    uint32_t k = FIRST_COUNTED_ALU;
    for (uint32_t left = (uint16_t)p->alus; left; left &= left - 1)
        p->places[k++] = IN_EACH_CYCLE << __builtin_ctz(left);
}

void parts_prepare(sim *s, op *ops, uint32_t count)
{
    memset(s->parts.places, 0, sizeof s->parts.places);
    prepare_counted(s, ops, count);
    if (s->binds)
        prepare_addresses(s, ops, count);
    else if (s->arch->alu_scheduler_parts)
        prepare_alus(s, ops, count);
}

void parts_reset(sim *s)
{
    scheduler_parts *p = &s->parts;
    if (!s->parted)
        return;
    p->waiting = 0;
    memset(s->rn.told, 0, sizeof s->rn.told);
    p->turn = p->drawn = p->chosen = 0;
    p->stopped = p->planned = -1;
    p->bound = 0;
}

uint64_t parts_hash(const sim *s, uint64_t h)
{
    const scheduler_parts *p = &s->parts;
    h = hash_add(h, p->turn | p->drawn << 8);
    for (int32_t c = s->cycle + 1; c <= s->reserved.last + s->arch->address_release_cycles; c++)
        if (p->leaving[c & (SIM_HORIZON - 1)])
            h = hash_add(hash_add(h, (uint32_t)(c - s->cycle)), p->leaving[c & (SIM_HORIZON - 1)]);
    return h;
}

bool parts_find_room(sim *s, const lam_op *l, bool all_full)
{
    scheduler_parts *p = &s->parts;
    if (p->stopped == s->cycle)
        return false;
    for (uint32_t i = 0; i < l->op_count; i++) {
        const op *u = &l->ops[i];
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

/* A group of µops, as far as it is known which schedulers they are sent to; in each of these, four bits. */
typedef struct group {
    uint64_t sent, accesses;
    uint32_t open, without_alu; /* schedulers that take another µop; that have none for their ALU */
    uint32_t uops, all_accesses;
    uint32_t turn, bound; /* as in scheduler_parts */
} group;
typedef enum sending {
    SENT,
    GROUP_ENDS, /* before it */
    NO_ENTRY
} sending;

/* The first at or after that one, else the first of all. */
static inline uint32_t first_from(uint32_t of, uint32_t from)
{
    const uint32_t later = of >> from << from;
    return (uint32_t)__builtin_ctz(later ? later : of);
}

static inline void send_to(group *g, uint32_t most, uint32_t part)
{
    g->uops++;
    g->sent += (uint64_t)1 << 4 * part;
    if ((g->sent >> 4 * part & 15) == most)
        g->open &= ~(1u << part);
}

static inline sending send_alu(group *g, uint32_t most, uint32_t schedulers)
{
    const uint32_t of = g->open & g->without_alu, back = g->uops % schedulers;
    if (!of)
        return g->without_alu ? GROUP_ENDS : SENT; /* a branch beside one for each */
    const uint32_t part = first_from(of, schedulers - 1 - back);
    g->without_alu &= ~(1u << part);
    send_to(g, most, part);
    return SENT;
}

static inline sending send_access(const sim *s, group *g, uint32_t most)
{
    const scheduler_parts *p = &s->parts;
    const uint32_t of = g->open & ((1u << p->count) - 1);
    if (!of || g->all_accesses == BOUND_MOST)
        return GROUP_ENDS;
    const uint32_t part = first_from(of, g->turn), waiting = parts_count(p->waiting, part);
    g->turn = part + 1;
    if (waiting + (g->accesses >> 4 * part & 15) >= s->arch->shared_scheduler_entries)
        return waiting ? NO_ENTRY : GROUP_ENDS;
    g->bound |= (part + 1) << BOUND_BITS * g->all_accesses++;
    g->accesses += (uint64_t)1 << 4 * part;
    send_to(g, most, part);
    return SENT;
}

enum {
    ANY_ALU = (1 << SCHEDULER_PARTS) - (1 << FIRST_COUNTED_ALU),
    GROUP_ALUS = 64 / BOUND_BITS
};

/* The µops of a group that are bound to ALUs. */
typedef struct alu_group {
    uint32_t count, fit;          /* laminated µops of the group that find entries */
    uint8_t of[GROUP_ALUS];       /* the laminated µop that each belongs to */
    uint8_t sent[GROUP_ALUS + 1]; /* [n] the ALUs with n of them */
} alu_group;

/* Of these the one where fewer wait, the last one among equals. */
static uint32_t where_fewer_wait(const sim *s, uint32_t alus)
{
    uint32_t best = 0, least = UINT32_MAX;
    for (uint32_t left = alus; left; left &= left - 1) {
        const uint32_t part = (uint32_t)__builtin_ctz(left),
                       steps = parts_count(s->parts.waiting, part) / s->arch->alu_balance_uops;
        if (steps <= least) {
            least = steps;
            best = part;
        }
    }
    return best;
}

/* Binds the n-th of the group's µops to the ALU of these with the fewest of the group. */
static inline void bind_alu(sim *s, alu_group *g, uint32_t nth, uint32_t parts, bool balanced)
{
    uint32_t sent = 0, part, waiting;
    while (!(g->sent[sent] & parts))
        sent++;
    parts &= g->sent[sent];
    part =
        balanced && parts & (parts - 1) ? where_fewer_wait(s, parts) : 31u - (uint32_t)__builtin_clz(parts);
    waiting = parts_count(s->parts.waiting, part);
    if (waiting && waiting + sent >= s->arch->shared_scheduler_entries)
        g->fit = min_u32(g->fit, g->of[nth]);
    g->sent[sent] &= (uint8_t) ~(1u << part);
    g->sent[sent + 1] |= (uint8_t)(1u << part);
    s->parts.bound_alus |= (uint64_t)(part + 1) << BOUND_BITS * nth;
}

/* Binds the µops of the first n laminated ones to ALUs, those first that not all ALUs take. @return how many
 * of the n find entries */
static uint32_t bind_alus(sim *s, uint32_t n)
{
    const front_end *fe = &s->fe;
    alu_group g = {.fit = n, .sent = {ANY_ALU}};
    uint32_t any = 0; /* bits: those that all ALUs take */
    s->parts.bound_alus = 0;
    for (uint32_t k = 0; k < n; k++) {
        const lam_op *l = &s->prog.lams[fe->idq[(fe->idq_head + k) & (SIM_IDQ - 1)] & ~IDQ_FLAGS];
        for (uint32_t i = 0; l->bound_alus && i < l->op_count && g.count < GROUP_ALUS; i++) {
            const uint32_t parts = l->ops[i].parts & ANY_ALU, nth = g.count;
            if (!parts)
                continue;
            g.of[nth] = (uint8_t)k;
            g.count++;
            if (parts == ANY_ALU)
                any |= 1u << nth;
            else
                bind_alu(s, &g, nth, parts, true);
        }
    }
    for (; any; any &= any - 1)
        bind_alu(s, &g, (uint32_t)__builtin_ctz(any), ANY_ALU, false);
    return g.fit;
}

/* How many laminated µops, from the head of the queue on, are renamed in this cycle; sets where their
 * accesses go. */
static uint32_t plan_group(sim *s)
{
    const front_end *fe = &s->fe;
    scheduler_parts *p = &s->parts;
    const uint32_t schedulers = p->count + 1u, most = s->arch->shared_scheduler_uops,
                   width = s->arch->issue_width, most_alus = s->arch->issue_alu_uops;
    const bool full = parts_all_full(s);
    group g = {.open = (1u << schedulers) - 1, .without_alu = (1u << schedulers) - 1, .turn = p->turn};
    uint32_t n = 0, slots = 0, alus = 0;
    sending out = SENT;
    for (; n < fe->idq_count && out == SENT; n++) {
        const idq_entry entry = fe->idq[(fe->idq_head + n) & (SIM_IDQ - 1)];
        const lam_op *l = &s->prog.lams[entry & ~IDQ_FLAGS];
        if (n && (slots + l->room > width || (alus && alus + l->alus > most_alus)))
            break;
        if (full && l->integer)
            out = NO_ENTRY;
        for (uint32_t left = l->accesses; left && out == SENT; left--)
            out = send_access(s, &g, most);
        for (uint32_t left = l->others; left && out == SENT; left--)
            out = send_alu(&g, most, schedulers);
        if (out == GROUP_ENDS && n)
            break;
        alus += l->alus;
        slots += l->flags & LAM_JOINED ? 0u : l->fused_count;
        if (entry & IDQ_ENDS_GROUP)
            out = out == SENT ? GROUP_ENDS : out;
    }
    p->bound = g.bound;
    if (out != NO_ENTRY)
        return parts_bind_alus(s->arch) ? bind_alus(s, n) : n;
    p->turn = (uint8_t)g.turn;
    return 0;
}

bool parts_group_begins(sim *s)
{
    scheduler_parts *p = &s->parts;
    p->planned = s->cycle;
    p->planned_head = s->fe.idq_head;
    p->planned_lams = plan_group(s);
    return p->planned_lams;
}
