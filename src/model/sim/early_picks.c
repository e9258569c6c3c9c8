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
#include "model/sim/early_picks.h"

#include "base/hash.h"

#include <string.h>

/* Numbers at random, each once: the ranks of hash_mix(0) to hash_mix(ALU_TURNS - 1) (test_sim.c). */
const uint8_t early_picks_numbers[ALU_TURNS] = {
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

/* The part that each random number takes of several. */
static void find_picks(alu_parts *a, uint8_t parts)
{
    const uint32_t count = (uint32_t)__builtin_popcount(parts);
    for (uint32_t k = 0; k < ALU_TURNS && !a->picked[parts]; k++) {
        uint32_t left = parts;
        for (uint32_t nth = early_picks_numbers[k] % count; nth; nth--)
            left &= left - 1;
        a->picks[parts][k] = (uint8_t)__builtin_ctz(left);
    }
    a->picked[parts] = true;
}

void early_picks_prepare(sim *s, op *ops, uint32_t count)
{
    alu_parts *a = &s->alu;
    const uint32_t parts = s->arch->alu_scheduler_parts;
    memset(a->places, 0, sizeof a->places);
    for (uint32_t p = 0; parts && p < TACHO_MAX_PORTS; p++)
        a->places[p % parts] |= (uint16_t)ports_places(&s->prog, 1u << p);
    for (op *u = ops; u < ops + count; u++) {
        for (uint32_t part = 0; part < parts; part++)
            if (u->places & a->places[part])
                u->parts |= (uint8_t)(1u << part);
        if (u->parts)
            find_picks(a, u->parts);
    }
}

void early_picks_reset(sim *s)
{
    alu_parts *a = &s->alu;
    const uint32_t parts = s->arch->alu_scheduler_parts;
    if (!parts)
        return;
    for (int32_t c = a->turned; c <= a->last; c++) /* of the run before */
        a->leaving[c & (SIM_HORIZON - 1)] = 0;
    a->waiting = 0;
    memset(s->rn.told, 0, sizeof s->rn.told);
    a->last = a->turned = 0;
    a->turn = a->chosen = 0;
}

uint32_t early_picks_distance(const sim *s)
{
    const tacho_arch *a = s->arch;
    const bool moves =
        s->any_move && (a->move_elim_slots_gpr != TACHO_SLOTS_UNLIMITED ||
                        a->move_elim_slots_simd != TACHO_SLOTS_UNLIMITED || a->move_elim_except_slot);
    if (!a->alu_scheduler_parts || moves || s->b->has_stack || s->b->has_high8_write)
        return 1;
    uint32_t waiting = 0; /* in the parts, in each iteration: of the random numbers each takes two */
    for (uint32_t k = 0; k < s->prog.op_count; k++)
        waiting += early_picks_has(s, &s->prog.ops[k]) && !s->b->insns[s->prog.ops[k].insn].eliminable;
    return waiting % ALU_TURNS ? ALU_TURNS : 1;
}

uint64_t early_picks_hash(const sim *s, uint64_t h)
{
    const alu_parts *a = &s->alu;
    h = hash_add(h, a->turn);
    for (int32_t c = s->cycle + 1; c <= a->last; c++)
        if (a->leaving[c & (SIM_HORIZON - 1)])
            h = hash_add(hash_add(h, (uint32_t)(c - s->cycle)), a->leaving[c & (SIM_HORIZON - 1)]);
    return h;
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
