/* rows.c - the rows of a CSV file, one at a time. */
#include "cli/rows.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "util/csv.h"
#include "util/mem.h"
#include "util/str.h"

enum {
    READ_BYTES = 64 << 10,
    MAX_RECORD_BYTES = 1 << 20
};

bool rows_open(rows *r, const char *path)
{
    struct stat s;
    *r = (rows){.name = path, .fd = STDIN_FILENO};
    if (!strcmp(path, "-"))
        r->name = "standard input";
    else if ((r->fd = open(path, O_RDONLY | O_CLOEXEC)) < 0) {
        cli_error("%s: cannot be read: %s", path, strerror(errno));
        return false;
    }
    if (!fstat(r->fd, &s) && S_ISREG(s.st_mode))
        r->size = (uint64_t)s.st_size;
    return true;
}

void rows_close(rows *r)
{
    tacho_mem_free(r->data);
    if (r->fd > STDIN_FILENO)
        close(r->fd);
}

double rows_part_read(const rows *r)
{
    return r->size ? (double)r->given / (double)r->size : 0;
}

uint64_t rows_whole_bytes(const rows *r)
{
    return r->given;
}

/* @return false with a message */
static bool read_more(rows *r)
{
    if (r->at) {
        memmove(r->data, r->data + r->at, r->length - r->at);
        r->length -= r->at;
        r->at = 0;
    }
    if (tacho_mem_grow(&r->data, &r->capacity, r->length + READ_BYTES, 1)) {
        cli_error("out of memory");
        return false;
    }
    ssize_t n;
    do
        n = read(r->fd, r->data + r->length, READ_BYTES);
    while (n < 0 && errno == EINTR);
    if (n < 0) {
        cli_error("%s: cannot be read: %s", r->name, strerror(errno));
        return false;
    }
    r->ended = n == 0;
    r->length += (size_t)n;
    return true;
}

bool rows_ready(const rows *r)
{
    size_t next;
    return r->length > r->at && tacho_csv_record(r->data + r->at, r->length - r->at, &next) != (size_t)-1;
}

/* The next record, its end excluded. @return 1, 0 at the end, -1 with a message */
static int next_record(rows *r, char **record, size_t *length)
{
    size_t next;
    for (;;) {
        size_t n =
            r->length > r->at ? tacho_csv_record(r->data + r->at, r->length - r->at, &next) : (size_t)-1;
        if (n == (size_t)-1 && r->ended) {
            if (r->length == r->at || r->whole_only)
                return 0;
            n = next = r->length - r->at;
        }
        if (n != (size_t)-1) {
            *record = r->data + r->at;
            *length = n;
            r->at += next;
            r->given += next;
            return 1;
        }
        if (r->length - r->at > MAX_RECORD_BYTES) {
            cli_error("%s: a line longer than 1 MiB (or a quote that is not closed)", r->name);
            return -1;
        }
        if (!read_more(r))
            return -1;
    }
}

bool rows_header(rows *r, const char *line)
{
    char *record;
    size_t length;
    r->started = true;
    return next_record(r, &record, &length) > 0 && length == strcspn(line, "\n") &&
           !memcmp(record, line, length);
}

int rows_next(rows *r, const char **hex, size_t *length)
{
    char *record, *field, *rest;
    size_t size;
    int got;
    while ((got = next_record(r, &record, &size)) > 0) {
        bool first = !r->started;
        r->started = true;
        if (first && size >= 3 && !memcmp(record, "\xef\xbb\xbf", 3)) {
            record += 3;
            size -= 3;
        }
        tacho_csv_field(record, size, &field, length, &rest);
        *hex = field;
        tacho_str_trim(hex, length);
        bool header = first && *length == 3 && tacho_str_same_n(*hex, "hex", 3);
        if (!header && (*length || rest))
            return 1;
    }
    return got;
}
