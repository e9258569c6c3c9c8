/* cmd_kernels.h - what the parts of tacho kernels share. */
#ifndef TACHO_CLI_KERNELS_H
#define TACHO_CLI_KERNELS_H

#include "app/cli/cli.h"

enum {
    KERNELS_MAX_MODELS = 64
};

/** Models to ask, by name. */
typedef struct kernels_models {
    char names[KERNELS_MAX_MODELS][TACHO_MODEL_NAME_SIZE];
    size_t count;
} kernels_models;

/** `list` by commas; NULL: all of ours and of the tools that are installed, and the newest llvm-mca for the
 *  processor of this machine, where that is not `arch`. @return an exit status, with a message */
int kernels_choose_models(kernels_models *out, const char *list, const tacho_arch *arch);

#endif
