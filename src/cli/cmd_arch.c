/* cmd_arch.c - tacho arch: the microarchitectures, and all parameters of one with their sources. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "util/str.h"

enum {
    O_LIST = 1,
    O_FORMAT,
    O_JSON
};

static const cli_option options[] = {
    {O_LIST, "list", 'l', NULL, "the microarchitectures and the names they answer to"},
    {O_FORMAT, "format", 'f', "FORMAT", "text (default) or json"},
    {O_JSON, "json", 0, NULL, "the same as --format json"},
    {0, NULL, 0, NULL, NULL},
};

static const char more[] = "Without ARCH: the list.\n\n"
                           "Examples:\n"
                           "  tacho arch --list\n"
                           "  tacho arch SKL\n"
                           "  tacho arch icelake-server --json\n";

typedef enum kind {
    U16,
    BOOL,
    PORTS, /* a mask */
} kind;

#define PARAMETER(member, type, unit)                                                                        \
    {                                                                                                        \
#member, type, unit, offsetof(tacho_arch, member)                                                    \
    }

static const struct {
    const char *name;
    kind type;
    const char *unit;
    size_t offset;
} parameters[] = {
    PARAMETER(predecode_block_bytes, U16, "bytes"),
    PARAMETER(predecode_width, U16, "instructions a cycle"),
    PARAMETER(iq_width, U16, "instructions"),
    PARAMETER(lcp_penalty_cycles, U16, "cycles"),
    PARAMETER(decoders, U16, ""),
    PARAMETER(decode_latency_cycles, U16, "cycles"),
    PARAMETER(fusible_on_last_decoder, BOOL, ""),
    PARAMETER(pop_rsp_complex, BOOL, ""),
    PARAMETER(pop_rsp_ends_decode, BOOL, ""),
    PARAMETER(ms_width, U16, "µops a cycle"),
    PARAMETER(dsb_ms_stall_cycles, U16, "cycles"),
    PARAMETER(dsb_width, U16, "fused µops a cycle"),
    PARAMETER(dsb_block_bytes, U16, "bytes"),
    PARAMETER(dsb_lines_per_block, U16, ""),
    PARAMETER(dsb_line_uops, U16, "µops"),
    PARAMETER(dsb_needs_both_halves, BOOL, ""),
    PARAMETER(branch_ends_dsb_block, BOOL, ""),
    PARAMETER(lsd_enabled, BOOL, ""),
    PARAMETER(idq_width, U16, "fused µops"),
    PARAMETER(issue_width, U16, "fused µops a cycle"),
    PARAMETER(move_elim_slots_gpr, U16, "(255: no limit)"),
    PARAMETER(move_elim_slots_simd, U16, "(255: no limit)"),
    PARAMETER(move_elim_pipeline_cycles, U16, "cycles"),
    PARAMETER(move_elim_all_aliases, BOOL, ""),
    PARAMETER(movzx_high8_alias_eliminated, BOOL, ""),
    PARAMETER(high8_renamed_apart, BOOL, ""),
    PARAMETER(ports, U16, ""),
    PARAMETER(port_policy, U16, "ports (rules of port assignment)"),
    PARAMETER(load_ports, PORTS, ""),
    PARAMETER(store_address_ports, PORTS, ""),
    PARAMETER(store_data_ports, PORTS, ""),
    PARAMETER(simd_disabled_with_zmm_ports, PORTS, ""),
    PARAMETER(rob_width, U16, "fused µops"),
    PARAMETER(rs_width, U16, "µops"),
    PARAMETER(retire_width, U16, "fused µops a cycle"),
    PARAMETER(issue_to_dispatch_cycles, U16, "cycles"),
    PARAMETER(load_latency_cycles, U16, "cycles"),
    PARAMETER(store_forward_cycles, U16, "cycles"),
    PARAMETER(fast_pointer_chasing, BOOL, ""),
    PARAMETER(mem256_two_cycles, BOOL, ""),
    PARAMETER(dsb_second_line_fits, BOOL, ""),
    PARAMETER(dsb_extra_slot_ends_cycle, BOOL, ""),
    PARAMETER(paired_stores_same_line, BOOL, ""),
};

static unsigned number_of(const tacho_arch *arch, size_t i)
{
    const char *at = (const char *)arch + parameters[i].offset;
    if (parameters[i].type == BOOL)
        return *(const bool *)at;
    return *(const uint16_t *)at;
}

static void ports_text(unsigned mask, char *out, size_t size)
{
    size_t used = 0;
    snprintf(out, size, "none");
    for (unsigned p = 0; p < TACHO_MAX_PORTS && used < size; p++)
        if (mask & 1u << p)
            used += (size_t)snprintf(out + used, size - used, "%sp%u", used ? " " : "", p);
}

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
        tacho_str aliases = {0};
        aliases_text(a, &aliases);
        printf("%-5s %-26s %s%s\n", a->name, a->long_name, aliases.data ? aliases.data : "",
               a == native ? "   <- this machine" : "");
        tacho_str_free(&aliases);
    }
}

static json_t *aliases_json(const tacho_arch *a)
{
    json_t *list = json_array();
    const char *alias;
    for (size_t i = 0; (alias = tacho_arch_alias(a, i)); i++)
        json_array_append_new(list, json_string(alias));
    return list;
}

static json_t *head_json(const tacho_arch *a)
{
    return json_pack("{s:s, s:s, s:s, s:o, s:s?}", "schema", "tacho-arch-1", "arch", a->name, "name",
                     a->long_name, "aliases", aliases_json(a), "table", a->table);
}

