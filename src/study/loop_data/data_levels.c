/* data_levels.c - what an iteration takes when the loop's data come from a level behind the first.
 *
 * The machine's own streams of loads, stores and copies say what a line from a level takes; where a level
 * holds what another access of the same array has had before, the line comes from there. AMD's cores since
 * Zen overlap all transfers with each other and with the core (Hofmann et al., 2020): the longest counts.
 * Intel's do not overlap transfers with the loads and stores of the first level (Treibig, Hager, 2009): they
 * are added. Scattered loads are simulated with the level's latency, and take at least what loads take of
 * which the core has as many on their way as it can. */
#include <math.h>

#include "study/loop_data/streams_internal.h"
#include "x86/arch/arch_struct.h"

enum {
    LINE = TACHO_MEMORY_LINE_BYTES,
    PREFETCHED_STEP = 2048 /* what moves on by more is not prefetched: each step is another page or so */
};

typedef struct question {
    const tacho_memory *memory;
    const tacho_streams *streams;
    const tacho_prediction *p;
} question;

static bool overlaps(const tacho_arch *arch)
{
    return arch->port_policy == TACHO_PORTS_AT_DISPATCH;
}

int data_check_streams(const tacho_memory *memory, const tacho_arch *arch, tacho_error *err)
{
    for (uint32_t i = overlaps(arch) ? 1 : 0; i < memory->level_count; i++)
        if (isnan(memory->levels[i].load_bytes_per_cycle))
            return tacho_error_set(err, TACHO_ERR_UNSUPPORTED,
                                   "the description of the memory does not say what streams from %s take",
                                   memory->levels[i].name);
    return 0;
}

/* Cycles of a line from level `i`, to be read, to be written, or one of both; and with non-temporal stores.
 */
typedef struct line_cycles {
    double load, store, copy, past_store, past_copy;
} line_cycles;

static line_cycles cycles_of_line(const tacho_memory_level *l)
{
    line_cycles c = {LINE / l->load_bytes_per_cycle, LINE / l->store_bytes_per_cycle,
                     LINE / l->copy_bytes_per_cycle, LINE / l->past_store_bytes_per_cycle,
                     LINE / l->past_copy_bytes_per_cycle};
    if (isnan(c.store))
        c.store = 2 * c.load; /* it is read, and written back */
    if (isnan(c.copy))
        c.copy = c.load + c.store;
    if (isnan(c.past_store))
        c.past_store = c.load; /* it crosses once */
    if (isnan(c.past_copy))
        c.past_copy = c.load + c.past_store;
    return c;
}

/* Without what streams in the first level take. */
static line_cycles beyond_first(const tacho_memory *memory, const tacho_arch *arch, uint32_t level)
{
    line_cycles c = cycles_of_line(&memory->levels[level]), first = cycles_of_line(&memory->levels[0]);
    if (overlaps(arch))
        return c;
    return (line_cycles){fmax(0, c.load - first.load), fmax(0, c.store - first.store),
                         fmax(0, c.copy - first.copy), fmax(0, c.past_store - first.store),
                         fmax(0, c.past_copy - first.copy)};
}

/* Beside a line that is read, what is written takes less than alone. */
static double cycles_for(line_cycles c, data_lines x)
{
    const double both = fmin(x.read, x.written), rest = x.read - both, past = fmin(rest, x.past);
    return both * c.copy + past * c.past_copy + (rest - past) * c.load + (x.written - both) * c.store +
           (x.past - past) * c.past_store;
}

static double size_of(int64_t step)
{
    return fabs((double)step);
}

static bool is_prefetched(const tacho_stream *s)
{
    return size_of(s->step) < PREFETCHED_STEP;
}

/* Where a stream's lines come from when the data lie in `level`: those that another one has had before, from
 * what holds all that has been touched since. */
static uint32_t source_of(const question *q, const tacho_stream *s, uint32_t level)
{
    if (!s->behind)
        return level;
    const double since = (double)s->behind / size_of(s->step) * q->streams->bytes;
    const uint32_t holds = tacho_memory_level_of(q->memory, (uint64_t)(2 * since));
    return holds < level ? holds : level;
}

/* The lines that cross from `at` when the data lie in `level`; `only`: those whose way begins there. */
static data_lines lines_at(const question *q, uint32_t at, uint32_t level, bool only)
{
    data_lines out = {0};
    for (uint32_t i = 0; i < q->streams->count; i++) {
        const tacho_stream *s = &q->streams->list[i];
        const uint32_t source = source_of(q, s, level);
        if (only ? source != at : source < at)
            continue;
        out.written += s->write ? s->lines : 0;
        out.read += s->write ? 0 : s->lines;
    }
    return out;
}

/* A line takes the time of the level that it comes from, which includes that of the nearer ones. */
double data_transfer_cycles(const tacho_memory *memory, const tacho_arch *arch,
                            const data_lines lines[TACHO_MEMORY_LEVELS], uint32_t last)
{
    double longest = 0, sum = 0;
    for (uint32_t i = 1; i <= last; i++) {
        const line_cycles c = beyond_first(memory, arch, i);
        const data_lines further = i < last ? lines[i + 1] : (data_lines){0};
        longest = fmax(longest, cycles_for(c, lines[i]));
        sum += cycles_for(c, (data_lines){fmax(lines[i].read - further.read, 0),
                                          fmax(lines[i].written - further.written, 0), lines[i].past});
    }
    return overlaps(arch) ? longest : sum;
}

