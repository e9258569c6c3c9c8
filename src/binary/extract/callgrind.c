/* callgrind.c - reads callgrind's output files (format: Valgrind manual, "Callgrind Format Specification",
 * version 1).
 *
 * With --dump-instr=yes, a line of costs is the address of an instruction in its file and how often it was
 * executed. Addresses may be relative to the one before. The line after "calls=" is the cost of the called
 * function, which is counted elsewhere. A string instruction with a repeat prefix counts for each of its
 * iterations, and as a jump to itself. */
#include "binary/extract/callgrind.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"

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
    return !strncmp(tacho_base_name(path), "vgpreload_", 10) || strstr(path, "/valgrind/");
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
    if (!strncmp(line, "ob=", 3))
        return take_object(r, line + 3, &r->object);
    if (!strncmp(line, "cob=", 4))
        return take_object(r, line + 4, &callee);
    const bool jumps = !strncmp(line, "jump=", 5) || !strncmp(line, "jcnd=", 5);
    if (jumps)
        take_jump(r, line + 5);
    if (jumps || !strncmp(line, "calls=", 6))
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

int callgrind_read(callgrind_counts *c, const char *path, callgrind_file *file, tacho_error *err)
{
    char *text;
    size_t size;
    if (tacho_file_read(path, MAX_FILE_BYTES, &text, &size))
        return tacho_error_set(err, TACHO_ERR_SYSTEM, "%.200s: cannot be read: %s", path, strerror(errno));
    int rc = callgrind_parse(c, text, file, err);
    tacho_mem_free(text);
    return rc;
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
