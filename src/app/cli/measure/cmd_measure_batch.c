/* cmd_measure_batch.c - blocks in CSV to measurements in CSV.
 *
 * Blocks are under way together, so that their passes lie apart, and with several jobs on a processor each.
 * Rows are written in the order of the input, as soon as all before them are finished. Where a signal or an
 * error ends the work, those that are finished behind unfinished ones are written, too: the unfinished ones
 * are then missing between them, and --resume, which looks for each row of the results in the input, measures
 * them and puts them in their place. */
#include "app/cli/measure/cmd_measure.h"
#include "app/cli/running.h"
#include "base/cpus.h"
#include "base/csv.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/seconds.h"

enum {
    MAX_JOBS = 256,
    MAX_MISSING = 64 * MAX_JOBS /* rows that can be unfinished: as many as are under way */
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
    char *kept;                           /* its line in the results that were there; NULL */
    bool done, given;                     /* given to be measured */
} row;

typedef struct batch {
    const measure_request *request;
    const tacho_arch *arch; /* of predictions; NULL: there are none */
    tacho_measure_options measure;
    pthread_mutex_t lock; /* for all of the following */
    rows input;
    row *first, **last; /* in the order of the input */
    size_t missing;     /* of these, those of --resume that are not given yet */
    tacho_measurer *measurers[MAX_JOBS];
    tacho_predictor *predictor;
    tacho_str out;
    results results;
    bool broken;            /* something has failed, with a message: no more blocks */
    bool unwritable;        /* writing has */
    bool stopped;           /* a signal has come before the end */
    uint64_t rows, skipped; /* the first with those that were finished before, the second only they */
    uint64_t unwritten;     /* rows that were read and are not written yet */
    uint64_t by_status[REPORT_MEASURE_STATUSES]; /* of all rows */
    double started;                              /* moment */
    double part_before;                          /* of the input, when it started */
} batch;

/* ---- progress ---- */

/* Share of the input whose rows are written: rows that are read are under way for seconds, also those at the
 * input's end. */
static double part_written(const batch *b)
{
    double written = (double)b->rows, read = written + (double)b->unwritten;
    return read > 0 ? rows_part_read(&b->input) * written / read : 0;
}

static void show_progress(batch *b, bool last)
{
    char left[64] = "";
    double seconds = seconds_now() - b->started, part = part_written(b);
    if (!last && part > b->part_before && part < 1) {
        double rest = ceil(seconds * (1 - part) / (part - b->part_before));
        snprintf(left, sizeof left, ", %.0f:%02.0f min left", floor(rest / 60), fmod(rest, 60));
    }
    (last ? cli_progress_last : cli_progress)("%llu blocks, %.1f a second%s", (unsigned long long)b->rows,
                                              seconds > 0 ? (double)(b->rows - b->skipped) / seconds : 0.0,
                                              left);
}

/* ---- results ---- */

static bool write_out(batch *b)
{
    bool ok = results_write(&b->results, &b->out);
    tacho_str_clear(&b->out);
    b->unwritable |= !ok;
    return ok;
}

static void put_measured(batch *b, const row *x)
{
    char message[TACHO_ERROR_MESSAGE_SIZE];
    tacho_measurement bad;
    report_measured m = {
        .code = x->job.code, .code_size = x->job.code_size, .result = &x->job.result, .predicted = NAN};
    if (*x->error) {
        measure_reject(&bad, b->measurers[0], b->request->measure.mode, x->error);
        m.result = &bad;
        m.arch = b->predictor ? b->arch->name : NULL;
    } else if (b->predictor)
        measure_predict(&m, b->predictor, b->arch, &b->request->measure, message, sizeof message);
    report_measure_csv_row(&b->out, x->hex, x->hex_length, &m);
    b->by_status[m.result->status]++;
}

static void put_row(batch *b, const row *x)
{
    if (x->kept)
        tacho_str_puts(&b->out, x->kept);
    else
        put_measured(b, x);
    b->skipped += x->kept != NULL;
    b->rows++;
}

static void free_row(row *x)
{
    TACHO_MEM_FREE(x->hex, x->code, x->kept, x);
}

