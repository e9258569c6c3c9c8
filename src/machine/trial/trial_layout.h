/* trial_layout.h - moving things in a program that waits before its first instruction. */
#ifndef TACHO_TRIAL_LAYOUT_H
#define TACHO_TRIAL_LAYOUT_H

#include <stdbool.h>
#include <sys/types.h>

#include "tacho/trial.h"

/** Whether the layout needs layout_apply. */
bool layout_moves(const tacho_layout *layout);

/** An environment with the layout's pad: TACHO_PAD, last, in place of one that is there. The strings of
 *  `given` (ends in NULL) stay the caller's. @return what tacho_mem_free gives back; NULL: memory ran out */
const char **layout_environment(const tacho_layout *layout, char *const *given);

/** Moves stack, heap and mappings of a program that this thread traces and that has just been loaded.
 *  @return 0, or an errno */
int layout_apply(pid_t pid, const tacho_layout *layout);

#endif
