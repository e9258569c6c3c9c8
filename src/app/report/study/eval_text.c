/* eval_text.c - an evaluation for people: how good each predictor is, on which blocks, and where it is
 * worst. Lines stay within 120 columns. */
#include "app/report/report.h"
#include "app/report/study/report_study.h"
#include "base/mem.h"
#include "base/search.h"
#include "tacho/code.h"

/* ---- tables: errors in percent of the measured cycles; what there is not is "-" ---- */

const char *report_count(char out[TACHO_NUMBER_SIZE], size_t count)
{
    char digits[TACHO_NUMBER_SIZE], *to = out;
    int n = snprintf(digits, sizeof digits, "%zu", count);
    for (int i = 0; i < n; i++) {
        if (i && (n - i) % 3 == 0)
            *to++ = ',';
        *to++ = digits[i];
    }
    *to = '\0';
    return out;
}

static const char *figure(char out[TACHO_NUMBER_SIZE], double value, bool percent)
{
    if (!isfinite(value))
        snprintf(out, TACHO_NUMBER_SIZE, "-");
    else if (fabs(value) >= 1e9)
        snprintf(out, TACHO_NUMBER_SIZE, "%.3g", percent ? 100 * value : value);
    else
        snprintf(out, TACHO_NUMBER_SIZE, percent ? "%.2f" : "%.4f", percent ? 100 * value : value);
    return out;
}

const char *report_percent(char out[TACHO_NUMBER_SIZE], double fraction)
{
    return figure(out, fraction, true);
}

const char *report_estimate(char out[REPORT_ESTIMATE_SIZE], const tacho_estimate *e, bool percent)
{
    char value[TACHO_NUMBER_SIZE], low[TACHO_NUMBER_SIZE], high[TACHO_NUMBER_SIZE];
    figure(value, e->value, percent);
    if (isfinite(e->low) && isfinite(e->high))
        snprintf(out, REPORT_ESTIMATE_SIZE, "%s [%s, %s]", value, figure(low, e->low, percent),
                 figure(high, e->high, percent));
    else
        snprintf(out, REPORT_ESTIMATE_SIZE, "%s", value);
    return out;
}

/* ---- figures of a set of blocks ---- */

static void percent_cell(report_grid *g, double fraction)
{
    char text[TACHO_NUMBER_SIZE];
    report_grid_cell(g, report_percent(text, fraction));
}

static void count_cell(report_grid *g, size_t count)
{
    char text[TACHO_NUMBER_SIZE];
    report_grid_cell(g, report_count(text, count));
}

static void score_head(report_grid *g, const char *first)
{
    static const char *const names[] = {"blocks", "failed", "MAPE %",       "median %",
                                        "q1 %",   "q3 %",   "Kendall's tau"};
    report_grid_start(g, 1 + sizeof names / sizeof *names, 0);
    report_grid_cell(g, first);
    report_grid_cells(g, names, sizeof names / sizeof *names);
}

static void score_row(report_grid *g, const char *name, const tacho_score *s)
{
    char text[REPORT_ESTIMATE_SIZE];
    report_grid_cell(g, name);
    count_cell(g, s->count);
    count_cell(g, s->failures);
    report_grid_cell(g, report_estimate(text, &s->mape, true));
    percent_cell(g, s->median.value);
    percent_cell(g, s->q1.value);
    percent_cell(g, s->q3.value);
    report_grid_cell(g, report_estimate(text, &s->kendall_tau, false));
}

/* Tables; `g` is not started yet. */
static void make_summary(report_grid *g, const tacho_eval_result *r)
{
    score_head(g, "predictor");
    for (size_t p = 0; p < r->predictor_count; p++)
        score_row(g, r->predictors[p].name, &r->predictors[p].overall);
}

