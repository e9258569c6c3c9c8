/* causes_internal.h - the log of steps, and what the files of single kinds share. */
#ifndef TACHO_WINDOWS_CAUSES_INTERNAL_H
#define TACHO_WINDOWS_CAUSES_INTERNAL_H

#include "base/hash_index.h"
#include "program/windows/causes.h"
#include "x86/decode/operations.h"

enum {
    LINE_BYTES = 64,
    PAGE_BYTES = 4096,
    LOG_MOST_STEPS = 4 << 20, /* 160 MB; what comes later is not looked at */
    LOG_STORES = 64           /* the last ones, to which loads are compared */
};

/* What was seen of a step. */
enum {
    SEEN_LINE_LOAD = 1 << 0,
    SEEN_LINE_STORE = 1 << 1,
    SEEN_PAGE_LOAD = 1 << 2,
    SEEN_PAGE_STORE = 1 << 3,
    SEEN_BLOCKED = 1 << 4, /* `other`: the store's site */
    SEEN_ALIASED = 1 << 5, /* the same */
    SEEN_VALUES = 1 << 6,  /* floating-point arithmetic, whose operands were looked at ... */
    SEEN_SUBNORMAL = 1 << 7,
    SEEN_OUTCOME = 1 << 8, /* a conditional branch, and what came next is known */
    SEEN_TAKEN = 1 << 9,
    SEEN_DEPENDENT = 1 << 10, /* the load's address comes from what it loaded before */
    SEEN_NEW_LOAD = 1 << 11,  /* its line was not accessed before in this window */
    SEEN_NEW_STORE = 1 << 12, /* the same */
};

typedef struct logged_step {
    uint64_t load, store; /* addresses of the first access of that kind; 0: none */
    uint8_t load_bytes, store_bytes;
    uint16_t seen;
    uint32_t site, other;
} logged_step;

typedef struct logged_window {
    uint64_t process, thread;
    double seconds, taken; /* when it began; how long it was, in which the program did next to nothing */
    size_t first, count;   /* steps */
} logged_window;

typedef struct recent_store {
    step_access access;
    uint64_t step;
    uint32_t site;
} recent_store;

/* A result that the next step shows. */
typedef struct awaited_result {
    bool waits;
    uint8_t kind, number;
    uint16_t bytes;
} awaited_result;

struct causes {
    cause_site *sites;
    float_arithmetic *notes; /* beside the sites */
    hash_index by_address;
    logged_step *steps;
    logged_window *windows;
    size_t site_count, site_capacity, notes_capacity, step_count, step_capacity, window_count,
        window_capacity;
    recent_store stores[LOG_STORES]; /* of this window */
    uint64_t store_count;
    awaited_result result;
    uint64_t last;       /* address of the last step */
    uint64_t loaded[16]; /* for each general register, the step after the load that its value comes from; 0 */
    bool open, failed, found;
    cause *list;
    size_t count, capacity;
};

/* What a whole log shows of all sites: appends to the list. `order`: numbers of steps by site, `from` and
 * `to` those of the site. @return false: memory ran out */
typedef struct site_steps {
    causes *c;
    uint32_t site;
    const uint32_t *order; /* numbers of its steps, ascending */
    size_t count;
    const uint32_t *window_of; /* the window of each step */
} site_steps;

bool causes_add(causes *c, const cause *one);
/* How often, with an interval for which windows are the units. Fills in executions, times, windows, share,
 * low, high. `counted` and `hits`: bits, one of which the step must have. */
void causes_count(const site_steps *s, unsigned counted, unsigned hits, cause *out);
/* The same of numbers of each window. */
typedef struct window_counts {
    double executions, times;
} window_counts;
void causes_interval(const window_counts *w, size_t count, cause *out);

/* causes_reach.c */
bool causes_mark_new_lines(causes *c);
bool causes_find_reach(const site_steps *s);
/* The others. */
bool causes_find_branches(causes *c, const uint32_t *window_of);
bool causes_find_shared(causes *c, const uint32_t *window_of);

#endif
