/* relink.h - programs linked by a command of the caller's, with {out} and {objects} in it. */
#ifndef TACHO_BIAS_RELINK_H
#define TACHO_BIAS_RELINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "tacho/error.h"

/* Where tools are run, and until when. */
typedef struct relink_place {
    const char *directory;       /* NULL: this process's */
    char *const *environment;    /* ends in NULL */
    const char *temporary;       /* directory for what they leave behind when they are ended */
    bool (*stop)(void *payload); /* asked when a signal comes: whether to end here; may be NULL */
    void *payload;
} relink_place;

/* The command with its places filled in, for the shell. */
void relink_fill_in(tacho_str *out, const char *command, const char *path, const char *const *objects,
                    uint32_t count);
/* Runs a program to its end, or until `stop` says so. `what`: it in words. @return 0, also where *stopped;
 * TACHO_ERR_INPUT with what it has said */
int relink_run(const relink_place *place, const char *const *argv, const char *what, bool *stopped,
               tacho_error *err);
/* Runs a link command that is filled in, which makes `path`. @return 0, also where *stopped; else an error */
int relink_link(const relink_place *place, const char *command, const char *path, bool *stopped,
                tacho_error *err);

#endif
