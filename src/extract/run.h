/* run.h - the ways in which a run can be watched; run.c chooses one. */
#ifndef TACHO_EXTRACT_RUN_H
#define TACHO_EXTRACT_RUN_H

#include "extract/extract.h"

/** A run under way, to whoever waits for it. */
typedef struct run_watch {
    const tacho_extract_run_options *options;
    double started;
} run_watch;

/** Whether it is time to end the run: asks the caller, looks at the clock. */
bool run_is_over(run_watch *w, uint64_t stops);

/* ptrace.c */
int run_by_ptrace(extract_set *x, char *const argv[], run_watch *w, bool step, tacho_extract_run *out,
                  tacho_error *err);

/* valgrind.c */
bool run_has_valgrind(void);
int run_by_valgrind(extract_set *x, char *const argv[], run_watch *w, tacho_extract_run *out,
                    tacho_error *err);

#endif
