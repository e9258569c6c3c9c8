/* shard.h - one of several runs that divide the rows of a batch among themselves.
 *
 * Row k of the input (from 1) belongs to shard (k - 1) mod count + 1: balanced without knowing how many rows
 * there are. The results of a shard have two columns after all others: `row`, the number of the input's row,
 * and `rows`, which is empty but in the last row, where it says how many rows the input has. By these tacho
 * suite join puts the parts together, and knows that nothing is missing. */
#ifndef TACHO_CLI_SHARD_H
#define TACHO_CLI_SHARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/** Which rows; {0}: all of them, and no columns for it. */
typedef struct shard {
    uint64_t index, count; /**< index from 1 to count; count 0: not divided */
    bool found;            /**< by "auto" */
} shard;

#define SHARD_HELP                                                                                           \
    "with --batch: only the rows of shard I of N (1 to N), or\nauto: as mpirun, srun or a Slurm array "      \
    "say; tacho suite\njoin puts the results together"

enum {
    SHARD_MAX_COUNT = 1000000
};

/** Takes --shard, in a shard: "I/N", or "auto": the shard that the environment says, of a Slurm job array, of
 * the ranks of an MPI or Slurm job step, or of both (each task of the array then divides its rows among its
 * ranks).
 * @return false with a message */
bool shard_parse(void *out, const char *option, const char *value);

static inline bool shard_has(const shard *s, uint64_t row)
{
    return !s->count || (row - 1) % s->count == s->index - 1;
}

/** Whether results can go to `output` (NULL: standard output): several processes cannot share a file.
 *  @return false with a message */
bool shard_check_output(const shard *s, const char *output);
/** A file's name with the shard's number for each "%s" in it; as it is where nothing is divided.
 *  @return NULL when memory runs out; free with tacho_mem_free */
char *shard_file_name(const shard *s, const char *name);

/** Puts the shard's columns behind the header, or the row, that `out` ends with. */
void shard_end_header(const shard *s, tacho_str *out);
void shard_end_row(const shard *s, tacho_str *out, uint64_t row);

/** What those columns say. */
typedef struct shard_cells {
    uint64_t row;
    uint64_t rows; /**< where last */
    bool last;
    size_t before; /**< length of the record without them */
} shard_cells;

/** @return false when the record does not end in these columns */
bool shard_read_cells(const char *record, size_t length, shard_cells *out);
/** Length of a header without the shard's columns; 0 when it does not have them. */
size_t shard_header_before(const char *header, size_t length);

#endif
