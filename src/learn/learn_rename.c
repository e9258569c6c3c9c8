/* learn_rename.c - what ends at the renamer or is done by it: moves, sums of immediates, high bytes. A move
 * in a chain of slow instructions costs nothing where it is eliminated, and its latency where it is not. */

#include "learn/lab.h"

enum {
    MOST_HELD = 6, /* moves whose registers stay shared while the chain runs */
    LINKS = 60
};

/* ---- how many moves at a time ---- */

/* A chain without and with a move in each link, the second register of which is overwritten; and moves that
 * are held meanwhile. NOPs between these, so that they do not come at once. */
typedef struct moved_chain {
    const char *parameter, *title, *plain, *moved, *hold[MOST_HELD];
} moved_chain;

static const moved_chain chains[2] = {
    {"move_elim_slots_gpr",
     "general registers",
     "imul rcx, rcx, 3",
     "mov rdx, rcx; imul rcx, rdx, 3; mov edx, 1",
     {"mov r8, r9", "mov r10, r11", "mov r12, r13", "mov rsi, rdi", "mov rbx, rbp", "mov rax, r14"}},
    {"move_elim_slots_simd",
     "vector registers",
     "pmuludq xmm0, xmm0",
     "movaps xmm1, xmm0; pmuludq xmm0, xmm1; pxor xmm1, xmm1",
     {"movaps xmm2, xmm3", "movaps xmm4, xmm5", "movaps xmm6, xmm7", "movaps xmm8, xmm9",
      "movaps xmm10, xmm11", "movaps xmm12, xmm13"}},
};

static void add_held(lab *l, const moved_chain *c, unsigned held)
{
    lab_loop(l, TACHO_MODE_LOOP);
    for (unsigned k = 0; k < held; k++) {
        lab_code(l, 1, "%s", c->hold[k]);
        lab_nops(l, 4, 16);
    }
    for (unsigned k = 0; k < LINKS; k++) {
        lab_code(l, 1, "%s", c->moved);
        lab_nops(l, 4, 4);
    }
}

/* From the part of the moves in the chain that is executed, by how many are held. */
static void say_slots(lab *l, const char *name, const curve *c)
{
    double least = INFINITY, most = -INFINITY, none = curve_at(c, 0);
    unsigned rises = 0;
    for (unsigned i = 0; i <= MOST_HELD; i++) {
        least = fmin(least, curve_at(c, i));
        most = fmax(most, curve_at(c, i));
        if (!rises && curve_at(c, i) > none + 0.1)
            rises = i;
    }
    if (!(none > -0.2))
        lab_undecided(l, name, "the chain without moves could not be timed");
    else if (least > 0.85)
        lab_found(l, name, NAN, NAN, "0");
    else if (most - least < 0.08 && none < 0.6)
        lab_found(l, name, NAN, NAN, "unlimited");
    else if (none < 0.1 && rises) /* the chain's own move before has its place until the next one */
        lab_found(l, name, rises + 1, rises + 1, "%u", rises + 1);
    else
        lab_undecided(l, name, "%.0f to %.0f %% of the moves are executed, with no order in it", 100 * least,
                      100 * most);
}

/* With all places held, moves of the chain are executed always; or half of the time, where a held pair of
 * which one register was overwritten has given its place back. */
static int say_aliases(lab *l, const curve *c)
{
    static const char name[] = "move_elim_all_aliases";
    double slots = lab_number(l, "move_elim_slots_gpr", 0);
    if (!(slots >= 1) || slots > MOST_HELD)
        return lab_moot(l, name, "there is no number of moves that can be eliminated at a time");
    double part = curve_at(c, (size_t)slots);
    if (part > 0.9 || (part > 0.3 && part < 0.7))
        return lab_yes(l, name, part > 0.9);
    return lab_undecided(l, name, "%.0f %% of the moves are executed where all or half should be",
                         100 * part);
}

