/* predictor.c - the public predictor: build the block, run the machine, average, and say what binds. */
#include "base/mem.h"
#include "base/options_take.h"
#include "model/block/addresses.h"
#include "model/bounds/bounds.h"
#include "model/predict/predictor.h"
#include "model/sim/sim_trace.h"

enum {
    MIN_CYCLES = 64, /* below which an average says nothing */
    MIN_ITERATIONS = 4,
    SAME_PLACE_LEAST = 10, /* iterations apart, from which on both ends are to be at the same place */
    SAME_PLACE_TRIED = 5
};

tacho_predictor *tacho_predictor_new(void)
{
    tacho_predictor *p = tacho_mem_zalloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->machine = tacho_mem_zalloc(1, sizeof *p->machine);
    p->cache = tacho_insn_cache_new();
    p->memo = memo_new();
    if (!p->machine || !p->cache || !p->memo) {
        tacho_predictor_free(p);
        return NULL;
    }
    return p;
}

void tacho_predictor_free(tacho_predictor *p)
{
    if (!p)
        return;
    arena_free(&p->memory);
    tacho_insn_cache_free(p->cache);
    memo_free(p->memo);
    TACHO_MEM_FREE(p->machine, p);
}

static void set_exact(tacho_prediction *r, const steady_state *steady)
{
    int64_t g = greatest_common_divisor(steady->period_cycles, steady->period_iterations);
    r->cycles_num = steady->period_cycles / g;
    r->cycles_den = steady->period_iterations / g;
    r->period_iterations = steady->period_iterations;
}

/* Iterations of which at least a part has been retired. */
static uint32_t iterations_begun(sim *s)
{
    reorder_buffer *r = &s->rob;
    rob_retire(r, s->cycle - 1);
    uint32_t whole = sim_iterations(s);
    if (!whole || whole >= s->retired_capacity)
        return whole;
    const retirement *end = &s->retired[whole - 1];
    const uint32_t newest = r->retire[(r->head - 1) & (SIM_ROB - 1)];
    return whole + (newest > (uint32_t)end->cycle * r->width + end->place);
}

/* The second half of the run as uiCA has it (paper, section 4.3): of the iterations begun, from the middle
 * one to the last but one, or to one of the four before it that ended at the same place of its retirement
 * group as the first; both by index. False if there are not two. */
static bool second_half(sim *s, uint32_t *first, uint32_t *last)
{
    uint32_t begun = iterations_begun(s);
    if (begun > s->retired_capacity)
        begun = s->retired_capacity;
    if (begun < 3)
        return false;
    *last = begun - 2;
    *first = begun / 2 < *last ? begun / 2 : *last - 1;
    if (*last - *first > SAME_PLACE_LEAST)
        for (uint32_t k = *last; k + SAME_PLACE_TRIED > *last; k--)
            if (s->retired[k].place == s->retired[*first].place) {
                *last = k;
                break;
            }
    return true;
}

/* Whether the scheduler fills by more than an issue group in the half of the run that is averaged, or the
 * store buffer does. `again`: the store buffer alone, which is large and fills slowly. */
static bool still_filling(sim *s, bool again)
{
    uint32_t first, last;
    return s->arch->averages_after_filling && second_half(s, &first, &last) &&
           ((!again && s->retired[last].in_flight > s->retired[first].in_flight + s->arch->issue_width) ||
            sim_store_buffer_fills(s, first, last));
}

enum {
    PACE_SHARE = 3,      /* min_cycles / this must have passed */
    PACE_ITERATIONS = 6, /* in each window */
    PACE_CYCLES = 1      /* by which the windows may differ */
};

/* Whether an average is known well enough before the end of the run. Where loads are bound to address units
 * by turns, and their entries are kept, many states do not come again in a run, though the pace hardly
 * changes: it is taken if four windows in a row, together two thirds of the run, are equally long, and
 * nothing fills. */
