/* perf_data.c - what `perf record` has written. The file's format is that of the kernel tree's
 * tools/perf/Documentation/perf.data-file-format.txt: a header, the attributes of the events, records as in
 * the ring buffers (record.c), and further sections, of which the names of events and the build-ids of files
 * are read. Read here and not by `perf script`, which tells where a file was mapped only apart from its
 * samples, and must be installed. Nothing in the file is trusted. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/search.h"
#include "program/hot/record.h"
#include "program/threads/threads_log.h"

enum {
    HEADER_BYTES = 104,
    PIPE_HEADER_BYTES = 16,
    MIN_ATTR_BYTES = 64, /* PERF_ATTR_SIZE_VER0 */
    MAX_EVENTS = 4096,
    FEATURE_BUILD_ID = 2, /* numbers of sections */
    FEATURE_EVENTS = 12,
    FEATURES = 256,
    PERF_AUXTRACE = 71, /* perf's own records */
    PERF_COMPRESSED = 81,
    PERF_COMPRESSED2 = 83,
    DUMMY_EVENT = 9 /* PERF_COUNT_SW_DUMMY: only for the other records */
};

typedef struct data_event {
    struct perf_event_attr attr;
    record_form form;
    uint64_t ids_at, id_count;
    bool wanted; /* its samples count */
} data_event;

typedef struct data_build_id {
    const char *path;
    hot_file_id id;
} data_build_id;

typedef struct data_entry {
    uint64_t time, at; /* where in the file: equal times in that order */
    uint32_t event;
} data_entry;

typedef struct data_id {
    uint64_t id; /* first, to be searched for */
    uint32_t event;
} data_id;

typedef struct data_file {
    const char *path;
    tacho_error *err;
    const uint8_t *bytes;
    uint64_t size;
    uint64_t attr_bytes, attrs_at, attrs_size, data_at, data_size;
    uint8_t features[FEATURES / 8];
    data_event *events;
    size_t event_count;
    data_id *ids; /* sorted: which event a record is of */
    size_t id_count;
    data_build_id *build_ids;
    size_t build_id_count, build_id_capacity;
    hash_index by_path; /* build-ids */
    data_entry *entries;
    size_t entry_count, entry_capacity;
    char name[64]; /* of the wanted event */
    uint64_t damaged;
} data_file;

static int bad(const data_file *d, const char *why)
{
    return tacho_error_set(d->err, TACHO_ERR_INPUT, "%.300s: %s", d->path, why);
}

static bool inside(const data_file *d, uint64_t at, uint64_t size)
{
    return at <= d->size && size <= d->size - at;
}

static uint64_t word(const data_file *d, uint64_t at)
{
    uint64_t value = 0;
    if (inside(d, at, sizeof value))
        memcpy(&value, d->bytes + at, sizeof value);
    return value;
}

static uint32_t half(const data_file *d, uint64_t at)
{
    uint32_t value = 0;
    if (inside(d, at, sizeof value))
        memcpy(&value, d->bytes + at, sizeof value);
    return value;
}

/* ---- header and attributes ---- */

static int read_header(data_file *d)
{
    if (d->size < PIPE_HEADER_BYTES || (memcmp(d->bytes, "PERFILE2", 8) && memcmp(d->bytes, "2ELIFREP", 8)))
        return bad(d, "this is no perf.data file (perf record or tacho hot --save writes them)");
    if (!memcmp(d->bytes, "2ELIFREP", 8))
        return bad(d, "it comes from a machine with the other byte order, which is none with this code");
    if (word(d, 8) == PIPE_HEADER_BYTES)
        return bad(d, "it was written to a pipe; record to a file: perf record -o FILE");
    if (d->size < HEADER_BYTES)
        return bad(d, "it ends within its header");
    d->attr_bytes = word(d, 16);
    d->attrs_at = word(d, 24);
    d->attrs_size = word(d, 32);
    d->data_at = word(d, 40);
    d->data_size = word(d, 48);
    memcpy(d->features, d->bytes + 72, sizeof d->features);
    if (!d->data_size)
        return bad(d, "it has no data: perf record did not end regularly, or recorded nothing");
    if (!inside(d, d->data_at, d->data_size))
        return bad(d, "it is cut off: its data go beyond its end");
    if (d->attr_bytes < MIN_ATTR_BYTES + 16 || !inside(d, d->attrs_at, d->attrs_size) ||
        d->attrs_size < d->attr_bytes || d->attrs_size / d->attr_bytes > MAX_EVENTS)
        return bad(d, "the description of its events is damaged");
    return 0;
}

