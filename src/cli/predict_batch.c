/* predict_batch.c - blocks in CSV to predictions in CSV, streaming: memory does not grow with the input.
 *
 * The main thread reads and cuts the input into chunks of whole records; workers, each with its own
 * predictor, turn chunks into output; a writer writes the chunks in their order. Chunks live in a ring of
 * slots. Whatever one read() delivers is a chunk, so that a program at the other end of a pipe gets its
 * answers without having to send more. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/predict.h"
#include "report/report.h"
#include "util/csv.h"
#include "util/mem.h"
#include "util/seconds.h"

enum {
    READ_BYTES = 64 << 10,
    MAX_RECORD_BYTES = 1 << 20,
    SLOTS_PER_JOB = 4
};

typedef enum slot_state {
    SLOT_FREE,
    SLOT_READY,
    SLOT_BUSY,
    SLOT_DONE
} slot_state;

typedef struct slot {
    slot_state state;
    char *in;
    size_t in_capacity, in_length;
    tacho_str out;
    bool first;    /* the start of the input: may have a header line */
    bool too_long; /* stands for a record longer than MAX_RECORD_BYTES */
    uint64_t rows, failed;
} slot;

typedef struct batch {
    const tacho_arch *const *archs;
    size_t arch_count;
    const tacho_predict_options *options;
    const char *name;
    int fd;
    slot *slots;
    size_t slot_count;
    uint64_t filled, taken, written; /* numbers of chunks; slot i % slot_count */
    bool ended;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint64_t rows, failed;
    double started; /* moment */
} batch;

typedef struct worker {
    batch *batch;
    tacho_predictor *predictor;
    pthread_t thread;
    uint8_t *code;
    size_t code_capacity;
} worker;

/* ---- rows ---- */

static void fail_row(slot *s, const tacho_arch *arch, const char *hex, size_t length, const char *why)
{
    report_csv_row(&s->out, hex, length, arch, NULL, NULL, why);
    s->failed++;
}

static void fail_rows(slot *s, const batch *b, const char *hex, size_t length, const char *why)
{
    for (size_t a = 0; a < b->arch_count; a++)
        fail_row(s, b->archs[a], hex, length, why);
}

static void predict_block(worker *w, slot *s, const tacho_arch *arch, const char *hex, size_t length,
                          size_t bytes)
{
    const tacho_prediction *p;
    tacho_error err;
    err.offset = -1;
    if (!tacho_predict(w->predictor, arch, w->code, bytes, w->batch->options, &p, &err)) {
        report_csv_row(&s->out, hex, length, arch, p, NULL, NULL);
        return;
    }
    char message[TACHO_ERROR_MESSAGE_SIZE + 40];
    if (err.offset >= 0)
        snprintf(message, sizeof message, "offset 0x%llx: %s", (unsigned long long)err.offset, err.message);
    else
        snprintf(message, sizeof message, "%s", err.message);
    fail_row(s, arch, hex, length, message);
}

static void predict_row(worker *w, slot *s, char *record, size_t length)
{
    const batch *b = w->batch;
    char *field, *rest;
    size_t field_length;
    tacho_error err;
    tacho_csv_field(record, length, &field, &field_length, &rest);
    const char *hex = field;
    tacho_str_trim(&hex, &field_length);
    if (!field_length && !rest)
        return; /* an empty line is no row */
    s->rows += b->arch_count;
    if (tacho_mem_grow(&w->code, &w->code_capacity, field_length / 2 + 1, 1)) {
        fail_rows(s, b, hex, field_length, "out of memory");
        return;
    }
    long n = tacho_hex_decode(w->code, hex, field_length, &err);
    if (n < 0) {
        fail_rows(s, b, hex, field_length, err.message);
        return;
    }
    for (size_t a = 0; a < b->arch_count; a++)
        predict_block(w, s, b->archs[a], hex, field_length, (size_t)n);
}

static bool is_header(char *record, size_t length)
{
    size_t n = 0; /* the record is not terminated */
    const char *field = record;
    while (n < length && !strchr(",\r\n", record[n]))
        n++;
    tacho_str_trim(&field, &n);
    return (n == 3 && tacho_str_same_n(field, "hex", 3)) || (n == 5 && tacho_str_same_n(field, "\"hex\"", 5));
}

