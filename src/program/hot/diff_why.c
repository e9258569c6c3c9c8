/* diff_why.c - why a place takes another time than it did: what the model says of both versions, where the
 * two differ, and what was counted. */

#include "base/mem.h"
#include "base/search.h"
#include "base/str.h"
#include "program/hot/diff.h"
#include "x86/arch/own_words.h"
#include "x86/arch/port_digits.h"
#include "x86/decode/ops.h"

#define MUCH       0.02 /* relative differences below it are not spoken of */
#define MUCH_OFTEN 0.2  /* ... of what windows show */
enum {
    MAX_NAMES = 6 /* of mnemonics */
};

/* A change, and what is known of the first places of both sides. */
typedef struct change_view {
    const tacho_hot_change *change;
    const tacho_hot_place *a, *b; /* NULL: none */
    const tacho_prediction *pa, *pb;
    const tacho_hot_known *known[2];
    bool windows; /* were taken of both */
    const tacho_hot_pair *pairs;
    size_t pair_count;
    tacho_hot_reasons *out;
} change_view;

static void say(const change_view *v, const char *kind, const char *format, ...) TACHO_PRINTF(3, 4);
static void say(const change_view *v, const char *kind, const char *format, ...)
{
    if (v->out->count == TACHO_HOT_MAX_REASONS)
        return;
    tacho_hot_reason *r = &v->out->list[v->out->count++];
    va_list args;
    va_start(args, format);
    r->kind = kind;
    tacho_vformat_fit(r->text, sizeof r->text, format, args);
    va_end(args);
}

/* For people, as in all reports. */
typedef struct number_text {
    char text[TACHO_NUMBER_SIZE];
} number_text;
static number_text number(double value)
{
    number_text n;
    tacho_format_number(n.text, value, TACHO_DECIMALS);
    return n;
}

static bool differ(double a, double b)
{
    return fabs(b - a) > MUCH * fmax(fabs(a), fabs(b));
}

static const char *round_of(const change_view *v)
{
    return v->b->is_loop ? "iteration" : "execution";
}

/* ---- names of instructions ---- */

/* How many there are of each mnemonic, in the order of their first. */
typedef struct counted {
    uint16_t mnemonic;
    double count;
} counted;
typedef struct counts {
    counted list[MAX_NAMES];
    size_t count;
    bool more; /* that found no room */
} counts;

static void count_one(counts *c, uint16_t mnemonic, double count)
{
    size_t i = 0;
    while (i < c->count && c->list[i].mnemonic != mnemonic)
        i++;
    c->more |= i == MAX_NAMES;
    if (i == MAX_NAMES)
        return;
    c->count = i == c->count ? i + 1 : c->count;
    c->list[i].mnemonic = mnemonic;
    c->list[i].count += count;
}

/* "3 pshufb, movdqa" */
static const char *write_counts(const counts *c, char *out, size_t size)
{
    size_t used = 0;
    *out = '\0';
    for (size_t i = 0; i < c->count && used + 40 < size; i++) {
        number_text n = number(c->list[i].count);
        used += (size_t)snprintf(out + used, size - used, "%s%s%s%s", i ? ", " : "",
                                 !strcmp(n.text, "1") ? "" : n.text, !strcmp(n.text, "1") ? "" : " ",
                                 tacho_mnemonic_name(c->list[i].mnemonic));
    }
    if (c->more)
        snprintf(out + used, size - used, " ...");
    for (char *p = out; *p; p++)
        *p = tacho_lower(*p);
    return out;
}

static void count_insn(counts *c, const tacho_hot_place *place, int32_t insn)
{
    tacho_insn decoded;
    if (!tacho_decode(&decoded, place->insns[insn].bytes, place->insns[insn].length, NULL))
        count_one(c, decoded.mnemonic, 1);
}

/* ---- reasons ---- */

static void say_parts(const change_view *v)
{
    const tacho_hot_change *c = v->change;
    const char *what = (v->b ? v->b : v->a)->is_loop ? "loop" : "block";
    if (!v->a)
        say(v, "new", "only in B: no hot %s of A resembles it", what);
    else if (!v->b)
        say(v, "gone", "only in A: no hot %s of B resembles it", what);
    else if (c->a_count > 1 || c->b_count > 1)
        say(v, "versions",
            "%zu loop%s of A, %zu of B: times are totals, the code is that of the hottest loop", c->a_count,
            tacho_plural(c->a_count), c->b_count);
}

