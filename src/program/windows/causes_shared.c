/* causes_shared.c - lines that one thread of a process writes and another one writes or reads in turn.
 * Windows of several threads take turns by chance; so if the users of a line change from window to window at
 * least a quarter as often as chance would have it, both use it all the time, and the line goes from one
 * processor to the other. A line that one thread has done with before the other begins (memory that is given
 * on) changes its user once. */
#include <math.h>

#include "base/mem.h"
#include "base/search.h"
#include "program/windows/causes_internal.h"

enum {
    LEAST_WINDOWS_EACH = 2,
    LEAST_CHANGES = 3,
    MOST_ENTRIES = 4096 /* of a line that are looked at */
};

/* What an instruction has done to a line in a window of one thread. */
typedef struct used {
    uint64_t process, line, thread;
    uint64_t written, read; /* bytes of the line: a bit each */
    uint32_t window, site;
    uint32_t times;
} used;

ORDER_AS(by_line, used, ORDER(a->process, b->process) ?: ORDER(a->line, b->line));
ORDER_AS(by_use, used, by_line(a, b) ?: ORDER(a->window, b->window) ?: ORDER(a->site, b->site));

static uint64_t bytes_of(uint64_t address, unsigned bytes)
{
    uint64_t from = address % LINE_BYTES, ones = bytes < 64 ? ((uint64_t)1 << bytes) - 1 : UINT64_MAX;
    return ones << from; /* what lies in the next line is left out */
}

/* The loads, or the stores, of all steps; of loads those of lines that are written, which are sorted. @return
 * how many */
static size_t list_uses(const causes *c, const uint32_t *window_of, bool stores, used *out,
                        const used *writes, size_t write_count)
{
    size_t n = 0;
    for (size_t i = 0; i < c->step_count; i++) {
        const logged_step *l = &c->steps[i];
        const logged_window *w = &c->windows[window_of[i]];
        const uint64_t address = stores ? l->store : l->load;
        const uint64_t bytes = bytes_of(address, stores ? l->store_bytes : l->load_bytes);
        used one = {.process = w->process,
                    .line = address / LINE_BYTES,
                    .thread = w->thread,
                    .window = window_of[i],
                    .site = l->site,
                    .times = 1};
        *(stores ? &one.written : &one.read) = bytes;
        if (bytes && (stores || tacho_find_sorted(&one, writes, write_count, sizeof one, by_line)))
            out[n++] = one;
    }
    return n;
}

/* One entry for each line, window and instruction. */
static size_t join(used *list, size_t count)
{
    size_t n = 0;
    tacho_sort(list, count, sizeof *list, by_use);
    for (size_t i = 0; i < count; i++) {
        if (n && !by_use(&list[n - 1], &list[i])) {
            list[n - 1].written |= list[i].written;
            list[n - 1].read |= list[i].read;
            list[n - 1].times++;
        } else {
            list[n++] = list[i];
        }
    }
    return n;
}

/* A thread that uses a line, in the way that is looked at. */
typedef struct line_user {
    uint64_t thread;
    bool reads; /* ... it only */
    size_t windows;
} line_user;

static uint64_t bytes_by(const used *w, const line_user *u)
{
    return w->thread != u->thread ? 0 : u->reads ? w->read : w->written;
}

/* The thread that does so in most windows, but not `except`. */
static line_user main_user(const used *w, size_t count, bool reads, uint64_t except)
{
    line_user best = {.thread = 0};
    for (size_t i = 0; i < count; i++) {
        line_user u = {w[i].thread, reads, 0};
        uint32_t last = CAUSES_NONE;
        if (u.thread == except || u.thread == best.thread)
            continue;
        for (size_t k = 0; k < count; k++)
            if (bytes_by(&w[k], &u)) {
                u.windows += w[k].window != last;
                last = w[k].window;
            }
        best = u.windows > best.windows ? u : best;
    }
    return best;
}

static size_t user_changes(const used *w, size_t count, const line_user *a, const line_user *b)
{
    size_t changes = 0;
    uint64_t last = 0;
    for (size_t i = 0; i < count; i++) {
        if (!bytes_by(&w[i], a) && !bytes_by(&w[i], b))
            continue;
        changes += last && last != w[i].thread;
        last = w[i].thread;
    }
    return changes;
}

