/* study.c - a study of kernels from its beginning to its end: who does what, in which order, and what becomes
 * of each variant. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ask_cpuid.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/names.h"
#include "base/options_take.h"
#include "base/parallel.h"
#include "base/file.h"
#include "base/seconds.h"
#include "study/kernels/kernels_internal.h"

bool kernels_is_stopped(void *study)
{
    const tacho_kernels *k = study;
    return k->options.stop && k->options.stop(k->options.payload);
}

int kernels_cancelled(tacho_error *err)
{
    return tacho_error_set(err, TACHO_ERR_CANCELLED, "the study was ended");
}

int kernels_note(tacho_kernels *k, size_t variants, tacho_error *err, const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    tacho_vformat_fit(text, sizeof text, format, arguments);
    va_end(arguments);
    for (size_t i = 0; i < k->result.note_count; i++)
        if (!strcmp(k->notes[i].text, text)) {
            k->notes[i].variants += variants;
            return 0;
        }
    const char *copy = arena_text(&k->texts, text);
    if (!copy || tacho_mem_grow(&k->notes, &k->note_capacity, k->result.note_count + 1, sizeof *k->notes))
        return tacho_no_memory(err);
    k->notes[k->result.note_count++] = (tacho_kernels_note){copy, variants};
    return 0;
}

uint64_t kernels_hash(uint64_t h, const void *data, size_t size)
{
    h = hash_mix(hash_add(h, hash_bytes(data, size)));
    return h ? h : 1;
}

int kernels_each_word(const char *list, int (*take)(void *payload, const char *word, size_t length),
                      void *payload)
{
    int rc = 0;
    for (const char *at = list; *at && !rc;) {
        size_t n = strcspn(at, ","), length = n;
        const char *word = at;
        tacho_str_trim(&word, &length);
        if (length)
            rc = take(payload, word, length);
        at += n + (at[n] == ',');
    }
    return rc;
}

/* ---- beginning and end ---- */

#define TEMPORARY "temporary" /* folder of the work directory */

static bool has_results(const tacho_kernels *k)
{
    char path[KERNELS_PATH_SIZE];
    snprintf(path, sizeof path, "%.4000s/variants.csv", k->work);
    return !access(path, F_OK);
}

static int copy_options(tacho_kernels *k, const tacho_kernels_options *o, tacho_error *err)
{
    const char **texts[] = {&k->options.directory, &k->options.kernels,     &k->options.compilers,
                            &k->options.levels,    &k->options.vectors,     &k->options.transforms,
                            &k->options.dataset,   &k->options.extra_flags, &k->options.work};
    k->options = *o;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (*texts[i] && !(*texts[i] = arena_text(&k->texts, *texts[i])))
            return tacho_no_memory(err);
    if (!k->options.jobs) {
        long n = sysconf(_SC_NPROCESSORS_ONLN);
        k->options.jobs = n > 0 ? (unsigned)n : 1;
    }
    return 0;
}

OPTIONS_DEFINE(kernels, TACHO_KERNELS_OPTIONS_INIT)