static void make_closeness(report_grid *g, const tacho_eval_result *r)
{
    static const char *const names[] = {"predictor", "within 1 %", "within 5 %", "within 10 %",
                                        "bias %",    "worst %",    "seconds"};
    char number[TACHO_NUMBER_SIZE];
    bool timed = false;
    for (size_t p = 0; p < r->predictor_count; p++)
        timed |= !isnan(r->predictors[p].seconds);
    report_grid_start(g, timed ? 7 : 6, 0);
    report_grid_cells(g, names, timed ? 7 : 6);
    for (size_t p = 0; p < r->predictor_count; p++) {
        const tacho_score *s = &r->predictors[p].overall;
        report_grid_cell(g, r->predictors[p].name);
        percent_cell(g, s->within_1);
        percent_cell(g, s->within_5);
        percent_cell(g, s->within_10);
        percent_cell(g, s->bias);
        percent_cell(g, s->worst);
        if (timed)
            report_grid_cell(g, isnan(r->predictors[p].seconds)
                                    ? "-"
                                    : tacho_format_number(number, r->predictors[p].seconds, 2));
    }
}

/* MAPE and tau in one cell; these have the same width in all rows. */
static void pair_cell(report_grid *g, const tacho_score *s)
{
    char mape[TACHO_NUMBER_SIZE], tau[TACHO_NUMBER_SIZE];
    figure(tau, s->kendall_tau.value, false);
    report_grid_cellf(g, "%s / %s", report_percent(mape, s->mape.value), tau);
}

static void make_groups(report_grid *g, const tacho_eval_result *r, size_t grouping)
{
    const tacho_eval_grouping *by = &r->groupings[grouping];
    bool one = r->predictor_count == 1;
    if (one) {
        score_head(g, by->name);
    } else {
        report_grid_start(g, r->predictor_count + 2, 0);
        report_grid_cell(g, by->name);
        report_grid_cell(g, "blocks");
        for (size_t p = 0; p < r->predictor_count; p++)
            report_grid_cell(g, r->predictors[p].name);
    }
    for (size_t k = 0; k < by->group_count; k++) {
        if (one) {
            score_row(g, by->groups[k].name, &r->predictors[0].by_group[grouping][k]);
            continue;
        }
        report_grid_cell(g, by->groups[k].name);
        count_cell(g, by->groups[k].member_count);
        for (size_t p = 0; p < r->predictor_count; p++)
            pair_cell(g, &r->predictors[p].by_group[grouping][k]);
    }
}

/* ---- words ---- */

/* Few blocks have none. */
static bool has_intervals(const tacho_eval_result *r)
{
    for (size_t p = 0; p < r->predictor_count; p++)
        if (isfinite(r->predictors[p].overall.mape.low))
            return true;
    return false;
}

const char *report_eval_reference(const report_eval *e)
{
    return e->reference_predicted ? "reference" : "measured";
}

/* "measured", or "predicted, not measured": what was done to the blocks. */
static const char *origin_of(const report_eval *e)
{
    return e->reference_predicted ? "predicted, not measured" : "measured";
}

/* What the figures of all of them are: a sentence without its end. */
static void put_caption(tacho_str *out, const report_eval *e)
{
    const tacho_score_options *o = &e->result->options;
    char number[TACHO_NUMBER_SIZE];
    tacho_str_printf(out, "Errors in %% of the %s cycles, over the blocks that have a prediction",
                     report_eval_reference(e));
    if (has_intervals(e->result))
        tacho_str_printf(out, "; in brackets %s %% intervals of %u resamples (seed %llu)",
                         tacho_format_number(number, 100 * o->confidence, 3), o->resamples,
                         (unsigned long long)o->seed);
    if (o->tau_step > 0)
        tacho_str_printf(out, "; for tau, cycles are rounded to multiples of %s",
                         tacho_format_number(number, o->tau_step, 6));
    for (size_t p = 0; p < e->result->predictor_count; p++) {
        const tacho_eval_predictor *of = &e->result->predictors[p];
        if (of->lower_bounds)
            tacho_str_printf(out, "; of %s's predictions %s %s, as it lacks figures of instructions",
                             of->name, report_count(number, of->lower_bounds),
                             of->lower_bounds == 1 ? "is a lower bound" : "are lower bounds");
    }
}

