/* version.h - which tacho this is.
 *
 * Core: stable within a major version. */
#ifndef TACHO_VERSION_H
#define TACHO_VERSION_H

#include "error.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Which version's headers these are, for the preprocessor; they belong to the library whose version has the
 *  same major number and is not older. */
#define TACHO_VERSION_MAJOR 2
#define TACHO_VERSION_MINOR 0
#define TACHO_VERSION_PATCH 0
/** #if TACHO_VERSION_NUMBER >= TACHO_VERSION_AT(2, 1, 0) */
#define TACHO_VERSION_AT(major, minor, patch) ((major)*1000000 + (minor)*1000 + (patch))
#define TACHO_VERSION_NUMBER                  TACHO_VERSION_AT(TACHO_VERSION_MAJOR, TACHO_VERSION_MINOR, TACHO_VERSION_PATCH)

/** The version of the library that is linked, "2.0.0": major, minor, patch. */
TACHO_API const char *tacho_version(void);

#ifdef __cplusplus
}
#endif
#endif
