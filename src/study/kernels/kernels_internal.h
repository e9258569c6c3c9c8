/* kernels_internal.h - what a study of kernels holds, and what its parts do for each other. */
#ifndef TACHO_KERNELS_KERNELS_H
#define TACHO_KERNELS_KERNELS_H

#include <pthread.h>

#include "base/arena.h"
#include "base/process.h"
#include "tacho/extract.h"
#include "tacho/kernels.h"
#include "x86/arch/arch_struct.h"

enum {
    KERNELS_PATH_SIZE = 4096,
    KERNELS_MESSAGE_SIZE = 240,
    KERNELS_MAX_EXTRA = 300,                       /* characters of the further flags */
    KERNELS_MAX_WORDS = 32 + KERNELS_MAX_EXTRA / 2 /* of a compiler's flags */
};

/* A compiler that is there. */
typedef struct kernels_compiler {
    const char *name;  /* as it was asked for */
    const char *label; /* in names of variants: the name without folders, and a number where another has it */
    char path[KERNELS_PATH_SIZE];
    const char *version; /* the first line that it says */
    bool is_clang;
} kernels_compiler;

/* A kernel's file. */
typedef struct kernels_source {
    const char *path; /* to compile; of our own suite in the work directory */
    uint64_t hash;    /* of its text */
} kernels_source;

/* A part of a region's run for which models are asked: the body of a loop, or a stretch of the run. */
typedef struct kernels_piece {
    tacho_model_block block;
    void *owned;         /* memory that all of it lies in; NULL: it is borrowed */
    uint64_t address;    /* of a block, in its file */
    uint32_t insn_count; /* those that count */
    double executions;   /* in one run of the region */
    double least_cycles; /* whatever a model says */
} kernels_piece;

/* An instruction on a path through a region. */
typedef struct kernels_step {
    uint64_t address;
    const uint8_t *bytes;
    uint8_t length;
    bool is_branch, transfers; /* jumps; calls and returns, too */
    uint8_t kind;              /* of a transfer: a kernels_branch_kind */
} kernels_step;

/* Windows of the trace of a variant's region, which stand for all of it. */
typedef struct kernels_windows {
    kernels_piece *pieces; /* NULL where none could be cut */
    size_t count;
    double mispredictions; /* in one run of the region; NaN */
} kernels_windows;

/* Lines that an instruction misses each level by, an execution: read, written. */
typedef struct kernels_miss {
    uint64_t key;
    double lines[TACHO_MEMORY_LEVELS][2];
} kernels_miss;
typedef struct kernels_misses {
    kernels_miss *list; /* by key */
    size_t count;
} kernels_misses;

/* What predictors may need of a variant besides its blocks: another run, once for all of them. */
typedef enum kernels_further {
    KERNELS_WINDOWS,
    KERNELS_MISSES,
    KERNELS_FURTHER_COUNT
} kernels_further;

/* What the study knows of a variant beside what it gives out. */
typedef struct kernels_variant {
    const kernels_compiler *compiler;
    uint64_t source_hash; /* kernels_hash_source */
    uint64_t file_hash;   /* kernels_hash_object; 0: not built */
    uint64_t code_hash;   /* of the region's blocks */
    tacho_kernel_block *blocks;
    uint8_t *bytes;          /* of all blocks */
    double deadline;         /* in force when its status was written, where that is known; in seconds */
    kernels_windows windows; /* of the trace */
    kernels_misses misses;
    const char *none[KERNELS_FURTHER_COUNT]; /* why there are no such; "": there are; NULL: not asked for yet
                                              */
} kernels_variant;

typedef struct kernels_predictor {
    tacho_kernel_prediction *predictions;
} kernels_predictor;

