/* metamorphic.c - errors of the model that show without a measurement: code that must take as long as other
 * code, and does not.
 *
 *   bench/metamorphic [-a ARCH] [--mode unroll|loop] [--set NAME=VALUE] [--count N] [--seed N] [--jobs N]
 *                     [--show MECHANISM] FILE.csv
 *
 * Every so many of FILE's blocks (column hex), --count of them, are predicted as they are and changed in the
 * ways of changed_code.h, on each core and in both modes (a loop has a counter and a branch of its own), with
 * registers and memory as `--init same` has them. Exchanged neighbours and NOPs change what the front end
 * does: they count where its bounds are below 90 % of both results. A doubled loop has half the branches and
 * counters: it counts where it is slower.
 *
 * Where the two differ by more than 1 %, what the simulator can take as ideal or simpler is tried in turn
 * (`mechanisms` below): the first with which they agree, as good as, or meet the front end's limit, is the
 * mechanism. Groups of kind and mechanism follow, worst first, with the parameter of the core that makes the
 * worst pair agree if it is made neutral (learn_neutral.c), and that pair: cycles and bottlenecks before and
 * after, and both codes. --show lists all pairs of a mechanism. The last lines say why each mechanism makes
 * code that does the same take another time, and for how many differences none was found. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/parallel.h"
#include "base/search.h"
#include "base/table.h"
#include "changed_code.h"
#include "learn/learn_internal.h"
#include "tacho/tools.h"

static const double TOLERANCE = 0.01, SLACK = 0.9;

enum {
    LONG_CYCLES = 10000 /* where the steady state does not recur, before averages are compared */
};

static const char *const change_names[CHANGE_COUNT] = {"doubled",   "exchanged",   "renamed",
                                                       "NOP added", "NOP removed", "moved by 4096"};

typedef struct search {
    const tacho_arch *arch;
    tacho_mode mode;
    uint64_t seed;
    const tacho_table *blocks;
    int column;
    size_t count, stride;         /* of blocks, and how far they are apart in the table */
    struct broken_rule *findings; /* CHANGE_COUNT of each block */
} search;

/* What a thread has. */
typedef struct worker {
    tacho_predictor *predictor;
    code base, changed;
    uint8_t bytes[2][CODE_MOST_BYTES];
    size_t sizes[2];
} worker;

/* ---- one pair ---- */

typedef struct pair {
    double cycles[2];
    uint32_t limits[2];
    bool exact, slack;
} pair;

static bool front_end_has_slack(const tacho_prediction *r)
{
    for (tacho_bound k = TACHO_BOUND_PREDECODE; k <= TACHO_BOUND_ISSUE; k++)
        if (tacho_prediction_uses_bound(r, k) && r->bounds[k] > SLACK * r->cycles)
            return false;
    return true;
}

/* @return false where one of them cannot be predicted */
static bool predict_pair(worker *w, const tacho_arch *arch, const tacho_predict_options *o, change how,
                         pair *out)
{
    out->exact = out->slack = true;
    for (int i = 0; i < 2; i++) {
        const tacho_prediction *r;
        if (tacho_predict(w->predictor, arch, w->bytes[i], w->sizes[i], o, &r, NULL))
            return false;
        out->cycles[i] = r->cycles / (i && how == CHANGE_DOUBLED ? 2 : 1);
        out->exact &= r->cycles_den != 0;
        if (o->bounds) {
            out->slack &= front_end_has_slack(r);
            out->limits[i] = r->bottlenecks;
        }
    }
    return out->cycles[0] > 0;
}

static double difference(const pair *p)
{
    return p->cycles[1] / p->cycles[0] - 1;
}

static bool differs(const pair *p, change how, tacho_mode mode)
{
    double by = difference(p);
    return (how == CHANGE_DOUBLED && mode == TACHO_MODE_LOOP ? by : fabs(by)) > TOLERANCE;
}

static bool needs_slack(change how, tacho_mode mode)
{
    return how == CHANGE_DOUBLED ? mode == TACHO_MODE_LOOP : how != CHANGE_RENAMED && how != CHANGE_MOVED;
}

typedef enum verdict {
    UNPREDICTED,
    AGREE,
    TIGHT, /* they differ, but the front end has no slack */
    DIFFER
} verdict;

