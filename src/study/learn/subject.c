/* subject.c - how long code takes on the processor that is learnt, and what it has answered already. */
#include "study/learn/subject.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/hash.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "study/learn/answers.h"
#include "study/learn/host.h"
#include "study/learn/learn_record.h"
#include "tacho/assemble.h"
#include "tacho/version.h"

enum {
    ATTEMPTS = 6,
    LOOPS_A_MEASURER = 1000 /* what a measurer takes for an undisturbed machine gets old */
};

struct subject {
    tacho_measurer *measurer; /* NULL: `core` is simulated, nothing is timed, or it is to be renewed */
    tacho_measurer_options measuring;
    size_t measured; /* loops by this measurer */
    tacho_quality quality;
    const struct tacho_arch *core;
    tacho_predictor *predictor;
    answers known;
    char identity[256];
    bool only_record;
    size_t answered;             /* of the record's answers, those that were asked for */
    subject_loop *open, *blocks; /* left open by the record; in it */
    size_t opened, open_capacity, block_count, block_capacity;
    const subject *other; /* this answers no more than that; NULL: all */
    bool recording;
    subject_loop *records;
    size_t recorded, record_capacity;
    bool deferring;
    subject_loop *queue;
    size_t queued, queue_capacity;
    hash_index in_queue;
    size_t timed; /* loops that this process timed */
    bool (*stop)(void *payload);
    void (*tick)(void *payload);
    void *payload;
};

/* ---- loops ---- */

int subject_add_bytes(subject_loop *loop, const uint8_t *bytes, size_t size, unsigned count, tacho_error *err)
{
    if (!size || !count)
        return 0;
    if (size > LOOP_BYTES || count > LOOP_BYTES || loop->size + size * count > LOOP_BYTES)
        return tacho_error_set(err, TACHO_ERR_LIMIT, "a loop of more than %d bytes", LOOP_BYTES);
    if (tacho_mem_grow(&loop->code, &loop->capacity, loop->size + size * count, 1))
        return tacho_no_memory(err);
    for (; count; count--, loop->size += size)
        memcpy(loop->code + loop->size, bytes, size);
    return 0;
}

int subject_add(subject_loop *loop, const char *text, unsigned count, tacho_error *err)
{
    tacho_assembly *assembly = NULL;
    tacho_assemble_options options = TACHO_ASSEMBLE_OPTIONS_INIT;
    options.syntax = TACHO_SYNTAX_INTEL;
    options.dialect = TACHO_DIALECT_GNU;
    int failed = tacho_assemble(&assembly, text, strlen(text), &options, err);
    if (!failed && assembly->section_count)
        failed = subject_add_bytes(loop, assembly->sections[0].bytes, assembly->sections[0].byte_count, count,
                                   err);
    tacho_assembly_free(assembly);
    return failed;
}

void subject_loop_free(subject_loop *loop)
{
    tacho_mem_free(loop->code);
    *loop = (subject_loop){0};
}

/* ---- subjects ---- */

static subject *subject_new(tacho_error *err)
{
    subject *s = tacho_mem_zalloc(1, sizeof *s);
    if (!s)
        tacho_no_memory(err);
    return s;
}

static int renew_measurer(subject *s, tacho_error *err)
{
    tacho_measurer_free(s->measurer);
    s->measured = 0;
    tacho_error own, *why = err ? err : &own;
    s->measurer = tacho_measurer_new(&s->measuring, why);
    return s->measurer ? 0 : why->code;
}

subject *subject_of_machine(const tacho_measurer_options *measurer, tacho_quality quality, tacho_error *err)
{
    subject *s = subject_new(err);
    if (!s)
        return NULL;
    s->quality = quality;
    s->measuring = measurer ? *measurer : (tacho_measurer_options)TACHO_MEASURER_OPTIONS_INIT;
    host_identity(s->identity, "");
    if (!renew_measurer(s, err))
        return s;
    subject_free(s);
    return NULL;
}

