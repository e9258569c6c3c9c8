/* kernels_score.c - which variants are bound by dependencies through memory, and how each predictor did, with
 * and without them.
 *
 * CesASMe (section 4.3) asks Gus for that, with and without the latency of these dependencies: a kernel is
 * bound by them when it would be at least 40 % faster. Here tacho's simulator is asked, along the trace, as
 * Gus is, or else block by block. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "study/kernels/kernels_internal.h"

static const tacho_kernels_predictor *find(const tacho_kernels *k, const char *name)
{
    for (size_t i = 0; i < k->result.predictor_count; i++)
        if (!strcmp(k->predictors[i].name, name))
            return &k->predictors[i];
    return NULL;
}

static void find_memory_bound(tacho_kernels *k)
{
    const tacho_kernels_predictor *with = find(k, "trace:tacho"),
                                  *without = find(k, "trace:tacho-no-memory-deps");
    if (!with || !without) {
        with = find(k, "tacho");
        without = find(k, "tacho-no-memory-deps");
    }
    for (size_t i = 0; i < k->result.variant_count; i++) {
        tacho_kernel_variant *v = &k->variants[i];
        double all = with ? with->predictions[i].cycles : NAN;
        double rest = without ? without->predictions[i].cycles : NAN;
        v->memory_share = all > 0 ? 1 - rest / all : NAN;
        v->memory_bound = v->memory_share >= k->options.memory_bound;
    }
}

/* `pruned`: without those that are bound by memory. */
static int score(const tacho_kernels *k, const tacho_kernel_prediction *predictions, bool pruned,
                 tacho_score *out, tacho_error *err)
{
    static const tacho_score_options options = TACHO_SCORE_OPTIONS_INIT;
    size_t n = 0, count = k->result.variant_count;
    double *measured = tacho_mem_zalloc(count + 1, sizeof *measured);
    double *predicted = tacho_mem_zalloc(count + 1, sizeof *predicted);
    int rc = measured && predicted ? 0 : tacho_no_memory(err);
    for (size_t i = 0; i < count && !rc; i++) {
        const tacho_kernel_variant *v = &k->variants[i];
        bool scored = v->status == TACHO_KERNEL_OK || v->status == TACHO_KERNEL_UNSTABLE;
        if (!scored || (pruned && v->memory_bound))
            continue;
        measured[n] = v->cycles;
        predicted[n++] = predictions[i].cycles;
    }
    if (!rc)
        rc = tacho_score_compute(measured, predicted, n, &options, out, err);
    tacho_mem_free(measured);
    tacho_mem_free(predicted);
    return rc;
}

int tacho_kernels_score(tacho_kernels *k, tacho_error *err)
{
    int rc = 0;
    find_memory_bound(k);
    for (size_t i = 0; i < k->result.predictor_count && !rc; i++) {
        tacho_kernels_predictor *p = &k->predictors[i];
        rc = score(k, p->predictions, false, &p->all, err);
        if (!rc)
            rc = score(k, p->predictions, true, &p->pruned, err);
    }
    return rc;
}
