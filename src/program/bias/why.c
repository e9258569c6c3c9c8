/* why.c - what is different between a slow and a fast layout: windows of the program in both, and the cause
 * that explains most.
 *
 * What a difference may cost is only used to choose among causes: a load that is held up by a store waits for
 * about as long as a load takes; one that crosses a line is done twice; one that crosses a page takes tens of
 * cycles on older cores; a line that the first-level cache has thrown out comes from the second level, a
 * translation from the second level of the TLB. */

#include "base/search.h"
#include "base/str.h"
#include "model/predict/bound_words.h"
#include "program/bias/window.h"

enum {
    MOST_PAIRS = 16,
    LINE = 64,
    FEWEST_WINDOWS = 3, /* in which a pair must have been seen; a rarer one is no part of the hot code */
    FEWEST_INSNS = 1000
};

/* Differences below these, in 1,000 instructions and relative to the fast layout, are none. */
static const double least_difference = 2, least_factor = 1.5;
static const double alias_cycles = 5, line_cycles = 1, page_cycles = 20, set_cycles = 10, tlb_cycles = 7;

typedef struct comparison {
    bias *b;
    locator *l;
    observation slow, fast;
    tacho_bias_factor *out;
} comparison;

static double per_1000(uint64_t count, const observation *o)
{
    return o->executed ? 1000.0 * (double)count / (double)o->executed : NAN;
}

static bool differ(double slow, double fast)
{
    return slow - fast >= least_difference && slow >= least_factor * fast;
}

/* ---- pairs ---- */

static bool same_place(const tacho_bias_insn *a, const tacho_bias_insn *b)
{
    if (a->symbol && b->symbol)
        return !strcmp(a->symbol, b->symbol) && a->offset == b->offset;
    return tacho_same_text(a->object, b->object) && a->address == b->address;
}

/* The same two instructions in the fast layout. */
static int find_in_fast(comparison *c, tacho_bias_pair *p)
{
    for (size_t i = 0; i < c->fast.pair_count; i++) {
        tacho_bias_insn store, load;
        const seen_pair *f = &c->fast.pairs[i];
        int rc = locate_insn(c->l, &c->fast, f->store, &store);
        rc = rc ? rc : locate_insn(c->l, &c->fast, f->load, &load);
        if (rc)
            return rc;
        if (same_place(&store, &p->store) && same_place(&load, &p->load))
            p->fast += per_1000(f->count, &c->fast);
    }
    return 0;
}

static int by_difference(const void *a, const void *b)
{
    const tacho_bias_pair *x = a, *y = b;
    double p = x->slow - x->fast, q = y->slow - y->fast;
    return ORDER(q, p);
}

ORDER_BY_FALLING(by_count, seen_pair, count);

static int find_pairs(comparison *c)
{
    tacho_bias_why *w = &c->out->why;
    tacho_bias_pair *list = bias_alloc(c->b, MOST_PAIRS * sizeof *list);
    if (!list)
        return TACHO_ERR_MEMORY;
    tacho_sort(c->slow.pairs, c->slow.pair_count, sizeof *c->slow.pairs, by_count);
    uint32_t n = 0;
    for (size_t i = 0; i < c->slow.pair_count && n < MOST_PAIRS; i++) {
        const seen_pair *s = &c->slow.pairs[i];
        tacho_bias_pair *p = &list[n];
        if (s->windows < FEWEST_WINDOWS)
            continue;
        *p = (tacho_bias_pair){.store_address = s->store_address,
                               .load_address = s->load_address,
                               .slow = per_1000(s->count, &c->slow)};
        int rc = locate_insn(c->l, &c->slow, s->store, &p->store);
        rc = rc ? rc : locate_insn(c->l, &c->slow, s->load, &p->load);
        rc = rc ? rc : find_in_fast(c, p);
        if (rc)
            return rc;
        n += differ(p->slow, p->fast);
    }
    tacho_sort(list, n, sizeof *list, by_difference);
    w->pairs = list;
    w->pair_count = n;
    return 0;
}

/* ---- the hottest loop ---- */

static const seen_insn *hottest_loop(const observation *o)
{
    const seen_insn *best = NULL;
    for (size_t i = 0; i < o->insn_count; i++)
        if (o->insns[i].loop_count > (best ? best->loop_count : 0))
            best = &o->insns[i];
    return best;
}

