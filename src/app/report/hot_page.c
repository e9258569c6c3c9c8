/* hot_page.c - the page of a program's hot places: the report's JSON and a trace of each place that has one,
 * drawn by the scripts of a prediction's page around a table of all places. */
#include <stdlib.h>

#include "app/report/page.h"
#include "app/report/report_hot_diff.h"

extern const char report_page_html[], report_hot_style[], report_hot_script[];

void report_hot_page(tacho_str *out, json_t *report, const char *traces, const tacho_str *picture)
{
    char *text = report ? json_dumps(report, JSON_COMPACT | JSON_REAL_PRECISION(8)) : NULL;
    json_t *svg = picture->failed ? NULL : json_stringn(picture->data, picture->length);
    char *drawn = svg ? json_dumps(svg, JSON_ENCODE_ANY) : NULL;
    const char *const parts[] = {"{\"hot\": ", text, ", \"traces\": [", traces, "], \"roofline\": ", drawn,
                                 "}",          NULL};
    json_decref(svg);
    out->failed |= !drawn;
    if (text && drawn)
        report_page_put(out, report_page_html, report_hot_style, report_hot_script, parts);
    out->failed |= !text;
    free(text);
    free(drawn);
    json_decref(report);
}

extern const char report_hot_diff_html[], report_hot_diff_style[], report_hot_diff_script[];

void report_hot_diff_page(tacho_str *out, json_t *report)
{
    char *text = report ? json_dumps(report, JSON_COMPACT | JSON_REAL_PRECISION(8)) : NULL;
    const char *const parts[] = {"{\"diff\": ", text, "}", NULL};
    if (text)
        report_page_put(out, report_hot_diff_html, report_hot_diff_style, report_hot_diff_script, parts);
    out->failed |= !text;
    free(text);
    json_decref(report);
}
