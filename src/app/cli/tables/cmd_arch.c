/* cmd_arch.c - tacho arch: the microarchitectures, all parameters of one with their sources, and whether its
 * table is that of this machine. */
#include "app/cli/output.h"
#include "app/cli/running.h"
#include "app/cli/tables/cmd_arch.h"
#include "app/report/measure/report_measure.h"
#include "base/mem.h"
#include "machine/characterise/agreements.h"
#include "tacho/extension.h"

/* ---- tacho arch --check: forms measured on this machine, beside a microarchitecture's table ---- */

typedef struct check {
    const tacho_arch *arch;
    bool own_arch;
    const char *only; /* mnemonics; NULL: all */
    bool quick;
    tacho_measurer *m;
    tacho_characterisation *result;
    json_t *list; /* NULL: text */
    tacho_agreements total;
    unsigned forms, skipped, incomplete;
    bool stopped; /* by a signal */
} check;

static bool show_form(check *k)
{
    report_characterised c = {k->result, tacho_measurer_clock(k->m), k->arch, k->own_arch};
    tacho_agreements a = tacho_agreements_of(k->arch, k->result);
    k->forms++;
    if (!k->result->runs) {
        k->skipped++;
    } else {
        k->total.agree += a.agree;
        k->total.within += a.within;
        k->total.differ += a.differ;
        k->total.missing += a.missing;
        k->incomplete += a.missing != 0;
    }
    if (k->list)
        return !json_array_append_new(k->list, report_characterised_json(&c)) || cli_error("out of memory");
    tacho_str out = {0};
    if (k->forms == 1)
        report_check_header(&out, k->arch);
    report_check_line(&out, &c);
    bool good = cli_put_text(&out);
    fflush(stdout);
    return good;
}

/* The mnemonic of the form `name` is in the list; NULL: all are. */
static bool is_wanted(const char *only, const char *name)
{
    size_t n = strcspn(name, "_ ");
    bool all = !only;
    for (cli_word word; cli_next_word(&only, word);)
        if (strlen(word) == n && tacho_str_same_n(word, name, n))
            return true;
    return all;
}

/* @return false with a message */
static bool check_forms(check *k)
{
    tacho_characterise_options options = TACHO_CHARACTERISE_OPTIONS_INIT;
    const char *name;
    tacho_error err;
    options.quality = k->quick ? TACHO_QUALITY_QUICK : TACHO_QUALITY_DEFAULT;
    for (size_t i = 0; !k->stopped && (name = tacho_check_form(i)); i++) {
        uint32_t id;
        if (!is_wanted(k->only, name) || (k->stopped = cli_signals_asked(NULL)))
            continue;
        cli_progress("%zu: %s", i + 1, name);
        if (tacho_form_find(name, &id, &err) || tacho_characterise(k->m, id, &options, k->result, &err))
            return cli_error("%s", err.message);
        cli_progress_clear();
        if (!show_form(k))
            return false;
    }
    return true;
}

static void end_text(const check *k)
{
    printf("\n%u figures agree with %s, %u are within bounds, %u differ; %u were not measured. %u forms of "
           "%u skipped.\n",
           k->total.agree, k->arch->name, k->total.within, k->total.differ, k->total.missing, k->skipped,
           k->forms);
    printf("<=: upper bound; within: the table's figure is below one. missing: the machine was not quiet "
           "enough, or the loop did not run through.\n");
}

#define RECORD check
GETTER(clock_name, report_text_value(tacho_clock_name(tacho_measurer_clock(r->m)->clock)))
GETTER(promise, report_text_value(tacho_measurer_clock(r->m)->promise))
GETTER(all_forms, report_list(json_incref(r->list)))
static const report_field fields[] = {
    {SCHEMA("tacho-check-1")},
    {OF("arch", arch, name, NULL)},
    {NAMED("arch_is_this_machine", own_arch, "whose table is beside; whether it is")},
    {MADE(TEXT, "clock", clock_name, NULL)},
    {MADE(TEXT, "promise", promise, "as of a measurement")},
    {NAMED("agree", total.agree, NULL)},
    {NAMED("within", total.within, NULL)},
    {NAMED("differ", total.differ, NULL)},
    {NAMED("missing", total.missing,
           "figures: the same within tolerance, below a measured upper bound, different, not measured")},
    {NAMED("forms_skipped", skipped, NULL)},
    {NAMED("forms_incomplete", incomplete, "not on this machine; with a figure that is missing")},
    {MADE(LIST, "forms", all_forms, "list of objects as of `tacho measure --insn`")},
};
#undef RECORD
TABLE(arch_check_table, fields, "tacho-check-1");

