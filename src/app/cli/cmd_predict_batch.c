/* cmd_predict_batch.c - blocks in CSV to predictions in CSV, streaming: memory does not grow with the input.
 *
 * The main thread reads rows into chunks; workers, each with its own predictor, turn chunks into output; a
 * writer writes the chunks in their order. Chunks live in a ring of slots. Whatever one read() delivers is a
 * chunk, so that a program at the other end of a pipe gets its answers without having to send more.
 * Where threads cannot be had, the main thread does all of it, chunk by chunk. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "app/cli/cli.h"
#include "app/cli/cmd_predict.h"
#include "app/cli/results.h"
#include "app/cli/rows.h"
#include "app/cli/signals.h"
#include "app/report/report.h"
#include "base/mem.h"
#include "base/seconds.h"

enum {
    SLOTS_PER_JOB = 4
};

typedef enum slot_state {
    SLOT_FREE,
    SLOT_FILLED,
    SLOT_DONE
} slot_state;

typedef struct slot_row {
    uint64_t number;     /* in the input, from 1 */
    size_t length;       /* of its hex */
    const char *problem; /* why it could not be read; NULL */
} slot_row;

typedef struct slot {
    slot_state state;
    tacho_str in; /* the rows' hex, one after the other */
    slot_row *rows;
    size_t row_count, row_capacity;
    tacho_str out;
    uint64_t failed; /* predictions */
    bool cut;        /* a signal has come before its last row */
} slot;

typedef struct batch {
    const predict_batch_request *request;
    rows input;
    results results;
    slot *slots;
    size_t slot_count;
    uint64_t filled, taken, written; /* numbers of chunks; slot i % slot_count */
    bool ended;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint64_t predictions, failed;
    bool stopped;         /* a signal has come before the last row: what is written ends there */
    double started;       /* moment */
    double shown;         /* seconds after the start, of the last progress line */
    struct worker *alone; /* that of the main thread, where there are no others; NULL */
} batch;

typedef struct worker {
    batch *batch;
    tacho_predictor *predictor;
    pthread_t thread;
    uint8_t *code;
    size_t code_capacity;
} worker;

/* ---- rows ---- */

/* A row of the results; `p` or `why` is NULL. */
static void put_row(const worker *w, slot *s, const slot_row *row, const char *hex, const tacho_arch *arch,
                    const tacho_prediction *p, const char *why)
{
    report_csv_row(&s->out, hex, row->length, &(report_subject){.arch = arch, .prediction = p, .error = why});
    shard_end_row(&w->batch->request->shard, &s->out, row->number);
    s->failed += p == NULL;
}

static void predict_block(worker *w, slot *s, const slot_row *row, const char *hex, const tacho_arch *arch,
                          size_t bytes)
{
    const tacho_prediction *p;
    tacho_error err;
    err.offset = -1;
    if (!tacho_predict(w->predictor, arch, w->code, bytes, w->batch->request->options, &p, &err)) {
        put_row(w, s, row, hex, arch, p, NULL);
        return;
    }
    char message[TACHO_ERROR_MESSAGE_SIZE + 40];
    if (err.offset >= 0)
        snprintf(message, sizeof message, "offset 0x%llx: %s", (unsigned long long)err.offset, err.message);
    else
        snprintf(message, sizeof message, "%s", err.message);
    put_row(w, s, row, hex, arch, NULL, message);
}

static void predict_row(worker *w, slot *s, const slot_row *row, const char *hex)
{
    const predict_batch_request *r = w->batch->request;
    tacho_error err;
    long n = -1;
    const char *why = row->problem;
    if (!why && tacho_mem_grow(&w->code, &w->code_capacity, row->length / 2 + 1, 1))
        why = "out of memory";
    if (!why && (n = tacho_hex_decode(w->code, hex, row->length, &err)) < 0)
        why = err.message;
    for (size_t a = 0; a < r->arch_count; a++)
        if (why)
            put_row(w, s, row, hex, r->archs[a], NULL, why);
        else
            predict_block(w, s, row, hex, r->archs[a], (size_t)n);
}

static void process(worker *w, slot *s)
{
    const char *hex = s->in.data;
    tacho_str_clear(&s->out);
    s->failed = 0;
    s->cut = false;
    for (size_t i = 0; i < s->row_count; i++) {
        if (cli_signals_asked(NULL)) {
            s->cut = true;
            s->row_count = i;
            break;
        }
        predict_row(w, s, &s->rows[i], hex);
        hex += s->rows[i].length;
    }
}

