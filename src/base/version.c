/* version.c - which version this is: meson.build and the header have to agree on it. */
#include "tacho/version.h"

#define TEXT(number)                #number
#define DOTTED(major, minor, patch) TEXT(major) "." TEXT(minor) "." TEXT(patch)

_Static_assert(!__builtin_strcmp(TACHO_VERSION,
                                 DOTTED(TACHO_VERSION_MAJOR, TACHO_VERSION_MINOR, TACHO_VERSION_PATCH)),
               "the version in meson.build is not that of tacho/version.h");

const char *tacho_version(void)
{
    return TACHO_VERSION;
}