static int run_check(check *k)
{
    if (!k->own_arch) {
        cli_note("this machine is not %s: differences say nothing about that table", k->arch->name);
        if (!k->list)
            printf("This machine is not %s: its figures are shown beside, and need not agree.\n\n",
                   k->arch->name);
    }
    if (!check_forms(k))
        return CLI_INPUT;
    if (!k->list)
        end_text(k);
    else if (!cli_put_json(report_record_json(&arch_check_table, k, NULL)))
        return CLI_INPUT;
    if (k->stopped) {
        cli_note("%s: this is what there is", cli_signals_words());
        return CLI_PARTIAL;
    }
    if (!k->incomplete)
        return CLI_OK;
    cli_note("%u figures of %u forms could not be measured", k->total.missing, k->incomplete);
    return CLI_PARTIAL;
}

/* @return the microarchitecture whose table is compared with, or NULL with a message */
static const tacho_arch *choose_arch(const char *name, bool *own, int *status)
{
    tacho_error err;
    const tacho_arch *native = tacho_arch_find("native", &err), *arch = native;
    *status = CLI_INPUT;
    if (!name && !native)
        cli_error("there is no table for this machine: %s; -a ARCH compares with another one's", err.message);
    if (name && !(arch = cli_find_core(name, &err))) {
        cli_error("%s", err.message);
        *status = CLI_USAGE;
    }
    *own = cli_is_native(arch);
    return arch;
}

static bool any_wanted(const char *only)
{
    const char *name;
    for (size_t i = 0; (name = tacho_check_form(i)); i++)
        if (is_wanted(only, name))
            return true;
    return false;
}

/* Measures the set of forms of tacho_check_form and compares with the table of `name`; NULL: this machine's.
 *  `only`: mnemonics with commas; NULL: all. `quick`: fewer and shorter passes.
 *  @return an exit status: CLI_PARTIAL when figures could not be measured, CLI_INPUT when there is no table
 *  for this machine and no name */
static int arch_check(const char *name, const char *only, bool quick, cli_format format)
{
    tacho_measurer_options machine = TACHO_MEASURER_OPTIONS_INIT;
    tacho_error err;
    check k = {.only = only, .quick = quick};
    int status;
    if (!any_wanted(only))
        return cli_usage_error("--only: none of the forms that are checked is of '%s'", only);
    if (!(k.arch = choose_arch(name, &k.own_arch, &status)))
        return status;
    cli_signals_ask();
    status = CLI_INPUT;
    k.m = tacho_measurer_new(&machine, &err);
    k.result = tacho_mem_alloc(sizeof *k.result);
    k.list = format == CLI_JSON ? json_array() : NULL;
    if (!k.m)
        cli_error("%s", err.message);
    else if (!k.result || (format == CLI_JSON && !k.list))
        cli_error("out of memory");
    else
        status = run_check(&k);
    json_decref(k.list);
    tacho_mem_free(k.result);
    tacho_measurer_free(k.m);
    return status;
}

typedef struct request {
    const char *name, *only;
    bool list, check, quick, memory;
    int format;
} request;
#define CLI_REQUEST request

static const cli_option options[] = {
    {CLI_STRING, "", 0, "ARCH", NULL, CLI_AT(name), .once = true},
    {CLI_SWITCH, "list", 'l', NULL, "the microarchitectures and the names they answer to", CLI_AT(list)},
    {CLI_SWITCH, "check", 0, NULL,
     "measure some 80 instruction forms on this machine (a\nminute or two, more on a busy one) and compare "
     "them with the\ntable",
     CLI_AT(check)},
    {CLI_STRING, "only", 0, "LIST", "with --check: only forms of these mnemonics, with commas", CLI_AT(only)},
    {CLI_SWITCH, "quick", 'q', NULL, "with --check: fewer and shorter passes, as on a busy machine",
     CLI_AT(quick)},
    {CLI_SWITCH, "memory", 0, NULL,
     "the memory of this machine, as tacho doctor --memory has\nmeasured it; behind it a file, ZEN3 or "
     "ZEN5: that of another",
     CLI_AT(memory)},
    {CLI_STRING, "arch", 'a', "ARCH", "the same as ARCH", CLI_AT(name), .once = true},
    CLI_FORMAT_ROWS("text|json", "text (default) or json"),
    {.kind = CLI_END},
};

static void aliases_text(const tacho_arch *arch, tacho_str *out)
{
    const char *alias;
    tacho_str_puts(out, "");
    for (size_t i = 0; (alias = tacho_arch_alias(arch, i)); i++)
        tacho_str_printf(out, "%s%s", i ? ", " : "", alias);
}

