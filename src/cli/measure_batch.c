/* measure_batch.c - blocks in CSV to measurements in CSV, group by group.
 *
 * The blocks of a group are measured with their passes interleaved; with several jobs each has a group and a
 * processor of its own. Rows are written when their groups are finished, in the order of the input, so that
 * what was measured is never lost, and --resume goes on from there. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/measure.h"
#include "cli/rows.h"
#include "util/csv.h"
#include "util/mem.h"

enum {
    GROUP = 64 /* blocks */
};

typedef struct block {
    char *hex; /* as it was given */
    size_t hex_length;
    uint8_t *code;
    char error[TACHO_ERROR_MESSAGE_SIZE]; /* "" when `code` is */
} block;

typedef struct group {
    block blocks[GROUP];
    tacho_measure_job jobs[GROUP];
    size_t job_of[GROUP]; /* of each block with code */
    size_t count, job_count;
    tacho_measurer *measurer;
    const tacho_measure_options *options;
    tacho_error err;
    int failed;
} group;

typedef struct batch {
    const measure_batch_request *request;
    rows input;
    group *groups;
    tacho_predictor *predictor;
    tacho_str out;
    int fd;
    uint64_t rows, failed, skipped;
    struct timespec started;
    double shown;
} batch;

/* ---- progress ---- */

static double seconds_since(const struct timespec *start)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - start->tv_sec) + (double)(now.tv_nsec - start->tv_nsec) * 1e-9;
}

static void show_progress(const batch *b, bool last)
{
    char left[64] = "";
    if (!isatty(STDERR_FILENO))
        return;
    double seconds = seconds_since(&b->started), part = rows_part_read(&b->input);
    if (!last && part > 0 && part < 1) {
        double rest = seconds * (1 - part) / part;
        snprintf(left, sizeof left, ", %.0f:%02.0f min left", floor(rest / 60), fmod(rest, 60));
    }
    fprintf(stderr, "\r%llu blocks, %.1f a second%s   %s", (unsigned long long)b->rows,
            seconds > 0 ? (double)(b->rows - b->skipped) / seconds : 0.0, left, last ? "\n" : "");
}

/* ---- groups ---- */

static void clear(group *g)
{
    for (size_t i = 0; i < g->count; i++) {
        tacho_mem_free(g->blocks[i].hex);
        tacho_mem_free(g->blocks[i].code);
    }
    g->count = g->job_count = 0;
}

static bool add(group *g, const char *hex, size_t length)
{
    tacho_error err;
    block *b = &g->blocks[g->count++];
    *b = (block){.hex = tacho_mem_strndup(hex, length), .hex_length = length};
    b->code = tacho_mem_alloc(length / 2 + 1);
    if (!b->hex || !b->code) {
        cli_error("out of memory");
        return false;
    }
    long n = tacho_hex_decode(b->code, hex, length, &err);
    if (n < 0)
        snprintf(b->error, sizeof b->error, "%s", err.message);
    else {
        g->job_of[g->count - 1] = g->job_count;
        g->jobs[g->job_count++] = (tacho_measure_job){.code = b->code, .code_size = (size_t)n};
    }
    return true;
}

/* @return 1 with rows in the group, 0 at the end, -1 after an error with a message */
static int fill(batch *b, group *g)
{
    const char *hex;
    size_t length;
    clear(g);
    while (g->count < GROUP) {
        int got = rows_next(&b->input, &hex, &length);
        if (got < 0 || (got > 0 && !add(g, hex, length)))
            return -1;
        if (!got)
            break;
    }
    return g->count > 0;
}

static void *work(void *payload)
{
    group *g = payload;
    g->failed = tacho_measure_many(g->measurer, g->jobs, g->job_count, g->options, &g->err);
    return NULL;
}

/* Measures the first `count` groups, each in a thread of its own. */
static bool measure_groups(batch *b, size_t count)
{
    pthread_t threads[256];
    size_t started = 1;
    while (started < count && !pthread_create(&threads[started], NULL, work, &b->groups[started]))
        started++;
    work(&b->groups[0]);
    for (size_t i = 1; i < started; i++)
        pthread_join(threads[i], NULL);
    for (size_t i = started; i < count; i++)
        work(&b->groups[i]);
    for (size_t i = 0; i < count; i++)
        if (b->groups[i].failed) {
            cli_error("%s", b->groups[i].err.message);
            return false;
        }
    return true;
}

/* ---- results ---- */

static bool write_out(batch *b)
{
    if (b->out.failed) {
        cli_error("out of memory");
        return false;
    }
    for (size_t done = 0; done < b->out.length;) {
        ssize_t n = write(b->fd, b->out.data + done, b->out.length - done);
        if (n < 0 && errno != EINTR) {
            cli_error("cannot write to %s: %s", b->request->output ? b->request->output : "standard output",
                      strerror(errno));
            return false;
        }
        done += n > 0 ? (size_t)n : 0;
    }
    tacho_str_clear(&b->out);
    return true;
}

static void put_block(batch *b, const group *g, size_t i)
{
    const block *x = &g->blocks[i];
    char message[TACHO_ERROR_MESSAGE_SIZE];
    tacho_measurement bad = {.status = TACHO_MEASURED_REJECTED,
                             .clock = tacho_measurer_clock(g->measurer)->clock,
                             .mode = b->request->measure->mode,
                             .cycles = NAN,
                             .uncertainty = NAN};
    const tacho_measure_job *job = &g->jobs[g->job_of[i]];
    report_measured m = {
        .code = job->code, .code_size = job->code_size, .result = &job->result, .predicted = NAN};
    if (*x->error) {
        snprintf(bad.message, sizeof bad.message, "%.190s", x->error);
        m.result = &bad;
        m.arch = b->predictor ? b->request->arch->name : NULL;
    } else if (b->predictor)
        measure_predict(&m, b->predictor, b->request->arch, b->request->measure, message, sizeof message);
    report_measure_csv_row(&b->out, x->hex, x->hex_length, &m);
    b->rows++;
    b->failed += !report_has_cycles(m.result);
}

