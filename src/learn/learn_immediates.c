/* learn_immediates.c - large immediates in the cache of µops. On Intel's cores one takes two places, and a
 * cycle gives one of them. */
#include <math.h>

#include "learn/learn_experiments.h"
#include "learn/loopset.h"

enum {
    MOVES = 64,
    MOST_NOPS = 8,
    LEAST_WIDTH = 3,
    MOST_WIDTH = 8
};

/* The mean relative difference of the curve from what a DSB of that width gives, if a cycle ends with a large
 * immediate or not. */
static double misfit(const curve *c, unsigned width, bool ends, double issue)
{
    double sum = 0;
    unsigned n = 0;
    for (size_t i = 0; i < c->count; i++) {
        double k = c->points[i].x, cycles = ends ? ceil((k + 2) / width) : fmax(1, (k + 2) / width),
               expected = fmax(cycles, (k + 1) / issue);
        if (isnan(c->points[i].cycles))
            continue;
        sum += fabs(c->points[i].cycles / expected - 1);
        n++;
    }
    return n ? sum / n : INFINITY;
}

static void say_what_ends(loopset *s, const curve *c)
{
    double best[2] = {INFINITY, INFINITY}, issue = lab_number(s->l, "issue_width", 4);
    unsigned width[2] = {0};
    for (unsigned w = LEAST_WIDTH; w <= MOST_WIDTH; w++)
        for (unsigned ends = 0; ends < 2; ends++) {
            double now = misfit(c, w, ends, issue);
            if (now < best[ends]) {
                best[ends] = now;
                width[ends] = w;
            }
        }
    bool ends = best[1] < best[0];
    if (best[ends] > 0.1 || best[ends] > 0.8 * best[!ends]) {
        lab_undecided(s->l, "dsb_extra_slot_ends_cycle",
                      "NOPs beside large immediates show no steps, nor that there are none");
        return;
    }
    lab_yes(s->l, "dsb_extra_slot_ends_cycle", ends);
    if (ends)
        lab_found(s->l, "places_by_immediates", width[1], width[1], "%u", width[1]);
}

int learn_immediates(lab *l)
{
    loopset s = loopset_of(l);
    double queue = lab_number(l, "idq_entries", 0);
    for (unsigned k = 0; k <= MOST_NOPS; k++) {
        loopset_loop(&s, TACHO_MODE_LOOP);
        /* too long for a loop stream detector */
        unsigned moves = (unsigned)fmax(MOVES, ceil((queue + 8) / (k + 1)));
        for (unsigned n = 0; n < moves; n++) {
            loopset_add(&s, 1, "mov rax, 0x123456789abcdef0");
            loopset_nops(&s, 3, k);
        }
    }
    loopset_loop(&s, TACHO_MODE_LOOP);
    loopset_nops(&s, 10, MOVES);
    loopset_time(&s);
    curve *c = loopset_curve(&s, "NOPs behind each move of an immediate of 64 bits", "NOPs", "cycles a move");
    for (unsigned k = 0; k <= MOST_NOPS; k++)
        loopset_point(&s, c, k, loopset_cycles(&s, k) / fmax(MOVES, ceil((queue + 8) / (k + 1))));
    double nop = loopset_cycles(&s, MOST_NOPS + 1) / MOVES;
    if (l->failed)
        return loopset_end(&s);
    double each = c->points[0].cycles;
    if (!(each > 0 && nop > 0)) {
        lab_undecided(l, "dsb_extra_slots", "moves of large immediates could not be timed");
        lab_undecided(l, "dsb_extra_slot_ends_cycle", "moves of large immediates could not be timed");
    } else if (each < 0.9 || each < 1.5 * nop) {
        lab_yes(l, "dsb_extra_slots", false);
        lab_moot(l, "dsb_extra_slot_ends_cycle", "large immediates take no places of their own");
    } else {
        lab_yes(l, "dsb_extra_slots", true);
        say_what_ends(&s, c);
    }
    return loopset_end(&s);
}
