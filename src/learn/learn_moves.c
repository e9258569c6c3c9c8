/* learn_moves.c - moves that end at the renamer. A move in a chain of slow instructions costs nothing where
 * it is eliminated, and its latency where it is not. */
#include <math.h>

#include "learn/learn_experiments.h"
#include "learn/loopset.h"

enum {
    MOST_HELD = 6, /* moves whose registers stay shared while the chain runs */
    LINKS = 60
};

/* ---- how many at a time ---- */

/* A chain without and with a move in each link, the second register of which is overwritten; and moves that
 * are held meanwhile. NOPs between these, so that they do not come at once. */
typedef struct chain {
    const char *title, *plain, *moved, *hold;
    unsigned first, second; /* numbers for `hold`: of the first pair, two more for the next */
} chain;

static const chain chains[2] = {
    {"general registers", "imul rcx, rcx, 3", "mov rdx, rcx; imul rcx, rdx, 3; mov edx, 1", "mov r%u, r%u", 8,
     9},
    {"vector registers", "pmuludq xmm0, xmm0", "movaps xmm1, xmm0; pmuludq xmm0, xmm1; pxor xmm1, xmm1",
     "movaps xmm%u, xmm%u", 2, 3},
};

static void add_held(loopset *s, const chain *c, unsigned held)
{
    static const char *const others[3][2] = {{"rsi", "rdi"}, {"rbx", "rbp"}, {"rax", "r14"}};
    loopset_loop(s, TACHO_MODE_LOOP);
    for (unsigned k = 0; k < held; k++) {
        if (c->first == 8 && k >= 3)
            loopset_add(s, 1, "mov %s, %s", others[k - 3][0], others[k - 3][1]);
        else
            loopset_add(s, 1, c->hold, c->first + 2 * k, c->second + 2 * k);
        loopset_nops(s, 4, 16);
    }
    for (unsigned k = 0; k < LINKS; k++) {
        loopset_add(s, 1, "%s", c->moved);
        loopset_nops(s, 4, 4);
    }
}

/* From the part of the moves in the chain that is executed, by how many are held. */
static void say_slots(loopset *s, const char *name, const curve *c)
{
    double least = INFINITY, most = -INFINITY, none = c->points[0].cycles;
    unsigned rises = 0;
    for (size_t i = 0; i < c->count; i++) {
        least = fmin(least, c->points[i].cycles);
        most = fmax(most, c->points[i].cycles);
        if (!rises && c->points[i].cycles > none + 0.1)
            rises = (unsigned)i;
    }
    if (!(none > -0.2))
        lab_undecided(s->l, name, "the chain without moves could not be timed");
    else if (least > 0.85)
        lab_found(s->l, name, NAN, NAN, "0");
    else if (most - least < 0.08 && none < 0.6)
        lab_found(s->l, name, NAN, NAN, "unlimited");
    else if (none < 0.1 && rises) /* the chain's own move before has its place until the next one */
        lab_found(s->l, name, rises + 1, rises + 1, "%u", rises + 1);
    else
        lab_undecided(s->l, name, "%.0f to %.0f %% of the moves are executed, with no order in it",
                      100 * least, 100 * most);
}

/* With all places held, moves of the chain are executed always; or half of the time, where a held pair of
 * which one register was overwritten has given its place back. */
static void say_aliases(loopset *s, const curve *c)
{
    static const char name[] = "move_elim_all_aliases";
    double slots = lab_number(s->l, "move_elim_slots_gpr", 0);
    if (!(slots >= 1) || slots >= (double)c->count) {
        lab_moot(s->l, name, "there is no number of moves that can be eliminated at a time");
        return;
    }
    double part = c->points[(size_t)slots].cycles;
    if (part > 0.9 || (part > 0.3 && part < 0.7))
        lab_yes(s->l, name, part > 0.9);
    else
        lab_undecided(s->l, name, "%.0f %% of the moves are executed where all or half should be",
                      100 * part);
}

int learn_move_slots(lab *l)
{
    static const char *const names[2] = {"move_elim_slots_gpr", "move_elim_slots_simd"};
    loopset s = loopset_of(l);
    for (unsigned k = 0; k < 2; k++) {
        loopset_loop(&s, TACHO_MODE_LOOP);
        loopset_add(&s, LINKS, "%s", chains[k].plain);
        for (unsigned held = 0; held <= MOST_HELD; held++)
            add_held(&s, &chains[k], held);
    }
    loopset_time(&s);
    for (unsigned k = 0; k < 2; k++) {
        size_t first = k * (MOST_HELD + 2);
        curve *c = loopset_curve(&s, chains[k].title, "pairs of registers that share a value meanwhile",
                                 "part of the moves that is executed");
        for (unsigned held = 0; held <= MOST_HELD; held++)
            loopset_point(&s, c, held,
                          (loopset_cycles(&s, first + 1 + held) - loopset_cycles(&s, first)) / LINKS);
        if (!l->failed)
            say_slots(&s, names[k], c);
        if (!l->failed && !k)
            say_aliases(&s, c);
    }
    return loopset_end(&s);
}

