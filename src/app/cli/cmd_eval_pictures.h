/* cmd_eval_pictures.h - what tacho eval draws: heat maps, distributions of errors, errors by group, a page.
 */
#ifndef TACHO_CLI_EVAL_PICTURES_H
#define TACHO_CLI_EVAL_PICTURES_H

#include "app/cli/cli.h"
#include "app/report/report_eval.h"

/** Files to be written; NULL: not asked for. */
typedef struct eval_pictures {
    const char *heat_map, *errors, *groups, *html;
    cli_word grouping; /**< of `groups`; "": the first one */
} eval_pictures;

/** Takes the name of a picture with GROUPING= before it, in an eval_pictures. @return false with a message */
bool eval_pictures_take_groups(void *pictures, const char *option, const char *value);

/** Writes the files. @return false with a message */
bool eval_pictures_draw(const eval_pictures *p, const report_eval *report);

#endif
