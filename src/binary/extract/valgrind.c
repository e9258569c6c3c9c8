/* valgrind.c - a run under valgrind's callgrind, which counts each instruction.
 *
 * Callgrind keeps its counts over fork, so they would be counted twice, and loses them at exec. A program
 * that is executed in the same process writes files of the same names. So callgrind is told to write and
 * reset its counts before the functions that fork and execute; valgrind itself is traced for these events,
 * and its files are read and removed as they happen. */
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/process.h"
#include "binary/extract/callgrind.h"
#include "binary/extract/extract_run.h"
#include "binary/extract/tracer.h"

/* ---- callgrind's output files ---- */

/* The format: Valgrind manual, "Callgrind Format Specification", version 1. With --dump-instr=yes, a line of
 * costs is the address of an instruction in its file and how often it was executed. Addresses may be relative
 * to the one before. The line after "calls=" is the cost of the called function, which is counted elsewhere.
 * A string instruction with a repeat prefix counts for each of its iterations, and as a jump to itself. */

enum {
    MAX_FILE_BYTES = 1 << 30,
    MAX_NAMES = 1 << 20
};

/* In place of an object's number. */
enum {
    NO_FILE = -1,
    NO_MEMORY = -2,
    NOT_NAMED = -3,
    OF_VALGRIND = -4, /* its own code, which the program does not have */
};

typedef struct reader {
    callgrind_counts *counts;
    int64_t *objects; /* by callgrind's number: ours, or one of the above */
    size_t object_count, object_capacity;
    int64_t object;
    uint64_t address;
    bool skip_next; /* the line is that after "calls=" or a jump */
    uint64_t jumps; /* that led to the target, before such a line; of calls 0 */
    uint64_t jump_target;
    bool by_address;
    callgrind_file *file;
} reader;

bool callgrind_is_valgrinds(const char *path)
{
    return tacho_starts_with(tacho_base_name(path), "vgpreload_") || strstr(path, "/valgrind/");
}

static int64_t object_of(callgrind_counts *c, const char *path)
{
    if (!strcmp(path, "???"))
        return NO_FILE;
    if (callgrind_is_valgrinds(path))
        return OF_VALGRIND;
    uint64_t hash = hash_bytes(path, strlen(path));
    hash_probe p = hash_find(&c->by_path, hash);
    while (hash_next(&p) && strcmp(c->objects[p.item], path) != 0)
        continue;
    if (p.item != HASH_INDEX_NONE)
        return p.item;
    if (tacho_mem_grow(&c->objects, &c->object_capacity, c->object_count + 1, sizeof *c->objects) ||
        hash_add_item(&c->by_path, hash, (uint32_t)c->object_count) ||
        !(c->objects[c->object_count] = tacho_mem_strndup(path, strlen(path))))
        return NO_MEMORY;
    return (int64_t)c->object_count++;
}

/* "(3) /path", or "(3)" where it was named before, into *out. @return false when memory runs out */
static bool take_object(reader *r, char *text, int64_t *out)
{
    char *end;
    unsigned long number = *text == '(' ? strtoul(text + 1, &end, 10) : 0;
    if (*text != '(' || *end != ')' || number >= MAX_NAMES)
        return true;
    while (r->object_count <= number) {
        if (tacho_mem_grow(&r->objects, &r->object_capacity, r->object_count + 1, sizeof *r->objects))
            return false;
        r->objects[r->object_count++] = NOT_NAMED;
    }
    end += 1 + (end[1] == ' ');
    if (*end && (r->objects[number] = object_of(r->counts, end)) == NO_MEMORY)
        return false;
    *out = r->objects[number];
    return true;
}

/* An address: absolute, "*" the last one, "+N" or "-N" relative to it. @return where the text goes on, NULL:
 * none */
static char *take_address(const reader *r, char *text, uint64_t *out)
{
    char *end = text + 1;
    if (*text == '*')
        *out = r->address;
    else if (*text == '+')
        *out = r->address + strtoull(text + 1, &end, 10);
    else if (*text == '-')
        *out = r->address - strtoull(text + 1, &end, 10);
    else
        *out = strtoull(text, &end, 0);
    return end > text && (*end == ' ' || !*end) ? end : NULL;
}

static bool add(tacho_bytemap *map, uint32_t object, uint64_t address, uint64_t count)
{
    uint8_t key[EXTRACT_PLACE_BYTES];
    extract_place_key(key, object, address);
    tacho_bytemap_entry *e = tacho_bytemap_at(map, key, sizeof key);
    if (e)
        e->count += count;
    return e;
}

