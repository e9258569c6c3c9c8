/* explain.c - tacho_explain: simulates the what-ifs and the variants that each kind of advice proposes, and
 * keeps what is faster. */

#include "base/mem.h"
#include "base/number.h"
#include "base/options_take.h"
#include "base/str.h"
#include "model/explain/explain_internal.h"

/* In the order in which they are tried; of two with the same gain the first comes first. */
static const advice_kind *const kinds[] = {
    &explain_advance,
    &explain_false_dependency,
    &explain_partial_register,
    &explain_accumulators,
    &explain_narrow_division,
    &explain_alignment,
    &explain_jcc_erratum,
    &explain_lcp,
    &explain_macro_fusion,
    &explain_unlamination,
    &explain_high8_merge,
    &explain_move_elimination,
    &explain_dsb_capacity,
    &explain_lsd_capacity,
    &explain_memory_to_register,
    &explain_unroll,
};
enum {
    KINDS = sizeof kinds / sizeof *kinds
};

struct tacho_explainer {
    arena memory;
    tacho_predictor *predictor;
    tacho_explanation result;
    tacho_advice advice[KINDS];
    variant_list variants;
};

tacho_explainer *tacho_explainer_new(void)
{
    tacho_explainer *e = tacho_mem_zalloc(1, sizeof *e);
    if (e && !(e->predictor = tacho_predictor_new())) {
        tacho_explainer_free(e);
        return NULL;
    }
    return e;
}

void tacho_explainer_free(tacho_explainer *e)
{
    if (!e)
        return;
    arena_free(&e->memory);
    tacho_predictor_free(e->predictor);
    tacho_mem_free(e);
}

tacho_predictor *tacho_explainer_predictor(tacho_explainer *e)
{
    return e->predictor;
}

double explain_gain(const subject *s, tacho_what what)
{
    double best = 0;
    for (size_t i = 0; i < s->what_if_count; i++)
        if (s->what_ifs[i].what == what && s->what_ifs[i].also == TACHO_WHAT_COUNT &&
            s->what_ifs[i].gain > best)
            best = s->what_ifs[i].gain;
    return best;
}

/* A result that is this much faster is one. */
static bool is_gain(double before, double after, bool exact)
{
    return before > 0 && 1 - after / before >= (exact ? 0.01 : 0.02);
}

/* Returns TACHO_ERR_MEMORY or 0; a variant that cannot be simulated has no cycles. Code in pieces, or with
 * skipped instructions, is not changed: it is not known where changed pieces would lie, or what the skipped
 * instructions do. */
static int simulate(tacho_explainer *e, const subject *s, variant *v)
{
    const tacho_prediction *p;
    v->cycles = NAN;
    v->num = v->den = 0;
    if (s->fixed_code && v->code != s->code)
        return 0;
    e->result.simulations++;
    int rc = tacho_predict(e->predictor, v->arch, v->code, v->size, &v->options, &p, NULL);
    if (rc)
        return rc == TACHO_ERR_MEMORY ? rc : 0;
    v->cycles = p->cycles / v->iterations;
    if (!p->cycles_den)
        return 0;
    int64_t den = p->cycles_den * v->iterations, g = greatest_common_divisor(p->cycles_num, den);
    v->num = p->cycles_num / g;
    v->den = den / g;
    return 0;
}

/* Simulates the what-ifs from number `from` on; those that cannot be are left out. */
static int run_list(tacho_explainer *e, const subject *s, what_if_list *list, size_t from)
{
    size_t kept = from;
    for (size_t i = from; i < list->count; i++) {
        variant *v = &list->variants[i];
        if (simulate(e, s, v))
            return TACHO_ERR_MEMORY;
        if (isnan(v->cycles))
            continue;
        tacho_what_if *w = &list->items[kept];
        *w = list->items[i];
        w->cycles = v->cycles;
        w->cycles_num = v->num;
        w->cycles_den = v->den;
        w->gain = 1 - v->cycles / s->p->cycles;
        list->variants[kept++] = *v;
    }
    list->count = kept;
    return 0;
}

static bool any_gain(const what_if_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].gain >= 0.01)
            return true;
    return false;
}

/* One part at a time; where that does not help, pairs of parts. */
static int run_what_ifs(tacho_explainer *e, subject *s)
{
    what_if_list list;
    explain_find_what_ifs(s, &list);
    if (s->failed || run_list(e, s, &list, 0))
        return TACHO_ERR_MEMORY;
    if (!any_gain(&list)) {
        size_t singles = list.count;
        explain_find_pairs(s, &list);
        if (s->failed || run_list(e, s, &list, singles))
            return TACHO_ERR_MEMORY;
    }
    s->what_ifs = e->result.what_ifs = list.items;
    s->what_if_count = e->result.what_if_count = list.count;
    return 0;
}

static bool is_better(const subject *s, const advice_kind *kind, const variant *v, const variant *best)
{
    bool exact = v->den && s->p->cycles_den;
    if (isnan(v->cycles) || !is_gain(s->p->cycles, v->cycles, exact))
        return false;
    return !best || (is_gain(best->cycles, v->cycles, exact && best->den) &&
                     1 - v->cycles / best->cycles >= kind->step);
}

