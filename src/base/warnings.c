/* warnings.c - a list of sentences that grows. */
#include "base/warnings.h"

#include "base/mem.h"
#include "base/str.h"

int warnings_add(warnings *w, size_t most, const char *format, va_list args)
{
    char text[600];
    if (most && w->count == most)
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

void warnings_free(warnings *w)
{
    for (size_t i = 0; i < w->count; i++)
        tacho_mem_free(w->list[i]);
    tacho_mem_free(w->list);
}