/* A core is simulated as long as all its parameters are what they were. */
static void identify_core(subject *s)
{
    char text[80];
    uint64_t hash = 0;
    for (size_t i = 0; i < tacho_arch_parameter_count(); i++) {
        tacho_arch_parameter_text(s->core, i, text, sizeof text);
        hash = hash_add(hash, hash_bytes(text, strlen(text)));
    }
    snprintf(s->identity, sizeof s->identity, "%s as modelled, parameters %08x, tacho %s",
             tacho_arch_name(s->core), (unsigned)(hash ^ hash >> 32), tacho_version());
}

subject *subject_of_core(const struct tacho_arch *arch, tacho_error *err)
{
    subject *s = subject_new(err);
    if (!s)
        return NULL;
    s->core = arch;
    identify_core(s);
    s->predictor = tacho_predictor_new();
    if (s->predictor)
        return s;
    tacho_no_memory(err);
    subject_free(s);
    return NULL;
}

/* ---- measurements made elsewhere ---- */

static void key_of(const subject_loop *loop, uint64_t key[2]);

static int take_rows(subject *s, const char *path, tacho_error *err)
{
    record_row *rows;
    size_t count;
    int failed = record_read_rows(path, true, &rows, &count, err);
    for (size_t i = 0; i < count; i++) {
        subject_loop *loop = &rows[i].loop;
        answer a = {{0}, loop->cycles, 0, TACHO_MEASURED_OK, true};
        key_of(loop, a.key);
        if (!failed)
            failed = answers_add(&s->known, &a, err);
        if (!failed && rows[i].block &&
            tacho_mem_grow(&s->blocks, &s->block_capacity, s->block_count + 1, sizeof *s->blocks))
            failed = tacho_no_memory(err);
        if (!failed && rows[i].block) {
            s->blocks[s->block_count++] = *loop;
            *loop = (subject_loop){0};
        }
    }
    record_free_rows(rows, count);
    return failed;
}

int subject_take_record(subject *s, const char *const *paths, size_t count, tacho_error *err)
{
    enum {
        MOST_BYTES = 1 << 29
    };
    int failed = 0;
    for (size_t i = 0; i < count && !failed; i++) {
        char *text, who[sizeof s->identity];
        size_t size;
        if (tacho_file_read(paths[i], MOST_BYTES, &text, &size))
            return tacho_error_set(err, TACHO_ERR_INPUT, "%.300s: cannot be read: %s", paths[i],
                                   strerror(errno));
        if (!answers_head(text, who, sizeof who)) {
            failed = take_rows(s, paths[i], err);
        } else {
            if (!*s->identity)
                memcpy(s->identity, who, sizeof who);
            failed = answers_parse(&s->known, text, s->identity, paths[i], err);
        }
        tacho_mem_free(text);
    }
    for (size_t i = 0; i < s->known.count; i++)
        s->known.items[i].recorded = true;
    return failed;
}

subject *subject_of_record(const char *const *paths, size_t count, tacho_error *err)
{
    subject *s = subject_new(err);
    if (!s)
        return NULL;
    s->only_record = true;
    if (subject_take_record(s, paths, count, err)) {
        subject_free(s);
        return NULL;
    }
    if (!*s->identity)
        snprintf(s->identity, sizeof s->identity, "a processor that the record does not name");
    s->core = record_core(s->identity);
    return s;
}

void subject_answer_no_more_than(subject *s, const subject *other)
{
    s->other = other;
}

size_t subject_answered(const subject *s)
{
    return s->answered;
}

const subject_loop *subject_open(const subject *s, size_t *count)
{
    *count = s->opened;
    return s->open;
}

const subject_loop *subject_blocks(const subject *s, size_t *count)
{
    *count = s->block_count;
    return s->blocks;
}

static void free_loops(subject_loop *loops, size_t count)
{
    for (size_t i = 0; i < count; i++)
        subject_loop_free(&loops[i]);
    tacho_mem_free(loops);
}

