/* toolchain.c - the compilers that are there, and what they can do. */
#include <unistd.h>

#include "base/mem.h"
#include "study/kernels/kernels_internal.h"

enum {
    OUTPUT_BYTES = 1 << 20,
    ASK_SECONDS = 30
};

static bool ask(const tacho_kernels *k, const char *path, const char *const *argv, const char *input,
                tacho_str *out)
{
    tacho_process p = {.path = path,
                       .argv = argv,
                       .env = k->environment,
                       .file = -1,
                       .seconds = ASK_SECONDS,
                       .file_bytes = OUTPUT_BYTES,
                       .stop = kernels_is_stopped,
                       .look = KERNELS_LOOK_SECONDS,
                       .payload = (void *)k};
    tacho_process_end end;
    TACHO_FREED tacho_str errors = {0};
    return !tacho_process_run_text(&p, input, strlen(input), out, &errors, &end) && !end.exit_status &&
           !end.signal;
}

bool kernels_takes_flags(const tacho_kernels *k, const kernels_compiler *c, const char *const *flags)
{
    static const char loop[] = "void f(int n, double *restrict a, double *restrict b) {\n"
                               "    for (int i = 0; i < n; i++)\n"
                               "        for (int j = 0; j < n; j++)\n"
                               "            a[i * 10 + j] += b[j];\n"
                               "}\n";
    const char *argv[KERNELS_MAX_WORDS + 8] = {c->path};
    size_t n = 1;
    for (; *flags && n <= KERNELS_MAX_WORDS; flags++)
        argv[n++] = *flags;
    static const char *const rest[] = {"-S", "-o", "-", "-x", "c", "-"};
    memcpy(argv + n, rest, sizeof rest);
    TACHO_FREED tacho_str out = {0};
    return ask(k, c->path, argv, loop, &out);
}

/* Compilers run in the work directory: a path from here means something else there. @return whether it fits
 */
static bool make_absolute(char path[KERNELS_PATH_SIZE])
{
    char here[KERNELS_PATH_SIZE], relative[KERNELS_PATH_SIZE];
    if (*path == '/')
        return true;
    snprintf(relative, sizeof relative, "%s", path);
    return getcwd(here, sizeof here) &&
           snprintf(path, KERNELS_PATH_SIZE, "%s/%s", here, relative) < KERNELS_PATH_SIZE;
}

/* What it says of itself, which also says which one it is. */
static int examine(tacho_kernels *k, kernels_compiler *c, tacho_error *err)
{
    const char *argv[] = {c->path, "--version", NULL};
    TACHO_FREED tacho_str out = {0};
    bool works = ask(k, c->path, argv, "", &out) && out.length;
    size_t n = works ? strcspn(out.data, "\n") : 0;
    c->is_clang = works && strstr(out.data, "clang");
    c->version = arena_text_n(&k->texts, works ? out.data : "", n);
    return c->version ? 0 : tacho_no_memory(err);
}

/* What its variants are called by. */
static const char *label_of(tacho_kernels *k, const char *name)
{
    const char *base = tacho_base_name(name);
    char label[80];
    snprintf(label, sizeof label, "%.60s", base);
    for (unsigned number = 2;; number++) {
        bool taken = false;
        for (size_t i = 0; i < k->compiler_count; i++)
            taken |= !strcmp(k->compilers[i].label, label);
        if (!taken)
            return arena_text(&k->texts, label);
        snprintf(label, sizeof label, "%.60s.%u", base, number);
    }
}

static bool has_compiler(const tacho_kernels *k, const char *name)
{
    for (size_t i = 0; i < k->compiler_count; i++)
        if (!strcmp(k->compilers[i].name, name))
            return true;
    return false;
}

typedef struct finder {
    tacho_kernels *k;
    tacho_error *err;
} finder;

static int find(void *payload, const char *word, size_t length)
{
    finder *f = payload;
    tacho_kernels *k = f->k;
    if (tacho_mem_grow(&k->compilers, &k->compiler_capacity, k->compiler_count + 1, sizeof *k->compilers))
        return tacho_no_memory(f->err);
    kernels_compiler *c = &k->compilers[k->compiler_count];
    *c = (kernels_compiler){.name = arena_text_n(&k->texts, word, length)};
    c->label = c->name ? label_of(k, c->name) : NULL;
    if (!c->label)
        return tacho_no_memory(f->err);
    if (has_compiler(k, c->name)) /* the list has it twice */
        return 0;
    if (strlen(c->name) > 200)
        return tacho_error_set(f->err, TACHO_ERR_USAGE, "the compiler's name is too long");
    if (!tacho_process_find(c->name, c->path, sizeof c->path) || !make_absolute(c->path))
        return kernels_note(k, 0, f->err, "the compiler %s is not installed%s%s%s", c->name,
                            strchr(c->name, '/') ? "" : " (on Debian: apt-get install ",
                            strchr(c->name, '/') ? "" : c->name, strchr(c->name, '/') ? "" : ")");
    int rc = examine(k, c, f->err);
    if (!rc && !*c->version)
        return kernels_note(k, 0, f->err, "the compiler %s does not answer --version", c->name);
    k->compiler_count += !rc;
    return rc;
}

int kernels_find_compilers(tacho_kernels *k, tacho_error *err)
{
    finder f = {k, err};
    TACHO_FREED tacho_str versions = {0};
    int rc = kernels_each_word(k->options.compilers, find, &f);
    if (rc)
        return rc;
    if (!k->compiler_count)
        return tacho_error_set(err, TACHO_ERR_UNSUPPORTED,
                               "none of the compilers is installed: %.200s (on Debian: apt-get install gcc "
                               "clang)",
                               k->options.compilers);
    for (size_t i = 0; i < k->compiler_count; i++)
        tacho_str_printf(&versions, "%s%s: %s", i ? "\n" : "", k->compilers[i].name, k->compilers[i].version);
    k->result.compilers = versions.failed ? NULL : arena_text(&k->texts, versions.data);
    return k->result.compilers ? 0 : tacho_no_memory(err);
}
