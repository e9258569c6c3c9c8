/* learn_width.c - how many µops are issued and retired a cycle. */
#include <math.h>

#include "study/learn/learn_experiments.h"
#include "study/learn/loopset.h"

enum {
    FROM = 24,
    STEP = 24,
    POINTS = 9
};

/* NOPs of that many bytes, or every second one is a zero idiom. Which length the front end likes best is not
 * known; that NOPs are not joined with what is beside them, not either. */
static const struct {
    const char *title;
    unsigned bytes;
    bool mixed;
} kinds[] = {
    {"NOPs of 8 bytes", 8, false},
    {"NOPs of 4 bytes", 4, false},
    {"NOPs of 5 bytes", 5, false},
    {"NOPs of 5 bytes, every second one a zero idiom", 5, true},
    {"NOPs of 8 bytes, every second one a zero idiom", 8, true},
};

enum {
    KINDS = sizeof kinds / sizeof *kinds
};

static void add_kind(loopset *s, unsigned kind, unsigned count)
{
    loopset_loop(s, TACHO_MODE_LOOP);
    if (!kinds[kind].mixed) {
        loopset_nops(s, kinds[kind].bytes, count);
        return;
    }
    for (unsigned k = 0; k < count; k += 2) {
        loopset_nops(s, kinds[kind].bytes, 1);
        loopset_add(s, 1, "xor eax, eax");
    }
}

int learn_issue_width(lab *l, tacho_error *err)
{
    loopset s = loopset_of(l, err);
    double nops = 0, mixed = 0;
    for (unsigned kind = 0; kind < KINDS; kind++)
        for (unsigned i = 0; i < POINTS; i++)
            add_kind(&s, kind, FROM + STEP * i);
    loopset_time(&s);
    for (unsigned kind = 0; kind < KINDS; kind++) {
        curve *c = loopset_curve(&s, kinds[kind].title, "instructions in the loop", "cycles an iteration");
        for (unsigned i = 0; i < POINTS; i++)
            loopset_point(&s, c, FROM + STEP * i, loopset_cycles(&s, kind * POINTS + i));
        double width = 1 / curve_slope(c, 0), *most = kinds[kind].mixed ? &mixed : &nops;
        *most = width > *most ? width : *most;
    }
    double width = mixed > 0 && mixed < 0.9 * nops ? mixed : nops;
    if (!(width > 0) || fabs(width - round(width)) > 0.15)
        loopset_said(&s, lab_undecided(l, "issue_width", err,
                                       "NOPs take a cycle for %.2f of them: no whole number", width));
    else
        loopset_said(
            &s, lab_found(l, "issue_width", fmin(nops, width), fmax(nops, width), err, "%.0f", round(width)));
    return loopset_end(&s);
}

/* ---- retirement ---- */

/* A chain of multiplications, NOPs behind it, and a fence that waits until all have retired: while the chain
 * runs the NOPs are issued, behind it they retire. */
int learn_retire_width(lab *l, tacho_error *err)
{
    enum {
        CHAIN = 48,
        MOST = 96,
        EVERY = 8
    };
    loopset s = loopset_of(l, err);
    for (unsigned n = 0; n <= MOST; n += EVERY) {
        loopset_loop(&s, TACHO_MODE_LOOP);
        loopset_add(&s, CHAIN, "imul rax, rax");
        loopset_nops(&s, 4, n);
        loopset_add(&s, 1, "lfence");
    }
    loopset_time(&s);
    curve *c =
        loopset_curve(&s, "NOPs that retire between a slow chain and a fence", "NOPs", "cycles an iteration");
    for (unsigned n = 0; n <= MOST; n += EVERY)
        loopset_point(&s, c, n, loopset_cycles(&s, n / EVERY));
    double width = 1 / curve_slope(c, 2), issue = lab_number(l, "issue_width", NAN);
    if (!(width > 0) || width > 64 || fabs(width - round(width)) > 0.25)
        loopset_said(&s, lab_undecided(l, "retire_width", err,
                                       "%.2f NOPs a cycle retire before a fence: no whole number", width));
    else if (width < issue - 0.5)
        loopset_said(&s,
                     lab_undecided(l, "retire_width", err,
                                   "fewer NOPs a cycle retire before a fence (%.2f) than are issued", width));
    else
        loopset_said(&s, lab_found(l, "retire_width", width, width, err, "%.0f", round(width)));
    return loopset_end(&s);
}
