/* records_read.c - files and folders with optimisation records. What a file holds is seen from its content.
 */
#include <errno.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/gzip_input.h"
#include "base/mem.h"
#include "study/records/records.h"

enum {
    LARGEST_FILE = 1 << 30
};

/* ---- content ---- */

static int take_compressed(records *r, const char *data, size_t size, tacho_error *err)
{
    tacho_str text = {0};
    const char *problem = tacho_gunzip(&text, data, size, LARGEST_FILE);
    int rc = problem ? tacho_error_set(err, TACHO_ERR_INPUT, "%s", problem)
                     : records_gcc(r, text.data ? text.data : "", text.length, err);
    rc = text.failed ? TACHO_ERR_MEMORY : rc;
    tacho_str_free(&text);
    return rc;
}

static bool begins(const char *data, size_t size, const char *with)
{
    size_t n = strlen(with);
    return size >= n && !memcmp(data, with, n);
}

int records_take(records *r, const char *data, size_t size, tacho_error *err)
{
    if (tacho_is_gzip(data, size))
        return take_compressed(r, data, size, err);
    if (begins(data, size, "--- !"))
        return records_clang(r, data, size, err);
    if (begins(data, size, "[{"))
        return records_gcc(r, data, size, err);
    if (begins(data, size, "REMARKS") || begins(data, size, "RMRK"))
        return tacho_error_set(err, TACHO_ERR_INPUT,
                               "of clang's records only YAML is read: -fsave-optimization-record=yaml");
    return records_text(r, data, size, err);
}

/* ---- files ---- */

static int read_file(records *r, const char *path, tacho_error *err)
{
    char *data;
    size_t size;
    tacho_error own = {.message = ""};
    bool is_stdin = !strcmp(path, "-");
    if (is_stdin ? tacho_file_read(path, LARGEST_FILE, &data, &size)
                 : tacho_file_read_regular(path, LARGEST_FILE, &data, &size))
        return tacho_error_set(err, TACHO_ERR_INPUT, "%s: %s", path,
                               errno == ESPIPE ? "this is no file" : strerror(errno));
    int rc = records_take(r, data, size, &own);
    /* of a file without functions clang's record is empty */
    rc = rc == 1 && !size && !is_stdin ? 0 : rc;
    tacho_mem_free(data);
    if (rc == TACHO_ERR_MEMORY)
        return tacho_no_memory(err);
    if (rc)
        return tacho_error_set(err, rc == 1 ? TACHO_ERR_INPUT : rc, "%s: %s", path,
                               rc == 1 ? "there are no remarks of clang or gcc in it" : own.message);
    r->out.files++;
    return 0;
}

static bool is_record(const FTSENT *e)
{
    static const char *const ends[] = {".opt.yaml", ".opt-record.json.gz", ".opt-record.json"};
    for (size_t i = 0; e->fts_info == FTS_F && i < sizeof ends / sizeof *ends; i++) {
        size_t n = strlen(ends[i]);
        if (e->fts_namelen > n && !strcmp(e->fts_name + e->fts_namelen - n, ends[i]))
            return true;
    }
    return false;
}

static int by_file_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

static int read_folder(records *r, const char *path, tacho_error *err)
{
    char *copy = tacho_mem_strndup(path, strlen(path)), *roots[] = {copy, NULL};
    FTS *walk = copy ? fts_open(roots, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, by_file_name) : NULL;
    size_t before = r->out.files;
    int rc = walk ? 0 : tacho_no_memory(err);
    for (FTSENT *e; !rc && (e = fts_read(walk));)
        if (is_record(e))
            rc = read_file(r, e->fts_path, err);
        else if ((e->fts_info == FTS_DNR || e->fts_info == FTS_ERR) && e->fts_errno)
            rc = tacho_error_set(err, TACHO_ERR_INPUT, "%s: %s", e->fts_path, strerror(e->fts_errno));
    if (walk)
        fts_close(walk);
    tacho_mem_free(copy);
    if (!rc && r->out.files == before)
        rc = tacho_error_set(err, TACHO_ERR_INPUT,
                             "%s: no *.opt.yaml (clang) or *.opt-record.json.gz (gcc) in it, or below: "
                             "compile with -fsave-optimization-record",
                             path);
    return rc;
}

