/* kernels_along.c - the windows of all variants, along the paths that predictors' names ask for. */
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "study/kernels/kernels_internal.h"

static const struct {
    const char *prefix; /* of the predictors' names */
    const char *what;   /* as the caller's progress has it */
    int (*take)(const tacho_kernels *k, size_t variant, const tacho_arch *arch, kernels_windows *out,
                char message[KERNELS_MESSAGE_SIZE], tacho_error *err);
} paths[KERNELS_ALONG_COUNT] = {
    [KERNELS_ALONG_TRACE] = {"trace:", "stepped", kernels_take_trace},
    [KERNELS_ALONG_WALK] = {"walk:", "walked", kernels_take_walk},
};

typedef struct taking {
    tacho_kernels *k;
    kernels_along along;
    const tacho_arch *arch;
    size_t done;
    pthread_mutex_t lock;
} taking;

kernels_along kernels_along_of(const char **model)
{
    for (int p = KERNELS_BY_BLOCKS + 1; p < KERNELS_ALONG_COUNT; p++) {
        const size_t length = strlen(paths[p].prefix);
        if (strncmp(*model, paths[p].prefix, length) != 0)
            continue;
        *model += length;
        return (kernels_along)p;
    }
    return KERNELS_BY_BLOCKS;
}

bool tacho_kernels_with_memory(const char **model)
{
    static const char prefix[] = "memory:";
    const bool has = !strncmp(*model, prefix, sizeof prefix - 1);
    *model += has ? sizeof prefix - 1 : 0;
    return has;
}

bool tacho_kernels_along_path(const char **model)
{
    tacho_kernels_with_memory(model);
    return kernels_along_of(model) != KERNELS_BY_BLOCKS;
}

/* Of one variant; by one thread at a time for each. */
static int take_windows(taking *t, size_t variant, tacho_error *err)
{
    tacho_kernels *k = t->k;
    kernels_windows *windows = &k->own[variant].windows[t->along];
    char message[KERNELS_MESSAGE_SIZE] = "";
    *windows = (kernels_windows){.mispredictions = NAN};
    if (kernels_is_stopped(k))
        return kernels_cancelled(err);
    int rc = 0;
    if (kernels_hash_object(k, variant) != k->own[variant].file_hash)
        snprintf(message, sizeof message, "its object is not there any more");
    else
        rc = paths[t->along].take(k, variant, t->arch, windows, message, err);
    if (rc)
        return rc;
    pthread_mutex_lock(&t->lock);
    windows->message = *message ? arena_text(&k->texts, message) : "";
    if (t->along == KERNELS_ALONG_TRACE)
        k->variants[variant].mispredictions = windows->mispredictions;
    pthread_mutex_unlock(&t->lock);
    windows->taken = windows->message != NULL;
    return windows->taken ? 0 : tacho_no_memory(err);
}

static bool wants_windows(const taking *t, size_t variant)
{
    return kernels_is_predicted(&t->k->variants[variant]) && !t->k->own[variant].windows[t->along].taken;
}

static int take_windows_turn(void *payload, void *state, size_t index, tacho_error *err)
{
    taking *t = payload;
    const tacho_kernels_options *o = &t->k->options;
    int rc = wants_windows(t, index) ? take_windows(t, index, err) : 0;
    if (rc)
        return rc;
    pthread_mutex_lock(&t->lock);
    if (o->progress)
        o->progress(o->payload, paths[t->along].what, ++t->done, t->k->result.variant_count);
    pthread_mutex_unlock(&t->lock);
    return 0;
}

int kernels_take_windows(tacho_kernels *k, kernels_along along, const tacho_arch *arch, tacho_error *err)
{
    taking t = {.k = k, .along = along, .arch = arch};
    const parallel_loop loop = {.count = k->result.variant_count,
                                .threads = k->options.jobs,
                                .turn = take_windows_turn,
                                .payload = &t};
    bool wanted = false;
    for (size_t i = 0; i < k->result.variant_count; i++)
        wanted |= wants_windows(&t, i);
    int rc = wanted ? kernels_write_loader(k, err) : 0;
    if (rc || !wanted)
        return rc;
    pthread_mutex_init(&t.lock, NULL);
    if (k->options.progress)
        k->options.progress(k->options.payload, paths[along].what, 0, k->result.variant_count);
    rc = parallel_run(&loop, err);
    pthread_mutex_destroy(&t.lock);
    return rc;
}