static bool keeps_pace(const sim *s, const steady_state *steady)
{
    const uint32_t last = s->issued_iterations - 1, window = last / 6, first = last - 4 * window;
    if (!s->binds || window < PACE_ITERATIONS || last >= s->retired_capacity ||
        (uint32_t)s->cycle < s->options->min_cycles / PACE_SHARE || steady->pattern.filled > first ||
        s->retired[last].in_flight > s->retired[first].in_flight + s->arch->issue_width ||
        sim_store_buffer_fills(s, first, last))
        return false;
    int32_t least = INT32_MAX, most = 0;
    for (uint32_t k = first; k < last; k += window) {
        const int32_t cycles = s->retired[k + window].cycle - s->retired[k].cycle;
        least = cycles < least ? cycles : least;
        most = max_i32(most, cycles);
    }
    return most - least <= PACE_CYCLES;
}

/* Runs until the steady state is found, or for the cycles and iterations that the options ask for; returns
 * whether it was found. Where the scheduler or the store buffer is still filling at the end, runs as long
 * again, and again. */
static bool run(sim *s, steady_state *steady, const tacho_predict_options *o, const steady_bounds *bounds)
{
    bool recurs = !(o->variants & TACHO_VARIANT_SIMPLE_PORT_ASSIGNMENT);
    sim_reset(s);
    steady_reset(steady, s, bounds);
    while (((uint32_t)s->cycle < o->min_cycles + 2 || sim_iterations(s) < o->min_iterations) &&
           !predictor_is_stuck(s)) {
        sim_tick(s);
        if (!recurs || s->issued_iterations == steady->seen_issued)
            continue;
        if (steady_check(steady, s))
            return true;
        if (keeps_pace(s, steady))
            return false;
    }
    for (uint32_t times = 2; times <= MOST_RUNS && still_filling(s, times > 2); times++)
        while ((uint32_t)s->cycle < times * o->min_cycles + 2 && !predictor_is_stuck(s))
            sim_tick(s);
    return false;
}

/* A pattern of retirements may have been found while the scheduler was still filling. Reports then begin
 * after that, and are of as many iterations. */
static void skip_filling(sim *s, uint32_t *from, uint32_t *to)
{
    sim_reset(s);
    while (!s->held_up && (uint32_t)s->cycle < s->options->min_cycles && !predictor_is_stuck(s))
        sim_tick(s);
    if (s->held_up && s->issued_iterations > *from) {
        *to += s->issued_iterations - *from;
        *from = s->issued_iterations;
    }
}

/* The iterations [from, to) over which to average: one period, or the second half of the run. */
static int average(sim *s, const steady_state *steady, bool found, tacho_prediction *r, uint32_t *from,
                   uint32_t *to)
{
    r->simulated_cycles = (uint32_t)s->cycle;
    r->simulated_iterations = sim_iterations(s);
    if (found) {
        *from = steady->window_from;
        *to = steady->window_to;
        r->cycles = (double)steady->period_cycles / steady->period_iterations;
        if (steady->exact)
            set_exact(r, steady);
        return 0;
    }
    uint32_t first, last;
    if (!second_half(s, &first, &last))
        return TACHO_ERR_LIMIT;
    *from = first + 1;
    *to = last + 1;
    r->cycles = (double)(s->retired[last].cycle - s->retired[first].cycle) / (last - first);
    return 0;
}

/* The same run again, until iteration `end` is retired; for those who listen. */
static void rerun(sim *s, uint32_t end)
{
    sim_reset(s);
    while (sim_iterations(s) < end && !predictor_is_stuck(s))
        sim_tick(s);
}

/* The decoders deliver all of the code, or may at times; not where the DSB takes over at each block that it
 * has. */
static bool decodes(const tacho_prediction *r)
{
    return r->source == TACHO_SOURCE_MITE || r->source == TACHO_SOURCE_MIXED;
}

/* The highest of these bounds (bits), of those that apply. */
static double highest_of(const tacho_prediction *r, uint32_t bounds)
{
    double highest = 0;
    for (uint32_t left = bounds & bounds_applying(r->source); left; left &= left - 1) {
        double cycles = r->bounds[__builtin_ctz(left)];
        highest = cycles > highest ? cycles : highest; /* not NaN */
    }
    return highest;
}

