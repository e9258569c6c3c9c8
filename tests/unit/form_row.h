/* form_row.h - a row of figures as text, as rows_insns.c reads it. */
#ifndef TESTS_FORM_ROW_H
#define TESTS_FORM_ROW_H

#include <string.h>

#include "base/str.h"
#include "tacho/insndb.h"
#include "x86/arch/port_digits.h"

static void put_ports(tacho_str *out, const tacho_variant *v)
{
    if (!v->group_count)
        tacho_str_putc(out, '-');
    for (unsigned g = 0; g < v->group_count; g++) {
        if (g)
            tacho_str_putc(out, '+');
        for (unsigned p = 0; p < 16; p++)
            if (v->groups[g].ports & 1u << p)
                tacho_str_putc(out, port_digit(p));
        if (v->groups[g].count > 1)
            tacho_str_printf(out, "*%u", v->groups[g].count);
    }
}

static void put_setting(tacho_str *out, const char *key, unsigned value, unsigned otherwise)
{
    if (value != otherwise)
        tacho_str_printf(out, " %s=%u", key, value);
}

static void put_variant(tacho_str *out, const tacho_variant *v, bool locked)
{
    unsigned uops = 0;
    for (unsigned g = 0; g < v->group_count; g++)
        uops += v->groups[g].count;
    put_ports(out, v);
    put_setting(out, "u", v->uops, uops);
    put_setting(out, "s", v->retire_slots, v->uops ? v->uops : 1);
    put_setting(out, "d", v->uops_mite, v->retire_slots);
    put_setting(out, "ms", v->uops_ms, 0);
    if (v->complex_decoder)
        tacho_str_puts(out, " complex");
    put_setting(out, "simple", v->simple_decoders, 4);
    put_setting(out, "div", v->div_cycles, 0);
    put_setting(out, "tp", v->tp_cycles, 0);
    if (locked)
        tacho_str_puts(out, " locked");
    tacho_str_putc(out, '\t');
}

/* Without empty numbers at the end. */
static void put_latency(tacho_str *out, const tacho_latency *l)
{
    const int16_t cycles[] = {l->cycles, l->address, l->address_index, l->memory, l->same_register};
    int last = 4;
    while (last > 0 && cycles[last] == TACHO_NO_LATENCY)
        last--;
    tacho_str_printf(out, "%u>%u=", l->source, l->target);
    for (int i = 0; i <= last; i++) {
        if (i)
            tacho_str_putc(out, ',');
        if (cycles[i] != TACHO_NO_LATENCY)
            tacho_str_printf(out, "%d", cycles[i]);
    }
}

/* Appends the row without the end of the line; macro-fusion groups are called G0 (the one with number 1), G1
 * and so on. */
static void form_row(tacho_str *out, uint32_t form, const tacho_figures *f, unsigned source)
{
    char name[128];
    tacho_form_name(form, name, sizeof name);
    tacho_str_printf(out, "%s\t", name);
    put_variant(out, &f->base, f->locked);
    if (f->has_indexed)
        put_variant(out, &f->indexed, false);
    else
        tacho_str_puts(out, ".\t");
    if (f->has_same_register)
        put_variant(out, &f->same_register, false);
    else
        tacho_str_puts(out, ".\t");
    for (unsigned i = 0; i < f->latency_count; i++) {
        if (i)
            tacho_str_putc(out, ' ');
        put_latency(out, &f->latencies[i]);
    }
    if (!f->latency_count)
        tacho_str_putc(out, '-');
    if (f->fusion_group)
        tacho_str_printf(out, "\tG%u\t%u", f->fusion_group - 1u, source);
    else
        tacho_str_printf(out, "\t-\t%u", source);
}

#endif
