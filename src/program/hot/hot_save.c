/* hot_save.c - writes perf.data: a header, the attributes of one event, and its records as the kernel has
 * made them (tools/perf/Documentation/perf.data-file-format.txt of the kernel tree). No further sections, but
 * for what was seen of threads (threads_saved.c). */
#include "program/hot/hot_save.h"

#include <errno.h>
#include <string.h>

#include "base/proc.h"

typedef struct file_section {
    uint64_t at, size;
} file_section;

typedef struct file_header {
    char magic[8];
    uint64_t size, attr_size;
    file_section attrs, data, types;
    uint64_t features[4];
} file_header;

typedef struct file_attr {
    struct perf_event_attr attr;
    file_section ids;
} file_attr;

static void put_header(FILE *f, const struct perf_event_attr *a, uint64_t data_size)
{
    const file_attr attr = {.attr = *a};
    const file_header h = {.magic = {'P', 'E', 'R', 'F', 'I', 'L', 'E', '2'},
                           .size = sizeof h,
                           .attr_size = sizeof attr,
                           .attrs = {sizeof h, sizeof attr},
                           .data = {sizeof h + sizeof attr, data_size}};
    fwrite(&h, sizeof h, 1, f);
    fwrite(&attr, sizeof attr, 1, f);
}

static int failed(const char *path, int error, tacho_error *err)
{
    return tacho_error_set(err, TACHO_ERR_INPUT, "cannot write %.300s: %s", path, strerror(error));
}

int save_open(FILE **out, const char *path, const struct perf_event_attr *a, tacho_error *err)
{
    *out = fopen(path, "wbe");
    if (!*out)
        return failed(path, errno, err);
    put_header(*out, a, 0);
    return 0;
}

void save_maps(FILE *f, pid_t pid, const struct perf_event_attr *a)
{
    struct {
        struct perf_event_header head;
        uint32_t pid, tid;
        uint64_t start, length, offset;
    } r = {.head = {.type = PERF_RECORD_MMAP, .misc = PERF_RECORD_MISC_USER},
           .pid = (uint32_t)pid,
           .tid = (uint32_t)pid};
    const struct {
        uint32_t pid, tid;
        uint64_t time;
    } tail = {(uint32_t)pid, (uint32_t)pid, 0};
    static const char zeros[8];
    proc_map m;
    FILE *maps = a->sample_id_all ? proc_open_maps(pid) : NULL;
    while (maps && proc_next_code(maps, &m)) {
        const size_t length = strlen(m.path), padding = 8 - length % 8;
        r.head.size = (uint16_t)(sizeof r + length + padding + sizeof tail);
        r.start = m.start;
        r.length = m.end - m.start;
        r.offset = m.offset;
        fwrite(&r, sizeof r, 1, f);
        fwrite(m.path, 1, length, f);
        fwrite(zeros, 1, padding, f);
        fwrite(&tail, sizeof tail, 1, f);
    }
    if (maps)
        fclose(maps);
}

int save_close(FILE *f, const char *path, const struct perf_event_attr *a, const threads_log *log,
               tacho_error *err)
{
    const long end = ftell(f);
    bool ok = end >= 0 && (!log || log_save(log, f)) && !fseek(f, 0, SEEK_SET);
    if (ok)
        put_header(f, a, (uint64_t)end - sizeof(file_header) - sizeof(file_attr));
    ok &= !ferror(f);
    const int error = errno;
    return !fclose(f) && ok ? 0 : failed(path, ok ? errno : error, err);
}