/* "application: MAPE in % / Kendall's tau" */
static void put_group_caption(tacho_str *out, const tacho_eval_result *r, size_t grouping)
{
    tacho_str_printf(out, "By %s", r->groupings[grouping].name);
    if (r->predictor_count > 1)
        tacho_str_puts(out, ": MAPE % / Kendall's tau");
}

/* Sentences about what is left out, each with a line end. */
static void put_left_out(tacho_str *out, const eval_reason *reasons, size_t count)
{
    char number[TACHO_NUMBER_SIZE];
    for (size_t i = 0; i < count; i++) {
        tacho_str_printf(out, "%s row%s left out: ", report_count(number, reasons[i].count),
                         tacho_plural(reasons[i].count));
        report_put_plain(out, reasons[i].words);
        tacho_str_putc(out, '\n');
    }
}

/* ---- why predictors failed ---- */

ORDER_AS(by_text, char *const, strcmp(*a, *b));

ORDER_AS(by_count, report_eval_message, ORDER(b->count, a->count) ?: strcmp(a->text, b->text));

/* Equal texts next to each other become one. */
static size_t count_equal(report_eval_message *out, const char *const *texts, size_t count)
{
    size_t different = 0;
    for (size_t i = 0; i < count; i++) {
        if (!different || strcmp(out[different - 1].text, texts[i]))
            out[different++] = (report_eval_message){texts[i], 0};
        out[different - 1].count++;
    }
    return different;
}

int report_eval_find_messages(report_eval_messages *out, const tacho_eval_result *r, size_t predictor)
{
    const tacho_eval_prediction *all = r->predictors[predictor].predictions;
    size_t failures = r->predictors[predictor].overall.failures, n = 0;
    *out = (report_eval_messages){0};
    if (!failures)
        return 0;
    const char **texts = tacho_mem_zalloc(failures, sizeof *texts);
    out->list = tacho_mem_zalloc(failures, sizeof *out->list);
    if (!texts || !out->list) {
        tacho_mem_free(texts);
        tacho_mem_free(out->list);
        out->list = NULL;
        return -1;
    }
    for (size_t b = 0; b < r->block_count && n < failures; b++)
        if (isnan(all[b].cycles))
            texts[n++] = all[b].message;
    tacho_sort(texts, n, sizeof *texts, by_text);
    out->different = count_equal(out->list, texts, n);
    tacho_sort(out->list, out->different, sizeof *out->list, by_count);
    out->count = out->different < REPORT_EVAL_MESSAGES ? out->different : REPORT_EVAL_MESSAGES;
    for (size_t i = out->count; i < out->different; i++)
        out->unlisted += out->list[i].count;
    tacho_mem_free(texts);
    return 0;
}

enum {
    SHOWN_HEX = 48,
    SHOWN_INSTRUCTIONS = 16,
    LINE_BYTES = 200
};

static size_t put_instructions(tacho_str *out, const uint8_t *code, size_t size)
{
    char line[LINE_BYTES];
    size_t lines = 0;
    for (size_t at = 0; at < size; lines++) {
        tacho_insn insn;
        if (tacho_decode(&insn, code + at, size - at, NULL)) {
            tacho_str_puts(out, "(bad)\n");
            return lines + 1;
        }
        tacho_insn_format(&insn, at, 1, line, sizeof line);
        tacho_str_puts(out, line);
        tacho_str_putc(out, '\n');
        at += insn.length;
    }
    return lines;
}

/* The instructions of a block, one a line, each with a line end; "(bad)" where bytes are none. @return lines
 */
