/* hot_remarks.c - what the compiler said of a hot place. */
#include <stdio.h>

#include "app/report/report.h"
#include "app/report/report_hot.h"
#include "base/mem.h"

enum {
    SHOWN = 8, /* in text */
    MOST = 200 /* in JSON */
};

size_t report_hot_remarks(const report_hot *h, const tacho_hot_place *place, const tacho_remark **out,
                          size_t most)
{
    size_t count = h->records ? tacho_opt_records_of(h->records, place, out, most) : 0;
    return count < most ? count : most;
}

/* What was done to loops, and what was not done; that calls were inlined is seen in the code. */
static bool is_shown(const tacho_remark *r)
{
    return r->kind != TACHO_REMARK_DONE || r->about <= TACHO_ABOUT_UNROLLING || r->about == TACHO_ABOUT_OTHER;
}

static void put_remark(tacho_str *out, const tacho_remark *r)
{
    tacho_str line = {0};
    tacho_str_printf(&line, "%s:%u: %s: %s", tacho_base_name(r->file), r->line,
                     r->kind == TACHO_REMARK_REASON ? "because" : tacho_remark_kind_name(r->kind), r->text);
    if (r->pass)
        tacho_str_printf(&line, " (%s)", r->pass);
    tacho_str_puts(out, "  - ");
    report_wrapped_text(out, &line, 4);
}

void report_hot_remarks_text(tacho_str *out, const report_hot *h, const tacho_hot_place *place)
{
    const tacho_remark *list[MOST];
    size_t count = report_hot_remarks(h, place, list, MOST), shown = 0, left = 0;
    for (size_t i = 0; i < count; i++) {
        if (!is_shown(list[i]))
            continue;
        if (shown == SHOWN) {
            left++;
            continue;
        }
        if (!shown++)
            tacho_str_puts(out, "\nWhat the compiler said of it:\n");
        put_remark(out, list[i]);
    }
    if (left)
        tacho_str_printf(out, "  ... and %zu more, which --json has\n", left);
}

#define RECORD tacho_remark
GETTER(kind, report_text_value(tacho_remark_kind_name(r->kind)))
GETTER(about, report_text_value(tacho_remark_about_name(r->about)))
static const report_field remarks[] = {
    {MADE(TEXT, "kind", kind, "`done`, `missed`, `reason` (of what was missed)")},
    {MADE(TEXT, "about", about, "`vectorisation`, `unrolling`, `inlining`, `memory`, `registers`, `other`")},
    {MEMBER(pass, "of the compiler; null: not known", .none = REPORT_NO_TEXT)},
    {MEMBER(function, "that the code is in; null: not known", .none = REPORT_NO_TEXT)},
    MEMBERS3(file, line, column, "where, as the compiler has it"),
    {MEMBER(text, "its words")},
};
#undef RECORD
const report_table report_hot_remark_table = {.fields = remarks, .count = sizeof remarks / sizeof *remarks};

json_t *report_hot_remarks_json(const report_hot *h, const tacho_hot_place *place)
{
    const tacho_remark *list[MOST];
    size_t count = report_hot_remarks(h, place, list, MOST);
    json_t *out = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(out, report_record_json(&report_hot_remark_table, list[i], NULL));
    return out;
}