static bool finish_groups(batch *b, size_t count)
{
    for (size_t g = 0; g < count; g++)
        for (size_t i = 0; i < b->groups[g].count; i++)
            put_block(b, &b->groups[g], i);
    if (!write_out(b))
        return false;
    show_progress(b, false);
    return true;
}

static int run_groups(batch *b)
{
    int got = 1;
    while (got > 0) {
        size_t count = 0;
        while (count < b->request->jobs && (got = fill(b, &b->groups[count])) > 0)
            count++;
        if (got < 0 || (count && (!measure_groups(b, count) || !finish_groups(b, count))))
            return CLI_INPUT;
    }
    return CLI_OK;
}

/* ---- resuming ---- */

/* The results that are there are those of the first rows of the input: reads past these. @return false with a
 * message */
static bool skip_finished(batch *b, rows *finished)
{
    const char *hex, *name = b->request->output;
    size_t length;
    for (;;) {
        char *was;
        size_t was_length;
        int got = rows_next(finished, &hex, &length);
        if (got <= 0)
            return got == 0;
        if (!(was = tacho_mem_strndup(hex, length))) {
            cli_error("out of memory");
            return false;
        }
        was_length = length;
        got = rows_next(&b->input, &hex, &length);
        bool same = got > 0 && length == was_length && !memcmp(was, hex, length);
        tacho_mem_free(was);
        if (!same) {
            if (got >= 0)
                cli_error("--resume: row %llu of %s is not row %llu of %s", (unsigned long long)b->rows + 1,
                          name, (unsigned long long)b->rows + 1, b->request->path);
            return false;
        }
        b->rows++;
        b->skipped++;
    }
}

/* A last line that was cut off is taken away. */
static bool cut_rest(const batch *b, const rows *finished)
{
    off_t whole = (off_t)rows_whole_bytes(finished);
    if (ftruncate(b->fd, whole) || lseek(b->fd, whole, SEEK_SET) < 0) {
        cli_error("%s: cannot be written: %s", b->request->output, strerror(errno));
        return false;
    }
    return true;
}

static bool resume(batch *b, const char *header)
{
    rows finished;
    if (!rows_open(&finished, b->request->output))
        return false;
    finished.whole_only = true;
    bool right = rows_header(&finished, header);
    if (!right)
        cli_error("--resume: %s was not written with these options: its first line is not '%.*s'",
                  b->request->output, (int)strcspn(header, "\n"), header);
    bool ok = right && skip_finished(b, &finished) && cut_rest(b, &finished);
    rows_close(&finished);
    return ok;
}

static bool is_empty(int fd)
{
    struct stat s;
    return !fstat(fd, &s) && s.st_size == 0;
}

static bool open_output(batch *b)
{
    const measure_batch_request *r = b->request;
    tacho_str header = {0};
    report_measure_csv_header(&header, r->arch != NULL);
    if (!header.data) {
        cli_error("out of memory");
        return false;
    }
    b->fd = STDOUT_FILENO;
    if (r->output &&
        (b->fd = open(r->output, O_RDWR | O_CREAT | O_CLOEXEC | (r->resume ? 0 : O_TRUNC), 0666)) < 0)
        cli_error("%s: cannot be written: %s", r->output, strerror(errno));
    bool ok = b->fd >= 0;
    if (ok && r->resume && !is_empty(b->fd))
        ok = resume(b, header.data);
    else if (ok) {
        tacho_str_puts(&b->out, header.data);
        ok = write_out(b);
    }
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
        b->groups[made].options = r->measure;
        b->groups[made].measurer = measure_open(&o);
        if (!b->groups[made++].measurer)
            return false;
    }
    return true;
}

static void finish(batch *b)
{
    for (uint32_t i = 0; b->groups && i < b->request->jobs; i++) {
        clear(&b->groups[i]);
        tacho_measurer_free(b->groups[i].measurer);
    }
    tacho_mem_free(b->groups);
    tacho_predictor_free(b->predictor);
    tacho_str_free(&b->out);
    rows_close(&b->input);
    if (b->fd > STDOUT_FILENO)
        close(b->fd);
}

int measure_batch(const measure_batch_request *r)
{
    batch b = {.request = r, .fd = -1};
    if (!rows_open(&b.input, r->path))
        return CLI_INPUT;
    b.groups = tacho_mem_zalloc(r->jobs, sizeof *b.groups);
    b.predictor = r->arch ? tacho_predictor_new() : NULL;
    int status = CLI_INPUT;
    if (!b.groups || (r->arch && !b.predictor))
        cli_error("out of memory");
    else if (make_measurers(&b) && open_output(&b)) {
        clock_gettime(CLOCK_MONOTONIC, &b.started);
        status = run_groups(&b);
        show_progress(&b, true);
    }
    if (b.failed)
        cli_error("%llu of %llu blocks failed", (unsigned long long)b.failed,
                  (unsigned long long)(b.rows - b.skipped));
    finish(&b);
    return status ? status : b.failed ? CLI_PARTIAL : CLI_OK;
}
