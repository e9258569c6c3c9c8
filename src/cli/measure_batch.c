/* measure_batch.c - blocks in CSV to measurements in CSV.
 *
 * Blocks are under way together, so that their passes lie apart, and with several jobs on a processor each.
 * Rows are written in the order of the input, as soon as all before them are finished, so that what was
 * measured is never lost, and --resume goes on from there. */
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/measure.h"
#include "cli/results.h"
#include "cli/rows.h"
#include "util/mem.h"
#include "util/seconds.h"

enum {
    MAX_JOBS = 256
};

/* A block that was read and is not written yet. */
typedef struct row {
    tacho_measure_job job; /* first: what the library hands back is this */
    struct row *next;
    char *hex; /* as it was given */
    size_t hex_length;
    uint64_t number; /* in the input, from 1 */
    uint8_t *code;
    char error[TACHO_ERROR_MESSAGE_SIZE]; /* "" when there is code */
    bool done;
} row;

typedef struct batch {
    const measure_batch_request *request;
    pthread_mutex_t lock; /* for all of the following */
    rows input;
    row *first, **last; /* in the order of the input */
    tacho_measurer *measurers[MAX_JOBS];
    tacho_predictor *predictor;
    tacho_str out;
    results results;
    bool broken;                    /* something has failed, with a message: no more blocks */
    uint64_t rows, failed, skipped; /* the first two with those that were finished before */
    double started;                 /* moment */
    double shown;                   /* seconds after the start, of the last progress line */
} batch;

/* ---- progress ---- */

static void show_progress(batch *b, bool last)
{
    char left[64] = "";
    double seconds = seconds_now() - b->started;
    if (!isatty(STDERR_FILENO) || (!last && seconds - b->shown < 0.2))
        return;
    b->shown = seconds;
    double part = rows_part_read(&b->input);
    if (!last && part > 0 && part < 1) {
        double rest = seconds * (1 - part) / part;
        snprintf(left, sizeof left, ", %.0f:%02.0f min left", floor(rest / 60), fmod(rest, 60));
    }
    fprintf(stderr, "\r%llu blocks, %.1f a second%s   %s", (unsigned long long)b->rows,
            seconds > 0 ? (double)(b->rows - b->skipped) / seconds : 0.0, left, last ? "\n" : "");
}

/* ---- results ---- */

static bool write_out(batch *b)
{
    bool ok = results_write(&b->results, &b->out);
    tacho_str_clear(&b->out);
    return ok;
}

static void put_row(batch *b, const row *x)
{
    char message[TACHO_ERROR_MESSAGE_SIZE];
    tacho_measurement bad = {.status = TACHO_MEASURED_REJECTED,
                             .clock = tacho_measurer_clock(b->measurers[0])->clock,
                             .mode = b->request->measure->mode,
                             .cycles = NAN,
                             .uncertainty = NAN};
    report_measured m = {
        .code = x->job.code, .code_size = x->job.code_size, .result = &x->job.result, .predicted = NAN};
    if (*x->error) {
        snprintf(bad.message, sizeof bad.message, "%.190s", x->error);
        m.result = &bad;
        m.arch = b->predictor ? b->request->arch->name : NULL;
    } else if (b->predictor)
        measure_predict(&m, b->predictor, b->request->arch, b->request->measure, message, sizeof message);
    report_measure_csv_row(&b->out, x->hex, x->hex_length, &m);
    shard_end_row(&b->request->shard, &b->out, x->number);
    b->rows++;
    b->failed += !report_has_cycles(m.result);
}

static void free_row(row *x)
{
    tacho_mem_free(x->hex);
    tacho_mem_free(x->code);
    tacho_mem_free(x);
}

/* Writes the rows that no unfinished one is before. */
static void write_finished(batch *b)
{
    while (b->first && b->first->done) {
        row *x = b->first;
        put_row(b, x);
        b->first = x->next;
        if (!b->first)
            b->last = &b->first;
        free_row(x);
    }
    b->broken |= !write_out(b);
    show_progress(b, false);
}

/* ---- blocks, from and to the library ---- */

