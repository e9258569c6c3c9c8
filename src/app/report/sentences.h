/* sentences.h - what should be known about a result, a sentence each: collected once, then written in any
 * form.
 */
#ifndef TACHO_REPORT_SENTENCES_H
#define TACHO_REPORT_SENTENCES_H

#include <jansson.h>

#include "base/str.h"

typedef struct report_sentences {
    tacho_str text; /* one note after the other; each that is complete ends in a NUL */
    size_t begin;   /* of the one that is being written */
} report_sentences;

/** What was written to `text` since the last one is a note; nothing is none. */
void report_sentences_end(report_sentences *n);
void report_sentences_free(report_sentences *n);

/** An empty line, and each with its label; nothing where there are none. */
void report_sentences_text(tacho_str *out, const report_sentences *n, bool colour);
/** Frees them. @return a new reference to an array */
json_t *report_sentences_json(report_sentences *n);
/* A getter (base/records.h) of the sentences that write(report_sentences *, const RECORD *) collects of a
 * record.
 */
#define NOTES_BY(function, write)                                                                            \
    REPORT_MAKER(report_value, function, report_sentences notes = {0}; write(&notes, r);                     \
                 return report_list(report_sentences_json(&notes));)

#endif