struct tacho_kernels {
    tacho_kernels_options options; /* texts are copies */
    arena texts;
    char work[KERNELS_PATH_SIZE];
    bool work_is_temporary;
    int work_lock;            /* a descriptor of the work directory, which is locked; -1: none */
    bool made_temporary;      /* its folder for temporary files, which goes with the study */
    const char **environment; /* of what is run: temporary files lie in the work directory, too */
    const char *runtime;      /* the folder with runtime.c */
    uint32_t signature;       /* of the processor: family, model, stepping */
    kernels_compiler *compilers;
    size_t compiler_count, compiler_capacity;
    tacho_kernel *kernels;
    kernels_source *sources;
    size_t kernel_capacity, source_capacity;
    tacho_kernel_variant *variants;
    kernels_variant *own;
    size_t variant_capacity, own_capacity;
    tacho_kernels_predictor *predictors;
    kernels_predictor *own_predictors;
    size_t predictor_capacity, own_predictor_capacity;
    tacho_kernels_note *notes;
    size_t note_capacity;
    FILE *journal, *block_journal;
    tacho_kernels_result result;
};

/* Whether the caller wants the study to end; for processes, too, with it as payload. */
bool kernels_is_stopped(void *study);
int kernels_cancelled(tacho_error *err);
#define KERNELS_LOOK_SECONDS 0.1 /* between questions while processes run */
/* Says something once; the same text again adds to its number of variants. */
int kernels_note(tacho_kernels *k, size_t variants, tacho_error *err, const char *format, ...)
    TACHO_PRINTF(4, 5);
uint64_t kernels_hash(uint64_t h, const void *data, size_t size);

/* Calls take(payload, word, length) for each word of a comma-separated list, until one does not return 0. */
int kernels_each_word(const char *list, int (*take)(void *payload, const char *word, size_t length),
                      void *payload);

/* suite.c: finds the kernels. */
int kernels_find_suite(tacho_kernels *k, tacho_error *err);
/* suite.c: adds one. */
int kernels_add_source(tacho_kernels *k, const char *name, const char *path, bool own, const char *folder,
                       const char *text, tacho_error *err);

/* toolchain.c: finds the compilers. */
int kernels_find_compilers(tacho_kernels *k, tacho_error *err);
/* Whether the compiler takes these flags (words that end in NULL): compiles a little loop. */
bool kernels_takes_flags(const tacho_kernels *k, const kernels_compiler *c, const char *const *flags);

/* kernels_variants.c: puts the words of flags, which are changed, behind the `count` that are there, and NULL
 * behind the last one. @return how many there are then; at most KERNELS_MAX_WORDS of these flags */
size_t kernels_split_flags(char *flags, const char **words, size_t count);
/* Makes the list of variants. */
int kernels_make_variants(tacho_kernels *k, tacho_error *err);

/* build.c: path of a variant's object. */
void kernels_object_path(const tacho_kernels *k, size_t variant, char out[KERNELS_PATH_SIZE]);
/* Hash of what is loaded of it; 0: it cannot be read. */
uint64_t kernels_hash_object(const tacho_kernels *k, size_t variant);
/* What became of a variant, before it is written down: by one thread at a time for each. */
typedef struct kernels_outcome {
    tacho_kernel_status status;
    char message[KERNELS_MESSAGE_SIZE];
    uint64_t file_hash;
    uint64_t instructions, accesses, misses, bytes;
    double checksum;
    tacho_kernel_block *blocks; /* object: not set; see objects */
    const char **objects;       /* of each block; borrowed from `names` */
    size_t block_count;
    uint8_t *code;
    char *names; /* of objects, each ends in 0 */
} kernels_outcome;
void kernels_outcome_free(kernels_outcome *o);
/* Compiles it; o->status stays PENDING when that went well, and file_hash is set. @return 0 or an error of
 * the machine */
int kernels_compile(const tacho_kernels *k, size_t variant, kernels_outcome *o, tacho_error *err);

/* count.c */
int kernels_find_valgrind(char out[KERNELS_PATH_SIZE], tacho_error *err);
/* Runs it under callgrind; o->status becomes COUNTED, CACHE_MISSES or why not. */
int kernels_count(const tacho_kernels *k, size_t variant, kernels_outcome *o, tacho_error *err);
/* Costs of the instructions of a variant that is built, told to `counts`, with callgrind's options for two
 * caches. None, and a message, where that cannot be. */