static double highest_bound(const tacho_prediction *r)
{
    return highest_of(r, UINT32_MAX);
}

/* The bounds that are as high as the result. Where only a part of the code is decoded, the decoders may still
 * be what takes the time; their bounds are those of all of the code, so one that is above the result says
 * nothing. Others are above it where the run did not see all: a line's end is crossed now and then. */
static void find_bottlenecks(tacho_prediction *r)
{
    const double least = (1 - BOUND_TOLERANCE) * r->cycles, most = (1 + BOUND_TOLERANCE) * r->cycles;
    uint32_t left = bounds_applying(r->source);
    if (decodes(r))
        left |= 1u << TACHO_BOUND_PREDECODE | 1u << TACHO_BOUND_DECODE;
    for (; left && r->cycles > 0; left &= left - 1) {
        const double bound = r->bounds[__builtin_ctz(left)];
        if (bound >= least && bound <= most) /* not NaN */
            r->bottlenecks |= left & -left;
    }
}

static int alloc_tally(sim_tally *t, arena *a, uint32_t insns)
{
    t->insns = arena_alloc(a, insns * sizeof *t->insns);
    t->uops = arena_alloc_raw(a, TALLY_UOPS * sizeof *t->uops); /* which are written before they are read */
    t->producer = arena_alloc_raw(a, TALLY_UOPS * sizeof *t->producer);
    t->cause = arena_alloc_raw(a, TALLY_UOPS);
    account_start(t);
    return t->insns && t->uops && t->producer && t->cause ? 0 : TACHO_ERR_MEMORY;
}

/* The part of an instruction's report that needs no simulation. */
static void describe_report(tacho_insn_report *out, const tacho_arch *arch, const block_insn *bi)
{
    const insn_facts *facts = bi->facts;
    *out = (tacho_insn_report){.insn = bi->insn,
                               .code_offset = bi->offset,
                               .has_form = bi->has_form,
                               .form = facts->form,
                               .source = facts->figures.source,
                               .notes = bi->notes,
                               .uops_mite = NAN,
                               .uops_ms = NAN,
                               .uops_dsb = NAN,
                               .uops_lsd = NAN,
                               .uops_issued = NAN,
                               .uops_executed = NAN,
                               .blocked_by = -1,
                               .aliased_by = -1,
                               .critical_latency = NAN,
                               .latency = NAN,
                               .reciprocal_throughput = NAN};
    for (int k = 0; k < TACHO_MAX_PORTS; k++)
        out->ports[k] = NAN;
    if (!bi->has_form)
        return;
    out->latency = tacho_form_latency(&facts->form, &facts->figures, bi->variant);
    out->reciprocal_throughput = tacho_form_throughput(arch, &facts->form, bi->variant);
}

static void fill_report(tacho_insn_report *out, const sim *s, const sim_tally *tally, uint32_t i)
{
    const block_insn *bi = &s->b->insns[i];
    const insn_tally *t = &tally->insns[i];
    double n = tally->to_iteration - tally->from_iteration;
    describe_report(out, s->b->arch, bi);
    out->uops_mite = t->delivered[FROM_MITE] / n;
    out->uops_ms = t->delivered[FROM_MS] / n;
    out->uops_dsb = t->delivered[FROM_DSB] / n;
    out->uops_lsd = t->delivered[FROM_LSD] / n;
    out->uops_issued = t->issued / n;
    uint32_t executed = 0;
    for (uint32_t p = 0; p < TACHO_MAX_PORTS; p++) {
        uint32_t count = t->dispatched[p];
        out->ports[p] = count / n;
        executed += count;
    }
    out->uops_executed = executed / n;
    if (t->eliminated)
        out->notes |= TACHO_NOTE_ELIMINATED;
    if (t->forwarded)
        out->notes |= TACHO_NOTE_STORE_FORWARD;
    if (t->blocked) {
        out->notes |= TACHO_NOTE_STORE_BLOCKED;
        out->blocked_by = (int32_t)t->blocked_by;
    }
    if (t->aliased) {
        out->notes |= TACHO_NOTE_ALIAS_4K;
        out->aliased_by = (int32_t)t->aliased_by;
    }
    if (s->sync_before[i])
        out->notes |= TACHO_NOTE_STACK_SYNC;
    if (bi->merges_high8 && s->b->has_high8_write && s->arch->high8_renamed_apart)
        for (uint32_t k = 0; k < s->b->insn_count; k++)
            if (s->b->insns[k].writes_high8 & bi->merges_high8)
                out->notes |= TACHO_NOTE_HIGH8_MERGE;
}

