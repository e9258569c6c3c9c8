/* cmd_predict_batch.c - blocks in CSV to predictions in CSV, streaming: memory does not grow with the input.
 *
 * Each thread, with its own predictor, reads a chunk of rows, makes output of it, and reads the next one. Who
 * has made the chunk that is next in order writes it, and those behind it that others have made. Chunks live
 * in a ring of slots. Whatever one read() delivers is a chunk, or several of them, so that a program at the
 * other end of a pipe gets its answers without having to send more. */
#include <unistd.h>

#include "app/cli/predict/cmd_predict.h"
#include "app/cli/running.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/seconds.h"

enum {
    SLOTS_PER_JOB = 8,
    CHUNK_ROWS = 128 /* at most; few, so that all threads end together */
};

typedef struct slot_row {
    uint64_t number;     /* in the input, from 1 */
    size_t length;       /* of its hex */
    const char *problem; /* why it could not be read; NULL */
} slot_row;

typedef struct slot {
    bool done;    /* waits to be written */
    tacho_str in; /* the rows' hex, one after the other */
    slot_row *rows;
    size_t row_count, row_capacity;
    tacho_str out;
    uint64_t failed; /* predictions */
    bool cut;        /* a signal has come before its last row */
} slot;

typedef struct batch {
    const predict_request *request;
    report_columns columns;
    rows input;
    results results;
    slot *slots;
    size_t slot_count;
    pthread_mutex_t reading; /* held while rows are read; before `lock` */
    int got;                 /* what the last of them was: ROWS_GIVEN until there are no more */
    pthread_mutex_t lock;    /* of the following */
    pthread_cond_t freed;    /* slots */
    uint64_t read, written;  /* numbers of chunks; slot i % slot_count */
    uint64_t predictions, failed;
    bool stopped;   /* a signal has come before the last row: what is written ends there */
    double started; /* moment */
} batch;

/* What a thread has for itself. */
typedef struct worker {
    batch *batch;
    tacho_predictor *predictor;
    uint8_t *code;
    size_t code_capacity;
} worker;

/* ---- rows ---- */

static void put_row(const worker *w, slot *s, const slot_row *row, const char *hex,
                    const report_subject *result)
{
    report_csv_row(&s->out, &w->batch->columns, hex, row->length, result);
    s->failed += result->prediction == NULL;
}

static void predict_block(worker *w, slot *s, const slot_row *row, const char *hex, const tacho_arch *arch,
                          size_t bytes)
{
    const tacho_prediction *p;
    tacho_error err;
    err.offset = -1;
    const predict_request *r = w->batch->request;
    if (!r->predict(w->predictor, arch, w->code, bytes, &r->options, &p, &err)) {
        put_row(w, s, row, hex, &(report_subject){.arch = arch, .prediction = p});
        return;
    }
    char message[TACHO_ERROR_MESSAGE_SIZE + CLI_OFFSET_SIZE], at[CLI_OFFSET_SIZE];
    snprintf(message, sizeof message, "%s%s", cli_offset(at, 0, err.offset, ""), err.message);
    put_row(w, s, row, hex, &(report_subject){.arch = arch, .error = message});
}

static void predict_row(worker *w, slot *s, const slot_row *row, char *hex)
{
    const predict_request *r = w->batch->request;
    tacho_error err;
    long n = -1;
    const char *why = row->problem;
    if (!why && tacho_mem_grow(&w->code, &w->code_capacity, row->length / 2 + 1, 1))
        why = "out of memory";
    if (!why && (n = tacho_hex_decode(w->code, hex, row->length, &err)) < 0)
        why = err.message;
    if (why)
        rows_make_text(hex, row->length);
    for (size_t a = 0; a < r->arch_count; a++)
        if (why)
            put_row(w, s, row, hex, &(report_subject){.arch = r->archs[a], .error = why});
        else
            predict_block(w, s, row, hex, r->archs[a], (size_t)n);
}

