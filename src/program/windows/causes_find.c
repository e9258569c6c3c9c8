/* causes_find.c - how often what was seen of steps happened to each instruction. */
#include "base/mem.h"
#include "base/number.h"
#include "program/windows/causes_internal.h"

/* ---- intervals ---- */

/* Wilson's interval of a share. Executions of one window resemble each other, so they count for as many
 * independent ones as the spread between windows allows: at least as many as there are windows (L. Kish,
 * "Survey Sampling", 1965: the design effect of clusters). */
void causes_interval(const window_counts *w, size_t count, cause *out)
{
    double n = 0, hits = 0, spread = 0, windows = 0;
    for (size_t i = 0; i < count; i++) {
        n += w[i].executions;
        hits += w[i].times;
        windows += w[i].executions > 0;
    }
    out->executions = (uint64_t)n;
    out->times = (uint64_t)llround(hits);
    out->windows = (uint64_t)windows;
    out->share = out->low = out->high = NAN;
    if (n <= 0)
        return;
    double p = hits / n;
    for (size_t i = 0; i < count; i++)
        spread += (w[i].times - p * w[i].executions) * (w[i].times - p * w[i].executions);
    double independent =
        spread > 0 && windows > 1 ? p * (1 - p) * n * n / (spread * windows / (windows - 1)) : windows;
    independent = fmax(fmin(independent, n), fmin(windows, n));
    out->share = p;
    share_interval(p, independent, &out->low, &out->high);
}

void causes_count(const site_steps *s, unsigned counted, unsigned hits, cause *out)
{
    window_counts *w = tacho_mem_zalloc(s->count + 1, sizeof *w);
    size_t windows = 0;
    uint32_t last = CAUSES_NONE;
    if (!w) {
        s->c->failed = true;
        return;
    }
    for (size_t i = 0; i < s->count; i++) {
        uint32_t window = s->window_of[s->order[i]];
        unsigned seen = s->c->steps[s->order[i]].seen;
        if (counted && !(seen & counted))
            continue;
        windows += window != last;
        last = window;
        w[windows - 1].executions++;
        w[windows - 1].times += (seen & hits) != 0;
    }
    causes_interval(w, windows, out);
    tacho_mem_free(w);
}

/* ---- one instruction ---- */

/* Of the steps with this, the site of the other instruction that it was most often. */
static uint32_t usual_other(const site_steps *s, unsigned bit)
{
    uint32_t usual = CAUSES_NONE;
    size_t lead = 0;
    for (size_t i = 0; i < s->count; i++) {
        const logged_step *l = &s->c->steps[s->order[i]];
        if (!(l->seen & bit))
            continue;
        if (!lead)
            usual = l->other;
        lead += l->other == usual ? 1 : (size_t)-1;
    }
    return usual;
}

static bool find_of_site(const site_steps *s)
{
    static const struct {
        cause_kind kind;
        unsigned counted, hits;
        bool store, pair;
    } rows[] = {{CAUSE_SUBNORMAL, SEEN_VALUES, SEEN_SUBNORMAL, false, false},
                {CAUSE_LINE_CROSSING, 0, SEEN_LINE_LOAD, false, false},
                {CAUSE_LINE_CROSSING, 0, SEEN_LINE_STORE, true, false},
                {CAUSE_PAGE_CROSSING, 0, SEEN_PAGE_LOAD, false, false},
                {CAUSE_PAGE_CROSSING, 0, SEEN_PAGE_STORE, true, false},
                {CAUSE_FORWARDING, 0, SEEN_BLOCKED, false, true},
                {CAUSE_ALIAS_4K, 0, SEEN_ALIASED, false, true}};
    unsigned all = 0;
    size_t dependent = 0;
    for (size_t i = 0; i < s->count; i++) {
        all |= s->c->steps[s->order[i]].seen;
        dependent += (s->c->steps[s->order[i]].seen & SEEN_DEPENDENT) != 0;
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!(all & rows[i].hits))
            continue;
        cause one = {.kind = rows[i].kind, .site = s->site, .is_store = rows[i].store};
        one.dependent = !rows[i].store && 2 * dependent > s->count;
        one.other = rows[i].pair ? usual_other(s, rows[i].hits) : CAUSES_NONE;
        causes_count(s, rows[i].counted, rows[i].hits, &one);
        if (s->c->failed || !causes_add(s->c, &one))
            return false;
    }
    return true;
}

/* ---- all ---- */

static bool find_by_sites(causes *c, const uint32_t *window_of)
{
    uint32_t *from = tacho_mem_zalloc(c->site_count + 2, sizeof *from);
    uint32_t *order = tacho_mem_zalloc(c->step_count + 1, sizeof *order);
    bool good = from && order;
    for (size_t i = 0; good && i < c->step_count; i++)
        from[c->steps[i].site + 2]++;
    for (size_t i = 2; good && i < c->site_count + 2; i++)
        from[i] += from[i - 1];
    for (size_t i = 0; good && i < c->step_count; i++)
        order[from[c->steps[i].site + 1]++] = (uint32_t)i;
    for (uint32_t site = 0; good && site < c->site_count; site++) {
        site_steps s = {c, site, order + from[site], from[site + 1] - from[site], window_of};
        good = find_of_site(&s) && causes_find_reach(&s);
    }
    TACHO_MEM_FREE(from, order);
    return good;
}

static int by_site(const void *a_, const void *b_)
{
    const cause *a = a_, *b = b_;
    return ORDER(a->site, b->site) ?: ORDER(a->kind, b->kind) ?: ORDER(a->is_store, b->is_store);
}

size_t causes_find(causes *c, const cause **out)
{
    *out = c->list;
    if (c->found)
        return c->count;
    c->found = true;
    uint32_t *window_of = tacho_mem_zalloc(c->step_count + 1, sizeof *window_of);
    for (size_t w = 0; window_of && w < c->window_count; w++)
        for (size_t i = 0; i < c->windows[w].count; i++)
            window_of[c->windows[w].first + i] = (uint32_t)w;
    if (!window_of || !causes_mark_new_lines(c) || !find_by_sites(c, window_of) ||
        !causes_find_branches(c, window_of) || !causes_find_shared(c, window_of)) {
        c->failed = true;
        c->count = 0;
    }
    tacho_mem_free(window_of);
    tacho_sort(c->list, c->count, sizeof *c->list, by_site);
    *out = c->list;
    return c->count;
}