ORDER_BY(by_id, data_id, id);

static const char damaged_ids[] = "the list of its events' numbers is damaged";

static int list_ids(data_file *d)
{
    size_t count = 0;
    for (size_t i = 0; i < d->event_count; i++)
        count += d->events[i].id_count;
    if (count > d->size / 8) /* several events share a part of the file */
        return bad(d, damaged_ids);
    d->ids = tacho_mem_zalloc(count + 1, sizeof *d->ids);
    if (!d->ids)
        return tacho_no_memory(d->err);
    for (size_t i = 0; i < d->event_count; i++)
        for (uint64_t k = 0; k < d->events[i].id_count; k++)
            d->ids[d->id_count++] = (data_id){word(d, d->events[i].ids_at + 8 * k), (uint32_t)i};
    tacho_sort(d->ids, d->id_count, sizeof *d->ids, by_id);
    return 0;
}

static int read_events(data_file *d)
{
    uint64_t known =
        d->attr_bytes - 16 < sizeof d->events->attr ? d->attr_bytes - 16 : sizeof d->events->attr;
    d->event_count = d->attrs_size / d->attr_bytes;
    d->events = tacho_mem_zalloc(d->event_count, sizeof *d->events);
    if (!d->events)
        return tacho_no_memory(d->err);
    for (size_t i = 0; i < d->event_count; i++) {
        data_event *e = &d->events[i];
        uint64_t at = d->attrs_at + i * d->attr_bytes;
        memcpy(&e->attr, d->bytes + at, known);
        e->form = record_form_of(&e->attr);
        e->ids_at = word(d, at + d->attr_bytes - 16);
        e->id_count = word(d, at + d->attr_bytes - 8) / 8;
        if (!inside(d, e->ids_at, e->id_count * 8))
            return bad(d, damaged_ids);
    }
    uint64_t same = d->events[0].attr.sample_type, all = same;
    bool one = true;
    for (size_t i = 1; i < d->event_count; i++) {
        one &= d->events[i].attr.sample_type == same;
        all &= d->events[i].attr.sample_type;
    }
    bool has_ids = all & PERF_SAMPLE_IDENTIFIER || (one && same & PERF_SAMPLE_ID);
    return d->event_count == 1 || has_ids ? list_ids(d)
                                          : bad(d, "it has several events and does not tell them apart");
}

/* ---- further sections ---- */

/* The section of a feature. @return false: there is none */
static bool find_section(const data_file *d, unsigned feature, uint64_t *at, uint64_t *size)
{
    uint64_t entry = d->data_at + d->data_size;
    if (!(d->features[feature / 8] >> feature % 8 & 1))
        return false;
    for (unsigned i = 0; i < feature; i++)
        entry += d->features[i / 8] >> i % 8 & 1 ? 16 : 0;
    *at = word(d, entry);
    *size = word(d, entry + 8);
    return inside(d, entry, 16) && inside(d, *at, *size);
}

/* The first one of this path; NULL: there is none. */
static const data_build_id *build_id_of(const data_file *d, const hot_tally *b, const char *path)
{
    hash_probe probe = hash_find(&d->by_path, tally_hash(b, path));
    while (hash_next(&probe))
        if (!strcmp(d->build_ids[probe.item].path, path))
            return &d->build_ids[probe.item];
    return NULL;
}

/* An empty one says nothing; of several of one path the first counts. */
static int add_build_id(data_file *d, const hot_tally *b, const char *path, const uint8_t *id, uint32_t bytes)
{
    if (!bytes || build_id_of(d, b, path))
        return 0;
    if (d->build_id_count >= HASH_INDEX_NONE - 1 ||
        tacho_mem_grow(&d->build_ids, &d->build_id_capacity, d->build_id_count + 1, sizeof *d->build_ids) ||
        hash_add_item(&d->by_path, tally_hash(b, path), (uint32_t)d->build_id_count))
        return tacho_no_memory(d->err);
    data_build_id *new = &d->build_ids[d->build_id_count++];
    *new = (data_build_id){.path = path};
    new->id.build_id_bytes = bytes <= TACHO_HOT_BUILD_ID_BYTES ? bytes : TACHO_HOT_BUILD_ID_BYTES;
    memcpy(new->id.build_id, id, new->id.build_id_bytes);
    return 0;
}

