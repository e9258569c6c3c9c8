/* learn_ways.c - loads of a line that was read at another address before: where the first-level cache finds
 * lines by a part of their linear addresses, such a load is made again (src/model/sim/ways.c). Programs have
 * one address for a line; loops that are timed have one page for all addresses, and would take longer than a
 * model without this says. */
#include <math.h>

#include "study/learn/copies.h"
#include "study/learn/learn_experiments.h"

int learn_ways(lab *l, tacho_error *err)
{
    static const char name[] = "way_miss_cycles";
    enum {
        ONE_PAGE,
        TWO_PAGES,
        COUNT
    };
    /* Memory holds addresses of its own. */
    static const chain chains[COUNT] = {
        {"loads from two lines of a page", "mov rax, [rax]; mov rax, [rax+192]"},
        {"loads from a line by two addresses", "mov rax, [rax]; mov rax, [rax+4096]"},
    };
    double t[COUNT];
    if (subject_core(l->s))
        return lab_undecided(l, name, err, "in the simulator code has one address for a line");
    int failed = chains_time(l, chains, COUNT, t, err);
    if (failed)
        return failed;
    double cycles = (t[TWO_PAGES] - t[ONE_PAGE]) / 2; /* two links a copy */
    if (isnan(cycles) || cycles < -0.5)
        return lab_undecided(l, name, err, "the loops could not be timed");
    return lab_found(l, name, cycles, cycles, err, "%.0f", fabs(round(cycles)));
}
