/* learn_width.c - how many µops are issued a cycle. */
#include <math.h>

#include "study/learn/learn_experiments.h"

int learn_issue_width(lab *l, tacho_error *err)
{
    enum {
        FROM = 24,
        STEP = 24,
        POINTS = 9
    };
    subject_loop loops[POINTS] = {0};
    int failed = 0;
    curve *c = lab_curve(l, "issue width", "NOPs in the loop", "cycles an iteration");
    if (!c)
        return tacho_error_set(err, TACHO_ERR_MEMORY, "out of memory");
    for (unsigned i = 0; i < POINTS && !failed; i++) {
        loops[i].mode = TACHO_MODE_LOOP;
        failed = subject_add(&loops[i], "nop dword ptr [rax+rax*1+0x12345678]", FROM + STEP * i, err);
    }
    if (!failed)
        failed = subject_time(l->s, loops, POINTS, err);
    for (unsigned i = 0; i < POINTS; i++) {
        if (!failed)
            failed = curve_add(c, FROM + STEP * i, loops[i].cycles, err);
        subject_loop_free(&loops[i]);
    }
    if (failed)
        return failed;
    double width = (POINTS - 1) * STEP / (c->points[POINTS - 1].cycles - c->points[0].cycles);
    if (isnan(width) || fabs(width - round(width)) > 0.15)
        return lab_undecided(l, "issue_width", err, "NOPs take a cycle for %.2f of them: no whole number",
                             width);
    return lab_found(l, "issue_width", width, width, err, "%.0f", round(width));
}