/* Writes the rows that no unfinished one is before, or, when there is no more to come, all that are finished.
 */
static void write_finished(batch *b, bool all)
{
    while (b->first && (b->first->done || all)) {
        row *x = b->first;
        if (x->done)
            put_row(b, x);
        b->first = x->next;
        b->unwritten--;
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
        rows_make_text(x->hex, length);
        x->done = true;
    } else {
        x->job.code = x->code;
        x->job.code_size = (size_t)n;
    }
    *b->last = x;
    b->last = &x->next;
    b->unwritten++;
    return x;
}

/* Of those that --resume found missing the first that is not given; NULL */
static row *next_missing(batch *b)
{
    row *x = b->missing ? b->first : NULL;
    while (x && (x->done || x->given))
        x = x->next;
    b->missing -= x != NULL;
    return x;
}

/* Of the input. @return NULL: there is none, or no more is wanted */
static row *next_row(batch *b)
{
    const char *hex;
    size_t length;
    row *x = NULL;
    while (!b->broken && !b->stopped && (!x || x->done)) {
        int got = rows_next_hex(&b->input, &hex, &length);
        x = got == ROWS_GIVEN ? add_row(b, hex, length) : NULL;
        b->stopped |= got == ROWS_STOPPED;
        b->broken |= got == ROWS_ERROR || (got == ROWS_GIVEN && !x);
        if (got == ROWS_END)
            break;
    }
    return x && !x->done ? x : NULL;
}

static bool next_block(void *payload, tacho_measure_job **out)
{
    batch *b = payload;
    pthread_mutex_lock(&b->lock);
    row *x = b->broken ? NULL : next_missing(b);
    x = x ? x : next_row(b);
    if (x)
        x->given = true;
    pthread_mutex_unlock(&b->lock);
    *out = x ? &x->job : NULL;
    return x != NULL;
}

static void block_is_done(void *payload, tacho_measure_job *job)
{
    batch *b = payload;
    pthread_mutex_lock(&b->lock);
    ((row *)job)->done = true;
    write_finished(b, false);
    pthread_mutex_unlock(&b->lock);
}

/* Measures blocks until there are no more. */
static int work(void *payload, void *state, size_t measurer, tacho_error *err)
{
    batch *b = payload;
    int rc = tacho_measure_stream(b->measurers[measurer], next_block, block_is_done, b, &b->measure, err);
    if (rc) {
        pthread_mutex_lock(&b->lock);
        if (rc == TACHO_ERR_CANCELLED)
            b->stopped = true;
        else if (!b->broken)
            cli_error("%s", err->message);
        b->broken |= rc != TACHO_ERR_CANCELLED;
        pthread_mutex_unlock(&b->lock);
    }
    return 0;
}

static int run_workers(batch *b)
{
    parallel_loop loop = {.count = b->request->jobs, .threads = b->request->jobs, .turn = work, .payload = b};
    parallel_run(&loop, NULL);
    if (!b->unwritable)
        write_finished(b, true);
    return b->broken ? CLI_INPUT : CLI_OK;
}

/* ---- resuming ---- */

/* The results that are there, beside the input. */
typedef struct resumed {
    rows finished;
    const char *hex; /* of the row of the results that is looked at */
    size_t length;
    uint64_t looked;   /* which row of the results it is, from 1 */
    uint64_t missing;  /* rows of the input that the results do not have between theirs */
    uint64_t first;    /* the number of the first of them */
    uint64_t whole;    /* bytes of the results before the first one behind a missing one */
    uint64_t in_order; /* rows there */
} resumed;

/* Whether the row that is looked at is that of the input. */
static bool is_row(const resumed *r, const char *hex, size_t length)
{
    return r->length == length && rows_is_shown(r->hex, hex, length);
}

static bool is_other_row(const batch *b, const resumed *r, uint64_t number)
{
    return cli_error("--resume: row %llu of %s is not row %llu of %s", (unsigned long long)r->looked,
                     b->results.name, (unsigned long long)number, b->request->source.batch);
}

enum {
    STATUS_CELL = 2, /* behind the hex: cycles, uncertainty, status */
    NO_STATUS = -1
};

