/* learnt.c - the user's cache folder, by the XDG Base Directory Specification. */
#include "app/cli/learnt.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "app/cli/cli.h"

/* "AuthenticAMD-family-0x1A-model-0x11-stepping-0-microcode-0x1000065": what stands before the name in
 * brackets, without what a file's name should not have. */
static void file_name(char out[160])
{
    tacho_learn_processor(out, 160);
    out[strcspn(out, "(")] = '\0';
    char *to = out;
    for (const char *from = out; *from; from++) {
        bool plain = (*from >= '0' && *from <= '9') || (*from >= 'A' && *from <= 'Z') ||
                     (*from >= 'a' && *from <= 'z');
        if (plain)
            *to++ = *from;
        else if (to > out && to[-1] != '-')
            *to++ = '-';
    }
    while (to > out && to[-1] == '-')
        to--;
    *to = '\0';
}

bool learnt_path(char *out, size_t size)
{
    char name[160];
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    file_name(name);
    int length = cache && *cache == '/' ? snprintf(out, size, "%s/tacho/learnt/%s.tacho", cache, name)
                 : home && *home == '/' ? snprintf(out, size, "%s/.cache/tacho/learnt/%s.tacho", home, name)
                                        : -1;
    return length > 0 && (size_t)length < size;
}

bool learnt_make_folder(char *out, size_t size)
{
    if (!learnt_path(out, size))
        return cli_error("there is no place to keep the result: HOME is not set; give one with -o FILE");
    for (char *slash = strchr(out + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        bool failed = mkdir(out, 0700) && errno != EEXIST;
        if (failed)
            return cli_error("%s: cannot be made: %s", out, strerror(errno));
        *slash = '/';
    }
    return true;
}
