/* causal_places.h - the places that samples fall into: functions of files, or the one that was asked for. */
#ifndef TACHO_CAUSAL_PLACES_H
#define TACHO_CAUSAL_PLACES_H

#include "program/threads/thread_stacks.h"

#define PLACE_NONE UINT32_MAX

typedef struct causal_place {
    log_place where; /* a function's beginning; of one without a name the file's */
    uint64_t samples;
} causal_place;

typedef struct placed_process {
    pid_t pid;
    thread_stacks *stacks;
} placed_process;

/* Start with {0} and what was asked for. */
typedef struct causal_places {
    const char *asked; /* NULL: all functions */
    causal_place *list;
    size_t count, capacity;
    placed_process *processes;
    size_t process_count, process_capacity;
    thread_code *code; /* of all */
    arena texts;
    uint64_t samples;
    bool failed; /* memory ran out */
} causal_places;

void places_free_all(causal_places *p);
/* A process is there, or executes another program. */
void places_begin(causal_places *p, uint64_t process);
/* Of a sample there, which is counted. PLACE_NONE: it is in none. */
uint32_t places_of(causal_places *p, uint64_t process, uint64_t address);
/* Those with many samples, most first. @return how many */
size_t places_hot(const causal_places *p, uint32_t *out, size_t most);
/* Where a point is, in the first of the processes that has it; 0: in none. */
uint64_t places_point(const causal_places *p, const char *text, uint64_t *process);

#endif