static int keep_advice(tacho_explainer *e, subject *s, const advice_kind *kind, const variant *best)
{
    char what[512], text[640], insns[EXPLAIN_INSNS_TEXT], before[TACHO_NUMBER_SIZE], after[TACHO_NUMBER_SIZE];
    if (kind->say)
        kind->say(s, best, what, sizeof what);
    else
        snprintf(what, sizeof what, "%s%s%s", kind->words[0], explain_insns_text(best, insns, sizeof insns),
                 kind->words[1]);
    tacho_format_number(before, s->p->cycles, TACHO_DECIMALS);
    tacho_format_number(after, best->cycles, TACHO_DECIMALS);
    snprintf(text, sizeof text, "%s: %s cycle%s instead of %s", what, after, strcmp(after, "1") ? "s" : "",
             before);
    const char *copy = arena_text(s->memory, text);
    if (!copy)
        return TACHO_ERR_MEMORY;
    e->advice[e->result.advice_count++] = (tacho_advice){.kind = kind->name,
                                                         .instructions = best->insns,
                                                         .instruction_count = best->insn_count,
                                                         .cycles_before = s->p->cycles,
                                                         .cycles_after = best->cycles,
                                                         .after_num = best->num,
                                                         .after_den = best->den,
                                                         .text = copy};
    return 0;
}

static int run_kind(tacho_explainer *e, subject *s, const advice_kind *kind)
{
    if (kind->requires != TACHO_WHAT_COUNT && explain_gain(s, kind->requires) < 0.01)
        return 0;
    const variant *best = NULL;
    e->variants.count = 0;
    if (kind->find)
        kind->find(s, &e->variants);
    else
        explain_rewrites(s, &e->variants, kind->wanted, kind->rewrite);
    for (uint32_t i = 0; i < e->variants.count && !s->failed; i++) {
        if (simulate(e, s, &e->variants.items[i]))
            return TACHO_ERR_MEMORY;
        if (is_better(s, kind, &e->variants.items[i], best))
            best = &e->variants.items[i];
    }
    if (s->failed)
        return TACHO_ERR_MEMORY;
    return best ? keep_advice(e, s, kind, best) : 0;
}

/* Insertion sort: few, and equal ones stay in order. */
static void sort_advice(tacho_advice *a, size_t count)
{
    for (size_t i = 1; i < count; i++)
        for (size_t k = i; k > 0 && a[k].cycles_after < a[k - 1].cycles_after; k--) {
            tacho_advice t = a[k];
            a[k] = a[k - 1];
            a[k - 1] = t;
        }
}

static size_t bytes_of(const tacho_prediction *p)
{
    size_t bytes = 0;
    for (size_t i = 0; i < p->instruction_count; i++)
        bytes += p->instructions[i]->insn->length;
    return bytes;
}

static int check(const tacho_prediction *p, const uint8_t *code, size_t size, const tacho_predict_options *o,
                 tacho_error *err)
{
    bool same = p->instruction_count > 0 && !p->bounds_only;
    for (size_t i = 0; i < p->instruction_count && same; i++) {
        const tacho_insn_report *r = p->instructions[i];
        same = r->code_offset + r->insn->length <= size &&
               !memcmp(code + r->code_offset, r->insn->bytes, r->insn->length);
    }
    if (!same)
        return tacho_error_set(
            err, TACHO_ERR_USAGE,
            "only a simulated prediction, with details, of the same code can be explained");
    return 0;
}

int tacho_explain(tacho_explainer *e, const tacho_prediction *prediction, const uint8_t *code, size_t size,
                  const tacho_predict_options *options, const tacho_explanation **out, tacho_error *err)
{
    *out = NULL;
    subject s = {.p = prediction, .code = code, .size = size};
    int rc = OPTIONS_TAKE(predict, &s.options, options, err);
    if (rc || (rc = check(prediction, code, size, &s.options, err)))
        return rc;
    arena_reset(&e->memory);
    s.memory = &e->memory;
    s.options.details = s.options.bounds = false;
    s.options.mode = prediction->mode;
    s.options.trace = NULL;
    s.options.run_iterations = 0;
    if (s.options.piece_count == 1) /* the same as no pieces */
        s.options.piece_count = 0;
    s.fixed_code = s.options.piece_count || bytes_of(prediction) != size;
    if (!s.options.piece_count)
        s.options.pieces = NULL;
    e->result = (tacho_explanation){.advice = e->advice};
    rc = run_what_ifs(e, &s);
    for (size_t k = 0; k < KINDS && !rc; k++)
        rc = run_kind(e, &s, kinds[k]);
    if (rc)
        return tacho_error_set(err, rc, "out of memory");
    sort_advice(e->advice, e->result.advice_count);
    *out = &e->result;
    return 0;
}

const char *tacho_advice_kind(size_t i)
{
    return i < KINDS ? kinds[i]->name : NULL;
}