static int check_options(const tacho_kernels_options *o, tacho_error *err)
{
    if (!o->compilers || !o->levels || !o->vectors || !o->dataset)
        return tacho_error_set(err, TACHO_ERR_USAGE, "there are no compilers, levels, vectors or data set");
    if (!(o->seconds > 0) || !(o->max_miss >= 0) || !(o->max_missing >= 0) || !(o->memory_bound > 0))
        return tacho_error_set(err, TACHO_ERR_USAGE, "seconds and shares must not be negative");
    if (strlen(o->dataset) > 20 || strspn(o->dataset, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") != strlen(o->dataset))
        return tacho_error_set(err, TACHO_ERR_USAGE,
                               "data set: one of MINI, SMALL, MEDIUM, LARGE, EXTRALARGE");
    if (o->extra_flags && strlen(o->extra_flags) > KERNELS_MAX_EXTRA)
        return tacho_error_set(err, TACHO_ERR_USAGE, "the further flags are too long");
    return 0;
}

static int make_folder(const tacho_kernels *k, const char *name, char path[KERNELS_PATH_SIZE], bool *made,
                       tacho_error *err)
{
    snprintf(path, KERNELS_PATH_SIZE, "%.4000s/%s", k->work, name);
    *made = !mkdir(path, 0777);
    if (!*made && errno != EEXIST)
        return tacho_error_set(err, TACHO_ERR_SYSTEM, "%.300s: cannot be made: %s", path, strerror(errno));
    return 0;
}

/* What compilers and others that are killed leave behind is to go with the study. A folder that is there
 * already is that of a study which was killed, where this one goes on with it; else it is the user's. */
static int make_environment(tacho_kernels *k, tacho_error *err)
{
    extern char **environ;
    char setting[KERNELS_PATH_SIZE + 8] = "TMPDIR=";
    size_t n = 0, count = 0;
    int rc = make_folder(k, TEMPORARY, setting + strlen(setting), &k->made_temporary, err);
    k->made_temporary |= !rc && k->options.resume && has_results(k);
    while (environ[count])
        count++;
    k->environment = rc ? NULL : tacho_mem_zalloc(count + 2, sizeof *k->environment);
    if (!k->environment)
        return rc ? rc : tacho_no_memory(err);
    for (size_t i = 0; i < count; i++)
        if (!tacho_starts_with(environ[i], "TMPDIR="))
            k->environment[n++] = environ[i];
    k->environment[n] = arena_text(&k->texts, setting);
    return k->environment[n] ? 0 : tacho_no_memory(err);
}

static void leave_work(const tacho_kernels *k)
{
    char temporary[KERNELS_PATH_SIZE];
    if (k->work_is_temporary) {
        tacho_scratch_remove(k->work);
    } else if (k->made_temporary) {
        snprintf(temporary, sizeof temporary, "%.4000s/" TEMPORARY, k->work);
        tacho_scratch_remove(temporary);
    }
    if (k->work_lock >= 0)
        close(k->work_lock);
}

/* The results of several studies in one directory would be none. */
static int lock_work(tacho_kernels *k, tacho_error *err)
{
    char why[TACHO_LOCK_WHY_SIZE];
    k->work_lock = open(k->work, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (k->work_lock < 0)
        return tacho_error_set(err, TACHO_ERR_SYSTEM, "%.300s: cannot be opened: %s", k->options.work,
                               strerror(errno));
    tacho_lock lock = tacho_lock_take(k->work_lock, why);
    if (lock == TACHO_LOCK_THEIRS)
        return tacho_error_set(err, TACHO_ERR_SYSTEM, "cannot write %.300s: %s", k->options.work, why);
    return lock == TACHO_LOCK_OURS ? 0
                                   : kernels_note(k, 0, err,
                                                  "%.200s cannot be locked (%s): no other study must "
                                                  "use it now",
                                                  k->options.work, why);
}

static int make_work(tacho_kernels *k, tacho_error *err)
{
    char objects[KERNELS_PATH_SIZE];
    if (!k->options.work) {
        int rc = tacho_scratch_make(k->work, sizeof k->work, err);
        if (rc)
            return rc;
        k->work_is_temporary = true;
    } else {
        if (mkdir(k->options.work, 0777) && errno != EEXIST)
            return tacho_error_set(err, TACHO_ERR_SYSTEM, "%.300s: cannot be made: %s", k->options.work,
                                   strerror(errno));
        char *real = realpath(k->options.work, NULL);
        bool fits = real && strlen(real) < 3000;
        snprintf(k->work, sizeof k->work, "%.3000s", fits ? real : "");
        free(real);
        if (!fits)
            return tacho_error_set(err, TACHO_ERR_SYSTEM, "%.300s: no usable directory", k->options.work);
        int rc = lock_work(k, err);
        if (rc)
            return rc;
        if (!k->options.resume && has_results(k))
            return tacho_error_set(err, TACHO_ERR_USAGE,
                                   "%.300s has results already: resuming goes on with them", k->options.work);
    }
    bool made;
    return make_folder(k, "objects", objects, &made, err) ?: make_environment(k, err);
}

uint64_t kernels_hash_source(const tacho_kernels *k, size_t variant)
{
    const char *const texts[] = {k->variants[variant].flags, k->own[variant].compiler->version,
                                 k->result.processor};
    uint64_t h = hash_add(k->sources[k->variants[variant].kernel].hash, k->signature);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        h = kernels_hash(h, texts[i], strlen(texts[i]));
    return h;
}

static void hash_sources(tacho_kernels *k)
{
    for (size_t i = 0; i < k->result.variant_count; i++)
        k->own[i].source_hash = kernels_hash_source(k, i);
}

/* What the processor calls itself. */
static int name_processor(tacho_kernels *k, tacho_error *err)
{
    uint32_t r[4];
    cpuid_description c;
    cpuid_ask(1, 0, r);
    k->signature = r[CPUID_EAX];
    cpuid_describe(&c);
    k->result.processor = arena_text(&k->texts, c.brand);
    return k->result.processor ? 0 : tacho_no_memory(err);
}

int tacho_kernels_new(tacho_kernels **out, const tacho_kernels_options *options, tacho_error *err)
{
    tacho_kernels_options o;
    *out = NULL;
    int rc = OPTIONS_TAKE(kernels, &o, options, err);
    if (rc || (rc = check_options(&o, err)))
        return rc;
    tacho_kernels *k = tacho_mem_zalloc(1, sizeof *k);
    if (!k)
        return tacho_no_memory(err);
    k->work_lock = -1;
    rc = copy_options(k, &o, err)
         ?: name_processor(k, err)
         ?: make_work(k, err)
         ?: kernels_find_suite(k, err)
         ?: kernels_find_compilers(k, err)
         ?: kernels_make_variants(k, err);
    if (kernels_is_stopped(k)) /* a compiler that did not answer may have been ended */
        rc = kernels_cancelled(err);
    if (!rc)
        hash_sources(k);
    if (!rc && !k->work_is_temporary)
        rc = kernels_open_journal(k, err);
    if (rc) {
        tacho_kernels_free(k);
        return rc;
    }
    *out = k;
    return 0;
}

void tacho_kernels_free(tacho_kernels *k)
{
    if (!k)
        return;
    kernels_close_journal(k);
    for (size_t i = 0; i < k->result.variant_count; i++) {
        tacho_mem_free(k->own[i].blocks);
        tacho_mem_free(k->own[i].bytes);
        kernels_free_windows(&k->own[i].windows);
        kernels_free_misses(&k->own[i].misses);
    }
    for (size_t i = 0; i < k->result.predictor_count; i++)
        tacho_mem_free(k->own_predictors[i].predictions);
    leave_work(k);
    TACHO_MEM_FREE(k->environment, k->compilers, k->kernels, k->sources, k->variants, k->own, k->predictors,
                   k->own_predictors, k->notes);
    arena_free(&k->texts);
    tacho_mem_free(k);
}

const tacho_kernels_result *tacho_kernels_view(tacho_kernels *k)
{
    tacho_kernels_result *r = &k->result;
    r->kernels = k->kernels;
    r->variants = k->variants;
    r->predictors = k->predictors;
    r->notes = k->notes;
    memset(r->status_count, 0, sizeof r->status_count);
    for (size_t i = 0; i < r->variant_count; i++)
        r->status_count[k->variants[i].status]++;
    return r;
}

NAMES_OF(tacho_kernel_status_name, tacho_kernel_status, "", "pending", "counted", "ok", "unstable", "merged",
         "cache-misses", "not-compiled", "crashed", "timeout", "failed")

/* ---- what becomes of a variant ---- */

int kernels_set_status(tacho_kernels *k, size_t variant, tacho_kernel_status status, const char *message,
                       tacho_error *err)
{
    tacho_kernel_variant *v = &k->variants[variant];
    v->status = status;
    v->message = *message ? arena_text(&k->texts, message) : "";
    return v->message ? kernels_write_variant(k, variant, err) : tacho_no_memory(err);
}

int kernels_commit(tacho_kernels *k, size_t variant, kernels_outcome *o, tacho_error *err)
{
    tacho_kernel_variant *v = &k->variants[variant];
    kernels_variant *own = &k->own[variant];
    for (size_t i = 0; i < o->block_count; i++)
        if (!(o->blocks[i].object = arena_text(&k->texts, o->objects[i])))
            return tacho_no_memory(err);
    tacho_mem_free(own->blocks);
    tacho_mem_free(own->bytes);
    own->blocks = o->blocks;
    own->bytes = o->code;
    o->blocks = NULL;
    o->code = NULL;
    v->blocks = own->blocks;
    v->block_count = o->block_count;
    v->instructions = o->instructions;
    v->accesses = o->accesses;
    v->misses = o->misses;
    v->bytes = o->bytes;
    v->checksum = o->checksum;
    if (o->file_hash)
        own->file_hash = o->file_hash;
    own->code_hash = v->block_count ? kernels_hash_region(v->blocks, v->block_count) : 0;
    return (v->block_count ? kernels_write_blocks(k, variant, err) : 0)
               ?: kernels_set_status(k, variant, o->status, o->message, err);
}

/* ---- building and counting ---- */

enum {
    CHUNK = 96 /* variants that are compiled, then counted, before the next ones: results so far are kept */
};

typedef struct building {
    tacho_kernels *k;
    bool counting; /* else compiling */
    size_t todo[CHUNK], count;
    pthread_mutex_t lock;
} building;

static size_t count_built(const tacho_kernels *k)
{
    size_t n = 0;
    for (size_t i = 0; i < k->result.variant_count; i++)
        n += k->variants[i].status != TACHO_KERNEL_PENDING;
    return n;
}

static int finish_turn(building *b, size_t variant, kernels_outcome *o, tacho_error *err)
{
    tacho_kernels *k = b->k;
    int rc = 0;
    pthread_mutex_lock(&b->lock);
    if (o->status == TACHO_KERNEL_PENDING)
        k->own[variant].file_hash = o->file_hash;
    else
        rc = kernels_commit(k, variant, o, err);
    if (k->options.progress)
        k->options.progress(k->options.payload, "built", count_built(k), k->result.variant_count);
    pthread_mutex_unlock(&b->lock);
    return rc;
}

static int build_turn(void *payload, void *state, size_t index, tacho_error *err)
{
    building *b = payload;
    size_t variant = b->todo[index];
    TACHO_ENDS(kernels_outcome_free) kernels_outcome o = {.status = TACHO_KERNEL_PENDING, .checksum = NAN};
    return (kernels_is_stopped(b->k) ? kernels_cancelled(err)
            : b->counting            ? kernels_count(b->k, variant, &o, err)
                                     : kernels_compile(b->k, variant, &o, err))
               ?: finish_turn(b, variant, &o, err);
}

/* Does one or the other with those of a chunk that are pending. */
static int do_pending(tacho_kernels *k, bool counting, size_t first, tacho_error *err)
{
    building b = {.k = k, .counting = counting};
    for (size_t i = first; i < k->result.variant_count && i < first + CHUNK; i++)
        if (k->variants[i].status == TACHO_KERNEL_PENDING)
            b.todo[b.count++] = i;
    const parallel_loop loop = {
        .count = b.count, .threads = k->options.jobs, .turn = build_turn, .payload = &b};
    pthread_mutex_init(&b.lock, NULL);
    int rc = parallel_run(&loop, err);
    pthread_mutex_destroy(&b.lock);
    return rc;
}

static int build_chunk(tacho_kernels *k, size_t first, tacho_error *err)
{
    return do_pending(k, false, first, err)
           ?: kernels_merge(k, false, first + CHUNK, err)
           ?: do_pending(k, true, first, err)
           ?: kernels_merge(k, true, first + CHUNK, err);
}

int tacho_kernels_build(tacho_kernels *k, tacho_error *err)
{
    double started = seconds_now();
    char valgrind[KERNELS_PATH_SIZE];
    int rc = kernels_find_valgrind(valgrind, err) ?: kernels_write_loader(k, err);
    for (size_t first = 0; first < k->result.variant_count && !rc; first += CHUNK)
        rc = build_chunk(k, first, err);
    if (!rc)
        rc = kernels_check_results(k, err);
    k->result.build_seconds += seconds_now() - started;
    return rc;
}
