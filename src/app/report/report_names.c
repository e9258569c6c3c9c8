/* report_names.c - how results and regions are called in all formats. */
#include <stdio.h>
#include <string.h>

#include "app/report/grid.h"
#include "app/report/report.h"

const char *report_fraction(int64_t num, int64_t den, char out[48])
{
    out[0] = '\0';
    if (den == 1)
        snprintf(out, 48, "%lld", (long long)num);
    else if (den > 1)
        snprintf(out, 48, "%lld/%lld", (long long)num, (long long)den);
    return out;
}

const char *report_exact(const tacho_prediction *p, char out[48])
{
    return report_fraction(p->cycles_num, p->cycles_den, out);
}

const char *report_region_name(const report_subject *s, char *out, size_t size)
{
    if (s->region->name)
        snprintf(out, size, "%.80s", s->region->name);
    else
        snprintf(out, size, "region %zu", s->region_number);
    return report_plain(out);
}

const char *report_flow_warning(const tacho_prediction *p, char *out, size_t size)
{
    size_t count = 0;
    out[0] = '\0';
    for (size_t i = 0; i < p->instruction_count && !p->is_path; i++) {
        const tacho_insn *insn = p->instructions[i]->insn;
        bool last = i + 1 == p->instruction_count;
        count += (insn->is_branch && !last) || insn->is_call || insn->is_ret;
    }
    if (count)
        snprintf(out, size,
                 "%zu branch%s, call%s or return%s in the code %s not followed: it is treated as one "
                 "straight line; to analyse a loop, select it with markers or --range",
                 count, count == 1 ? "" : "es", count == 1 ? "" : "s", count == 1 ? "" : "s",
                 count == 1 ? "is" : "are");
    return out;
}
