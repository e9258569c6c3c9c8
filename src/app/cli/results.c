/* results.c - where the rows of a batch go. */
#include "app/cli/results.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/cli/cli.h"
#include "app/cli/output.h"
#include "app/cli/signals.h"
#include "base/mem.h"

static void say(const char *message)
{
    cli_error("%s", message);
}

const rows_caller results_caller = {say, cli_signals_asked, cli_signals_descriptor};

static bool unwritten(const results *r)
{
    return cli_error("cannot write to %s: %s", r->name, strerror(errno));
}

bool results_open(results *r, const char *output, const rows *input, bool keep)
{
    *r = (results){.name = "standard output", .fd = STDOUT_FILENO};
    if (!output)
        return true;
    r->fd = -1;
    r->name = r->file = tacho_mem_strndup(output, strlen(output));
    if (!r->file)
        return cli_error("out of memory");
    if (input && rows_is_file(input, r->file))
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

bool results_write(results *r, const tacho_str *lines)
{
    if (lines->failed)
        return cli_error("out of memory");
    if (!lines->length)
        return true;
    for (size_t done = 0; done < lines->length;) {
        ssize_t n = write(r->fd, lines->data + done, lines->length - done);
        if (n < 0 && errno != EINTR)
            return unwritten(r);
        done += n < 0 ? 0 : (size_t)n;
    }
    return true;
}

bool results_go_on(results *r, uint64_t bytes)
{
    char last = '\n'; /* a header may be there without its end */
    bool ok = !bytes || pread(r->fd, &last, 1, (off_t)bytes - 1) == 1;
    ok = ok && !ftruncate(r->fd, (off_t)bytes) && lseek(r->fd, (off_t)bytes, SEEK_SET) >= 0;
    return (ok && (last == '\n' || write(r->fd, "\n", 1) == 1)) || unwritten(r);
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

void results_undo(results *r)
{
    if (r->file && r->fd >= 0)
        cli_output_empty(r->fd);
    results_drop(r);
}

void results_close(results *r)
{
    if (r->file && r->fd >= 0)
        close(r->fd);
    tacho_mem_free(r->file);
    r->file = NULL;
}
