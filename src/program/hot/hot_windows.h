/* hot_windows.h - windows that are taken of a program while it is sampled: when, of which thread, and who is
 * told of them. */
#ifndef TACHO_HOT_WINDOWS_H
#define TACHO_HOT_WINDOWS_H

#include "program/hot/hot_internal.h"
#include "program/windows/causes.h"
#include "program/windows/windows.h"

typedef struct tacho_hot_windows hot_windows;

/** `share`: of the run's time that all windows together may take. @return NULL: memory ran out */
hot_windows *hot_windows_new(double share);
void hot_windows_free(hot_windows *h);

/* With perf_event: a thread of its own takes windows of threads that had samples. */

/** The thread had a sample just now. `h` may be NULL. */
void hot_windows_sampled(hot_windows *h, uint64_t process, uint64_t thread);
/** Begins to take windows of the process and what it starts. `is_child`: it is the caller's. Where there is
 *  no thread to be had there are no windows. */
void hot_windows_begin(hot_windows *h, pid_t root, bool is_child);
/** Ends that; waits for the window that is being taken. */
void hot_windows_end(hot_windows *h);

/* With ptrace: the thread that traces all takes them. */

/** Takes a window of a thread that stands, if it is time for one; t->most is chosen here. *signal as
 *  windows_walk has it. @return whether the thread stands */
bool hot_windows_stopped(hot_windows *h, walk_thread *t, int *signal);

/* What has come of it. */

/** Fills in what the profile says of windows, and ends what takes them. */
void hot_windows_finish(hot_windows *h, hot_tally *b);
/** The profile's object that the windows' object is; NULL: it has no samples. After tally_finish. */
const tacho_hot_object *hot_windows_object(const tacho_hot_profile *p, uint32_t object);

/** The lines that were watched; NULL and 0: none. `object` as of hot_windows_object. */
const struct watched_line *hot_windows_watched(const tacho_hot_profile *p, size_t *count);

/* hot_observers.c: those who are told of all windows. A further one is made, freed and read there. */
typedef struct hot_observers hot_observers;
/** @return NULL: memory ran out */
hot_observers *hot_observers_new(windows *w);
void hot_observers_free(hot_observers *o);
/** What no prediction sees (hot_causes.c). */
causes *hot_observers_causes(hot_observers *o);
/** The observers of a profile's windows; NULL: there were no windows. */
hot_observers *hot_windows_observers(const tacho_hot_profile *p);

#endif
