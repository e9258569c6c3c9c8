/* predict.c - models asked about the blocks of all variants, each block once, and what they say lifted to
 * whole regions; or tacho's simulator along the traces of the regions. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/kernels.h"
#include "tacho/predict.h"
#include "util/mem.h"
#include "util/parallel.h"
#include "util/seconds.h"

#define TRACE_MODEL           "tacho-trace"
#define TRACE_MODEL_NO_MEMORY "tacho-trace-no-memory-deps"

enum {
    BLOCKS_AT_A_TIME = 400 /* external tools are started once for so many */
};

/* A block of a variant, on its way to a prediction. */
typedef struct place {
    const tacho_kernel_block *block;
    size_t number; /* of its answer */
} place;

typedef struct asking {
    tacho_kernels *k;
    const char *model, *version;
    const tacho_arch *arch;
    const tacho_model_options *options;
    place *places; /* sorted by bytes; then by nothing */
    size_t place_count;
    tacho_model_block *blocks; /* different ones */
    tacho_model_result *answers;
    size_t count, done;
    double seconds;
    tacho_kernel_prediction *predictions; /* of each variant */
    pthread_mutex_t lock;
    tacho_error *err;
} asking;

static bool is_predicted(const tacho_kernel_variant *v)
{
    return v->status == TACHO_KERNEL_COUNTED || v->status == TACHO_KERNEL_OK ||
           v->status == TACHO_KERNEL_UNSTABLE;
}

static int by_bytes(const void *a, const void *b)
{
    const tacho_kernel_block *x = ((const place *)a)->block, *y = ((const place *)b)->block;
    if (x->byte_count != y->byte_count)
        return x->byte_count < y->byte_count ? -1 : 1;
    return memcmp(x->bytes, y->bytes, x->byte_count);
}

static int collect(asking *a)
{
    const tacho_kernels *k = a->k;
    size_t n = 0;
    for (size_t i = 0; i < k->result.variant_count; i++)
        n += is_predicted(&k->variants[i]) ? k->variants[i].block_count : 0;
    a->places = tacho_mem_zalloc(n + 1, sizeof *a->places);
    a->blocks = tacho_mem_zalloc(n + 1, sizeof *a->blocks);
    a->answers = tacho_mem_zalloc(n + 1, sizeof *a->answers);
    if (!a->places || !a->blocks || !a->answers)
        return kernels_no_memory(a->err);
    for (size_t i = 0; i < k->result.variant_count; i++)
        for (size_t b = 0; is_predicted(&k->variants[i]) && b < k->variants[i].block_count; b++)
            a->places[a->place_count++].block = &k->variants[i].blocks[b];
    if (n)
        qsort(a->places, n, sizeof *a->places, by_bytes);
    for (size_t i = 0; i < n; i++) {
        if (!i || by_bytes(&a->places[i - 1], &a->places[i]))
            a->blocks[a->count++] =
                (tacho_model_block){a->places[i].block->bytes, a->places[i].block->byte_count};
        a->places[i].number = a->count - 1;
    }
    return 0;
}

/* ---- asking ---- */

static int open_model(void *payload, void **state, tacho_error *err)
{
    asking *a = payload;
    tacho_model *model;
    int rc = tacho_model_open(&model, a->model, a->arch, a->options, err);
    if (rc)
        return rc;
    pthread_mutex_lock(&a->lock);
    if (!a->version)
        a->version = kernels_text(a->k, tacho_model_version(model));
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
    size_t first = index * BLOCKS_AT_A_TIME, left = a->count - first;
    size_t n = left < BLOCKS_AT_A_TIME ? left : BLOCKS_AT_A_TIME;
    double started = seconds_now();
    int rc = tacho_model_run(state, a->blocks + first, n, a->answers + first, err);
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
    const parallel_loop loop = {.count = (a->count + BLOCKS_AT_A_TIME - 1) / BLOCKS_AT_A_TIME,
                                .threads = a->k->options.jobs,
                                .turn = ask,
                                .open = open_model,
                                .close = close_model,
                                .payload = a};
    pthread_mutex_init(&a->lock, NULL);
    int rc = parallel_run(&loop, a->err);
    pthread_mutex_destroy(&a->lock);
    return rc;
}

/* ---- lifting ---- */

static const tacho_model_result *answer_of(const asking *a, const tacho_kernel_block *block)
{
    const place wanted = {block, 0};
    const place *p = bsearch(&wanted, a->places, a->place_count, sizeof *a->places, by_bytes);
    return &a->answers[p->number];
}

static int lift_variant(asking *a, const tacho_kernel_variant *v, tacho_kernel_prediction *out)
{
    double *cycles = tacho_mem_zalloc(v->block_count + 1, sizeof *cycles);
    const char *why = NULL;
    if (!cycles)
        return kernels_no_memory(a->err);
    for (size_t b = 0; b < v->block_count; b++) {
        const tacho_model_result *r = answer_of(a, &v->blocks[b]);
        cycles[b] = r->status == TACHO_MODEL_OK ? r->cycles : NAN;
        why = !why && r->status != TACHO_MODEL_OK ? r->message : why;
    }
    kernels_lift(v->blocks, v->block_count, cycles, a->k->options.max_missing, &out->cycles, &out->coverage);
    tacho_mem_free(cycles);
    out->message = isnan(out->cycles) ? kernels_text(a->k, why ? why : "no blocks") : "";
    return out->message ? 0 : kernels_no_memory(a->err);
}

