/* scratch.h - a private directory for files that other programs read, removed with all that is in it. */
#ifndef TACHO_BASE_SCRATCH_H
#define TACHO_BASE_SCRATCH_H

#include <stddef.h>

#include "tacho/error.h"

/** Where such directories are made: what TMPDIR says, or /tmp where it says nothing. */
const char *tacho_scratch_parent(void);
/** Makes a directory that only this user can enter, there. @return 0 and its path, which is absolute;
 *  TACHO_ERR_SYSTEM and an empty path */
int tacho_scratch_make(char *path, size_t size, tacho_error *err);
/** Removes it with all that it holds; symbolic links are not followed. */
void tacho_scratch_remove(const char *path);
/** Writes a file in it anew. @return 0; -1 with errno set */
int tacho_scratch_write(const char *path, const char *name, const char *data, size_t size);

#endif
