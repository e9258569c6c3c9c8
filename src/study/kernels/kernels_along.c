/* kernels_along.c - the windows of all variants, for predictors along the trace. */
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "study/kernels/kernels_internal.h"

typedef struct taking {
    tacho_kernels *k;
    const tacho_arch *arch;
    size_t done;
    pthread_mutex_t lock;
} taking;

static bool begins(const char **model, const char *prefix)
{
    const bool has = !strncmp(*model, prefix, strlen(prefix));
    *model += has ? strlen(prefix) : 0;
    return has;
}

bool tacho_kernels_with_memory(const char **model)
{
    return begins(model, "memory:");
}

bool kernels_along_trace(const char **model)
{
    return begins(model, "trace:");
}

bool tacho_kernels_along_path(const char **model)
{
    tacho_kernels_with_memory(model);
    return kernels_along_trace(model);
}

/* Of one variant; by one thread at a time for each. */
static int take_windows(taking *t, size_t variant, tacho_error *err)
{
    tacho_kernels *k = t->k;
    kernels_windows *windows = &k->own[variant].windows;
    char message[KERNELS_MESSAGE_SIZE] = "";
    *windows = (kernels_windows){.mispredictions = NAN};
    if (kernels_is_stopped(k))
        return kernels_cancelled(err);
    int rc = 0;
    if (kernels_hash_object(k, variant) != k->own[variant].file_hash)
        snprintf(message, sizeof message, "its object is not there any more");
    else
        rc = kernels_take_trace(k, variant, t->arch, windows, message, err);
    if (rc)
        return rc;
    pthread_mutex_lock(&t->lock);
    windows->message = *message ? arena_text(&k->texts, message) : "";
    k->variants[variant].mispredictions = windows->mispredictions;
    pthread_mutex_unlock(&t->lock);
    windows->taken = windows->message != NULL;
    return windows->taken ? 0 : tacho_no_memory(err);
}

static bool wants_windows(const taking *t, size_t variant)
{
    return kernels_is_predicted(&t->k->variants[variant]) && !t->k->own[variant].windows.taken;
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
        o->progress(o->payload, "stepped", ++t->done, t->k->result.variant_count);
    pthread_mutex_unlock(&t->lock);
    return 0;
}

int kernels_take_windows(tacho_kernels *k, const tacho_arch *arch, tacho_error *err)
{
    taking t = {.k = k, .arch = arch};
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
        k->options.progress(k->options.payload, "stepped", 0, k->result.variant_count);
    rc = parallel_run(&loop, err);
    pthread_mutex_destroy(&t.lock);
    return rc;
}
