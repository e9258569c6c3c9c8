/* cmd_eval_pictures.h - what tacho eval draws: heat maps, distributions of errors, errors by group, a page.
 */
#ifndef TACHO_CLI_EVAL_PICTURES_H
#define TACHO_CLI_EVAL_PICTURES_H

#include <stdbool.h>

#include "app/report/report_eval.h"

/** Files to be written; NULL: not asked for. */
typedef struct eval_pictures {
    const char *heat_map, *errors, *groups, *html;
    char *grouping; /**< of `groups`; NULL: the first one */
} eval_pictures;

/** Takes the name of a picture, which must end in .svg or .png. @return false with a message */
bool eval_pictures_take(const char **out, const char *option, const char *value);
/** The same, with GROUPING= before it. */
bool eval_pictures_take_groups(eval_pictures *p, const char *option, const char *value);
/** Takes the name of a page, which must end in .html. */
bool eval_pictures_take_page(eval_pictures *p, const char *option, const char *value);

/** Writes the files. @return false with a message */
bool eval_pictures_draw(const eval_pictures *p, const report_eval *report);
void eval_pictures_free(eval_pictures *p);

#endif