/* The object, and the address in it, of an address as the file has it. */
static int64_t place_of(const reader *r, int64_t object, uint64_t place, uint64_t *address)
{
    *address = place;
    if (object != NO_FILE || !r->file->locate)
        return object;
    const char *path = r->file->locate(place, address, r->file->payload);
    return path ? object_of(r->counts, path) : NO_FILE;
}

/* "jump=N TARGET", "jcnd=TAKEN/N TARGET", before the line with the address of the jump. */
static void take_jump(reader *r, char *text)
{
    char *end;
    r->jumps = strtoull(text, &end, 10);
    end += strcspn(end, " ");
    end += *end == ' ';
    if (!take_address(r, end, &r->jump_target))
        r->jumps = 0;
}

/* The line after "calls=" or a jump. What it says of the place is relative to the last line of costs, and the
 * next one is, too. */
static bool take_source(reader *r, char *line)
{
    uint64_t jumps = r->jumps, source, address;
    r->skip_next = false;
    r->jumps = 0;
    if (!jumps || !take_address(r, line, &source) || source != r->jump_target)
        return true;
    int64_t object = place_of(r, r->object, source, &address);
    return object >= 0 ? add(&r->counts->repeated, (uint32_t)object, address, jumps) : object != NO_MEMORY;
}

static bool take_cost(reader *r, char *line)
{
    if (r->skip_next)
        return take_source(r, line);
    char *rest = take_address(r, line, &r->address);
    uint64_t address, count = rest ? strtoull(rest, NULL, 10) : 0;
    if (!count)
        return true;
    int64_t object = place_of(r, r->object, r->address, &address);
    if (object >= 0 && r->counts->costs)
        r->counts->costs(r->counts->payload, (uint32_t)object, address, rest + 1);
    if (object >= 0)
        return add(&r->counts->executed, (uint32_t)object, address, count);
    if (object != OF_VALGRIND)
        r->counts->unknown += count;
    return object != NO_MEMORY;
}

static bool take_line(reader *r, char *line)
{
    static const char range[] = "desc: Timerange: Basic block ";
    int64_t callee; /* what is called may be named here, and only here */
    if (tacho_starts_with(line, "ob="))
        return take_object(r, line + 3, &r->object);
    if (tacho_starts_with(line, "cob="))
        return take_object(r, line + 4, &callee);
    const bool jumps = tacho_starts_with(line, "jump=") || tacho_starts_with(line, "jcnd=");
    if (jumps)
        take_jump(r, line + 5);
    if (jumps || tacho_starts_with(line, "calls="))
        r->skip_next = true;
    else if (!strcmp(line, "positions: instr"))
        r->by_address = true;
    else if (!strncmp(line, range, sizeof range - 1))
        r->file->from_start = line[sizeof range - 1] == '0';
    else if ((*line >= '0' && *line <= '9') || *line == '+' || *line == '-' || *line == '*')
        return take_cost(r, line);
    return true;
}

int callgrind_parse(callgrind_counts *c, char *text, callgrind_file *file, tacho_error *err)
{
    reader r = {.counts = c, .object = NO_FILE, .file = file};
    bool ok = true;
    file->from_start = false;
    for (char *line = text, *next; *line && ok; line = next) {
        size_t n = strcspn(line, "\n");
        next = line + n + (line[n] == '\n');
        line[n] = '\0';
        ok = take_line(&r, line);
    }
    tacho_mem_free(r.objects);
    if (!ok)
        return tacho_no_memory(err);
    return r.by_address ? 0 : tacho_error_set(err, TACHO_ERR_INPUT, "no file of callgrind's with addresses");
}

/* Adds a file. @return 0; TACHO_ERR_INPUT: it is none of callgrind's, with counts of instructions;
 * TACHO_ERR_SYSTEM: it cannot be read; TACHO_ERR_MEMORY */
static int parse_file(callgrind_counts *c, const char *path, callgrind_file *file, tacho_error *err)
{
    TACHO_MEM_FREED char *text = NULL;
    size_t size;
    if (tacho_file_read(path, MAX_FILE_BYTES, &text, &size))
        return tacho_error_set(err, TACHO_ERR_SYSTEM, "%.200s: cannot be read: %s", path, strerror(errno));
    return callgrind_parse(c, text, file, err);
}

