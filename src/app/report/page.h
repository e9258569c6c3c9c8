/* page.h - the page for browsers: one file that needs nothing else. */
#ifndef TACHO_REPORT_PAGE_H
#define TACHO_REPORT_PAGE_H

#include "app/report/alignment.h"
#include "app/report/report_trace.h"

/** The report with what the page draws besides: dependencies, and cycles by the place of the code, unless
 *  `alignments` is NULL. @return a new reference; NULL: memory ran out */
json_t *report_page_json(const report_subject *s, const report_trace *t, const report_alignments *alignments);

/** Appends the whole page. `trace` is tacho-trace-1 as text; `report`: JSON objects as text that the page
 * shows around the timeline, NULL for the timeline alone. */
void report_page(tacho_str *out, const char *trace, const char *report);

/** Appends the page of one code on several microarchitectures; `cores`: {"trace": ..., "report": ...} of each
 * as text, with commas; the trace may be null where the report has an error, but not of all. */
void report_cores_page(tacho_str *out, const char *cores);

/** Appends a page: `html`, in which comments are the places of style, script and data. The data is JSON in
 *  parts, a NULL after the last one. */
void report_page_put(tacho_str *out, const char *html, const char *style, const char *script,
                     const char *const *json);

#endif
