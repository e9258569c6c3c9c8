/* learn_adopt.c - whether a row that was learnt is taken: where learning starts from a core, a form may take
 * longer or shorter in some loops for reasons that its row has nothing to do with. The row is taken if with
 * it the simulator comes nearer to what was measured, over the loops of the form to which it makes a
 * difference. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "study/learn/learn_internal.h"

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

/* Mean errors of both over the loops that the row makes a difference to: what else is wrong of the others,
 * such as rows of the instructions that block ports, says nothing of it. */
static int mean_errors(learning *l, const tacho_arch *const arch[2], double out[2], tacho_error *err)
{
    size_t count, differ = 0;
    const subject_loop *loops = subject_recorded(l->own, &count);
    tacho_predictor *p = tacho_predictor_new();
    int failed = p ? 0 : tacho_no_memory(err);
    out[0] = out[1] = 0;
    for (size_t i = 0; i < count && !failed; i++) {
        double cycles[2];
        if (loops[i].status != TACHO_MEASURED_OK || !(loops[i].cycles > 0))
            continue;
        for (unsigned k = 0; k < 2 && !failed; k++)
            failed = subject_predict(p, arch[k], &loops[i], false, &cycles[k], err);
        if (failed || !(fabs(cycles[0] - cycles[1]) > LEAST_ERROR * loops[i].cycles))
            continue;
        for (unsigned k = 0; k < 2; k++)
            out[k] += fabs(cycles[k] - loops[i].cycles) / loops[i].cycles;
        differ++;
    }
    for (unsigned k = 0; k < 2 && differ; k++)
        out[k] /= (double)differ;
    tacho_predictor_free(p);
    return failed;
}

int learning_adopt(learning *l, const char *row, unsigned source, bool *better, tacho_error *err)
{
    double errors[2] = {0, 0};
    tacho_arch *without = NULL, *with = NULL;
    *better = false;
    int failed = load_with(l, NULL, source, &without, err);
    if (!failed)
        failed = load_with(l, row, source, &with, err);
    if (!failed)
        failed = mean_errors(l, (const tacho_arch *const[2]){without, with}, errors, err);
    tacho_arch_free(without);
    tacho_arch_free(with);
    *better = !failed && errors[0] - errors[1] > fmax(LEAST_ERROR, LEAST_SHARE * errors[0]);
    return failed == TACHO_ERR_INPUT ? 0 : failed; /* it names what the core has not */
}