static void clear_records(subject *s)
{
    for (size_t i = 0; i < s->recorded; i++)
        subject_loop_free(&s->records[i]);
    s->recorded = 0;
}

static void clear_queue(subject *s)
{
    for (size_t i = 0; i < s->queued; i++)
        subject_loop_free(&s->queue[i]);
    s->queued = 0;
    hash_index_clear(&s->in_queue);
}

void subject_free(subject *s)
{
    if (!s)
        return;
    tacho_measurer_free(s->measurer);
    tacho_predictor_free(s->predictor);
    answers_free(&s->known);
    clear_records(s);
    tacho_mem_free(s->records);
    clear_queue(s);
    hash_index_free(&s->in_queue);
    tacho_mem_free(s->queue);
    free_loops(s->open, s->opened);
    free_loops(s->blocks, s->block_count);
    tacho_mem_free(s);
}

int subject_journal(subject *s, const char *path, bool resume, tacho_error *err)
{
    return answers_open(&s->known, path, s->identity, resume, err);
}

void subject_watch(subject *s, bool (*stop)(void *payload), void (*tick)(void *payload), void *payload)
{
    s->stop = stop;
    s->tick = tick;
    s->payload = payload;
}

size_t subject_timed(const subject *s)
{
    return s->timed;
}

const char *subject_identity(const subject *s)
{
    return s->identity;
}

const struct tacho_arch *subject_core(const subject *s)
{
    return s->only_record ? NULL : s->core;
}

const struct tacho_arch *subject_recorded_core(const subject *s)
{
    return s->only_record ? s->core : NULL;
}

bool subject_has(const subject *s, tacho_extension extension)
{
    if (extension == TACHO_EXTENSION_NONE)
        return true;
    return s->core          ? tacho_arch_has_extension(s->core, extension)
           : s->only_record ? true /* an instruction that it has not, has no answer */
                            : host_has(extension);
}

/* ---- what was answered ---- */

static void key_of(const subject_loop *loop, uint64_t key[2])
{
    uint64_t head = hash_add(hash_add(loop->size, loop->mode), loop->known);
    for (unsigned r = 0; r < 16; r++)
        if (loop->known >> r & 1)
            head = hash_add(head, loop->values[r]);
    key[0] = hash_add(head, hash_bytes(loop->code, loop->size));
    key[1] = hash_mix(head);
    for (size_t i = 0; i < loop->size; i++)
        key[1] = hash_add(key[1], loop->code[i] + HASH_STEP);
}

static int keep_answer(subject *s, const subject_loop *loop, tacho_error *err)
{
    answer a = {{0}, loop->cycles, loop->uncertainty, loop->status, false};
    if (a.status != TACHO_MEASURED_OK)
        a.cycles = NAN;
    key_of(loop, a.key);
    s->timed++;
    if (s->tick)
        s->tick(s->payload);
    return answers_keep(&s->known, &a, err);
}

static bool is_final(const subject_loop *loop)
{
    return loop->status != TACHO_MEASURED_UNSTABLE && loop->status != TACHO_MEASURED_TIMEOUT;
}

/* ---- timing ---- */

/* The counter that a measured loop has; a register that the block does not use. */
static int append_counter(subject_loop *copy, tacho_error *err)
{
    static const uint8_t counter[] = {0x49, 0xff, 0xcf, 0x0f, 0x85}; /* dec r15; jnz rel32 */
    int failed = subject_add_bytes(copy, counter, sizeof counter, 1, err);
    int32_t back = -(int32_t)(copy->size + 4);
    return failed ? failed : subject_add_bytes(copy, (const uint8_t *)&back, sizeof back, 1, err);
}

