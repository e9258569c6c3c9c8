/* suite.c - the kernels of a study: tacho's own, which the library carries, or those of a directory. */
#include <ctype.h>
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/suggest.h"
#include "study/kernels/kernels_internal.h"
#include "study/kernels/sources.h"

/* ---- kernels of a directory ---- */

/* The kernels of a directory and of all below it: C files in which a region is started. Folders named
 * "utilities" are passed over, because PolyBench keeps a template there, and links are not followed. With a
 * runtime.c of its own (as --write leaves it) a directory is compiled with that. */

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

static int kernels_scan(tacho_kernels *k, const char *directory, tacho_error *err)
{
    char full[KERNELS_PATH_SIZE + 1], *real = realpath(directory, NULL);
    if (!real)
        return tacho_error_set(err, TACHO_ERR_INPUT, "%.300s: %s", directory, strerror(errno));
    snprintf(full, sizeof full, "%.4000s", real);
    free(real);
    scan s = {.k = k, .root = directory, .err = err};
    return look_into(&s, full, "", 0);
}

/* ---- descriptions ---- */

static bool ends_in(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n > m && !strcmp(text + n - m, end);
}

/* ---- what the first words of a file say: "NAME.c - summary (category, more)." ---- */

enum {
    HEAD_BYTES = 600,
    MAX_RUNTIME_BYTES = 4 << 20
};

/* The first paragraph of the comment that the text begins with, on one line. */
static void read_head(const char *text, char out[HEAD_BYTES])
{
    size_t n = 0;
    const char *at = tacho_starts_with(text, "/*") ? text + 2 : "", *end = strstr(at, "*/");
    while (*at && at < end && n + 2 < HEAD_BYTES) {
        const char *line = at;
        size_t length = strcspn(at, "\n");
        at += length + (at[length] == '\n');
        length = line + length > end ? (size_t)(end - line) : length;
        tacho_str_trim(&line, &length);
        if (length && *line == '*') {
            line++;
            length--;
            tacho_str_trim(&line, &length);
        }
        if (!length)
            break;
        n += (size_t)snprintf(out + n, HEAD_BYTES - n, "%s%.*s", n ? " " : "", (int)length, line);
    }
    out[n < HEAD_BYTES ? n : HEAD_BYTES - 1] = '\0';
}

/* What a terminal would obey is not passed on. */
static void clean(char *text)
{
    for (; *text; text++)
        *text = (unsigned char)*text < ' ' || *text == 0x7f ? '?' : *text;
}

static int describe(tacho_kernels *k, tacho_kernel *out, const char *text, const char *folder)
{
    char head[HEAD_BYTES] = "", below[KERNELS_PATH_SIZE];
    read_head(text, head);
    snprintf(below, sizeof below, "%.4000s", folder);
    clean(head);
    clean(below);
    const char *dash = strstr(head, " - "), *start = dash ? dash + 3 : "";
    const char *open = strstr(start, " ("), *close = open ? strchr(open, ')') : NULL;
    size_t summary = open && close ? (size_t)(open - start) : strcspn(start, ".");
    out->summary = arena_text_n(&k->texts, start, summary);
    out->category = open && close ? arena_text_n(&k->texts, open + 2, strcspn(open + 2, ",;)"))
                                  : arena_text(&k->texts, below);
    return out->summary && out->category ? 0 : TACHO_ERR_MEMORY;
}

/* The file's name as one of a kernel, which is a word of lists and part of files' names: what is no letter,
 * digit, '.', '+', '-' or '_' becomes '_'; with a number behind it where another kernel has it. */
static const char *own_name(tacho_kernels *k, const char *file)
{
    char name[201], unique[256];
    snprintf(name, sizeof name, "%.200s", file);
    for (char *at = name; *at; at++)
        *at = isascii(*at) && (isalnum(*at) || strchr(".+-_", *at)) ? *at : '_';
    snprintf(unique, sizeof unique, "%s", name);
    for (unsigned number = 2;; number++) {
        bool taken = false;
        for (size_t i = 0; i < k->result.kernel_count; i++)
            taken |= !strcmp(k->kernels[i].name, unique);
        if (!taken)
            return arena_text(&k->texts, unique);
        snprintf(unique, sizeof unique, "%s.%u", name, number);
    }
}

int kernels_add_source(tacho_kernels *k, const char *name, const char *path, bool own, const char *folder,
                       const char *text, tacho_error *err)
{
    size_t n = k->result.kernel_count;
    if (tacho_mem_grow(&k->kernels, &k->kernel_capacity, n + 1, sizeof *k->kernels) ||
        tacho_mem_grow(&k->sources, &k->source_capacity, n + 1, sizeof *k->sources))
        return tacho_no_memory(err);
    k->sources[n] = (kernels_source){arena_text(&k->texts, path), kernels_hash(0, text, strlen(text))};
    tacho_kernel *kernel = &k->kernels[n];
    *kernel = (tacho_kernel){.name = own_name(k, name),
                             .path = own ? NULL : k->sources[n].path,
                             .polybench = strstr(text, "polybench_start_instruments")};
    if (!kernel->name || !k->sources[n].path || describe(k, kernel, text, folder))
        return tacho_no_memory(err);
    k->result.kernel_count++;
    return 0;
}

