/* import_amd.h - completes rows of AMD's cores, whose tables have neither integer pipes nor loads and stores.
 */
#ifndef TACHO_IMPORT_AMD_H
#define TACHO_IMPORT_AMD_H

/** The classes of one core. */
typedef struct amd_core amd_core;

/** Reads the column of `core` ("ZEN3") of the file of classes, and from `dir` what it names of another core.
 * Ends the program where they are wrong. */
amd_core *amd_core_read(const char *path, const char *core, const char *dir);

/** Gives `f`, a row's fields, the ports of the core's own numbering, slots, decoding, idioms and latencies.
 */
void amd_complete(const amd_core *c, char **f);

/** The later core whose rows stand in where this one has none; NULL without. */
const char *amd_sibling(const amd_core *c);

#endif