/* Averages are compared over a long run before they count as different. */
static verdict judge(worker *w, const tacho_arch *arch, tacho_predict_options o, change how, pair *out)
{
    o.bounds = false;
    if (!predict_pair(w, arch, &o, how, out))
        return UNPREDICTED;
    if (!differs(out, how, o.mode))
        return AGREE;
    o.bounds = true;
    if (!out->exact && o.min_cycles < LONG_CYCLES)
        o.min_cycles = LONG_CYCLES;
    if (!predict_pair(w, arch, &o, how, out))
        return UNPREDICTED;
    return !differs(out, how, o.mode) ? AGREE : needs_slack(how, o.mode) && !out->slack ? TIGHT : DIFFER;
}

static tacho_predict_options options_of(tacho_mode mode)
{
    tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
    o.details = o.bounds = false;
    o.ignore_isa = true;
    o.init = TACHO_INIT_SAME;
    o.mode = mode;
    return o;
}

/* ---- mechanisms ---- */

/* What the simulator can take as ideal or simpler, in the order in which it is tried, and why code that does
 * the same may take another time there; the last one: no such reason, to be looked at. */
static const struct mechanism {
    const char *name;
    uint32_t ideal, variants, cycles; /* cycles: simulated where no state recurs; 0: LONG_CYCLES */
    const char *off;                  /* parameters, separated by a space, made neutral */
    const char *why;
} mechanisms[] = {
    {"averages", 0, 0, 4 * LONG_CYCLES, NULL,
     "no state recurs, and averages over 10000 cycles are not yet those over 40000"},
    {"renaming", 0, 0, 0, "renames_memory",
     "of the loads whose value the renamer has, only so many go in a cycle: it depends on which are "
     "together"},
    {"constants", 0, 0, 0, "issue_constants",
     "only so many displacements and immediates are issued in a cycle: it depends on which are together"},
    {"ports", TACHO_IDEAL_PORTS, 0, 0, NULL,
     "a µop gets its port and its turn beside those that are there already: at issue by their numbers "
     "(Intel), or as it leaves, the oldest first (AMD); another order, or a slot taken, is another choice"},
    {"front end", TACHO_IDEAL_FRONT_END, 0, 0, NULL,
     "slack on average, but not in each cycle: windows, lines and groups of µops begin elsewhere"},
    {"moves", 0, TACHO_VARIANT_NO_MOVE_ELIMINATION, 0, NULL,
     "which moves are eliminated depends on places that are free, or on the slot of the renamer"},
    {"memory", 0, TACHO_VARIANT_SIMPLE_MEMORY, 0, NULL,
     "a load that waits for a store to reach the cache waits for all that retires before it; places to wait "
     "for a store's data in are few; and bypass delays depend on the port that a µop got"},
    {"several", TACHO_IDEAL_PORTS | TACHO_IDEAL_FRONT_END,
     TACHO_VARIANT_NO_MOVE_ELIMINATION | TACHO_VARIANT_SIMPLE_MEMORY, 0, NULL, "more than one of these"},
    {"schedulers", 0, 0, 0, "vector_scheduler_entries address_scheduler_entries",
     "which scheduler is full first depends on the order of what is shared out among them"},
    {"pointers", 0, 0, 0, "fast_pointer_chasing",
     "a pointer that a load gives the next one arrives a cycle earlier with displacements below 2048 only"},
    {"-", 0, 0, 0, NULL, NULL},
};

/* What came out of a pair. */
typedef struct broken_rule {
    verdict verdict;
    change how;
    pair pair;
    const struct mechanism *mechanism; /* where they differ */
} broken_rule;

/* With the parameters made neutral. */
static verdict judge_without(worker *w, const tacho_arch *arch, const char *parameters,
                             tacho_predict_options o, change how, pair *out)
{
    tacho_arch *copy = tacho_arch_copy(arch);
    bool done = copy != NULL;
    for (const char *at = parameters; done && *at; at += strspn(at, " ")) {
        char name[80];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, " "), at);
        done = !tacho_arch_parameter_set(copy, name, learn_neutral_of(name)->value, NULL);
        at += strlen(name);
    }
    verdict v = done ? judge(w, copy, o, how, out) : UNPREDICTED;
    tacho_arch_free(copy);
    return v;
}

/* Where that is so they agree, the front end is the limit, or less than a quarter of the difference is left.
 */