struct callgrind_counts;
int kernels_count_costs(const tacho_kernels *k, size_t variant, const char *const caches[2],
                        struct callgrind_counts *counts, char message[KERNELS_MESSAGE_SIZE],
                        tacho_error *err);
/* Whether more of the accesses miss than options.max_miss allows. */
bool kernels_misses_too_often(const tacho_kernels *k, uint64_t accesses, uint64_t misses);
/* D1 accesses and misses out of callgrind's output. @return false: they are not there */
bool kernels_read_misses(const char *text, uint64_t *accesses, uint64_t *misses);

/* kernels_run.c: programs in the study's environment, which end with it. What it says to its standard output
 * is dropped. @return 0; TACHO_ERR_SYSTEM, TACHO_ERR_CANCELLED */
int kernels_run_program(const tacho_kernels *k, tacho_process *p, tacho_str *errors, tacho_process_end *end,
                        tacho_error *err);
/* The loader's process. */
struct loader_control;
typedef struct kernels_run {
    const tacho_kernels *k;
    const cpu_set_t *cpus; /* NULL: any; else it is timed, also with the same addresses in each run */
    struct loader_control *control;
    int fd;
} kernels_run;
/* `cpus` is borrowed. kernels_run_close also where it fails */
int kernels_run_open(kernels_run *r, const tacho_kernels *k, const cpu_set_t *cpus, tacho_error *err);
void kernels_run_close(kernels_run *r);
/* Runs argv (argv[0] is a path) with the control as descriptor 3. *status stays as it is when the loader came
 * to its end. @return 0 or an error of the machine */
int kernels_run_loader(kernels_run *r, const char *const *argv, double seconds, tacho_kernel_status *status,
                       char message[KERNELS_MESSAGE_SIZE], tacho_error *err);
void kernels_loader_path(const tacho_kernels *k, char out[KERNELS_PATH_SIZE]);
int kernels_write_loader(const tacho_kernels *k, tacho_error *err);

/* journal.c: results so far, in files of the work directory. */
int kernels_open_journal(tacho_kernels *k, tacho_error *err);
/* Of opening: what an earlier run has left there. */
int kernels_read_journal(tacho_kernels *k, tacho_error *err);
int kernels_write_variant(tacho_kernels *k, size_t variant, tacho_error *err);
int kernels_write_blocks(tacho_kernels *k, size_t variant, tacho_error *err);
void kernels_close_journal(tacho_kernels *k);

/* study.c: of all that what is known of a variant rests on: text and runtime, flags, compiler, processor. */
uint64_t kernels_hash_source(const tacho_kernels *k, size_t variant);
/* Takes over an outcome. */
int kernels_commit(tacho_kernels *k, size_t variant, kernels_outcome *o, tacho_error *err);

int kernels_set_status(tacho_kernels *k, size_t variant, tacho_kernel_status status, const char *message,
                       tacho_error *err);

/* build.c: what is executed and how often, wherever functions and constants lie. */
uint64_t kernels_hash_region(const tacho_kernel_block *blocks, size_t count);
/* Variants that are the same as an earlier one are merged with it: by their whole objects, those that are
 * pending; or, when `region` is given, those that are counted, by what is executed and what comes out; of the
 * first `end` variants. */
int kernels_merge(tacho_kernels *k, bool region, size_t end, tacho_error *err);
/* Variants of a kernel must have the same result. */
int kernels_check_results(tacho_kernels *k, tacho_error *err);

/* kernels_branches.c: a branch of a trace. */
typedef enum kernels_branch_kind {
    KERNELS_BRANCH_KNOWN, /* it always goes to one place, or returns: always foreseen */
    KERNELS_BRANCH_CONDITIONAL,
    KERNELS_BRANCH_INDIRECT
} kernels_branch_kind;
typedef struct kernels_branch {
    uint64_t address, following; /* of the branch, and of the instruction behind it */
    uint64_t next;               /* where it led */
    uint32_t place;              /* in the trace */
    uint8_t kind;                /* a kernels_branch_kind */
    bool mispredicted;           /* set by kernels_predict_branches */
} kernels_branch;
/* Finds the branches that a predictor mispredicts which has been through the trace often before. Its history
 * is of the given number of taken branches, and it remembers the given number of branches with a history.
 * @return 0, MEMORY */
