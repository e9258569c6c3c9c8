/* causal.c - an experiment begins and ends with a visit of the progress point. Its time is that between these
 * by the clock of the thread that passes the point. */
#include "program/causal/causal.h"

#include <math.h>
#include <sys/prctl.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "base/proc.h"
#include "base/search.h"
#include "base/seconds.h"
#include "program/causal/causal_places.h"
#include "program/causal/delays.h"
#include "program/causal/causal_experiments.h"
#include "program/threads/thread_files.h"
#include "program/threads/threads.h"

enum {
    LEAST_VISITS = 8, /* of an experiment */
    LEAST_SAMPLES = 100,
    SLACK_NS = 1000
};
static const double first_after = 0.5, /* seconds: until then it is seen which places are hot */
    usual_length = 0.3, settling = 0.05, look_again = 0.05, most_look_again = 2, least_vain = 2,
                    vain_times = 10; /* ... the longest one */

struct causal {
    const char *progress;
    causal_places places;
    clocks clocks;
    delays delays;
    experiments experiments;
    double point_next, point_gap; /* when the progress point is looked for */
    uint64_t point;               /* 0: not found yet */
    double began;                 /* the first sample */
    bool under_way, counts;       /* an experiment is; its first visit has been */
    experiment now;
    double now_began, first, first_clock; /* first: visit */
    double longest;                       /* real seconds of an experiment */
    uint64_t visits;
    double sample_cost, visit_cost; /* seconds of a thread's time */
    double delayed;
    bool is_quick; /* this thread has been made so */
    tacho_causal result;
    char why[200];
};

causal *causal_new(const char *progress, const char *place)
{
    causal *c = tacho_mem_zalloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->progress = progress;
    c->places.asked = place;
    c->point_gap = look_again;
    c->clocks.processors = parallel_processors();
    c->experiments.random = (uint64_t)(seconds_now() * 1e9);
    return c;
}

void causal_free(causal *c)
{
    if (!c)
        return;
    causal_end(c);
    places_free_all(&c->places);
    clocks_free(&c->clocks);
    experiments_free(&c->experiments);
    tacho_mem_free(c);
}

void causal_costs(causal *c, double sample, double visit)
{
    c->sample_cost = sample;
    c->visit_cost = visit;
}

void causal_process(causal *c, pid_t pid, bool kept)
{
    places_begin(&c->places, (uint64_t)pid);
    if (kept)
        c->delays.kept = pid;
}

pid_t causal_find_point(causal *c, uint64_t *address)
{
    uint64_t pid = 0;
    if (c->point || seconds_now() < c->point_next)
        return 0;
    c->point = *address = places_point(&c->places, c->progress, &pid);
    c->point_gap = fmin(1.5 * c->point_gap, most_look_again);
    c->point_next = seconds_now() + c->point_gap;
    return c->point ? (pid_t)pid : 0;
}

/* ---- what happens ---- */

void causal_appears(causal *c, uint64_t pid, uint64_t tid, uint64_t parent, double time)
{
    clocks_appears(&c->clocks, pid, tid, parent, time);
}

void causal_ends(causal *c, uint64_t tid, double time)
{
    clocks_ends(&c->clocks, tid, time);
}

void causal_switched(causal *c, uint64_t pid, uint64_t tid, double time, bool out, bool preempted)
{
    if (out)
        clocks_leaves(&c->clocks, tid, time, preempted);
    else
        clocks_runs(&c->clocks, pid, tid, time);
}

void causal_sampled(causal *c, uint64_t pid, uint64_t tid, double time, uint64_t address, double seconds)
{
    const uint32_t place = places_of(&c->places, pid, address);
    c->began = c->began > 0 ? c->began : time;
    clocks_runs(&c->clocks, pid, tid, time);
    if (c->under_way && place == c->now.place)
        clocks_saves(&c->clocks, tid, c->now.less * fmax(seconds - c->sample_cost, 0));
    clocks_watched(&c->clocks, tid, c->sample_cost);
}

/* ---- experiments ---- */

static void begin(causal *c, double time)
{
    uint32_t hot[EXPERIMENT_PLACES];
    if (time - c->began < first_after || c->places.samples < LEAST_SAMPLES)
        return;
    if (!c->experiments.left)
        experiments_plan(&c->experiments, hot, places_hot(&c->places, hot, EXPERIMENT_PLACES));
    if (!c->experiments.left)
        return;
    c->now = c->experiments.round[--c->experiments.left];
    c->under_way = true;
    c->counts = false;
    c->now_began = time;
}

static void finish(causal *c, double clock, double time)
{
    c->now.seconds = clock - c->first_clock;
    experiments_add(&c->experiments, &c->now);
    c->longest = fmax(c->longest, time - c->now_began);
    c->delayed += c->clocks.most;
    c->under_way = false;
    clocks_begin(&c->clocks, time);
}

