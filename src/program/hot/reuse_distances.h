/* reuse_distances.h - from times until lines are touched again to how much else is touched meanwhile. */
#ifndef TACHO_HOT_REUSE_DISTANCES_H
#define TACHO_HOT_REUSE_DISTANCES_H

#include "tacho/hot_memory.h"

/** From a touch of a line to the next one. */
typedef struct reuse_wait {
    double time;
    bool touched; /* false: it was watched for so long, and not touched */
} reuse_wait;

enum {
    REUSE_LOW, /* the ends of a 95 % interval, and what is likely */
    REUSE_MIDDLE,
    REUSE_HIGH,
    REUSE_ENDS,
    REUSE_FEWEST = 8 /* waits, for a word */
};

/** Who touches lines: an operand. */
typedef struct reuse_stream {
    reuse_wait *waits;
    size_t count;
    double words;            /* of a line that are as likely to be touched next as the one that was watched */
    double rate[REUSE_ENDS]; /* lines in a unit of time */
    double most[REUSE_ENDS]; /* different ones, together with all streams of the same `data` */
    size_t data;             /* the number of a stream that goes through the same */
} reuse_stream;

/** What is touched from a touch of the lines of one stream until their next one, in lines: all of
 *  `out`. All waits are sorted here.
 *  @return 0, TACHO_ERR_MEMORY */
int reuse_distances(tacho_hot_reuse *out, const reuse_stream *streams, size_t count, size_t number);

#endif
