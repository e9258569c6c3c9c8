/* hot_page.c - the page of a program's hot places: the report's JSON and a trace of each place that has one,
 * drawn by the scripts of a prediction's page around a table of all places. */
#include <stdlib.h>

#include "app/report/page.h"
#include "app/report/report_hot_diff.h"

extern const char report_page_html[], report_hot_style[], report_hot_script[];

/* A picture as a JSON string. @return NULL: out of memory */
static char *picture_string(const tacho_str *picture)
{
    json_t *svg =
        picture->failed ? NULL : json_stringn(picture->length ? picture->data : "", picture->length);
    char *text = svg ? json_dumps(svg, JSON_ENCODE_ANY) : NULL;
    json_decref(svg);
    return text;
}

void report_hot_page(tacho_str *out, json_t *report, const char *traces, const tacho_str *roofline,
                     const tacho_str *strip)
{
    char *text = report ? json_dumps(report, JSON_COMPACT | JSON_REAL_PRECISION(8)) : NULL;
    char *drawn = picture_string(roofline), *threads = picture_string(strip);
    const char *const parts[] = {
        "{\"hot\": ", text, ", \"traces\": [", traces, "], \"roofline\": ", drawn, ", \"strip\": ", threads,
        "}",          NULL};
    out->failed |= !drawn || !text || !threads;
    if (text && drawn && threads)
        report_page_put(out, report_page_html, report_hot_style, report_hot_script, parts);
    free(text);
    free(drawn);
    free(threads);
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
