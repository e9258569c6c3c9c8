/* cmd_suite_join.c - tacho suite join: the results of shards (shard.h) as those of one run.
 *
 * Row k is in shard (k - 1) mod N + 1 of N, so the parts take turns; memory is a buffer a part. All that does
 * not fit is an error: rows that are missing or there twice, parts that were cut off, parts of another
 * division or input. */
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/cli/cmd_suite.h"
#include "app/cli/output.h"
#include "app/cli/results.h"
#include "app/cli/rows.h"
#include "app/cli/signals.h"
#include "base/csv.h"
#include "base/mem.h"

static const char more[] =
    "The parts are what runs with --shard 1/N, ... N/N have written, in any order; the result is what one\n"
    "run without --shard writes, byte by byte. Parts that are missing, cut off or there twice are errors.\n\n"
    "Example:\n"
    "  tacho predict --batch blocks.csv --shard 1/2 -o part.%s.csv\n"
    "  tacho predict --batch blocks.csv --shard 2/2 -o part.%s.csv\n"
    "  tacho suite join part.*.csv -o predictions.csv\n";

enum {
    WRITE_BYTES = 64 << 10
};

typedef struct part {
    rows file;
    const char *record; /* the current one; NULL: there is none */
    shard_cells cells;  /* of it; at the end, of the last one */
    bool has_rows;
} part;

typedef struct join {
    part *parts, **order; /* order: by shard */
    size_t count;
    tacho_str header, out;
    results results;
} join;

/* ---- parts ---- */

static bool cut_off(const part *p)
{
    return cli_error("%s: was cut off: its last line has no end, so its run has not come to its end",
                     p->file.name);
}

/* The next row. @return false with a message */
static bool next_row(part *p)
{
    size_t length;
    const char *name = p->file.name;
    bool was_last = p->record && p->cells.last;
    int got = rows_record(&p->file, &p->record, &length);
    if (got < 0)
        return false;
    if (got == ROWS_END) {
        p->record = NULL;
        if (!p->has_rows || was_last)
            return true;
        return cli_error("%s: was cut off behind row %llu: its run has not come to its end", name,
                         (unsigned long long)p->cells.row);
    }
    if (was_last)
        return cli_error("%s: goes on behind the end of its shard", name);
    if (p->file.unended)
        return cut_off(p);
    if (!shard_read_cells(p->record, length, &p->cells))
        return cli_error("%s: a row does not end in the columns row and rows: '%.*s'", name,
                         (int)(length < 80 ? length : 80), p->record);
    return p->has_rows = true;
}

/* The header, which must be that of the others. @return false with a message */
static bool take_header(join *j, part *p)
{
    const char *header;
    size_t length;
    int got = rows_record(&p->file, &header, &length);
    if (got < 0)
        return false;
    size_t before = got == ROWS_GIVEN ? shard_header_before(header, length) : 0;
    if (!before)
        return cli_error("%s: no results of a shard: its first line does not end in the columns row and rows",
                         p->file.name);
    if (p->file.unended)
        return cut_off(p);
    if (!j->header.length)
        tacho_str_append(&j->header, header, before);
    else if (before != j->header.length || memcmp(header, j->header.data, before))
        return cli_error("%s and %s are results of different kinds: their first lines differ",
                         j->parts->file.name, p->file.name);
    return true;
}

/* Many parts may be more files than a process has at first. */
static void allow_files(size_t count)
{
    struct rlimit limit;
    rlim_t wanted = (rlim_t)count + 64;
    if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= wanted)
        return;
    limit.rlim_cur = wanted < limit.rlim_max ? wanted : limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit); /* what is still too many cannot be opened, which is said then */
}

static bool open_parts(join *j, char **names)
{
    size_t count = j->count;
    j->parts = tacho_mem_zalloc(count, sizeof *j->parts);
    j->order = tacho_mem_zalloc(count, sizeof *j->order);
    j->count = 0;
    if (!j->parts || !j->order)
        return cli_error("out of memory");
    allow_files(count);
    for (size_t i = 0; i < count; i++) {
        part *p = &j->parts[i];
        if (!rows_open(&p->file, names[i]))
            return false;
        j->count++;
        p->file.max_record = TACHO_CSV_MAX_RESULT;
        if (!take_header(j, p) || !next_row(p))
            return false;
    }
    return true;
}

/* ---- which part is which shard ---- */

static bool place(join *j, part *p)
{
    unsigned long long first = p->cells.row;
    if (first > j->count)
        return cli_error("%s begins with row %llu, so there are at least %llu parts, and %zu were given",
                         p->file.name, first, first, j->count);
    if (j->order[first - 1])
        return cli_error("%s and %s both begin with row %llu: the same part twice",
                         j->order[first - 1]->file.name, p->file.name, first);
    j->order[first - 1] = p;
    return true;
}

