/* learn_submit.h - a model, its journal and the machine's clock as one text, which is a model, too, and a
 * record for tacho_learn. It has no names and no paths. */
#ifndef TACHO_LEARN_SUBMIT_H
#define TACHO_LEARN_SUBMIT_H

#include "base/private.h"
#include "base/str.h"
#include "tacho/learn.h"

/** Of the model of this path, and `path`.journal. @return false: there is an error */
TACHO_PRIVATE bool tacho_learn_submission(tacho_str *out, const char *model,
                                          const tacho_measurer_options *measuring, tacho_error *err);

/* Where the model of this machine's processor is kept: one file for each processor and microcode in the
 * user's cache folder. */

/** Where it is, or would be. @return false: there is no such folder */
TACHO_PRIVATE bool tacho_learnt_path(char *out, size_t size);

#endif
