/* layout.h - moving things in a program that waits before its first instruction. */
#ifndef TACHO_TRIAL_LAYOUT_H
#define TACHO_TRIAL_LAYOUT_H

#include <stdbool.h>
#include <sys/types.h>

#include "tacho/trial.h"

/** Whether the layout needs layout_apply. */
bool layout_moves(const tacho_layout *layout);

/** Moves stack, heap and mappings of a program that this thread traces and that has just been loaded.
 *  @return 0, or an errno */
int layout_apply(pid_t pid, const tacho_layout *layout);

#endif
