/* learn_rename.c - what else ends at the renamer or is done by it: sums of immediates, high bytes, the stack
 * engine. */
#include <math.h>

#include "study/learn/learn_experiments.h"
#include "study/learn/loopset.h"

/* ---- immediates that are added without a µop ---- */

int learn_immediate_sums(lab *l, tacho_error *err)
{
    enum {
        BITS = 20,
        CHAIN = 16
    };
    static const char name[] = "immediate_sum_bits";
    loopset s = loopset_of(l, err);
    for (unsigned bit = 0; bit < BITS; bit++) {
        loopset_loop(&s, TACHO_MODE_LOOP);
        loopset_add(&s, CHAIN, "add rcx, %u", 1u << bit);
    }
    loopset_time(&s);
    curve *c =
        loopset_curve(&s, "a chain of additions of a power of two", "its exponent", "cycles an addition");
    for (unsigned bit = 0; bit < BITS; bit++)
        loopset_point(&s, c, bit, loopset_cycles(&s, bit) / CHAIN);
    if (s.failed)
        return loopset_end(&s);
    unsigned executed = 0;
    while (executed < BITS && !(c->points[executed].cycles > 0.93))
        executed++;
    double one = c->points[0].cycles;
    if (isnan(one) || (executed && one > 0.7))
        loopset_said(&s,
                     lab_undecided(l, name, err, "chains of additions take no whole cycles, nor much less"));
    else if (executed > 15)
        loopset_said(&s, lab_undecided(l, name, err, "no constant is too large to be added by the renamer"));
    else
        loopset_said(&s, lab_found(l, name, NAN, NAN, err, "%u", executed ? executed + 1 : 0));
    if (executed && executed < BITS)
        c->bend = executed;
    return loopset_end(&s);
}

/* ---- AH, BH, CH, DH ---- */

int learn_high_bytes(lab *l, tacho_error *err)
{
    enum {
        LINKS = 8
    };
    loopset s = loopset_of(l, err);
    loopset_loop(&s, TACHO_MODE_LOOP);
    loopset_add(&s, LINKS, "add cl, dl");
    loopset_loop(&s, TACHO_MODE_LOOP);
    loopset_add(&s, LINKS, "add ch, dl; add cl, dl");
    loopset_loop(&s, TACHO_MODE_LOOP);
    loopset_add(&s, LINKS, "movzx ecx, ch");
    loopset_time(&s);
    curve *c = loopset_curve(&s, "additions to CL (0), to CH and CL in turn (1), CH into ECX (2)", "which",
                             "cycles a link");
    for (unsigned i = 0; i < 3; i++)
        loopset_point(&s, c, i, loopset_cycles(&s, i) / LINKS);
    double low = loopset_cycles(&s, 0) / LINKS, both = loopset_cycles(&s, 1) / LINKS,
           taken = loopset_cycles(&s, 2) / LINKS;
    if (!(near_to(low, 1, 0.05) && both > 0 && taken > 0)) {
        loopset_said(&s,
                     lab_undecided(l, "high8_renamed_apart", err, "additions of bytes take no whole cycles"));
        loopset_said(
            &s, lab_undecided(l, "high8_extract_cycles", err, "additions of bytes take no whole cycles"));
        return loopset_end(&s);
    }
    double extract = fmax(0, taken - 1);
    if (both > 1.5) {
        loopset_said(&s, lab_found(l, "high8_renamed_apart", NAN, NAN, err, "no"));
        loopset_said(&s,
                     lab_moot(l, "high8_extract_cycles", err, "high bytes are no registers of their own"));
        return loopset_end(&s);
    }
    loopset_said(&s, lab_found(l, "high8_renamed_apart", NAN, NAN, err, "yes"));
    if (fabs(extract - round(extract)) > 0.2)
        loopset_said(&s,
                     lab_undecided(l, "high8_extract_cycles", err, "%.2f cycles: no whole number", taken));
    else
        loopset_said(&s, lab_found(l, "high8_extract_cycles", extract, extract, err, "%.0f", round(extract)));
    return loopset_end(&s);
}