int subject_predict(tacho_predictor *predictor, const struct tacho_arch *arch, const subject_loop *loop,
                    bool bounds, double *cycles, tacho_error *err)
{
    const tacho_prediction *p;
    tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
    subject_loop copy = {0};
    o.mode = loop->mode;
    o.known_values = loop->values;
    o.known_mask = loop->known;
    o.bounds = bounds;
    o.details = false;
    o.unknown = TACHO_UNKNOWN_ERROR;
    int failed = subject_add_bytes(&copy, loop->code, loop->size, 1, err);
    if (!failed && loop->mode == TACHO_MODE_LOOP)
        failed = append_counter(&copy, err);
    if (!failed)
        failed = (bounds ? tacho_predict_bounds : tacho_predict)(predictor, arch, copy.code, copy.size, &o,
                                                                 &p, err);
    subject_loop_free(&copy);
    *cycles = failed ? NAN : p->cycles;
    return failed == TACHO_ERR_UNSUPPORTED ? 0 : failed;
}

static int simulate(const subject *s, subject_loop *loop, tacho_error *err)
{
    int failed = subject_predict(s->predictor, s->core, loop, false, &loop->cycles, err);
    loop->status = isnan(loop->cycles) ? TACHO_MEASURED_UNSUPPORTED : TACHO_MEASURED_OK;
    loop->uncertainty = 0;
    return failed;
}

/* Jobs share one set of values. */
static bool same_values(const subject_loop *a, const subject_loop *b)
{
    return a->mode == b->mode && a->known == b->known && !memcmp(a->values, b->values, sizeof a->values);
}

/* Those of `loops` that have the mode and values of the first. */
static int measure_alike(subject *s, subject_loop **loops, size_t count, tacho_error *err)
{
    tacho_measure_options o = TACHO_MEASURE_OPTIONS_INIT;
    tacho_measure_job *jobs = tacho_mem_zalloc(count, sizeof *jobs);
    size_t n = 0;
    if (!jobs)
        return tacho_no_memory(err);
    o.mode = loops[0]->mode;
    o.known_values = loops[0]->values;
    o.known_mask = loops[0]->known;
    o.quality = s->quality;
    o.stop = s->stop;
    o.stop_payload = s->payload;
    for (size_t i = 0; i < count; i++)
        if (same_values(loops[i], loops[0]))
            jobs[n++] = (tacho_measure_job){.code = loops[i]->code, .code_size = loops[i]->size};
    int failed = s->measured > LOOPS_A_MEASURER ? renew_measurer(s, err) : 0;
    s->measured += n;
    if (!failed)
        failed = tacho_measure_many(s->measurer, jobs, n, &o, err);
    for (size_t i = 0, k = 0; !failed && i < count; i++)
        if (same_values(loops[i], loops[0])) {
            const tacho_measurement *r = &jobs[k++].result;
            loops[i]->status = r->status;
            loops[i]->cycles = r->cycles;
            loops[i]->uncertainty = r->uncertainty;
        }
    tacho_mem_free(jobs);
    return failed;
}

/* One batch for each mode and set of values. */
static int measure_once(subject *s, subject_loop **loops, size_t count, tacho_error *err)
{
    int failed = 0;
    for (size_t i = 0; i < count; i++)
        loops[i]->status = TACHO_MEASURED_TIMEOUT;
    for (size_t i = 0; i < count && !failed; i++) {
        bool first = true;
        for (size_t k = 0; k < i; k++)
            first &= !same_values(loops[k], loops[i]);
        if (first)
            failed = measure_alike(s, loops + i, count - i, err);
    }
    return failed;
}

/* Most of a batch is unstable where the machine is busy, not because of the code: time helps. */
static int wait_for_quiet(subject *s, unsigned attempt, tacho_error *err)
{
    const struct timespec tenth = {.tv_nsec = 100000000};
    for (unsigned i = 0; i < 5u << attempt; i++) {
        if (s->stop && s->stop(s->payload))
            return tacho_error_set(err, TACHO_ERR_CANCELLED, "cancelled");
        nanosleep(&tenth, NULL);
    }
    return renew_measurer(s, err);
}