static void process(worker *w, slot *s)
{
    char *at = s->in, *end = s->in + s->in_length;
    tacho_str_clear(&s->out);
    s->rows = s->failed = 0;
    if (s->first) {
        report_csv_header(&s->out, false);
        if (end - at >= 3 && !memcmp(at, "\xef\xbb\xbf", 3))
            at += 3;
    }
    bool may_be_header = s->first;
    while (at < end) {
        size_t next, length = tacho_csv_record(at, (size_t)(end - at), &next);
        if (length == (size_t)-1)
            length = next = (size_t)(end - at);
        if (!may_be_header || !is_header(at, length))
            predict_row(w, s, at, length);
        may_be_header = false;
        at += next;
    }
    if (s->too_long) {
        s->rows += w->batch->arch_count;
        fail_rows(s, w->batch, "", 0, "a line longer than 1 MiB (or a quote that is not closed)");
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
        s->state = SLOT_BUSY;
        pthread_mutex_unlock(&b->lock);
        process(w, s);
        pthread_mutex_lock(&b->lock);
        s->state = SLOT_DONE;
        pthread_cond_broadcast(&b->changed);
    }
    pthread_mutex_unlock(&b->lock);
    return NULL;
}

static void progress(const batch *b, bool last, double *shown)
{
    double now = seconds_now() - b->started;
    if (!isatty(STDERR_FILENO) || (!last && now - *shown < 0.2))
        return;
    *shown = now;
    fprintf(stderr, "\r%llu %s, %.0f a second%s", (unsigned long long)b->rows,
            b->arch_count > 1 ? "predictions" : "blocks", now > 0 ? (double)b->rows / now : 0.0,
            last ? "  \n" : "  ");
}

static void write_slot(const slot *s)
{
    if (s->out.failed) {
        cli_error("out of memory");
        _exit(CLI_INPUT);
    }
    for (size_t done = 0; done < s->out.length;) {
        ssize_t n = write(STDOUT_FILENO, s->out.data + done, s->out.length - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) { /* the reading thread may be waiting for input for ever: end the program here */
            cli_error("cannot write to standard output: %s", strerror(errno));
            _exit(CLI_INPUT);
        }
        done += (size_t)n;
    }
}

static void *write_out(void *payload)
{
    batch *b = payload;
    double shown = 0;
    pthread_mutex_lock(&b->lock);
    for (;;) {
        slot *s = &b->slots[b->written % b->slot_count];
        while (!(b->written < b->filled && s->state == SLOT_DONE) && !(b->ended && b->written == b->filled))
            pthread_cond_wait(&b->changed, &b->lock);
        if (b->written == b->filled)
            break;
        pthread_mutex_unlock(&b->lock);
        write_slot(s);
        b->rows += s->rows;
        b->failed += s->failed;
        progress(b, false, &shown);
        pthread_mutex_lock(&b->lock);
        s->state = SLOT_FREE;
        b->written++;
        pthread_cond_broadcast(&b->changed);
    }
    pthread_mutex_unlock(&b->lock);
    progress(b, true, &shown);
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
    s->in_length = 0;
    s->too_long = false;
    s->first = number == 0;
    return s;
}

static void publish(batch *b, slot *s)
{
    pthread_mutex_lock(&b->lock);
    s->state = SLOT_READY;
    b->filled++;
    pthread_cond_broadcast(&b->changed);
    pthread_mutex_unlock(&b->lock);
}

/* Length of the whole records at the start of the slot's input. */
static size_t whole_records(const slot *s)
{
    size_t used = 0, next;
    if (!memchr(s->in, '"', s->in_length)) {
        const char *last = memrchr(s->in, '\n', s->in_length);
        return last ? (size_t)(last + 1 - s->in) : 0;
    }
    while (used < s->in_length && tacho_csv_record(s->in + used, s->in_length - used, &next) != (size_t)-1)
        used += next;
    return used;
}

/* Reads more into the slot. @return bytes read, 0 at the end, negative with a message */
static ssize_t fill(batch *b, slot *s)
{
    if (tacho_mem_grow(&s->in, &s->in_capacity, s->in_length + READ_BYTES, 1)) {
        cli_error("out of memory");
        return -1;
    }
    ssize_t n;
    do
        n = read(b->fd, s->in + s->in_length, READ_BYTES);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        cli_error("%s: cannot be read: %s", b->name, strerror(errno));
    else
        s->in_length += (size_t)n;
    return n;
}

/* Drops input up to the end of the line. */
static ssize_t skip_line(batch *b, slot *s)
{
    for (;;) {
        s->in_length = 0;
        ssize_t n = fill(b, s);
        char *newline = n > 0 ? memchr(s->in, '\n', s->in_length) : NULL;
        if (n > 0 && !newline)
            continue;
        size_t used = newline ? (size_t)(newline + 1 - s->in) : 0;
        memmove(s->in, s->in + used, s->in_length - used);
        s->in_length -= used;
        return n;
    }
}

