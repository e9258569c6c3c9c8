/* bias_variants.c - places of factors that need another path, environment or directory. */
#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/process.h"
#include "base/file.h"
#include "program/bias/bias_internal.h"

/* ---- factors that need another layout only ---- */

int series_reserve(bias *b, bias_series *s, uint32_t count)
{
    s->places = bias_alloc(b, count * sizeof *s->places);
    if (!s->places)
        return TACHO_ERR_MEMORY;
    for (uint32_t i = 0; i < count; i++)
        s->places[i] = (bias_place){.position = NAN, .layout = b->base, .command = b->command};
    s->count = count;
    return 0;
}

int series_reserve_steps(bias *b, bias_series *s, uint32_t span)
{
    const uint32_t step = s->step_bytes;
    int rc = series_reserve(b, s, span > step ? span / step : 1);
    for (uint32_t i = 0; i < s->count && !rc; i++) {
        s->places[i].position = i * step;
        s->places[i].label = bias_text(b, "+%u bytes", i * step);
        rc = s->places[i].label ? 0 : TACHO_ERR_MEMORY;
    }
    return rc;
}

int series_move(bias *b, tacho_bias_kind kind, uint32_t bytes, bias_place *place)
{
    place->position = bytes;
    if (kind == TACHO_BIAS_ENVIRONMENT)
        place->layout.environment_bytes = bytes;
    else if (kind == TACHO_BIAS_STACK)
        place->layout.stack_bytes = bytes;
    else if (kind == TACHO_BIAS_HEAP)
        place->layout.heap_bytes = bytes;
    else if (kind == TACHO_BIAS_MAPPINGS)
        place->layout.mmap_pages = bytes / PLACE_PAGE;
    else if (kind == TACHO_BIAS_BUFFERS)
        return variants_shift_buffers(b, place, bytes);
    return 0;
}

/* The same; series_move makes them. */
static int series_fill(bias *b, bias_series *s, uint32_t span)
{
    int rc = series_reserve_steps(b, s, span);
    for (uint32_t i = 0; i < s->count && !rc; i++)
        rc = series_move(b, s->kind, i * s->step_bytes, &s->places[i]);
    return rc;
}

enum {
    NAME_BYTES = 200, /* of a component of a long name; file systems allow 255 */
    STATIC_PROGRAM = 1,
    SET_ID_PROGRAM = 2
};

char **variants_environment(bias *b, char *const *from, const char *const *set, size_t set_count)
{
    size_t count = 0, kept = 0;
    while (from[count])
        count++;
    char **out = bias_alloc(b, (count + set_count + 1) * sizeof *out);
    for (size_t i = 0; out && i < count; i++) {
        bool replaced = false;
        for (size_t j = 0; j < set_count; j++)
            replaced |= !strncmp(from[i], set[j], strcspn(set[j], "=") + 1);
        if (!replaced)
            out[kept++] = from[i];
    }
    for (size_t j = 0; out && j < set_count; j++)
        if (!(out[kept++] = (char *)(uintptr_t)bias_text(b, "%s", set[j])))
            return NULL;
    return out;
}

/* ---- the program's path ---- */

/* The same file by a longer name: DIRECTORY/././FILE. @return NULL with *b->err */
static char **longer_path(bias *b, const char *path, uint32_t bytes)
{
    size_t length = strlen(path);
    char *name = bias_alloc(b, length + bytes + 1);
    if (!name)
        return NULL;
    size_t directory = (size_t)(strrchr(path, '/') + 1 - path);
    memcpy(name, path, directory);
    for (uint32_t i = 0; i < bytes; i++)
        name[directory + i] = i % 2 ? '/' : '.';
    memcpy(name + directory + bytes, path + directory, length - directory);
    return bias_with_program(b, name);
}

