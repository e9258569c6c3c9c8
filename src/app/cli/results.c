/* results.c - where the rows of a batch go. */
#include "app/cli/results.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "app/cli/cli.h"
#include "app/cli/output.h"
#include "app/cli/signals.h"
#include "base/mem.h"

static bool unwritten(const results *r)
{
    return cli_error("cannot write to %s: %s", r->name, strerror(errno));
}

bool results_open(results *r, const char *output, const shard *s, const rows *input, bool keep)
{
    *r = (results){.name = "standard output", .shard = *s, .fd = STDOUT_FILENO};
    if (!output)
        return true;
    r->fd = -1;
    r->name = r->file = shard_file_name(s, output);
    if (!r->file)
        return cli_error("out of memory");
    if (rows_is_file(input, r->file))
        return cli_error("%s is read: the results need another file", r->name);
    r->fd = cli_output_descriptor(r->file, O_RDWR, &r->made);
    return r->fd >= 0 && (keep || results_begin(r));
}

bool results_begin(results *r)
{
    return !r->file || cli_output_empty(r->fd) || unwritten(r);
}

bool results_empty(const results *r)
{
    struct stat s;
    return !r->file || (!fstat(r->fd, &s) && s.st_size == 0);
}

/* Two pieces, by one call where that is possible: a reader may take each write for an answer. */
static bool write_pieces(const results *r, const char *first, size_t first_length, const char *second,
                         size_t second_length)
{
    while (first_length + second_length) {
        struct iovec pieces[] = {{(void *)first, first_length}, {(void *)second, second_length}};
        ssize_t n = writev(r->fd, pieces, 2);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return unwritten(r);
        size_t done = (size_t)n, from_first = done < first_length ? done : first_length;
        first += from_first;
        first_length -= from_first;
        second += done - from_first;
        second_length -= done - from_first;
    }
    return true;
}

bool results_write(results *r, const tacho_str *lines)
{
    if (lines->failed)
        return cli_error("out of memory");
    if (!lines->length)
        return true;
    bool holds = r->shard.count != 0;
    bool ok = write_pieces(r, "\n", r->held, lines->data, lines->length - holds);
    r->held = holds;
    r->has_rows |= r->has_header;
    r->has_header = true;
    return ok;
}

bool results_go_on(results *r, uint64_t bytes, bool has_rows, bool complete)
{
    char last = '\n';
    r->has_header = true;
    r->has_rows = has_rows;
    r->complete = complete;
    bool ok = !bytes || pread(r->fd, &last, 1, (off_t)bytes - 1) == 1;
    if (ok && last == '\n' && bytes && r->shard.count && !complete) {
        bytes--;
        last = 0;
    }
    r->held = last != '\n';
    if (ok && !ftruncate(r->fd, (off_t)bytes) && lseek(r->fd, (off_t)bytes, SEEK_SET) >= 0)
        return true;
    return unwritten(r);
}

bool results_end(results *r, uint64_t input_rows)
{
    char total[32] = "";
    if (r->complete || !r->held)
        return true;
    if (r->shard.count && r->has_rows)
        snprintf(total, sizeof total, "%llu", (unsigned long long)input_rows);
    r->held = false;
    return write_pieces(r, total, strlen(total), "\n", 1);
}

int results_say_stopped(const results *r, uint64_t input_rows)
{
    if (input_rows)
        cli_note("%s: %s has the results of %llu row%s", cli_signals_words(), r->name,
                 (unsigned long long)input_rows, tacho_plural(input_rows));
    else
        cli_error("%s: there are no results", cli_signals_words());
    return input_rows ? CLI_PARTIAL : CLI_INPUT;
}

void results_drop(results *r)
{
    if (r->file && r->fd >= 0 && r->made)
        unlink(r->file);
    results_close(r);
}

void results_close(results *r)
{
    if (r->file && r->fd >= 0)
        close(r->fd);
    tacho_mem_free(r->file);
    r->file = NULL;
}
