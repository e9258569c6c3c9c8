/* explain_text.c - why, and what would help, for people: where the issue slots went. */
#include <math.h>

#include "report/report.h"

enum {
    SHOWN_SHARE_PERMILLE = 5 /* smaller shares would be printed as 0 % */
};

static bool is_shown(double share)
{
    return share * 1000 >= SHOWN_SHARE_PERMILLE;
}

static void lost_ports(tacho_str *out, const tacho_topdown *t)
{
    const char *before = " (";
    for (int p = 0; p < TACHO_MAX_PORTS; p++) {
        if (!is_shown(t->lost_to_port[p]))
            continue;
        tacho_str_printf(out, "%sp%d %.0f %%", before, p, 100 * t->lost_to_port[p]);
        before = ", ";
    }
    if (*before == ',')
        tacho_str_putc(out, ')');
}

/* Largest first. */
static void lost_slots(tacho_str *out, const tacho_topdown *t)
{
    const char *before = "  lost to ";
    uint32_t done = 0;
    for (;;) {
        int most = -1;
        for (int k = 0; k < TACHO_SLOT_REASON_COUNT; k++)
            if (!(done >> k & 1) && is_shown(t->lost[k]) && (most < 0 || t->lost[k] > t->lost[most]))
                most = k;
        if (most < 0)
            break;
        done |= 1u << most;
        tacho_str_printf(out, "%s%s %.0f %%", before, report_slot_words[most], 100 * t->lost[most]);
        if (most == TACHO_SLOT_PORTS)
            lost_ports(out, t);
        before = ", ";
    }
    if (done)
        tacho_str_putc(out, '\n');
}

void report_topdown_text(tacho_str *out, const tacho_topdown *t)
{
    if (!isfinite(t->retiring))
        return;
    tacho_str_printf(out,
                     "\nIssue slots: %.0f %% retiring, %.0f %% front-end bound, %.0f %% back-end bound "
                     "(core %.0f %%, dependencies %.0f %%)\n",
                     100 * t->retiring, 100 * t->frontend, 100 * (t->backend_core + t->backend_dependencies),
                     100 * t->backend_core, 100 * t->backend_dependencies);
    lost_slots(out, t);
}
