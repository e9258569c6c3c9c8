/* eval_text.c - an evaluation for people: how good each predictor is, on which blocks, and where it is
 * worst. Lines stay within 120 columns. */
#include "app/report/report.h"
#include "app/report/study/report_study.h"
#include "base/mem.h"
#include "tacho/code.h"

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
    uint8_t *code = tacho_mem_alloc(length / 2 + 1);
    if (!code) {
        out->failed = true;
        return 0;
    }
    long size = tacho_hex_decode(code, hex, length, NULL);
    if (size >= 0)
        lines = put_instructions(out, code, (size_t)size);
    else
        tacho_str_puts(out, "(bad)\n");
    tacho_mem_free(code);
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
static void report_block_hex(tacho_str *out, const char *hex)
{
    size_t length = strlen(hex);
    if (length <= SHOWN_HEX)
        tacho_str_puts(out, hex);
    else
        tacho_str_printf(out, "%.*s... (%zu bytes)", SHOWN_HEX, hex, length / 2);
}

/* The first instructions of a block, indented, for people. */
static void report_asm_text(tacho_str *out, const char *hex)
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

static void put_title(tacho_str *out, const char *title, bool colour)
{
    report_paint(out, colour, REPORT_BOLD, title);
    tacho_str_putc(out, '\n');
}

static void put_head(tacho_str *out, const report_eval *e, bool colour)
{
    char number[TACHO_NUMBER_SIZE];
    tacho_str line = {0};
    report_paint(out, colour, REPORT_BOLD, e->measured);
    tacho_str_printf(out, ": %s block%s %s", report_count(number, e->result->block_count),
                     tacho_plural(e->result->block_count), report_eval_origin(e));
    if (e->arch)
        tacho_str_printf(out, ", %s", e->arch);
    tacho_str_putc(out, '\n');
    report_left_out(out, e->left_out, e->left_out_count);
    report_eval_caption(&line, e);
    tacho_str_putc(&line, '.');
    report_wrapped_text(out, &line, 0);
    tacho_str_putc(out, '\n');
}

static void put_groups(tacho_str *out, const tacho_eval_result *r, bool colour)
{
    for (size_t k = 0; k < r->grouping_count; k++) {
        TACHO_FREED tacho_str title = {0};
        report_grid g;
        report_eval_group_caption(&title, r, k);
        put_title(out, title.data ? title.data : "", colour);
        report_eval_groups(&g, r, k);
        put_grid(out, &g, colour);
    }
}

/* ---- the worst blocks ---- */

static void put_block(tacho_str *out, const tacho_eval_block *b, double predicted)
{
    char measured[TACHO_NUMBER_SIZE], cycles[TACHO_NUMBER_SIZE], error[TACHO_NUMBER_SIZE];
    double factor = predicted / b->measured;
    TACHO_FREED tacho_str hex = {0};
    report_block_hex(&hex, b->hex);
    tacho_str_printf(out, factor < 1e6 ? "%12s %12s  %10s %%  %9.2f  " : "%12s %12s  %10s %%  %9.3g  ",
                     report_number(measured, b->measured), report_number(cycles, predicted),
                     report_percent(error, fabs(predicted - b->measured) / b->measured), factor);
    report_put_plain(out, hex.data ? hex.data : "");
    tacho_str_putc(out, '\n');
    if (*b->note) {
        tacho_str_puts(out, "    note: ");
        report_wrapped(out, b->note, 10);
    }
    report_asm_text(out, b->hex);
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
        TACHO_FREED tacho_str title = {0};
        tacho_str_printf(&title, "Largest errors of %s", of->name);
        put_title(out, title.data ? title.data : "", colour);
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
            TACHO_FREED tacho_str title = {0};
            tacho_str_printf(&title, "Why %s failed", r->predictors[p].name);
            put_title(out, title.data ? title.data : "", colour);
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
    report_eval_summary(&g, r);
    put_grid(out, &g, colour);
    report_eval_closeness(&g, r);
    put_grid(out, &g, colour);
    put_versions(out, r);
    put_groups(out, r, colour);
    put_worst(out, e, colour);
    put_failures(out, r, colour);
    while (out->length > 1 && out->data[out->length - 1] == '\n' && out->data[out->length - 2] == '\n')
        out->data[--out->length] = '\0';
}
