/* cmd_arch.c - tacho arch: the microarchitectures, and all parameters of one with their sources. */
#include "app/cli/tables/cmd_arch.h"
#include "app/cli/output.h"
#include "app/report/measure/report_measure.h"
#include "tacho/extension.h"

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
     "the memory of this machine, as tacho doctor --memory has\nmeasured it; behind it a file: that of "
     "another",
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