int learn_move_slots(lab *l)
{
    for (unsigned k = 0; k < 2; k++) {
        lab_loop(l, TACHO_MODE_LOOP);
        lab_code(l, LINKS, "%s", chains[k].plain);
        for (unsigned held = 0; held <= MOST_HELD; held++)
            add_held(l, &chains[k], held);
    }
    lab_time(l);
    for (unsigned k = 0; k < 2; k++) {
        size_t first = k * (MOST_HELD + 2);
        curve *c = lab_curve(l, chains[k].title, "pairs of registers that share a value meanwhile",
                             "part of the moves that is executed");
        for (unsigned held = 0; held <= MOST_HELD; held++)
            curve_add(l, c, held, (lab_timed(l, first + 1 + held) - lab_timed(l, first)) / LINKS);
        say_slots(l, chains[k].parameter, c);
        if (!k)
            say_aliases(l, c);
    }
    return l->failed;
}

/* ---- a slot without ---- */

/* Groups of as many µops as are issued, in each of which a link of a chain takes a cycle, or two if the move
 * in it is executed. */
static void add_groups(lab *l, unsigned width, unsigned slot)
{
    enum {
        GROUPS = 16
    };
    lab_loop(l, TACHO_MODE_LOOP);
    for (unsigned k = 0; k < GROUPS * width; k++) {
        if (k % width == slot)
            lab_code(l, 1, "mov rdx, rcx");
        else if (k % width == (slot + 1) % width)
            lab_code(l, 1, "lea rcx, [rdx+rax]");
        else
            lab_nops(l, 4, 1);
    }
    lab_nops(l, 4, width - 1); /* the branch is last */
}

int learn_move_except(lab *l)
{
    enum {
        MOST = 16
    };
    static const char name[] = "move_elim_except_slot";
    const finding *slots = lab_finding(l, "move_elim_slots_gpr");
    unsigned width = (unsigned)lab_number(l, "issue_width", 0), bad = 0, at = 0;
    if (!is_found(slots) || slots->value[0] != 'u' || width < 3 || width > MOST)
        return lab_moot(l, name, "moves are not eliminated without limit");
    for (unsigned slot = 0; slot < width; slot++)
        add_groups(l, width, slot);
    lab_draw(l, "a move in that slot of each group that is issued", "slot", "cycles for 16 groups",
             (axis){.from = 1});
    double least = INFINITY;
    for (unsigned slot = 0; slot < width; slot++)
        least = fmin(least, lab_timed(l, slot));
    for (unsigned slot = 0; slot < width; slot++)
        if (!(lab_timed(l, slot) < 1.3 * least)) {
            bad++;
            at = slot + 1;
        }
    return bad > 1 ? lab_undecided(l, name, "%u slots of a group are slower than others", bad)
                   : lab_found(l, name, NAN, NAN, "%u", at);
}

/* ---- registers that only REX tells from AH to BH; moves that join an operation ---- */

int learn_move_bytes(lab *l)
{
    static const char name[] = "movzx_high8_alias_eliminated";
    lab_loop(l, TACHO_MODE_LOOP);
    lab_code(l, 8, "movzx edx, cl; lea ecx, [rdx+rax]");
    lab_loop(l, TACHO_MODE_LOOP);
    lab_code(l, 8, "movzx edx, sil; lea esi, [rdx+rax]");
    curve *c = lab_draw(l, "zero extension of CL (0) and SIL (1) in a chain of additions", "register",
                        "cycles a link", (axis){.per = 8});
    double plain = curve_at(c, 0);
    if (plain > 1.9 && curve_at(c, 1) > 0)
        return lab_moot(l, name, "no zero extension of a byte is eliminated");
    return lab_less(l, name, curve_at(c, 1), 0.5 * (plain + 2));
}

int learn_move_joins(lab *l)
{
    enum {
        COUNT = 10
    };
    static const char *const regs[COUNT] = {"rcx", "rdx", "rsi", "rdi", "r8",
                                            "r9",  "r10", "r11", "r12", "r13"};
    for (unsigned other = 0; other < 2; other++) {
        lab_loop(l, TACHO_MODE_LOOP);
        for (unsigned k = 0; k < 2 * COUNT; k++) {
            lab_code(l, 1, "mov %s, rax; add %s, rbx", regs[k % COUNT], regs[(k + other) % COUNT]);
            lab_nops(l, 4, 1);
        }
    }
    curve *c = lab_draw(l, "a move, an addition to the same register (0) or another one (1), a NOP", "which",
                        "cycles for 20 of each", (axis){0});
    return lab_less(l, "fuses_moves", curve_at(c, 0), 0.9 * curve_at(c, 1)); /* two slots, or three */
}