/* ---- a slot without ---- */

/* Groups of as many µops as are issued, in each of which a link of a chain takes a cycle, or two if the move
 * in it is executed. */
static void add_groups(loopset *s, unsigned width, unsigned slot)
{
    enum {
        GROUPS = 16
    };
    loopset_loop(s, TACHO_MODE_LOOP);
    for (unsigned g = 0; g < GROUPS; g++)
        for (unsigned k = 0; k < width; k++) {
            if (k == slot)
                loopset_add(s, 1, "mov rdx, rcx");
            else if (k == (slot + 1) % width)
                loopset_add(s, 1, "lea rcx, [rdx+rax]");
            else
                loopset_nops(s, 4, 1);
        }
    loopset_nops(s, 4, width - 1); /* the branch is last */
}

int learn_move_except(lab *l)
{
    enum {
        MOST = 16
    };
    static const char name[] = "move_elim_except_slot";
    loopset s = loopset_of(l);
    const finding *slots = lab_finding(l, "move_elim_slots_gpr");
    unsigned width = (unsigned)lab_number(l, "issue_width", 0), bad = 0, at = 0;
    if (!slots || slots->state != FINDING_MEASURED || slots->value[0] != 'u' || width < 3 || width > MOST) {
        lab_moot(l, name, "moves are not eliminated without limit");
        return loopset_end(&s);
    }
    for (unsigned slot = 0; slot < width; slot++)
        add_groups(&s, width, slot);
    loopset_draw(&s, &(sweep){.from = 1, .count = width}, "a move in that slot of each group that is issued",
                 "slot", "cycles for 16 groups");
    double least = INFINITY;
    for (unsigned slot = 0; slot < width; slot++)
        least = fmin(least, loopset_cycles(&s, slot));
    for (unsigned slot = 0; slot < width; slot++)
        if (!(loopset_cycles(&s, slot) < 1.3 * least)) {
            bad++;
            at = slot + 1;
        }
    if (bad > 1)
        lab_undecided(l, name, "%u slots of a group are slower than others", bad);
    else
        lab_found(l, name, NAN, NAN, "%u", at);
    return loopset_end(&s);
}

/* ---- registers that only REX tells from AH to BH; moves that join an operation ---- */

int learn_move_bytes(lab *l)
{
    static const char name[] = "movzx_high8_alias_eliminated";
    loopset s = loopset_of(l);
    loopset_loop(&s, TACHO_MODE_LOOP);
    loopset_add(&s, 8, "movzx edx, cl; lea ecx, [rdx+rax]");
    loopset_loop(&s, TACHO_MODE_LOOP);
    loopset_add(&s, 8, "movzx edx, sil; lea esi, [rdx+rax]");
    loopset_draw(&s, &(sweep){.count = 2, .per = 8},
                 "zero extension of CL (0) and SIL (1) in a chain of additions", "register", "cycles a link");
    double plain = loopset_cycles(&s, 0) / 8, alias = loopset_cycles(&s, 1) / 8;
    if (!(plain > 0 && alias > 0))
        lab_undecided(l, name, "zero extensions could not be timed");
    else if (plain > 1.9)
        lab_moot(l, name, "no zero extension of a byte is eliminated");
    else
        lab_yes(l, name, alias < 0.5 * (plain + 2));
    return loopset_end(&s);
}

int learn_move_joins(lab *l)
{
    enum {
        COUNT = 10
    };
    static const char *const regs[COUNT] = {"rcx", "rdx", "rsi", "rdi", "r8",
                                            "r9",  "r10", "r11", "r12", "r13"};
    static const char name[] = "fuses_moves";
    loopset s = loopset_of(l);
    for (unsigned other = 0; other < 2; other++) {
        loopset_loop(&s, TACHO_MODE_LOOP);
        for (unsigned k = 0; k < 2 * COUNT; k++) {
            loopset_add(&s, 1, "mov %s, rax; add %s, rbx", regs[k % COUNT], regs[(k + other) % COUNT]);
            loopset_nops(&s, 4, 1);
        }
    }
    loopset_draw(&s, &(sweep){.count = 2},
                 "a move, an addition to the same register (0) or another one (1), a NOP", "which",
                 "cycles for 20 of each");
    double same = loopset_cycles(&s, 0), apart = loopset_cycles(&s, 1);
    if (!(same > 0 && apart > 0))
        lab_undecided(l, name, "moves and additions could not be timed");
    else /* three slots each, or two */
        lab_yes(l, name, same < 0.9 * apart);
    return loopset_end(&s);
}