/* ---- threads ---- */

static void *work(void *payload)
{
    worker *w = payload;
    batch *b = w->batch;
    pthread_mutex_lock(&b->lock);
    for (;;) {
        while (b->taken == b->filled && !b->ended)
            pthread_cond_wait(&b->changed, &b->lock);
        if (b->taken == b->filled)
            break;
        slot *s = &b->slots[b->taken++ % b->slot_count];
        pthread_mutex_unlock(&b->lock);
        process(w, s);
        pthread_mutex_lock(&b->lock);
        s->state = SLOT_DONE;
        pthread_cond_broadcast(&b->changed);
    }
    pthread_mutex_unlock(&b->lock);
    return NULL;
}

static void progress(batch *b, bool last)
{
    double now = seconds_now() - b->started;
    if (!isatty(STDERR_FILENO) || (!last && now - b->shown < 0.2))
        return;
    b->shown = now;
    fprintf(stderr, "\r%llu %s, %.0f a second%s", (unsigned long long)b->predictions,
            b->request->arch_count > 1 ? "predictions" : "blocks",
            now > 0 ? (double)b->predictions / now : 0.0, last ? "  \n" : "  ");
}

static bool write_slot(batch *b, slot *s)
{
    if (b->stopped)
        return true;
    if (!results_write(&b->results, &s->out))
        return false;
    b->predictions += s->row_count * b->request->arch_count;
    b->failed += s->failed;
    b->stopped = s->cut;
    progress(b, false);
    return true;
}

static void *write_out(void *payload)
{
    batch *b = payload;
    pthread_mutex_lock(&b->lock);
    for (;;) {
        slot *s = &b->slots[b->written % b->slot_count];
        while (!(b->written < b->filled && s->state == SLOT_DONE) && !(b->ended && b->written == b->filled))
            pthread_cond_wait(&b->changed, &b->lock);
        if (b->written == b->filled)
            break;
        pthread_mutex_unlock(&b->lock);
        if (!write_slot(b, s))
            _exit(CLI_INPUT); /* the reading thread may be waiting for input for ever: end the program here */
        pthread_mutex_lock(&b->lock);
        s->state = SLOT_FREE;
        b->written++;
        pthread_cond_broadcast(&b->changed);
    }
    pthread_mutex_unlock(&b->lock);
    return NULL;
}

/* ---- reading ---- */

/* The slot of chunk `number`, once its last use is over. */
static slot *free_slot(batch *b, uint64_t number)
{
    slot *s = &b->slots[number % b->slot_count];
    pthread_mutex_lock(&b->lock);
    while (s->state != SLOT_FREE)
        pthread_cond_wait(&b->changed, &b->lock);
    pthread_mutex_unlock(&b->lock);
    tacho_str_clear(&s->in);
    s->row_count = 0;
    return s;
}

/* @return false with a message: what was made of it at once cannot be written */
static bool publish(batch *b, slot *s)
{
    if (b->alone) {
        process(b->alone, s);
        return write_slot(b, s);
    }
    pthread_mutex_lock(&b->lock);
    s->state = SLOT_FILLED;
    b->filled++;
    pthread_cond_broadcast(&b->changed);
    pthread_mutex_unlock(&b->lock);
    return true;
}

static bool add_row(const batch *b, slot *s, const char *hex, size_t length)
{
    tacho_str_append(&s->in, hex, length);
    if (s->in.failed || tacho_mem_grow(&s->rows, &s->row_capacity, s->row_count + 1, sizeof *s->rows)) {
        cli_error("out of memory");
        return false;
    }
    s->rows[s->row_count++] = (slot_row){b->input.number, length, b->input.problem};
    return true;
}

/* Cuts the input into chunks. @return as rows_next, but not ROWS_GIVEN */
static int read_all(batch *b)
{
    const char *hex;
    size_t length;
    int got;
    while ((got = rows_next(&b->input, &hex, &length)) == ROWS_GIVEN) {
        slot *s = free_slot(b, b->filled);
        bool ok;
        do
            ok = add_row(b, s, hex, length);
        while (ok && (got = rows_next_read(&b->input, &hex, &length)) == ROWS_GIVEN);
        if (!publish(b, s) || !ok)
            return ROWS_ERROR;
    }
    return got;
}

