/* many_ranks.c - the place of each command among all: between those that all commands surely worse and all
 * surely better leave it. "Surely" is what it is in a verdict, an interval and a rank test that agree, here
 * of each pair and corrected for all pairs, so that all places hold at once (M. Mogstad, J. Romano, A.
 * Shaikh, D. Wilhelm, "Inference for Ranks", 2024). */
#include <math.h>

#include "base/mem.h"
#include "base/numbers.h"
#include "study/compare/many_internal.h"

/* All pairs of commands, and the p-values of their tests: 1 where nothing can be said. */
typedef struct pairs {
    size_t count;
    many_contrast *list;
    double *p;
    bool *apart; /* the interval says so, too; or they are far apart */
} pairs;

static int weigh(const many *m, const tacho_judge_options *o, double critical, uint32_t units_needed,
                 pairs *all, size_t i, tacho_error *err)
{
    const many_contrast *c = &all->list[i];
    tacho_judge_options each = *o;
    judging j;
    separation s;
    each.confidence = many_confidence(o, all->count);
    int rc = many_pair(m, c->a, c->b, &j, err);
    if (rc)
        return rc;
    if (isnan(c->log_ratio)) {
        ;
    } else if (j.units >= units_needed) {
        all->apart[i] = fabs(c->log_ratio) > critical * c->error;
        rc = all->apart[i] && judging_rank_test(&j, &all->p[i]);
    } else if (!(rc = separation_judge(&j, &each, &s)) && s.is_clear) {
        all->apart[i] = true;
        all->p[i] = s.p;
    }
    judging_free(&j);
    return rc ? tacho_no_memory(err) : 0;
}

/* What is said of a command and the baseline in its verdict is so here, too. */
static bool differs(const tacho_judge_options *o, const pairs *all, size_t i, const tacho_many_judgement *out)
{
    const many_contrast *c = &all->list[i];
    tacho_verdict v = out->rows[c->b].verdict;
    return (all->apart[i] && all->p[i] <= 1 - o->confidence + 1e-12) ||
           (!c->a && (v == TACHO_VERDICT_FASTER || v == TACHO_VERDICT_SLOWER));
}

static void rank(const tacho_judge_options *o, const pairs *all, tacho_many_judgement *out)
{
    uint32_t better[TACHO_COMPARE_MAX_COMMANDS] = {0}, worse[TACHO_COMPARE_MAX_COMMANDS] = {0};
    for (size_t i = 0; i < all->count; i++) {
        const many_contrast *c = &all->list[i];
        if (!differs(o, all, i, out))
            continue;
        bool b_is_worse = (c->log_ratio > 0) != o->higher_is_better;
        worse[b_is_worse ? c->a : c->b]++; /* that has one more worse than itself */
        better[b_is_worse ? c->b : c->a]++;
    }
    for (size_t c = 0; c < out->count; c++) {
        out->rows[c].rank_low = better[c] + 1;
        out->rows[c].rank_high = (uint32_t)out->count - worse[c];
    }
}

static int weigh_all(const many_resampled *s, const tacho_judge_options *o, pairs *all,
                     tacho_many_judgement *out, tacho_error *err)
{
    double critical;
    size_t n = 0;
    for (uint32_t a = 0; a < s->m->commands; a++)
        for (uint32_t b = a + 1; b < s->m->commands; b++) {
            all->p[n] = 1;
            all->list[n++] = (many_contrast){.a = a, .b = b};
        }
    int rc = many_contrasts(s, o->confidence, all->list, n, &critical, err);
    for (size_t i = 0; i < n && !rc; i++)
        rc = weigh(s->m, o, critical, out->units_needed_for_ranks, all, i, err);
    if (!rc && tacho_holm(all->p, n))
        rc = tacho_no_memory(err);
    if (!rc)
        rank(o, all, out);
    return rc;
}

int many_ranks(const many_resampled *s, const tacho_judge_options *o, tacho_many_judgement *out,
               tacho_error *err)
{
    size_t n = s->m->commands * (s->m->commands - 1) / 2;
    pairs all = {.count = n,
                 .list = tacho_mem_zalloc(n, sizeof *all.list),
                 .p = tacho_mem_zalloc(n, sizeof *all.p),
                 .apart = tacho_mem_zalloc(n, sizeof *all.apart)};
    int rc = all.list && all.p && all.apart ? weigh_all(s, o, &all, out, err) : tacho_no_memory(err);
    TACHO_MEM_FREE(all.list, all.p, all.apart);
    return rc;
}