/* Its code, where all of it was seen and it is one straight piece. @return bytes, 0: it is not */
static size_t loop_code(const observation *o, const seen_insn *end, uint8_t *out, size_t most)
{
    size_t n = 0;
    uint64_t at = end->loop_start;
    for (size_t i = 0; i < o->insn_count && at <= end->address; i++) {
        const seen_insn *s = &o->insns[i];
        if (s->address < at)
            continue;
        if (s->address != at || !s->insn || s->insn->is_call || s->insn->is_ret || n + s->insn->length > most)
            return 0;
        memcpy(out + n, s->insn->bytes, s->insn->length);
        n += s->insn->length;
        at += s->insn->length;
    }
    return at == end->address + end->insn->length ? n : 0;
}

/* "DSB, ports; µops from the DSB (µop cache)". */
static const char *limit_of(comparison *c, const tacho_prediction *p)
{
    char names[120];
    bool erratum = false;
    for (size_t i = 0; i < p->instruction_count; i++)
        erratum |= p->instructions[i]->notes & TACHO_NOTE_JCC_ERRATUM;
    tacho_bottleneck_words(p->arch, p->bottlenecks, names, sizeof names);
    return bias_text(c->b, "%s%sµops from %s%s", names, *names ? "; " : "",
                     tacho_uop_source_words(p->arch, p->source), erratum ? "; JCC erratum" : "");
}

/* @return cycles, NaN: not known */
static double predict(comparison *c, tacho_predictor *p, const tacho_arch *arch,
                      const tacho_predict_options *options, const uint8_t *code, size_t size,
                      const char **limit)
{
    const tacho_prediction *result;
    tacho_error unwanted;
    if (tacho_predict(p, arch, code, size, options, &result, &unwanted))
        return NAN;
    *limit = limit_of(c, result);
    return result->cycles;
}

/* By the model of this machine, whose processor has executed the code whatever is known of it, or of another
 * one, which is said. */
static void predict_both(comparison *c, const uint8_t *code, size_t size)
{
    tacho_bias_why *w = &c->out->why;
    tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
    tacho_error unwanted;
    const tacho_arch *arch = tacho_arch_find("native", &unwanted);
    o.ignore_isa = arch;
    arch = arch ? arch : tacho_arch_find("SKL", &unwanted);
    tacho_predictor *p = arch ? tacho_predictor_new() : NULL;
    if (!p)
        return;
    o.alignment = w->hot_slow;
    w->predicted_slow = predict(c, p, arch, &o, code, size, &w->limit_slow);
    o.alignment = w->hot_fast;
    w->predicted_fast = predict(c, p, arch, &o, code, size, &w->limit_fast);
    w->predicted_arch = isnan(w->predicted_slow) || isnan(w->predicted_fast) ? NULL : tacho_arch_name(arch);
    tacho_predictor_free(p);
}

static int find_hot(comparison *c)
{
    enum {
        MOST_CODE = 4096
    };
    tacho_bias_why *w = &c->out->why;
    const seen_insn *slow = hottest_loop(&c->slow), *fast = hottest_loop(&c->fast);
    tacho_bias_insn other = {0};
    w->hot_slow = w->hot_fast = LINE;
    w->predicted_slow = w->predicted_fast = NAN;
    if (!slow)
        return 0;
    int rc = locate_insn(c->l, &c->slow, slow->loop_start, &w->hot);
    if (!rc && fast)
        rc = locate_insn(c->l, &c->fast, fast->loop_start, &other);
    if (rc)
        return rc;
    w->hot_bytes = (uint32_t)(slow->address + slow->insn->length - slow->loop_start);
    w->hot_slow = slow->loop_start % LINE;
    bool linked = c->out->kind == TACHO_BIAS_LINK_ORDER || c->out->kind == TACHO_BIAS_CODE;
    bool same = fast && (same_place(&w->hot, &other) ||
                         (linked && w->hot.symbol && other.symbol && !strcmp(w->hot.symbol, other.symbol)));
    w->hot_fast = same ? fast->loop_start % LINE : LINE;
    uint8_t *code = same && w->hot_fast != w->hot_slow ? bias_alloc(c->b, MOST_CODE) : NULL;
    size_t size = code ? loop_code(&c->slow, slow, code, MOST_CODE) : 0;
    if (size)
        predict_both(c, code, size);
    return c->b->err->code == TACHO_ERR_MEMORY ? TACHO_ERR_MEMORY : 0;
}

/* ---- the cause ---- */

static uint32_t lines_of(const tacho_bias_why *w, uint32_t at)
{
    return (at + w->hot_bytes + LINE - 1) / LINE;
}

