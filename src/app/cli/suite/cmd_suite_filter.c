/* cmd_suite_filter.c - tacho suite filter: the blocks that are fit for judging predictors, and why others are
 * not.
 */
#include "app/cli/suite/cmd_suite.h"
#include "base/suggest.h"
#include "x86/decode/insn_struct.h"

enum {
    MAX_CONDITIONS = 32,
    COLUMN_REASON = TACHO_REASON_COUNT /* beside the library's: a column's value */
};

/* A column's value that rows must have, or must not have. */
typedef struct condition {
    const char *text, *value;
    char column[64];
    bool drop;
    int index; /* of the column */
} condition;

typedef struct request {
    tacho_suite_filter_options filter;
    const tacho_arch *archs[CLI_MAX_ARCHS];
    condition conditions[MAX_CONDITIONS];
    uint32_t condition_count;
    const char *only, *except, *rejected, *output;
    cli_words files;
} request;
#define CLI_REQUEST request

static bool unknown_reason(const char *option, const char *name)
{
    tacho_suggest s = {.wanted = name};
    for (int i = 0; i < TACHO_REASON_COUNT; i++)
        tacho_suggest_offer(&s, tacho_suite_reason_name((tacho_suite_reason)i));
    const char *near = tacho_suggest_text(&s);
    return cli_error("%s: '%s' is not a reason%s", option, name,
                     *near ? near : "; 'tacho suite filter --help' lists them");
}

/* @return false with a message */
static bool parse_reasons(const char *option, const char *list, uint32_t *out)
{
    *out = 0;
    for (cli_word name; cli_next_word(&list, name);) {
        int i = 0;
        while (i < TACHO_REASON_COUNT &&
               !tacho_str_same(tacho_suite_reason_name((tacho_suite_reason)i), name))
            i++;
        if (i == TACHO_REASON_COUNT)
            return unknown_reason(option, name);
        *out |= 1u << i;
    }
    return true;
}

/* --by or --drop */
static bool take_condition(void *target, const char *option, const char *text)
{
    request *r = target;
    const char *equals = strchr(text, '=');
    condition *c = &r->conditions[r->condition_count];
    if (!equals || equals == text || (size_t)(equals - text) >= sizeof c->column)
        return cli_error("%s is COLUMN=VALUE, not '%s'", option, text);
    if (r->condition_count == MAX_CONDITIONS)
        return cli_error("at most %d --by and --drop", MAX_CONDITIONS);
    *c = (condition){.text = text, .value = equals + 1, .drop = !strcmp(option, "--drop")};
    memcpy(c->column, text, (size_t)(equals - text));
    r->condition_count++;
    return true;
}

static bool take_archs(void *target, const char *option, const char *value)
{
    request *r = target;
    bool fallback;
    int found = cli_find_archs(value, r->archs, &fallback);
    r->filter.archs = r->archs;
    r->filter.arch_count = found > 0 ? (size_t)found : 0;
    return found > 0;
}

static bool take_only(void *target, const char *option, const char *value)
{
    request *r = target;
    r->only = value;
    return parse_reasons(option, value, &r->filter.reasons);
}

static bool take_except(void *target, const char *option, const char *value)
{
    request *r = target;
    r->except = value;
    bool good = parse_reasons(option, value, &r->filter.reasons);
    r->filter.reasons ^= (1u << TACHO_REASON_COUNT) - 1;
    return good;
}

static const cli_option options[] = {
    SUITE_FILES_ROW,
    {CLI_CALL, "arch", 'a', "ARCH",
     "reject also what does not fit this microarchitecture (or\none of them: SKL,ICL, or all)", CLI_ALL,
     .take = take_archs},
    {CLI_CALL, "only", 0, "LIST", "reject for these reasons only: aliasing,x87", CLI_ALL, .take = take_only},
    {CLI_CALL, "except", 0, "LIST", "reject for all reasons but these", CLI_ALL, .take = take_except},
    {CLI_WHOLE, "max-instructions", 0, "N", "more are too-long (default 4096)",
     CLI_AT(filter.max_instructions), .low = 1, .high = UINT32_MAX},
    {CLI_WHOLE, "max-bytes", 0, "N", "more are too-long (default 16384)", CLI_AT(filter.max_bytes), .low = 1,
     .high = UINT32_MAX},
    {CLI_WHOLE, "max-accesses", 0, "N", "most memory operands of a block (default: any number)",
     CLI_AT(filter.max_accesses), .high = UINT32_MAX},
    {CLI_CALL, "by", 0, "COLUMN=VALUE",
     "keep only rows with this value, or with it in a list\nseparated by ;. 'COLUMN=' is an empty field",
     CLI_ALL, .take = take_condition},
    {CLI_CALL, "drop", 0, "COLUMN=VALUE", "reject rows with this value", CLI_ALL, .take = take_condition},
    {CLI_STRING, "rejected", 0, "FILE",
     "where rejected rows go, with the columns reason and\ninstruction in addition", CLI_AT(rejected)},
    {CLI_STRING, "output", 'o', "FILE", "where kept rows go (default: standard output)", CLI_AT(output)},
    {.kind = CLI_END},
};

