/* learnt.h - what was learnt of this machine's processor, kept in the user's cache folder: one file for each
 * processor and microcode. */
#ifndef TACHO_CLI_LEARNT_H
#define TACHO_CLI_LEARNT_H

#include <stdbool.h>
#include <stddef.h>

enum {
    LEARNT_PATH_SIZE = 600
};

/** Where the model of this processor is, or would be. @return false: there is no such folder */
bool learnt_path(char *out, size_t size);
/** The same, with its folders made. @return false with a message */
bool learnt_make_folder(char *out, size_t size);

#endif