/* ---- our own ---- */

static int write_sources(const char *directory, bool anew, tacho_error *err)
{
    if (mkdir(directory, 0777) && errno != EEXIST)
        return tacho_error_set(err, TACHO_ERR_SYSTEM, "%.300s: cannot be made: %s", directory,
                               strerror(errno));
    for (size_t i = 0; i < tacho_kernels_sources_count; i++) {
        const struct tacho_kernels_source *s = &tacho_kernels_sources[i];
        char path[KERNELS_PATH_SIZE];
        snprintf(path, sizeof path, "%.3800s/%.200s", directory, s->name);
        if (!anew && !access(path, F_OK))
            return tacho_error_set(err, TACHO_ERR_SYSTEM, "%.300s is there already", path);
        if (tacho_scratch_write(directory, s->name, s->text, s->size))
            return tacho_error_set(err, TACHO_ERR_SYSTEM, "%.300s: cannot be written: %s", path,
                                   strerror(errno));
    }
    return 0;
}

int tacho_kernels_write_suite(const char *directory, tacho_error *err)
{
    return write_sources(directory, false, err);
}

static int add_own(tacho_kernels *k, tacho_error *err)
{
    int rc = 0;
    for (size_t i = 0; i < tacho_kernels_sources_count && !rc; i++) {
        const struct tacho_kernels_source *s = &tacho_kernels_sources[i];
        char path[KERNELS_PATH_SIZE], name[200];
        if (!ends_in(s->name, ".c") || !strcmp(s->name, "runtime.c"))
            continue;
        int stem = (int)strlen(s->name) - 2;
        snprintf(name, sizeof name, "%.*s", stem, s->name);
        snprintf(path, sizeof path, "%.3800s/%.190s.c", k->runtime, name);
        rc = kernels_add_source(k, name, path, true, "", s->text, err);
    }
    return rc;
}

/* ---- those that were asked for ---- */

typedef struct choice {
    tacho_kernels *k;
    bool *wanted;
    tacho_error *err;
} choice;

static int choose(void *payload, const char *word, size_t length)
{
    choice *c = payload;
    char name[200];
    tacho_suggest s = {.wanted = name};
    snprintf(name, sizeof name, "%.*s", (int)(length < 199 ? length : 199), word);
    for (size_t i = 0; i < c->k->result.kernel_count; i++) {
        if (!strcmp(c->k->kernels[i].name, name)) {
            c->wanted[i] = true;
            return 0;
        }
        tacho_suggest_offer(&s, c->k->kernels[i].name);
    }
    return tacho_error_set(c->err, TACHO_ERR_USAGE, "there is no kernel '%s'%s", name,
                           tacho_suggest_text(&s));
}

static int keep_chosen(tacho_kernels *k, tacho_error *err)
{
    size_t count = k->result.kernel_count, kept = 0;
    choice c = {k, tacho_mem_zalloc(count + 1, sizeof *c.wanted), err};
    if (!c.wanted)
        return tacho_no_memory(err);
    int rc = kernels_each_word(k->options.kernels, choose, &c);
    for (size_t i = 0; i < count && !rc; i++)
        if (c.wanted[i]) {
            k->kernels[kept] = k->kernels[i];
            k->sources[kept++] = k->sources[i];
        }
    if (!rc)
        k->result.kernel_count = kept;
    tacho_mem_free(c.wanted);
    return rc;
}

/* The runtime is part of what each variant is made of. */
static int hash_runtime(tacho_kernels *k, tacho_error *err)
{
    static const char *const files[] = {"runtime.c", "kernel.h", "hooks.h", "polybench.h"};
    uint64_t h = 1;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[KERNELS_PATH_SIZE], *text;
        size_t size;
        snprintf(path, sizeof path, "%.4000s/%s", k->runtime, files[i]);
        if (tacho_file_read(path, MAX_RUNTIME_BYTES, &text, &size))
            return tacho_error_set(err, TACHO_ERR_INPUT, "%.300s: cannot be read: %s", path, strerror(errno));
        h = kernels_hash(h, text, size);
        tacho_mem_free(text);
    }
    for (size_t i = 0; i < k->result.kernel_count; i++)
        k->sources[i].hash = hash_add(h, k->sources[i].hash);
    return 0;
}

int kernels_find_suite(tacho_kernels *k, tacho_error *err)
{
    char path[KERNELS_PATH_SIZE];
    const char *directory = k->options.directory;
    snprintf(path, sizeof path, "%.4000s/runtime", k->work);
    k->runtime = arena_text(&k->texts, path);
    if (!k->runtime)
        return tacho_no_memory(err);
    int rc = write_sources(k->runtime, true, err)
                 ?: (directory ? kernels_scan(k, directory, err) : add_own(k, err));
    if (!rc && !k->result.kernel_count)
        rc = tacho_error_set(err, TACHO_ERR_INPUT,
                             "%.300s: no kernels in it: no C file calls kernel_start or "
                             "polybench_start_instruments",
                             directory);
    rc = rc || !k->options.kernels ? rc : keep_chosen(k, err);
    return rc ? rc : hash_runtime(k, err);
}