static size_t put_asm(tacho_str *out, const char *hex)
{
    size_t length = strlen(hex), lines = 0;
    TACHO_MEM_FREED uint8_t *code = tacho_mem_alloc(length / 2 + 1);
    if (!code) {
        out->failed = true;
        return 0;
    }
    long size = tacho_hex_decode(code, hex, length, NULL);
    if (size >= 0)
        lines = put_instructions(out, code, (size_t)size);
    else
        tacho_str_puts(out, "(bad)\n");
    return size >= 0 ? lines : 1;
}

json_t *report_block_asm_json(const char *hex)
{
    TACHO_FREED tacho_str text = {0};
    json_t *list = json_array();
    size_t lines = put_asm(&text, hex);
    for (char *line = text.failed ? NULL : text.data; line && lines; lines--) {
        char *end = strchr(line, '\n');
        *end = '\0';
        json_array_append_new(list, report_json_string(line));
        line = end + 1;
    }
    return list;
}

/* Of code that is long the beginning, and how many bytes there are. */
static void put_hex(tacho_str *out, const char *hex)
{
    size_t length = strlen(hex);
    if (length <= SHOWN_HEX)
        tacho_str_puts(out, hex);
    else
        tacho_str_printf(out, "%.*s... (%zu bytes)", SHOWN_HEX, hex, length / 2);
}

/* The first instructions of a block, indented, for people. */
static void put_asm_text(tacho_str *out, const char *hex)
{
    TACHO_FREED tacho_str text = {0};
    size_t lines = put_asm(&text, hex);
    const char *at = text.failed ? "" : text.data;
    for (size_t i = 0; i < lines && *at; i++) {
        size_t n = strcspn(at, "\n");
        if (i == SHOWN_INSTRUCTIONS && lines > SHOWN_INSTRUCTIONS + 1) {
            tacho_str_printf(out, "        ... %zu more instructions\n", lines - i);
            break;
        }
        tacho_str_puts(out, "        ");
        tacho_str_append(out, at, n + 1);
        at += n + 1;
    }
}

/* ---- the report ---- */

enum {
    SHOWN_MESSAGES = 5
};

static void put_grid(tacho_str *out, report_grid *g, bool colour)
{
    report_grid_put(out, g, colour);
    tacho_str_putc(out, '\n');
}

static void put_head(tacho_str *out, const report_eval *e, bool colour)
{
    char number[TACHO_NUMBER_SIZE];
    tacho_str line = {0};
    report_paint(out, colour, REPORT_BOLD, e->measured);
    tacho_str_printf(out, ": %s block%s %s", report_count(number, e->result->block_count),
                     tacho_plural(e->result->block_count), origin_of(e));
    if (e->arch)
        tacho_str_printf(out, ", %s", e->arch);
    tacho_str_putc(out, '\n');
    put_left_out(out, e->left_out, e->left_out_count);
    put_caption(&line, e);
    tacho_str_putc(&line, '.');
    report_wrapped_text(out, &line, 0);
    tacho_str_putc(out, '\n');
}

static void put_groups(tacho_str *out, const tacho_eval_result *r, bool colour)
{
    for (size_t k = 0; k < r->grouping_count; k++) {
        tacho_str title = {0};
        report_grid g;
        put_group_caption(&title, r, k);
        report_bold_text(out, colour, &title);
        make_groups(&g, r, k);
        put_grid(out, &g, colour);
    }
}

/* ---- the worst blocks ---- */

static void put_block(tacho_str *out, const tacho_eval_block *b, double predicted)
{
    char measured[TACHO_NUMBER_SIZE], cycles[TACHO_NUMBER_SIZE], error[TACHO_NUMBER_SIZE];
    double factor = predicted / b->measured;
    TACHO_FREED tacho_str hex = {0};
    put_hex(&hex, b->hex);
    tacho_str_printf(out, factor < 1e6 ? "%12s %12s  %10s %%  %9.2f  " : "%12s %12s  %10s %%  %9.3g  ",
                     report_number(measured, b->measured), report_number(cycles, predicted),
                     report_percent(error, fabs(predicted - b->measured) / b->measured), factor);
    report_put_plain(out, hex.data ? hex.data : "");
    tacho_str_putc(out, '\n');
    if (*b->note) {
        tacho_str_puts(out, "    note: ");
        report_wrapped(out, b->note, 10);
    }
    put_asm_text(out, b->hex);
}