/* Whether rows that are kept and rejected ones would be mixed; NULL and "-" are standard output. */
static bool same_output(const request *r)
{
    const char *kept = r->output ? r->output : "-";
    return r->rejected && !strcmp(r->rejected, kept);
}

static bool check_request(const request *r)
{
    const uint32_t of_arch =
        1u << TACHO_REASON_UNSUPPORTED | 1u << TACHO_REASON_BANK_CONFLICT | 1u << TACHO_REASON_STORE_PAIRING;
    if (r->only && r->except)
        return cli_error("give one of --only and --except");
    if (r->only && !r->filter.arch_count && (r->filter.reasons & of_arch))
        return cli_error("--only %s: unsupported, bank-conflict and store-pairing need --arch", r->only);
    return !same_output(r) || cli_error("--output and --rejected are the same file");
}

/* ---- judging ---- */

typedef struct tally {
    size_t kept, rejected;
    size_t reasons[TACHO_REASON_COUNT + 1], alone[TACHO_REASON_COUNT + 1];
} tally;

/* A row's reasons. */
typedef struct judgement {
    uint32_t reasons; /* bits, also COLUMN_REASON */
    int64_t offset;   /* of the instruction that the first one is about; -1 none */
    uint32_t failed;  /* bits of conditions */
} judgement;

static void judge_columns(judgement *out, const request *r, const tacho_suite *s, const tacho_suite_row *row)
{
    for (uint32_t i = 0; i < r->condition_count; i++) {
        const condition *c = &r->conditions[i];
        if (tacho_suite_has_value(s, row, c->index, c->value) != c->drop)
            continue;
        out->failed |= 1u << i;
        out->reasons |= 1u << COLUMN_REASON;
    }
}

/* @return false with a message */
static bool judge(judgement *out, const request *r, const tacho_suite *s, const tacho_suite_row *row)
{
    tacho_suite_verdict v;
    tacho_error err;
    *out = (judgement){.offset = -1};
    judge_columns(out, r, s, row);
    if (tacho_suite_filter(&v, row->code, row->code_size, &r->filter, &err))
        return cli_error("%s", err.message);
    for (int i = TACHO_REASON_COUNT; i-- > 0;)
        if (v.reasons >> i & 1)
            out->offset = v.offset[i];
    out->reasons |= v.reasons;
    return true;
}

static void count(tally *t, const judgement *j)
{
    t->kept += !j->reasons;
    t->rejected += j->reasons != 0;
    for (int i = 0; i <= COLUMN_REASON; i++) {
        t->reasons[i] += j->reasons >> i & 1;
        t->alone[i] += j->reasons == 1u << i;
    }
}

/* ---- writing ---- */

static void put_reason(tacho_str *out, const char *prefix, const char *text)
{
    if (out->length)
        tacho_str_putc(out, ';');
    tacho_str_puts(out, prefix);
    tacho_str_puts(out, text);
}

static void put_reasons(tacho_str *out, const request *r, const judgement *j)
{
    TACHO_FREED tacho_str list = {0};
    for (int i = 0; i < TACHO_REASON_COUNT; i++)
        if (j->reasons >> i & 1)
            put_reason(&list, "", tacho_suite_reason_name((tacho_suite_reason)i));
    for (uint32_t i = 0; i < r->condition_count; i++)
        if (j->failed >> i & 1)
            put_reason(&list, r->conditions[i].drop ? "" : "not ", r->conditions[i].text);
    tacho_csv_put(out, list.data ? list.data : "", list.length);
    out->failed |= list.failed;
}

