/* subject_machine.c - this machine answers: loops are measured, and those that are not stable again. */
#include <time.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "learn/subject.h"
#include "tacho/version.h"

enum {
    ATTEMPTS = 6,
    FEW_ATTEMPTS = 3,
    LOOPS_A_MEASURER = 1000 /* what a measurer takes for an undisturbed machine gets old */
};

static int renew_measurer(subject *s, tacho_error *err)
{
    tacho_measurer_free(s->measurer);
    s->measured = 0;
    tacho_error own, *why = err ? err : &own;
    s->measurer = tacho_measurer_new(&s->measuring, why);
    return s->measurer ? 0 : why->code;
}

static bool is_final(const subject_loop *loop)
{
    return loop->status != TACHO_MEASURED_UNSTABLE && loop->status != TACHO_MEASURED_TIMEOUT;
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

/* Whether code is disturbed that is stable on any processor. */
static int is_busy(subject *s, bool *busy, tacho_error *err)
{
    subject_loop chain = {.mode = TACHO_MODE_LOOP}, *loop = &chain;
    int failed = subject_add(loop, "imul rax, rax", 50, err);
    if (!failed)
        failed = measure_once(s, &loop, 1, err);
    *busy = loop->status != TACHO_MEASURED_OK;
    subject_loop_free(loop);
    return failed;
}

/* Time helps where the machine is busy. */
static int wait_for_quiet(subject *s, unsigned attempt, tacho_error *err)
{
    const struct timespec tenth = {.tv_nsec = 100000000};
    for (unsigned i = 0; i < 5u << attempt; i++) {
        int failed = subject_check_stop(s, err);
        if (failed)
            return failed;
        nanosleep(&tenth, NULL);
    }
    return renew_measurer(s, err);
}

/* What is not stable is put aside, and tried again when the others are done: where it is the code that makes
 * it so, and not a busy machine, only some times. What stays so is not asked again in this process. */
static int measure(subject *s, subject_loop **loops, size_t count, tacho_error *err)
{
    int failed = 0;
    bool busy = true;
    for (unsigned attempt = 0; attempt < (busy ? ATTEMPTS : FEW_ATTEMPTS) && count && !failed; attempt++) {
        size_t left = 0, asked = count;
        failed = measure_once(s, loops, count, err);
        for (size_t i = 0; i < count && !failed; i++)
            if (!is_final(loops[i]))
                loops[left++] = loops[i];
            else
                failed = subject_keep_answer(s, loops[i], err);
        count = left;
        const bool many = left > asked / 4 && left > 2 && attempt + 1 < ATTEMPTS;
        if (!failed && many)
            failed = is_busy(s, &busy, err);
        if (!failed && many && busy)
            failed = wait_for_quiet(s, attempt, err);
    }
    for (size_t i = 0; i < count && !failed; i++) {
        loops[i]->cycles = NAN;
        failed = subject_keep_answer(s, loops[i], err);
    }
    return failed;
}

subject *subject_of_machine(const tacho_measurer_options *measurer, tacho_quality quality, tacho_error *err)
{
    subject *s = subject_new(err);
    if (!s)
        return NULL;
    s->ask = measure;
    s->quality = quality;
    s->measuring = measurer ? *measurer : (tacho_measurer_options)TACHO_MEASURER_OPTIONS_INIT;
    host_identity(s->identity, "");
    if (!renew_measurer(s, err))
        return s;
    subject_free(s);
    return NULL;
}

/* ---- a core in the simulator answers ---- */

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
    /* with some parameters a block never ends */
    return failed == TACHO_ERR_UNSUPPORTED || failed == TACHO_ERR_LIMIT ? 0 : failed;
}

static int simulate(const subject *s, subject_loop *loop, tacho_error *err)
{
    int failed = subject_predict(s->predictor, s->core, loop, false, &loop->cycles, err);
    loop->status = isnan(loop->cycles) ? TACHO_MEASURED_UNSUPPORTED : TACHO_MEASURED_OK;
    loop->uncertainty = 0;
    return failed;
}

static int simulate_all(subject *s, subject_loop **loops, size_t count, tacho_error *err)
{
    int failed = 0;
    for (size_t i = 0; i < count && !failed; i++) {
        failed = subject_check_stop(s, err);
        if (!failed)
            failed = simulate(s, loops[i], err);
        if (!failed)
            failed = subject_keep_answer(s, loops[i], err);
    }
    return failed;
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
    s->ask = simulate_all;
    s->core = arch;
    identify_core(s);
    s->predictor = tacho_predictor_new();
    if (s->predictor)
        return s;
    tacho_no_memory(err);
    subject_free(s);
    return NULL;
}

/* ---- measurements made elsewhere answer; what they do not is left open ---- */

/* What the record does not have. */
static int leave_open(subject *s, subject_loop **loops, size_t count, tacho_error *err)
{
    int failed = subject_check_stop(s, err);
    for (size_t i = 0; i < count && !failed; i++) {
        answer a = {{0}, NAN, NAN, TACHO_MEASURED_UNSTABLE, false};
        subject_key(loops[i], a.key);
        loops[i]->cycles = NAN;
        loops[i]->status = a.status;
        if (answers_find(&s->known, a.key)) /* asked for twice in a batch */
            continue;
        failed = loop_list_add(&s->open, loops[i], err);
        if (!failed)
            failed = answers_add(&s->known, &a, err);
    }
    return failed;
}

static int take_rows(subject *s, const char *path, tacho_error *err)
{
    record_row *rows;
    size_t count;
    int failed = record_read_rows(path, true, &rows, &count, err);
    for (size_t i = 0; i < count; i++) {
        subject_loop *loop = &rows[i].loop;
        answer a = {{0}, loop->cycles, 0, TACHO_MEASURED_OK, true};
        subject_key(loop, a.key);
        if (!failed)
            failed = answers_add(&s->known, &a, err);
        if (!failed && rows[i].block)
            failed = loop_list_add(&s->blocks, loop, err);
        else if (!failed && loop->size <= KEPT_BYTES)
            failed = loop_list_add_once(&s->kept, &s->in_kept, loop, err);
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
        char *journal = answers_head(text, who, sizeof who);
        if (!journal) {
            failed = take_rows(s, paths[i], err);
        } else {
            if (!*s->identity)
                memcpy(s->identity, who, sizeof who);
            failed = answers_parse(&s->known, journal, s->identity, paths[i], err);
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
    s->ask = leave_open;
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