static int make_argument(bias *b, bias_series *s)
{
    char path[PATH_MAX];
    int rc = tacho_process_find_command(b->command.argv[0], path, sizeof path, b->err);
    if (rc)
        return rc;
    if (!strchr(path, '/') || strlen(path) >= PATH_MAX / 4) {
        s->out->missing = "the program's path is too long already";
        return 0;
    }
    /* The path is on the stack twice: as argument 0 and as what was executed. */
    uint32_t span = (uint32_t)fmin(b->options.span_bytes / 2, (PATH_MAX - strlen(path) - 2) / 16 * 16);
    rc = series_reserve_steps(b, s, span);
    for (uint32_t i = 0; i < s->count && !rc; i++) {
        s->places[i].command.argv = longer_path(b, path, i * s->step_bytes);
        rc = s->places[i].command.argv ? 0 : TACHO_ERR_MEMORY;
    }
    return rc;
}

/* ---- the current directory ---- */

/* Makes a link of this length to where the command is to run, in directories of long names. */
static const char *make_link(bias *b, const char *target, const char *base, uint32_t length)
{
    tacho_str path = {0};
    bool ok = true;
    tacho_str_printf(&path, "%s/d", base);
    while (!path.failed && length > path.length + NAME_BYTES + 2) {
        ok = ok && (!mkdir(path.data, 0700) || errno == EEXIST);
        tacho_str_putc(&path, '/');
        for (int i = 0; i < NAME_BYTES; i++)
            tacho_str_putc(&path, 'd');
    }
    ok = ok && !path.failed && (!mkdir(path.data, 0700) || errno == EEXIST);
    tacho_str_putc(&path, '/');
    while (!path.failed && path.length < length)
        tacho_str_putc(&path, 'l');
    const char *out = NULL;
    if (path.failed)
        tacho_no_memory(b->err);
    else if (!ok || (symlink(target, path.data) && errno != EEXIST))
        tacho_error_set(b->err, TACHO_ERR_SYSTEM, "%s: %s", path.data, strerror(errno));
    else
        out = bias_text(b, "%s", path.data);
    tacho_str_free(&path);
    return out;
}

static int make_directory(bias *b, bias_series *s)
{
    enum {
        SPAN = 2048 /* and what lies before it, within PATH_MAX */
    };
    char target[PATH_MAX];
    const char *base = bias_directory(b);
    if (!base)
        return TACHO_ERR_SYSTEM;
    if (!realpath(b->command.directory ? b->command.directory : ".", target))
        return tacho_error_set(b->err, TACHO_ERR_INPUT, "%s: %s",
                               b->command.directory ? b->command.directory : ".", strerror(errno));
    uint32_t span = b->options.span_bytes < SPAN ? b->options.span_bytes : SPAN;
    uint32_t first = (uint32_t)strlen(base) + 16, room = first < PATH_MAX ? PATH_MAX - first : 0;
    if (room < span) {
        s->out->missing =
            "the name of the directory for temporary files (TMPDIR) is too long to be made longer";
        return 0;
    }
    int rc = series_reserve_steps(b, s, span);
    for (uint32_t i = 0; i < s->count && !rc; i++) {
        bias_place *place = &s->places[i];
        place->command.directory = make_link(b, target, base, first + i * s->step_bytes);
        if (!place->command.directory)
            return b->err->code;
        const char *pwd = bias_text(b, "PWD=%s", place->command.directory);
        place->command.environment = pwd ? variants_environment(b, b->environment, &pwd, 1) : NULL;
        rc = place->command.environment ? 0 : TACHO_ERR_MEMORY;
    }
    return rc;
}

/* ---- allocators ---- */

