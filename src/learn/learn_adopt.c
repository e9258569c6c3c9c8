/* learn_adopt.c - whether a row that was learnt is taken: where learning starts from a core, a form may take
 * longer or shorter in some loops for reasons that its row has nothing to do with. The row is taken if with
 * it the simulator comes nearer to what was measured, over the loops of the form to which it makes a
 * difference. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "learn/learn_internal.h"

/* A row must remove this share of the core's error, and this much of it. */
#define LEAST_SHARE 0.25
#define LEAST_ERROR 0.005

/* The core with the parameters that were found, and the row, if there is one. */
static int load_with(const learning *l, const char *row, unsigned source, tacho_arch **out, tacho_error *err)
{
    tacho_str text = {0};
    const char *line = learn_source_line(source);
    tacho_str_printf(&text, "inherit %s\nname %s\n", tacho_arch_name(l->from), l->name);
    learning_put_parameters(&text, l);
    if (row)
        tacho_str_printf(&text, "[insns]\n%s\n%s\n", line ? line : "", row);
    learning_put_sources(&text, l);
    int failed = text.failed ? tacho_no_memory(err) : tacho_arch_load(out, text.data, text.length, NULL, err);
    tacho_str_free(&text);
    return failed;
}

static int predict_first(tacho_predictor *p, const tacho_arch *arch, const subject_loop *loop, size_t number,
                         learn_known *known, double *cycles, tacho_error *err)
{
    if (known && tacho_mem_grow(&known->cycles, &known->capacity, number + 1, sizeof *known->cycles))
        return tacho_no_memory(err);
    for (; known && known->count <= number; known->count++)
        known->cycles[known->count] = -1;
    *cycles = known ? known->cycles[number] : -1;
    int failed = *cycles < 0 ? subject_predict(p, arch, loop, false, cycles, err) : 0;
    if (known)
        known->cycles[number] = *cycles;
    return failed;
}

int learn_compare(const tacho_arch *const arch[2], const loop_list *loops, learn_known *known,
                  learn_vote *out, tacho_error *err)
{
    enum {
        STEP = 7919, /* a prime: loops of all kinds come early */
        ENOUGH = 200,
        MOST_LOOKED = 6000
    };
    tacho_predictor *p = tacho_predictor_new();
    int failed = p ? 0 : tacho_no_memory(err);
    *out = (learn_vote){0};
    for (size_t n = 0; n < loops->count && n < MOST_LOOKED && out->count < ENOUGH && !failed; n++) {
        const size_t i = loops->count % STEP ? n * STEP % loops->count : n;
        const subject_loop *loop = &loops->items[i];
        double cycles[2];
        if (loop->status != TACHO_MEASURED_OK || !(loop->cycles > 0))
            continue;
        failed = predict_first(p, arch[0], loop, i, known, &cycles[0], err);
        if (!failed)
            failed = subject_predict(p, arch[1], loop, false, &cycles[1], err);
        const bool both = !isnan(cycles[0]) && !isnan(cycles[1]);
        if (failed || (both && !(fabs(cycles[0] - cycles[1]) > LEAST_ERROR * loop->cycles)) ||
            (isnan(cycles[0]) && isnan(cycles[1])))
            continue;
        for (unsigned k = 0; k < 2; k++) {
            const learn_block b = {.loop = *loop, .predicted = cycles[k]};
            out->errors[k] += learn_block_error(&b);
        }
        out->count++;
    }
    for (unsigned k = 0; k < 2 && out->count; k++)
        out->errors[k] /= (double)out->count;
    tacho_predictor_free(p);
    return failed;
}

bool learn_is_nearer(const learn_vote *v)
{
    return v->errors[0] - v->errors[1] > fmax(LEAST_ERROR, LEAST_SHARE * v->errors[0]);
}

int learning_adopt(learning *l, const char *row, unsigned source, bool *better, tacho_error *err)
{
    learn_vote vote = {0};
    tacho_arch *without = NULL, *with = NULL;
    *better = false;
    int failed = load_with(l, NULL, source, &without, err);
    if (!failed)
        failed = load_with(l, row, source, &with, err);
    if (!failed)
        failed = learn_compare((const tacho_arch *const[2]){without, with}, subject_recorded(l->own), NULL,
                               &vote, err);
    tacho_arch_free(without);
    tacho_arch_free(with);
    *better = !failed && learn_is_nearer(&vote);
    return failed == TACHO_ERR_INPUT ? 0 : failed; /* it names what the core has not */
}
