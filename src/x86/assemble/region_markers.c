/* region_markers.c - markers of regions in comments of assembly text. */
#include "x86/assemble/region_markers.h"

#include "x86/assemble/assembling.h"

static const struct {
    const char *word;
    bool begin;
} words[] = {{"LLVM-MCA-BEGIN", true}, {"LLVM-MCA-END", false}, {"OSACA-BEGIN", true}, {"OSACA-END", false}};

bool tacho_region_marker(const char *comment, const char *end, region_marker *out)
{
    const char *at = comment, *newline = memchr(at, '\n', (size_t)(end - at));
    end = newline ? newline : end;
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t n = strlen(words[i].word);
        if ((size_t)(end - at) < n || !tacho_str_same_n(at, words[i].word, n) ||
            (at + n < end && as_is_name(at[n])))
            continue;
        *out = (region_marker){words[i].begin, at + n, (size_t)(end - at) - n};
        const char *close = memmem(out->name, out->length, "*/", 2);
        if (close)
            out->length = (size_t)(close - out->name);
        tacho_str_trim(&out->name, &out->length);
        return true;
    }
    return false;
}

/* The last one of that name that is open; the count: none is. */
static size_t find_open(const region_list *list, const region_marker *m)
{
    size_t i = list->open_count;
    while (i-- > 0)
        if (list->open[i].length == m->length && !memcmp(list->open[i].name, m->name, m->length))
            return i;
    return list->open_count;
}

static region_step begin(region_list *list, const region_marker *m, bool is_open, size_t *number,
                         tacho_error *err)
{
    if (is_open) {
        tacho_error_set(err, TACHO_ERR_INPUT,
                        m->length ? "a region of this name is already open"
                                  : "regions that overlap must have names, and this one has none");
        return REGION_WRONG;
    }
    if (list->open_count == REGIONS_MOST_OPEN) {
        tacho_error_set(err, TACHO_ERR_LIMIT, "more than %d regions are open", (int)REGIONS_MOST_OPEN);
        return REGION_WRONG;
    }
    *number = list->count++;
    list->open[list->open_count].name = m->name;
    list->open[list->open_count].length = m->length;
    list->open[list->open_count++].number = *number;
    return REGION_BEGINS;
}

region_step tacho_region_step(region_list *list, const region_marker *m, size_t *number, tacho_error *err)
{
    size_t i = find_open(list, m);
    if (m->begin)
        return begin(list, m, i < list->open_count, number, err);
    if (!m->length && !list->count) {
        *number = list->count++;
        return REGION_ENDS_FIRST;
    }
    if (!m->length && list->open_count == 1)
        i = 0; /* an end without a name ends the only one that is open */
    if (i == list->open_count) {
        if (m->length)
            tacho_error_set(err, TACHO_ERR_INPUT, "this end marker closes no open region named '%.*s'",
                            (int)(m->length < 80 ? m->length : 80), m->name);
        else
            tacho_error_set(err, TACHO_ERR_INPUT,
                            list->open_count
                                ? "several regions are open: the end marker must name the one that ends"
                                : "this end marker has no begin marker");
        return REGION_WRONG;
    }
    *number = list->open[i].number;
    memmove(&list->open[i], &list->open[i + 1], (--list->open_count - i) * sizeof list->open[0]);
    return REGION_ENDS;
}