/* The sets of ports that occur, in the order of the code. */
static int list_port_sets(tacho_prediction *r, const block *b, arena *a)
{
    uint16_t *sets = arena_alloc(a, (b->uop_count + 1u) * sizeof *sets);
    if (!sets)
        return TACHO_ERR_MEMORY;
    for (uint32_t i = 0; i < b->uop_count; i++) {
        size_t k = 0;
        while (k < r->port_set_count && sets[k] != b->uops[i].ports)
            k++;
        if (b->uops[i].ports && k == r->port_set_count)
            sets[r->port_set_count++] = b->uops[i].ports;
    }
    r->port_sets = sets;
    return 0;
}

/* Reports of the instructions, to be filled in. */
static tacho_insn_report *add_reports(tacho_predictor *p)
{
    const size_t count = p->code.insn_count;
    tacho_insn_report *reports = arena_alloc(&p->memory, count * sizeof *reports);
    const tacho_insn_report **list = arena_alloc(&p->memory, count * sizeof *list);
    if (!reports || !list)
        return NULL;
    for (size_t i = 0; i < count; i++)
        list[i] = &reports[i];
    p->reports = reports;
    p->result.instructions = list;
    p->result.instruction_count = count;
    return reports;
}

/* A second, identical run that counts what happens in the averaged iterations. */
static int fill_details(tacho_predictor *p, uint32_t from, uint32_t to)
{
    sim *s = p->machine;
    tacho_prediction *r = &p->result;
    sim_tally tally = {.from_iteration = from, .to_iteration = to};
    tacho_insn_report *reports = add_reports(p);
    if (!reports || alloc_tally(&tally, &p->memory, s->b->insn_count) || list_port_sets(r, s->b, &p->memory))
        return TACHO_ERR_MEMORY;
    s->tally = &tally;
    rerun(s, to);
    s->tally = NULL;
    for (uint32_t i = 0; i < s->b->insn_count; i++)
        fill_report(&reports[i], s, &tally, i);
    account_topdown(&tally, &r->topdown);
    return 0;
}

/* One more identical run, for the listener. What a callback returns is passed on. */
static int run_trace(tacho_predictor *p, uint32_t to, tacho_error *err)
{
    sim *s = p->machine;
    const tacho_trace_listener *l = p->options.trace;
    uint32_t end = l->max_iterations ? l->max_iterations : to;
    uint32_t cycles = l->max_cycles ? l->max_cycles : MAX_CYCLES_PER_RUN;
    s->trace = sim_trace_new(&p->memory, l);
    if (!s->trace)
        return tacho_no_memory(err);
    sim_reset(s);
    while (sim_iterations(s) < end && (uint32_t)s->cycle < cycles && !predictor_is_stuck(s) &&
           !sim_trace_status(s->trace))
        sim_tick(s);
    int status = sim_trace_status(s->trace);
    s->trace = NULL;
    return status;
}

/* One more identical run, until so many iterations have retired. */
static int count_run(tacho_predictor *p, tacho_error *err)
{
    sim *s = p->machine;
    uint32_t wanted = p->options.run_iterations;
    rerun(s, wanted);
    if (sim_iterations(s) < wanted)
        return tacho_error_set(err, TACHO_ERR_LIMIT, "%u iterations take more than %d cycles; ask for fewer",
                               wanted, MAX_CYCLES_PER_RUN);
    p->result.run_iterations = wanted;
    p->result.run_cycles = (uint32_t)s->retired[wanted - 1].cycle + 1;
    return 0;
}

