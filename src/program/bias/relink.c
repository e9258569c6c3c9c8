/* relink.c - programs linked by a command of the caller's. */
#include "program/bias/relink.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/process.h"

enum {
    LINK_SECONDS = 600,
    MESSAGE_BYTES = 300
};

/* A word for the shell. */
static void put_quoted(tacho_str *out, const char *word)
{
    tacho_str_putc(out, '\'');
    for (const char *c = word; *c; c++)
        if (*c == '\'')
            tacho_str_puts(out, "'\\''");
        else
            tacho_str_putc(out, *c);
    tacho_str_putc(out, '\'');
}

void relink_fill_in(tacho_str *out, const char *command, const char *path, const char *const *objects,
                    uint32_t count)
{
    static const char out_word[] = "{out}", objects_word[] = "{objects}";
    while (*command) {
        if (!strncmp(command, out_word, sizeof out_word - 1)) {
            put_quoted(out, path);
            command += sizeof out_word - 1;
        } else if (!strncmp(command, objects_word, sizeof objects_word - 1)) {
            for (uint32_t i = 0; i < count; i++) {
                tacho_str_putc(out, ' ');
                put_quoted(out, objects[i]);
            }
            command += sizeof objects_word - 1;
        } else {
            tacho_str_putc(out, *command++);
        }
    }
}

/* The environment, but for its temporary files: to be freed with its first word, which is made for it. */
static const char **environment_of(const relink_place *place)
{
    size_t count = 0, kept = 1;
    while (place->environment[count])
        count++;
    const char **out = tacho_mem_zalloc(count + 2, sizeof *out);
    tacho_str set = {0};
    tacho_str_printf(&set, "TMPDIR=%s", place->temporary);
    if (!out || set.failed) {
        tacho_mem_free(out);
        tacho_str_free(&set);
        return NULL;
    }
    out[0] = set.data;
    for (size_t i = 0; i < count; i++)
        if (strncmp(place->environment[i], "TMPDIR=", strlen("TMPDIR=")))
            out[kept++] = place->environment[i];
    return out;
}

static int run_in(const relink_place *place, const char **environment, const char *const *argv,
                  const char *what, bool *stopped, tacho_error *err)
{
    char path[4096];
    tacho_str said = {0};
    tacho_process_end end = {0};
    tacho_process p = {.path = path,
                       .argv = argv,
                       .directory = place->directory,
                       .file = -1,
                       .env = environment,
                       .seconds = LINK_SECONDS,
                       .stop = place->stop,
                       .payload = place->payload,
                       .file_bytes = (size_t)1 << 32};
    if (!tacho_process_find(argv[0], path, sizeof path))
        return tacho_error_set(err, TACHO_ERR_INPUT, "%s: %s is not installed (Debian: binutils)", what,
                               argv[0]);
    int rc = 0;
    if (tacho_process_run_text(&p, "", 0, &said, &said, &end))
        rc = tacho_error_set(err, TACHO_ERR_SYSTEM, "%s: %s", what, strerror(errno));
    else if (end.stopped)
        *stopped = true;
    else if (end.exit_status)
        rc = tacho_error_set(err, TACHO_ERR_INPUT, "%s failed: %.*s", what, MESSAGE_BYTES,
                             said.length     ? said.data
                             : end.timed_out ? "it took too long"
                                             : "without a message");
    tacho_str_free(&said);
    return rc;
}

int relink_run(const relink_place *place, const char *const *argv, const char *what, bool *stopped,
               tacho_error *err)
{
    const char **environment = environment_of(place);
    if (!environment)
        return tacho_no_memory(err);
    int rc = run_in(place, environment, argv, what, stopped, err);
    TACHO_MEM_FREE(environment[0], environment);
    return rc;
}

int relink_link(const relink_place *place, const char *command, const char *path, bool *stopped,
                tacho_error *err)
{
    const char *const shell[] = {"/bin/sh", "-c", command, NULL};
    int rc = relink_run(place, shell, "the link command", stopped, err);
    if (!rc && !*stopped && access(path, X_OK))
        rc = tacho_error_set(err, TACHO_ERR_INPUT, "the link command has not made {out}, or not a program");
    return rc;
}
