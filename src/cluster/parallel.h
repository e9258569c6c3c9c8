/* parallel.h - numbered pieces of work on several threads. */
#ifndef TACHO_CLUSTER_PARALLEL_H
#define TACHO_CLUSTER_PARALLEL_H

#include <stddef.h>

/* Calls work(payload, i) once for each i below `pieces`, on up to `threads` threads, the caller's among them;
 * which thread does which is left to chance, so that a piece should write only what is its own. Where no
 * further thread can be had, those that there are do all. */
void parallel_run(unsigned threads, size_t pieces, void (*work)(void *payload, size_t piece), void *payload);

#endif
