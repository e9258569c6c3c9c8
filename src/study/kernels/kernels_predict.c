/* kernels_predict.c - asks models about the pieces of all variants, each different piece once, and lifts
 * their answers to whole regions. Pieces are basic blocks, or windows of a path (kernels_windows.c). */

#include "base/mem.h"
#include "base/options_take.h"
#include "base/parallel.h"
#include "base/search.h"
#include "base/seconds.h"
#include "study/kernels/kernels_internal.h"
#include "study/kernels/loader.h"
#include "x86/arch/loaded.h"

/* ---- what predictors need besides blocks ---- */

typedef struct taking {
    tacho_kernels *k;
    kernels_further what;
    const tacho_arch *arch;
    size_t done;
    pthread_mutex_t lock;
} taking;

static bool take_prefix(const char **model, const char *prefix)
{
    const bool has = tacho_starts_with(*model, prefix);
    *model += has ? strlen(prefix) : 0;
    return has;
}

bool tacho_kernels_with_memory(const char **model)
{
    return take_prefix(model, "memory:");
}

static bool along_trace(const char **model)
{
    return take_prefix(model, "trace:");
}

bool tacho_kernels_along_path(const char **model)
{
    tacho_kernels_with_memory(model);
    return along_trace(model);
}

static int take_windows(taking *t, size_t variant, char message[KERNELS_MESSAGE_SIZE], tacho_error *err)
{
    kernels_windows *windows = &t->k->own[variant].windows;
    *windows = (kernels_windows){.mispredictions = NAN};
    int rc = kernels_take_trace(t->k, variant, t->arch, windows, message, err);
    t->k->variants[variant].mispredictions = windows->mispredictions;
    return rc;
}

/* Of one variant; by one thread at a time for each. */
static int take(taking *t, size_t variant, tacho_error *err)
{
    tacho_kernels *k = t->k;
    kernels_variant *own = &k->own[variant];
    char message[KERNELS_MESSAGE_SIZE] = "";
    int rc = 0;
    if (kernels_is_stopped(k))
        return kernels_cancelled(err);
    if (kernels_hash_object(k, variant) != own->file_hash)
        snprintf(message, sizeof message, "its object is not there any more");
    else if (t->what == KERNELS_WINDOWS)
        rc = take_windows(t, variant, message, err);
    else
        rc = kernels_take_misses(k, variant, &own->misses, message, err);
    if (rc)
        return rc;
    pthread_mutex_lock(&t->lock);
    own->none[t->what] = *message ? arena_text(&k->texts, message) : "";
    pthread_mutex_unlock(&t->lock);
    return own->none[t->what] ? 0 : tacho_no_memory(err);
}

static bool is_wanted(const taking *t, size_t variant)
{
    return kernels_is_predicted(&t->k->variants[variant]) && !t->k->own[variant].none[t->what];
}

static void tell_progress(const taking *t)
{
    static const char *const done[KERNELS_FURTHER_COUNT] = {"stepped", "run in caches"};
    const tacho_kernels_options *o = &t->k->options;
    if (o->progress)
        o->progress(o->payload, done[t->what], t->done, t->k->result.variant_count);
}

static int take_turn(void *payload, void *state, size_t index, tacho_error *err)
{
    taking *t = payload;
    int rc = is_wanted(t, index) ? take(t, index, err) : 0;
    if (rc)
        return rc;
    pthread_mutex_lock(&t->lock);
    t->done++;
    tell_progress(t);
    pthread_mutex_unlock(&t->lock);
    return 0;
}

/* Takes what predictors of `arch` need further of all variants that are predicted and do not have it yet.
 * @return 0 or an error of the machine */
static int kernels_take(tacho_kernels *k, kernels_further what, const tacho_arch *arch, tacho_error *err)
{
    taking t = {.k = k, .what = what, .arch = arch};
    const parallel_loop loop = {
        .count = k->result.variant_count, .threads = k->options.jobs, .turn = take_turn, .payload = &t};
    bool wanted = false;
    int rc = what == KERNELS_MISSES ? kernels_check_memory(k, arch, err) : 0;
    for (size_t i = 0; i < k->result.variant_count; i++)
        wanted |= is_wanted(&t, i);
    if (!rc && wanted)
        rc = kernels_write_loader(k, err);
    if (rc || !wanted)
        return rc;
    pthread_mutex_init(&t.lock, NULL);
    tell_progress(&t);
    rc = parallel_run(&loop, err);
    pthread_mutex_destroy(&t.lock);
    return rc;
}

