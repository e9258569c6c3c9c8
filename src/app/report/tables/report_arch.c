/* report_arch.c - microarchitectures as JSON: how they are called, and all that is known of one. */
#include "app/report/tables/report_insn.h"

#include "tacho/extension.h"

static json_t *aliases_json(const tacho_arch *a)
{
    json_t *list = json_array();
    const char *alias;
    for (size_t i = 0; (alias = tacho_arch_alias(a, i)); i++)
        json_array_append_new(list, json_string(alias));
    return list;
}

#define RECORD tacho_arch
GETTER(aliases, report_list(aliases_json(r)))
GETTER(compared, report_text_value(r->compared ? tacho_compared_name(r->compared) : NULL))
ONLY(is_from_file, tacho_arch_is_loaded(r))
GETTER(from_file, report_bool(true))
static const report_field head[] = {
    {SCHEMA("tacho-arch-1")},
    {NAMED("arch", name, NULL)},
    {NAMED("name", long_name, "short and long")},
    {MADE(LIST, "aliases", aliases, "other names that it answers to")},
    {MEMBER(table, "what the instruction timings are")},
    {MADE_OR_NULL(TEXT, "compared_with", compared,
                  "what predictions for it were compared with: `measurements`, only another `model` of it, "
                  "only measured single `instructions`, or null: nothing")},
    {MADE(BOOL, "from_file", from_file, "true: a model from a file", .only = is_from_file)},
};
#undef RECORD
TABLE(arch_table, head, "tacho-arch-1");

static json_t *extensions_json(const tacho_arch *a)
{
    json_t *o = json_object();
    for (int e = 1; e < TACHO_EXTENSION_COUNT; e++)
        if (tacho_arch_has_extension(a, (tacho_extension)e))
            json_object_set_new(o, tacho_extension_name((tacho_extension)e),
                                json_string(tacho_arch_extension_source(a, (tacho_extension)e)));
    return o;
}

json_t *report_arch_json(const tacho_arch *a)
{
    json_t *o = report_record_json(&arch_table, a, NULL), *list = json_object();
    tacho_arch_parameter p;
    for (size_t i = 0; tacho_arch_parameter_get(i, &p) == 0; i++) {
        char text[80];
        tacho_arch_parameter_text(a, i, text, sizeof text);
        json_object_set_new(list, p.name,
                            json_pack("{s:o, s:s, s:s?, s:s?}", "value", report_parameter_json(a, i), "set",
                                      text, "unit", *p.unit ? p.unit : NULL, "source",
                                      tacho_arch_param_source(a, p.name)));
    }
    json_object_set_new(o, "parameters", list);
    json_object_set_new(o, "extensions", extensions_json(a));
    return o;
}

json_t *report_archs_json(void)
{
    json_t *list = json_array();
    for (size_t i = 0; i < tacho_arch_count(); i++)
        json_array_append_new(list, report_record_json(&arch_table, tacho_arch_get(i), NULL));
    return list;
}
