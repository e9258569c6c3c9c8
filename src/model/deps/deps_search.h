/* deps_search.h - what searches for dependencies are made of. */
#ifndef TACHO_DEPS_SEARCH_H
#define TACHO_DEPS_SEARCH_H

#include "model/deps/deps_internal.h"

/** What is given out, with what it stands in. */
typedef struct result {
    tacho_deps out; /* first: the public pointer is to this */
    tacho_insn *insns;
    tacho_dependency *dependencies;
    tacho_deps_access *accesses;
    tacho_deps_step *steps;
} result;

/** Of a followed function: the machines have taken DEPS_MAX_BYTES. */
int deps_too_much(const tacho_deps_options *o, tacho_error *err);
/** Options taken into *o and checked, instructions decoded, accesses listed. tacho_deps_free(&r->out) frees
 *  it. */
int deps_result_make(result **out, const uint8_t *code, size_t size, tacho_deps_options *o,
                     const tacho_deps_options *options, tacho_error *err);
/** Takes the findings that `keep` wants. @return -1: memory ran out */
int deps_result_collect(result *r, const findings *f, bool (*keep)(const found *it, const void *payload),
                        const void *payload);

/** An instruction that is being executed. */
typedef struct moment {
    const tacho_deps_options *options;
    const result *r;
    findings *findings;
    uint32_t number;        /* of the instruction */
    uint32_t iteration;     /* of a followed function: which execution of the instruction, from 1 */
    const uint32_t *counts; /* of a followed function: executions of each instruction so far; else NULL */
    size_t first_access;    /* of the instruction, among the accesses */
} moment;

/* loads.c */
/** With TACHO_READ, before the instruction is executed: notes which stores its loads read from. With
 * TACHO_WRITE, after it: notes its stores. */
void loads_note(const moment *now, machine *m, const addresses *a, unsigned access);

#endif