enum {
    BLOCKS_AT_A_TIME = 400, /* external tools are started once for so many */
    WINDOWS_AT_A_TIME = 20,
    WINDOW_SECONDS = 60 /* a time limit for a tool that has one for a block */
};

/* A piece of a variant, on its way to a prediction. */
typedef struct place {
    const kernels_piece *piece;
    size_t number; /* of its answer */
} place;

typedef struct asking {
    tacho_kernels *k;
    const char *model, *version;
    const tacho_arch *arch;
    tacho_model_options options;
    bool along; /* the trace */
    bool external, memory;
    size_t at_a_time;
    kernels_piece *pieces;     /* of all variants */
    size_t *first;             /* those of variant i begin at first[i], and end at first[i + 1] */
    place *places;             /* by what is asked */
    tacho_model_block *blocks; /* different ones */
    tacho_model_result *answers;
    size_t count, done;
    double seconds;
    pthread_mutex_t lock;
    tacho_error *err;
} asking;

/* ---- pieces ---- */

static size_t pieces_of(const asking *a, size_t variant)
{
    if (!kernels_is_predicted(&a->k->variants[variant]))
        return 0;
    return a->along ? a->k->own[variant].windows.count : a->k->variants[variant].block_count;
}

static kernels_piece piece_of_block(const tacho_kernel_block *b)
{
    return (kernels_piece){.block = {.code = b->bytes, .size = b->byte_count, .instructions = b->insn_count},
                           .insn_count = b->insn_count,
                           .address = b->address,
                           .executions = (double)b->count};
}

static int gather(asking *a)
{
    const tacho_kernels *k = a->k;
    const size_t variants = k->result.variant_count;
    a->first = tacho_mem_zalloc(variants + 1, sizeof *a->first);
    if (!a->first)
        return tacho_no_memory(a->err);
    for (size_t i = 0; i < variants; i++)
        a->first[i + 1] = a->first[i] + pieces_of(a, i);
    a->pieces = tacho_mem_zalloc(a->first[variants] + 1, sizeof *a->pieces);
    if (!a->pieces)
        return tacho_no_memory(a->err);
    for (size_t i = 0; i < variants; i++)
        for (size_t p = a->first[i]; p < a->first[i + 1]; p++)
            a->pieces[p] = a->along ? k->own[i].windows.pieces[p - a->first[i]]
                                    : piece_of_block(&k->variants[i].blocks[p - a->first[i]]);
    for (size_t i = 0; i < variants && a->memory; i++)
        for (size_t p = a->first[i]; p < a->first[i + 1]; p++)
            a->pieces[p].least_cycles =
                fmax(a->pieces[p].least_cycles,
                     kernels_memory_cycles(&k->own[i].misses, &a->pieces[p], k->options.memory, a->arch));
    return 0;
}

static int by_question(const void *a, const void *b)
{
    const tacho_model_block *x = &((const place *)a)->piece->block, *y = &((const place *)b)->piece->block;
    int order = ORDER(x->size, y->size) ?: memcmp(x->code, y->code, x->size);
    order = order ?: ORDER(x->warm_up, y->warm_up);
    order = order ?: ORDER(x->mispredicted_count, y->mispredicted_count);
    if (!order && x->mispredicted_count)
        order = memcmp(x->mispredicted, y->mispredicted, x->mispredicted_count * sizeof *x->mispredicted);
    order = order ?: ORDER(x->piece_count, y->piece_count);
    if (!order && x->piece_count) /* made of zeroed memory: also what pads them is the same */
        order = memcmp(x->pieces, y->pieces, x->piece_count * sizeof *x->pieces);
    return order || !x->registers || !y->registers
               ? order
               : memcmp(x->registers, y->registers, LOADER_REGISTERS * sizeof *x->registers);
}

/* Each different piece once. Other people's tools are not told the registers or the mispredicted branches: to
 * them more are equal. */