void causal_visited(causal *c, uint64_t tid, double time)
{
    const double clock = clocks_time(&c->clocks, tid, time);
    c->visits++;
    if (c->under_way && c->counts) {
        c->now.visits++;
        if (time - c->first >= usual_length && c->now.visits >= LEAST_VISITS)
            finish(c, clock, time);
    } else if (c->under_way && time - c->now_began >= settling) {
        c->counts = true;
        c->first = time;
        c->first_clock = clock;
    }
    if (!c->under_way && c->began > 0)
        begin(c, time);
    clocks_watched(&c->clocks, tid, c->visit_cost);
}

/* ---- delays ---- */

/* What a thread waits for that began to do so, and waits still. */
static void look_at_waits(causal *c)
{
    for (size_t i = 0; i < c->clocks.count; i++) {
        thread_clock *t = &c->clocks.list[i];
        if (t->state == CLOCK_WAITS && !t->seen) {
            t->seen = true;
            t->outside = thread_files_outside((pid_t)t->process, (pid_t)t->thread, t->outside);
        }
    }
}

static void be_quick(causal *c, bool quick)
{
    if (c->is_quick == quick)
        return;
    c->is_quick = quick;
    proc_be_quick(quick);
    prctl(PR_SET_TIMERSLACK, quick ? SLACK_NS : 0);
}

/* Where a thread is always in the place, which takes no time, the others stand until it ends. */
static void abandon(causal *c, double now)
{
    if (!c->under_way || now - c->now_began < fmax(least_vain, vain_times * c->longest))
        return;
    c->now.visits = 0;
    experiments_add(&c->experiments, &c->now);
    c->under_way = false;
    clocks_begin(&c->clocks, now);
}

double causal_turn(causal *c)
{
    abandon(c, seconds_now());
    be_quick(c, true);
    if (c->under_way)
        look_at_waits(c);
    return delays_turn(&c->delays, &c->clocks);
}

void causal_end(causal *c)
{
    c->under_way = false;
    delays_end(&c->delays, &c->clocks);
    be_quick(c, false);
}

/* ---- what comes of it ---- */

ORDER_AS(best_first, tacho_causal_place, ORDER(b->slope, a->slope) ?: ORDER(b->share, a->share));

static const char *why_nothing(causal *c)
{
    const char *asked = c->places.asked;
    if (!c->point)
        snprintf(c->why, sizeof c->why, "nothing that ran has a function or line '%.100s'", c->progress);
    else if (c->visits < 2)
        snprintf(c->why, sizeof c->why, "%.100s was passed %s", c->progress,
                 c->visits ? "but once" : "never");
    else if (c->delays.refused && !c->delays.count)
        snprintf(c->why, sizeof c->why, "threads may not be stopped: ptrace: %s", strerror(c->delays.error));
    else if (asked && !c->places.count)
        snprintf(c->why, sizeof c->why, "no sample fell into '%.100s'", asked);
    else
        snprintf(c->why, sizeof c->why,
                 "the run was too short for experiments: %.1f s at least of each, and %d visits of %.60s",
                 usual_length, LEAST_VISITS, c->progress);
    return c->why;
}

static bool judge_places(causal *c, tacho_causal_place *places)
{
    tacho_causal *r = &c->result;
    for (size_t i = 0; i < c->places.count; i++) {
        tacho_causal_place *p = &places[r->place_count];
        const causal_place *from = &c->places.list[i];
        *p = (tacho_causal_place){.object = from->where.object,
                                  .function = from->where.function,
                                  .source_file = from->where.source_file,
                                  .source_line = from->where.source_line,
                                  .share = (double)from->samples / (double)c->places.samples};
        if (!experiments_judge(&c->experiments, (uint32_t)i, &c->places.texts, p))
            return false;
        r->place_count += p->point_count > 0;
    }
    tacho_sort(places, r->place_count, sizeof *places, best_first);
    r->places = places;
    return true;
}

const tacho_causal *causal_result(causal *c)
{
    tacho_causal *r = &c->result;
    r->progress = c->progress;
    r->visits_per_second = experiments_base(&c->experiments, &r->base_experiments, &r->experiments);
    r->delays = c->delays.count;
    r->delayed = c->delayed;
    tacho_causal_place *places = arena_alloc(&c->places.texts, (c->places.count + 1) * sizeof *places);
    if (!places || !judge_places(c, places) || c->places.failed || c->clocks.failed || c->experiments.failed)
        return NULL;
    r->nothing = r->place_count ? NULL : why_nothing(c);
    return r;
}
