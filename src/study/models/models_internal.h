/* models_internal.h - what a predictor is made of. A new one is a file with a model_kind and a line in
 * models.c. */
#ifndef MODELS_MODELS_H
#define MODELS_MODELS_H

#include "base/process.h"
#include "base/str.h"
#include "tacho/models.h"
#include "x86/arch/arch_struct.h"

/* Collects the names of a list. */
typedef struct model_names model_names;
/* `missing`: NULL or why it cannot be opened. Copies all. */
void model_names_add(model_names *names, const char *name, const char *summary, const char *missing);

typedef struct model_kind {
    bool external;
    /* Whether a model of that name is one of these, installed or not. */
    bool (*knows)(const char *name);
    /* Says which names there are; NULL: none that could be known. `arch` may be NULL. */
    void (*list)(model_names *names, const tacho_arch *arch);
    /* Fills model->state and, where it is known, model->version. After a failure close is not called. */
    int (*open)(tacho_model *model, tacho_error *err);
    /* Fills each result; they come as FAILED, without an answer. */
    int (*run)(tacho_model *model, const tacho_model_block *blocks, size_t count, tacho_model_result *results,
               tacho_error *err);
    void (*close)(tacho_model *model);
} model_kind;

struct tacho_model {
    const model_kind *kind;
    char *name;
    const tacho_arch *arch;
    tacho_model_options options;
    char version[64];
    bool runs_once; /* it looks at a block's `once` */
    void *state;    /* the kind's */
};

extern const model_kind model_tacho, model_baseline, model_llvm_mca, model_known_tools, model_description;

/* OK with these cycles if they are a positive finite number, else FAILED. */
void model_result_cycles(tacho_model_result *r, double cycles);
/* No prediction; the message is cut to one line that fits. */
void model_result_fail(tacho_model_result *r, tacho_model_status status, const char *format, ...)
    TACHO_PRINTF(3, 4);

/* what the adapters of other people's tools share. */

enum {
    EXTERNAL_PATH_SIZE = 4096,
    EXTERNAL_OUTPUT_BYTES = 256 << 20 /* more is an error of the tool */
};

/* What each tool calls a microarchitecture. */
typedef enum external_names {
    NAMES_TACHO,
    NAMES_LLVM,  /* -mcpu, also of compilers */
    NAMES_OSACA, /* --arch */
    NAMES_UICA,  /* -arch */
    NAMES_IACA,  /* -arch, version 3.0 */
    NAMES_COUNT
} external_names;
/* NULL where the tool does not know it; for NAMES_TACHO and NAMES_LLVM never. */
const char *external_arch(external_names names, const tacho_arch *arch);

/* What a run of a tool came to. */
typedef struct external_run {
    tacho_str out, errors;
    tacho_process_end end;
} external_run;
/* Runs argv (argv[0] is what it calls itself) with `input` as standard input; the texts of an earlier run are
 * replaced. @return 0; TACHO_ERR_SYSTEM, TACHO_ERR_MEMORY or TACHO_ERR_CANCELLED (as the model's options
 * want) */
int external_start(external_run *run, const tacho_model *m, const char *path, const char *const *argv,
                   const char *directory, const tacho_str *input, double seconds, tacho_error *err);
void external_free(external_run *run);
/* How long a process may take that gets this many blocks. */
double external_seconds(const tacho_model *m, size_t blocks);
/* Says in `r` why the run gave nothing: it took too long, crashed, or what it complained of first. */
void external_blame(tacho_model_result *r, const external_run *run, const char *tool);
/* "LLVM version 14.0.6" out of a text that has it, with what else should be said; "" where it has not. */
void external_version(tacho_model *m, const char *text, const char *start, const char *detail);

#endif