/* What is special about the program's file: STATIC_PROGRAM, SET_ID_PROGRAM. */
static int examine_program(const bias *b)
{
    char path[PATH_MAX];
    Elf64_Ehdr head;
    struct stat st;
    int out = 0;
    int fd =
        tacho_process_find(b->command.argv[0], path, sizeof path) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0)
        return 0;
    if (!fstat(fd, &st) && st.st_mode & (S_ISUID | S_ISGID))
        out |= SET_ID_PROGRAM;
    if (read(fd, &head, sizeof head) == sizeof head && !memcmp(head.e_ident, ELFMAG, SELFMAG)) {
        bool interpreted = false;
        for (unsigned i = 0; i < head.e_phnum; i++) {
            Elf64_Phdr p;
            off_t at = (off_t)(head.e_phoff + i * (uint64_t)head.e_phentsize);
            interpreted |= pread(fd, &p, sizeof p, at) == sizeof p && p.p_type == PT_INTERP;
        }
        out |= interpreted ? 0 : STATIC_PROGRAM;
    }
    close(fd);
    return out;
}

/* Says why no library can be put before the program's. */
static bool cannot_preload(const bias *b, bias_series *s)
{
    int what = examine_program(b);
    if (what & STATIC_PROGRAM)
        s->out->missing = "the program is linked statically, with its allocator";
    else if (what & SET_ID_PROGRAM)
        s->out->missing =
            "the program is set-user-ID or set-group-ID: the dynamic linker takes no other library for it";
    return s->out->missing != NULL;
}

/* The libraries that the caller has before the program's own. */
static const char *preloaded_already(char *const *environment)
{
    for (char *const *e = environment; *e; e++)
        if (!strncmp(*e, "LD_PRELOAD=", 11))
            return *e + 11;
    return "";
}

typedef struct allocator {
    const char *label, *library, *tunables;
} allocator;

static const char *find_library(bias *b, const char *name)
{
    static const char *const folders[] = {"/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/local/lib",
                                          "/usr/lib"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        const char *path = bias_text(b, "%s/%s", folders[i], name);
        if (path && !access(path, R_OK))
            return path;
    }
    return NULL;
}

/* Each variant has the same variables, and as many bytes of them, so that the stack stays where it is. */
static int put_allocator(bias *b, bias_place *place, const allocator *a, size_t most)
{
    const char *set[2];
    const char *before = preloaded_already(b->environment), *library = a->library ? a->library : "";
    const char *separator = *before && *library ? ":" : "";
    set[0] = bias_text(b, "LD_PRELOAD=%s%s%s", library, separator, before);
    set[1] = bias_text(b, "GLIBC_TUNABLES=%s", a->tunables);
    if (!set[0] || !set[1] || !(place->command.environment = variants_environment(b, b->environment, set, 2)))
        return TACHO_ERR_MEMORY;
    place->label = a->label;
    place->layout.environment_bytes =
        (uint32_t)(most - strlen(library) - strlen(separator) - strlen(a->tunables));
    return 0;
}

static int make_allocator(bias *b, bias_series *s)
{
    allocator list[] = {{"as it is", NULL, ""},
                        {"mmap_max=0", NULL, "glibc.malloc.mmap_max=0"},
                        {"mmap_threshold=4096", NULL, "glibc.malloc.mmap_threshold=4096"},
                        {"top_pad=1048576", NULL, "glibc.malloc.top_pad=1048576"},
                        {"tcache_count=0", NULL, "glibc.malloc.tcache_count=0"},
                        {"jemalloc", "libjemalloc.so.2", ""},
                        {"tcmalloc", "libtcmalloc_minimal.so.4", ""},
                        {"mimalloc", "libmimalloc.so.2", ""}};
    const size_t count = sizeof list / sizeof *list;
    size_t most = 0, kept = 0;
    if (cannot_preload(b, s))
        return 0;
    for (size_t i = 0; i < count; i++) {
        allocator a = list[i];
        if (a.library && !(a.library = find_library(b, a.library)))
            continue;
        list[kept++] = a;
        size_t bytes = (a.library ? strlen(a.library) + 1 : 0) + strlen(a.tunables);
        most = bytes > most ? bytes : most;
    }
    int rc = series_reserve(b, s, (uint32_t)kept);
    s->step_bytes = 0;
    for (size_t i = 0; i < kept && !rc; i++)
        rc = put_allocator(b, &s->places[i], &list[i], most);
    return rc;
}