/* What is not stable is put aside, and tried again when the others are done; what stays so is not asked again
 * in this process. */
static int measure(subject *s, subject_loop **loops, size_t count, tacho_error *err)
{
    int failed = 0;
    for (unsigned attempt = 0; attempt < ATTEMPTS && count && !failed; attempt++) {
        size_t left = 0, asked = count;
        failed = measure_once(s, loops, count, err);
        for (size_t i = 0; i < count && !failed; i++)
            if (!is_final(loops[i]))
                loops[left++] = loops[i];
            else
                failed = keep_answer(s, loops[i], err);
        count = left;
        if (!failed && left > asked / 4 && left > 2 && attempt + 1 < ATTEMPTS)
            failed = wait_for_quiet(s, attempt, err);
    }
    for (size_t i = 0; i < count && !failed; i++) {
        loops[i]->cycles = NAN;
        failed = keep_answer(s, loops[i], err);
    }
    return failed;
}

static int copy_loop(subject_loop *to, const subject_loop *loop, tacho_error *err)
{
    *to = *loop;
    to->code = NULL;
    to->size = to->capacity = 0;
    return subject_add_bytes(to, loop->code, loop->size, 1, err);
}

/* What the record does not have. */
static int leave_open(subject *s, subject_loop **loops, size_t count, tacho_error *err)
{
    int failed = 0;
    if (s->stop && s->stop(s->payload))
        return tacho_error_set(err, TACHO_ERR_CANCELLED, "cancelled");
    if (tacho_mem_grow(&s->open, &s->open_capacity, s->opened + count, sizeof *s->open))
        return tacho_no_memory(err);
    for (size_t i = 0; i < count && !failed; i++) {
        uint64_t key[2];
        answer a = {{0}, NAN, NAN, TACHO_MEASURED_UNSTABLE, false};
        key_of(loops[i], key);
        loops[i]->cycles = NAN;
        loops[i]->status = a.status;
        if (answers_find(&s->known, key)) /* asked for twice in a batch */
            continue;
        failed = copy_loop(&s->open[s->opened++], loops[i], err);
        memcpy(a.key, key, sizeof a.key);
        if (!failed)
            failed = answers_add(&s->known, &a, err);
    }
    return failed;
}

static int simulate_all(subject *s, subject_loop **loops, size_t count, tacho_error *err)
{
    int failed = 0;
    for (size_t i = 0; i < count && !failed; i++) {
        if (s->stop && s->stop(s->payload))
            return tacho_error_set(err, TACHO_ERR_CANCELLED, "cancelled");
        failed = simulate(s, loops[i], err);
        if (!failed)
            failed = keep_answer(s, loops[i], err);
    }
    return failed;
}

/* ---- what can wait ---- */

static bool is_queued(const subject *s, const uint64_t key[2])
{
    uint64_t other[2];
    hash_probe p = hash_find(&s->in_queue, key[0]);
    while (hash_next(&p)) {
        key_of(&s->queue[p.item], other);
        if (other[1] == key[1])
            return true;
    }
    return false;
}

static int record(subject *s, const subject_loop *loops, size_t count, tacho_error *err)
{
    if (tacho_mem_grow(&s->records, &s->record_capacity, s->recorded + count, sizeof *s->records))
        return tacho_no_memory(err);
    int failed = 0;
    for (size_t i = 0; i < count && !failed; i++)
        failed = copy_loop(&s->records[s->recorded++], &loops[i], err);
    return failed;
}

void subject_record(subject *s, bool record)
{
    clear_records(s);
    s->recording = record;
}

const subject_loop *subject_recorded(const subject *s, size_t *count)
{
    *count = s->recorded;
    return s->records;
}

