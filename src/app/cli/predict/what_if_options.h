/* what_if_options.h - --set: microarchitectures with some parameters changed. */
#ifndef TACHO_CLI_WHAT_IF_H
#define TACHO_CLI_WHAT_IF_H

#include "app/cli/cli.h"

enum {
    WHAT_IF_MAX = 256
};

/** The --set options of a command line, and the changed microarchitectures. Start with {0}. */
typedef struct what_if {
    const char *assignments[WHAT_IF_MAX]; /**< "PARAMETER=VALUE,..."; borrowed */
    size_t count;
    tacho_arch *archs;
} what_if;

/** Takes --set, in a what_if. @return false with a message */
bool what_if_add(void *w, const char *option, const char *assignments);
/** Puts changed copies, which live until what_if_free, in the place of the `count` microarchitectures.
 *  @return false with a message */
bool what_if_apply(what_if *w, const tacho_arch **archs, size_t count);
void what_if_free(what_if *w);

#endif
