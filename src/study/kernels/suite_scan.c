/* suite_scan.c - the kernels of a directory and of all below it: C files in which a region is started.
 * Folders named "utilities" are passed over, because PolyBench keeps a template there, and links are not
 * followed. With a runtime.c of its own (as --write leaves it) a directory is compiled with that. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/mem.h"
#include "study/kernels/kernels_internal.h"

enum {
    MAX_DEPTH = 16,
    MAX_FILES = 20000,
    MAX_FILE_BYTES = 4 << 20
};

typedef struct scan {
    tacho_kernels *k;
    const char *root;
    unsigned files;
    tacho_error *err;
} scan;

static int look_at_file(scan *s, const char *path, const char *name, const char *folder)
{
    char *text, base[256];
    size_t size;
    int rc = 0;
    if (++s->files > MAX_FILES)
        return tacho_error_set(s->err, TACHO_ERR_LIMIT, "%.300s: more than %d C files", s->root, MAX_FILES);
    if (tacho_file_read(path, MAX_FILE_BYTES, &text, &size))
        return kernels_note(s->k, 0, s->err, "%.160s: cannot be read: %s", path, strerror(errno));
    if (strstr(text, "tacho_kernel_hooks")) { /* a runtime */
        char here[KERNELS_PATH_SIZE];
        snprintf(here, sizeof here, "%.*s", (int)(strlen(path) - strlen(name) - 1), path);
        s->k->runtime = arena_text(&s->k->texts, here);
        rc = s->k->runtime ? 0 : tacho_no_memory(s->err);
    } else if (strstr(text, "kernel_start") || strstr(text, "polybench_start_instruments")) {
        snprintf(base, sizeof base, "%.*s", (int)strlen(name) - 2, name);
        rc = kernels_add_source(s->k, base, path, false, folder, text, s->err);
    }
    tacho_mem_free(text);
    return rc;
}

static int look_into(scan *s, const char *path, const char *folder, int depth);

static int look_at(scan *s, const char *directory, const char *name, const char *folder, int depth)
{
    char path[KERNELS_PATH_SIZE], below[KERNELS_PATH_SIZE];
    struct stat st;
    size_t n = strlen(name);
    if (snprintf(path, sizeof path, "%s/%s", directory, name) >= (int)sizeof path || lstat(path, &st))
        return 0;
    if (S_ISDIR(st.st_mode)) {
        snprintf(below, sizeof below, "%.3800s%s%.200s", folder, *folder ? "/" : "", name);
        return !strcmp(name, "utilities") ? 0 : look_into(s, path, below, depth + 1);
    }
    return S_ISREG(st.st_mode) && n > 2 && !strcmp(name + n - 2, ".c") ? look_at_file(s, path, name, folder)
                                                                       : 0;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int visible(const struct dirent *e)
{
    return e->d_name[0] != '.';
}

static int look_into(scan *s, const char *path, const char *folder, int depth)
{
    struct dirent **entries;
    if (depth > MAX_DEPTH)
        return 0;
    int count = scandir(path, &entries, visible, by_name), rc = 0;
    if (count < 0 && !depth)
        return tacho_error_set(s->err, TACHO_ERR_INPUT, "%.300s: cannot be read: %s", path, strerror(errno));
    if (count < 0)
        return kernels_note(s->k, 0, s->err, "%.160s: cannot be read: %s", path, strerror(errno));
    for (int i = 0; i < count; i++) {
        if (!rc)
            rc = look_at(s, path, entries[i]->d_name, folder, depth);
        free(entries[i]);
    }
    free(entries);
    return rc;
}

int kernels_scan(tacho_kernels *k, const char *directory, tacho_error *err)
{
    char full[KERNELS_PATH_SIZE + 1], *real = realpath(directory, NULL);
    if (!real)
        return tacho_error_set(err, TACHO_ERR_INPUT, "%.300s: %s", directory, strerror(errno));
    snprintf(full, sizeof full, "%.4000s", real);
    free(real);
    scan s = {.k = k, .root = directory, .err = err};
    return look_into(&s, full, "", 0);
}
