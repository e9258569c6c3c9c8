/* cache_folder.h - what is kept for the user between runs, by the XDG Base Directory Specification. */
#ifndef TACHO_BASE_CACHE_FOLDER_H
#define TACHO_BASE_CACHE_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

/** "$XDG_CACHE_HOME/tacho/NAME", or below ~/.cache. @return false: there is no such place, or it does not fit
 */
bool cache_path(char *out, size_t size, const char *name);
/** Makes the folders of a path, for the user alone. @return false with errno set, and the one that cannot be
 * made in `path` */
bool cache_make_folders(char *path);

#endif
