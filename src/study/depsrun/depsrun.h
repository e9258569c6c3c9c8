/* depsrun.h - from a command to a trace, and from a trace to a judgement of the static analysis. */
#ifndef TACHO_DEPSRUN_DEPSRUN_H
#define TACHO_DEPSRUN_DEPSRUN_H

#include "base/arena.h"
#include "base/warnings.h"
#include "binary/extract/extract_run.h"
#include "study/depsrun/depsrun_trace.h"

/** A function with instructions that are to be judged. */
typedef struct depsrun_function {
    const uint8_t *bytes;
    uint64_t address; /* in the file */
    size_t size;
    uint32_t first_insn, last_insn; /* of those executed, the first and the last that are to be judged */
} depsrun_function;

/** A result and what owns it. */
typedef struct depsrun {
    tacho_deps_run result; /* first: the public pointer is to this */
    tacho_deps_run_options options;
    tacho_deps_run_insn *insns;
    tacho_deps_run_block *blocks;
    size_t block_capacity;
    tacho_deps_run_dependency *dependencies;
    depsrun_function *functions;
    size_t function_count, function_capacity;
    tacho_deps_run_claim *claims;
    size_t claim_capacity;
    warnings warnings;
    char **paths; /* of the files that `object` of instructions names the base names of */
    size_t path_count, path_capacity;
    arena texts;
    tacho_error *err;
} depsrun;

int depsrun_warn(depsrun *d, const char *format, ...) TACHO_PRINTF(2, 3);

/* depsrun_watch.c: runs the command and fills the trace. */
int depsrun_watch(depsrun *d, char *const argv[], trace *t);
/** Bytes of an instruction, and what they are: for trace.learn. */
void depsrun_decode(trace_insn *insn, const uint8_t *bytes, size_t size);

/* collect.c */
/** Moves instructions and dependencies to the result, in its order, and cuts blocks. */
int depsrun_collect(depsrun *d, trace *t);

/* symbols.c */
/** Finds the functions that the instructions lie in, and the code of those that are to be judged. */
int depsrun_symbols(depsrun *d);

/* depsrun_judge.c */
/** Verdicts, reasons, claims, coverage. */
int depsrun_judge(depsrun *d);
/** Notes that `part` says there is a dependency; noted twice, it is one claim. */
int depsrun_claim(depsrun *d, uint32_t source, uint32_t target, tacho_deps_run_part part);
/** Notes what `part` says of a dependency. */
void depsrun_note(tacho_deps_run_dependency *dep, tacho_deps_run_part part, tacho_deps_run_reason reason);
/** Whether `deps` has a dependency between these. */
bool depsrun_has(const tacho_deps *deps, uint32_t source, uint32_t target);
/** Why an analysis that looked at both instructions does not see that one depends on the other, as far as
 * these alone tell it; NOT_MISSED: they do not. */
tacho_deps_run_reason depsrun_reason(const tacho_deps *deps, uint32_t source, uint32_t target,
                                     bool *same_pointer);

/* depsrun_judge_functions.c */
/** What following the functions finds. @return also TACHO_ERR_CANCELLED */
int depsrun_judge_functions(depsrun *d);

/* coverage.c */
void depsrun_cover(const depsrun *d, uint32_t lifetime, tacho_deps_run_coverage *out);

#endif
