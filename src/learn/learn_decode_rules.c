/* learn_decode_rules.c - which instructions go to which decoder. */
#include <math.h>

#include "learn/learn_decode.h"
#include "learn/learn_experiments.h"

enum {
    BLOCKS = 6
};

/* Five instructions in 16 bytes, three of them as given, on registers of their own. */
static size_t add_fives(loopset *s, const char *mnemonic_and_blank)
{
    static const char *const regs[2][3] = {{"rcx", "rdx", "rsi"}, {"r8", "r9", "r10"}};
    size_t loop = loopset_loop(s, TACHO_MODE_UNROLL);
    for (unsigned k = 0; k < BLOCKS; k++) {
        loopset_nops(s, 2, 1);
        const char *const *reg = regs[k % 2];
        loopset_add(s, 1, "%s%s, 1; %s%s, 1", mnemonic_and_blank, reg[0], mnemonic_and_blank, reg[1]);
        loopset_nops(s, 2, 1);
        loopset_add(s, 1, "%s%s, 1", mnemonic_and_blank, reg[2]);
    }
    return loop;
}

int learn_fusible_on_last(lab *l)
{
    static const char *const names[] = {"fusible_on_last_decoder"};
    loopset s = loopset_of(l);
    if (!learn_decodes_copies(&s, names, 1))
        return loopset_end(&s);
    add_fives(&s, "or ");
    add_fives(&s, "cmp ");
    loopset_draw(&s, &(sweep){.count = 2},
                 "NOPs and disjunctions (0), NOPs and comparisons (1), which could be fused", "which",
                 "cycles for 30 instructions");
    double plain = loopset_cycles(&s, 0), fusible = loopset_cycles(&s, 1);
    double narrow = fmin(lab_number(l, "decoders", 4), lab_number(l, "issue_width", 4)),
           most = BLOCKS * 5 / narrow;
    if (!(plain < 1.1 * most && fusible > 0))
        lab_undecided(l, names[0], "disjunctions and NOPs do not fill the decoders");
    else
        lab_yes(l, names[0], fusible < 1.05 * plain);
    return loopset_end(&s);
}

/* POPs into that register, and NOPs behind each. */
static size_t add_pops(loopset *s, const char *reg, unsigned nops)
{
    size_t loop = loopset_loop(s, TACHO_MODE_UNROLL);
    for (unsigned k = 0; k < BLOCKS; k++) {
        loopset_add(s, 1, "pop %s", reg);
        loopset_nops(s, 1, nops);
    }
    return loop;
}

/* R12 has the number of RSP, but for its prefix, and POP the exception that RSP is. */
int learn_pop_rsp(lab *l)
{
    static const char *const names[] = {"pop_rsp_complex", "pop_rsp_ends_decode"};
    loopset s = loopset_of(l);
    if (!learn_decodes_copies(&s, names, 2))
        return loopset_end(&s);
    add_pops(&s, "r13", 1);
    add_pops(&s, "r12", 1);
    add_pops(&s, "r13", 2);
    add_pops(&s, "r12", 2);
    curve *c = loopset_draw(&s, &(sweep){.count = 4, .per = BLOCKS},
                            "POP of r13 (0), of r12 (1), with a NOP each; the same with two NOPs (2, 3)",
                            "which", "cycles a POP");
    if (l->failed)
        return loopset_end(&s);
    const curve_point *p = c->points;
    if (!(p[0].cycles < 0.8 && p[1].cycles > 0 && p[2].cycles < 1.3 && p[3].cycles > 0)) {
        lab_undecided(l, names[0], "POP and NOP take a cycle with any register");
        lab_undecided(l, names[1], "POP and NOP take a cycle with any register");
        return loopset_end(&s);
    }
    bool complex = p[1].cycles > 1.2 * p[0].cycles;
    lab_yes(l, names[0], complex);
    lab_yes(l, names[1], p[3].cycles > 1.5);
    return loopset_end(&s);
}