static void add_critical_cycle(tacho_predictor *p, const critical_cycle *c)
{
    tacho_prediction *r = &p->result;
    r->critical_cycle = c->insns;
    r->critical_latencies = c->latencies;
    r->critical_cycle_length = c->count;
    r->critical_cycle_iterations = c->iterations;
    for (uint32_t k = 0; r->instruction_count && k < c->count; k++) {
        tacho_insn_report *i = &p->reports[c->insns[k]];
        i->notes |= TACHO_NOTE_CRITICAL;
        i->critical_latency =
            isnan(i->critical_latency) ? c->latencies[k] : i->critical_latency + c->latencies[k];
    }
}

static void add_reasons(tacho_predictor *p, const bounds_reasons *why)
{
    add_critical_cycle(p, &why->critical);
    p->result.busiest_ports = why->busiest.ports;
    p->result.busiest_cycles = why->busiest.cycles;
}

OPTIONS_DEFINE(predict, TACHO_PREDICT_OPTIONS_INIT)

static int check_options(tacho_predict_options *o, bool bounds_only, tacho_error *err)
{
    if (o->unknown == TACHO_UNKNOWN_LATENCY &&
        (o->unknown_latency < 1 || o->unknown_latency > TACHO_MAX_UNKNOWN_LATENCY))
        return tacho_error_set(err, TACHO_ERR_USAGE,
                               "a latency of unknown instructions of %u cycles is not in 1..%d",
                               o->unknown_latency, TACHO_MAX_UNKNOWN_LATENCY);
    if (o->slow_load_count && (o->slow_load_cycles < 1 || o->slow_load_cycles > TACHO_MAX_SLOW_LOAD))
        return tacho_error_set(err, TACHO_ERR_USAGE, "loads that take %u cycles more: 1 to %d can be had",
                               o->slow_load_cycles, TACHO_MAX_SLOW_LOAD);
    if (o->alignment > 63)
        return tacho_error_set(err, TACHO_ERR_USAGE, "alignment %u is not in 0..63", o->alignment);
    if (o->min_cycles > 1000000 || o->min_iterations > 1000000)
        return tacho_error_set(err, TACHO_ERR_USAGE, "more than 1000000 cycles or iterations asked for");
    const uint32_t moves = TACHO_VARIANT_NO_MOVE_ELIMINATION | TACHO_VARIANT_FULL_MOVE_ELIMINATION;
    if ((o->variants & moves) == moves)
        return tacho_error_set(err, TACHO_ERR_USAGE, "no move elimination or full, not both");
    int rc = alias_check(o->aliases, o->alias_count, err);
    if (rc)
        return rc;
    if (o->variants >> TACHO_VARIANT_COUNT)
        return tacho_error_set(err, TACHO_ERR_USAGE, "there are no variants 0x%x", o->variants);
    if (o->variants & TACHO_VARIANT_SIMPLE_FRONT_END)
        o->ideal |= TACHO_IDEAL_FRONT_END;
    if (o->trace && o->trace->max_iterations > 1000000)
        return tacho_error_set(err, TACHO_ERR_USAGE, "more than 1000000 iterations to be traced");
    if (bounds_only && o->trace)
        return tacho_error_set(err, TACHO_ERR_USAGE, "a trace needs a simulation; the bounds have none");
    if (o->run_iterations > TACHO_MAX_RUN_ITERATIONS)
        return tacho_error_set(err, TACHO_ERR_USAGE, "a run of more than %d iterations asked for",
                               TACHO_MAX_RUN_ITERATIONS);
    if (o->run_iterations && (bounds_only || o->once))
        return tacho_error_set(err, TACHO_ERR_USAGE, "a run of iterations needs a simulation of a loop");
    if (o->once && (bounds_only || o->details || o->trace || o->mode == TACHO_MODE_UNROLL))
        return tacho_error_set(err, TACHO_ERR_USAGE,
                               "a stretch of a run has no bounds, details, trace or unrolled copies");
    if (o->once)
        o->mode = TACHO_MODE_LOOP;
    if (o->min_iterations < MIN_ITERATIONS)
        o->min_iterations = MIN_ITERATIONS;
    if (o->min_cycles < MIN_CYCLES)
        o->min_cycles = MIN_CYCLES;
    return 0;
}