/* ---- the stack pointer ---- */

/* Where the stack engine's offset is applied for all that reads RSP, that takes a µop, which the next one
 * waits for. A move that is executed competes with additions, which are long enough for any cache of µops. */
int learn_stack_pointer(lab *l)
{
    enum {
        SUMS = 3, /* beside each move */
        REGS = 9
    };
    static const char *const uses[] = {"test rbx, rcx", "test rsp, rcx", "mov rcx, rbx", "mov rcx, rsp"},
                             *const regs[REGS] = {"edx", "esi",  "edi",  "ebp", "r8d",
                                                  "r9d", "r10d", "r11d", "r12d"};
    for (unsigned i = 0; i < 4; i++) {
        lab_loop(l, TACHO_MODE_LOOP);
        for (unsigned k = 0; k < 24; k++) {
            lab_code(l, 1, "%s", uses[i]);
            for (unsigned n = 0; n < SUMS && i > 1; n++)
                lab_code(l, 1, "add %s, 0x12345678", regs[(SUMS * k + n) % REGS]);
        }
    }
    curve *c = lab_draw(l, "tests of RBX (0) and RSP (1), moves from RBX (2) and RSP (3) beside additions",
                        "which", "cycles for 24", (axis){0});
    lab_less(l, "stack_sync_always", 2 * curve_at(c, 0), curve_at(c, 1));
    return lab_less(l, "eliminates_stack_pointer", curve_at(c, 3), 1.1 * curve_at(c, 2));
}

/* ---- immediates that are added without a µop ---- */

int learn_immediate_sums(lab *l)
{
    enum {
        BITS = 20,
        CHAIN = 16
    };
    static const char name[] = "immediate_sum_bits";
    for (unsigned bit = 0; bit < BITS; bit++) {
        lab_loop(l, TACHO_MODE_LOOP);
        lab_code(l, CHAIN, "add rcx, %u", 1u << bit);
    }
    curve *c = lab_draw(l, "a chain of additions of a power of two", "its exponent", "cycles an addition",
                        (axis){.per = CHAIN});
    unsigned executed = 0;
    while (executed < BITS && !(curve_at(c, executed) > 0.93))
        executed++;
    double one = curve_at(c, 0);
    if (executed && executed < BITS)
        curve_bend(c, executed);
    if (isnan(one) || (executed && one > 0.7))
        return lab_undecided(l, name, "chains of additions take no whole cycles, nor much less");
    if (executed > 15)
        return lab_undecided(l, name, "no constant is too large to be added by the renamer");
    return lab_found(l, name, NAN, NAN, "%u", executed ? executed + 1 : 0);
}

/* ---- AH, BH, CH, DH ---- */

int learn_high_bytes(lab *l)
{
    static const char *const links[] = {"add cl, dl", "add ch, dl; add cl, dl", "movzx ecx, ch"};
    for (unsigned i = 0; i < 3; i++) {
        lab_loop(l, TACHO_MODE_LOOP);
        lab_code(l, 8, "%s", links[i]);
    }
    curve *c = lab_draw(l, "additions to CL (0), to CH and CL in turn (1), CH into ECX (2)", "which",
                        "cycles a link", (axis){.per = 8});
    if (!(near_to(curve_at(c, 0), 1, 0.05) && curve_at(c, 1) > 0 && curve_at(c, 2) > 0)) {
        lab_undecided(l, "high8_renamed_apart", "additions of bytes take no whole cycles");
        return lab_undecided(l, "high8_extract_cycles", "additions of bytes take no whole cycles");
    }
    const bool apart = curve_at(c, 1) <= 1.5;
    lab_yes(l, "high8_renamed_apart", apart);
    return apart ? lab_cycles(l, "high8_extract_cycles", fmax(0, curve_at(c, 2) - 1), 0.2)
                 : lab_moot(l, "high8_extract_cycles", "high bytes are no registers of their own");
}
