/* causes_branches.c - conditional branches that go both ways: how often would a predictor be wrong that has
 * all that the windows show to learn from?
 *
 * Each execution is predicted from what followed the same history elsewhere in the log (it is left out
 * itself): of the last branches of the window, or of this branch's own last outcomes, the longest history
 * first that was met another time (prediction by partial matching); or by how often in a row the branch went
 * its usual way the last time, for loops whose number of iterations is constant. For each branch that way
 * counts which is wrong least often. Only executions count of which the window shows how often the branch has
 * gone its usual way in a row by now, and some branches before: at a window's begin a processor knows more
 * than is known here. This underestimates rather than overestimates, as processors look further back than a
 * window. A pattern that comes again only after more than a window looks like chance. */
#include "base/hash.h"
#include "base/mem.h"
#include "base/search.h"
#include "program/windows/causes_internal.h"

enum {
    LEAST_EXECUTIONS = 30,
    LEAST_WINDOWS = 3,
    LEAST_BEHIND = 8, /* branches in the window before an execution that counts */
    RUN_UNKNOWN = 0xffffffff
};

/* An execution of the branch at hand. */
typedef struct execution {
    uint64_t key;
    uint64_t own;    /* its former outcomes in this window, the last one lowest */
    uint32_t number; /* of the execution */
    uint32_t window;
    uint32_t event;  /* its number among all branches of the log */
    uint32_t behind; /* branches before it in its window */
    uint32_t own_behind;
    uint32_t run; /* how often in a row it has gone its usual way; RUN_UNKNOWN: the row's begin is not seen */
    bool taken;
    int8_t guess; /* 1 taken, -1 not, 0 either */
} execution;

typedef struct branch_view {
    causes *c;
    const uint32_t *window_of;
    uint64_t *hashes; /* of all branches of the log up to this one, after it */
    uint32_t *behind; /* branches of its window before it */
    uint32_t *events; /* numbers of steps */
    size_t event_count;
    execution *executions;
    window_counts *counts;
    size_t count, taken;
    bool usual; /* taken */
    /* the best so far */
    cause best;
    bool any;
} branch_view;

ORDER_BY_TWO(by_key, execution, key, number);
ORDER_BY(by_number, execution, number);

/* ---- the stream of branches ---- */

static bool gather(branch_view *v)
{
    causes *c = v->c;
    size_t n = 0;
    for (size_t i = 0; i < c->step_count; i++)
        n += (c->steps[i].seen & SEEN_OUTCOME) != 0;
    v->event_count = n;
    v->hashes = tacho_mem_zalloc(n + 1, sizeof *v->hashes);
    v->behind = tacho_mem_zalloc(n + 1, sizeof *v->behind);
    v->events = tacho_mem_zalloc(n + 1, sizeof *v->events);
    v->executions = tacho_mem_zalloc(n + 1, sizeof *v->executions);
    v->counts = tacho_mem_zalloc(c->window_count + 1, sizeof *v->counts);
    if (!v->hashes || !v->behind || !v->events || !v->executions || !v->counts)
        return false;
    n = 0;
    for (size_t i = 0; i < c->step_count; i++) {
        const logged_step *l = &c->steps[i];
        if (!(l->seen & SEEN_OUTCOME))
            continue;
        bool first = !n || v->window_of[v->events[n - 1]] != v->window_of[i];
        v->events[n] = (uint32_t)i;
        v->behind[n] = first ? 0 : v->behind[n - 1] + 1;
        v->hashes[n + 1] =
            v->hashes[n] * HASH_MULTIPLIER + hash_mix(l->site * 2ull + ((l->seen & SEEN_TAKEN) != 0));
        n++;
    }
    return true;
}

static void take_site(branch_view *v, const uint32_t *events, size_t count)
{
    v->count = count;
    v->taken = 0;
    for (size_t i = 0; i < count; i++) {
        execution *e = &v->executions[i];
        uint32_t at = events[i], number = v->events[at], window = v->window_of[number];
        const execution *former = i && v->executions[i - 1].window == window ? &v->executions[i - 1] : NULL;
        *e = (execution){.number = (uint32_t)i,
                         .window = window,
                         .event = at,
                         .behind = v->behind[at],
                         .own = former ? former->own << 1 | former->taken : 0,
                         .own_behind = former ? former->own_behind + 1 : 0,
                         .taken = (v->c->steps[number].seen & SEEN_TAKEN) != 0};
        v->taken += e->taken;
    }
    v->usual = 2 * v->taken >= count;
    for (size_t i = 0; i < count; i++) {
        execution *e = &v->executions[i];
        const execution *former =
            i && v->executions[i - 1].window == e->window ? &v->executions[i - 1] : NULL;
        e->run = !former                      ? RUN_UNKNOWN
                 : former->taken != v->usual  ? 0
                 : former->run == RUN_UNKNOWN ? RUN_UNKNOWN
                                              : former->run + 1;
    }
}

/* ---- its history ---- */

