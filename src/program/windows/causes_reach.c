/* causes_reach.c - where an instruction's accesses go: by a stride or not, and how much memory they come back
 * to, at least. A window is too short to see data that do not fit a cache; two windows some milliseconds
 * apart are not:
 *
 * - Accesses without a stride: if they went to N lines at random, D1 lines of one window and D2 of the other
 *   would have D1 D2 / N in common (capture and recapture; C. Petersen 1896). So few in common means many
 *   lines. N is at least the number for which so few would be a chance of 2.5 %. Where some lines are
 *   accessed more often than others, the true N is larger.
 * - A stride: how far the accesses of one window are from those of the other. They lie in one piece of memory
 *   if all windows together leave no large gap in it.
 *
 * Only windows of one thread count that are not further apart: data of a while ago may be other data, each of
 * which fits. Nor nearer: there is too little time to come back. */

#include "base/hash.h"
#include "base/mem.h"
#include "base/number.h"
#include "program/windows/causes_internal.h"

enum {
    LEAST_PAIRS = 5,        /* of windows */
    LEAST_NEW_LINES = 10,   /* that the instruction was the first to access */
    LEAST_BYTES = 16 << 10, /* all fits a first-level cache */
    MOST_PARTNERS = 4       /* earlier windows to which one is compared */
};

static const double least_apart = 1e-3, most_apart = 25e-3; /* seconds */

/* ---- lines that a window had not accessed before ---- */

enum {
    LINE_SET = 1 << 14 /* more than accesses in a window; else the rest counts as accessed */
};

typedef struct line_set {
    uint64_t lines[LINE_SET];
    uint32_t stamps[LINE_SET];
    uint32_t stamp, used;
} line_set;

static bool is_new(line_set *set, uint64_t line)
{
    size_t at = hash_mix(line) % LINE_SET;
    while (set->stamps[at] == set->stamp && set->lines[at] != line)
        at = (at + 1) % LINE_SET;
    if (set->stamps[at] == set->stamp || set->used >= LINE_SET / 2)
        return false;
    set->stamps[at] = set->stamp;
    set->lines[at] = line;
    set->used++;
    return true;
}

bool causes_mark_new_lines(causes *c)
{
    line_set *set = tacho_mem_zalloc(1, sizeof *set);
    if (!set)
        return false;
    for (size_t w = 0; w < c->window_count; w++) {
        set->stamp++;
        set->used = 0;
        for (size_t i = 0; i < c->windows[w].count; i++) {
            logged_step *l = &c->steps[c->windows[w].first + i];
            if (l->load_bytes && is_new(set, l->load / LINE_BYTES))
                l->seen |= SEEN_NEW_LOAD;
            if (l->store_bytes && is_new(set, l->store / LINE_BYTES))
                l->seen |= SEEN_NEW_STORE;
        }
    }
    tacho_mem_free(set);
    return true;
}

/* ---- strides ---- */

typedef struct accesses {
    const site_steps *s;
    bool stores;
    unsigned fresh; /* SEEN_NEW_LOAD, SEEN_NEW_STORE */
} accesses;

static uint64_t address_of(const accesses *a, size_t i)
{
    const logged_step *l = &a->s->c->steps[a->s->order[i]];
    return a->stores ? l->store : l->load;
}

static uint32_t window_at(const accesses *a, size_t i)
{
    return a->s->window_of[a->s->order[i]];
}

/* The distance from one execution to the next that is most usual, if nearly all are that. 0: there is none.
 */
static int64_t find_stride(const accesses *a)
{
    const double nearly_all = 0.8;
    int64_t stride = 0;
    size_t lead = 0, pairs = 0, same = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 1; i < a->s->count; i++) {
            if (window_at(a, i) != window_at(a, i - 1))
                continue;
            int64_t d = (int64_t)(address_of(a, i) - address_of(a, i - 1));
            if (!pass) {
                stride = lead ? stride : d;
                lead += d == stride ? 1 : (size_t)-1;
            }
            pairs += pass;
            same += pass && d == stride;
        }
    return (double)same >= nearly_all * (double)pairs ? stride : 0;
}

/* ---- pairs of windows ---- */

/* The part of the instruction's steps that is of one window. */
typedef struct part {
    size_t from, to;
    uint64_t lines; /* new ones */
} part;

static size_t parts_of(const accesses *a, part *out)
{
    size_t n = 0;
    for (size_t i = 0; i < a->s->count; i++) {
        if (!n || window_at(a, i) != window_at(a, i - 1))
            out[n++] = (part){.from = i};
        out[n - 1].to = i + 1;
        out[n - 1].lines += (a->s->c->steps[a->s->order[i]].seen & a->fresh) != 0;
    }
    return n;
}

static const logged_window *window_of(const accesses *a, const part *p)
{
    return &a->s->c->windows[window_at(a, p->from)];
}

/* From the end of the one to the begin of the other. */
static double seconds_apart(const accesses *a, const part *early, const part *late)
{
    const logged_window *x = window_of(a, early);
    return window_of(a, late)->seconds - x->seconds - x->taken;
}

static bool is_pair(const accesses *a, const part *early, const part *late)
{
    const logged_window *x = window_of(a, early), *y = window_of(a, late);
    double apart = seconds_apart(a, early, late);
    return x->process == y->process && x->thread == y->thread && apart >= least_apart && apart <= most_apart;
}