/* ---- set-up ---- */

static bool make_worker(batch *b, worker *w)
{
    w->batch = b;
    w->predictor = w->predictor ? w->predictor : tacho_predictor_new();
    return w->predictor != NULL;
}

/* As many workers as can be had. @return how many; none without a writer, too */
static uint64_t start_threads(batch *b, worker *workers, uint64_t jobs, pthread_t *writer, bool *writes)
{
    uint64_t started = 0;
    *writes = !pthread_create(writer, NULL, write_out, b);
    while (*writes && started < jobs && make_worker(b, &workers[started]) &&
           !pthread_create(&workers[started].thread, NULL, work, &workers[started]))
        started++;
    return started;
}

static void end_threads(batch *b, worker *workers, uint64_t count, const pthread_t *writer)
{
    pthread_mutex_lock(&b->lock);
    b->ended = true;
    pthread_cond_broadcast(&b->changed);
    pthread_mutex_unlock(&b->lock);
    for (uint64_t i = 0; i < count; i++)
        pthread_join(workers[i].thread, NULL);
    if (writer)
        pthread_join(*writer, NULL);
}

static int run_batch(batch *b, worker *workers, uint64_t jobs)
{
    pthread_t writer;
    bool writes, ok = true;
    uint64_t started = start_threads(b, workers, jobs, &writer, &writes);
    if (!started) {
        b->alone = workers;
        ok = make_worker(b, workers);
        if (!ok)
            cli_error("out of memory");
    }
    int got = ok ? read_all(b) : ROWS_ERROR;
    end_threads(b, workers, started, writes ? &writer : NULL);
    progress(b, true);
    b->stopped |= got == ROWS_STOPPED;
    ok = b->stopped ? got != ROWS_ERROR : got == ROWS_END && results_end(&b->results, b->input.number);
    if (b->failed)
        cli_error("%llu of %llu %s failed", (unsigned long long)b->failed, (unsigned long long)b->predictions,
                  b->request->arch_count > 1 ? "predictions" : "blocks");
    if (ok && b->stopped)
        return results_say_stopped(&b->results, b->predictions / b->request->arch_count);
    return !ok ? CLI_INPUT : b->failed ? CLI_PARTIAL : CLI_OK;
}

static bool open_files(batch *b)
{
    const predict_batch_request *r = b->request;
    tacho_str header = {0};
    if (!rows_open(&b->input, r->path))
        return false;
    b->input.shard = r->shard;
    report_csv_header(&header, false);
    shard_end_header(&r->shard, &header);
    bool ok = results_open(&b->results, r->output, &r->shard, &b->input, false) &&
              results_write(&b->results, &header);
    tacho_str_free(&header);
    return ok;
}

static int run_jobs(batch *b, uint64_t jobs)
{
    int status = CLI_INPUT;
    b->started = seconds_now();
    b->slot_count = jobs * SLOTS_PER_JOB;
    b->slots = tacho_mem_zalloc(b->slot_count, sizeof *b->slots);
    worker *workers = tacho_mem_zalloc(jobs, sizeof *workers);
    if (b->slots && workers)
        status = run_batch(b, workers, jobs);
    else
        cli_error("out of memory");
    for (uint64_t i = 0; workers && i < jobs; i++) {
        tacho_predictor_free(workers[i].predictor);
        tacho_mem_free(workers[i].code);
    }
    for (size_t i = 0; b->slots && i < b->slot_count; i++) {
        tacho_str_free(&b->slots[i].in);
        tacho_mem_free(b->slots[i].rows);
        tacho_str_free(&b->slots[i].out);
    }
    tacho_mem_free(b->slots);
    tacho_mem_free(workers);
    return status;
}

int predict_batch(const predict_batch_request *r)
{
    batch b = {.request = r};
    cli_signals_ask();
    pthread_mutex_init(&b.lock, NULL);
    pthread_cond_init(&b.changed, NULL);
    int status = open_files(&b) ? run_jobs(&b, r->jobs ? r->jobs : cli_processors()) : CLI_INPUT;
    results_close(&b.results);
    rows_close(&b.input);
    return status;
}