static int enqueue(subject *s, const subject_loop *loop, tacho_error *err)
{
    uint64_t key[2];
    key_of(loop, key);
    if (is_queued(s, key))
        return 0;
    if (tacho_mem_grow(&s->queue, &s->queue_capacity, s->queued + 1, sizeof *s->queue))
        return tacho_no_memory(err);
    int failed = copy_loop(&s->queue[s->queued], loop, err);
    if (!failed && hash_add_item(&s->in_queue, key[0], (uint32_t)s->queued))
        failed = tacho_no_memory(err);
    s->queued++;
    return failed;
}

static int put_off(subject *s, subject_loop **loops, size_t count, tacho_error *err)
{
    int failed = 0;
    for (size_t i = 0; i < count && !failed; i++)
        failed = enqueue(s, loops[i], err);
    return failed ? failed : tacho_error_set(err, SUBJECT_DEFERRED, "put off");
}

int subject_time(subject *s, subject_loop *loops, size_t count, tacho_error *err)
{
    subject_loop **open = tacho_mem_zalloc(count + 1, sizeof *open);
    size_t n = 0;
    int failed = 0;
    if (!open)
        return tacho_no_memory(err);
    for (size_t i = 0; i < count; i++) {
        uint64_t key[2];
        key_of(&loops[i], key);
        const answer *known = answers_find(&s->known, key),
                     *there = s->other ? answers_find(&s->other->known, key) : NULL;
        if (there && isnan(there->cycles))
            known = there;
        if (known) {
            if (known != there && known->recorded) { /* counted once */
                s->answered++;
                s->known.items[known - s->known.items].recorded = false;
            }
            loops[i].cycles = known->cycles;
            loops[i].uncertainty = known->uncertainty;
            loops[i].status = known->status;
        } else {
            open[n++] = &loops[i];
        }
    }
    failed = !n               ? 0
             : s->deferring   ? put_off(s, open, n, err)
             : s->only_record ? leave_open(s, open, n, err)
             : s->core        ? simulate_all(s, open, n, err)
                              : measure(s, open, n, err);
    tacho_mem_free(open);
    return failed || !s->recording ? failed : record(s, loops, count, err);
}

void subject_defer(subject *s, bool defer)
{
    s->deferring = defer;
}

int subject_answer(subject *s, tacho_error *err)
{
    const bool deferring = s->deferring;
    s->deferring = false;
    int failed = subject_time(s, s->queue, s->queued, err);
    s->deferring = deferring;
    clear_queue(s);
    return failed;
}

/* ---- forms ---- */

static int time_jobs(void *payload, tacho_measure_job *jobs, size_t count,
                     const tacho_measure_options *options, tacho_error *err)
{
    subject_loop *loops = tacho_mem_zalloc(count, sizeof *loops);
    int failed = loops ? 0 : tacho_no_memory(err);
    for (size_t i = 0; i < count && !failed; i++) {
        loops[i].mode = options->mode;
        loops[i].known = options->known_mask;
        memcpy(loops[i].values, options->known_values, sizeof loops[i].values);
        failed = subject_add_bytes(&loops[i], jobs[i].code, jobs[i].code_size, 1, err);
    }
    if (!failed)
        failed = subject_time(payload, loops, count, err);
    for (size_t i = 0; i < count && loops; i++) {
        jobs[i].result = (tacho_measurement){.status = loops[i].status,
                                             .cycles = loops[i].cycles,
                                             .uncertainty = loops[i].uncertainty,
                                             .low = loops[i].cycles,
                                             .high = loops[i].cycles,
                                             .mode = options->mode,
                                             .offset = -1};
        subject_loop_free(&loops[i]);
    }
    tacho_mem_free(loops);
    return failed;
}

int subject_characterise(subject *s, uint32_t form, tacho_characterisation *out, tacho_error *err)
{
    tacho_characterise_options o = TACHO_CHARACTERISE_OPTIONS_INIT;
    o.attempts = 1; /* subject_time has its own */
    return tacho_characterise_by(time_jobs, s, form, &o, out, err);
}