static int lift_all(asking *a, tacho_kernel_prediction *predictions)
{
    int rc = 0;
    for (size_t i = 0; i < a->k->result.variant_count && !rc; i++) {
        predictions[i] = (tacho_kernel_prediction){NAN, 0, ""};
        if (is_predicted(&a->k->variants[i]))
            rc = lift_variant(a, &a->k->variants[i], &predictions[i]);
    }
    return rc;
}

static int add_predictor(asking *a, const char *name, tacho_kernel_prediction *predictions)
{
    tacho_kernels *k = a->k;
    size_t n = k->result.predictor_count;
    const char *copy = kernels_text(k, name);
    if (!copy || !a->version ||
        tacho_mem_grow(&k->predictors, &k->predictor_capacity, n + 1, sizeof *k->predictors) ||
        tacho_mem_grow(&k->own_predictors, &k->own_predictor_capacity, n + 1, sizeof *k->own_predictors))
        return kernels_no_memory(a->err);
    k->own_predictors[n].predictions = predictions;
    k->predictors[n] = (tacho_kernels_predictor){
        .name = copy, .version = a->version, .seconds = a->seconds, .predictions = predictions};
    k->result.predictor_count++;
    k->result.arch = a->arch;
    return 0;
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

/* ---- along traces ---- */

/* A thread's. */
static int open_tracer(void *payload, void **state, tacho_error *err)
{
    *state = tacho_predictor_new();
    return *state ? 0 : kernels_no_memory(err);
}

static void close_tracer(void *payload, void *state)
{
    tacho_predictor_free(state);
}

/* Both ways at once: the trace takes longer than the predictions. */
static int trace_both(asking *a, tacho_predictor *predictor, size_t variant, tacho_error *err)
{
    kernels_variant *own = &a->k->own[variant];
    const kernels_trace_model model = {predictor, a->arch};
    char message[KERNELS_MESSAGE_SIZE] = "";
    if (own->traced)
        return 0;
    int rc = kernels_predict_trace(a->k, variant, &model, own->trace_cycles, message, err);
    pthread_mutex_lock(&a->lock);
    own->trace_message = rc || !*message ? "" : kernels_text(a->k, message);
    pthread_mutex_unlock(&a->lock);
    own->traced = !rc;
    return rc || own->trace_message ? rc : kernels_no_memory(err);
}

static int trace_variant(void *payload, void *state, size_t index, tacho_error *err)
{
    asking *a = payload;
    const tacho_kernels_options *o = &a->k->options;
    const kernels_variant *own = &a->k->own[index];
    const bool without = strcmp(a->model, TRACE_MODEL) != 0, asked = is_predicted(&a->k->variants[index]);
    double started = seconds_now();
    int rc = asked ? trace_both(a, state, index, err) : 0;
    double cycles = asked && !rc ? own->trace_cycles[without] : NAN;
    a->predictions[index] =
        (tacho_kernel_prediction){cycles, isnan(cycles) ? 0 : 1, asked && !rc ? own->trace_message : ""};
    pthread_mutex_lock(&a->lock);
    a->seconds += seconds_now() - started;
    if (o->progress)
        o->progress(o->payload, a->model, ++a->done, a->k->result.variant_count);
    pthread_mutex_unlock(&a->lock);
    return rc;
}

static int trace_all(asking *a)
{
    const parallel_loop loop = {.count = a->k->result.variant_count,
                                .threads = a->k->options.jobs,
                                .turn = trace_variant,
                                .open = open_tracer,
                                .close = close_tracer,
                                .payload = a};
    int rc = kernels_write_loader(a->k, a->err);
    a->version = "tacho " TACHO_VERSION;
    pthread_mutex_init(&a->lock, NULL);
    rc = rc ? rc : parallel_run(&loop, a->err);
    pthread_mutex_destroy(&a->lock);
    return rc;
}

static bool is_trace_model(const char *name)
{
    return !strcmp(name, TRACE_MODEL) || !strcmp(name, TRACE_MODEL_NO_MEMORY);
}

int tacho_kernels_predict(tacho_kernels *k, const char *model, const char *name, const tacho_arch *arch,
                          const tacho_model_options *options, tacho_error *err)
{
    asking a = {.k = k, .model = model, .arch = arch, .options = options, .err = err};
    name = name ? name : model;
    int rc = check(k, name, arch, err);
    tacho_kernel_prediction *predictions =
        rc ? NULL : tacho_mem_zalloc(k->result.variant_count + 1, sizeof *predictions);
    if (!rc && !predictions)
        rc = kernels_no_memory(err);
    a.predictions = predictions;
    if (!rc && is_trace_model(model))
        rc = trace_all(&a);
    else if (!rc) {
        rc = collect(&a);
        rc = rc ? rc : ask_all(&a);
        rc = rc ? rc : lift_all(&a, predictions);
    }
    if (!rc)
        rc = add_predictor(&a, name, predictions);
    if (rc)
        tacho_mem_free(predictions);
    tacho_mem_free(a.places);
    tacho_mem_free(a.blocks);
    tacho_mem_free(a.answers);
    return rc;
}