/* @return NULL with a message */
static row *add_row(batch *b, const char *hex, size_t length)
{
    tacho_error err;
    row *x = tacho_mem_zalloc(1, sizeof *x);
    if (x) {
        x->hex = tacho_mem_strndup(hex, length);
        x->code = tacho_mem_alloc(length / 2 + 1);
        x->hex_length = length;
    }
    if (!x || !x->hex || !x->code) {
        cli_error("out of memory");
        if (x)
            free_row(x);
        return NULL;
    }
    x->number = b->input.number;
    long n = b->input.problem ? -1 : tacho_hex_decode(x->code, hex, length, &err);
    if (n < 0) {
        snprintf(x->error, sizeof x->error, "%s", b->input.problem ? b->input.problem : err.message);
        x->done = true;
    } else {
        x->job.code = x->code;
        x->job.code_size = (size_t)n;
    }
    *b->last = x;
    b->last = &x->next;
    return x;
}

static bool next_block(void *payload, tacho_measure_job **out)
{
    batch *b = payload;
    const char *hex;
    size_t length;
    row *x = NULL;
    pthread_mutex_lock(&b->lock);
    while (!b->broken && (!x || x->done)) {
        int got = rows_next(&b->input, &hex, &length);
        x = got > 0 ? add_row(b, hex, length) : NULL;
        b->broken |= got < 0 || (got > 0 && !x);
        if (!got)
            break;
    }
    pthread_mutex_unlock(&b->lock);
    *out = x ? &x->job : NULL;
    return x != NULL;
}

static void block_is_done(void *payload, tacho_measure_job *job)
{
    batch *b = payload;
    pthread_mutex_lock(&b->lock);
    ((row *)job)->done = true;
    write_finished(b);
    pthread_mutex_unlock(&b->lock);
}

typedef struct worker {
    batch *batch;
    tacho_measurer *measurer;
    pthread_t thread;
} worker;

static void *work(void *payload)
{
    worker *w = payload;
    batch *b = w->batch;
    tacho_error err;
    if (tacho_measure_stream(w->measurer, next_block, block_is_done, b, b->request->measure, &err)) {
        pthread_mutex_lock(&b->lock);
        if (!b->broken)
            cli_error("%s", err.message);
        b->broken = true;
        pthread_mutex_unlock(&b->lock);
    }
    return NULL;
}

static int run_workers(batch *b)
{
    worker workers[MAX_JOBS];
    uint32_t started = 1;
    for (uint32_t i = 0; i < b->request->jobs; i++)
        workers[i] = (worker){b, b->measurers[i], 0};
    while (started < b->request->jobs &&
           !pthread_create(&workers[started].thread, NULL, work, &workers[started]))
        started++;
    work(&workers[0]);
    for (uint32_t i = 1; i < started; i++)
        pthread_join(workers[i].thread, NULL);
    if (!b->broken)
        write_finished(b); /* rows without code, at the end */
    b->broken |= !b->broken && !results_end(&b->results, b->input.number);
    return b->broken ? CLI_INPUT : CLI_OK;
}

/* ---- resuming ---- */

/* Whether the row that is finished and the input's next one, `got` of rows_next, are the same. @return false
 * with a message */
static bool same_row(const batch *b, const rows *finished, const char *hex, size_t length, int got,
                     const char *other, size_t other_length)
{
    shard_cells cells;
    unsigned long long number = b->rows + 1;
    if (got < 0)
        return false;
    bool same = got > 0 && length == other_length && !memcmp(hex, other, length);
    if (b->request->shard.count)
        same = same && finished->rest && shard_read_cells(finished->rest, finished->rest_length, &cells) &&
               cells.row == b->input.number;
    if (!same)
        cli_error("--resume: row %llu of %s is not row %llu of %s", number, b->results.name,
                  b->request->shard.count ? (unsigned long long)b->input.number : number, b->request->path);
    return same;
}

/* Whether the row that is finished has a number in `cycles`, the second field. */
static bool has_cycles(const rows *finished)
{
    return finished->rest && finished->rest_length && *finished->rest != ',';
}

/* A shard's results that have their end: they must be of all of the input. @return false with a message */
static bool check_end(batch *b, uint64_t total)
{
    const char *hex;
    size_t length;
    int got = rows_next(&b->input, &hex, &length);
    if (got < 0)
        return false;
    if (got == ROWS_END && b->input.number == total)
        return true;
    cli_error("--resume: %s has the end of an input of %llu rows, which %s is not", b->results.name,
              (unsigned long long)total, b->request->path);
    return false;
}