/* Cuts the input into chunks. @return 0, or negative after a read error */
static int read_all(batch *b)
{
    slot *s = free_slot(b, 0);
    for (;;) {
        ssize_t n = fill(b, s);
        if (n <= 0) {
            publish(b, s);
            return n < 0 ? -1 : 0;
        }
        size_t used = whole_records(s), left = s->in_length - used;
        bool too_long = left > MAX_RECORD_BYTES;
        if (!used && !too_long)
            continue;
        slot *full = s;
        char *rest = full->in + used;
        full->in_length = used;
        full->too_long = too_long;
        s = free_slot(b, b->filled + 1);
        if (!too_long) {
            if (tacho_mem_grow(&s->in, &s->in_capacity, left + 1, 1)) {
                cli_error("out of memory");
                return -1;
            }
            memcpy(s->in, rest, left);
            s->in_length = left;
        }
        publish(b, full);
        if (too_long && skip_line(b, s) <= 0) {
            publish(b, s);
            return 0;
        }
    }
}

/* ---- set-up ---- */

static uint64_t processors(void)
{
    cpu_set_t set;
    if (!sched_getaffinity(0, sizeof set, &set) && CPU_COUNT(&set) > 0)
        return (uint64_t)CPU_COUNT(&set);
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (uint64_t)n : 1;
}

static int start_threads(batch *b, worker *workers, uint64_t jobs, pthread_t *writer)
{
    for (uint64_t i = 0; i < jobs; i++) {
        workers[i].batch = b;
        workers[i].predictor = tacho_predictor_new();
        if (!workers[i].predictor || pthread_create(&workers[i].thread, NULL, work, &workers[i])) {
            cli_error("cannot start %llu threads; try --jobs 1", (unsigned long long)jobs);
            return -1;
        }
    }
    if (pthread_create(writer, NULL, write_out, b)) {
        cli_error("cannot start a thread");
        return -1;
    }
    return 0;
}

static int run_batch(batch *b, worker *workers, uint64_t jobs)
{
    pthread_t writer;
    if (start_threads(b, workers, jobs, &writer))
        exit(CLI_INPUT); /* threads already wait; there is no result to save */
    int result = read_all(b);
    pthread_mutex_lock(&b->lock);
    b->ended = true;
    pthread_cond_broadcast(&b->changed);
    pthread_mutex_unlock(&b->lock);
    for (uint64_t i = 0; i < jobs; i++) {
        pthread_join(workers[i].thread, NULL);
        tacho_predictor_free(workers[i].predictor);
        tacho_mem_free(workers[i].code);
    }
    pthread_join(writer, NULL);
    if (b->failed)
        cli_error("%llu of %llu %s failed", (unsigned long long)b->failed, (unsigned long long)b->rows,
                  b->arch_count > 1 ? "predictions" : "blocks");
    return result ? CLI_INPUT : b->failed ? CLI_PARTIAL : CLI_OK;
}

int predict_batch(const char *path, const tacho_arch *const *archs, size_t arch_count,
                  const tacho_predict_options *options, uint64_t jobs)
{
    batch b = {
        .archs = archs, .arch_count = arch_count, .options = options, .name = path, .fd = STDIN_FILENO};
    if (!jobs)
        jobs = processors() < 256 ? processors() : 256;
    if (!strcmp(path, "-"))
        b.name = "standard input";
    else if ((b.fd = open(path, O_RDONLY | O_CLOEXEC)) < 0) {
        cli_error("%s: cannot be read: %s", path, strerror(errno));
        return CLI_INPUT;
    }
    pthread_mutex_init(&b.lock, NULL);
    pthread_cond_init(&b.changed, NULL);
    b.started = seconds_now();
    b.slot_count = jobs * SLOTS_PER_JOB;
    b.slots = tacho_mem_zalloc(b.slot_count, sizeof *b.slots);
    worker *workers = tacho_mem_zalloc(jobs, sizeof *workers);
    int status = CLI_INPUT;
    if (b.slots && workers)
        status = run_batch(&b, workers, jobs);
    else
        cli_error("out of memory");
    for (size_t i = 0; b.slots && i < b.slot_count; i++) {
        tacho_mem_free(b.slots[i].in);
        tacho_str_free(&b.slots[i].out);
    }
    tacho_mem_free(b.slots);
    tacho_mem_free(workers);
    if (b.fd != STDIN_FILENO)
        close(b.fd);
    return status;
}
