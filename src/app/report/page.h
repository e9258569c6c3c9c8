/* page.h - the page for browsers: one file that needs nothing else. */
#ifndef TACHO_REPORT_PAGE_H
#define TACHO_REPORT_PAGE_H

#include "app/report/alignment.h"
#include "app/report/report_trace.h"

/** The report with what the page draws besides: dependencies, and cycles by the place of the code, unless
 *  `alignments` is NULL. @return a new reference; NULL: memory ran out */
json_t *report_page_json(const report_subject *s, const kept_trace *t, const report_alignments *alignments);

/** What a page is made of: in `html`, comments are the places of style, script, words and data. */
typedef struct report_page_files {
    const char *html, *style, *script;
} report_page_files;
/** The pages, by their data. One of a prediction: {"trace": tacho-trace-1, "report": or null}; of several:
 * {"cores": list of such, of which the traces may be null where there is an error, but not all}; of hot
 * places: {"hot": the report, "traces": one or null for each place, "roofline": SVG}; of two versions:
 * {"diff": the report}; of an evaluation: its report with what pictures show. */
extern const report_page_files report_page_page, report_cores_page, report_hot_page, report_hot_diff_page,
    report_eval_page;
/** Appends a page. Takes the reference; NULL: memory ran out. */
void report_page_put(tacho_str *out, const report_page_files *page, json_t *data);

#endif