/* A shard without rows comes after all that have some. @return false with a message */
static bool order_parts(join *j)
{
    size_t free = 0;
    for (size_t i = 0; i < j->count; i++)
        if (j->parts[i].has_rows && !place(j, &j->parts[i]))
            return false;
    for (size_t i = 0; i < j->count; i++) {
        if (j->parts[i].has_rows)
            continue;
        while (j->order[free])
            free++;
        j->order[free] = &j->parts[i];
    }
    return true;
}

/* ---- rows ---- */

/* All results of row `number` of the input. @return false with a message */
static bool copy_row(join *j, part *p, uint64_t number)
{
    while (p->record && p->cells.row == number) {
        tacho_str_append(&j->out, p->record, p->cells.before);
        tacho_str_putc(&j->out, '\n');
        if (!next_row(p))
            return false;
    }
    if (j->out.length < WRITE_BYTES)
        return true;
    bool ok = results_write(&j->results, &j->out);
    tacho_str_clear(&j->out);
    return ok;
}

/* Row `number` is not the next one of its part. @return false, always, with a message */
static bool wrong_row(const join *j, const part *p, uint64_t number)
{
    unsigned long long found = p->cells.row, wanted = number;
    if (found > wanted && wanted > j->count)
        return cli_error(
            "%s: row %llu comes after row %llu: rows are missing, or there are not %zu parts but more",
            p->file.name, found, wanted - j->count, j->count);
    return cli_error("%s: row %llu stands where row %llu should", p->file.name, found, wanted);
}

/* `last` has come to its end, `total` rows have been copied: then all have. @return false with a message */
static bool check_ends(const join *j, const part *last, uint64_t total)
{
    for (size_t i = 0; i < j->count; i++) {
        const part *p = j->order[i];
        unsigned long long says = p->cells.rows, copied = total, row = p->cells.row;
        if (p->record)
            return cli_error(
                "%s has row %llu, but %s ends before row %llu: these are not all parts, and no others, "
                "of one run",
                p->file.name, row, last->file.name, copied + 1);
        if (p->has_rows && says != total)
            return cli_error(
                "%s is of an input of %llu rows, but the parts have %llu: parts are missing, or from runs "
                "on different inputs",
                p->file.name, says, copied);
    }
    return true;
}

static bool copy_rows(join *j)
{
    uint64_t number = 1;
    for (;; number++) {
        part *p = j->order[(number - 1) % j->count];
        if (!p->record)
            break;
        if (p->cells.row != number)
            return wrong_row(j, p, number);
        if (!copy_row(j, p, number))
            return false;
    }
    return check_ends(j, j->order[(number - 1) % j->count], number - 1) &&
           results_write(&j->results, &j->out);
}

/* ---- the command ---- */

static bool open_output(join *j, const char *output)
{
    for (size_t i = 1; output && i < j->count; i++)
        if (rows_is_file(&j->parts[i].file, output))
            return cli_error("%s is read: the results need another file", output);
    tacho_str_putc(&j->header, '\n');
    return results_open(&j->results, output, &(shard){0}, &j->parts->file, false) &&
           results_write(&j->results, &j->header);
}

/* What is not whole must not look like it. */
static void remove_output(const join *j)
{
    struct stat s;
    bool regular = j->results.file && !fstat(j->results.fd, &s) && S_ISREG(s.st_mode);
    if (regular && j->results.made && !unlink(j->results.file))
        cli_note("%s was removed: it was not whole", j->results.file);
    else if (regular && !j->results.made && cli_output_empty(j->results.fd))
        cli_note("%s is empty now: it was not whole", j->results.file);
}

static int join_parts(const char *output, char **names, size_t count)
{
    join j = {.count = count};
    cli_signals_ask();
    bool ok = open_parts(&j, names) && order_parts(&j) && open_output(&j, output), opened = ok;
    ok = ok && copy_rows(&j);
    if (!ok && cli_signals_asked(NULL))
        cli_error("%s: the parts are not joined", cli_signals_words());
    if (opened && !ok)
        remove_output(&j);
    for (size_t i = 0; i < j.count; i++)
        rows_close(&j.parts[i].file);
    results_close(&j.results);
    tacho_str_free(&j.header);
    tacho_str_free(&j.out);
    tacho_mem_free(j.order);
    tacho_mem_free(j.parts);
    return ok ? CLI_OK : CLI_INPUT;
}

static int run_join(void *asked)
{
    const suite_files *r = asked;
    if (!r->files.count)
        return cli_usage_error("suite join: give the parts: PART ...");
    return join_parts(r->output, r->files.list, r->files.count);
}

CLI_DEFINE(cli_suite_join, "suite join", "the results of shards as those of one run", "PART ... [-o FILE]",
           suite_files_rows, more, run_join, suite_files, .output = NULL);