static void put_rejected(tacho_str *out, const request *r, const tacho_suite *s, const tacho_suite_row *row,
                         const judgement *j)
{
    tacho_insn insn;
    char text[120] = "";
    if (j->offset >= 0 &&
        !tacho_decode(&insn, row->code + j->offset, row->code_size - (size_t)j->offset, NULL))
        tacho_insn_format(&insn, (uint64_t)j->offset, 1, text, sizeof text);
    tacho_suite_put_code(out, s, row);
    tacho_suite_put_other_fields(out, s, row);
    tacho_str_putc(out, ',');
    put_reasons(out, r, j);
    tacho_str_putc(out, ',');
    tacho_csv_put(out, text, strlen(text));
    tacho_str_putc(out, '\n');
}

static void say_tally(const tally *t)
{
    fprintf(stderr, "%zu block%s: %zu kept, %zu rejected\n", t->kept + t->rejected,
            tacho_plural(t->kept + t->rejected), t->kept, t->rejected);
    if (t->rejected)
        fprintf(stderr, "  %-14s %9s %9s\n", "reason", "blocks", "no other");
    for (int i = 0; i <= COLUMN_REASON; i++)
        if (t->reasons[i])
            fprintf(stderr, "  %-14s %9zu %9zu\n",
                    i < TACHO_REASON_COUNT ? tacho_suite_reason_name((tacho_suite_reason)i) : "columns",
                    t->reasons[i], t->alone[i]);
}

static bool write_rows(const request *r, const tacho_suite *s, suite_output *kept, suite_output *rejected,
                       tally *t)
{
    judgement j;
    tacho_suite_put_names(&kept->text, s);
    if (r->rejected) {
        tacho_str_puts(&rejected->text, "hex");
        tacho_suite_put_other_names(&rejected->text, s);
        tacho_str_puts(&rejected->text, ",reason,instruction\n");
    }
    for (size_t i = 0; i < s->row_count; i++) {
        const tacho_suite_row *row = &s->rows[i];
        if (!judge(&j, r, s, row))
            return false;
        count(t, &j);
        if (!j.reasons)
            tacho_suite_put_row(&kept->text, s, row);
        else if (r->rejected)
            put_rejected(&rejected->text, r, s, row, &j);
        if (!suite_output_flush(kept) || (r->rejected && !suite_output_flush(rejected)))
            return false;
    }
    return suite_output_end(kept) && (!r->rejected || suite_output_end(rejected));
}

/* ---- the command ---- */

static bool find_columns(request *r, const tacho_suite *s)
{
    for (uint32_t i = 0; i < r->condition_count; i++) {
        condition *c = &r->conditions[i];
        c->index = tacho_suite_column(s, c->column);
        if (c->index == TACHO_TABLE_NONE)
            return cli_error("%s %s: there is no column '%s'", c->drop ? "--drop" : "--by", c->text,
                             c->column);
    }
    return true;
}

/* The columns that rejected rows get in addition are new ones. */
static bool check_rejected(const request *r, const tacho_suite *s)
{
    const char *taken = tacho_suite_column(s, "reason") >= 0        ? "reason"
                        : tacho_suite_column(s, "instruction") >= 0 ? "instruction"
                                                                    : NULL;
    if (r->rejected && taken)
        cli_error("%s: there is a column '%s' already, which --rejected would add", s->files[0].table.name,
                  taken);
    return !r->rejected || !taken;
}

static int filter(request *r)
{
    TACHO_ENDS(tacho_suite_free) tacho_suite s = {.keep_bad = true};
    TACHO_ENDS(suite_output_close) suite_output kept = {0}, rejected = {0};
    tally t = {0};
    bool ok = suite_load(&s, &r->files) && find_columns(r, &s) && check_rejected(r, &s) &&
              suite_output_open(&kept, r->output) &&
              (!r->rejected || suite_output_open(&rejected, r->rejected)) &&
              write_rows(r, &s, &kept, &rejected, &t);
    if (ok)
        say_tally(&t);
    return ok ? CLI_OK : CLI_INPUT;
}

static int run_filter(void *asked)
{
    request *r = asked;
    return check_request(r) ? filter(r) : CLI_USAGE;
}

CLI_DEFINE(cli_suite_filter, "suite filter",
           "the blocks that are fit for judging predictors, and why others are not", "[options] [FILE ...]",
           options, help_filter, run_filter, request, .filter = TACHO_SUITE_FILTER_OPTIONS_INIT);