static const struct mechanism *find_mechanism(worker *w, const search *s, const broken_rule *f)
{
    const struct mechanism *m = mechanisms;
    for (; m->why; m++) {
        tacho_predict_options o = options_of(s->mode);
        pair p;
        if (f->how == CHANGE_MOVED && !m->off)
            continue; /* only what looks at displacements can tell them apart */
        o.ideal = m->ideal;
        o.variants = m->variants;
        o.min_cycles = m->cycles ? m->cycles : o.min_cycles;
        verdict v =
            m->off ? judge_without(w, s->arch, m->off, o, f->how, &p) : judge(w, s->arch, o, f->how, &p);
        if (v == AGREE || v == TIGHT ||
            (v == DIFFER && fabs(difference(&p)) < fabs(difference(&f->pair)) / 4))
            break;
    }
    return m;
}

/* The parameter that makes them agree where it is neutral, and changes their cycles least; "-": none. */
static const char *find_parameter(worker *w, const search *s, const broken_rule *f)
{
    const char *best = "-";
    double least = INFINITY;
    tacho_arch_parameter n;
    for (size_t i = 0; !tacho_arch_parameter_get(i, &n); i++) {
        pair p;
        if (judge_without(w, s->arch, n.name, options_of(s->mode), f->how, &p) != AGREE)
            continue;
        double changed =
            fabs(p.cycles[0] / f->pair.cycles[0] - 1) + fabs(p.cycles[1] / f->pair.cycles[1] - 1);
        if (changed < least - 1e-9)
            least = changed, best = n.name;
    }
    return best;
}

/* ---- blocks ---- */

/* Both codes of a pair: always the same for the same seed. @return false where there is none */
static bool make_pair(worker *w, const search *s, size_t index, change how)
{
    uint8_t bytes[CODE_MOST_BYTES];
    uint64_t random = hash_mix(s->seed + index) + how;
    const char *hex = tacho_table_cell(s->blocks, index * s->stride, s->column);
    long n = strlen(hex) <= 2 * sizeof bytes ? tacho_hex_decode(bytes, hex, strlen(hex), NULL) : 0;
    bool loop = s->mode == TACHO_MODE_LOOP;
    return n > 0 && code_read(&w->base, bytes, (size_t)n) &&
           (w->sizes[0] = code_write(&w->base, loop, w->bytes[0])) &&
           code_change(&w->changed, &w->base, how, &random) &&
           (w->sizes[1] = code_write(&w->changed, loop, w->bytes[1]));
}

static int search_block(void *payload, void *state, size_t index, tacho_error *err)
{
    const search *s = payload;
    worker *w = state;
    (void)err;
    for (change how = 0; how < CHANGE_COUNT; how++) {
        broken_rule *f = &s->findings[index * CHANGE_COUNT + how];
        f->how = how;
        if (make_pair(w, s, index, how))
            f->verdict = judge(w, s->arch, options_of(s->mode), how, &f->pair);
        if (f->verdict == DIFFER)
            f->mechanism = find_mechanism(w, s, f);
    }
    return 0;
}

static int open_worker(void *payload, void **state, tacho_error *err)
{
    (void)payload;
    worker *w = *state = calloc(1, sizeof *w);
    if (!w || !(w->predictor = tacho_predictor_new()))
        return tacho_error_set(err, TACHO_ERR_MEMORY, "out of memory");
    return 0;
}

static void close_worker(void *payload, void *state)
{
    (void)payload;
    worker *w = state;
    if (w)
        tacho_predictor_free(w->predictor);
    free(w);
}

/* ---- groups ---- */

static double size_of(const broken_rule *f)
{
    return fabs(difference(&f->pair));
}

static int by_group(const broken_rule *a, const broken_rule *b)
{
    return ORDER(a->how, b->how) ?: ORDER(a->mechanism, b->mechanism);
}

static int by_group_and_size(const void *x, const void *y)
{
    const broken_rule *a = *(broken_rule *const *)x, *b = *(broken_rule *const *)y;
    int group = by_group(a, b);
    return group ? group : (size_of(a) < size_of(b)) - (size_of(a) > size_of(b));
}

/* A group begins at its worst finding. */
typedef struct group {
    broken_rule *const *worst;
    size_t count;
} group;

static int by_worst(const void *x, const void *y)
{
    const group *a = x, *b = y;
    double p = size_of(*a->worst), q = size_of(*b->worst);
    return (p < q) - (p > q);
}

