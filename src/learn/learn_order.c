/* learn_order.c - forms by how often they occur in programs (data/frequency.txt). */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "learn/learn_forms.h"

extern const char frequency_text[];
extern const unsigned long frequency_text_size;

/* The name at the begin of the line at `at`, and its share; @return where the next line begins, 0 at the end
 */
static size_t next_name(size_t at, char *name, size_t size, double *share)
{
    const char *text = frequency_text;
    if (at >= frequency_text_size)
        return 0;
    size_t length = 0, line = at;
    while (line < frequency_text_size && text[line] != '\n')
        line++;
    while (at + length < line && text[at + length] != '\t')
        length++;
    *share = at + length < line ? strtod(text + at + length, NULL) : 0;
    length = length < size ? length : size - 1;
    memcpy(name, text + at, length);
    name[length] = '\0';
    return line + 1;
}

size_t learn_form_order(uint32_t *forms, size_t capacity)
{
    const uint32_t all = tacho_form_count();
    bool *taken = tacho_mem_zalloc(all, sizeof *taken);
    size_t n = 0;
    char name[128];
    double share;
    for (size_t at = 0; taken && (at = next_name(at, name, sizeof name, &share));) {
        uint32_t id;
        tacho_error err;
        if (*name == '#' || tacho_form_find(name, &id, &err) || taken[id])
            continue;
        taken[id] = true;
        if (n < capacity)
            forms[n] = id;
        n++;
    }
    for (uint32_t i = 0; i < all; i++)
        if (!taken || !taken[i]) {
            if (n < capacity)
                forms[n] = i;
            n++;
        }
    tacho_mem_free(taken);
    return n;
}

int learn_form_shares(const uint32_t *forms, size_t count, double *out, tacho_error *err)
{
    double *of = tacho_mem_zalloc(tacho_form_count() + 1, sizeof *of), share, sum = 0;
    char name[128];
    if (!of)
        return tacho_no_memory(err);
    for (size_t at = 0; (at = next_name(at, name, sizeof name, &share));) {
        uint32_t id;
        tacho_error none;
        if (*name != '#' && !tacho_form_find(name, &id, &none))
            of[id] = share;
    }
    for (size_t i = 0; i < count; i++)
        out[i] = sum += of[forms[i]];
    tacho_mem_free(of);
    return 0;
}