static int read_build_ids(data_file *d, const hot_tally *b)
{
    enum {
        FIXED = 8 + 4 + 24, /* header, pid, build-id */
        WITH_SIZE = 1 << 15 /* PERF_RECORD_MISC_BUILD_ID_SIZE */
    };
    uint64_t at, size, next;
    if (!find_section(d, FEATURE_BUILD_ID, &at, &size))
        return 0;
    for (uint64_t end = at + size; at + FIXED < end; at = next) {
        uint16_t misc, length;
        memcpy(&misc, d->bytes + at + 4, sizeof misc);
        memcpy(&length, d->bytes + at + 6, sizeof length);
        next = at + length;
        const char *path = (const char *)d->bytes + at + FIXED;
        if (length <= FIXED || next > end || !memchr(path, 0, length - FIXED))
            return 0; /* what was read is good */
        uint32_t bytes = misc & WITH_SIZE ? d->bytes[at + 12 + 20] : TACHO_HOT_BUILD_ID_BYTES;
        if (add_build_id(d, b, path, d->bytes + at + 12, bytes))
            return TACHO_ERR_MEMORY;
    }
    return 0;
}

/* The name of an event by number, as perf wrote it. @return false: it is not there */
static bool read_name(const data_file *d, size_t number, char *out, size_t out_size)
{
    uint64_t at, size;
    if (!find_section(d, FEATURE_EVENTS, &at, &size) || number >= half(d, at))
        return false;
    uint64_t end = at + size;
    uint32_t attr_size = half(d, at + 4);
    at += 8;
    for (size_t i = 0; at < end; i++) {
        uint64_t ids = half(d, at + attr_size), length = half(d, at + attr_size + 4);
        uint64_t text = at + attr_size + 8;
        if (!inside(d, text, length))
            return false;
        if (i == number) {
            snprintf(out, out_size, "%.*s", (int)(length < 60 ? length : 60), (const char *)d->bytes + text);
            return *out != '\0';
        }
        at = text + length + 8 * ids;
    }
    return false;
}

/* ---- which event ---- */

static uint32_t low_half(uint64_t config)
{
    return (uint32_t)config; /* above it, on processors with different cores, is the kind of core */
}

static bool is_same(const struct perf_event_attr *a, const struct perf_event_attr *b)
{
    return a->type == b->type && low_half(a->config) == low_half(b->config);
}

static bool is_cycles(const struct perf_event_attr *a)
{
    return a->type == PERF_TYPE_HARDWARE && low_half(a->config) == PERF_COUNT_HW_CPU_CYCLES;
}

static bool is_clock(const struct perf_event_attr *a)
{
    return a->type == PERF_TYPE_SOFTWARE &&
           (a->config == PERF_COUNT_SW_CPU_CLOCK || a->config == PERF_COUNT_SW_TASK_CLOCK);
}

static const char *usual_name(const struct perf_event_attr *a)
{
    return is_cycles(a)                           ? "cycles"
           : !is_clock(a)                         ? "an event of the processor"
           : a->config == PERF_COUNT_SW_CPU_CLOCK ? "cpu-clock"
                                                  : "task-clock";
}

/* What the samples' weights are. */
static void describe(hot_tally *b, const struct perf_event_attr *a)
{
    tacho_hot_profile *p = &b->profile;
    double unit = a->sample_type & PERF_SAMPLE_PERIOD ? 1 : a->freq ? NAN : (double)a->sample_period;
    if (is_cycles(a))
        p->cycles_per_weight = unit;
    if (is_clock(a))
        p->seconds_per_weight = unit * 1e-9;
    if (a->freq)
        p->hz = (double)a->sample_freq;
    else if (is_clock(a) && a->sample_period)
        p->hz = 1e9 / (double)a->sample_period;
    p->skid = a->precise_ip >= 2 && a->type != PERF_TYPE_SOFTWARE
                  ? "samples are precise: they lie at instructions that retired"
                  : "samples lie at, or a few instructions behind, those that took the time";
}