static int status_called(const char *name, size_t length)
{
    for (int i = 0; i < REPORT_MEASURE_STATUSES; i++) {
        const char *known = tacho_measure_status_name((tacho_measure_status)i);
        if (length == strlen(known) && !memcmp(name, known, length))
            return i;
    }
    return NO_STATUS;
}

/* Of the row that is finished. @return NO_STATUS: it has none, or not as many cells as the header */
static int status_of(const rows *finished, const char *header)
{
    const char *at = finished->rest, *end = at ? at + finished->rest_length : NULL, *cell = at;
    int status = NO_STATUS;
    size_t commas = 0, wanted = 0;
    bool quoted = false;
    for (const char *c = header; *c; c++)
        wanted += *c == ',';
    for (; at && at <= end; at++) {
        quoted ^= at < end && *at == '"';
        if (at < end && (quoted || *at != ','))
            continue;
        if (commas++ == STATUS_CELL)
            status = status_called(cell, (size_t)(at - cell));
        cell = at + 1;
    }
    return commas == wanted ? status : NO_STATUS;
}

/* Looks for the row in the input, from its next one on; those before it are to be measured. @return false
 * with a message, or a signal has come */
static bool find_row(batch *b, resumed *r)
{
    const char *hex;
    size_t length;
    int got;
    for (; (got = rows_next_hex(&b->input, &hex, &length)) == ROWS_GIVEN; r->missing++) {
        if (is_row(r, hex, length))
            return true;
        r->first = r->first ? r->first : b->input.number;
        if (r->missing == MAX_MISSING)
            break;
        const row *x = add_row(b, hex, length);
        if (!x)
            return false;
        b->missing += !x->done;
    }
    return got >= 0 && is_other_row(b, r, r->first ? r->first : b->input.number + 1);
}

/* Behind a missing one it is written again, in its place. @return false with a message */
static bool keep_row(batch *b, const resumed *r)
{
    row *x = add_row(b, r->hex, r->length);
    TACHO_FREED tacho_str line = {0};
    tacho_csv_put(&line, r->hex, r->length);
    tacho_str_putc(&line, ',');
    tacho_str_append(&line, r->finished.rest, r->finished.rest_length);
    tacho_str_putc(&line, '\n');
    if (x && !line.failed)
        x->kept = tacho_mem_strndup(line.data, line.length);
    if (x && !x->kept)
        cli_error("out of memory");
    if (x)
        x->done = true;
    return x && x->kept;
}

/* The rows of the results that are there are rows of the input, in its order: reads past them all. @return
 * false with a message, or a signal has come */
static bool skip_finished(batch *b, resumed *r, const char *header)
{
    int got;
    while ((got = rows_next_hex(&r->finished, &r->hex, &r->length)) == ROWS_GIVEN) {
        r->looked++;
        if (!find_row(b, r) || (r->missing && !keep_row(b, r)))
            return false;
        const int status = status_of(&r->finished, header);
        if (status == NO_STATUS)
            return cli_error("--resume: row %llu of %s is damaged: it has no status, or not as many fields "
                             "as the first line",
                             (unsigned long long)r->looked, b->results.name);
        b->by_status[status]++;
        if (r->missing)
            continue;
        r->in_order++;
        r->whole = rows_whole_bytes(&r->finished);
    }
    b->rows = b->skipped = r->in_order;
    return got == ROWS_END;
}

static bool resume(batch *b, const char *header)
{
    resumed r = {.looked = 0};
    if (!rows_open(&r.finished, b->results.file, &results_caller))
        return false;
    r.finished.whole_only = true;
    r.finished.max_record *= 8; /* the row of a long one has a message, too */
    bool right = rows_header(&r.finished, header);
    if (rows_are_compressed(&r.finished))
        right = cli_error("--resume: %s is compressed: gunzip it to go on", b->results.name);
    else if (!right)
        cli_error("--resume: %s was not written with these options: its first line is not '%.*s'",
                  b->results.name, (int)strcspn(header, "\n"), header);
    r.whole = rows_whole_bytes(&r.finished);
    bool ok = right && skip_finished(b, &r, header) && results_go_on(&b->results, r.whole);
    rows_close(&r.finished);
    return ok;
}

