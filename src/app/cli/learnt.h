/* learnt.h - what was learnt of this machine's processor, kept in the user's cache folder: one file for each
 * processor and microcode. It is what "native" means to the program, unless the environment variable
 * TACHO_NO_LEARNT is set and not empty. */
#ifndef TACHO_CLI_LEARNT_H
#define TACHO_CLI_LEARNT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

enum {
    LEARNT_PATH_SIZE = 600
};

/** tacho_learnt_path of a model that is there and in force. */
bool learnt_in_force(char *out, size_t size);

/** What is in force, for people, with what the model says of itself; nothing where nothing is. */
void learnt_text(tacho_str *out);
/** {"file", "days", "says": [...]}, `days` null where nothing was learnt; null where it is switched off. */
json_t *learnt_json(void);

#endif
