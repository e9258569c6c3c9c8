/* host.h - what this machine's processor says of itself: who it is, and which extensions it has. */
#ifndef TACHO_LEARN_HOST_H
#define TACHO_LEARN_HOST_H

#include <stdbool.h>
#include <stddef.h>

#include "tacho/extension.h"

enum {
    HOST_NAME_SIZE = 160
};

/** "AuthenticAMD family 0x1A model 0x11 stepping 0, microcode 0x1000065 (AMD EPYC)": what answers of this
 *  processor hold for. `root` stands before /proc; "" for the machine itself. */
void host_identity(char out[HOST_NAME_SIZE], const char *root);
/** The rows cpuid_family and cpuid_models of a model of the processor with this identity, "AMD:0x1A" and
 *  "0x11". @return false: such rows know only Intel's and AMD's */
bool host_models(const char *identity, char family[32], char models[16]);
/** Whether programs can use it here: the processor has it, and the system keeps its registers. */
bool host_has(tacho_extension extension);

#endif
