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

/** Finds the dependencies of the instructions in *r. @return 0 or a negative code */
typedef int deps_search(result *r, const tacho_deps_options *o, tacho_error *err);
/** What both public functions do: options checked, instructions decoded, accesses listed, and then `search`.
 */
int deps_result_make(tacho_deps **out, const uint8_t *code, size_t size, const tacho_deps_options *options,
                     deps_search *search, tacho_error *err);
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
