/* arch_load.c - a microarchitecture from a text: the tables of what was read, and their lives. */
#include <stdio.h>

#include "base/mem.h"
#include "base/options_take.h"
#include "base/search.h"
#include "x86/tables/loading.h"

OPTIONS_DEFINE(arch_load, TACHO_ARCH_LOAD_OPTIONS_INIT)

bool tacho_arch_is_loaded(const tacho_arch *arch)
{
    return arch->loaded != NULL;
}

/* ---- what is there before a text ---- */

/* Sources that every text can name; those of data/sources.txt are called the same. */
static bool define_sources(rows_tables *t)
{
    static const char *const known[][4] = {
        {"assumed", "document", "-", "assumed"},
        {"user", "estimated", "-", "given by the model's author"},
        {"project", "document", "-", "a name, not a figure"},
        {"none", "absent", "-", "not known"},
        {"analogy", "estimated", "-", "estimated by analogy with like forms"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (tacho_mem_grow(&t->sources, &t->source_capacity, t->source_count + 1, sizeof *t->sources))
            return false;
        t->sources[t->source_count++] =
            (rows_source){(char *)known[i][0], (char *)known[i][1], (char *)known[i][2], (char *)known[i][3]};
    }
    return true;
}

static unsigned operand_count(int64_t form)
{
    return tacho_gen_forms[form].operand_count;
}

static bool nearest_form(const char *name, char *out, size_t size)
{
    uint32_t form;
    return !tacho_form_find(name, &form, NULL) && tacho_form_name(form, out, size) > 0;
}

static unsigned add_source(rows_arch *a, const rows_source *const *by_field)
{
    loading *l = (loading *)a;
    char text[TACHO_FIELD_COUNT * (LOADING_LINE_BYTES + 200)];
    if (tacho_mem_grow(&l->sources, &l->source_capacity, l->source_count + 1, sizeof *l->sources)) {
        l->tables.full = "memory";
        return 0;
    }
    rows_describe(by_field, text, sizeof text);
    l->sources[l->source_count] = (loaded_source){rows_copy(&l->tables, text), rows_origins(a, by_field)};
    return (unsigned)l->source_count++;
}

static bool has_inherited(const rows_arch *a, int64_t form)
{
    const loading *l = (const loading *)a;
    return l->parent && gen_figures_of(l->parent, (uint32_t)form);
}

static void begin_name(loading *l, const char *name)
{
    static const char legal[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._+-";
    snprintf(l->name, sizeof l->name, "%s", name && *name ? name : "model");
    for (char *c = l->name; *c; c++)
        if (!strchr(legal, *c))
            *c = '-';
    if (strchr("._+-", l->name[0]))
        l->name[0] = 'm';
}

static loading *begin(const char *text, size_t size, const char *name)
{
    loading *l = tacho_mem_zalloc(1, sizeof *l);
    if (!l)
        return NULL;
    rows_tables_init(&l->tables);
    l->tables.find_form = form_of_key;
    l->tables.operand_count = operand_count;
    l->tables.nearest_form = nearest_form;
    l->tables.sources_name = "[sources]";
    l->tables.forms_name = "the table of forms";
    l->tables.fusion_name = "[fusion]";
    l->arch.tables = &l->tables;
    l->arch.name = l->name;
    l->arch.add_source = add_source;
    l->arch.has_others = has_inherited;
    l->text = text;
    l->size = size;
    begin_name(l, name);
    size_t forms = tacho_gen_form_count * sizeof *l->arch.figures;
    l->arch.figures = tacho_mem_alloc(forms);
    l->inherited_sources = tacho_mem_zalloc(TACHO_EXTENSION_COUNT, sizeof *l->inherited_sources);
    if (!l->arch.figures || !l->inherited_sources || !define_sources(&l->tables))
        l->tables.full = "memory";
    else
        memset(l->arch.figures, 0xFF, forms);
    return l;
}

static void end(loading *l)
{
    if (!l)
        return;
    rows_tables_free(&l->tables);
    TACHO_MEM_FREE(l->arch.figures, l->inherited_sources, l->sources, l->problems);
    tacho_mem_free(l);
}

/* ---- what is made of it ---- */

/* The words of a list, NULL behind the last one; "-": none. */
static const char **words_of(rows_tables *t, const char *first, const char *list)
{
    char *words[ROWS_MAX_LIST], *text = rows_copy(t, list);
    size_t n = strcmp(list, "-") == 0 ? 0 : rows_split(text, ' ', words, ROWS_MAX_LIST), used = 0;
    const char **out = arena_alloc(&t->texts, (n + 2) * sizeof *out);
    if (!out) {
        t->full = "memory";
        return NULL;
    }
    if (first)
        out[used++] = first;
    for (size_t i = 0; i < n; i++)
        if (*words[i])
            out[used++] = words[i];
    return out;
}

/* Without rows of CPUID's it is no particular processor's. */
static void fill_models(loading *l, gen_arch *g)
{
    const char *family = l->arch.names[ROWS_NAME_CPUID_FAMILY], *list = l->arch.names[ROWS_NAME_CPUID_MODELS];
    const char **words = words_of(&l->tables, NULL, list ? list : "-");
    gen_model *models = arena_alloc(&l->tables.texts, (ROWS_MAX_LIST + 1) * sizeof *models);
    long number = 0;
    unsigned vendor = 0;
    size_t count = 0;
    if (!models)
        l->tables.full = "memory";
    if (l->tables.full)
        return;
    rows_family(family ? family : "Intel:6", &vendor, &number);
    while (words[count] && rows_model(words[count], &models[count]))
        count++;
    models[count].first = GEN_NONE;
    g->models = models;
    g->vendor = (uint16_t)vendor;
    g->family = (uint16_t)number;
}

static const gen_parameter *parameters_of(loading *l)
{
    tacho_arch_parameter p;
    gen_parameter *list =
        arena_alloc(&l->tables.texts, (tacho_arch_parameter_count() + 1) * sizeof(gen_parameter));
    for (size_t i = 0; list && tacho_arch_parameter_get(i, &p) == 0; i++)
        list[i] = (gen_parameter){p.name, l->arch.value_sources[i]->text};
    if (!list)
        l->tables.full = "memory";
    return list;
}

static const char *const *extensions_of(loading *l, tacho_arch *a)
{
    const char **list = arena_alloc(&l->tables.texts, TACHO_EXTENSION_COUNT * sizeof *list);
    for (int e = 1; list && e < TACHO_EXTENSION_COUNT; e++)
        if (l->arch.extensions[e]) {
            list[e] = l->arch.extensions[e]->text;
            a->extensions[e / 64] |= (uint64_t)1 << e % 64;
        }
    if (!list)
        l->tables.full = "memory";
    return list;
}

static tacho_origin inherited_origin(const gen_arch *t, const gen_arch *parent)
{
    if (!parent || !*parent->cores || !strcmp(*parent->cores, *t->cores))
        return TACHO_ORIGIN_MEASURED;
    return tacho_arch_same_core(&t->arch, &parent->arch) ? TACHO_ORIGIN_SAME_CORE : TACHO_ORIGIN_OTHER_CORE;
}

static void fill_tables(loading *l, loaded_tables *t)
{
    static atomic_uint_least64_t loads;
    rows_arch *a = &l->arch;
    gen_arch *g = &t->tables;
    g->arch = a->values;
    g->arch.name = rows_copy(&l->tables, l->name);
    g->arch.long_name = a->names[ROWS_NAME_LONG];
    g->arch.table = a->names[ROWS_NAME_TABLE];
    g->arch.checked = a->names[ROWS_NAME_CHECKED];
    g->arch.compared = TACHO_COMPARED_NOT; /* whatever it says: nobody has checked that */
    g->arch.index = GEN_NONE;
    g->arch.loaded = t;
    g->arch.serial = atomic_fetch_add(&loads, 1) + 1;
    g->aliases = words_of(&l->tables, NULL, a->names[ROWS_NAME_ALIASES]);
    g->cores = words_of(&l->tables, a->names[ROWS_NAME_CORE], a->names[ROWS_NAME_SAME_CORES]);
    g->parameters = parameters_of(l);
    g->extension_sources = extensions_of(l, &g->arch);
    fill_models(l, g);
    memcpy(g->fusion, a->fusion, sizeof g->fusion);
    t->parent = l->parent;
}

/* An empty list, too, is an array that has a beginning. */
static bool is_array(rows_pool *p)
{
    if (!p->items)
        p->items = tacho_mem_zalloc(1, p->item);
    return p->items;
}

/* Moves the arrays. */
static loaded_tables *make_tables(loading *l)
{
    bool arrays = is_array(&l->tables.latencies) && is_array(&l->tables.groups);
    loaded_tables *t = arrays ? tacho_mem_zalloc(1, sizeof *t) : NULL;
    if (!t)
        return NULL;
    atomic_init(&t->users, 1);
    fill_tables(l, t);
    if (l->tables.full) {
        tacho_mem_free(t);
        return NULL;
    }
    t->inherited = inherited_origin(&t->tables, t->parent);
    t->forms = l->arch.figures;
    t->figures = (gen_figures *)(void *)l->tables.figures.items;
    t->variants = (gen_variant *)(void *)l->tables.variants.items;
    t->latencies = (tacho_latency *)(void *)l->tables.latencies.items;
    t->groups = (tacho_port_group *)(void *)l->tables.groups.items;
    t->sources = l->sources;
    t->source_count = (int)l->source_count;
    t->texts = l->tables.texts;
    l->arch.figures = NULL;
    l->sources = NULL;
    l->tables.figures.items = l->tables.variants.items = l->tables.latencies.items = NULL;
    l->tables.groups.items = NULL;
    l->tables.texts = (arena){0};
    return t;
}

ORDER_BY_TWO(by_line, load_problem, line, number);

/* Those of no line at last. */
static int tell_problems(loading *l, const tacho_arch_load_options *o, tacho_error *err)
{
    for (size_t i = 0; i < l->problem_count; i++)
        l->problems[i].line -= 1; /* 0 becomes the largest */
    tacho_sort(l->problems, l->problem_count, sizeof *l->problems, by_line);
    for (size_t i = 0; o->problem && i < l->problem_count; i++)
        o->problem(o->context, l->problems[i].line + 1, l->problems[i].text);
    size_t line = l->problems[0].line + 1;
    if (line)
        tacho_error_set(err, TACHO_ERR_INPUT, "line %zu: %s", line, l->problems[0].text);
    else
        tacho_error_set(err, TACHO_ERR_INPUT, "%s", l->problems[0].text);
    if (err)
        err->line = line;
    return TACHO_ERR_INPUT;
}

static int finish(loading *l, tacho_arch **out, const tacho_arch_load_options *o, tacho_error *err)
{
    if (l->tables.full && strcmp(l->tables.full, "memory") != 0)
        return tacho_error_set(err, TACHO_ERR_LIMIT, "a model with more than %d different %s", GEN_NONE,
                               l->tables.full);
    if (l->tables.full)
        return tacho_no_memory(err);
    if (l->problem_count)
        return tell_problems(l, o, err);
    loaded_tables *t = make_tables(l);
    *out = t ? tacho_arch_copy(&t->tables.arch) : NULL;
    loaded_release(t); /* the copy has it now */
    return *out ? 0 : tacho_no_memory(err);
}

int tacho_arch_load(tacho_arch **out, const char *text, size_t size, const tacho_arch_load_options *options,
                    tacho_error *err)
{
    tacho_arch_load_options o;
    *out = NULL;
    int rc = OPTIONS_TAKE(arch_load, &o, options, err);
    if (rc)
        return rc;
    if (size > TACHO_MAX_MODEL_BYTES)
        return tacho_error_set(err, TACHO_ERR_LIMIT, "a model of %zu bytes, of at most %d", size,
                               TACHO_MAX_MODEL_BYTES);
    loading *l = begin(text, size, o.name);
    if (!l)
        return tacho_no_memory(err);
    loading_check_text(l);
    loading_read(l);
    rc = finish(l, out, &o, err);
    end(l);
    return rc;
}