/* Lines that the later part accesses first and the whole window of the earlier one has accessed. */
static uint64_t common_lines(const accesses *a, line_set *set, const part *early, const part *late)
{
    const logged_window *w = window_of(a, early);
    uint64_t common = 0;
    set->stamp++;
    set->used = 0;
    for (size_t i = 0; i < w->count; i++) {
        const logged_step *l = &a->s->c->steps[w->first + i];
        if (l->load_bytes)
            is_new(set, l->load / LINE_BYTES);
        if (l->store_bytes)
            is_new(set, l->store / LINE_BYTES);
    }
    for (size_t i = late->from; i < late->to; i++)
        if (a->s->c->steps[a->s->order[i]].seen & a->fresh)
            common += !is_new(set, address_of(a, i) / LINE_BYTES);
    return common;
}

/* The most that a Poisson variable's mean can be, with 97.5 %, where `seen` were seen (E. Wilson, M. Hilferty
 * 1931). */
static double most_for(double seen)
{
    double n = seen + 1, root = 1 - 1 / (9 * n) + 1.959964 / (3 * sqrt(n));
    return n * root * root * root;
}

static double bytes_at_random(const accesses *a, const part *parts, size_t count, double *apart)
{
    double pairs = 0, expected = 0, common = 0;
    line_set *set = tacho_mem_zalloc(1, sizeof *set);
    for (size_t i = 0; set && i < count; i++)
        for (size_t k = i; k-- > 0 && i - k <= MOST_PARTNERS;) {
            if (!is_pair(a, &parts[k], &parts[i]))
                continue;
            pairs++;
            *apart = fmin(*apart, seconds_apart(a, &parts[k], &parts[i]));
            expected += (double)parts[i].lines * (double)parts[k].lines;
            common += (double)common_lines(a, set, &parts[k], &parts[i]);
        }
    a->s->c->failed |= !set;
    tacho_mem_free(set);
    return pairs < LEAST_PAIRS ? 0 : LINE_BYTES * expected / most_for(common);
}

/* The windows' places leave no gap of more than half of what they span. */
static bool is_one_piece(const accesses *a, const part *parts, size_t count, double *room)
{
    double gap = 0;
    for (size_t i = 0; i < count; i++)
        room[i] = (double)address_of(a, parts[i].from);
    numbers_sort(room, count);
    for (size_t i = 1; i < count; i++)
        gap = fmax(gap, room[i] - room[i - 1]);
    return gap <= (room[count - 1] - room[0]) / 2;
}

/* Half of all pairs are at least so far from each other. */
static double bytes_by_stride(const accesses *a, const part *parts, size_t count, double *apart)
{
    size_t pairs = 0;
    double *distances = tacho_mem_zalloc(count * MOST_PARTNERS + 1, sizeof *distances), out = 0;
    if (!distances) {
        a->s->c->failed = true;
        return 0;
    }
    bool one_piece = count > LEAST_PAIRS && is_one_piece(a, parts, count, distances);
    for (size_t i = 0; one_piece && i < count; i++)
        for (size_t k = i; k-- > 0 && i - k <= MOST_PARTNERS;) {
            if (!is_pair(a, &parts[k], &parts[i]))
                continue;
            *apart = fmin(*apart, seconds_apart(a, &parts[k], &parts[i]));
            distances[pairs++] =
                fabs((double)(int64_t)(address_of(a, parts[i].from) - address_of(a, parts[k].from)));
        }
    if (pairs >= LEAST_PAIRS)
        out = numbers_median(distances, pairs);
    tacho_mem_free(distances);
    return out;
}

static bool find_reach_of(const site_steps *s, bool stores)
{
    accesses a = {s, stores, stores ? SEEN_NEW_STORE : SEEN_NEW_LOAD};
    size_t fresh = 0, dependent = 0;
    for (size_t i = 0; i < s->count; i++) {
        fresh += (s->c->steps[s->order[i]].seen & a.fresh) != 0;
        dependent += (s->c->steps[s->order[i]].seen & SEEN_DEPENDENT) != 0;
    }
    if (fresh < LEAST_NEW_LINES)
        return true;
    part *parts = tacho_mem_zalloc(s->count, sizeof *parts);
    if (!parts)
        return false;
    size_t count = parts_of(&a, parts);
    cause one = {.kind = CAUSE_CACHE,
                 .site = s->site,
                 .other = CAUSES_NONE,
                 .is_store = stores,
                 .stride = find_stride(&a),
                 .reach_seconds = most_apart,
                 .dependent = !stores && 2 * dependent > s->count};
    one.walk = one.stride ? CAUSE_WALK_STRIDE : CAUSE_WALK_OTHER;
    double bytes = one.stride ? bytes_by_stride(&a, parts, count, &one.reach_seconds)
                              : bytes_at_random(&a, parts, count, &one.reach_seconds);
    tacho_mem_free(parts);
    one.least_bytes = bytes < 1e18 ? (uint64_t)bytes : 0;
    causes_count(s, 0, a.fresh, &one);
    return !s->c->failed && (one.least_bytes < LEAST_BYTES || causes_add(s->c, &one));
}

bool causes_find_reach(const site_steps *s)
{
    return find_reach_of(s, false) && find_reach_of(s, true);
}
