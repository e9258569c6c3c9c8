/* bench_read.c - files and folders of results. What a file holds is seen from its content. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "study/import/bench_internal.h"

enum {
    LARGEST_FILE = 512 << 20
};

static const char own_folder[] =
    "new"; /* of criterion: the last run; others are older ones, or comparisons */

/* ---- a file ---- */

static int read_json(const char *path, json_t **out, tacho_error *err)
{
    char *data;
    size_t size;
    json_error_t at;
    *out = NULL;
    bool is_stdin = !strcmp(path, "-");
    if (is_stdin ? tacho_file_read(path, LARGEST_FILE, &data, &size)
                 : tacho_file_read_regular(path, LARGEST_FILE, &data, &size))
        return tacho_error_set(err, TACHO_ERR_INPUT, "%s: %s", path,
                               errno == ESPIPE ? "this is no file" : strerror(errno));
    *out = json_loadb(data, size, 0, &at);
    tacho_mem_free(data);
    if (!*out)
        return tacho_error_set(err, TACHO_ERR_INPUT, "%s: line %d: this is no JSON: %s", path, at.line,
                               at.text);
    return 0;
}

/* What criterion calls the benchmark whose samples these are: it says so in a file beside them, else the
 * folders do. */
static void name_criterion(const char *path, char name[PATH_MAX])
{
    const char *end = strrchr(path, '/');
    int folder = end ? (int)(end - path) + 1 : 0;
    char beside[PATH_MAX];
    json_t *root = NULL;
    tacho_error err;
    snprintf(beside, sizeof beside, "%.*sbenchmark.json", folder, path);
    const char *full = read_json(beside, &root, &err) ? NULL : bench_criterion_name(root);
    if (full) {
        snprintf(name, PATH_MAX, "%s", full);
    } else {
        snprintf(name, PATH_MAX, "%.*s", folder ? folder - 1 : 0, path);
        char *last = strrchr(name, '/');
        if (last && !strcmp(last + 1, own_folder))
            *last = '\0';
        if (!*name)
            snprintf(name, PATH_MAX, "%s", path);
    }
    json_decref(root);
}

static void add_tool(bench_list *l, const char *tool)
{
    l->out.tool = !l->out.tool || !strcmp(l->out.tool, tool) ? tool : "several";
}

static int take_root(bench_list *l, const char *path, const json_t *root, const bench_format *format,
                     tacho_error *err)
{
    char name[PATH_MAX] = "";
    tacho_error own = {.message = ""};
    if (format == &bench_criterion)
        name_criterion(path, name);
    int rc = format->take(l, root, name, &own);
    if (rc == TACHO_ERR_MEMORY)
        return tacho_no_memory(err);
    if (rc)
        return tacho_error_set(err, rc, "%s: %s", path, own.message);
    add_tool(l, format->tool);
    l->out.files++;
    l->file++;
    return 0;
}

/* @return 0; 1: it is of no known format */
static int read_file(bench_list *l, const char *path, tacho_error *err)
{
    json_t *root;
    int rc = read_json(path, &root, err);
    if (rc)
        return rc;
    const bench_format *format = bench_format_of(root);
    rc = format ? take_root(l, path, root, format, err) : 1;
    json_decref(root);
    return rc;
}

static int no_format(const char *path, const char *what, tacho_error *err)
{
    return tacho_error_set(err, TACHO_ERR_INPUT,
                           "%s: %s as hyperfine, Google Benchmark, criterion and pytest-benchmark write them "
                           "in JSON, and no saved baseline",
                           path, what);
}

/* ---- a folder ---- */

static bool ends_in(const FTSENT *e, const char *end)
{
    size_t n = strlen(end);
    return e->fts_namelen >= n && !strcmp(e->fts_name + e->fts_namelen - n, end);
}

/* Of criterion's samples only the newest count. */
static bool is_wanted(const FTSENT *e)
{
    if (e->fts_info != FTS_F || !ends_in(e, ".json"))
        return false;
    return strcmp(e->fts_name, "sample.json") || !strcmp(e->fts_parent->fts_name, own_folder) ||
           e->fts_level == 1;
}

static int by_file_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

static int read_folder(bench_list *l, const char *path, tacho_error *err)
{
    char *copy = tacho_mem_strndup(path, strlen(path)), *roots[] = {copy, NULL};
    FTS *walk = copy ? fts_open(roots, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, by_file_name) : NULL;
    int rc = 0;
    if (!walk) {
        tacho_mem_free(copy);
        return tacho_no_memory(err);
    }
    for (FTSENT *e; rc >= 0 && (e = fts_read(walk));)
        if (is_wanted(e))
            rc = read_file(l, e->fts_path, err);
        else if ((e->fts_info == FTS_DNR || e->fts_info == FTS_ERR) && e->fts_errno)
            rc = tacho_error_set(err, TACHO_ERR_INPUT, "%s: %s", e->fts_path, strerror(e->fts_errno));
    fts_close(walk);
    tacho_mem_free(copy);
    return rc < 0 ? rc : l->out.files ? 0 : no_format(path, "no file in it, or below, has results", err);
}

static int read_path(bench_list *l, const char *path, tacho_error *err)
{
    struct stat s;
    if (!stat(path, &s) && S_ISDIR(s.st_mode))
        return read_folder(l, path, err);
    int rc = read_file(l, path, err);
    return rc > 0 ? no_format(path, "these are no results", err) : rc;
}

int tacho_benchmarks_read(tacho_benchmarks **out, const char *path, tacho_benchmark_time time,
                          tacho_error *err)
{
    bench_list *l = tacho_mem_zalloc(1, sizeof *l);
    *out = NULL;
    if (!l)
        return tacho_no_memory(err);
    l->time = time;
    int rc = read_path(l, path, err);
    if (!rc && bench_finish(l))
        rc = tacho_no_memory(err);
    if (!rc && !l->out.count)
        rc = tacho_error_set(err, TACHO_ERR_INPUT, "%s: there are no benchmarks in it", path);
    if (rc)
        bench_list_free(l);
    else
        *out = &l->out;
    return rc;
}

void tacho_benchmarks_free(tacho_benchmarks *b)
{
    if (b)
        bench_list_free((bench_list *)b);
}

int tacho_benchmarks_write(const tacho_benchmarks *b, char **out, tacho_error *err)
{
    json_t *json = bench_saved_json(b);
    char *text = json ? json_dumps(json, JSON_INDENT(1) | JSON_REAL_PRECISION(12)) : NULL;
    *out = text ? tacho_mem_strndup(text, strlen(text)) : NULL;
    json_decref(json);
    free(text);
    return *out ? 0 : tacho_no_memory(err);
}

void tacho_benchmarks_text_free(char *text)
{
    tacho_mem_free(text);
}