static void show_finding(worker *w, const search *s, const broken_rule *f)
{
    char names[160];
    make_pair(w, s, (size_t)(f - s->findings) / CHANGE_COUNT, f->how);
    for (int i = 0; i < 2; i++) {
        tacho_bottleneck_names(f->pair.limits[i], "+", names, sizeof names);
        printf("    %.3f (%s) ", f->pair.cycles[i], *names ? names : "-");
        for (size_t k = 0; k < w->sizes[i]; k++)
            printf("%02x", w->bytes[i][k]);
    }
    putchar('\n');
}

/* The parameter is that of the worst one alone: looking for it takes long. */
static void show_group(worker *w, const search *s, const group *g, const char *show)
{
    const broken_rule *worst = *g->worst;
    bool all = show && !strcmp(show, worst->mechanism->name);
    make_pair(w, s, (size_t)(worst - s->findings) / CHANGE_COUNT, worst->how);
    printf("  %-13s %-10s %-28s %5zu, %+.1f %%\n", change_names[worst->how], worst->mechanism->name,
           find_parameter(w, s, worst), g->count, 100 * (worst->pair.cycles[1] / worst->pair.cycles[0] - 1));
    for (size_t i = 0; i < (all ? g->count : 1); i++)
        show_finding(w, s, g->worst[i]);
}

static size_t make_groups(broken_rule **list, size_t count, group *out)
{
    size_t groups = 0;
    qsort(list, count, sizeof *list, by_group_and_size);
    for (size_t i = 0; i < count; i++) {
        if (!i || by_group(list[i - 1], list[i]))
            out[groups++].worst = &list[i];
        out[groups - 1].count++;
    }
    qsort(out, groups, sizeof *out, by_worst);
    return groups;
}

/* @return how many differences no mechanism explains */
static size_t report(worker *w, const search *s, broken_rule **list, group *groups, const char *show)
{
    size_t verdicts[CHANGE_COUNT][DIFFER + 1] = {{0}}, count = 0, unexplained = 0;
    const char *arch = tacho_arch_name(s->arch), *mode = tacho_mode_name(s->mode);
    for (size_t i = 0; i < s->count * CHANGE_COUNT; i++) {
        broken_rule *f = &s->findings[i];
        verdicts[f->how][f->verdict]++;
        if (f->verdict != DIFFER)
            continue;
        list[count++] = f;
        unexplained += !f->mechanism->why;
    }
    printf("%s %s: %zu of %zu blocks are straight code that it predicts\n", arch, mode,
           s->count - verdicts[CHANGE_DOUBLED][UNPREDICTED], s->count);
    size_t group_count = make_groups(list, count, groups);
    for (size_t i = 0; i < group_count; i++)
        show_group(w, s, &groups[i], show);
    for (change how = 0; how < CHANGE_COUNT; how++)
        printf("%s %-6s %-13s %5zu pairs, %4zu without slack in the front end, %4zu differ\n", arch, mode,
               change_names[how], s->count - verdicts[how][UNPREDICTED], verdicts[how][TIGHT],
               verdicts[how][DIFFER]);
    return unexplained;
}

static int run(search *s, unsigned jobs, const char *show, size_t *unexplained, tacho_error *err)
{
    void *w = NULL;
    size_t most = s->count * CHANGE_COUNT + 1;
    broken_rule **list = calloc(most, sizeof *list);
    group *groups = calloc(most, sizeof *groups);
    s->findings = calloc(most, sizeof *s->findings);
    parallel_loop loop = {.count = s->count,
                          .threads = jobs,
                          .turn = search_block,
                          .open = open_worker,
                          .close = close_worker,
                          .payload = s};
    int rc = s->findings && list && groups ? parallel_run(&loop, err) ?: open_worker(NULL, &w, err)
                                           : tacho_error_set(err, TACHO_ERR_MEMORY, "out of memory");
    if (!rc)
        *unexplained += report(w, s, list, groups, show);
    close_worker(NULL, w);
    free(list);
    free(groups);
    free(s->findings);
    return rc;
}

/* ---- options ---- */

typedef struct options {
    const char *arch, *mode, *set, *show, *file;
    size_t count;
    uint64_t seed;
    unsigned jobs;
} options;

