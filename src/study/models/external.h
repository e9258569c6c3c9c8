/* external.h - what the adapters of other people's tools share. */
#ifndef MODELS_EXTERNAL_H
#define MODELS_EXTERNAL_H

#include "base/process.h"
#include "study/models/models_internal.h"

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
