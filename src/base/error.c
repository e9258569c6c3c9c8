/* error.c - messages go to the caller's tacho_error, nothing is kept here; and the library's version. */
#include "base/str.h"
#include "tacho/error.h"
#include "tacho/version.h"

int tacho_error_set(tacho_error *err, int code, const char *format, ...)
{
    if (!err)
        return code;
    err->code = code;
    err->line = 0;
    err->offset = -1;
    va_list args;
    va_start(args, format);
    tacho_vformat_fit(err->message, sizeof err->message, format, args);
    va_end(args);
    if (!*err->message)
        snprintf(err->message, sizeof err->message, "unknown error");
    /* One line, and nothing that a hostile input could do to a terminal. */
    for (char *c = err->message; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            *c = ' ';
    return code;
}

/* Which version this is: meson.build and the header have to agree on it. */

#define TEXT(number)                #number
#define DOTTED(major, minor, patch) TEXT(major) "." TEXT(minor) "." TEXT(patch)

_Static_assert(!__builtin_strcmp(TACHO_VERSION,
                                 DOTTED(TACHO_VERSION_MAJOR, TACHO_VERSION_MINOR, TACHO_VERSION_PATCH)),
               "the version in meson.build is not that of tacho/version.h");

const char *tacho_version(void)
{
    return TACHO_VERSION;
}