int tacho_opt_records_read(tacho_opt_records **out, const char *const *paths, size_t count, tacho_error *err)
{
    records *r = tacho_mem_zalloc(1, sizeof *r);
    struct stat s;
    int rc = 0;
    *out = NULL;
    if (!r)
        return tacho_no_memory(err);
    for (size_t i = 0; i < count && !rc; i++)
        rc = !stat(paths[i], &s) && S_ISDIR(s.st_mode) ? read_folder(r, paths[i], err)
                                                       : read_file(r, paths[i], err);
    r->out.list = r->list;
    r->out.count = r->count;
    if (rc)
        tacho_opt_records_free(&r->out);
    else
        *out = &r->out;
    return rc;
}

void tacho_opt_records_free(tacho_opt_records *out)
{
    records *r = (records *)out;
    if (!r)
        return;
    TACHO_MEM_FREE(r->list, r->kept);
    hash_index_free(&r->texts);
    arena_free(&r->memory);
    tacho_mem_free(r);
}

/* what gcc prints with -fopt-info: "file:line:column: missed:   text". Other lines, such as
 * those of a whole build, are passed over. Lines do not say which pass they are of: of those that do not tell
 * by their words, reasons go with the decision before them. */

enum {
    LONGEST = 4000
};

/* Cuts ":number" off the end. @return false: there is none */
static bool cut_number(char *text, uint32_t *out)
{
    char *colon = strrchr(text, ':'), *end;
    if (!colon || colon == text || colon[1] < '0' || colon[1] > '9')
        return false;
    unsigned long n = strtoul(colon + 1, &end, 10);
    if (*end || n > INT32_MAX)
        return false;
    *colon = '\0';
    *out = (uint32_t)n;
    return true;
}

static char *find_kind(char *line, tacho_remark_kind *kind)
{
    static const struct {
        const char *word;
        tacho_remark_kind kind;
    } kinds[] = {{": optimized: ", TACHO_REMARK_DONE}, {": missed: ", TACHO_REMARK_MISSED}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char *at = strstr(line, kinds[i].word);
        if (!at)
            continue;
        *at = '\0';
        *kind = kinds[i].kind;
        return at + strlen(kinds[i].word);
    }
    return NULL;
}

/* @return 1: it is none; -1: no memory */
static int take_line(records *r, char *line, int *last)
{
    tacho_remark x = {.file = line};
    char *text = find_kind(line, &x.kind);
    if (!text || !cut_number(line, &x.column) || !cut_number(line, &x.line))
        return 1;
    size_t length = strlen(text);
    const char *from = text;
    tacho_str_trim(&from, &length);
    text[from - text + (ptrdiff_t)length] = '\0';
    x.text = from;
    int about = records_about_text(from);
    bool is_reason = x.kind == TACHO_REMARK_MISSED && (about < 0 || !strncmp(from, "not vectorized", 14));
    *last = about < 0 ? *last : about;
    if (*last < 0)
        return 1;
    x.kind = is_reason ? TACHO_REMARK_REASON : x.kind;
    x.about = (tacho_remark_about)*last;
    return records_add(r, &x);
}

int records_text(records *r, const char *data, size_t size, tacho_error *err)
{
    char line[LONGEST];
    bool any = false;
    int last = -1;
    (void)err;
    for (const char *at = data, *end = data + size; at < end;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((stop ? stop : end) - at);
        if (length && length < sizeof line && !memchr(at, '\0', length)) {
            memcpy(line, at, length);
            line[length] = '\0';
            int rc = take_line(r, line, &last);
            if (rc < 0)
                return TACHO_ERR_MEMORY;
            any |= !rc;
        }
        at = stop ? stop + 1 : end;
    }
    return any ? 0 : 1;
}