/* ---- large allocations ---- */

/* Our own library that moves them (preload.c), written out. */
static const char *write_preload(bias *b)
{
    const char *folder = bias_directory(b), *path = folder ? bias_text(b, "%s/shift.so", folder) : NULL;
    if (!path || !access(path, R_OK) ||
        !tacho_scratch_write(folder, "shift.so", bias_preload_image, bias_preload_image_size))
        return path;
    tacho_error_set(b->err, TACHO_ERR_SYSTEM, "%s: %s", path, strerror(errno));
    return NULL;
}

/* The dynamic linker reads spaces and colons as ends of names, and what follows a '$' as something else. */
static bool can_be_preloaded(const char *path)
{
    return !path[strcspn(path, ": \t\n$")];
}

bool variants_can_shift(bias *b)
{
    const char *folder = bias_directory(b);
    return folder && can_be_preloaded(folder);
}

int variants_shift_buffers(bias *b, bias_place *place, uint32_t bytes)
{
    char *const *from = place->command.environment ? place->command.environment : b->environment;
    const char *set[2], *library = write_preload(b), *before = preloaded_already(from);
    if (!library)
        return b->err->code;
    size_t length = strlen(library);
    bool there = !strncmp(before, library, length); /* as when a place is moved on */
    set[0] = bias_text(b, "LD_PRELOAD=%s%s%s", there ? "" : library, *before && !there ? ":" : "", before);
    set[1] = bias_text(b, "TACHO_SHIFT=%06u", bytes);
    place->command.environment = set[0] && set[1] ? variants_environment(b, from, set, 2) : NULL;
    return place->command.environment ? 0 : TACHO_ERR_MEMORY;
}

bool variants_are_glibc(const bias_place *place)
{
    return !place->command.environment || !*preloaded_already(place->command.environment);
}

static int make_buffers(bias *b, bias_series *s)
{
    if (cannot_preload(b, s))
        return 0;
    if (!variants_can_shift(b)) {
        s->out->missing =
            "the dynamic linker takes no library from a directory with a space, ':' or '$' in its "
            "name (TMPDIR)";
        return b->err->code;
    }
    s->period_bytes = PLACE_PAGE;
    return series_fill(b, s, b->options.span_bytes < PLACE_PAGE ? b->options.span_bytes : PLACE_PAGE);
}

/* ---- any factor ---- */

static int make_shifts(bias *b, bias_series *s)
{
    enum {
        MAPPED_PAGES = 64 /* by default: what the sets of a second-level cache of 256 KB a way repeat after */
    };
    bool mappings = s->kind == TACHO_BIAS_MAPPINGS;
    uint32_t span = b->options.span_bytes;
    if (mappings && span < MAPPED_PAGES * PLACE_PAGE)
        span = MAPPED_PAGES * PLACE_PAGE;
    s->step_bytes = mappings ? PLACE_PAGE : s->step_bytes;
    s->period_bytes = mappings ? NAN : PLACE_PAGE;
    return series_fill(b, s, span);
}

int series_make(bias *b, bias_series *s)
{
    s->period_bytes = NAN;
    switch (s->kind) {
    case TACHO_BIAS_ARGUMENT:
        return make_argument(b, s);
    case TACHO_BIAS_DIRECTORY:
        return make_directory(b, s);
    case TACHO_BIAS_ALLOCATOR:
        return make_allocator(b, s);
    case TACHO_BIAS_BUFFERS:
        return make_buffers(b, s);
    case TACHO_BIAS_LINK_ORDER:
    case TACHO_BIAS_CODE:
        if (!b->options.link)
            s->out->missing = "needs object files and a link command";
        return !b->options.link ? 0 : s->kind == TACHO_BIAS_CODE ? link_code(b, s) : link_orders(b, s);
    default:
        return make_shifts(b, s);
    }
}
