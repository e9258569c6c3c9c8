/* page.c - puts the page together: its HTML, style and scripts (src/report/page/, embedded by the build) and
 * the data. The data comes as JSON in a script element, where only "<" has a meaning: it is written as an
 * escape, so that no text of the input can be taken for HTML. The script shows all text as text. */
#include "report/page.h"

#include <string.h>

extern const char report_page_html[], report_page_style[], report_page_script[];

/* In JSON "<" can stand in strings only. */
static void put_json(tacho_str *out, const char *json)
{
    while (*json) {
        size_t n = strcspn(json, "<");
        tacho_str_append(out, json, n);
        json += n;
        if (*json) {
            tacho_str_puts(out, "\\u003c");
            json++;
        }
    }
}

static void put_data(tacho_str *out, const char *trace, const char *report)
{
    tacho_str_puts(out, "{\"trace\": ");
    put_json(out, trace);
    tacho_str_puts(out, ", \"report\": ");
    put_json(out, report ? report : "null");
    tacho_str_puts(out, "}");
}

void report_page(tacho_str *out, const char *trace, const char *report)
{
    const char *at = report_page_html, *mark;
    while ((mark = strstr(at, "<!--"))) {
        tacho_str_append(out, at, (size_t)(mark - at));
        if (!strncmp(mark, "<!--style", 9))
            tacho_str_puts(out, report_page_style);
        else if (!strncmp(mark, "<!--script", 10))
            tacho_str_puts(out, report_page_script);
        else
            put_data(out, trace, report);
        at = strstr(mark, "-->") + 3;
    }
    tacho_str_puts(out, at);
}
