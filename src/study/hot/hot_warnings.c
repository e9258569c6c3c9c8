/* hot_warnings.c - sentences for people that go with a profile or its places. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "study/hot/hot_internal.h"

enum {
    MAX_WARNINGS = 20
};

int warnings_add(hot_warnings *w, const char *format, va_list args)
{
    char text[600];
    if (w->count == MAX_WARNINGS)
        return 0;
    tacho_vformat_fit(text, sizeof text, format, args);
    char *copy = tacho_mem_strndup(text, strlen(text));
    if (!copy || tacho_mem_grow(&w->list, &w->capacity, w->count + 1, sizeof *w->list)) {
        tacho_mem_free(copy);
        return TACHO_ERR_MEMORY;
    }
    w->list[w->count++] = copy;
    return 0;
}

void warnings_free(hot_warnings *w)
{
    for (size_t i = 0; i < w->count; i++)
        tacho_mem_free(w->list[i]);
    tacho_mem_free(w->list);
}