void callgrind_free(callgrind_counts *c)
{
    for (size_t i = 0; i < c->object_count; i++)
        tacho_mem_free(c->objects[i]);
    tacho_mem_free(c->objects);
    hash_index_free(&c->by_path);
    tacho_bytemap_free(&c->executed);
    tacho_bytemap_free(&c->repeated);
}

/* ---- the run ---- */

enum {
    GRACE_SECONDS = 5, /* to write the counts */
    MAX_FILES = 1 << 20,
    MAX_LOG_BYTES = 1 << 24
};

typedef struct counting {
    char directory[RUN_DIRECTORY_SIZE];
    callgrind_counts counts;
    uint64_t without; /* processes that left no counts */
    uint64_t cut;     /* whose counts are not whole */
    uint64_t twice;   /* that began with those of their parent */
    uint64_t broken;  /* in which valgrind itself failed */
    char why[120];    /* what it said */
    char first[160];  /* the first thing that it said at all; "" */
    int rc;
    tacho_error *err;
} counting;

bool run_has_valgrind(void)
{
    char path[RUN_DIRECTORY_SIZE];
    return tacho_process_find("valgrind", path, sizeof path);
}

/* ---- its files ---- */

typedef struct place_finder {
    tracer *tracer;
    space *space;
    pid_t pid;
} place_finder;

static const char *locate(uint64_t address, uint64_t *in_file, void *payload)
{
    const place_finder *f = payload;
    return space_locate(f->tracer, f->space, f->pid, address, in_file);
}

static bool read_file(counting *c, const char *path, bool forked, place_finder *places)
{
    callgrind_file file = {places->space ? locate : NULL, places, false};
    if (access(path, R_OK))
        return false;
    int rc = parse_file(&c->counts, path, &file, c->err);
    if (rc == TACHO_ERR_INPUT) { /* cut off: the process was killed while it wrote, or the disk is full */
        c->cut++;
        rc = 0;
    } else if (!rc && file.from_start && forked)
        c->twice++;
    if (!c->rc)
        c->rc = rc;
    unlink(path);
    return true;
}

/* Whether valgrind itself has failed: it asks for a report then. */
static void read_log(counting *c, const char *path)
{
    char *text, *line;
    size_t size;
    if (tacho_file_read(path, MAX_LOG_BYTES, &text, &size))
        return;
    if (strstr(text, "In the bug report")) {
        c->broken++;
        line = strstr(text, "Assertion");
        line = line ? line : strstr(text, "valgrind: ");
        snprintf(c->why, sizeof c->why, "%.*s", line ? (int)strcspn(line, "\n") : 0, line ? line : "");
    }
    if (!*c->first)
        snprintf(c->first, sizeof c->first, "%.*s", (int)strcspn(text, "\n"), text);
    tacho_mem_free(text);
    unlink(path);
}

/* @return how many there were */
static int read_files(counting *c, pid_t pid, bool forked, place_finder *places)
{
    char path[4200];
    int found = 0;
    for (int i = 1; i < MAX_FILES; i++, found++) {
        snprintf(path, sizeof path, "%s/c.%d.%d", c->directory, pid, i);
        if (!read_file(c, path, forked, places))
            break;
    }
    snprintf(path, sizeof path, "%s/c.%d", c->directory, pid);
    found += read_file(c, path, forked, places);
    snprintf(path, sizeof path, "%s/log.%d", c->directory, pid);
    read_log(c, path);
    return found;
}

/* A process ends, or becomes another program. */
static void read_counts(tracer *t, pid_t pid, bool forked, image_end why)
{
    counting *c = t->payload;
    place_finder places = {t, why == IMAGE_EXITS ? space_new() : NULL, pid};
    int found = read_files(c, pid, forked, &places);
    space_drop(places.space);
    if (why == IMAGE_EXITS)
        c->without += !found;
    else if (why == IMAGE_ENDED && found && c->without)
        c->without--; /* its first thread had gone before the others */
}

int run_check_valgrind(char *const argv[], tacho_error *err)
{
    char path[RUN_DIRECTORY_SIZE];
    if (!run_has_valgrind())
        return tacho_error_set(err, TACHO_ERR_UNSUPPORTED,
                               "the program valgrind is not installed (on Debian: apt-get install valgrind)");
    int rc = tacho_process_find_command(argv[0], path, sizeof path, err);
    if (rc)
        return rc;
    if (access("/proc/self/maps", R_OK))
        return tacho_error_set(err, TACHO_ERR_SYSTEM,
                               "valgrind needs /proc/self/maps, which cannot be read: %s", strerror(errno));
    return 0;
}

