/* core_diff.c - see core_diff.h. */
#include "x86/insndb/core_diff.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

bool tacho_core_differs(const double of[2])
{
    return isnan(of[0]) || isnan(of[1]) ? isnan(of[0]) != isnan(of[1]) : of[0] != of[1];
}

static void compare_parameters(core_diff *d)
{
    for (size_t i = 0; i < tacho_arch_parameter_count(); i++) {
        core_parameter_change *c = &d->parameters[d->parameter_count];
        c->number = i;
        tacho_arch_parameter_get(i, &c->p);
        for (int side = 0; side < 2; side++)
            tacho_arch_parameter_text(d->of[side], i, c->of[side], sizeof c->of[side]);
        d->parameter_count += strcmp(c->of[0], c->of[1]) != 0;
    }
}

static void time_form(const core_diff *d, int side, const tacho_figures *f, const tacho_form *form,
                      core_form_change *c)
{
    c->of[CORE_UOPS][side] = f->base.uops;
    c->of[CORE_ISSUED][side] = f->base.retire_slots;
    c->of[CORE_DECODED][side] = f->base.uops_mite + f->base.uops_ms;
    c->of[CORE_LATENCY][side] = tacho_form_latency(form, f, &f->base);
    c->of[CORE_THROUGHPUT][side] = tacho_form_throughput(d->of[side], form, &f->base);
}

static bool same_ports(const tacho_variant *a, const tacho_variant *b)
{
    bool same = a->group_count == b->group_count;
    for (unsigned g = 0; g < a->group_count && same; g++)
        same = a->groups[g].ports == b->groups[g].ports && a->groups[g].count == b->groups[g].count;
    return same;
}

static void compare_form(core_diff *d, uint32_t id)
{
    tacho_figures f[2];
    tacho_form form;
    bool has[2];
    core_form_change *c = &d->forms[d->form_count];
    for (int side = 0; side < 2; side++)
        has[side] = !tacho_form_figures(d->of[side], id, &f[side]);
    d->shared += has[0] && has[1];
    d->only[0] += has[0] && !has[1];
    d->only[1] += has[1] && !has[0];
    if (!has[0] || !has[1] || tacho_form_get(id, &form))
        return;
    c->id = id;
    for (int side = 0; side < 2; side++)
        time_form(d, side, &f[side], &form, c);
    bool other = c->other_ports = !same_ports(&f[0].base, &f[1].base);
    d->other_ports += other;
    for (int q = 0; q < CORE_DIFF_QUANTITIES; q++) {
        bool changed = tacho_core_differs(c->of[q]);
        d->changed[q] += changed;
        other |= changed;
    }
    d->form_count += other;
}

int tacho_core_diff_make(core_diff *out, const tacho_arch *from, const tacho_arch *to, tacho_error *err)
{
    *out = (core_diff){.of = {from, to}};
    out->parameters = tacho_mem_zalloc(tacho_arch_parameter_count() + 1, sizeof *out->parameters);
    out->forms = tacho_mem_zalloc(tacho_form_count() + 1, sizeof *out->forms);
    if (!out->parameters || !out->forms) {
        tacho_core_diff_free(out);
        return tacho_no_memory(err);
    }
    compare_parameters(out);
    for (uint32_t id = 0; id < tacho_form_count(); id++)
        compare_form(out, id);
    return 0;
}

void tacho_core_diff_free(core_diff *d)
{
    TACHO_MEM_FREE(d->parameters, d->forms);
    *d = (core_diff){.parameters = NULL};
}
