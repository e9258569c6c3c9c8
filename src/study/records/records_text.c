/* records_text.c - what gcc prints with -fopt-info: "file:line:column: missed:   text". Other lines, such as
 * those of a whole build, are passed over. Lines do not say which pass they are of: of those that do not tell
 * by their words, reasons go with the decision before them. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "study/records/records.h"

enum {
    LONGEST = 4000
};

/* Cuts ":number" off the end. @return false: there is none */
static bool cut_number(char *text, uint32_t *out)
{
    char *colon = strrchr(text, ':'), *end;
    if (!colon || colon == text || colon[1] < '0' || colon[1] > '9')
        return false;
    unsigned long n = strtoul(colon + 1, &end, 10);
    if (*end || n > INT32_MAX)
        return false;
    *colon = '\0';
    *out = (uint32_t)n;
    return true;
}

static char *find_kind(char *line, tacho_remark_kind *kind)
{
    static const struct {
        const char *word;
        tacho_remark_kind kind;
    } kinds[] = {{": optimized: ", TACHO_REMARK_DONE}, {": missed: ", TACHO_REMARK_MISSED}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char *at = strstr(line, kinds[i].word);
        if (!at)
            continue;
        *at = '\0';
        *kind = kinds[i].kind;
        return at + strlen(kinds[i].word);
    }
    return NULL;
}

/* @return 1: it is none; -1: no memory */
static int take_line(records *r, char *line, int *last)
{
    tacho_remark x = {.file = line};
    char *text = find_kind(line, &x.kind);
    if (!text || !cut_number(line, &x.column) || !cut_number(line, &x.line))
        return 1;
    size_t length = strlen(text);
    const char *from = text;
    tacho_str_trim(&from, &length);
    text[from - text + (ptrdiff_t)length] = '\0';
    x.text = from;
    int about = records_about_text(from);
    bool is_reason = x.kind == TACHO_REMARK_MISSED && (about < 0 || !strncmp(from, "not vectorized", 14));
    *last = about < 0 ? *last : about;
    if (*last < 0)
        return 1;
    x.kind = is_reason ? TACHO_REMARK_REASON : x.kind;
    x.about = (tacho_remark_about)*last;
    return records_add(r, &x);
}

int records_text(records *r, const char *data, size_t size, tacho_error *err)
{
    char line[LONGEST];
    bool any = false;
    int last = -1;
    (void)err;
    for (const char *at = data, *end = data + size; at < end;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((stop ? stop : end) - at);
        if (length && length < sizeof line && !memchr(at, '\0', length)) {
            memcpy(line, at, length);
            line[length] = '\0';
            int rc = take_line(r, line, &last);
            if (rc < 0)
                return TACHO_ERR_MEMORY;
            any |= !rc;
        }
        at = stop ? stop + 1 : end;
    }
    return any ? 0 : 1;
}