static bool open_output(batch *b)
{
    const measure_request *r = b->request;
    TACHO_FREED tacho_str header = {0};
    report_measure_csv_header(&header, b->arch != NULL);
    bool ok = !header.failed || cli_error("out of memory");
    ok = ok && results_open(&b->results, r->output, &b->input, r->resume);
    if (ok && r->resume && !results_empty(&b->results))
        ok = resume(b, header.data);
    else if (ok)
        ok = results_write(&b->results, &header);
    return ok;
}

/* ---- set-up ---- */

/* The processors for the jobs: the last ones that this process may use. @return an exit status */
static int make_measurers(batch *b)
{
    const measure_request *r = b->request;
    cpus all;
    tacho_error err;
    uint32_t made = 0;
    if (cpus_allowed(&all, &err))
        return cli_input_error("%s", err.message);
    if (r->jobs > cpus_count(&all))
        return cli_usage_error("--jobs %u: this process may use %u processors", r->jobs, cpus_count(&all));
    for (int cpu = CPUS_MOST - 1; cpu >= 0 && made < r->jobs; cpu--) {
        tacho_measurer_options o = r->machine;
        if (r->jobs > 1 && !cpus_have(&all, cpu))
            continue;
        if (r->jobs > 1)
            o.cpu = cpu;
        int status = measure_open(&b->measurers[made++], &o);
        if (status)
            return status;
    }
    return CLI_OK;
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

/* @return the exit status */
static int say_stopped(const batch *b)
{
    const char *more = b->results.file ? "; --resume goes on with the others" : "";
    if (b->rows)
        cli_note("%s: %s has %llu row%s%s", cli_signals_words(), b->results.name, (unsigned long long)b->rows,
                 tacho_plural(b->rows), more);
    else
        cli_error("%s: nothing was measured", cli_signals_words());
    return b->rows ? CLI_PARTIAL : CLI_INPUT;
}

/* What rows have no usable number, why, and what to do. @return whether there are such */
static bool say_unusable(const batch *b)
{
    const uint64_t unstable = b->by_status[TACHO_MEASURED_UNSTABLE];
    TACHO_FREED tacho_str failed = {0};
    uint64_t count = report_measure_failed(&failed, b->by_status);
    if (count)
        cli_error("%llu of %llu blocks failed: %s", (unsigned long long)count, (unsigned long long)b->rows,
                  failed.failed ? "" : failed.data);
    if (unstable)
        cli_error("%llu of %llu blocks are unstable: their passes disagree, as other work or a changing "
                  "clock disturbs them; 'tacho eval' leaves them out; 'tacho doctor' says what disturbs; to "
                  "measure them again, %s%s%s",
                  (unsigned long long)unstable, (unsigned long long)b->rows,
                  b->results.file ? "take their rows out of " : "write the results to a file (--output)",
                  b->results.file ? b->results.name : "", b->results.file ? ", then --resume" : "");
    return count || unstable;
}

int measure_batch(const measure_request *r, const tacho_arch *arch)
{
    batch b = {.request = r, .arch = arch, .measure = r->measure};
    cli_signals_ask();
    b.measure.stop = cli_signals_asked;
    if (!rows_open(&b.input, r->source.batch, &results_caller))
        return CLI_INPUT;
    b.last = &b.first;
    pthread_mutex_init(&b.lock, NULL);
    b.predictor = arch ? tacho_predictor_new() : NULL;
    bool unusable = false;
    int status = arch && !b.predictor ? cli_input_error("out of memory") : make_measurers(&b);
    if (!status && !open_output(&b))
        status = CLI_INPUT;
    if (!status) {
        b.started = seconds_now();
        b.part_before = part_written(&b);
        cli_progress_into_log();
        status = run_workers(&b);
        show_progress(&b, true);
        unusable = say_unusable(&b);
        if (!b.broken && b.stopped)
            status = say_stopped(&b);
    } else if (cli_signals_asked(NULL)) {
        cli_error("%s: nothing was measured", cli_signals_words());
    }
    finish(&b);
    return status ? status : unusable ? CLI_PARTIAL : CLI_OK;
}