/* What the addresses show; of equal ones the first. */
static tacho_bias_cause choose_by_addresses(const tacho_bias_why *w)
{
    const struct {
        tacho_bias_cause cause;
        double slow, fast, cycles;
    } list[] = {{TACHO_BIAS_ALIASING, w->pair_count ? w->aliased_slow : 0, w->aliased_fast, alias_cycles},
                {TACHO_BIAS_SET_CONFLICTS, w->set_slow, w->set_fast, set_cycles},
                {TACHO_BIAS_TLB, w->tlb_slow, w->tlb_fast, tlb_cycles},
                {TACHO_BIAS_PAGE_CROSSING, w->page_slow, w->page_fast, page_cycles},
                {TACHO_BIAS_LINE_CROSSING, w->line_slow, w->line_fast, line_cycles}};
    tacho_bias_cause best = TACHO_BIAS_NO_CAUSE;
    double most = 0;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        double cost = (list[i].slow - list[i].fast) * list[i].cycles;
        if (differ(list[i].slow, list[i].fast) && cost > most) {
            most = cost;
            best = list[i].cause;
        }
    }
    return best;
}

static tacho_bias_cause choose(const comparison *c)
{
    const tacho_bias_why *w = &c->out->why;
    tacho_bias_cause by_addresses = choose_by_addresses(w);
    if (by_addresses != TACHO_BIAS_NO_CAUSE)
        return by_addresses;
    if (w->hot_bytes && w->hot_fast == LINE)
        return TACHO_BIAS_INSTRUCTIONS;
    if (w->hot_bytes && w->hot_slow != w->hot_fast &&
        (w->predicted_slow > w->predicted_fast * 1.01 || lines_of(w, w->hot_slow) > lines_of(w, w->hot_fast)))
        return TACHO_BIAS_CODE_ALIGNMENT;
    return TACHO_BIAS_UNKNOWN;
}

/* The instruction that has most of what the cause counts. */
static int find_missing(comparison *c)
{
    tacho_bias_why *w = &c->out->why;
    bool pages = c->out->cause == TACHO_BIAS_TLB;
    const seen_insn *best = NULL;
    uint64_t most = 0;
    if (!pages && c->out->cause != TACHO_BIAS_SET_CONFLICTS)
        return 0;
    for (size_t i = 0; i < c->slow.insn_count; i++) {
        const seen_insn *s = &c->slow.insns[i];
        uint64_t n = pages ? s->page_misses : s->line_misses;
        if (n > most) {
            most = n;
            best = s;
        }
    }
    w->missing_per_1000 = per_1000(most, &c->slow);
    return best ? locate_insn(c->l, &c->slow, best->address, &w->missing) : 0;
}

static const char *sentence(comparison *c)
{
    const tacho_bias_why *w = &c->out->why;
    bias *b = c->b;
    char slow[TACHO_NUMBER_SIZE], fast[TACHO_NUMBER_SIZE];
    switch (c->out->cause) {
    case TACHO_BIAS_ALIASING:
        return bias_text(
            b,
            "4K aliasing: %.1f loads in 1,000 instructions come soon after a store to another address that "
            "agrees with theirs modulo 4096, %.1f in the fast layout; processors that compare only the low "
            "12 bits delay such loads as if they read the stored value",
            w->aliased_slow, w->aliased_fast);
    case TACHO_BIAS_LINE_CROSSING:
        return bias_text(
            b,
            "accesses that cross a cache line: %.1f in 1,000 instructions, %.1f in the fast layout; each is "
            "two accesses",
            w->line_slow, w->line_fast);
    case TACHO_BIAS_PAGE_CROSSING:
        return bias_text(b, "accesses that cross a page: %.1f in 1,000 instructions, %.1f in the fast layout",
                         w->page_slow, w->page_fast);
    case TACHO_BIAS_SET_CONFLICTS:
        return bias_text(
            b,
            "conflicts in the first-level data cache: %.1f accesses in 1,000 instructions are to lines that "
            "others of their set have evicted since their last use, %.1f in the fast layout (by the "
            "addresses; %u sets of %u lines); lines with addresses that agree modulo %u share a set",
            w->set_slow, w->set_fast, w->cache_sets, w->cache_ways, w->cache_sets * LINE);
    case TACHO_BIAS_TLB:
        return bias_text(b,
                         "TLB misses: %.1f accesses in 1,000 instructions are to pages that others have "
                         "evicted from the first-level data TLB since their last use, %.1f in the fast "
                         "layout (by the addresses; %u entries, %u ways)",
                         w->tlb_slow, w->tlb_fast, w->tlb_sets * w->tlb_ways, w->tlb_ways);
    case TACHO_BIAS_CODE_ALIGNMENT:
        if (w->predicted_arch)
            return bias_text(b,
                             "the place of the hot loop (%u bytes): it begins %u bytes after a 64-byte "
                             "boundary, in the fast layout %u; for these two places the model of %s predicts "
                             "%s cycles an iteration (limited by: %s) and %s (%s)",
                             w->hot_bytes, w->hot_slow, w->hot_fast, w->predicted_arch,
                             tacho_format_number(slow, w->predicted_slow, TACHO_DECIMALS), w->limit_slow,
                             tacho_format_number(fast, w->predicted_fast, TACHO_DECIMALS), w->limit_fast);
        return bias_text(b,
                         "the place of the hot loop (%u bytes): %u bytes after a 64-byte boundary it lies in "
                         "%u lines; in the fast layout, %u bytes after one, in %u",
                         w->hot_bytes, w->hot_slow, lines_of(w, w->hot_slow), w->hot_fast,
                         lines_of(w, w->hot_fast));
    case TACHO_BIAS_INSTRUCTIONS:
        return bias_text(
            b, "other code is executed: the hottest loop of the slow layout does not run in the fast one");
    default:
        return bias_text(
            b,
            "not found: in %llu and %llu executed instructions of the two layouts neither aliasing, nor "
            "crossed lines and pages, nor conflicts in cache and TLB, nor the place of the hot code differ "
            "enough",
            (unsigned long long)w->insns_slow, (unsigned long long)w->insns_fast);
    }
}