static int choose_event(data_file *d, hot_tally *b)
{
    size_t first = 0, others = 0;
    while (first + 1 < d->event_count && d->events[first].attr.type == PERF_TYPE_SOFTWARE &&
           d->events[first].attr.config == DUMMY_EVENT)
        first++;
    const struct perf_event_attr *wanted = &d->events[first].attr;
    for (size_t i = 0; i < d->event_count; i++) {
        const struct perf_event_attr *a = &d->events[i].attr;
        d->events[i].wanted = is_same(a, wanted);
        others += !d->events[i].wanted && !(a->type == PERF_TYPE_SOFTWARE && a->config == DUMMY_EVENT);
    }
    if (!(wanted->sample_type & PERF_SAMPLE_IP) || !(wanted->sample_type & PERF_SAMPLE_TID))
        return bad(d, "its samples do not say where and in which process they were taken");
    if (!read_name(d, first, d->name, sizeof d->name))
        snprintf(d->name, sizeof d->name, "%s", usual_name(wanted));
    snprintf(b->event, sizeof b->event, "%s", d->name);
    describe(b, wanted);
    if (others && tally_warn(b, "%zu other event%s in the file %s left out: the samples are those of %s",
                             others, others == 1 ? "" : "s", others == 1 ? "is" : "are", d->name))
        return tacho_no_memory(d->err);
    if (!is_cycles(wanted) && !is_clock(wanted) &&
        tally_warn(b, "shares are of %s, which may be something else than time", d->name))
        return tacho_no_memory(d->err);
    return 0;
}

/* ---- records ---- */

/* The first event where an identification is not known. */
static uint32_t event_of(const data_file *d, uint64_t id)
{
    size_t i = tacho_count_below(d->ids, d->id_count, sizeof *d->ids, id);
    return i < d->id_count && d->ids[i].id == id ? d->ids[i].event : 0;
}

static int note_record(data_file *d, uint64_t at, size_t size)
{
    uint64_t time, id;
    uint32_t event = 0;
    if (record_when(&time, &id, d->bytes + at, size, &d->events[0].form)) {
        d->damaged++;
        return 0;
    }
    if (d->event_count > 1 && id) {
        event = event_of(d, id);
        if (record_when(&time, &id, d->bytes + at, size, &d->events[event].form)) {
            d->damaged++;
            return 0;
        }
    }
    if (tacho_mem_grow(&d->entries, &d->entry_capacity, d->entry_count + 1, sizeof *d->entries))
        return tacho_no_memory(d->err);
    d->entries[d->entry_count++] = (data_entry){time, at, event};
    return 0;
}

static int list_records(data_file *d)
{
    uint64_t end = d->data_at + d->data_size, next;
    int rc = 0;
    for (uint64_t at = d->data_at; at < end && !rc; at = next) {
        struct perf_event_header h = {0};
        char why[80];
        if (end - at >= sizeof h)
            memcpy(&h, d->bytes + at, sizeof h);
        if (h.size < sizeof h || h.size > end - at) {
            snprintf(why, sizeof why, "offset 0x%" PRIx64 ": a damaged record", at);
            return bad(d, why);
        }
        next = at + h.size;
        if (h.type == PERF_COMPRESSED || h.type == PERF_COMPRESSED2)
            return bad(d, "it is compressed; record without -z");
        if (h.type == PERF_AUXTRACE) /* what it tells of follows it */
            next = word(d, at + 8) < end - next ? next + word(d, at + 8) : end;
        else if (h.type < 64)
            rc = note_record(d, at, h.size);
    }
    return rc;
}

ORDER_BY_TWO(by_time, data_entry, time, at);

static void find_build_id(const data_file *d, const hot_tally *b, record *r)
{
    const data_build_id *known = r->file.build_id_bytes ? NULL : build_id_of(d, b, r->path);
    if (!known)
        return;
    memcpy(r->file.build_id, known->id.build_id, sizeof r->file.build_id);
    r->file.build_id_bytes = known->id.build_id_bytes;
}

