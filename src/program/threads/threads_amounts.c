/* threads_amounts.c - seconds by place. */
#include "program/threads/threads_amounts.h"

#include "base/hash.h"
#include "base/str.h"

void amounts_add(amounts *a, uint32_t thing, uint32_t place, uint32_t wait, double seconds)
{
    const uint64_t hash = hash_add(hash_add(hash_mix(thing), place), wait);
    hash_probe p;
    for (p = hash_find(&a->index, hash); hash_next(&p);) {
        amount *it = &a->list[p.item];
        if (it->thing == thing && it->place == place && it->wait == wait) {
            it->seconds += seconds;
            return;
        }
    }
    if (tacho_mem_grow(&a->list, &a->capacity, a->count + 1, sizeof *a->list) ||
        hash_add_item(&a->index, hash, (uint32_t)a->count))
        a->failed = true;
    else
        a->list[a->count++] = (amount){thing, place, wait, seconds};
}

void amounts_free(amounts *a)
{
    hash_index_free(&a->index);
    tacho_mem_free(a->list);
}

void amounts_fill(tacho_thread_place *out, const log_place *place)
{
    out->object = place->object;
    out->address = place->address;
    out->function = place->function;
    out->source_file = place->source_file;
    out->source_line = place->source_line;
}

static bool belongs(const tacho_thread_place *a, const tacho_thread_place *b, bool functions)
{
    if (!tacho_same_text(a->object, b->object) || !tacho_same_text(a->call, b->call))
        return false;
    return functions && a->function ? tacho_same_text(a->function, b->function) : a->address == b->address;
}

/* Those that are not known last. */
ORDER_AS(longest_first, tacho_thread_place, ORDER(!a->object, !b->object) ?: ORDER(b->seconds, a->seconds));

/* Falling, so that a function's line is that of its longest place. */
static size_t merge(tacho_thread_place *list, size_t count, bool functions)
{
    size_t n = 0;
    tacho_sort(list, count, sizeof *list, longest_first);
    for (size_t i = 0; i < count; i++) {
        size_t k = 0;
        while (k < n && !belongs(&list[k], &list[i], functions))
            k++;
        if (k < n)
            list[k].seconds += list[i].seconds;
        else
            list[n++] = list[i];
    }
    tacho_sort(list, n, sizeof *list, longest_first);
    return n;
}

ORDER_BY_TWO(by_thing, amount, thing, place);

void amounts_sort(amounts *a)
{
    tacho_sort(a->list, a->count, sizeof *a->list, by_thing);
}

bool amounts_places(const amounts *a, const threads_log *l, uint32_t thing, bool functions, size_t most,
                    arena *memory, const tacho_thread_place **out, size_t *count)
{
    size_t from, end, n = 0;
    COUNT_BEFORE(from, a->count, a->list[from].thing < thing);
    COUNT_BEFORE(end, a->count, a->list[end].thing <= thing);
    tacho_thread_place *list = arena_alloc(memory, (end - from + 1) * sizeof *list);
    if (!list)
        return false;
    for (size_t i = from; i < end; i++) {
        const amount *it = &a->list[i];
        list[n] = (tacho_thread_place){.seconds = it->seconds,
                                       .call = it->wait == LOG_NONE ? NULL : l->waits[it->wait].call};
        if (it->place != LOG_NONE)
            amounts_fill(&list[n], &l->places[it->place]);
        n++;
    }
    n = merge(list, n, functions);
    *out = list;
    *count = n < most ? n : most;
    return true;
}