static void list_text(void)
{
    tacho_error err;
    const tacho_arch *native = tacho_arch_find("native", &err);
    for (size_t i = 0; i < tacho_arch_count(); i++) {
        const tacho_arch *a = tacho_arch_get(i);
        TACHO_FREED tacho_str aliases = {0};
        aliases_text(a, &aliases);
        printf("%-5s %-26s %s%s\n", a->name, a->long_name, aliases.data ? aliases.data : "",
               a == native ? "   <- this machine" : "");
    }
}

/* Sources are long and few: numbered, and listed at the end. */
typedef struct sources {
    const char *texts[20];
    size_t count;
} sources;

static void put_source(sources *s, const char *text)
{
    size_t i = 0;
    while (text && i < s->count && strcmp(s->texts[i], text))
        i++;
    if (text && i < sizeof s->texts / sizeof *s->texts) {
        s->texts[i] = text;
        s->count += i == s->count;
        printf(" [%zu]", i + 1);
    }
    putchar('\n');
}

/* The extensions from one source, in lines of bounded length. */
static void show_extensions_from(const tacho_arch *a, sources *s, const char *source)
{
    size_t column = 0;
    for (int e = 1; e < TACHO_EXTENSION_COUNT; e++) {
        const char *text = tacho_arch_extension_source(a, (tacho_extension)e);
        const char *name = tacho_extension_name((tacho_extension)e);
        if (!text || strcmp(text, source))
            continue;
        if (!column || column + 1 + strlen(name) > 90)
            column = (size_t)printf("%s   ", column ? "\n" : "");
        column += (size_t)printf(" %s", name);
    }
    put_source(s, source);
}

static void show_extensions(const tacho_arch *a, sources *s)
{
    const char *done[8];
    size_t count = 0;
    printf("\nextensions of the instruction set, as products with this core have them; code that needs "
           "others is refused:\n");
    for (int e = 1; e < TACHO_EXTENSION_COUNT; e++) {
        const char *text = tacho_arch_extension_source(a, (tacho_extension)e);
        size_t i = 0;
        while (text && i < count && strcmp(done[i], text))
            i++;
        if (!text || i < count || count == sizeof done / sizeof *done)
            continue;
        done[count++] = text;
        show_extensions_from(a, s, text);
    }
}

static void show_text(const tacho_arch *a)
{
    TACHO_FREED tacho_str aliases = {0};
    sources s = {0};
    aliases_text(a, &aliases);
    printf("%s: %s\n", a->name, a->long_name);
    if (aliases.length)
        printf("also known as: %s\n", aliases.data);
    if (a->table)
        printf("instruction figures: %s\n", a->table);
    if (tacho_arch_is_loaded(a))
        puts("a model from a file, which is none of tacho's own");
    printf("predictions compared with: %s\n",
           a->compared == TACHO_COMPARED_MEASUREMENTS   ? "measurements"
           : a->compared == TACHO_COMPARED_MODEL        ? "another model, not with measurements"
           : a->compared == TACHO_COMPARED_INSTRUCTIONS ? "InstLatx64's latencies and throughputs only"
                                                        : "nothing");
    putchar('\n');
    tacho_arch_parameter p;
    for (size_t i = 0; tacho_arch_parameter_get(i, &p) == 0; i++) {
        char value[160], text[80];
        tacho_arch_parameter_text(a, i, text, sizeof text);
        snprintf(value, sizeof value, "%s%s%s", text, *p.unit ? " " : "", p.unit);
        /* µ has two bytes and one column. */
        int width = 30 + (int)(strlen(value) - tacho_str_columns(value));
        printf("  %-30s %-*s ", p.name, width, value);
        put_source(&s, tacho_arch_param_source(a, p.name));
    }
    show_extensions(a, &s);
    putchar('\n');
    for (size_t i = 0; i < s.count; i++)
        printf("  [%zu] %s\n", i + 1, s.texts[i]);
}

/* ---- tacho arch all: the microarchitectures side by side ---- */

enum {
    VALUE_SIZE = 80
};

/* Sets of cores: bit i is tacho_arch_get(i). */
typedef uint64_t core_set;

static core_set cores_with_value(size_t parameter, const char *value)
{
    core_set set = 0;
    char other[VALUE_SIZE];
    for (size_t i = 0; i < tacho_arch_count(); i++) {
        tacho_arch_parameter_text(tacho_arch_get(i), parameter, other, sizeof other);
        set |= (core_set)!strcmp(other, value) << i;
    }
    return set;
}

static core_set cores_with_extension(tacho_extension e)
{
    core_set set = 0;
    for (size_t i = 0; i < tacho_arch_count(); i++)
        set |= (core_set)tacho_arch_has_extension(tacho_arch_get(i), e) << i;
    return set;
}

static core_set all_cores(void)
{
    return ((core_set)1 << tacho_arch_count()) - 1;
}

