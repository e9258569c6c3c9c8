/* cores.c - microarchitectures from files beside the built-in ones. */
#include "app/cli/cores.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "app/cli/cli.h"
#include "app/cli/learn/learnt.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "x86/arch/loaded.h"

static const char ending[] = ".tacho";

/* Those that were read. */
static struct {
    char *path;
    tacho_arch *arch;
} * cores;
static size_t core_count, core_capacity;

void cli_forget_cores(void)
{
    for (size_t i = 0; i < core_count; i++) {
        tacho_mem_free(cores[i].path);
        tacho_arch_free(cores[i].arch);
    }
    tacho_mem_free(cores);
    cores = NULL;
    core_count = core_capacity = 0;
}

/* A name that can only be a file's. */
static bool looks_like_file(const char *name)
{
    size_t length = strlen(name), n = sizeof ending - 1;
    return strchr(name, '/') || (length > n && !strcmp(name + length - n, ending));
}

static bool is_file(const char *name)
{
    struct stat status;
    return !stat(name, &status) && !S_ISDIR(status.st_mode);
}

/* The file's name without folders and ending. */
static char *core_name(const char *path)
{
    const char *base = tacho_base_name(path);
    size_t length = strlen(base), n = sizeof ending - 1;
    return tacho_mem_strndup(base, length > n && !strcmp(base + length - n, ending) ? length - n : length);
}

static int load(const char *path, tacho_arch_load_options *o, tacho_arch **out, tacho_error *err)
{
    char *text, *name = core_name(path);
    size_t size;
    *out = NULL;
    if (tacho_file_read_regular(path, TACHO_MAX_MODEL_BYTES, &text, &size)) {
        tacho_mem_free(name);
        return tacho_error_set(err, TACHO_ERR_INPUT, "%s: %s", path, strerror(errno));
    }
    o->name = name;
    tacho_error why = {.message = ""};
    int rc = tacho_arch_load(out, text, size, o, &why);
    if (rc)
        tacho_error_set(err, rc, "%s: %s", path, why.message);
    tacho_mem_free(text);
    tacho_mem_free(name);
    return rc;
}

static void count_problem(void *context, uint64_t line, const char *text)
{
    (void)line;
    (void)text;
    ++*(size_t *)context;
}

/* Two cores of one name could not be told apart in what is shown. */
static bool keep(const char *path, tacho_arch *arch, tacho_error *err)
{
    for (size_t i = 0; i < core_count; i++)
        if (!strcmp(tacho_arch_name(cores[i].arch), tacho_arch_name(arch))) {
            tacho_error_set(
                err, TACHO_ERR_USAGE,
                "%s and %s are both called %s; 'name ANOTHER' before all rows gives one another name",
                cores[i].path, path, tacho_arch_name(arch));
            return false;
        }
    char *copy = tacho_mem_strndup(path, strlen(path));
    if (!copy || tacho_mem_grow(&cores, &core_capacity, core_count + 1, sizeof *cores)) {
        tacho_mem_free(copy);
        tacho_error_set(err, TACHO_ERR_MEMORY, "out of memory");
        return false;
    }
    cores[core_count].path = copy;
    cores[core_count++].arch = arch;
    return true;
}

static const tacho_arch *from_file(const char *path, tacho_error *err)
{
    size_t problems = 0;
    tacho_arch_load_options o = TACHO_ARCH_LOAD_OPTIONS_INIT;
    tacho_arch *arch;
    tacho_error why;
    for (size_t i = 0; i < core_count; i++)
        if (!strcmp(cores[i].path, path))
            return cores[i].arch;
    o.problem = count_problem;
    o.context = &problems;
    int rc = load(path, &o, &arch, &why);
    if (rc && problems > 1)
        tacho_error_set(err, rc, "%s; %zu more problem%s: tacho arch %s", why.message, problems - 1,
                        tacho_plural(problems - 1), path);
    else if (rc)
        tacho_error_set(err, rc, "%s", why.message);
    if (!rc && keep(path, arch, err))
        return arch;
    tacho_arch_free(arch);
    return NULL;
}

/* A model that cannot be read any more, as by another version, is said to be so once. */
static const tacho_arch *learnt_core(void)
{
    static bool told;
    char path[LEARNT_PATH_SIZE];
    tacho_error why;
    if (!learnt_in_force(path, sizeof path))
        return NULL;
    const tacho_arch *arch = from_file(path, &why);
    if (!arch && !told)
        cli_note("what was learnt of this processor is not used: %s", why.message);
    told = !arch;
    return arch;
}

const tacho_arch *cli_native_core(tacho_error *err)
{
    const tacho_arch *learnt = learnt_core();
    return learnt ? learnt : tacho_arch_find("native", err);
}

bool cli_is_native(const tacho_arch *arch)
{
    return arch && (arch == learnt_core() || tacho_arch_is_native(arch));
}

const tacho_arch *cli_find_core(const char *name, tacho_error *err)
{
    if (tacho_str_same(name, "native"))
        return cli_native_core(err);
    const tacho_arch *arch = looks_like_file(name) ? NULL : tacho_arch_find(name, err);
    if (!arch && (looks_like_file(name) || is_file(name)))
        arch = from_file(name, err);
    return arch;
}

typedef struct told {
    const char *path;
    size_t count;
} told;

static void say_problem(void *context, uint64_t line, const char *text)
{
    told *t = context;
    if (line)
        cli_say_error("%s: line %llu: %s", t->path, (unsigned long long)line, text);
    else
        cli_say_error("%s: %s", t->path, text);
    t->count++;
}

size_t cli_say_problems_of_core(const char *name)
{
    told t = {name, 0};
    tacho_arch_load_options o = TACHO_ARCH_LOAD_OPTIONS_INIT;
    tacho_arch *arch;
    tacho_error err;
    o.problem = say_problem;
    o.context = &t;
    if (looks_like_file(name) || (!tacho_arch_find(name, &err) && is_file(name))) {
        load(name, &o, &arch, &err);
        tacho_arch_free(arch);
    }
    return t.count;
}