/* Both layouts are of one processor. */
static void fill_in_caches(comparison *c)
{
    tacho_bias_why *w = &c->out->why;
    w->cache_sets = c->slow.line_sets;
    w->cache_ways = c->slow.line_ways;
    w->tlb_sets = c->slow.page_sets;
    w->tlb_ways = c->slow.page_ways;
    w->set_slow = w->cache_sets ? per_1000(c->slow.line_misses, &c->slow) : NAN;
    w->set_fast = w->cache_sets ? per_1000(c->fast.line_misses, &c->fast) : NAN;
    w->tlb_slow = w->tlb_sets ? per_1000(c->slow.page_misses, &c->slow) : NAN;
    w->tlb_fast = w->tlb_sets ? per_1000(c->fast.page_misses, &c->fast) : NAN;
}

static int conclude(comparison *c)
{
    tacho_bias_why *w = &c->out->why;
    w->looked = true;
    w->insns_slow = c->slow.executed;
    w->insns_fast = c->fast.executed;
    w->aliased_slow = per_1000(c->slow.aliased, &c->slow);
    w->aliased_fast = per_1000(c->fast.aliased, &c->fast);
    w->line_slow = per_1000(c->slow.line_crossings, &c->slow);
    w->line_fast = per_1000(c->fast.line_crossings, &c->fast);
    w->page_slow = per_1000(c->slow.page_crossings, &c->slow);
    w->page_fast = per_1000(c->fast.page_crossings, &c->fast);
    fill_in_caches(c);
    w->predicted_slow = w->predicted_fast = NAN;
    if (w->insns_slow < FEWEST_INSNS || w->insns_fast < FEWEST_INSNS) {
        c->out->cause = TACHO_BIAS_UNKNOWN;
        w->sentence = bias_text(
            c->b, "too little of the program could be seen while it ran: it is too short, or waits");
        return w->sentence ? 0 : TACHO_ERR_MEMORY;
    }
    int rc = find_pairs(c);
    rc = rc ? rc : find_hot(c);
    c->out->cause = choose(c);
    rc = rc ? rc : find_missing(c);
    w->sentence = sentence(c);
    return rc ? rc : w->sentence ? 0 : TACHO_ERR_MEMORY;
}

static int look_into(bias *b, bias_series *s)
{
    comparison c = {.b = b, .l = locate_start(b), .out = s->out};
    int rc = c.l ? 0 : TACHO_ERR_MEMORY;
    bias_begin(b, s->kind, TACHO_BIAS_EXPLAINING, 2);
    if (!rc && bias_next(b))
        rc = window_observe(b, s->slow_side, &c.slow);
    if (!rc && bias_next(b))
        rc = window_observe(b, &s->places[s->out->fast], &c.fast);
    if (!rc && !b->stopped)
        rc = conclude(&c);
    locate_end(c.l);
    observation_free(&c.slow);
    observation_free(&c.fast);
    return rc;
}

int why_find(bias *b, bias_series *s)
{
    int rc = counted_find(b, s);
    return rc || s->out->cause != TACHO_BIAS_NO_CAUSE ? rc : look_into(b, s);
}