static void set_unknown(double *numbers, size_t count)
{
    while (count--)
        numbers[count] = NAN;
}

static int compute_bounds(tacho_predictor *p, bounds_reasons *why)
{
    tacho_prediction *r = &p->result;
    const bounds_input in = {.b = &p->code,
                             .layout = &p->layout,
                             .options = &p->options,
                             .source = r->source,
                             .decoded = p->options.details || decodes(r),
                             .conflicts = r->bounds_only,
                             .memory = &p->memory};
    return bounds_compute(r->bounds, why, &in);
}

/* What follows from the bounds once the cycles are known. A repeating pattern of retirements is no proof of a
 * steady state; where it is as fast as the highest bound, nothing can be faster in the long run. */
static void look_at_bounds(tacho_predictor *p, bool found, const bounds_reasons *why)
{
    tacho_prediction *r = &p->result;
    if (found && !p->steady.exact && fabs(highest_bound(r) - r->cycles) < 1e-9)
        set_exact(r, &p->steady);
    if (p->options.bounds) {
        add_reasons(p, why);
        find_bottlenecks(r);
        return;
    }
    set_unknown(r->bounds, TACHO_MAX_BOUNDS);
}

static int find_elements(tacho_predictor *p)
{
    tacho_elements *out = &p->result.elements;
    if (p->options.elements) {
        out->count = p->options.elements;
        return 0;
    }
    return p->options.details ? elements_find(out, &p->code, &p->memory) : 0;
}

/* The highest of the bounds, in place of a simulation. */
static int predict_by_bounds(tacho_predictor *p)
{
    tacho_prediction *r = &p->result;
    p->options.bounds = true;
    if (p->options.details) {
        tacho_insn_report *reports = add_reports(p);
        if (!reports)
            return TACHO_ERR_MEMORY;
        for (uint32_t i = 0; i < p->code.insn_count; i++)
            describe_report(&reports[i], p->code.arch, &p->code.insns[i]);
    }
    bounds_reasons why = {.critical.count = 0};
    if (compute_bounds(p, &why))
        return TACHO_ERR_MEMORY;
    add_reasons(p, &why);
    r->cycles = highest_bound(r);
    find_bottlenecks(r);
    predictor_warn(p);
    return 0;
}

/* Runs the machine, and says what the run and the bounds show. */
static int predict_by_simulation(tacho_predictor *p, tacho_error *err)
{
    sim *s = p->machine;
    tacho_prediction *r = &p->result;
    bounds_reasons why = {.critical.count = 0};
    if (sim_prepare(s, &p->memory, &p->code, &p->layout, &p->options) || compute_bounds(p, &why))
        return tacho_no_memory(err);
    const steady_bounds bounds = {.highest = highest_bound(r),
                                  .front_end = highest_of(r, (2u << TACHO_BOUND_ISSUE) - 1),
                                  .uops = fmax(r->bounds[TACHO_BOUND_ISSUE], r->bounds[TACHO_BOUND_PORTS]),
                                  .chain = fmax(0, r->bounds[TACHO_BOUND_DEPENDENCIES])}; /* not NaN */
    bool found = run(s, &p->steady, &p->options, &bounds);
    uint32_t from, to;
    if (average(s, &p->steady, found, r, &from, &to))
        return tacho_error_set(err, TACHO_ERR_LIMIT, "the block did not complete two iterations in %d cycles",
                               (int)s->cycle);
    if (found && !p->steady.exact && (p->options.details || p->options.trace))
        skip_filling(s, &from, &to);
    if (p->options.details && fill_details(p, from, to))
        return tacho_no_memory(err);
    look_at_bounds(p, found, &why);
    predictor_warn(p);
    r->averaged_from = from;
    r->averaged_to = to;
    int rc = p->options.run_iterations ? count_run(p, err) : 0;
    return !rc && p->options.trace ? run_trace(p, to, err) : rc;
}

