/* diff_threads.c - the change of elapsed time, as the threads of each kind spend it. Runs of a program have
 * threads of the same kinds, but not the same threads: what those of a kind do together is divided by how
 * many of them there are at once on average, so that one that lives all the time, and many that come one
 * after the other, are told of alike. */

#include "base/mem.h"
#include "base/search.h"
#include "base/str.h"
#include "program/hot/diff.h"

enum {
    SIDES = 2,
    MOST_ROLES = 64, /* from then on all are of one kind */
    MOST_NAME = 80
};

/* A kind of threads; what it does in the run that is looked at. */
typedef struct role {
    tacho_hot_role role;
    uint32_t number;
    double largest;        /* change of any of its parts */
    double life, from, to; /* seconds of all its threads; when the first and the last are there */
} role;

typedef struct elapsed {
    const tacho_hot_side *side[SIDES];
    size_t runs;
    role *roles[MOST_ROLES];
    uint32_t role_count;
    tacho_hot_change *list;
    size_t count, capacity;
    double *times; /* of change i: [2 * i * runs], of A, then of B */
    size_t times_capacity;
    arena *memory;
    bool failed;
} elapsed;

/* ---- kinds of threads ---- */

/* "worker-12" is "worker". */
static void plain_name(const char *name, char out[MOST_NAME])
{
    size_t n = strnlen(name, MOST_NAME - 1);
    while (n && strchr("0123456789-_/:#. ", name[n - 1]))
        n--;
    memcpy(out, name, n);
    out[n] = '\0';
}

static bool same_role(const tacho_hot_role *a, const tacho_hot_role *b)
{
    return a->first == b->first &&
           (a->first || (a->by_start == b->by_start && tacho_same_text(a->name, b->name)));
}

/* Threads have their process's name until they give themselves another. */
static role *role_of(elapsed *e, const tacho_hot_threads *all, const tacho_hot_thread *t)
{
    char name[MOST_NAME];
    tacho_hot_role r = {.first = t == all->threads && t->thread == t->process};
    plain_name(t->name, name);
    const bool unnamed = !strcmp(t->name, all->threads[0].name) || !*name;
    r.name = r.first ? NULL : !unnamed ? name : t->start ? diff_plain_name(e->memory, t->start) : NULL;
    r.by_start = unnamed && r.name;
    uint32_t i = 0;
    while (i < e->role_count && i + 1 < MOST_ROLES && !same_role(&e->roles[i]->role, &r))
        i++;
    if (i < e->role_count)
        return e->roles[i];
    role *new = arena_alloc(e->memory, sizeof *new);
    if (new &&r.name && !(r.name = arena_text(e->memory, r.name)))
        new = NULL;
    e->failed |= !new;
    if (!new)
        return NULL;
    new->role = r;
    new->number = e->role_count;
    return e->roles[e->role_count++] = new;
}

/* ---- parts ---- */

static bool same_makers(const tacho_thread_wait *a, const tacho_thread_wait *b)
{
    if (a->maker_count != b->maker_count)
        return false;
    for (size_t i = 0; i < a->maker_count; i++)
        if (!tacho_same_text(a->makers[i].function, b->makers[i].function))
            return false;
    return true;
}

/* Waits of different runs, whose addresses may differ. */
static bool same_wait(const tacho_thread_wait *a, const tacho_thread_wait *b)
{
    if (!a || !b)
        return a == b;
    if (a->kind != b->kind || !tacho_same_text(a->name, b->name))
        return false;
    return a->name ? a->offset == b->offset
                   : tacho_same_text(a->call, b->call) && !a->place_count == !b->place_count &&
                         (!a->place_count || tacho_same_text(a->places[0].function, b->places[0].function)) &&
                         same_makers(a, b);
}

/* The times of a part, which is new if need be. NULL: memory ran out */
static double *part_of(elapsed *e, const role *r, tacho_hot_part part, const tacho_thread_wait *wait)
{
    size_t i = 0;
    while (i < e->count &&
           !(e->list[i].role == &r->role && e->list[i].part == part && same_wait(e->list[i].wait, wait)))
        i++;
    if (i == e->count) {
        e->failed |=
            tacho_mem_grow(&e->list, &e->capacity, i + 1, sizeof *e->list) ||
            tacho_mem_grow(&e->times, &e->times_capacity, (i + 1) * SIDES * e->runs, sizeof *e->times);
        if (e->failed)
            return NULL;
        e->list[e->count++] =
            (tacho_hot_change){.part = part, .role = &r->role, .wait = wait, .likeness = NAN};
        memset(e->times + i * SIDES * e->runs, 0, SIDES * e->runs * sizeof *e->times);
    }
    return e->times + i * SIDES * e->runs;
}

static void add(elapsed *e, const role *r, tacho_hot_part part, const tacho_thread_wait *wait, size_t at,
                double seconds)
{
    const double at_once = r->to > r->from ? fmax(r->life / (r->to - r->from), 1) : 1;
    double *times = r && seconds != 0 ? part_of(e, r, part, wait) : NULL;
    if (times)
        times[at] += seconds / at_once;
}