static void put_worst(tacho_str *out, const report_eval *e, bool colour)
{
    const tacho_eval_result *r = e->result;
    char head[100];
    snprintf(head, sizeof head, "%12s    predicted         error     factor  block",
             report_eval_reference(e));
    for (size_t p = 0; p < r->predictor_count; p++) {
        const tacho_eval_predictor *of = &r->predictors[p];
        if (!of->worst_count)
            continue;
        tacho_str title = {0};
        tacho_str_printf(&title, "Largest errors of %s", of->name);
        report_bold_text(out, colour, &title);
        report_paint(out, colour, REPORT_DIM, head);
        tacho_str_putc(out, '\n');
        for (size_t i = 0; i < of->worst_count; i++)
            put_block(out, &r->blocks[of->worst[i]], of->predictions[of->worst[i]].cycles);
        tacho_str_putc(out, '\n');
    }
}

/* ---- failures ---- */

static void put_messages(tacho_str *out, const report_eval_messages *m)
{
    char number[TACHO_NUMBER_SIZE];
    size_t shown = m->count <= SHOWN_MESSAGES + 1 ? m->count : SHOWN_MESSAGES, rest = m->unlisted;
    for (size_t i = 0; i < m->count; i++) {
        if (i >= shown) {
            rest += m->list[i].count;
            continue;
        }
        tacho_str_printf(out, "%12s  ", report_count(number, m->list[i].count));
        report_wrapped(out, *m->list[i].text ? m->list[i].text : "no message", 14);
    }
    if (rest)
        tacho_str_printf(out, "%12s  with %zu other messages\n", report_count(number, rest),
                         m->different - shown);
}

static void put_failures(tacho_str *out, const tacho_eval_result *r, bool colour)
{
    for (size_t p = 0; p < r->predictor_count; p++) {
        report_eval_messages m;
        if (report_eval_find_messages(&m, r, p)) {
            out->failed = true;
            return;
        }
        if (m.count) {
            tacho_str title = {0};
            tacho_str_printf(&title, "Why %s failed", r->predictors[p].name);
            report_bold_text(out, colour, &title);
            put_messages(out, &m);
            tacho_str_putc(out, '\n');
        }
        tacho_mem_free(m.list);
    }
}

/* Which models were asked, by what they say of themselves. */
static void put_versions(tacho_str *out, const tacho_eval_result *r)
{
    bool any = false;
    for (size_t p = 0; p < r->predictor_count; p++) {
        const char *version = r->predictors[p].version;
        size_t first = 0;
        while (strcmp(r->predictors[first].version, version))
            first++;
        if (!*version || first < p)
            continue;
        TACHO_FREED tacho_str line = {0};
        tacho_str_printf(&line, "%s: ", version);
        for (size_t k = p; k < r->predictor_count; k++)
            if (!strcmp(r->predictors[k].version, version))
                tacho_str_printf(&line, "%s%s", k > p ? ", " : "", r->predictors[k].name);
        report_wrapped(out, line.data ? line.data : "", 0);
        any = true;
    }
    if (any)
        tacho_str_putc(out, '\n');
}

void report_eval_text(tacho_str *out, const report_eval *e, bool colour)
{
    const tacho_eval_result *r = e->result;
    report_grid g;
    put_head(out, e, colour);
    make_summary(&g, r);
    put_grid(out, &g, colour);
    make_closeness(&g, r);
    put_grid(out, &g, colour);
    put_versions(out, r);
    put_groups(out, r, colour);
    put_worst(out, e, colour);
    put_failures(out, r, colour);
    while (out->length > 1 && out->data[out->length - 1] == '\n' && out->data[out->length - 2] == '\n')
        out->data[--out->length] = '\0';
}
