/* elements_text.c - cycles per element, and two versions of a piece of code that are compared by them. */
#include <math.h>

#include "base/records.h"
#include "app/report/grid.h"
#include "app/report/units.h"

enum {
    TEXT_AT = 13 /* behind a label */
};

/* "8 elements of 4 bytes" */
static void put_work(tacho_str *out, const tacho_prediction *p, tacho_work work)
{
    const tacho_elements *e = &p->elements;
    const uint32_t count = tacho_prediction_work(p, work);
    tacho_str_printf(out, "%u %s%s", count, tacho_work_name(work), tacho_plural(count));
    if (work == TACHO_WORK_ELEMENT && e->largest_bytes > e->smallest_bytes)
        tacho_str_printf(out, " of %u to %u bytes", e->smallest_bytes, e->largest_bytes);
    else if (work == TACHO_WORK_ELEMENT && e->smallest_bytes)
        tacho_str_printf(out, " of %u byte%s", e->smallest_bytes, tacho_plural(e->smallest_bytes));
}

static void put_cycles_per(tacho_str *out, const tacho_prediction *p, tacho_work work)
{
    char cycles[TACHO_NUMBER_SIZE];
    const double each = tacho_prediction_cycles_per(p, work);
    tacho_format_number(cycles, each, work && each < 1 ? TACHO_DECIMALS + 1 : TACHO_DECIMALS);
    tacho_str_printf(out, "%s%s cycle%s per %s", tacho_prediction_is_lower_bound(p) ? "at least " : "",
                     cycles, each == 1 ? "" : "s", tacho_work_name(work));
    if (!work)
        return;
    tacho_str_puts(out, " (");
    put_work(out, p, work);
    tacho_str_puts(out, " an iteration)");
}

void report_elements_text(tacho_str *out, const tacho_prediction *p)
{
    const tacho_work work = p->elements.count ? TACHO_WORK_ELEMENT : TACHO_WORK_BYTE;
    if (tacho_prediction_work(p, work))
        put_cycles_per(out, p, work);
}

static void put_why_iteration(tacho_str *out, tacho_work work, const tacho_prediction *a,
                              const tacho_prediction *b)
{
    const tacho_work both = a->elements.count && b->elements.count ? TACHO_WORK_ELEMENT : TACHO_WORK_BYTE;
    const uint32_t in_a = tacho_prediction_work(a, both), in_b = tacho_prediction_work(b, both);
    if (work == TACHO_WORK_ITERATION && in_a && in_a == in_b) {
        tacho_str_puts(out, " (");
        put_work(out, b, both);
        tacho_str_puts(out, " in both)");
    } else if (work == TACHO_WORK_ITERATION) {
        tacho_str_puts(out, " (how much data one works on is not known of both)");
    }
    tacho_str_puts(out, ": ");
}

void report_versions_text(tacho_str *out, bool colour, const char *const inputs[2],
                          const tacho_prediction *const versions[2])
{
    const tacho_work work = tacho_prediction_common_work(versions[0], versions[1]);
    double cycles[2];
    char times[TACHO_NUMBER_SIZE], limit[160];
    tacho_str line = {0};
    for (int i = 0; i < 2; i++) {
        cycles[i] = tacho_prediction_cycles_per(versions[i], work);
        report_put_plain(&line, inputs[i]);
        tacho_str_puts(&line, ": ");
        put_cycles_per(&line, versions[i], work);
        if (*report_limit(versions[i], "limited by ", limit, sizeof limit))
            tacho_str_printf(&line, ", %s", limit);
        report_label(out, colour, i ? "B" : "A");
        report_wrapped_text(out, &line, TEXT_AT);
    }
    const int fast = cycles[1] < cycles[0];
    const bool same = fabs(cycles[1] - cycles[0]) < 0.005 * cycles[0];
    report_label(out, colour, "compared");
    tacho_str_printf(&line, "by %s", tacho_work_name(work));
    put_why_iteration(&line, work, versions[0], versions[1]);
    if (same)
        tacho_str_puts(&line, "as fast as each other");
    else
        tacho_str_printf(&line, "%c is %s times as fast as %c", "AB"[fast],
                         report_number(times, cycles[!fast] / cycles[fast]), "AB"[!fast]);
    if (tacho_prediction_is_lower_bound(versions[0]) || tacho_prediction_is_lower_bound(versions[1]))
        tacho_str_puts(&line, ", as far as instructions have figures");
    report_wrapped_text(out, &line, TEXT_AT);
}

json_t *report_versions_json(const tacho_prediction *const versions[2], int which)
{
    const tacho_work work = tacho_prediction_common_work(versions[0], versions[1]);
    const double mine = tacho_prediction_cycles_per(versions[which], work),
                 other = tacho_prediction_cycles_per(versions[!which], work);
    return json_pack("{s:s, s:o, s:o}", "by", tacho_work_name(work), "cycles", report_json_real(mine),
                     "times_as_fast", report_json_real(other / mine));
}
