/* hot_watch.h - watchpoints: how long it takes until a line that a thread has touched is touched again. */
#ifndef TACHO_HOT_WATCH_H
#define TACHO_HOT_WATCH_H

#include "program/hot/reuse_distances.h"
#include "program/windows/windows.h"

enum {
    WATCH_LOOK_STEPS = 12, /* of a look, at most */
    WATCH_GAPS = 4
};

/** A line of which a word was watched. */
typedef struct watched_line {
    uint64_t offset; /* of the instruction that touched it, as steps have it */
    uint32_t object;
    bool store; /* it does not load */
    /* Seconds of the thread on a processor: until the first touch of the word, from that to the second, to
     * the third, to the fifth; 0: at once, as within a few iterations. The first of them that it was not
     * touched in is the last that means something. */
    reuse_wait gaps[WATCH_GAPS];
} watched_line;

/** All calls from one thread. */
typedef struct hot_watch hot_watch;

/** @return NULL: memory ran out */
hot_watch *hot_watch_new(void);
void hot_watch_free(hot_watch *w);
/** One access in a look is chosen, and its word watched from the end of the look on. */
windows_look hot_watch_look(hot_watch *w);
/** Ends that, if something is watched: before the next look, before a window, at the end. */
void hot_watch_collect(hot_watch *w);
/** Why nothing can be watched: an errno, 0. */
int hot_watch_error(const hot_watch *w);
/** Seconds that a watched line takes of the thread, at most. */
double hot_watch_cost(const hot_watch *w);
const watched_line *hot_watch_lines(const hot_watch *w, size_t *count);

#endif