static int apply_records(data_file *d, hot_tally *b)
{
    record r;
    tacho_sort(d->entries, d->entry_count, sizeof *d->entries, by_time);
    for (size_t i = 0; i < d->entry_count; i++) {
        const data_event *e = &d->events[d->entries[i].event];
        uint16_t size;
        memcpy(&size, d->bytes + d->entries[i].at + 6, sizeof size);
        int state = perf_record_read(&r, d->bytes + d->entries[i].at, size, &e->form);
        d->damaged += state < 0;
        if (state || (r.type == PERF_RECORD_SAMPLE && !e->wanted))
            continue;
        if (r.type == PERF_RECORD_MMAP || r.type == PERF_RECORD_MMAP2)
            find_build_id(d, b, &r);
        if (record_apply(b, &r))
            return tacho_no_memory(d->err);
    }
    if (d->damaged && tally_warn(b, "%" PRIu64 " damaged records were left out", d->damaged))
        return tacho_no_memory(d->err);
    return 0;
}

/* ---- the whole file ---- */

/* Behind the records, where `tacho hot --save --threads` has left it. */
static int read_threads(data_file *d, hot_tally *b)
{
    const uint64_t at = d->data_at + d->data_size;
    b->threads_saved = tacho_mem_zalloc(1, sizeof *b->threads_saved);
    const int rc =
        b->threads_saved ? log_load(b->threads_saved, d->bytes + at, d->size - at) : TACHO_ERR_MEMORY;
    if (!rc)
        b->profile.threads = (const tacho_hot_thread_log *)b->threads_saved;
    return rc == TACHO_ERR_MEMORY ? tacho_no_memory(d->err)
           : rc < 0               ? bad(d, "what it has of threads is damaged")
                                  : 0;
}

static int read_all(data_file *d, hot_tally *b)
{
    int rc = read_header(d);
    rc = rc ? rc : read_events(d);
    rc = rc ? rc : read_build_ids(d, b);
    rc = rc ? rc : choose_event(d, b);
    rc = rc ? rc : list_records(d);
    rc = rc ? rc : apply_records(d, b);
    rc = rc ? rc : read_threads(d, b);
    if (!rc && tally_finish(b))
        rc = tacho_no_memory(d->err);
    return rc;
}

static int map_file(data_file *d)
{
    struct stat st;
    int fd = open(d->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe would wait for its writer */
    if (fd < 0 || fstat(fd, &st)) {
        int error = errno;
        if (fd >= 0)
            close(fd);
        return bad(d, strerror(error));
    }
    void *at = S_ISREG(st.st_mode) && st.st_size
                   ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0)
                   : MAP_FAILED;
    close(fd);
    if (at == MAP_FAILED)
        return bad(d, !S_ISREG(st.st_mode) ? "this is no perf.data file: it is no regular file"
                      : st.st_size         ? "it cannot be read"
                                           : "this is no perf.data file: it is empty");
    d->bytes = at;
    d->size = (uint64_t)st.st_size;
    return 0;
}

int hot_read_data(tacho_hot_profile **out, const char *name, const uint8_t *bytes, size_t size,
                  tacho_error *err)
{
    data_file d = {.path = name, .err = err, .bytes = bytes, .size = size};
    hot_tally *b = tally_new();
    int rc = b ? 0 : tacho_no_memory(err);
    *out = NULL;
    if (b)
        b->profile.via = TACHO_HOT_FILE;
    rc = rc ? rc : read_all(&d, b);
    TACHO_MEM_FREE(d.events, d.ids, d.build_ids);
    hash_index_free(&d.by_path);
    tacho_mem_free(d.entries);
    if (rc)
        tally_free(b);
    else
        *out = &b->profile;
    return rc;
}

int tacho_hot_read(tacho_hot_profile **out, const char *path, tacho_error *err)
{
    data_file d = {.path = path, .err = err};
    *out = NULL;
    int rc = map_file(&d);
    if (rc)
        return rc;
    rc = hot_read_data(out, path, d.bytes, d.size, err);
    munmap((void *)(uintptr_t)d.bytes, d.size);
    return rc;
}