static void dump(json_t *j)
{
    if (j && !json_dumpf(j, stdout, JSON_INDENT(2)))
        putchar('\n');
    json_decref(j);
}

static void list_json(void)
{
    json_t *list = json_array();
    for (size_t i = 0; i < tacho_arch_count(); i++)
        json_array_append_new(list, head_json(tacho_arch_get(i)));
    dump(list);
}

/* Sources are long and few: numbered, and listed at the end. */
typedef struct sources {
    const char *texts[20];
    size_t count;
} sources;

static void put_source(sources *s, const tacho_arch *a, const char *parameter)
{
    const char *text = tacho_arch_param_source(a, parameter);
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

static void show_unroll(const tacho_arch *a, sources *s)
{
    if (!a->lsd_enabled)
        return;
    printf("  %-30s", "lsd_unroll");
    for (unsigned n = 1; n <= TACHO_LSD_UNROLL_MAX;) {
        unsigned end = n;
        while (end < TACHO_LSD_UNROLL_MAX && a->lsd_unroll[end + 1] == a->lsd_unroll[n])
            end++;
        if (a->lsd_unroll[n] > 1 && n == end)
            printf(" %u:%u", n, a->lsd_unroll[n]);
        else if (a->lsd_unroll[n] > 1)
            printf(" %u-%u:%u", n, end, a->lsd_unroll[n]);
        n = end + 1;
    }
    printf(" copies, by µops in the loop (else 1) ");
    put_source(s, a, "lsd_unroll");
}

static void show_text(const tacho_arch *a)
{
    tacho_str aliases = {0};
    sources s = {0};
    aliases_text(a, &aliases);
    printf("%s: %s\n", a->name, a->long_name);
    if (aliases.length)
        printf("also known as: %s\n", aliases.data);
    if (a->table)
        printf("instruction figures: %s\n", a->table);
    tacho_str_free(&aliases);
    putchar('\n');
    for (size_t i = 0; i < sizeof parameters / sizeof *parameters; i++) {
        char value[80];
        unsigned n = number_of(a, i);
        if (parameters[i].type == PORTS)
            ports_text(n, value, sizeof value);
        else if (parameters[i].type == BOOL)
            snprintf(value, sizeof value, "%s", n ? "yes" : "no");
        else
            snprintf(value, sizeof value, "%u%s%s", n, *parameters[i].unit ? " " : "", parameters[i].unit);
        /* µ has two bytes and one column. */
        int width = 30 + (int)(strlen(value) - tacho_str_columns(value));
        printf("  %-30s %-*s ", parameters[i].name, width, value);
        put_source(&s, a, parameters[i].name);
    }
    show_unroll(a, &s);
    putchar('\n');
    for (size_t i = 0; i < s.count; i++)
        printf("  [%zu] %s\n", i + 1, s.texts[i]);
}

static void show_json(const tacho_arch *a)
{
    json_t *o = head_json(a), *list = json_object(), *unroll = json_array();
    for (size_t i = 0; i < sizeof parameters / sizeof *parameters; i++) {
        unsigned n = number_of(a, i);
        json_t *value = parameters[i].type == BOOL ? json_boolean(n) : json_integer(n);
        if (parameters[i].type == PORTS) {
            json_decref(value);
            value = json_array();
            for (unsigned p = 0; p < TACHO_MAX_PORTS; p++)
                if (n & 1u << p)
                    json_array_append_new(value, json_integer(p));
        }
        json_object_set_new(list, parameters[i].name,
                            json_pack("{s:o, s:s?, s:s?}", "value", value, "unit",
                                      *parameters[i].unit ? parameters[i].unit : NULL, "source",
                                      tacho_arch_param_source(a, parameters[i].name)));
    }
    for (unsigned n = 0; n <= TACHO_LSD_UNROLL_MAX; n++)
        json_array_append_new(unroll, json_integer(a->lsd_unroll[n]));
    json_object_set_new(list, "lsd_unroll",
                        json_pack("{s:o, s:s?, s:s?}", "value", unroll, "unit", "copies, by µops in the loop",
                                  "source", tacho_arch_param_source(a, "lsd_unroll")));
    json_object_set_new(o, "parameters", list);
    dump(o);
}

static int run_arch(int argc, char **argv)
{
    const char *value, *name = NULL;
    bool list = false;
    int id, format = CLI_TEXT;
    cli_parser p;
    cli_parse_start(&p, &cli_arch, argc, argv);
    while ((id = cli_next(&p, &value)) != CLI_END) {
        if (id == CLI_HELP)
            return cli_help(&cli_arch);
        if (id == CLI_WRONG)
            return CLI_USAGE;
        if (id == CLI_POSITIONAL && name)
            return cli_usage_error("one ARCH at a time: '%s' and '%s'", name, value);
        if (id == CLI_POSITIONAL)
            name = value;
        if (id == O_LIST)
            list = true;
        if (id == O_JSON)
            format = CLI_JSON;
        if (id == O_FORMAT && (format = cli_choice("--format", value, "text|json")) < 0)
            return CLI_USAGE;
    }
    if (name && list)
        return cli_usage_error("--list lists all; leave out '%s' or --list", name);
    if (!name) {
        format == CLI_JSON ? list_json() : list_text();
        return CLI_OK;
    }
    tacho_error err;
    const tacho_arch *a = tacho_arch_find(name, &err);
    if (!a)
        return cli_usage_error("%s", err.message);
    format == CLI_JSON ? show_json(a) : show_text(a);
    return CLI_OK;
}

const cli_command cli_arch = {
    "arch", run_arch, "what is known of a microarchitecture", "[ARCH | --list] [options]", options, more};
