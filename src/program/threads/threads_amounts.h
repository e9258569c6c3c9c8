/* threads_amounts.h - seconds by place, for each of several things. */
#ifndef TACHO_THREADS_AMOUNTS_H
#define TACHO_THREADS_AMOUNTS_H

#include "base/mem.h"
#include "base/search.h"
#include "program/threads/threads_log.h"

typedef struct amount {
    uint32_t thing, place, wait; /* wait: in which a thread is there; LOG_NONE: it runs */
    double seconds;
} amount;

/* Start with {0}. */
typedef struct amounts {
    amount *list;
    size_t count, capacity;
    hash_index index;
    bool failed;
} amounts;

void amounts_add(amounts *a, uint32_t thing, uint32_t place, uint32_t wait, double seconds);
void amounts_free(amounts *a);
/* By things: after the last was added, before places are asked for. */
void amounts_sort(amounts *a);
/* The places of a thing, longest first, at most `most`; those of a function together where `functions`.
 * Places that are not known are one. @return false: memory ran out */
bool amounts_places(const amounts *a, const threads_log *l, uint32_t thing, bool functions, size_t most,
                    arena *memory, const tacho_thread_place **out, size_t *count);
void amounts_fill(tacho_thread_place *out, const log_place *place);

#endif
