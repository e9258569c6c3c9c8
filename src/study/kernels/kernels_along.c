/* kernels_along.c - what predictors need besides blocks: windows of the trace, misses of caches. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "study/kernels/kernels_internal.h"

typedef struct taking {
    tacho_kernels *k;
    kernels_further what;
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

int kernels_take(tacho_kernels *k, kernels_further what, const tacho_arch *arch, tacho_error *err)
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
