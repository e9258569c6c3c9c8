/* report_what_if.c - reports say it when the model was not the plain one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/report/report.h"
#include "x86/arch/port_digits.h"
#include "x86/arch/loaded.h"

static json_t *ports_json(const char *digits)
{
    json_t *list = json_array();
    for (; port_of_digit(*digits) >= 0; digits++)
        json_array_append_new(list, json_integer(port_of_digit(*digits)));
    return list;
}

json_t *report_parameter_json(const tacho_arch *a, size_t i)
{
    char text[80];
    tacho_arch_parameter p;
    tacho_arch_parameter_get(i, &p);
    tacho_arch_parameter_text(a, i, text, sizeof text);
    switch (p.type) {
    case TACHO_PARAMETER_BOOL:
        return json_boolean(!strcmp(text, "yes"));
    case TACHO_PARAMETER_PORTS:
        return ports_json(text);
    case TACHO_PARAMETER_UNROLL: {
        json_t *unroll = json_array();
        for (unsigned n = 0; n <= TACHO_LSD_UNROLL_MAX; n++)
            json_array_append_new(unroll, json_integer(a->lsd_unroll[n]));
        return unroll;
    }
    default:
        return !strcmp(text, "unlimited") ? json_integer(TACHO_SLOTS_UNLIMITED) : json_integer(atoi(text));
    }
}

/* Whether the i-th parameter of `arch` is not that of the real core; then both values as text. */
static bool is_changed(const tacho_arch *arch, size_t i, char *now, char *real, size_t size)
{
    const tacho_arch *original = tacho_arch_original(arch);
    if (arch == original)
        return false;
    tacho_arch_parameter_text(arch, i, now, size);
    tacho_arch_parameter_text(original, i, real, size);
    return strcmp(now, real) != 0;
}

json_t *report_parameters_changed_json(const tacho_arch *arch)
{
    json_t *o = json_object();
    tacho_arch_parameter p;
    char now[80], real[80];
    for (size_t i = 0; tacho_arch_parameter_get(i, &p) == 0; i++)
        if (is_changed(arch, i, now, real, sizeof now))
            json_object_set_new(o, p.name,
                                json_pack("{s:o, s:o}", "value", report_parameter_json(arch, i), "model",
                                          report_parameter_json(tacho_arch_original(arch), i)));
    return o;
}

bool report_what_if(const tacho_prediction *p, tacho_str *out)
{
    const char *before = "";
    tacho_arch_parameter param;
    char now[80], real[80], words[REPORT_WORDS_SIZE];
    for (size_t i = 0; tacho_arch_parameter_get(i, &param) == 0; i++) {
        if (!is_changed(p->arch, i, now, real, sizeof now))
            continue;
        tacho_str_printf(out, "%s%s %s instead of %s", before, param.name, now, real);
        before = ", ";
    }
    for (unsigned k = 0; k < TACHO_VARIANT_COUNT; k++) {
        if (!(p->variants & 1u << k))
            continue;
        tacho_str_printf(out, "%s%s", before, report_words(tacho_variant_name(k), words));
        before = ", ";
    }
    return *before;
}
