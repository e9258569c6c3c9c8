/* bench_list.c - from samples as files have them, one after the other, to benchmarks with their runs. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/search.h"
#include "study/import/bench_internal.h"

static const double shortest = 1e-15, longest = 1e12; /* seconds */

bench_entry *bench_entry_of(bench_list *l, const char *name, bool new_one)
{
    bench_entry *last = l->count ? &l->entries[l->count - 1] : NULL;
    if (!new_one && last && last->file == l->file && !strcmp(last->name, name))
        return last;
    const char *copy = arena_text(&l->memory, name);
    if (!copy || tacho_mem_grow(&l->entries, &l->capacity, l->count + 1, sizeof *l->entries))
        return NULL;
    l->entries[l->count] = (bench_entry){.name = copy, .file = l->file, .number = l->count};
    return &l->entries[l->count++];
}

int bench_add(bench_list *l, bench_entry *e, double seconds)
{
    if (!(seconds >= shortest && seconds <= longest)) {
        l->dropped++;
        return 0;
    }
    if (tacho_mem_grow(&e->seconds, &e->capacity, e->count + 1, sizeof *e->seconds))
        return -1;
    e->seconds[e->count++] = seconds;
    return 0;
}

int bench_trouble(bench_list *l, bench_entry *e, const char *format, ...)
{
    va_list args;
    if (e->trouble)
        return 0;
    va_start(args, format);
    e->trouble = arena_vformat(&l->memory, format, args);
    va_end(args);
    return e->trouble ? 0 : -1;
}

int bench_warn(bench_list *l, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int rc = warnings_add(&l->warnings, 0, format, args);
    va_end(args);
    return rc;
}

ORDER_AS(by_name_and_file, bench_entry,
         strcmp(a->name, b->name) ?: ORDER(a->file, b->file) ?: ORDER(a->number, b->number));

static bool of_one_benchmark(const bench_entry *a, const bench_entry *b)
{
    return !strcmp(a->name, b->name);
}

/* All entries from `first` on that are of the same benchmark become one. @return the next entry */
static const bench_entry *put_together(bench_list *l, const bench_entry *first, const bench_entry *end,
                                       size_t *used)
{
    tacho_benchmark *b = &l->benchmarks[l->out.count++];
    const bench_entry *e = first, *before = NULL;
    *b = (tacho_benchmark){.name = first->name, .seconds = l->seconds + *used, .runs = l->runs + *used};
    for (; e < end && of_one_benchmark(first, e); e++) {
        b->trouble = b->trouble ? b->trouble : e->trouble;
        if (!e->count)
            continue;
        b->run_count += !before || before->file != e->file;
        before = e;
        for (size_t i = 0; i < e->count; i++, b->count++, ++*used) {
            l->seconds[*used] = e->seconds[i];
            l->runs[*used] = b->run_count - 1;
        }
    }
    return e;
}

int bench_finish(bench_list *l)
{
    size_t samples = 0, used = 0;
    for (size_t i = 0; i < l->count; i++)
        samples += l->entries[i].count;
    l->benchmarks = tacho_mem_zalloc(l->count + 1, sizeof *l->benchmarks);
    l->seconds = tacho_mem_zalloc(samples + 1, sizeof *l->seconds);
    l->runs = tacho_mem_zalloc(samples + 1, sizeof *l->runs);
    if (!l->benchmarks || !l->seconds || !l->runs)
        return TACHO_ERR_MEMORY;
    if (l->dropped && bench_warn(l, "%zu value%s left out, as no time is 0, negative or beyond all bounds",
                                 l->dropped, l->dropped == 1 ? " was" : "s were"))
        return TACHO_ERR_MEMORY;
    tacho_sort(l->entries, l->count, sizeof *l->entries, by_name_and_file);
    for (size_t i = 0; i < l->count;)
        i = (size_t)(put_together(l, &l->entries[i], &l->entries[l->count], &used) - l->entries);
    l->out.list = l->benchmarks;
    l->out.warnings = l->warnings.list;
    l->out.warning_count = l->warnings.count;
    return 0;
}

void bench_list_free(bench_list *l)
{
    for (size_t i = 0; i < l->count; i++)
        tacho_mem_free(l->entries[i].seconds);
    TACHO_MEM_FREE(l->entries, l->benchmarks, l->seconds, l->runs);
    warnings_free(&l->warnings);
    arena_free(&l->memory);
    tacho_mem_free(l);
}