static int collect(asking *a)
{
    const size_t n = a->first[a->k->result.variant_count];
    a->places = tacho_mem_zalloc(n + 1, sizeof *a->places);
    a->blocks = tacho_mem_zalloc(n + 1, sizeof *a->blocks);
    a->answers = tacho_mem_zalloc(n + 1, sizeof *a->answers);
    if (!a->places || !a->blocks || !a->answers)
        return tacho_no_memory(a->err);
    for (size_t i = 0; i < n; i++) {
        tacho_model_block *b = &a->pieces[i].block;
        if (a->external)
            *b = (tacho_model_block){.code = b->code,
                                     .size = b->size,
                                     .once = b->once,
                                     .warm_up = b->warm_up,
                                     .instructions = b->instructions};
        a->places[i].piece = &a->pieces[i];
    }
    tacho_sort(a->places, n, sizeof *a->places, by_question);
    for (size_t i = 0; i < n; i++) {
        if (!i || by_question(&a->places[i - 1], &a->places[i]))
            a->blocks[a->count++] = a->places[i].piece->block;
        a->places[i].number = a->count - 1;
    }
    return 0;
}

/* ---- asking ---- */

static int open_model(void *payload, void **state, tacho_error *err)
{
    asking *a = payload;
    tacho_model *model;
    int rc = tacho_model_open(&model, a->model, a->arch, &a->options, err);
    if (rc)
        return rc;
    pthread_mutex_lock(&a->lock);
    if (!a->version)
        a->version = arena_text(&a->k->texts, tacho_model_version(model));
    pthread_mutex_unlock(&a->lock);
    *state = model;
    return 0;
}

static void close_model(void *payload, void *state)
{
    tacho_model_close(state);
}

static int ask(void *payload, void *state, size_t index, tacho_error *err)
{
    asking *a = payload;
    const tacho_kernels_options *o = &a->k->options;
    size_t first = index * a->at_a_time, left = a->count - first;
    size_t n = left < a->at_a_time ? left : a->at_a_time;
    double started = seconds_now();
    int rc = kernels_is_stopped(a->k) ? kernels_cancelled(err)
                                      : tacho_model_run(state, a->blocks + first, n, a->answers + first, err);
    pthread_mutex_lock(&a->lock);
    a->seconds += seconds_now() - started;
    a->done += n;
    if (o->progress && !rc)
        o->progress(o->payload, a->model, a->done, a->count);
    pthread_mutex_unlock(&a->lock);
    return rc;
}

static int ask_all(asking *a)
{
    const parallel_loop loop = {.count = (a->count + a->at_a_time - 1) / a->at_a_time,
                                .threads = a->k->options.jobs,
                                .turn = ask,
                                .open = open_model,
                                .close = close_model,
                                .payload = a};
    return parallel_run(&loop, a->err);
}

/* ---- lifting ---- */

static const tacho_model_result *answer_of(const asking *a, const kernels_piece *piece)
{
    const place wanted = {piece, 0};
    const place *p = tacho_find_sorted(&wanted, a->places, a->first[a->k->result.variant_count],
                                       sizeof *a->places, by_question);
    return &a->answers[p->number];
}

static int lift_variant(asking *a, size_t variant, tacho_kernel_prediction *out)
{
    const kernels_piece *pieces = a->pieces + a->first[variant];
    const size_t count = a->first[variant + 1] - a->first[variant];
    TACHO_MEM_FREED double *cycles = tacho_mem_zalloc(count + 1, sizeof *cycles);
    const char *const *none = a->k->own[variant].none, *missing = a->memory ? none[KERNELS_MISSES] : "";
    const char *why = *missing ? missing : a->along && !count ? none[KERNELS_WINDOWS] : NULL;
    if (!cycles)
        return tacho_no_memory(a->err);
    for (size_t p = 0; p < count; p++) {
        const tacho_model_result *r = answer_of(a, &pieces[p]);
        cycles[p] = r->status == TACHO_MODEL_OK && !*missing ? r->cycles : NAN;
        out->lower_bound |= r->status == TACHO_MODEL_OK && r->lower_bound;
        why = !why && r->status != TACHO_MODEL_OK ? r->message : why;
    }
    kernels_lift(pieces, count, cycles, a->k->options.max_missing, &out->cycles, &out->coverage);
    out->lower_bound &= !isnan(out->cycles);
    out->message = isnan(out->cycles) ? arena_text(&a->k->texts, why ? why : "no blocks") : "";
    return out->message ? 0 : tacho_no_memory(a->err);
}

static int lift_all(asking *a, tacho_kernel_prediction *predictions)
{
    int rc = 0;
    for (size_t i = 0; i < a->k->result.variant_count && !rc; i++) {
        predictions[i] = (tacho_kernel_prediction){NAN, 0, "", false};
        if (kernels_is_predicted(&a->k->variants[i]))
            rc = lift_variant(a, i, &predictions[i]);
    }
    return rc;
}