/* Where an iteration of one works on more than that of the other, by element, or byte. */
static void say_cycles(const change_view *v)
{
    const tacho_work work =
        v->a->is_loop && v->b->is_loop ? tacho_prediction_common_work(v->pa, v->pb) : TACHO_WORK_ITERATION;
    const double a = tacho_prediction_cycles_per(v->pa, work), b = tacho_prediction_cycles_per(v->pb, work);
    char cycles_a[TACHO_NUMBER_SIZE], cycles_b[TACHO_NUMBER_SIZE];
    if (work != TACHO_WORK_ITERATION)
        say(v, "cycles",
            "predicted %s cycles per iteration, which works on %u %ss where that of A works on %u: %s cycles "
            "per %s, %s in A (%+.0f %%)",
            number(v->pb->cycles).text, tacho_prediction_work(v->pb, work), tacho_work_name(work),
            tacho_prediction_work(v->pa, work), tacho_format_number(cycles_b, b, TACHO_DECIMALS + 1),
            tacho_work_name(work), tacho_format_number(cycles_a, a, TACHO_DECIMALS + 1), 100 * (b / a - 1));
    else if (differ(a, b))
        say(v, "cycles", "predicted %s cycles per %s, %s in A (%+.0f %%)", number(b).text, round_of(v),
            number(a).text, 100 * (b / a - 1));
    else
        say(v, "cycles", "predicted %s cycles per %s, as in A", number(b).text, round_of(v));
}

static void say_observed(const change_view *v)
{
    const double a = v->a->observed_cycles, b = v->b->observed_cycles;
    if (isfinite(a) && isfinite(b))
        say(v, "observed", "observed %s cycles per %s, %s in A", number(b).text, round_of(v), number(a).text);
}

/* Without counts: by time and observed cycles. */
static void say_how_often(const change_view *v)
{
    const tacho_hot_change *c = v->change;
    const double times = c->after.value / v->b->observed_cycles / (c->before.value / v->a->observed_cycles);
    if (isfinite(times) && fabs(times - 1) < 0.1)
        say(v, "iterations", "about as many %ss as in A, by its time and observed cycles", round_of(v));
    else if (isfinite(times))
        say(v, "iterations", "about %s times as many %ss as in A, by its time and observed cycles",
            number(times).text, round_of(v));
}

/* Time is iterations times the time of each; what both changed together counts half to each. */
static void say_iterations(const change_view *v)
{
    const double a = v->a->executions, b = v->b->executions;
    const tacho_hot_change *c = v->change;
    if (c->a_count > 1 || c->b_count > 1)
        return;
    if (!(a > 0) || !(b > 0)) {
        say_how_often(v);
        return;
    }
    const double of_a = c->before.value / a, of_b = c->after.value / b;
    const double by_count = (b - a) * (of_a + of_b) / 2;
    if (!differ(a, b))
        say(v, "iterations", "%.4g %ss a run, as in A: each takes %s times as long", b, round_of(v),
            number(of_b / of_a).text);
    else
        say(v, "iterations",
            "%.4g %ss a run, %.4g in A: %+.3g of the change is by their number, %+.3g by the time of each", b,
            round_of(v), a, by_count, c->change.value - by_count);
}

static const char *bound_names(uint32_t bits, char *out, size_t size)
{
    size_t used = 0;
    snprintf(out, size, "no single component");
    for (unsigned i = 0; i < TACHO_BOUND_COUNT; i++)
        if (bits & 1u << i && used + 30 < size)
            used += (size_t)snprintf(out + used, size - used, "%s%s", used ? ", " : "",
                                     tacho_bound_name((tacho_bound)i));
    for (char *p = out; *p; p++)
        *p = *p == '_' ? ' ' : *p;
    return out;
}

static void say_bottleneck(const change_view *v)
{
    char a[120], b[120];
    if (v->pa->bottlenecks != v->pb->bottlenecks)
        say(v, "bottleneck", "limited by %s; in A by %s", bound_names(v->pb->bottlenecks, b, sizeof b),
            bound_names(v->pa->bottlenecks, a, sizeof a));
}

