/* page.c - puts pages together: HTML, style and scripts (src/app/report/page/, embedded by the build) and
 * the data. The data comes as JSON in a script element, where only "<" has a meaning: it is written as an
 * escape, so that no text of the input can be taken for HTML. The script shows all text as text. */
#include "app/report/page.h"

#include <stdlib.h>
#include <string.h>

extern const char report_page_html[], report_page_style[], report_page_script[];
extern const char report_cores_style[], report_cores_script[];

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

static void put_words(tacho_str *out)
{
    json_t *words = report_words_json();
    char *text = words ? json_dumps(words, JSON_COMPACT) : NULL;
    if (text)
        put_json(out, text);
    out->failed |= !text;
    free(text);
    json_decref(words);
}

void report_page_put(tacho_str *out, const char *html, const char *style, const char *script,
                     const char *const *json)
{
    const char *at = html, *mark;
    while ((mark = strstr(at, "<!--"))) {
        tacho_str_append(out, at, (size_t)(mark - at));
        if (!strncmp(mark, "<!--style", 9))
            tacho_str_puts(out, style);
        else if (!strncmp(mark, "<!--script", 10))
            tacho_str_puts(out, script);
        else if (!strncmp(mark, "<!--words", 9))
            put_words(out);
        else
            for (const char *const *part = json; *part; part++)
                put_json(out, *part);
        at = strstr(mark, "-->") + 3;
    }
    tacho_str_puts(out, at);
}

void report_page(tacho_str *out, const char *trace, const char *report)
{
    const char *const parts[] = {
        "{\"trace\": ", trace, ", \"report\": ", report ? report : "null", "}", NULL};
    report_page_put(out, report_page_html, report_page_style, report_page_script, parts);
}

void report_cores_page(tacho_str *out, const char *cores)
{
    const char *const parts[] = {"{\"cores\": [", cores, "]}", NULL};
    report_page_put(out, report_page_html, report_cores_style, report_cores_script, parts);
}
