/* hot_causal.h - what a program would gain if a place in it took less time
 * (tacho_hot_options.progress_point): causal profiling (Curtsinger, Berger: Coz, SOSP 2015), from outside of
 * the program. While it runs, the place is made faster in appearance, as all other threads are delayed by
 * what it would save; how often a point of progress is passed then says what that is worth. Part of hot.h,
 * which includes it.
 *
 * Tools: may change with each minor version. */
#ifndef TACHO_HOT_CAUSAL_H
#define TACHO_HOT_CAUSAL_H

#include <stdint.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The gain where a place takes so much less time. */
typedef struct tacho_causal_point {
    double less;      /**< share of the place's time that is saved: up to 1 */
    double gain;      /**< share of the time from visit to visit that is saved; below 0: it takes longer */
    double low, high; /**< its 95 % interval (bootstrap of experiments); NaN: of too few */
    uint32_t experiments; /**< at least 1 */
    uint64_t visits;      /**< of the progress point, in them */
} tacho_causal_point;

typedef struct tacho_causal_place {
    const char *object;      /**< the file's path */
    const char *function;    /**< NULL: not known; all of the file's code without names */
    const char *source_file; /**< NULL: not known */
    uint32_t source_line;    /**< where the function begins, or the line that was asked for; 0: not known */
    double share;            /**< of all samples */
    const tacho_causal_point *points; /**< by `less` */
    size_t point_count;
    double slope; /**< gain for each part of its time that is saved: of a line through the points and 0 */
} tacho_causal_place;

typedef struct tacho_causal {
    const char *progress;      /**< the point, as it was asked for */
    double visits_per_second;  /**< in experiments in which nothing was changed; NaN: there were none */
    uint32_t base_experiments; /**< these */
    uint32_t experiments;      /**< all others */
    uint64_t delays;           /**< times that a thread was stopped */
    double delayed;            /**< seconds by which the program was held up in experiments */
    const tacho_causal_place *places; /**< greatest slope first */
    size_t place_count;
    const char *nothing; /**< why there are no places, a sentence without its full stop; NULL: there are */
} tacho_causal;

#ifdef __cplusplus
}
#endif
#endif