static double port_use(const tacho_prediction *p, unsigned port)
{
    double sum = 0;
    for (size_t i = 0; i < p->instruction_count; i++)
        sum += p->instructions[i]->ports[port];
    return sum;
}

/* The busiest port, where ports limit the code, and who uses it. */
static void say_ports(const change_view *v)
{
    unsigned busiest = 0;
    counts users = {.count = 0};
    char names[160];
    if (!(v->pb->bottlenecks & 1u << TACHO_BOUND_PORTS))
        return;
    for (unsigned port = 1; port < TACHO_MAX_PORTS; port++)
        busiest = port_use(v->pb, port) > port_use(v->pb, busiest) + 0.005 ? port : busiest;
    const double a = port_use(v->pa, busiest), b = port_use(v->pb, busiest);
    if (!differ(a, b))
        return;
    for (size_t i = 0; i < v->pb->instruction_count; i++)
        if (v->pb->instructions[i]->ports[busiest] >= 0.05)
            count_one(&users, v->pb->instructions[i]->insn->mnemonic, v->pb->instructions[i]->ports[busiest]);
    say(v, "ports", "p%c is now used by %s µops per %s, by %s in A: %s", port_digit(busiest), number(b).text,
        round_of(v), number(a).text, write_counts(&users, names, sizeof names));
}

static void say_dependencies(const change_view *v)
{
    const double a = v->pa->bounds[TACHO_BOUND_DEPENDENCIES], b = v->pb->bounds[TACHO_BOUND_DEPENDENCIES];
    counts chain = {.count = 0};
    char names[160];
    if (!isfinite(a) || !isfinite(b) || !differ(a, b) || fmax(a / v->pa->cycles, b / v->pb->cycles) < 0.9)
        return;
    for (size_t i = 0; i < v->pb->critical_cycle_length; i++)
        count_one(&chain, v->pb->instructions[v->pb->critical_cycle[i]]->insn->mnemonic, 1);
    say(v, "dependencies", "the longest chain of dependencies takes %s cycles per %s, %s in A: %s",
        number(b).text, round_of(v), number(a).text, write_counts(&chain, names, sizeof names));
}

static const char *source_words(const tacho_prediction *p)
{
    return p->source == TACHO_SOURCE_MITE    ? "the decoders"
           : p->source == TACHO_SOURCE_MIXED ? "several sources"
                                             : tacho_own_word(p->arch, tacho_uop_source_name(p->source));
}

static void say_front_end(const change_view *v)
{
    if (v->pa->source != v->pb->source)
        say(v, "front_end", "µops come from %s; in A from %s", source_words(v->pb), source_words(v->pa));
}

static void say_vectors(const change_view *v)
{
    const tacho_loop *a = v->a->loop, *b = v->b->loop;
    if (!a->vector_count != !b->vector_count)
        say(v, "vectors", "%u of %u instructions are on vector or floating-point registers, %u of %u in A",
            b->vector_count, b->insn_count, a->vector_count, a->insn_count);
}

static void say_instructions(const change_view *v)
{
    counts added = {.count = 0}, removed = {.count = 0};
    size_t a = 0, b = 0;
    char with[160], without[160];
    for (size_t i = 0; i < v->pair_count; i++) {
        const tacho_hot_pair *p = &v->pairs[i];
        a += p->a >= 0;
        b += p->b >= 0;
        if (p->a < 0)
            count_insn(&added, v->b, p->b);
        else if (p->b < 0)
            count_insn(&removed, v->a, p->a);
    }
    write_counts(&added, with, sizeof with);
    write_counts(&removed, without, sizeof without);
    if (*with || *without)
        say(v, "instructions", "%zu instruction%s, %zu in A%s%s%s%s", b, tacho_plural(b), a,
            *with ? "; added: " : "", with, *without ? "; no longer: " : "", without);
}

/* Of that kind, the one that may cost most. NULL: none is told */
static const tacho_hot_cause *cause_of(const tacho_hot_known *k, tacho_hot_cause_kind kind)
{
    for (size_t i = 0; i < k->told; i++)
        if (k->causes[i].kind == kind)
            return &k->causes[i];
    return NULL;
}

