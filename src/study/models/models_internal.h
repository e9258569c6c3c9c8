/* models_internal.h - what a predictor is made of. A new one is a file with a model_kind and a line in
 * models.c. */
#ifndef MODELS_MODELS_H
#define MODELS_MODELS_H

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

#endif