/* The instruction by which a thread uses the line most often, and all bytes that it uses. */
static uint32_t main_site(const used *w, size_t count, const line_user *u, uint64_t *bytes)
{
    uint32_t best = CAUSES_NONE;
    uint64_t most = 0;
    *bytes = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t n = 0;
        *bytes |= bytes_by(&w[i], u);
        for (size_t k = 0; bytes_by(&w[i], u) && k < count; k++)
            n += bytes_by(&w[k], u) && w[k].site == w[i].site ? w[k].times : 0;
        best = n > most ? w[i].site : best;
        most = n > most ? n : most;
    }
    return best;
}

/* How many instructions of a thread use the line, of those at a site (CAUSES_NONE: of all). `each`: NULL, or
 * for windows apart. */
static window_counts count_uses(const causes *c, uint64_t line, const line_user *u, uint32_t site,
                                window_counts *each)
{
    window_counts all = {0};
    for (size_t i = 0; i < c->window_count; i++) {
        window_counts n = {0};
        for (size_t k = 0; c->windows[i].thread == u->thread && k < c->windows[i].count; k++) {
            const logged_step *l = &c->steps[c->windows[i].first + k];
            if (site != CAUSES_NONE && l->site != site)
                continue;
            n.executions++;
            n.times += u->reads ? l->load_bytes && l->load / LINE_BYTES == line
                                : l->store_bytes && l->store / LINE_BYTES == line;
        }
        if (each)
            each[i] = n;
        all.executions += n.executions;
        all.times += n.times;
    }
    return all;
}

/* Where one of two only reads, the line goes over no more often than the one who uses it less often does so.
 */
static double share_that_goes(const causes *c, uint64_t line, const line_user *u, const line_user *other)
{
    const window_counts own = count_uses(c, line, u, CAUSES_NONE, NULL),
                        others = count_uses(c, line, other, CAUSES_NONE, NULL);
    return u->reads || other->reads ? fmin(1, others.times / others.executions * own.executions / own.times)
                                    : 1;
}

static bool add_user(causes *c, cause one, const used *w, size_t count, const line_user *u,
                     const line_user *other)
{
    uint64_t bytes, unused;
    one.site = main_site(w, count, u, &bytes);
    one.other = main_site(w, count, other, &unused);
    one.other_thread = other->thread;
    one.is_store = !u->reads;
    one.data = w->line * LINE_BYTES + (uint64_t)__builtin_ctzll(bytes);
    window_counts *counts = tacho_mem_zalloc(c->window_count + 1, sizeof *counts);
    if (!counts)
        return false;
    count_uses(c, w->line, u, one.site, counts);
    causes_interval(counts, c->window_count, &one);
    tacho_mem_free(counts);
    const double share = share_that_goes(c, w->line, u, other);
    one.share *= share;
    one.low *= share;
    one.high *= share;
    return causes_add(c, &one);
}

static bool judge_line(causes *c, const used *w, size_t count)
{
    const line_user a = main_user(w, count, false, 0);
    line_user b = main_user(w, count, false, a.thread);
    if (b.windows < LEAST_WINDOWS_EACH)
        b = main_user(w, count, true, a.thread);
    if (a.windows < LEAST_WINDOWS_EACH || b.windows < LEAST_WINDOWS_EACH)
        return true;
    double by_chance = 2.0 * (double)a.windows * (double)b.windows / (double)(a.windows + b.windows);
    size_t changes = user_changes(w, count, &a, &b);
    if (changes < LEAST_CHANGES || (double)changes < by_chance / 4)
        return true;
    uint64_t a_bytes, b_bytes;
    main_site(w, count, &a, &a_bytes);
    main_site(w, count, &b, &b_bytes);
    const cause one = {.kind = a_bytes & b_bytes ? CAUSE_TRUE_SHARING : CAUSE_FALSE_SHARING,
                       .one_way = b.reads,
                       .process = w->process};
    return add_user(c, one, w, count, &a, &b) && add_user(c, one, w, count, &b, &a);
}

bool causes_find_shared(causes *c, const uint32_t *window_of)
{
    used *list = tacho_mem_zalloc(2 * c->step_count + 1, sizeof *list);
    bool good = list != NULL;
    size_t count = good ? join(list, list_uses(c, window_of, true, list, NULL, 0)) : 0;
    if (good)
        count = join(list, count + list_uses(c, window_of, false, list + count, list, count));
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