/* How often an iteration has it, at which instruction. */
static void cause_words(const tacho_hot_place *p, const tacho_hot_cause *c, char *out, size_t size)
{
    counts insn = {.count = 0};
    char name[60];
    if (!c) {
        snprintf(out, size, "none that matters");
        return;
    }
    count_insn(&insn, p, (int32_t)c->insn);
    size_t n = (size_t)snprintf(out, size, "%s times by %s", number(c->share * c->a_round).text,
                                write_counts(&insn, name, sizeof name));
    if (isfinite(c->most) && n < size)
        snprintf(out + n, size - n, " (up to %s cycles)", number(c->most).text);
}

/* Where both sides were seen often enough for a word. */
static void say_causes(const change_view *v)
{
    enum {
        LEAST_ROUNDS = 30
    };
    char a[120], b[120];
    if (v->a->window_rounds < LEAST_ROUNDS || v->b->window_rounds < LEAST_ROUNDS)
        return;
    for (tacho_hot_cause_kind kind = 0; kind < TACHO_HOT_CAUSE_KINDS; kind++) {
        const tacho_hot_cause *x = cause_of(v->known[0], kind), *y = cause_of(v->known[1], kind);
        if ((!x && !y) || (x && y &&
                           fabs(y->share * y->a_round - x->share * x->a_round) <=
                               MUCH_OFTEN * fmax(y->share * y->a_round, x->share * x->a_round)))
            continue;
        cause_words(v->a, x, a, sizeof a);
        cause_words(v->b, y, b, sizeof b);
        say(v, "causes", "windows show %s: in each %s %s; in A %s", tacho_hot_cause_name(kind), round_of(v),
            b, a);
    }
}

static bool is_same_code(const change_view *v)
{
    bool same = v->pair_count > 0;
    for (size_t i = 0; i < v->pair_count; i++)
        same &= v->pairs[i].same;
    return same;
}

static void say_same(const change_view *v)
{
    if (!is_same_code(v))
        return;
    if (v->change->state == TACHO_HOT_SAME)
        say(v, "same_code", "the code is the same except for registers and its address");
    else if (!v->pa || !v->pb || !differ(v->pa->cycles, v->pb->cycles))
        say(v, "same_code",
            "the code is the same except for registers and its address: what has changed is how often it "
            "runs, its data, caches or branches%s",
            v->windows ? "" : " (--windows 20: a further run of each that may show which)");
}

static void say_all(const change_view *v)
{
    say_parts(v);
    if (!v->a || !v->b)
        return;
    if (v->pa && v->pb)
        say_cycles(v);
    say_observed(v);
    say_iterations(v);
    if (v->pa && v->pb) {
        say_bottleneck(v);
        say_dependencies(v);
        say_ports(v);
        say_front_end(v);
    }
    say_vectors(v);
    say_instructions(v);
    say_causes(v);
    say_same(v);
}

int tacho_hot_why(tacho_hot_reasons *out, const tacho_hot_change *change, const tacho_hot_side *a,
                  const tacho_hot_side *b, const tacho_hot_known *of_a, const tacho_hot_known *of_b)
{
    change_view v = {.change = change,
                     .pa = of_a->prediction,
                     .pb = of_b->prediction,
                     .known = {of_a, of_b},
                     .windows = a->profile->window_count && b->profile->window_count,
                     .out = out};
    int rc = 0;
    out->count = 0;
    if (change->part != TACHO_HOT_PLACES)
        return 0;
    v.a = change->a_count ? &a->hot->places[change->a[0]] : NULL;
    v.b = change->b_count ? &b->hot->places[change->b[0]] : NULL;
    tacho_hot_pair *pairs = NULL;
    if (v.a && v.b) {
        pairs = tacho_mem_zalloc(v.a->insn_count + v.b->insn_count + 1, sizeof *pairs);
        rc = pairs ? tacho_hot_align(pairs, &v.pair_count, v.a, v.b) : TACHO_ERR_MEMORY;
    }
    v.pairs = pairs;
    if (!rc)
        say_all(&v);
    tacho_mem_free(pairs);
    return rc;
}
