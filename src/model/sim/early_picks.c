/* early_picks.c - ALUs whose scheduler is in parts, each for some of them, and picks µops before their
 * operands are there. Measured on Zen 5:
 *
 * - An addition that another one uses, `lea rbx, [rdi+8]; cmp rsi, rbx`, takes 0.53 cycles in place of 0.33,
 *   with a second comparison 0.88, with a third 1.26: each takes an ALU twice. Comparisons with what was
 *   loaded take it once. With more between the two this becomes less, and is gone after 25 other additions.
 * - Of chains of additions in parallel, four take 1.03 cycles a link, five 1.17, six 1.29, eight 1.53.
 *
 * Both follow, within 5 % on the average of 14 such loops, if each µop waits in one of three parts, at
 * random, from each of which the two oldest leave in a cycle; and if a µop wakes those that use its result
 * when it could leave, although older ones then take its place. They are picked in vain, and again a cycle
 * later, until their operands are there. */
#include "base/hash.h"
#include "model/sim/reservations.h"

#include <string.h>

void early_picks_reset(sim *s)
{
    if (!s->arch->alu_scheduler_parts)
        return;
    memset(&s->alu, 0, sizeof s->alu);
    memset(s->rn.told, 0, sizeof s->rn.told);
    s->alu.counted = SIM_LONG_AGO;
    for (uint32_t k = 0; k < ALU_TURNS; k++) {
        uint32_t rank = 0;
        for (uint32_t other = 0; other < ALU_TURNS; other++)
            rank += hash_mix(other) < hash_mix(k);
        s->alu.numbers[k] = (uint8_t)rank;
    }
}

bool early_picks_has(const sim *s, const op *u)
{
    return (u->flags & OP_INTEGER) && u->kind != UOP_LOAD && u->kind != UOP_STORE_ADDRESS;
}

/* How many wait in each part as the cycle begins. */
static void count_waiting(sim *s)
{
    alu_parts *a = &s->alu;
    if (a->counted == s->cycle)
        return;
    a->counted = s->cycle;
    for (uint32_t part = 0; part < s->arch->alu_scheduler_parts; part++) {
        uint32_t left = 0;
        for (uint32_t k = 0; k < a->count[part]; k++)
            if (a->leaving[part][k] > s->cycle)
                a->leaving[part][left++] = a->leaving[part][k];
        a->count[part] = a->waiting[part] = (uint8_t)left;
    }
}

static uint32_t next_random(sim *s)
{
    alu_parts *a = &s->alu;
    a->turn = a->turn + 1 == ALU_TURNS ? 0 : a->turn + 1;
    return a->numbers[a->turn];
}

/* Of the µop's ports those of the part that it waits in: of two parts, at random, that in which fewer wait.
 */
uint16_t early_picks_part(sim *s, uint16_t ports)
{
    const uint32_t parts = s->arch->alu_scheduler_parts;
    uint16_t of_part[ALU_PARTS];
    uint8_t able[ALU_PARTS];
    uint32_t count = 0;
    count_waiting(s);
    for (uint32_t part = 0; part < parts; part++) {
        of_part[part] = 0;
        for (uint32_t p = part; p < TACHO_MAX_PORTS; p += parts)
            of_part[part] |= (uint16_t)(ports & 1u << p);
        if (of_part[part])
            able[count++] = (uint8_t)part;
    }
    if (!count)
        return ports;
    const uint32_t one = able[next_random(s) % count], other = able[next_random(s) % count];
    s->alu.last = (uint8_t)(s->alu.waiting[other] < s->alu.waiting[one] ? other : one);
    s->alu.waiting[s->alu.last]++;
    return of_part[s->alu.last];
}

void early_picks_leave(sim *s, int32_t cycle)
{
    alu_parts *a = &s->alu;
    if (a->count[a->last] < ALU_WAITING)
        a->leaving[a->last][a->count[a->last]++] = cycle;
}

uint64_t early_picks_hash(const sim *s, uint64_t h)
{
    const alu_parts *a = &s->alu;
    h = hash_add(h, a->turn);
    for (uint32_t part = 0; part < s->arch->alu_scheduler_parts; part++)
        for (uint32_t k = 0; k < a->count[part]; k++)
            if (a->leaving[part][k] > s->cycle)
                h += hash_mix((uint64_t)(a->leaving[part][k] - s->cycle) << 8 | (part + 1));
    return h;
}

/* The cycle from which on the µop is picked. */
int32_t early_picks_wake(const sim *s, const op *u, int32_t ready)
{
    int32_t woken = s->earliest;
    for (uint32_t k = 0; k < u->in_count; k++) {
        const int32_t there = rat_ready(s->rn.rat[u->in[k]]), told = s->rn.told[u->in[k]];
        /* what has left already has told the truth */
        const int32_t when = there <= s->cycle + 1 || told > there ? there : told;
        woken = when > woken ? when : woken;
    }
    return woken < ready ? woken : ready;
}

void early_picks_in_vain(sim *s, uint16_t ports, int32_t woken, int32_t ready)
{
    for (int32_t cycle = woken; cycle < ready; cycle++) {
        int32_t first = ready;
        int port = -1;
        for (uint32_t left = ports; left; left &= left - 1) {
            int32_t free = reservations_first_free(s->reserved.busy[__builtin_ctz(left)], cycle);
            if (free < first) {
                first = free;
                port = __builtin_ctz(left);
            }
        }
        if (port < 0)
            return;
        reservations_set(s->reserved.busy[port], first);
        cycle = first;
    }
}

void early_picks_tell(sim *s, const op *u, int32_t base, int32_t ready)
{
    for (uint32_t k = 0; k < u->out_count; k++) {
        const int32_t latency = u->out[k].after >> RESULT_FLAG_BITS;
        const bool early = latency == 1 && u->ports == s->arch->alu_ports && ready < base;
        s->rn.told[u->out[k].slot] = (early ? ready : base) + latency;
    }
}