/* The results that are there are those of the first rows of the input: reads past these. @return false with a
 * message */
static bool skip_finished(batch *b, rows *finished, bool *complete)
{
    const char *hex, *other = NULL;
    size_t length, other_length = 0;
    shard_cells cells;
    *complete = false;
    for (int got; (got = rows_next(finished, &hex, &length)) != ROWS_END;) {
        if (got < 0)
            return false;
        got = *complete ? ROWS_END : rows_next(&b->input, &other, &other_length);
        if (!same_row(b, finished, hex, length, got, other, other_length))
            return false;
        b->rows++;
        b->skipped++;
        b->failed += !has_cycles(finished);
        *complete = b->request->shard.count &&
                    shard_read_cells(finished->rest, finished->rest_length, &cells) && cells.last;
    }
    return !*complete || check_end(b, cells.rows);
}

static bool resume(batch *b, const char *header)
{
    rows finished;
    bool complete;
    if (!rows_open(&finished, b->results.file))
        return false;
    finished.whole_only = true;
    finished.max_record *= 8; /* the row of a long one has a message, too */
    bool right = rows_header(&finished, header);
    if (!right)
        cli_error("--resume: %s was not written with these options: its first line is not '%.*s'",
                  b->results.name, (int)strcspn(header, "\n"), header);
    bool ok = right && skip_finished(b, &finished, &complete) &&
              results_go_on(&b->results, rows_whole_bytes(&finished), b->rows > 0, complete);
    rows_close(&finished);
    return ok;
}

static bool open_output(batch *b)
{
    const measure_batch_request *r = b->request;
    tacho_str header = {0};
    report_measure_csv_header(&header, r->arch != NULL);
    shard_end_header(&r->shard, &header);
    bool ok = !header.failed;
    if (!ok)
        cli_error("out of memory");
    ok = ok && results_open(&b->results, r->output, &r->shard, &b->input, r->resume);
    if (ok && r->resume && !results_empty(&b->results))
        ok = resume(b, header.data);
    else if (ok)
        ok = results_write(&b->results, &header);
    tacho_str_free(&header);
    return ok;
}

/* ---- set-up ---- */

/* The processors for the jobs: the last ones that this process may use. */
static bool make_measurers(batch *b)
{
    const measure_batch_request *r = b->request;
    cpu_set_t set;
    uint32_t made = 0;
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof set, &set);
    if (r->jobs > (uint32_t)CPU_COUNT(&set)) {
        cli_error("--jobs %u: this process may use %d processors", r->jobs, CPU_COUNT(&set));
        return false;
    }
    for (int cpu = CPU_SETSIZE - 1; cpu >= 0 && made < r->jobs; cpu--) {
        tacho_measurer_options o = *r->machine;
        if (r->jobs > 1 && !CPU_ISSET(cpu, &set))
            continue;
        if (r->jobs > 1)
            o.cpu = cpu;
        if (!(b->measurers[made++] = measure_open(&o)))
            return false;
    }
    return true;
}

static void finish(batch *b)
{
    while (b->first) {
        row *x = b->first;
        b->first = x->next;
        free_row(x);
    }
    for (uint32_t i = 0; i < b->request->jobs; i++)
        tacho_measurer_free(b->measurers[i]);
    tacho_predictor_free(b->predictor);
    tacho_str_free(&b->out);
    rows_close(&b->input);
    results_close(&b->results);
    pthread_mutex_destroy(&b->lock);
}

int measure_batch(const measure_batch_request *r)
{
    batch b = {.request = r};
    if (!rows_open(&b.input, r->path))
        return CLI_INPUT;
    b.input.shard = r->shard;
    b.last = &b.first;
    pthread_mutex_init(&b.lock, NULL);
    b.predictor = r->arch ? tacho_predictor_new() : NULL;
    int status = CLI_INPUT;
    if (r->arch && !b.predictor)
        cli_error("out of memory");
    else if (make_measurers(&b) && open_output(&b)) {
        b.started = seconds_now();
        status = run_workers(&b);
        show_progress(&b, true);
        if (b.failed)
            cli_error("%llu of %llu blocks failed", (unsigned long long)b.failed, (unsigned long long)b.rows);
    }
    finish(&b);
    return status ? status : b.failed ? CLI_PARTIAL : CLI_OK;
}