/* Whether a block that looks the same to the machine was simulated before. */
static bool is_known_by_view(tacho_predictor *p)
{
    if (!memo_applies(&p->options))
        return false;
    p->view = machine_view_of(&p->code, &p->layout, &p->options);
    return memo_find_seen(p->memo, &p->result, &p->view, p->result.arch, &p->options);
}

/* Predicts the code that the cache has taken in; `arch` is already changed by the variants. */
static int predict_afresh(tacho_predictor *p, const tacho_arch *arch, const uint8_t *code, size_t size,
                          tacho_error *err)
{
    tacho_prediction *r = &p->result;
    int rc = tacho_block_build(&p->code, &p->memory, p->cache, arch, code, size, &p->options, err);
    if (rc)
        return rc;
    block_make_ideal(&p->code, &p->options);
    if (dsb_layout_make(&p->layout, &p->code, &p->memory) || find_elements(p))
        return tacho_no_memory(err);
    r->mode = p->code.mode;
    r->source = p->options.ideal & TACHO_IDEAL_FRONT_END && p->code.laminated_count
                    ? TACHO_SOURCE_LSD
                    : dsb_layout_source(&p->layout, &p->code);
    if (r->bounds_only)
        return predict_by_bounds(p) ? tacho_no_memory(err) : 0;
    if (p->options.once)
        return predictor_run_once(p, err);
    return is_known_by_view(p) ? 0 : predict_by_simulation(p, err);
}

static int predict(tacho_predictor *p, const tacho_arch *arch, const uint8_t *code, size_t size,
                   const tacho_predict_options *options, bool bounds_only, const tacho_prediction **out,
                   tacho_error *err)
{
    *out = NULL;
    int rc = OPTIONS_TAKE(predict, &p->options, options, err);
    if (rc || (rc = check_options(&p->options, bounds_only, err)) || (rc = tacho_arch_check(arch, err)))
        return rc;
    arena_reset(&p->memory);
    p->result = (tacho_prediction){
        .arch = arch,
        .variants = p->options.variants,
        .warnings = p->warnings,
        .bounds_only = bounds_only,
        .unknown = p->options.unknown,
        .unknown_latency = p->options.unknown == TACHO_UNKNOWN_LATENCY ? p->options.unknown_latency : 0,
        .is_path = p->options.pieces && p->options.piece_count};
    _Static_assert(!(sizeof(tacho_topdown) % sizeof(double)), "numbers alone");
    set_unknown((double *)&p->result.topdown, sizeof p->result.topdown / sizeof(double));
    set_unknown(p->result.bounds, TACHO_MAX_BOUNDS);
    const tacho_arch *variant = block_variant_arch(&p->variant, arch, p->options.variants);
    if (tacho_insn_cache_take(p->cache, variant, p->options.variants, code, size))
        return tacho_no_memory(err);
    bool remembers = !bounds_only && memo_applies(&p->options);
    if (!remembers || !memo_find(p->memo, &p->result, p->cache, arch, &p->options)) {
        if ((rc = predict_afresh(p, variant, code, size, err)))
            return rc;
        if (remembers)
            memo_keep(p->memo, &p->result, p->cache, &p->code, &p->options);
    }
    *out = &p->result;
    return 0;
}

int tacho_predict(tacho_predictor *p, const tacho_arch *arch, const uint8_t *code, size_t size,
                  const tacho_predict_options *options, const tacho_prediction **out, tacho_error *err)
{
    return predict(p, arch, code, size, options, false, out, err);
}

int tacho_predict_bounds(tacho_predictor *p, const tacho_arch *arch, const uint8_t *code, size_t size,
                         const tacho_predict_options *options, const tacho_prediction **out, tacho_error *err)
{
    return predict(p, arch, code, size, options, true, out, err);
}
