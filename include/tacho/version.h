/* version.h - which tacho this is.
 *
 * Core: stable within a major version. */
#ifndef TACHO_VERSION_H
#define TACHO_VERSION_H

#include "error.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The version of the library that is linked, "1.0.0": major, minor, patch. Callers are compatible with later
 *  versions of the same major number. */
TACHO_API const char *tacho_version(void);

#ifdef __cplusplus
}
#endif
#endif