/* Of the streams, with their data in `level`. */
static double transfers(const question *q, uint32_t level)
{
    data_lines lines[TACHO_MEMORY_LEVELS] = {{0}};
    for (uint32_t i = 1; i <= level; i++)
        lines[i] = lines_at(q, i, level, false);
    return data_transfer_cycles(q->memory, q->p->arch, lines, level);
}

/* ---- loads that are not prefetched ---- */

typedef struct slow_loads {
    uint32_t insns[2 * TACHO_MAX_STREAMS];
    size_t count;
    double lines; /* an iteration */
} slow_loads;

static void add_slow(slow_loads *out, uint32_t insn, double lines)
{
    size_t at = out->count;
    out->lines += lines;
    while (at && out->insns[at - 1] > insn)
        at--;
    if (at && out->insns[at - 1] == insn)
        return;
    for (size_t i = out->count++; i > at; i--)
        out->insns[i] = out->insns[i - 1];
    out->insns[at] = insn;
}

static slow_loads find_slow(const tacho_streams *s)
{
    slow_loads out = {.count = 0};
    for (uint32_t i = 0; i < s->scattered_count; i++)
        add_slow(&out, s->scattered[i], 0);
    out.lines = s->scattered_loads + s->scattered_stores;
    for (uint32_t i = 0; i < s->count; i++)
        if (!is_prefetched(&s->list[i]) && s->list[i].read)
            add_slow(&out, s->list[i].insn, s->list[i].lines);
    return out;
}

/* @return 0 and *cycles, an iteration with these loads served by the level; an error of the prediction */
static int simulate(double *cycles, const question *q, const slow_loads *slow, uint32_t level,
                    tacho_predictor *predictor, const uint8_t *code, size_t size,
                    const tacho_predict_options *options, tacho_error *err)
{
    const tacho_memory_level *l = &q->memory->levels[level];
    const double more = l->latency_cycles - q->memory->levels[0].latency_cycles;
    tacho_predict_options o = *options;
    const tacho_prediction *p;
    o.details = o.bounds = false;
    o.trace = NULL;
    o.slow_loads = slow->insns;
    o.slow_load_count = more >= 1 ? slow->count : 0;
    o.slow_load_cycles = (uint32_t)fmin(fmax(more, 1), TACHO_MAX_SLOW_LOAD);
    int result = tacho_predict(predictor, q->p->arch, code, size, &o, &p, err);
    if (result)
        return result;
    *cycles = p->cycles;
    if (isfinite(l->random_cycles))
        *cycles = fmax(*cycles, slow->lines * l->random_cycles);
    return 0;
}

/* ---- all together ---- */

double data_exposed_cycles(const tacho_arch *a, double loads, double stores)
{
    const int load = __builtin_popcount(a->load_ports), store = __builtin_popcount(a->store_data_ports);
    return overlaps(a) ? 0 : fmax(loads / (load ? load : 1), stores / (store ? store : 1));
}

static void conclude(tacho_data_level *l, const tacho_data_prediction *d)
{
    const double moved = d->exposed_cycles + l->transfer_cycles;
    l->cycles = fmax(d->core_cycles, moved);
    l->limit = moved > d->core_cycles ? "transfer" : "core";
    if (l->latency_cycles > l->cycles) {
        l->cycles = l->latency_cycles;
        l->limit = "latency";
    }
}

int tacho_data_predict(tacho_data_prediction *out, const tacho_memory *memory, uint32_t level,
                       const tacho_prediction *p, tacho_predictor *predictor, const uint8_t *code,
                       size_t size, const tacho_predict_options *options, tacho_error *err)
{
    *out = (tacho_data_prediction){.level_count = memory->level_count, .level = level};
    if (level >= memory->level_count)
        return tacho_error_set(err, TACHO_ERR_USAGE, "the memory has %u levels", memory->level_count);
    int result =
        data_check_streams(memory, p->arch, err) ?: tacho_streams_find(&out->streams, code, size, err);
    if (result)
        return result;
    const question q = {memory, &out->streams, p};
    const slow_loads slow = find_slow(&out->streams);
    out->core_cycles = p->cycles;
    out->exposed_cycles = data_exposed_cycles(p->arch, out->streams.loads, out->streams.stores);
    for (uint32_t i = 0; i < memory->level_count && !result; i++) {
        tacho_data_level *l = &out->levels[i];
        const data_lines x = lines_at(&q, i, i, true);
        *l = (tacho_data_level){.name = memory->levels[i].name, .latency_cycles = NAN};
        l->lines_read = i ? x.read + x.written : 0;
        l->lines_written = i ? x.written : 0;
        l->transfer_cycles = transfers(&q, i);
        if (slow.count && i)
            result = simulate(&l->latency_cycles, &q, &slow, i, predictor, code, size, options, err);
        conclude(l, out);
    }
    return result;
}