/* What is so on some cores, and from column `at` on, which these are. */
static void put_cores(tacho_str *out, const char *label, size_t at, core_set set)
{
    tacho_str cores = {0};
    for (core_set left = set; left; left &= left - 1)
        tacho_str_printf(&cores, "%s%s", cores.length ? " " : "",
                         tacho_arch_name(tacho_arch_get((size_t)__builtin_ctzll(left))));
    if (strlen(label) + 4 <= at)
        tacho_str_printf(out, "  %-*s", (int)at - 2, label);
    else
        tacho_str_printf(out, "  %s\n%*s", label, (int)at, "");
    report_wrapped_text(out, &cores, at);
}

static void put_parameter(tacho_str *out, size_t parameter)
{
    char value[VALUE_SIZE];
    tacho_arch_parameter p;
    tacho_str head = {0};
    tacho_arch_parameter_get(parameter, &p);
    tacho_str_printf(&head, "%s%s%s: %s", p.name, *p.unit ? ", " : "", p.unit,
                     tacho_arch_parameter_meaning(parameter));
    report_wrapped_text(out, &head, 0);
    for (core_set left = all_cores(), set; left; left &= ~set) {
        tacho_arch_parameter_text(tacho_arch_get((size_t)__builtin_ctzll(left)), parameter, value,
                                  sizeof value);
        set = cores_with_value(parameter, value);
        put_cores(out, value, 14, set);
    }
}

/* Where some cores have it, and others not. */
static void put_extension(tacho_str *out, tacho_extension e)
{
    core_set set = cores_with_extension(e);
    if (set && set != all_cores())
        put_cores(out, tacho_extension_name(e), 24, set);
}

static int arch_all(void)
{
    tacho_str out = {0};
    for (size_t i = 0; i < tacho_arch_count(); i++) {
        const tacho_arch *a = tacho_arch_get(i);
        tacho_str_printf(&out, "%-5s %s\n", tacho_arch_name(a), tacho_arch_long_name(a));
    }
    for (size_t i = 0; i < tacho_arch_parameter_count(); i++) {
        tacho_str_putc(&out, '\n');
        put_parameter(&out, i);
    }
    tacho_str_puts(&out, "\nExtensions of the instruction set that not all have:\n");
    for (int e = 1; e < TACHO_EXTENSION_COUNT; e++)
        put_extension(&out, (tacho_extension)e);
    return cli_put_text(&out) ? CLI_OK : CLI_INPUT;
}

/* ---- what is asked for ---- */

static int show_all(cli_format format)
{
    if (format != CLI_JSON)
        return arch_all();
    json_t *list = json_array();
    for (size_t i = 0; i < tacho_arch_count(); i++)
        json_array_append_new(list, report_arch_json(tacho_arch_get(i)));
    return cli_put_json(list) ? CLI_OK : CLI_INPUT;
}

static int show_memory(const request *r)
{
    tacho_memory m;
    tacho_str out = {0};
    int status = cli_memory(&m, r->name);
    if (status)
        return status;
    if (r->format == CLI_JSON)
        return cli_put_json(report_memory_json(&m)) ? CLI_OK : CLI_INPUT;
    report_memory_text(&out, &m, false);
    return cli_put_text(&out) ? CLI_OK : CLI_INPUT;
}

static int run_arch(void *asked)
{
    const request *r = asked;
    if (r->check && r->list)
        return cli_usage_error("--check and --list do not go together");
    if (r->only && !r->check)
        return cli_usage_error("--only goes with --check");
    if (r->quick && !r->check)
        return cli_usage_error("--quick goes with --check");
    if (r->memory && (r->check || r->list))
        return cli_usage_error("--memory does not go with --check and --list");
    if (r->memory)
        return show_memory(r);
    if (r->check)
        return arch_check(r->name, r->only, r->quick, (cli_format)r->format);
    if (r->name && r->list)
        return cli_usage_error("--list lists all; leave out '%s' or --list", r->name);
    if (!r->name && r->format == CLI_JSON)
        return cli_put_json(report_archs_json()) ? CLI_OK : CLI_INPUT;
    if (!r->name) {
        list_text();
        return CLI_OK;
    }
    if (tacho_str_same(r->name, "all"))
        return show_all((cli_format)r->format);
    tacho_error err;
    const tacho_arch *a = cli_find_core(r->name, &err);
    if (!a && cli_say_problems_of_core(r->name))
        return CLI_USAGE;
    if (!a)
        return cli_usage_error("%s", err.message);
    if (r->format == CLI_JSON)
        return cli_put_json(report_arch_json(a)) ? CLI_OK : CLI_INPUT;
    show_text(a);
    return CLI_OK;
}

CLI_DEFINE(cli_arch, "arch", "what is known of a microarchitecture", "[ARCH | all | --list] [options]",
           options, help_arch, run_arch, request, .format = CLI_TEXT);