static int note_lower_bounds(asking *a, const char *name, const tacho_kernel_prediction *predictions)
{
    size_t count = 0;
    for (size_t i = 0; i < a->k->result.variant_count; i++)
        count += predictions[i].lower_bound;
    return count ? kernels_note(a->k, count, a->err,
                                "what %s predicts is a lower bound: it lacks figures of some instructions",
                                name)
                 : 0;
}

static int add_predictor(asking *a, const char *name, tacho_kernel_prediction *predictions)
{
    tacho_kernels *k = a->k;
    size_t n = k->result.predictor_count;
    const char *copy = arena_text(&k->texts, name);
    if (!copy || !a->version ||
        tacho_mem_grow(&k->predictors, &k->predictor_capacity, n + 1, sizeof *k->predictors) ||
        tacho_mem_grow(&k->own_predictors, &k->own_predictor_capacity, n + 1, sizeof *k->own_predictors))
        return tacho_no_memory(a->err);
    k->own_predictors[n].predictions = predictions;
    k->predictors[n] = (tacho_kernels_predictor){
        .name = copy, .version = a->version, .seconds = a->seconds, .predictions = predictions};
    k->result.predictor_count++;
    k->result.arch = a->arch;
    return note_lower_bounds(a, copy, predictions);
}

static int check(const tacho_kernels *k, const char *name, const tacho_arch *arch, tacho_error *err)
{
    if (k->result.arch && k->result.arch != arch)
        return tacho_error_set(err, TACHO_ERR_USAGE, "predictions of this study are for %s",
                               k->result.arch->name);
    for (size_t i = 0; i < k->result.predictor_count; i++)
        if (!strcmp(k->predictors[i].name, name))
            return tacho_error_set(err, TACHO_ERR_USAGE, "there are two predictors named '%s'", name);
    return 0;
}

/* ---- a model ---- */

/* Whether it can be opened, and whose it is. */
static int look_at(asking *a)
{
    tacho_model *model;
    int rc = tacho_model_open(&model, a->model, a->arch, &a->options, a->err);
    if (rc)
        return rc;
    a->external = tacho_model_is_external(model);
    tacho_model_close(model);
    return 0;
}

static int predict(asking *a, tacho_kernel_prediction *predictions)
{
    int rc = look_at(a);
    pthread_mutex_init(&a->lock, NULL);
    if (!rc && a->along)
        rc = kernels_take(a->k, KERNELS_WINDOWS, a->arch, a->err);
    if (!rc && a->memory)
        rc = kernels_take(a->k, KERNELS_MISSES, a->arch, a->err);
    rc = rc ? rc : gather(a);
    rc = rc ? rc : collect(a);
    rc = rc ? rc : ask_all(a);
    pthread_mutex_destroy(&a->lock);
    return rc ? rc : lift_all(a, predictions);
}

int tacho_kernels_predict(tacho_kernels *k, const char *model, const char *name, const tacho_arch *arch,
                          const tacho_model_options *options, tacho_error *err)
{
    asking a = {.k = k, .model = model, .arch = arch, .at_a_time = BLOCKS_AT_A_TIME, .err = err};
    int rc = OPTIONS_TAKE(model, &a.options, options, err);
    if (rc)
        return rc;
    a.options.ignore_isa |= tacho_arch_is_native(arch); /* what was counted was executed here */
    a.options.stop = kernels_is_stopped;
    a.options.stop_payload = k;
    a.memory = tacho_kernels_with_memory(&a.model);
    a.along = along_trace(&a.model);
    if (a.along) {
        a.at_a_time = WINDOWS_AT_A_TIME;
        a.options.timeout_seconds = fmax(a.options.timeout_seconds, WINDOW_SECONDS);
    }
    name = name ? name : model;
    rc = check(k, name, arch, err);
    tacho_kernel_prediction *predictions =
        rc ? NULL : tacho_mem_zalloc(k->result.variant_count + 1, sizeof *predictions);
    if (!rc && !predictions)
        rc = tacho_no_memory(err);
    rc = rc ? rc : predict(&a, predictions);
    rc = rc ? rc : add_predictor(&a, name, predictions);
    if (rc)
        tacho_mem_free(predictions);
    TACHO_MEM_FREE(a.pieces, a.first, a.places, a.blocks, a.answers);
    return rc;
}