static void process(worker *w, slot *s)
{
    char *hex = s->in.data;
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

/* ---- chunks ---- */

static void show_progress(const batch *b, bool last)
{
    double seconds = seconds_now() - b->started;
    (last ? cli_progress_last : cli_progress)("%llu %s, %.0f a second", (unsigned long long)b->predictions,
                                              b->request->arch_count > 1 ? "predictions" : "blocks",
                                              seconds > 0 ? (double)b->predictions / seconds : 0.0);
}

static void write_slot(batch *b, const slot *s)
{
    if (b->stopped)
        return;
    if (!results_write(&b->results, &s->out))
        _exit(CLI_INPUT); /* another thread may be waiting for input for ever: end the program here */
    b->predictions += s->row_count * b->request->arch_count;
    b->failed += s->failed;
    b->stopped = s->cut;
    show_progress(b, false);
}

/* Writes what is next in order, as far as it is there. */
static void write_done(batch *b, slot *s)
{
    pthread_mutex_lock(&b->lock);
    s->done = true;
    for (; (s = &b->slots[b->written % b->slot_count])->done; b->written++) {
        write_slot(b, s);
        s->done = false;
    }
    pthread_cond_broadcast(&b->freed);
    pthread_mutex_unlock(&b->lock);
}

static bool add_row(const batch *b, slot *s, const char *hex, size_t length)
{
    tacho_str_append(&s->in, hex, length);
    if (s->in.failed || tacho_mem_grow(&s->rows, &s->row_capacity, s->row_count + 1, sizeof *s->rows))
        return cli_error("out of memory");
    s->rows[s->row_count++] = (slot_row){b->input.number, length, b->input.problem};
    return true;
}

/* What one read() delivers, or a part of it. */
static void read_chunk(batch *b, slot *s)
{
    const char *hex;
    size_t length;
    b->got = rows_next_hex(&b->input, &hex, &length);
    while (b->got == ROWS_GIVEN) {
        if (!add_row(b, s, hex, length)) {
            b->got = ROWS_ERROR;
            return;
        }
        if (s->row_count == CHUNK_ROWS)
            return;
        int more = rows_next_read(&b->input, &hex, &length);
        if (more == ROWS_NOT_YET)
            return;
        b->got = more;
    }
}

/* The slot of the next chunk, once its last use is over. */
static slot *free_slot(batch *b)
{
    pthread_mutex_lock(&b->lock);
    while (b->read - b->written == b->slot_count)
        pthread_cond_wait(&b->freed, &b->lock);
    slot *s = &b->slots[b->read % b->slot_count];
    pthread_mutex_unlock(&b->lock);
    tacho_str_clear(&s->in);
    s->row_count = 0;
    return s;
}

/* @return NULL: there are no more */
static slot *next_chunk(batch *b)
{
    slot *s = NULL;
    pthread_mutex_lock(&b->reading);
    if (b->got == ROWS_GIVEN) {
        s = free_slot(b);
        read_chunk(b, s);
    }
    if (s && s->row_count) {
        pthread_mutex_lock(&b->lock);
        b->read++;
        pthread_mutex_unlock(&b->lock);
    }
    pthread_mutex_unlock(&b->reading);
    return s && s->row_count ? s : NULL;
}

/* ---- threads ---- */

/* Takes chunks until there are no more. A thread that has no memory for a predictor leaves them to others. */
static int work(void *payload, void *state, size_t index, tacho_error *err)
{
    worker w = {.batch = payload, .predictor = tacho_predictor_new()};
    for (slot *s; w.predictor && (s = next_chunk(payload));) {
        process(&w, s);
        write_done(payload, s);
    }
    tacho_predictor_free(w.predictor);
    tacho_mem_free(w.code);
    return 0;
}

static int run_batch(batch *b, unsigned jobs)
{
    parallel_loop loop = {.count = jobs, .threads = jobs, .turn = work, .payload = b};
    parallel_run(&loop, NULL);
    if (b->got == ROWS_GIVEN)
        cli_error("out of memory");
    show_progress(b, true);
    b->stopped |= b->got == ROWS_STOPPED;
    bool ok = b->stopped ? b->got != ROWS_ERROR : b->got == ROWS_END;
    if (b->failed)
        cli_error("%llu of %llu %s failed", (unsigned long long)b->failed, (unsigned long long)b->predictions,
                  b->request->arch_count > 1 ? "predictions" : "blocks");
    if (ok && b->stopped)
        return results_say_stopped(&b->results, b->predictions / b->request->arch_count);
    return !ok ? CLI_INPUT : b->failed ? CLI_PARTIAL : CLI_OK;
}

static bool open_files(batch *b)
{
    const predict_request *r = b->request;
    TACHO_FREED tacho_str header = {0};
    if (!rows_open(&b->input, r->source.batch, &results_caller))
        return false;
    report_csv_header(&header, false);
    report_csv_columns(&b->columns);
    return results_open(&b->results, r->output, &b->input, false) && results_write(&b->results, &header);
}

static int run_jobs(batch *b, uint64_t jobs)
{
    int status = CLI_INPUT;
    b->started = seconds_now();
    b->slot_count = jobs * SLOTS_PER_JOB;
    b->slots = tacho_mem_zalloc(b->slot_count, sizeof *b->slots);
    if (b->slots)
        status = run_batch(b, (unsigned)jobs);
    else
        cli_error("out of memory");
    for (size_t i = 0; b->slots && i < b->slot_count; i++) {
        tacho_str_free(&b->slots[i].in);
        tacho_mem_free(b->slots[i].rows);
        tacho_str_free(&b->slots[i].out);
    }
    tacho_mem_free(b->slots);
    return status;
}

int predict_batch(const predict_request *r)
{
    batch b = {.request = r, .got = ROWS_GIVEN};
    cli_signals_ask();
    pthread_mutex_init(&b.reading, NULL);
    pthread_mutex_init(&b.lock, NULL);
    pthread_cond_init(&b.freed, NULL);
    int status = open_files(&b) ? run_jobs(&b, r->jobs ? r->jobs : cli_processors()) : CLI_INPUT;
    results_close(&b.results);
    rows_close(&b.input);
    return status;
}
