/* learn_stream.h - independent instances of a form, and loops of two kinds of them. */
#ifndef TACHO_LEARN_STREAM_H
#define TACHO_LEARN_STREAM_H

#include "learn/lab.h"

enum {
    STREAM_BYTES = 320,
    STREAM_INSTANCES = 10
};

/** Instances one behind the other, each with what ends its dependencies, if it needs that. */
typedef struct stream {
    uint8_t code[STREAM_BYTES];
    uint16_t ends[STREAM_INSTANCES]; /* where each ends */
    unsigned count;                  /* of instances; 0: the form has none */
    bool chained;                    /* each waits for the last one */
    bool broken;                     /* there are instructions of other forms that end dependencies */
    unsigned breaks;                 /* how many, if they write general registers */
} stream;

/** One instance, whose registers and memory no other stream uses: the form must not read what it writes. */
bool stream_of_own_registers(stream *out, uint32_t form);
/** As many as have registers of their own; with instructions that end what dependencies they have still. */
bool stream_of_instances(stream *out, uint32_t form, bool breaks);
/** Half of the instances, where there are ten: so that two streams have no registers in common. */
stream stream_half(const stream *s, bool second);
/** Adds `a_count` instances of `a` and `b_count` of `b` to the newest loop, evenly mixed. */
void lab_mix(lab *l, const stream *a, unsigned a_count, const stream *b, unsigned b_count);

#endif