/* `at`: the run, among those of both sides. */
static void add_run(elapsed *e, const tacho_hot_threads *t, size_t side, size_t at)
{
    role **of = tacho_mem_zalloc(t->thread_count, sizeof(role *));
    e->failed |= !of;
    for (uint32_t i = 0; i < e->role_count; i++)
        e->roles[i]->life = e->roles[i]->to = 0;
    for (size_t i = 0; i < t->thread_count && !e->failed; i++) {
        const tacho_hot_thread *one = &t->threads[i];
        role *r = of[i] = role_of(e, t, one);
        if (!r || !(one->to >= one->from))
            continue;
        r->from = r->life > 0 ? fmin(r->from, one->from) : one->from;
        r->to = fmax(r->to, one->to);
        r->life += one->to - one->from;
        r->role.threads[side] += 1 / (double)e->runs;
    }
    for (size_t i = 0; i < t->thread_count && !e->failed; i++) {
        add(e, of[i], TACHO_HOT_RUNS, NULL, at, t->threads[i].running - t->threads[i].spinning);
        add(e, of[i], TACHO_HOT_SPINS, NULL, at, t->threads[i].spinning);
        add(e, of[i], TACHO_HOT_READY, NULL, at, t->threads[i].ready);
    }
    for (size_t i = 0; i < t->wait_count && !e->failed; i++)
        for (size_t k = 0; k < t->waits[i].thread_count; k++)
            add(e, of[t->waits[i].waiters[k].thread], TACHO_HOT_WAITS, &t->waits[i], at,
                t->waits[i].waiters[k].seconds);
    tacho_mem_free(of);
}

/* What no part has: the whole of each run less all parts of the kind. */
static void add_absent(elapsed *e)
{
    const size_t parts = e->count, all = SIDES * e->runs;
    for (uint32_t i = 0; i < e->role_count; i++)
        for (size_t at = 0; at < all && !e->failed; at++) {
            double rest = e->side[at / e->runs]->threads[at % e->runs]->seconds;
            for (size_t k = 0; k < parts; k++)
                rest -= e->list[k].role == &e->roles[i]->role ? e->times[k * all + at] : 0;
            double *times = part_of(e, e->roles[i], TACHO_HOT_ABSENT, NULL);
            if (times)
                times[at] = rest;
        }
}

static const role *in(const tacho_hot_change *c)
{
    return (const role *)c->role;
}

/* Small waits of a kind of threads become one part. */
static void join_small(elapsed *e, double least)
{
    const size_t all = SIDES * e->runs, count = e->count;
    size_t n = 0;
    for (size_t i = 0; i < count && !e->failed; i++) {
        const tacho_hot_change c = e->list[i];
        double most = 0;
        for (size_t at = 0; at < all; at++)
            most = fmax(most, e->times[i * all + at]);
        if (c.part == TACHO_HOT_WAITS && c.wait && most < least) {
            double *rest = part_of(e, in(&c), TACHO_HOT_WAITS, NULL);
            for (size_t at = 0; rest && at < all; at++)
                rest[at] += e->times[i * all + at];
            e->list[i].role = NULL;
        }
    }
    for (size_t i = 0; i < e->count; i++)
        if (e->list[i].role) {
            e->list[n] = e->list[i];
            memmove(e->times + n++ * all, e->times + i * all, all * sizeof *e->times);
        }
    e->count = n;
}

/* ---- all of it ---- */

ORDER_AS(by_role, tacho_hot_change,
         ORDER(in(b)->largest, in(a)->largest) ?: ORDER(in(a)->number, in(b)->number)
             ?: ORDER(fabs(b->change.value), fabs(a->change.value)));

static void judge(elapsed *e, tacho_hot_diff *out, double *whole)
{
    for (size_t at = 0; at < SIDES * e->runs; at++)
        whole[at] = e->side[at / e->runs]->threads[at % e->runs]->seconds;
    diff_judge_whole(&out->elapsed, whole, whole + e->runs, e->runs);
    for (size_t i = 0; i < e->count; i++) {
        const double *times = e->times + i * SIDES * e->runs;
        role *r = e->roles[in(&e->list[i])->number];
        diff_judge_times(&e->list[i], times, times + e->runs, e->runs, NULL);
        r->largest = fmax(r->largest, fabs(e->list[i].change.value));
    }
    diff_judge_all(e->list, e->count, &out->elapsed);
    tacho_sort(e->list, e->count, sizeof *e->list, by_role);
}

int diff_threads(tacho_hot_diff *out, arena *memory, const tacho_hot_side *a, const tacho_hot_side *b,
                 double min_share)
{
    elapsed e = {.side = {a, b}, .runs = a->runs < b->runs ? a->runs : b->runs, .memory = memory};
    double *whole = a->threads && b->threads ? arena_alloc(memory, SIDES * e.runs * sizeof *whole) : NULL;
    if (!a->threads || !b->threads)
        return 0;
    for (size_t at = 0; whole && at < SIDES * e.runs && !e.failed; at++)
        add_run(&e, e.side[at / e.runs]->threads[at % e.runs], at / e.runs, at);
    join_small(&e, min_share * a->threads[0]->seconds);
    add_absent(&e);
    tacho_hot_change *list = arena_alloc(memory, (e.count + 1) * sizeof *list);
    e.failed |= !whole || !list;
    if (!e.failed) {
        judge(&e, out, whole);
        memcpy(list, e.list, e.count * sizeof *list);
        out->elapsed_changes = list;
        out->elapsed_count = e.count;
    }
    TACHO_MEM_FREE(e.list, e.times);
    return e.failed ? TACHO_ERR_MEMORY : 0;
}
