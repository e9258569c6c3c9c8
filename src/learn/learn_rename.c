/* learn_rename.c - what else ends at the renamer or is done by it: sums of immediates, high bytes, the stack
 * engine. */
#include <math.h>

#include "learn/learn_experiments.h"
#include "learn/loopset.h"

/* ---- immediates that are added without a µop ---- */

int learn_immediate_sums(lab *l)
{
    enum {
        BITS = 20,
        CHAIN = 16
    };
    static const char name[] = "immediate_sum_bits";
    loopset s = loopset_of(l);
    for (unsigned bit = 0; bit < BITS; bit++) {
        loopset_loop(&s, TACHO_MODE_LOOP);
        loopset_add(&s, CHAIN, "add rcx, %u", 1u << bit);
    }
    curve *c = loopset_draw(&s, &(sweep){.count = BITS, .per = CHAIN},
                            "a chain of additions of a power of two", "its exponent", "cycles an addition");
    if (l->failed)
        return loopset_end(&s);
    unsigned executed = 0;
    while (executed < BITS && !(c->points[executed].cycles > 0.93))
        executed++;
    double one = c->points[0].cycles;
    if (isnan(one) || (executed && one > 0.7))
        lab_undecided(l, name, "chains of additions take no whole cycles, nor much less");
    else if (executed > 15)
        lab_undecided(l, name, "no constant is too large to be added by the renamer");
    else
        lab_found(l, name, NAN, NAN, "%u", executed ? executed + 1 : 0);
    if (executed && executed < BITS)
        c->bend = executed;
    return loopset_end(&s);
}

/* ---- AH, BH, CH, DH ---- */

int learn_high_bytes(lab *l)
{
    enum {
        LINKS = 8
    };
    loopset s = loopset_of(l);
    loopset_loop(&s, TACHO_MODE_LOOP);
    loopset_add(&s, LINKS, "add cl, dl");
    loopset_loop(&s, TACHO_MODE_LOOP);
    loopset_add(&s, LINKS, "add ch, dl; add cl, dl");
    loopset_loop(&s, TACHO_MODE_LOOP);
    loopset_add(&s, LINKS, "movzx ecx, ch");
    loopset_draw(&s, &(sweep){.count = 3, .per = LINKS},
                 "additions to CL (0), to CH and CL in turn (1), CH into ECX (2)", "which", "cycles a link");
    double low = loopset_cycles(&s, 0) / LINKS, both = loopset_cycles(&s, 1) / LINKS,
           taken = loopset_cycles(&s, 2) / LINKS;
    if (!(near_to(low, 1, 0.05) && both > 0 && taken > 0)) {
        lab_undecided(l, "high8_renamed_apart", "additions of bytes take no whole cycles");
        lab_undecided(l, "high8_extract_cycles", "additions of bytes take no whole cycles");
        return loopset_end(&s);
    }
    double extract = fmax(0, taken - 1);
    if (both > 1.5) {
        lab_yes(l, "high8_renamed_apart", false);
        lab_moot(l, "high8_extract_cycles", "high bytes are no registers of their own");
        return loopset_end(&s);
    }
    lab_yes(l, "high8_renamed_apart", true);
    lab_cycles(l, "high8_extract_cycles", extract, 0.2);
    return loopset_end(&s);
}