int kernels_predict_branches(kernels_branch *branches, size_t count, uint32_t history, uint32_t entries,
                             tacho_error *err);

/* kernels_windows.c: a path through a region. */
typedef struct kernels_path {
    const kernels_step *steps;
    const uint32_t *order;        /* numbers of steps */
    uint64_t count;               /* steps in order */
    uint64_t total;               /* instructions of the region */
    const double *executions;     /* of each of the steps in it, as counted; NULL: not known */
    size_t step_count;            /* of these */
    const uint64_t *stretch_ends; /* the path has gaps: where its stretches end */
    size_t stretch_count;
    const struct loader_registers *registers; /* before some of them, in their order */
    uint64_t registers_count;
} kernels_path;
/* Decodes; the bytes are borrowed. `insn` is what they are. @return false: no instruction */
bool kernels_decode_step(kernels_step *s, uint64_t address, const uint8_t *bytes, size_t size,
                         struct tacho_insn *insn);
/* Cuts windows out of a path; `out` is the caller's (kernels_free_windows). `arch`: whose branch predictor.
 * @return 0, MEMORY */
int kernels_cut_windows(const kernels_path *path, const tacho_arch *arch, kernels_windows *out,
                        tacho_error *err);
void kernels_free_windows(kernels_windows *windows);

/* kernels_windows.c: finds the branches of an object, for the loader. Where its code cannot be told,
 * text_size stays 0: then each instruction is stepped over, which on a virtual machine takes ten times as
 * long. */
int kernels_plan_breakpoints(struct loader_control *c, const char *object, tacho_error *err);
/* Follows the path through a region, and cuts windows. No windows, and a message, where that cannot be.
 * @return 0 or an error of the machine */
int kernels_take_trace(const tacho_kernels *k, size_t variant, const tacho_arch *arch, kernels_windows *out,
                       char message[KERNELS_MESSAGE_SIZE], tacho_error *err);

/* kernels_misses.c: how often each of the steps is executed, as counted; 0: that is not known. */
int kernels_count_steps(const tacho_kernel_variant *v, const kernels_step *steps, size_t count,
                        double *executions, tacho_error *err);
/* Whether misses of this machine's caches can be counted. @return 0, UNSUPPORTED */
int kernels_check_memory(const tacho_kernels *k, const tacho_arch *arch, tacho_error *err);
/* callgrind's option for a cache: as large as it is said to be, with a power of 2 of sets, as callgrind wants
 * it, and at least so many ways. */
void kernels_cache_option(char out[48], const char *option, const tacho_memory_level *l, uint64_t ways);
/* Counts them. No misses, and a message, where that cannot be. @return 0 or an error of the machine */
int kernels_take_misses(const tacho_kernels *k, size_t variant, kernels_misses *out,
                        char message[KERNELS_MESSAGE_SIZE], tacho_error *err);
/* Cycles that a piece takes for its lines, with what these do not overlap. */
double kernels_memory_cycles(const kernels_misses *m, const kernels_piece *p, const tacho_memory *memory,
                             const tacho_arch *arch);
void kernels_free_misses(kernels_misses *m);

/* Whether a variant is one that predictors are asked about. */
static inline bool kernels_is_predicted(const tacho_kernel_variant *v)
{
    return v->status == TACHO_KERNEL_COUNTED || v->status == TACHO_KERNEL_OK ||
           v->status == TACHO_KERNEL_UNSTABLE;
}

/* kernels_score.c: a region's cycles from those of its pieces. `cycles` has NaN where there is no prediction.
 */
void kernels_lift(const kernels_piece *pieces, size_t count, const double *cycles, double max_missing,
                  double *lifted, double *coverage);
#endif
