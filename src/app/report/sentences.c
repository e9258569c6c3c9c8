/* sentences.c - see sentences.h. */
#include "app/report/sentences.h"

#include <string.h>

#include "base/records.h"
#include "app/report/grid.h"
#include "app/report/report.h"

enum {
    TEXT_AT = 13 /* column, as of all labelled lines */
};

void report_sentences_end(report_sentences *n)
{
    if (n->text.length == n->begin)
        return;
    tacho_str_putc(&n->text, '\0');
    n->begin = n->text.length;
}

void report_sentences_free(report_sentences *n)
{
    tacho_str_free(&n->text);
    *n = (report_sentences){.begin = 0};
}

/* The one after `note`; NULL: the first one. @return NULL: there is none */
static const char *next_note(const report_sentences *n, const char *note)
{
    const char *next = note ? note + strlen(note) + 1 : n->text.data;
    return !n->text.failed && next && next < n->text.data + n->begin ? next : NULL;
}

void report_sentences_text(tacho_str *out, const report_sentences *n, bool colour)
{
    out->failed |= n->text.failed;
    for (const char *note = NULL; (note = next_note(n, note));) {
        if (note == n->text.data)
            tacho_str_putc(out, '\n');
        report_label(out, colour, "note");
        report_wrapped(out, note, TEXT_AT);
    }
}

json_t *report_sentences_json(report_sentences *n)
{
    json_t *list = json_array();
    for (const char *note = NULL; (note = next_note(n, note));)
        json_array_append_new(list, report_json_string(note));
    report_sentences_free(n);
    return list;
}
