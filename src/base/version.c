/* version.c - the version comes from meson.build. */
#include "tacho/version.h"

const char *tacho_version(void)
{
    return TACHO_VERSION;
}
