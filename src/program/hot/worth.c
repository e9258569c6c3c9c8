/* worth.c - what a change at one place is worth for the whole program, by Amdahl's law: the place's share of
 * the processor time, times the part of the place's time that the change takes away. */
#include <math.h>

#include "tacho/hot.h"

/* The part of the processor time that is the program's own, of which the places have shares; 1: not known. */
static double own_part(const tacho_hot_profile *p)
{
    double time = p->user_seconds + p->system_seconds;
    if (time > 0 && p->user_seconds > 0)
        return p->user_seconds / time;
    return p->samples ? (double)p->samples / (double)(p->samples + p->kernel) : 1;
}

void tacho_hot_worth_of(tacho_hot_worth *out, const tacho_hot_profile *profile, const tacho_hot_place *place,
                        double before, double after)
{
    const double own = own_part(profile);
    double all = before;
    *out = (tacho_hot_worth){.gain = 1 - after / before};
    if (place->observed_cycles > before) {
        all = place->observed_cycles;
        out->limited = place->observed_cycles > TACHO_HOT_LIMITED * before;
    }
    const double taken_away = (before - after) / all * own;
    out->worth = place->share * taken_away;
    out->low = place->share_low * taken_away;
    out->high = place->share_high * taken_away;
}
