/* causes_shared.c - lines that two threads of a process write in turn. Windows of several threads take turns
 * by chance; so if the writers of a line change from window to window at least a quarter as often as chance
 * would have it, both write it all the time, and the line goes from one processor to the other. A line that
 * one thread has done with before the other begins (memory that is given on) changes its writer once. */
#include "base/mem.h"
#include "base/search.h"
#include "program/windows/causes_internal.h"

enum {
    LEAST_WINDOWS_EACH = 2,
    LEAST_CHANGES = 3,
    MOST_ENTRIES = 4096 /* of a line that are looked at */
};

/* What a window of one thread has written of a line. */
typedef struct written {
    uint64_t process, line, thread;
    uint64_t bytes; /* of the line: a bit each */
    uint32_t window, site;
    uint32_t times;
} written;

static int by_line(const void *a_, const void *b_)
{
    const written *a = a_, *b = b_;
    return ORDER(a->process, b->process) ?: ORDER(a->line, b->line) ?: ORDER(a->window, b->window) ?:
                                             ORDER(a->site, b->site);
}

static uint64_t bytes_of(uint64_t address, unsigned bytes)
{
    uint64_t from = address % LINE_BYTES, ones = bytes < 64 ? ((uint64_t)1 << bytes) - 1 : UINT64_MAX;
    return ones << from; /* what lies in the next line is left out */
}

static written *list_writes(causes *c, const uint32_t *window_of, size_t *count)
{
    size_t n = 0;
    for (size_t i = 0; i < c->step_count; i++)
        n += c->steps[i].store_bytes > 0;
    written *list = tacho_mem_zalloc(n + 1, sizeof *list);
    *count = 0;
    for (size_t i = 0; list && i < c->step_count; i++) {
        const logged_step *l = &c->steps[i];
        if (!l->store_bytes)
            continue;
        const logged_window *w = &c->windows[window_of[i]];
        list[(*count)++] = (written){.process = w->process,
                                     .line = l->store / LINE_BYTES,
                                     .thread = w->thread,
                                     .bytes = bytes_of(l->store, l->store_bytes),
                                     .window = window_of[i],
                                     .site = l->site,
                                     .times = 1};
    }
    return list;
}

/* One entry for each line, window and instruction. */
static size_t join(written *list, size_t count)
{
    size_t n = 0;
    tacho_sort(list, count, sizeof *list, by_line);
    for (size_t i = 0; i < count; i++) {
        if (n && !by_line(&list[n - 1], &list[i])) {
            list[n - 1].bytes |= list[i].bytes;
            list[n - 1].times++;
        } else {
            list[n++] = list[i];
        }
    }
    return n;
}

/* The thread that has written it in most windows, but not `except`. */
static uint64_t main_writer(const written *w, size_t count, uint64_t except, size_t *windows)
{
    uint64_t best = 0;
    *windows = 0;
    for (size_t i = 0; i < count; i++) {
        size_t n = 0;
        uint32_t last = CAUSES_NONE;
        if (w[i].thread == except || w[i].thread == best)
            continue;
        for (size_t k = 0; k < count; k++) {
            n += w[k].thread == w[i].thread && w[k].window != last;
            last = w[k].thread == w[i].thread ? w[k].window : last;
        }
        if (n > *windows) {
            *windows = n;
            best = w[i].thread;
        }
    }
    return best;
}

static size_t writer_changes(const written *w, size_t count, uint64_t a, uint64_t b)
{
    size_t changes = 0;
    uint64_t last = 0;
    for (size_t i = 0; i < count; i++) {
        if (w[i].thread != a && w[i].thread != b)
            continue;
        changes += last && last != w[i].thread;
        last = w[i].thread;
    }
    return changes;
}

/* The instruction by which a thread writes the line most often. */
static uint32_t main_site(const written *w, size_t count, uint64_t thread, uint64_t *bytes, uint64_t *times)
{
    uint32_t best = CAUSES_NONE;
    *bytes = *times = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t n = 0;
        if (w[i].thread != thread)
            continue;
        *bytes |= w[i].bytes;
        for (size_t k = 0; k < count; k++)
            n += w[k].thread == thread && w[k].site == w[i].site ? w[k].times : 0;
        if (n > *times) {
            *times = n;
            best = w[i].site;
        }
    }
    return best;
}

static bool add_writer(causes *c, cause one, const written *w, size_t count, uint64_t thread, uint64_t other)
{
    uint64_t bytes, times, unused;
    one.site = main_site(w, count, thread, &bytes, &times);
    one.other = main_site(w, count, other, &unused, &unused);
    one.other_thread = other;
    window_counts *counts = tacho_mem_zalloc(c->window_count + 1, sizeof *counts);
    if (!counts)
        return false;
    for (size_t i = 0; i < c->window_count; i++)
        for (size_t k = 0; c->windows[i].thread == thread && k < c->windows[i].count; k++) {
            const logged_step *l = &c->steps[c->windows[i].first + k];
            counts[i].executions += l->site == one.site;
            counts[i].times += l->site == one.site && l->store_bytes && l->store / LINE_BYTES == w->line;
        }
    causes_interval(counts, c->window_count, &one);
    tacho_mem_free(counts);
    return causes_add(c, &one);
}

static bool judge_line(causes *c, const written *w, size_t count)
{
    size_t a_windows, b_windows;
    uint64_t a = main_writer(w, count, 0, &a_windows), b = main_writer(w, count, a, &b_windows);
    if (b_windows < LEAST_WINDOWS_EACH)
        return true;
    double by_chance = 2.0 * (double)a_windows * (double)b_windows / (double)(a_windows + b_windows);
    size_t changes = writer_changes(w, count, a, b);
    if (changes < LEAST_CHANGES || (double)changes < by_chance / 4)
        return true;
    uint64_t a_bytes, b_bytes, times;
    main_site(w, count, a, &a_bytes, &times);
    main_site(w, count, b, &b_bytes, &times);
    cause one = {.kind = a_bytes & b_bytes ? CAUSE_TRUE_SHARING : CAUSE_FALSE_SHARING,
                 .is_store = true,
                 .process = w->process,
                 .data = w->line * LINE_BYTES + (uint64_t)__builtin_ctzll(a_bytes)};
    cause two = one;
    two.data = w->line * LINE_BYTES + (uint64_t)__builtin_ctzll(b_bytes);
    return add_writer(c, one, w, count, a, b) && add_writer(c, two, w, count, b, a);
}

bool causes_find_shared(causes *c, const uint32_t *window_of)
{
    size_t count;
    written *list = list_writes(c, window_of, &count);
    bool good = list != NULL;
    count = good ? join(list, count) : 0;
    for (size_t from = 0, to; good && from < count; from = to) {
        bool several = false;
        for (to = from;
             to < count && list[to].process == list[from].process && list[to].line == list[from].line; to++)
            several |= list[to].thread != list[from].thread;
        size_t looked_at = to - from < MOST_ENTRIES ? to - from : MOST_ENTRIES;
        good = !several || judge_line(c, list + from, looked_at);
    }
    tacho_mem_free(list);
    return good;
}