/* The guesses for executions whose history was met another time. */
static void guess_by_keys(branch_view *v, bool own, uint32_t length)
{
    tacho_sort(v->executions, v->count, sizeof *v->executions, by_key);
    for (size_t from = 0, to; from < v->count; from = to) {
        int64_t taken = 0;
        for (to = from; to < v->count && v->executions[to].key == v->executions[from].key; to++)
            taken += v->executions[to].taken;
        for (size_t i = from; i < to && to - from > 1; i++) {
            execution *e = &v->executions[i];
            if ((own ? e->own_behind : e->behind) < length)
                continue;
            int64_t others = (int64_t)(to - from) - 1, theirs = taken - e->taken;
            e->guess = (int8_t)ORDER(2 * theirs, others);
        }
    }
    tacho_sort(v->executions, v->count, sizeof *v->executions, by_number);
}

static bool has_history(const execution *e, bool own, uint32_t length)
{
    return (own ? e->own_behind : e->behind) >= length;
}

/* Of the executions with such a history, how many are predicted wrongly? The best kind of history is kept. */
static void judge(branch_view *v, bool own, uint32_t length)
{
    size_t windows = 0;
    cause one = v->best;
    double executions = 0;
    uint32_t last = CAUSES_NONE;
    for (size_t i = 0; i < v->count; i++) {
        const execution *e = &v->executions[i];
        if (e->run == RUN_UNKNOWN || e->behind < LEAST_BEHIND || !has_history(e, own, length))
            continue;
        if (e->window != last)
            v->counts[windows++] = (window_counts){0, 0};
        last = e->window;
        v->counts[windows - 1].executions++;
        v->counts[windows - 1].times += e->guess == 0 ? 0.5 : (e->guess > 0) != e->taken;
        executions++;
    }
    if (executions < LEAST_EXECUTIONS || windows < LEAST_WINDOWS)
        return;
    causes_interval(v->counts, windows, &one);
    if (!v->any || one.low < v->best.low || (one.low <= v->best.low && one.share < v->best.share))
        v->best = one;
    v->any = true;
}

static void judge_histories(branch_view *v, bool own, uint32_t most)
{
    uint64_t power = HASH_MULTIPLIER;
    for (size_t i = 0; i < v->count; i++)
        v->executions[i].guess = 0;
    for (uint32_t length = 0; length <= most; length = length ? 2 * length : 1) {
        for (size_t i = 0; i < v->count; i++) {
            execution *e = &v->executions[i];
            const uint64_t *h = &v->hashes[e->event]; /* up to the branch before */
            uint64_t bits = length < 64 ? ((uint64_t)1 << length) - 1 : UINT64_MAX;
            bool enough = has_history(e, own, length);
            e->key = !length   ? 0
                     : !enough ? hash_mix(i)
                     : own     ? e->own & bits
                               : *h - h[-(long)length] * power;
        }
        guess_by_keys(v, own, length);
        judge(v, own, length);
        power *= length ? power : 1;
    }
}

/* ---- constant numbers of iterations ---- */

/* It goes its usual way as often in a row as the last time, be that in a window before. */
static void judge_runs(branch_view *v)
{
    uint32_t former = RUN_UNKNOWN;
    for (size_t i = 0; i < v->count; i++) {
        execution *e = &v->executions[i];
        bool ends = e->run != RUN_UNKNOWN && e->run == former;
        e->guess = v->usual != ends ? 1 : -1;
        former = e->taken != v->usual && e->run != RUN_UNKNOWN ? e->run : former;
    }
    judge(v, false, 0);
}

static bool add_branch(branch_view *v, uint32_t site)
{
    enum {
        OWN_MOST = 32,
        ALL_MOST = 64
    };
    if (!v->taken || v->taken == v->count)
        return true;
    v->any = false;
    v->best = (cause){.kind = CAUSE_MISPREDICTION,
                      .site = site,
                      .other = CAUSES_NONE,
                      .taken = (double)v->taken / (double)v->count};
    judge_runs(v);
    judge_histories(v, false, ALL_MOST);
    judge_histories(v, true, OWN_MOST);
    return !v->any || !v->best.times || causes_add(v->c, &v->best);
}

bool causes_find_branches(causes *c, const uint32_t *window_of)
{
    branch_view v = {.c = c, .window_of = window_of};
    uint32_t *from = tacho_mem_zalloc(c->site_count + 2, sizeof *from), *list = NULL;
    bool good = from && gather(&v);
    list = good ? tacho_mem_zalloc(v.event_count + 1, sizeof *list) : NULL;
    good &= list != NULL;
    for (size_t i = 0; good && i < v.event_count; i++)
        from[c->steps[v.events[i]].site + 2]++;
    for (size_t i = 2; good && i < c->site_count + 2; i++)
        from[i] += from[i - 1];
    for (size_t i = 0; good && i < v.event_count; i++)
        list[from[c->steps[v.events[i]].site + 1]++] = (uint32_t)i;
    for (uint32_t s = 0; good && s < c->site_count; s++) {
        take_site(&v, list + from[s], from[s + 1] - from[s]);
        good = add_branch(&v, s);
    }
    TACHO_MEM_FREE(from, list, v.hashes, v.behind, v.events, v.executions, v.counts);
    return good;
}
