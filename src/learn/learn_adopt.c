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

/* The core with the parameters that were found, and the row, if there is one; NULL: it failed, or the row
 * names what the core has not. */
static tacho_arch *load_with(learning *l, const char *row, unsigned source)
{
    tacho_str text = {0};
    tacho_arch *out = NULL;
    const char *line = learn_source_line(source);
    tacho_str_printf(&text, "inherit %s\nname %s\n", tacho_arch_name(l->from), l->name);
    learning_put_parameters(&text, l);
    if (row)
        tacho_str_printf(&text, "[insns]\n%s\n%s\n", line ? line : "", row);
    learning_put_sources(&text, l);
    int failed =
        text.failed ? tacho_no_memory(l->err) : tacho_arch_load(&out, text.data, text.length, NULL, l->err);
    tacho_str_free(&text);
    if (!l->failed)
        l->failed = failed == TACHO_ERR_INPUT ? 0 : failed;
    return failed ? NULL : out;
}

static double predict_first(learning *l, const tacho_arch *arch, const subject_loop *loop, size_t number,
                            learn_known *known)
{
    if (!known)
        return learning_cycles(l, arch, loop);
    if (tacho_mem_grow(&known->cycles, &known->capacity, number + 1, sizeof *known->cycles)) {
        l->failed = tacho_no_memory(l->err);
        return NAN;
    }
    for (; known->count <= number; known->count++)
        known->cycles[known->count] = -1;
    if (known->cycles[number] < 0)
        known->cycles[number] = learning_cycles(l, arch, loop);
    return known->cycles[number];
}

learn_vote learn_compare(learning *l, const tacho_arch *const arch[2], const loop_list *loops,
                         learn_known *known)
{
    enum {
        STEP = 7919, /* a prime: loops of all kinds come early */
        ENOUGH = 200,
        MOST_LOOKED = 6000
    };
    learn_vote out = {0};
    for (size_t n = 0; n < loops->count && n < MOST_LOOKED && out.count < ENOUGH && !l->failed; n++) {
        const size_t i = loops->count % STEP ? n * STEP % loops->count : n;
        const subject_loop *loop = &loops->items[i];
        if (loop->status != TACHO_MEASURED_OK || !(loop->cycles > 0))
            continue;
        const double one = predict_first(l, arch[0], loop, i, known),
                     other = learning_cycles(l, arch[1], loop);
        const bool alike = isnan(one) ? isnan(other) : fabs(one - other) <= LEAST_ERROR * loop->cycles;
        if (l->failed || alike)
            continue;
        out.errors[0] += learn_error(loop, one);
        out.errors[1] += learn_error(loop, other);
        out.count++;
    }
    for (unsigned k = 0; k < 2 && out.count; k++)
        out.errors[k] /= (double)out.count;
    return out;
}

bool learn_is_nearer(const learn_vote *v)
{
    return v->errors[0] - v->errors[1] > fmax(LEAST_ERROR, LEAST_SHARE * v->errors[0]);
}

bool learning_adopt(learning *l, const char *row, unsigned source)
{
    tacho_arch *const both[2] = {load_with(l, NULL, source), load_with(l, row, source)};
    learn_vote vote = {0};
    if (both[0] && both[1])
        vote = learn_compare(l, (const tacho_arch *const *)both, &l->own->records, NULL);
    tacho_arch_free(both[0]);
    tacho_arch_free(both[1]);
    return !l->failed && learn_is_nearer(&vote);
}
