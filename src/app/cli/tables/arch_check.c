/* arch_check.c - tacho arch --check: a set of forms measured on this machine, beside a microarchitecture's
 * table. */
#include "app/cli/tables/cmd_arch.h"
#include "app/cli/running.h"
#include "app/report/measure/report_measure.h"
#include "base/mem.h"
#include "machine/characterise/agreements.h"

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

int arch_check(const char *name, const char *only, bool quick, cli_format format)
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
