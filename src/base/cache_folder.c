/* cache_folder.c - see cache_folder.h. */
#include "base/cache_folder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool cache_path(char *out, size_t size, const char *name)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    const bool given = cache && *cache == '/';
    if (!given && (!home || *home != '/'))
        return false;
    const int n = snprintf(out, size, "%s%s/tacho/%s", given ? cache : home, given ? "" : "/.cache", name);
    return n > 0 && (size_t)n < size;
}

bool cache_make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(path, 0700) && errno != EEXIST)
            return false;
        *slash = '/';
    }
    return true;
}
