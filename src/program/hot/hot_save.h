/* hot_save.h - keeps the records of a run in a file, as `perf record` does: perf_data.c reads it. */
#ifndef TACHO_HOT_SAVE_H
#define TACHO_HOT_SAVE_H

#include "program/hot/record.h"
#include "program/threads/threads_log.h"

/** Begins the file. @return 0, TACHO_ERR_INPUT: it cannot be written */
int save_open(FILE **out, const char *path, const struct perf_event_attr *a, tacho_error *err);
/** What code a process has mapped by now: records that came before the first one. */
void save_maps(FILE *f, pid_t pid, const struct perf_event_attr *a);
/** Completes and closes it. `log`: what was seen of threads, behind the records, where perf does not look;
 * NULL: nothing.
 *  @return 0, TACHO_ERR_INPUT: not all could be written */
int save_close(FILE *f, const char *path, const struct perf_event_attr *a, const threads_log *log,
               tacho_error *err);

#endif
