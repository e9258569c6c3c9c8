/* learn_schedulers.c - how many µops wait for what they need, and whether those of general registers, of
 * addresses and of vectors wait in one place. */
#include <math.h>

#include "learn/experiments.h"
#include "learn/overlap.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* All wait for RAX or XMM0. */
static const char *const waiting_sums[] = {"lea rcx, [rax+rbx]"};
static const char *const plain_loads[] = {"mov rcx, [rax]"};
static const char *const waiting_loads[] = {"mov rcx, [rsi]"};
static const char *const sums_and_loads[] = {"lea rcx, [rax+rbx]", "mov rdx, [rax]"};
/* Where additions would take the ports of the chain shuffles hardly do. */
static const char *const shuffles[] = {"pshufd xmm1, xmm0, 0"};
static const char *const vectors[] = {"paddd xmm1, xmm0", "paddd xmm2, xmm0", "paddd xmm3, xmm0",
                                      "paddd xmm4, xmm0", "paddd xmm5, xmm0", "paddd xmm6, xmm0",
                                      "paddd xmm7, xmm0"};

enum {
    MOST = 320,
    VECTOR_LINKS = 24
};

/* Where the next chain can begin no more. */
typedef struct waiting {
    window sums, loads, both, late_loads, shuffles, vectors, vectors_in_order;
    double loads_a_cycle;
} waiting;

static void find_windows(lab *l, waiting *w)
{
    window_chain integer, vector;
    const window_spec specs[] = {
        {"additions that wait", "additions behind a chain of integers", &integer, NULL, waiting_sums,
         COUNT(waiting_sums), 0, MOST},
        {"loads that wait", "loads behind a chain of integers", &integer, NULL, plain_loads,
         COUNT(plain_loads), 0, MOST},
        {"additions and loads that wait", "additions and loads in turn behind a chain of integers", &integer,
         NULL, sums_and_loads, COUNT(sums_and_loads), 0, MOST},
        {"loads that wait for a store", "loads behind a chain of integers that is stored", &integer,
         "mov [rsi], rax", waiting_loads, COUNT(waiting_loads), 0, MOST},
        {"shuffles that wait", "shuffles behind a chain of integers", &integer, "movd xmm0, eax", shuffles,
         COUNT(shuffles), 0, MOST},
        {"vector µops that wait", "vector additions behind a chain of integers", &integer, "movd xmm0, eax",
         vectors, COUNT(vectors), 0, MOST},
        {"vector µops that wait before vectors", "vector additions behind a chain of vectors", &vector, NULL,
         vectors, COUNT(vectors), VECTOR_LINKS, MOST},
    };
    window *const found[] = {&w->sums,    &w->loads,           &w->both, &w->late_loads, &w->shuffles,
                             &w->vectors, &w->vectors_in_order};
    window_integer_chain(l, &integer);
    window_vector_chain(l, &vector);
    for (unsigned k = 0; k < COUNT(specs); k++)
        *found[k] = window_find(l, &specs[k]);
    w->loads_a_cycle = round(1 / lab_time_code(l, 96, plain_loads[0], IN_RAX));
}

/* µops that leave before the next link can enter, beside half a group; from simulated cores, whose sizes are
 * known. */
static const double LEAVING = 1.9;

/* One scheduler for all: as a µop leaves it its place is free some cycles later, in which a link of the chain
 * leaves. */
static int one_scheduler(lab *l, const waiting *w)
{
    static const char *const none[] = {
        "shared_scheduler_entries",       "alu_scheduler_entries",    "alu_scheduler_parts",
        "address_scheduler_entries",      "vector_scheduler_entries", "vector_release_cycles",
        "vector_store_scheduler_entries", "vector_quick_places",      "vector_queue_entries"};
    double width = round(w->loads.width + 0.5 * lab_number(l, "issue_width", 4) + LEAVING);
    lab_about(l, "rs_entries", width, fmax(1, w->sums.error));
    lab_about(l, "rs_alu_entries", width, fmax(1, w->sums.error));
    for (unsigned k = 0; k < COUNT(none); k++)
        lab_about(l, none[k], 0, 0);
    lab_found(l, "vector_second_ports", NAN, NAN, "-");
    const bool fewer = w->late_loads.jump && w->late_loads.width < 0.9 * width;
    return lab_about(l, "rs_address_entries", fewer ? w->late_loads.width : width, 1);
}

/* Of two schedulers of vectors, as the start may have them, each has half of the places. @return how many
 * wait in all; NaN: not known */
static double vector_schedulers(lab *l, const waiting *w, double group)
{
    const window *in_order = &w->vectors_in_order;
    /* the MOVD is a vector µop that waits, too */
    double all = fmax(w->vectors.width, w->shuffles.width) + group + 1;
    double width = round(in_order->jump ? in_order->width + VECTOR_LINKS - 3 : in_order->width);
    if (isnan(all) || isnan(width) || width > all) {
        lab_undecided(l, "vector_scheduler_entries", "no bend for vector µops that wait");
        lab_undecided(l, "vector_queue_entries", "no bend for vector µops that wait");
        return NAN;
    }
    const double schedulers = lab_number(l, "vector_second_ports", 0) > 0 ? 2 : 1;
    lab_about(l, "vector_scheduler_entries", floor(width / schedulers), in_order->jump ? 4 / schedulers : 1);
    lab_about(l, "vector_queue_entries", round(all - width), in_order->jump ? 4 : 1);
    return all;
}

static int several_schedulers(lab *l, const waiting *w)
{
    double width = lab_number(l, "issue_width", 4), group = width + lab_number(l, WINDOW_COUNTER, 1);
    double sums = round(w->sums.width + group), loads = w->loads.width + w->loads_a_cycle - 1;
    lab_about(l, "alu_scheduler_entries", sums, fmax(1, w->sums.error));
    lab_about(l, "address_scheduler_entries", loads, 1);
    if (w->both.width > 1.25 * fmax(w->sums.width, w->loads.width))
        lab_about(l, "shared_scheduler_entries", 0, 0);
    else
        lab_undecided(l, "shared_scheduler_entries",
                      "%.0f additions and loads wait: together in one place, or in several that they share",
                      w->both.width);
    const double in_vectors = vector_schedulers(l, w, width), sum = sums + loads + fmax(in_vectors, 0);
    lab_undecided(l, "vector_second_ports",
                  "two schedulers of vectors and one of as many places look alike here");
    /* of no account beside the others: as many as these hold */
    static const char *const all[] = {"rs_entries", "rs_alu_entries", "rs_address_entries"};
    for (unsigned k = 0; k < COUNT(all); k++)
        isnan(in_vectors) ? lab_at_least(l, all[k], sum, "%.0f without vectors", sum)
                          : lab_about(l, all[k], fmin(sum, 400), 2);
    return l->failed;
}

int learn_schedulers(lab *l)
{
    waiting w;
    find_windows(l, &w);
    double sums = w.sums.width, loads = w.loads.width;
    if (isnan(sums))
        return lab_undecided(l, "rs_entries", "no bend up to %d additions that wait", MOST);
    double near = 3 + 0.04 * sums;
    bool loads_alike = fabs(loads - sums) <= near && !w.loads.jump,
         vectors_alike = fabs(w.shuffles.width - sums) <= near || fabs(w.vectors.width - sums) <= near;
    if (loads_alike && vectors_alike)
        return one_scheduler(l, &w);
    if (isnan(loads) || loads_alike)
        return lab_undecided(l, "rs_entries",
                             "µops of general registers and loads wait in one scheduler (%.0f), "
                             "vectors in another: not known to the simulation",
                             sums);
    return several_schedulers(l, &w);
}