/* ---- the run ---- */

char **run_valgrind_line(const char *const *own, char *const argv[])
{
    static const char *const common[] = {"valgrind", "-q",
                                         "--vgdb=no"}; /* its files stay where it is killed */
    const size_t first = sizeof common / sizeof *common;
    size_t n = 0, count = 0;
    while (own[n])
        n++;
    while (argv[count])
        count++;
    char **line = tacho_mem_zalloc(first + n + count + 1, sizeof *line);
    if (!line)
        return NULL;
    memcpy(line, common, sizeof common);
    memcpy(line + first, own, n * sizeof *line);
    memcpy(line + first + n, argv, count * sizeof *line);
    return line;
}

/* Of a run that nobody has ended. */
static int no_counts(const counting *c, const char *command, const tacho_extract_run *run)
{
    char end[RUN_END_SIZE];
    if (c->cut)
        return tacho_error_set(c->err, TACHO_ERR_SYSTEM,
                               "valgrind could not write its counts of %.200s in %.200s, or was killed",
                               command, c->directory);
    return tacho_error_set(c->err, TACHO_ERR_SYSTEM, "valgrind left no counts of %.200s%s%s%s", command,
                           run_bad_end(run, end), *c->first ? ": " : "", c->first);
}

static int keep(counting *c, const char *command, extract_set *x, tacho_extract_run *out)
{
    int rc = c->rc ? c->rc : callgrind_blocks(&c->counts, x, out, c->err);
    if (!rc && out->ended && !out->executed_insns)
        return no_counts(c, command, out);
    if (!rc && c->cut)
        rc = extract_warn(x, c->err,
                          "the counts of %llu processes are not whole: killed, or they could not be written",
                          (unsigned long long)c->cut);
    if (!rc && c->broken) {
        out->ended = false;
        rc = extract_warn(x, c->err,
                          "valgrind itself failed in %llu process%s (%s); --via ptrace does without",
                          (unsigned long long)c->broken, c->broken == 1 ? "" : "es", c->why);
    }
    if (!rc && c->twice)
        rc = extract_warn(
            x, c->err,
            "%llu process%s forked in ways that callgrind's counts do not follow: what the parent "
            "executed before is counted again (--via ptrace is exact)",
            (unsigned long long)c->twice, c->twice == 1 ? " was" : "es were");
    if (!rc && c->without)
        rc = extract_warn(x, c->err,
                          "%llu process%s left no counts: killed, or ended before callgrind could write them",
                          (unsigned long long)c->without, c->without == 1 ? "" : "es");
    if (!rc && c->counts.unknown)
        rc = extract_warn(x, c->err, "%llu instruction%s left out: which file that lies in is not known",
                          (unsigned long long)c->counts.unknown, c->counts.unknown == 1 ? " is" : "s are");
    return rc;
}

int run_by_valgrind(extract_set *x, char *const argv[], run_watch *w, tacho_extract_run *out,
                    tacho_error *err)
{
    counting c = {.err = err};
    char out_file[4200], log_file[4200];
    const char *const own[] = {"--tool=callgrind",
                               "--dump-instr=yes",
                               "--collect-jumps=yes",
                               "--dump-line=no",
                               "--trace-children=yes",
                               "--skip-plt=no",
                               out_file,
                               log_file,
                               "--dump-before=fork",
                               "--dump-before=_Fork",
                               "--dump-before=vfork",
                               "--dump-before=execve",
                               "--dump-before=fexecve",
                               "--dump-before=execveat",
                               "--dump-before=posix_spawn",
                               "--dump-before=__spawni",
                               NULL};
    int rc = run_check_valgrind(argv, err);
    rc = rc ? rc : tacho_scratch_make(c.directory, sizeof c.directory, err);
    if (rc)
        return rc;
    snprintf(out_file, sizeof out_file, "--callgrind-out-file=%s/c.%%p", c.directory);
    snprintf(log_file, sizeof log_file, "--log-file=%s/log.%%p", c.directory);
    TACHO_MEM_FREED char **line = run_valgrind_line(own, argv);
    tracer t = {.image_ends = read_counts, .payload = &c};
    rc = (line ? tracer_watch(&t, line, w, GRACE_SECONDS, out, err) : tacho_no_memory(err))
             ?: keep(&c, argv[0], x, out);
    out->thread_count = 0;
    tracer_free(&t);
    callgrind_free(&c.counts);
    tacho_scratch_remove(c.directory);
    return rc;
}
