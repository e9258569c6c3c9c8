/* ranks.h - ranks of numbers, equal ones sharing theirs. */
#ifndef TACHO_STATS_RANKS_H
#define TACHO_STATS_RANKS_H

#include <stddef.h>
#include <stdint.h>

/** Twice the rank of each number, from 2 on: equal numbers have the mean of the ranks that they take, which
 * is a whole number only when doubled. *ties: the sum of t^3 - t over groups of t equal numbers.
 *  @return 0, or -1 when memory runs out */
int ranks_doubled(const double *values, size_t count, uint32_t *out, double *ties);

#endif
