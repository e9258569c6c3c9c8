/* agreements.c - measured timing beside that of a table. The table's throughput is not stored: it is the
 * highest of what issue width, ports, divider and initiation interval allow (the bounds of src/model/bounds,
 * for one instruction). */
#include "machine/characterise/agreements.h"

#include <math.h>

#include "tacho/insndb.h"

static const tacho_latency *find(const tacho_figures *f, unsigned source, unsigned target)
{
    for (unsigned i = 0; i < f->latency_count; i++)
        if (f->latencies[i].source == source && f->latencies[i].target == target)
            return &f->latencies[i];
    return NULL;
}

static int16_t figure_of(const tacho_latency *l, tacho_path path)
{
    switch (path) {
    case TACHO_PATH_ADDRESS:
        return l->address;
    case TACHO_PATH_ADDRESS_INDEX:
        return l->address_index;
    case TACHO_PATH_MEMORY:
        return l->memory;
    case TACHO_PATH_SAME_REGISTER:
        return l->same_register;
    default:
        return l->cycles;
    }
}

tacho_agreement tacho_compare_latency(const struct tacho_arch *arch, const tacho_characterisation *c,
                                      unsigned n, double *figure)
{
    tacho_figures f;
    *figure = NAN;
    if (!arch || n >= c->latency_count || tacho_form_figures(arch, c->form, &f))
        return TACHO_NOT_COMPARED;
    const tacho_measured_latency *m = &c->latencies[n];
    const tacho_latency *l = find(&f, m->source, m->target);
    int16_t cycles = l ? figure_of(l, m->path) : (int16_t)TACHO_NO_LATENCY;
    if (cycles == TACHO_NO_LATENCY)
        return TACHO_NOT_COMPARED;
    *figure = cycles;
    if (m->status == TACHO_LATENCY_AT_MOST && cycles <= m->cycles - 0.5)
        return TACHO_WITHIN_BOUND;
    if (m->status != TACHO_LATENCY_OK && m->status != TACHO_LATENCY_AT_MOST)
        return TACHO_NOT_COMPARED;
    /* What is eliminated still takes an issue slot. */
    if (cycles == 0)
        return m->cycles < 0.9 ? TACHO_AGREES : TACHO_DIFFERS;
    return fabs(m->cycles - cycles) < 0.5 ? TACHO_AGREES : TACHO_DIFFERS;
}

tacho_agreement tacho_compare_throughput(const struct tacho_arch *arch, const tacho_characterisation *c,
                                         double *figure)
{
    tacho_figures f;
    tacho_form form;
    *figure = NAN;
    if (!arch || tacho_form_get(c->form, &form) || tacho_form_figures(arch, c->form, &f))
        return TACHO_NOT_COMPARED;
    *figure = tacho_form_throughput(arch, &form, &f.base);
    const tacho_measured_throughput *t = &c->throughput;
    if (isnan(t->cycles))
        return TACHO_NOT_COMPARED;
    double room = fmax(0.1, *figure * 0.1);
    if (t->at_most && *figure < t->cycles - room)
        return TACHO_WITHIN_BOUND;
    return fabs(t->cycles - *figure) <= room ? TACHO_AGREES : TACHO_DIFFERS;
}

static void count(tacho_agreements *a, tacho_agreement how)
{
    a->agree += how == TACHO_AGREES;
    a->differ += how == TACHO_DIFFERS;
    a->within += how == TACHO_WITHIN_BOUND;
}

tacho_agreements tacho_agreements_of(const tacho_arch *arch, const tacho_characterisation *c)
{
    tacho_agreements a = {.missing = isnan(c->throughput.cycles)};
    double figure;
    count(&a, tacho_compare_throughput(arch, c, &figure));
    for (unsigned i = 0; i < c->latency_count; i++) {
        count(&a, tacho_compare_latency(arch, c, i, &figure));
        a.missing += c->latencies[i].status == TACHO_LATENCY_NOT_MEASURED;
    }
    return a;
}
