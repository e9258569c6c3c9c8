/* kernels_score.c - which variants are bound by dependencies through memory, and how each predictor did, with
 * and without them.
 *
 * CesASMe (section 4.3) asks Gus for that, with and without the latency of these dependencies: a kernel is
 * bound by them when it would be at least 40 % faster. Here tacho's simulator is asked, along the trace, as
 * Gus is, or else block by block. */

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
    TACHO_MEM_FREED double *measured = tacho_mem_zalloc(count + 1, sizeof *measured);
    TACHO_MEM_FREED double *predicted = tacho_mem_zalloc(count + 1, sizeof *predicted);
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
    return rc;
}

int tacho_kernels_score(tacho_kernels *k, tacho_error *err)
{
    int rc = 0;
    find_memory_bound(k);
    for (size_t i = 0; i < k->result.predictor_count && !rc; i++) {
        tacho_kernels_predictor *p = &k->predictors[i];
        rc = score(k, p->predictions, false, &p->all, err) ?: score(k, p->predictions, true, &p->pruned, err);
    }
    return rc;
}

/* cycles of a region from those of its pieces: the sum of executions times cycles (CesASMe, equation
 * 1). A piece is predicted as the body of a loop of itself, as the tools do, wherever its branch leads.
 * Effects of one piece on another are not in it. */

void kernels_lift(const kernels_piece *pieces, size_t count, const double *cycles, double max_missing,
                  double *lifted, double *coverage)
{
    double sum = 0, known = 0, all = 0;
    for (size_t i = 0; i < count; i++) {
        double instructions = pieces[i].executions * pieces[i].insn_count;
        all += instructions;
        if (isnan(cycles[i]))
            continue;
        known += instructions;
        sum += pieces[i].executions * fmax(cycles[i], pieces[i].least_cycles);
    }
    *coverage = all > 0 ? known / all : 0;
    *lifted = all > 0 && known > 0 && 1 - *coverage <= max_missing ? sum : NAN;
}
