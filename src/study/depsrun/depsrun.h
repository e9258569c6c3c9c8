/* depsrun.h - from a command to a trace, and from a trace to a judgement of the static analysis. */
#ifndef TACHO_DEPSRUN_DEPSRUN_H
#define TACHO_DEPSRUN_DEPSRUN_H

#include "base/arena.h"
#include "base/bytemap.h"
#include "base/warnings.h"
#include "binary/extract/extract_run.h"
#include "tacho/deps_run.h"

/* A run as lackey tells it, and what comes of it: instructions with counts, and which load read what which
 * store wrote. */

enum {
    INDEX_CACHE = 4096,
    TRACE_LINE_BYTES = 200,
    SHADOW_PAGE = 4096
};

/** Numbers of 64-bit keys, with a cache before the table. Start with {0}. */
typedef struct key_index {
    tacho_bytemap map;
    struct {
        uint64_t key;
        uint32_t number; /* + 1; 0: empty */
    } cache[INDEX_CACHE];
} key_index;

/** The last writer of each byte of a page. */
typedef struct shadow_page {
    uint64_t time[SHADOW_PAGE];   /* when it wrote, in executed instructions */
    uint32_t writer[SHADOW_PAGE]; /* its number + 1; 0: nothing was written */
} shadow_page;

typedef struct shadow {
    key_index numbers; /* of pages */
    shadow_page **pages;
    size_t page_count, page_capacity;
} shadow;

void shadow_free(shadow *s);

typedef struct trace_insn {
    tacho_deps_run_insn out;
    bool repeats; /* a string instruction with a prefix: the next iteration is no other execution */
    bool ends;    /* a block */
    bool entered; /* control came here by other ways than from the instruction before */
} trace_insn;

typedef struct trace_pair {
    tacho_deps_run_dependency out;
    uint64_t last;     /* when the target was last counted */
    uint64_t lifetime; /* then */
} trace_pair;

/** Start with {0}, and the lifetimes. */
typedef struct trace {
    const uint64_t *lifetimes;
    uint32_t lifetime_count;
    /** Called with each new instruction, to fill in its bytes and what they are; may be NULL. */
    void (*learn)(trace_insn *insn, void *payload);
    void *payload;
    trace_insn *insns;
    size_t insn_count, insn_capacity;
    key_index insn_numbers;
    trace_pair *pairs;
    size_t pair_count, pair_capacity;
    key_index pair_numbers;
    shadow shadow;
    uint64_t now;          /* instructions executed so far */
    uint32_t current;      /* instruction + 1; 0: none yet */
    uint64_t next_address; /* what follows it */
    uint64_t loads, stores;
    uint64_t bad_lines; /* that are nothing of lackey's */
    char message[160];  /* the first that valgrind itself says; "": none */
    char line[TRACE_LINE_BYTES];
    size_t line_length; /* of what has come of the next line; more than fits: it is too long */
    bool failed;        /* memory ran out */
} trace;

/** The next piece of text. Does nothing once memory has run out. */
void trace_feed(trace *t, const char *text, size_t size);
void trace_free(trace *t);

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

/** Bytes of an instruction, and what they are: for trace.learn. */
void depsrun_decode(trace_insn *insn, const uint8_t *bytes, size_t size);

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

void depsrun_cover(const depsrun *d, uint32_t lifetime, tacho_deps_run_coverage *out);

#endif
