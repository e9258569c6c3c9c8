/* learnt.h - what was learnt of this machine's processor, kept in the user's cache folder: one file for each
 * processor and microcode. It is what "native" means to the program, unless the environment variable
 * TACHO_NO_LEARNT is set and not empty. */
#ifndef TACHO_CLI_LEARNT_H
#define TACHO_CLI_LEARNT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "tacho/measure.h"

enum {
    LEARNT_PATH_SIZE = 600
};

/** Where the model of this processor is, or would be. @return false: there is no such folder */
bool learnt_path(char *out, size_t size);
/** The same, with its folders made. @return false with a message */
bool learnt_make_folder(char *out, size_t size);
/** The same of a model that is there and in force. */
bool learnt_in_force(char *out, size_t size);

/** Writes a model, its journal and the machine's clock into one file, which is a model, too, and a record for
 * tacho_learn. It has no names and no paths. @return false with a message */
bool learnt_submit(const char *model, const char *path, const tacho_measurer_options *measuring);

/** What is in force, for people, with what the model says of itself; nothing where nothing is. */
void learnt_text(tacho_str *out);
/** {"file", "days", "says": [...]}, `days` null where nothing was learnt; null where it is switched off. */
json_t *learnt_json(void);

#endif
