/* depsrun.h - from a command to a trace, and from a trace to a judgement of the static analysis. */
#ifndef TACHO_DEPSRUN_DEPSRUN_H
#define TACHO_DEPSRUN_DEPSRUN_H

#include "depsrun/trace.h"
#include "extract/run.h"
#include "util/arena.h"

/** A result and what owns it. */
typedef struct depsrun {
    tacho_deps_run result; /* first: the public pointer is to this */
    tacho_deps_run_options options;
    tacho_deps_run_insn *insns;
    tacho_deps_run_block *blocks;
    size_t block_capacity;
    tacho_deps_run_dependency *dependencies;
    char **warnings;
    size_t warning_capacity;
    char **paths; /* of the files that `object` of instructions names the base names of */
    size_t path_count, path_capacity;
    arena texts;
    tacho_error *err;
} depsrun;

int depsrun_warn(depsrun *d, const char *format, ...) TACHO_PRINTF(2, 3);
int depsrun_no_memory(depsrun *d);
/** A copy that lives as long as the result; NULL: memory ran out. */
const char *depsrun_text(depsrun *d, const char *text);

/* watch.c: runs the command and fills the trace. */
int depsrun_watch(depsrun *d, char *const argv[], trace *t);
/** Bytes of an instruction, and what they are: for trace.learn. */
void depsrun_decode(trace_insn *insn, const uint8_t *bytes, size_t size);

/* collect.c */
/** Moves instructions and dependencies to the result, in its order, and cuts blocks. */
int depsrun_collect(depsrun *d, trace *t);

/* symbols.c */
/** Finds the functions that the instructions lie in. */
int depsrun_symbols(depsrun *d);

/* judge.c */
/** Verdicts, reasons, coverage. */
int depsrun_judge(depsrun *d);

#endif
