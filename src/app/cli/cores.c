/* cores.c - microarchitectures and memories by what a user calls them: what was learnt of this processor,
 * files of models, descriptions of memory. */
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "app/cli/cli.h"
#include "app/report/measure/report_measure.h"
#include "base/file.h"
#include "base/mem.h"
#include "learn/learn_submit.h"
#include "x86/arch/loaded.h"

static bool is_switched_off(void)
{
    const char *off = getenv("TACHO_NO_LEARNT");
    return off && *off;
}

/* tacho_learnt_path of a model that is there and in force. */
static bool learnt_in_force(char *out, size_t size)
{
    return !is_switched_off() && tacho_learnt_path(out, size) && !access(out, R_OK);
}

/* ---- what there is ---- */

enum {
    MOST_BYTES = 1 << 29,
    DAY = 24 * 60 * 60
};

/* A model in the cache folder. */
typedef struct kept {
    char path[LEARNT_PATH_SIZE];
    char *text;
    double days;
} kept;

static bool find_kept(kept *k)
{
    struct stat st;
    size_t size;
    if (!learnt_in_force(k->path, sizeof k->path) || stat(k->path, &st) ||
        tacho_file_read_regular(k->path, MOST_BYTES, &k->text, &size))
        return false;
    k->days = difftime(time(NULL), st.st_mtime) / DAY;
    return true;
}

/* The next of the comments at its head that say what it is, from `at` on. */
static bool next_remark(const char **at, const char **line, size_t *length)
{
    static const char *const wanted[] = {"# differs ", "# loops, ", "# unrolled, "};
    while (**at == '#' || tacho_starts_with(*at, "tacho model")) {
        *line = *at;
        *length = strcspn(*at, "\n");
        *at += *length + ((*at)[*length] == '\n');
        for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
            if (tacho_starts_with(*line, wanted[i])) {
                *line += 2;
                *length -= 2;
                return true;
            }
    }
    return false;
}

void learnt_text(tacho_str *out)
{
    kept k;
    const char *line;
    size_t length;
    if (!find_kept(&k))
        return;
    tacho_str_printf(
        out, "\nWhat tacho learn found of this processor is what '-a native' means; %.0f day%s old:\n",
        k.days, tacho_plural((unsigned long long)(k.days + 0.5)));
    tacho_str_printf(out, "  %s\n", k.path);
    for (const char *at = k.text; next_remark(&at, &line, &length);)
        tacho_str_printf(out, "  %.*s\n", (int)length, line);
    tacho_mem_free(k.text);
}

json_t *learnt_json(void)
{
    kept k = {.text = NULL};
    const char *line;
    size_t length;
    if (is_switched_off() || !tacho_learnt_path(k.path, sizeof k.path))
        return json_null();
    bool found = find_kept(&k);
    json_t *says = json_array();
    for (const char *at = found ? k.text : ""; next_remark(&at, &line, &length);)
        json_array_append_new(says, json_stringn_nocheck(line, length));
    tacho_mem_free(k.text);
    return json_pack("{s:s, s:o, s:o}", "file", k.path, "days", found ? json_real(k.days) : json_null(),
                     "says", says);
}

/* ---- microarchitectures from files beside the built-in ones ---- */

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

/* ---- descriptions of memory, and their levels ---- */

int cli_memory(tacho_memory *out, const char *name)
{
    TACHO_MEM_FREED char *text = NULL;
    size_t size;
    tacho_error err;
    if (!name)
        return tacho_memory_kept(out, &err) ? cli_input_error("%s", err.message) : CLI_OK;
    if (!tacho_memory_find(out, name, NULL))
        return CLI_OK;
    if (tacho_file_read(name, TACHO_MEMORY_MAX_FILE_BYTES, &text, &size))
        return cli_input_error("%s: %s", name,
                               errno == EFBIG ? "too long for a description of a memory" : strerror(errno));
    const int result = tacho_memory_read(out, text, size, &err);
    return result ? cli_input_error("%s: %s", name, err.message) : CLI_OK;
}

bool cli_memory_fits(const tacho_arch *arch)
{
    const tacho_arch *native = tacho_arch_find("native", NULL);
    return (native && tacho_arch_same_core(native, arch)) || cli_is_native(arch);
}

int cli_memory_of(tacho_memory *out, const char *name, const tacho_arch *arch)
{
    char warning[REPORT_MEMORY_WARNING_SIZE];
    if (!name && !cli_memory_fits(arch))
        return cli_input_error("there is no description of the memory of a machine with %s: 'tacho doctor "
                               "--memory -o FILE' writes one there, --memory FILE reads it",
                               arch->name);
    const int status = cli_memory(out, name);
    if (name && !status && *report_memory_warning(warning, out, arch))
        cli_note("%s", warning);
    return status;
}

int cli_data_level(uint32_t *out, const tacho_memory *m, const char *text)
{
    tacho_error err;
    return tacho_memory_level_named(out, m, text, &err) ? cli_usage_error("--data: %s", err.message) : CLI_OK;
}
