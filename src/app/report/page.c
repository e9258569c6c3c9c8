/* page.c - puts pages together: HTML, style and scripts (src/app/report/page/, embedded by the build) and
 * the data. The data comes as JSON in a script element, where only "<" has a meaning: it is written as an
 * escape, so that no text of the input can be taken for HTML. The script shows all text as text. */
#include "app/report/page.h"

#include <stdlib.h>
#include <string.h>

#define PAGE(name, document)                                                                                 \
    extern const char report_##document##_html[], report_##name##_style[], report_##name##_script[];         \
    const report_page_files report_##name##_page = {report_##document##_html, report_##name##_style,         \
                                                    report_##name##_script}
PAGE(page, page);
PAGE(cores, page);
PAGE(hot, page);
PAGE(hot_diff, hot_diff);
PAGE(eval, eval);

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

static void put_data(tacho_str *out, json_t *json)
{
    char *text = json ? json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(REPORT_JSON_DIGITS)) : NULL;
    if (text)
        put_json(out, text);
    out->failed |= !text;
    free(text);
    json_decref(json);
}

void report_page_put(tacho_str *out, const report_page_files *page, json_t *data)
{
    const char *at = page->html, *mark;
    while ((mark = strstr(at, "<!--"))) {
        tacho_str_append(out, at, (size_t)(mark - at));
        if (!strncmp(mark, "<!--style", 9))
            tacho_str_puts(out, page->style);
        else if (!strncmp(mark, "<!--script", 10))
            tacho_str_puts(out, page->script);
        else if (!strncmp(mark, "<!--words", 9))
            put_data(out, report_words_json());
        else
            put_data(out, data);
        at = strstr(mark, "-->") + 3;
    }
    tacho_str_puts(out, at);
}