static void usage(void)
{
    fprintf(stderr, "usage: bench/metamorphic [-a ARCH] [--mode unroll|loop] [--set NAME=VALUE] [--count N] "
                    "[--seed N] [--jobs N] [--show MECHANISM] FILE.csv\n");
    exit(2);
}

static unsigned long number(const char *text)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);
    if (!*text || *end || *text == '-')
        usage();
    return value;
}

static options read_options(int argc, char **argv)
{
    options o = {.count = 5000, .jobs = parallel_processors()};
    int i = 1;
    for (; i + 1 < argc && argv[i][0] == '-'; i += 2)
        if (!strcmp(argv[i], "-a"))
            o.arch = argv[i + 1];
        else if (!strcmp(argv[i], "--mode"))
            o.mode = argv[i + 1];
        else if (!strcmp(argv[i], "--set"))
            o.set = argv[i + 1];
        else if (!strcmp(argv[i], "--show"))
            o.show = argv[i + 1];
        else if (!strcmp(argv[i], "--count"))
            o.count = number(argv[i + 1]);
        else if (!strcmp(argv[i], "--seed"))
            o.seed = number(argv[i + 1]);
        else if (!strcmp(argv[i], "--jobs"))
            o.jobs = (unsigned)number(argv[i + 1]);
        else
            usage();
    if (argc - i != 1 || (o.mode && strcmp(o.mode, "unroll") && strcmp(o.mode, "loop")))
        usage();
    o.file = argv[i];
    return o;
}

static int set(tacho_arch *arch, const char *text, tacho_error *err)
{
    char name[80];
    const char *equals = text ? strchr(text, '=') : NULL;
    if (!text)
        return 0;
    if (!equals)
        return tacho_error_set(err, TACHO_ERR_USAGE, "--set takes NAME=VALUE, not '%s'", text);
    snprintf(name, sizeof name, "%.*s", (int)(equals - text), text);
    return tacho_arch_parameter_set(arch, name, equals + 1, err) ?: tacho_arch_check(arch, err);
}

static int run_core(const options *o, const tacho_arch *core, const tacho_table *blocks, int column,
                    size_t *unexplained, tacho_error *err)
{
    tacho_arch *arch = tacho_arch_copy(core);
    int rc = arch ? set(arch, o->set, err) : tacho_error_set(err, TACHO_ERR_MEMORY, "out of memory");
    const size_t rows = blocks->row_count, count = o->count < rows ? o->count : rows;
    for (int loop = 0; !rc && loop < 2; loop++) {
        search s = {.arch = arch,
                    .mode = loop ? TACHO_MODE_LOOP : TACHO_MODE_UNROLL,
                    .seed = o->seed,
                    .blocks = blocks,
                    .column = column,
                    .count = count,
                    .stride = count ? rows / count : 1};
        if (!o->mode || !strcmp(o->mode, tacho_mode_name(s.mode)))
            rc = run(&s, o->jobs, o->show, unexplained, err);
        fflush(stdout);
    }
    tacho_arch_free(arch);
    return rc;
}

static void show_reasons(size_t unexplained)
{
    for (const struct mechanism *m = mechanisms; m->why; m++)
        printf("%s: %s\n", m->name, m->why);
    printf("%zu without such a reason\n", unexplained);
}

int main(int argc, char **argv)
{
    options o = read_options(argc, argv);
    tacho_table blocks = {0};
    tacho_error err = {0};
    size_t unexplained = 0;
    int column = 0, rc = tacho_table_read(&blocks, o.file, NULL, &err);
    const tacho_arch *arch = rc ? NULL : o.arch ? tacho_arch_find(o.arch, &err) : tacho_arch_get(0);
    if (!rc && (column = tacho_table_column(&blocks, "hex")) == TACHO_TABLE_NONE)
        rc = tacho_error_set(&err, TACHO_ERR_INPUT, "%s: no column hex", o.file);
    rc = rc ?: arch ? rc : TACHO_ERR_USAGE;
    for (size_t i = 1; !rc && arch; arch = o.arch ? NULL : tacho_arch_get(i++))
        rc = run_core(&o, arch, &blocks, column, &unexplained, &err);
    if (rc)
        fprintf(stderr, "metamorphic: %s\n", err.message);
    else
        show_reasons(unexplained);
    tacho_table_free(&blocks);
    return rc ? 1 : 0;
}
