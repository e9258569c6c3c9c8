/* what_if.c - reports say it when the model was not the plain one. */
#include <stdio.h>
#include <string.h>

#include "report/report.h"

json_t *report_variants_json(const tacho_prediction *p)
{
    json_t *list = json_array();
    for (unsigned k = 0; k < TACHO_VARIANT_COUNT; k++)
        if (p->variants & 1u << k)
            json_array_append_new(list, json_string(tacho_variant_name(k)));
    return list;
}

/* "no_macro_fusion" as "no macro fusion" */
static void put_words(tacho_str *out, const char *name)
{
    for (; *name; name++)
        tacho_str_putc(out, *name == '_' ? ' ' : *name);
}

bool report_what_if(const tacho_prediction *p, tacho_str *out)
{
    const char *before = "";
    for (unsigned k = 0; k < TACHO_VARIANT_COUNT; k++) {
        if (!(p->variants & 1u << k))
            continue;
        tacho_str_puts(out, before);
        put_words(out, tacho_variant_name(k));
        before = ", ";
    }
    return *before;
}
