/* hot_memory.c - whether a place waits for memory: each operand's latency or lines, by its footprint and the
 * machine's figures; loads of a chain one after the other, those at random as many at a time as the core has
 * under way, or as a set of the first level lets in, streams by bandwidth (study/loop_data).
 *
 * Which level an operand finds its lines in follows from how many others are accessed until it comes back to
 * one (the reuse distance, here of even access; Eklov and Hagersten 2010, StatStack, have it in general): its
 * own footprint, and of each other operand what that goes over in the meantime. Where lines were watched
 * (hot_reuse.c) and certainly contradict that, they count: other places have pushed the lines out, or the
 * operand stays in a part of its footprint for a while. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpus.h"
#include "base/names.h"
#include "base/str.h"
#include "program/hot/memory_model.h"
#include "study/loop_data/streams_internal.h"
#include "x86/arch/arch_struct.h"
#include "x86/decode/insn_struct.h"
#include "x86/decode/ops.h"

enum {
    LINE = TACHO_MEMORY_LINE_BYTES,
    PREFETCHED_STRIDE = 2048, /* beyond, one prefetcher for strides, of pages of 4 KiB, has no use */
    USUAL_IN_FLIGHT = 16,     /* misses of the first level, that cores have under way at a time */
    PAGE = 4096,
    PAGE_LINES = PAGE / LINE
};

bool memory_model_is_lead(const tacho_hot_operand *o)
{
    return o->shares < 0 && o->pattern != TACHO_HOT_UNSEEN && isfinite(o->footprint);
}

bool memory_model_is_random(const tacho_hot_operand *o)
{
    return o->pattern == TACHO_HOT_RANDOM || o->pattern == TACHO_HOT_ROWS ||
           (o->pattern == TACHO_HOT_CHAIN && !o->in_order) ||
           (o->pattern == TACHO_HOT_STRIDE && llabs(o->stride) > PREFETCHED_STRIDE);
}

double memory_model_lines(const tacho_hot_operand *o)
{
    double stride = (double)llabs(o->stride);
    return o->pattern == TACHO_HOT_ONE_PLACE ? 0
           : o->stride                       ? fmin(stride / LINE, 1)
           : memory_model_is_random(o)       ? 1
                                             : fmin((double)o->bytes / LINE, 1);
}

static double own_bytes(const tacho_hot_operand *o)
{
    return isfinite(o->reach) ? o->reach : o->footprint;
}

bool memory_model_is_same_data(const tacho_hot_operand *a, const tacho_hot_operand *b)
{
    const double first = (double)(a->first > b->first ? a->first : b->first);
    const double last = (double)(a->last < b->last ? a->last : b->last);
    return last - first > 0.5 * (double)(a->last - a->first) &&
           last - first > 0.5 * (double)(b->last - b->first);
}

/* Bytes of all operands that are accessed until this one comes back to a line, of `own` in between. */
static double reuse_bytes(const memory_model *m, size_t number, double own)
{
    const double rounds = own / LINE / fmax(memory_model_lines(&m->operands[number]), 1e-9);
    double sum = own;
    for (size_t i = 0; i < m->count; i++)
        if (i != number && memory_model_is_lead(&m->operands[i]) &&
            !memory_model_is_same_data(&m->operands[i], &m->operands[number]))
            sum += fmin(own_bytes(&m->operands[i]), rounds * memory_model_lines(&m->operands[i]) * LINE);
    return sum;
}

/* Of a load there: with huge pages, and the rest. */
static void latency_at(memory_model *m, size_t number, double bytes, double share)
{
    const uint64_t b = (uint64_t)fmin(bytes, 0x1p62);
    const double huge = isfinite(m->operands[number].huge) ? m->operands[number].huge : 0;
    const double large = tacho_memory_load_cycles(m->machine, b, TACHO_MEMORY_2M);
    const double small = fmax(tacho_memory_load_cycles(m->machine, b, TACHO_MEMORY_4K), large);
    m->latency[number] += share * (huge * large + (1 - huge) * small);
    m->tlb[number] += share * (1 - huge) * (small - large);
}

/* At how many places of their pages lines lie that are a stride apart: in so many sets of the first level. */
static double places_of(const tacho_hot_operand *o)
{
    uint64_t stride = (uint64_t)llabs(o->stride), places = PAGE_LINES;
    for (uint64_t lines = stride / LINE; stride % LINE == 0 && places > 1 && lines % 2 == 0; lines /= 2)
        places /= 2;
    return stride ? (double)places : PAGE_LINES;
}

/* The level that holds a line of each row until it is come back to: of those at one place of their pages it
 * has as many as was measured, or as it has pages; they take the same part of its room. */
static uint32_t level_of_rows(const memory_model *m, size_t number)
{
    const tacho_hot_operand *o = &m->operands[number];
    const double own = own_bytes(o), lines = own / (double)llabs(o->stride), places = places_of(o);
    uint32_t level = 0;
    for (; level + 1 < m->machine->level_count; level++) {
        const tacho_memory_level *l = &m->machine->levels[level];
        const double room = (double)l->bytes, held = isfinite(l->set_lines) ? l->set_lines : room / PAGE;
        const double taken = fmax(lines * LINE, lines / places / held * room);
        if (reuse_bytes(m, number, fmin(taken, own)) <= room)
            break;
    }
    return level;
}

/* Of a load whose page is one of so many small ones. */
static double translation_cycles(const tacho_memory *m, double pages)
{
    double sum = 0;
    for (uint32_t i = 0; i < m->tlb_count; i++)
        sum += pages > m->tlb[i].entries && isfinite(m->tlb[i].miss_cycles) ? m->tlb[i].miss_cycles : 0;
    return sum;
}

/* A set of the first level takes one line after the other. */
static void wait_for_set(memory_model *m, size_t number, uint32_t level, double share)
{
    const uint32_t last = m->machine->level_count > 1 ? m->machine->level_count - 2 : 0;
    const double cycles = m->machine->levels[level < last ? level : last].set_cycles;
    if (isfinite(cycles))
        m->set[number] += share * cycles / places_of(&m->operands[number]);
}

/* ---- watched lines ---- */

/* The share of touches until whose next one more bytes are touched. */
static double beyond(const double *lines, double bytes)
{
    double n = 0;
    for (size_t i = 0; i < TACHO_HOT_REUSE_PARTS; i++)
        n += lines[i] * LINE > bytes;
    return n / TACHO_HOT_REUSE_PARTS;
}

static double level_bytes(const memory_model *m, uint32_t level)
{
    return (double)m->machine->levels[level].bytes;
}

/* Whether they do not come from where the footprint has them: further away, or most from nearer, and not only
 * since they share a set of the cache. What is in the first level or in the second takes too short a time to
 * be told apart. */
static bool is_contradicted(const memory_model *m, size_t number, uint32_t level)
{
    const tacho_hot_reuse *r = m->reuse[number];
    const double some = 0.25, most = 0.5;
    const uint32_t near = level ? level : 1;
    if (!r || m->machine->level_count < 2)
        return false;
    if (near + 1 < m->machine->level_count && beyond(r->low, level_bytes(m, near)) > some)
        return true;
    return level > 1 && places_of(&m->operands[number]) == PAGE_LINES &&
           beyond(r->high, level_bytes(m, level - 1)) < most;
}

/* The share of its lines that come from this level, or from behind it. Watched ones of a place that waits
 * come from the second level at least. One of twenty that comes from memory would outweigh the others, and
 * may be chance: what is certain of them counts. */
static double passing(const memory_model *m, size_t number, uint32_t level)
{
    if (!m->by_reuse[number])
        return (int32_t)level <= m->level[number];
    return level > 1 ? beyond(m->reuse[number]->low, level_bytes(m, level - 1)) : 1;
}

/* The level that most of the waiting is for. */
static void find_level(memory_model *m, size_t number)
{
    const uint32_t level =
        tacho_memory_level_of(m->machine, (uint64_t)reuse_bytes(m, number, own_bytes(&m->operands[number])));
    double most = 0;
    m->level[number] = (int32_t)level;
    m->by_reuse[number] = is_contradicted(m, number, level);
    for (uint32_t l = 0; m->by_reuse[number] && l < m->machine->level_count; l++) {
        const double here = (l ? passing(m, number, l) : 1) -
                            (l + 1 < m->machine->level_count ? passing(m, number, l + 1) : 0);
        if (here * m->machine->levels[l].latency_cycles > most) {
            most = here * m->machine->levels[l].latency_cycles;
            m->level[number] = (int32_t)l;
        }
    }
}

/* Lines that were not waited for long enough are at least as far as all that the place accesses. */
static void watched_latency(memory_model *m, size_t number)
{
    const double nearest = level_bytes(m, 1) / 2, last = 4 * level_bytes(m, m->machine->level_count - 2),
                 furthest = fmax(last, own_bytes(&m->operands[number]));
    for (size_t i = 0; i < TACHO_HOT_REUSE_PARTS; i++)
        latency_at(m, number, fmin(fmax(m->reuse[number]->low[i] * LINE, nearest), furthest),
                   1.0 / TACHO_HOT_REUSE_PARTS);
}

/* Rows are come back to from one execution of the loop to the next, for as long as their lines last. */
static void find_latency(memory_model *m, size_t number)
{
    const tacho_hot_operand *o = &m->operands[number];
    const double own = own_bytes(o);
    double share = 1;
    const uint32_t far = (uint32_t)m->level[number];
    if (m->by_reuse[number]) {
        watched_latency(m, number);
        wait_for_set(m, number, far, 1);
        return;
    }
    if (o->pattern == TACHO_HOT_ROWS) {
        const uint32_t level = level_of_rows(m, number);
        const double pages = own / fmax((double)llabs(o->stride), PAGE);
        const double small = isfinite(o->huge) ? 1 - o->huge : 1;
        share = fmin((double)o->bytes / LINE, 1);
        m->tlb[number] = (1 - share) * small * translation_cycles(m->machine, pages);
        m->latency[number] = (1 - share) * m->machine->levels[level].latency_cycles + m->tlb[number];
        m->level[number] = (int32_t)level;
        wait_for_set(m, number, level, 1 - share);
    }
    latency_at(m, number, reuse_bytes(m, number, own), share);
    wait_for_set(m, number, far, share);
}

/* Cycles of an iteration, of accesses that do not wait for each other. */
static double random_cycles(const memory_model *m, size_t number, double latency)
{
    return memory_model_lines(&m->operands[number]) * fmax(latency / m->in_flight, m->set[number]);
}

static double first_latency(const memory_model *m)
{
    return m->machine->levels[0].latency_cycles;
}

/* Whether the lines of an operand, or of those that share them, are read; stored to. */
static void directions(const memory_model *m, size_t number, bool *loads, bool *stores)
{
    *loads = *stores = false;
    for (size_t i = 0; i < m->count; i++)
        if (i == number || m->operands[i].shares == (int32_t)number) {
            *stores |= m->operands[i].stores;
            *loads |= m->operands[i].loads;
        }
}

static bool is_stream(const memory_model *m, size_t number)
{
    return memory_model_is_lead(&m->operands[number]) && !memory_model_is_random(&m->operands[number]) &&
           m->level[number] > 0;
}

/* Cycles of an iteration that the lines of all streams take; each one's part is by what it takes alone. */
static void run_streams(memory_model *m)
{
    data_lines lines[TACHO_MEMORY_LEVELS] = {{0}};
    double loads = 0, stores = 0, alone = 0;
    for (size_t i = 0; i < m->count; i++) {
        bool read, written;
        loads += m->operands[i].loads;
        stores += m->operands[i].stores;
        if (!is_stream(m, i))
            continue;
        directions(m, i, &read, &written);
        const bool past = m->past[i] && written && !read;
        const tacho_memory_level *level = &m->machine->levels[m->level[i]];
        const double bytes = written ? level->store_bytes_per_cycle : level->load_bytes_per_cycle;
        if (!isfinite(bytes))
            continue;
        const double crossing = memory_model_lines(&m->operands[i]);
        if (past)
            lines[m->machine->level_count - 1].past += crossing;
        for (uint32_t l = 1; l < m->machine->level_count && !past; l++)
            *(written ? &lines[l].written : &lines[l].read) += crossing * passing(m, i, l);
        m->part[i] = crossing * LINE / bytes;
        alone += m->part[i];
    }
    if (!(alone > 0))
        return;
    m->stream = data_transfer_cycles(m->machine, m->arch, lines, m->machine->level_count - 1) +
                data_exposed_cycles(m->arch, loads, stores);
    for (size_t i = 0; i < m->count; i++)
        m->part[i] *= is_stream(m, i) ? m->stream / alone : 1;
}

/* As many as were measured of memory, at random places that do not wait for each other. */
static double most_in_flight(const tacho_memory *m)
{
    const tacho_memory_level *last = &m->levels[m->level_count - 1];
    const double many = last->latency_cycles / last->random_cycles;
    return many >= 1 && isfinite(many) ? many : USUAL_IN_FLIGHT;
}

/* The misses under way at a time: those of the iterations that the core has in its window, and whose waiting
 * instructions it can hold. */
static double in_flight(const memory_model *m, double misses)
{
    const double most = most_in_flight(m->machine);
    double rounds = m->uops > 0 ? m->window / m->uops : 1;
    for (size_t i = 0; i < m->count && m->scheduler > 0; i++)
        if (m->level[i] > 0 && memory_model_is_random(&m->operands[i]) && m->operands[i].waiting)
            rounds = fmin(rounds, m->scheduler / m->operands[i].waiting);
    return m->all_in_flight ? most : fmin(fmax(rounds * misses, 1), most);
}

void memory_model_run(memory_model *m)
{
    double misses = 0;
    m->chain = m->random = m->stream = 0;
    m->in_flight = NAN;
    memset(m->latency, 0, sizeof m->latency);
    memset(m->tlb, 0, sizeof m->tlb);
    memset(m->set, 0, sizeof m->set);
    memset(m->part, 0, sizeof m->part);
    memset(m->by_reuse, 0, sizeof m->by_reuse);
    for (size_t i = 0; i < m->count; i++) {
        const tacho_hot_operand *o = &m->operands[i];
        m->level[i] = -1;
        if (!memory_model_is_lead(o))
            continue;
        find_level(m, i);
        if (!memory_model_is_random(o))
            continue;
        find_latency(m, i);
        m->part[i] = m->latency[i] - first_latency(m);
        if (o->pattern == TACHO_HOT_CHAIN)
            m->chain += m->part[i] / m->chains;
        else if (m->level[i])
            misses += memory_model_lines(o);
    }
    run_streams(m);
    if (misses > 0)
        m->in_flight = in_flight(m, misses);
    for (size_t i = 0; i < m->count; i++) {
        const tacho_hot_operand *o = &m->operands[i];
        if (!memory_model_is_lead(o) || !memory_model_is_random(o) || o->pattern == TACHO_HOT_CHAIN)
            continue;
        m->part[i] = m->level[i] ? random_cycles(m, i, m->latency[i]) : 0;
        m->tlb[i] = m->level[i] ? m->part[i] - random_cycles(m, i, m->latency[i] - m->tlb[i]) : 0;
        m->random += m->part[i];
    }
    /* An iteration makes room in the window for a further one when its own work is done, too. While a line
     * comes into the first level, that serves no load. */
    const double own = misses > 0 && !m->all_in_flight ? m->predicted * misses / m->in_flight : 0;
    m->cycles = fmax(m->predicted + m->chain, m->random + own + m->stream);
}

bool memory_model_is_chain(const memory_model *m)
{
    return m->chain > m->stream && m->predicted + m->chain >= m->random + m->stream;
}

/* ---- what is said of a place ---- */

/* As many as its time is that of; NaN: of none. */
static double in_flight_of(const memory_model *m, size_t number)
{
    return memory_model_is_random(&m->operands[number]) && m->part[number] > 0
               ? m->latency[number] * memory_model_lines(&m->operands[number]) / m->part[number]
               : m->in_flight;
}

/* Each operand's part of the cycles that are beyond the prediction, `scale` of those estimated. */
static void share_out(tacho_hot_memory *out, const memory_model *m, double scale)
{
    const bool chain = memory_model_is_chain(m);
    double sum = chain ? m->chain : m->random + m->stream, most = 0, tlb = 0;
    double all = (m->cycles - m->predicted) * scale;
    for (size_t i = 0; i < m->count; i++) {
        const tacho_hot_operand *o = &m->operands[i];
        tacho_hot_operand_wait *w = &out->waits[i];
        if (!memory_model_is_lead(o) || chain != (o->pattern == TACHO_HOT_CHAIN && !o->in_order) ||
            !(sum > 0))
            continue;
        w->cycles = m->part[i] / sum * all;
        const double of = o->pattern == TACHO_HOT_CHAIN ? m->latency[i] : m->part[i];
        w->tlb_cycles = of > 0 ? w->cycles * fmin(m->tlb[i] / of, 1) : 0;
        tlb += w->tlb_cycles;
        if (w->cycles > most) {
            out->operand = i;
            most = w->cycles;
        }
    }
    out->limit = tlb > all / 2                                        ? TACHO_HOT_WAIT_TLB
                 : memory_model_is_random(&m->operands[out->operand]) ? TACHO_HOT_WAIT_LATENCY
                                                                      : TACHO_HOT_WAIT_BANDWIDTH;
    out->dependent = chain;
    out->in_flight = chain ? 1 : in_flight_of(m, out->operand);
}

static bool is_non_temporal(const tacho_hot_place *place, size_t number)
{
    tacho_insn insn;
    const size_t at = place->operands[number].insn;
    return at < place->insn_count &&
           !tacho_decode(&insn, place->insns[at].bytes, place->insns[at].length, NULL) &&
           insn_is(&insn, INSN_PAST_CACHES);
}

/* Whether the operands go beyond the first level, as the kernel has its size. */
static bool is_large(const tacho_hot_place *place)
{
    data_cache caches[CACHES_MOST];
    size_t n = caches_read("", 0, caches);
    for (size_t i = 0; i < place->operand_count && n; i++)
        if (memory_model_is_lead(&place->operands[i]) &&
            own_bytes(&place->operands[i]) > (double)caches[0].bytes)
            return true;
    return false;
}

static void say_nothing(tacho_hot_memory *out)
{
    *out = (tacho_hot_memory){.cycles = NAN, .explained = NAN, .in_flight = NAN};
    for (size_t i = 0; i < TACHO_HOT_MOST_OPERANDS; i++)
        out->waits[i].level = -1;
}

static void say_misses(tacho_hot_operand_wait *out, const tacho_memory *machine, const tacho_hot_reuse *r)
{
    out->cache_count = r->watched ? machine->level_count - 1 : 0;
    for (uint32_t l = 0; l < out->cache_count; l++) {
        const double bytes = (double)machine->levels[l].bytes;
        out->misses[l] =
            (tacho_hot_misses){beyond(r->lines, bytes), beyond(r->low, bytes), beyond(r->high, bytes)};
    }
}

void tacho_hot_memory_of(tacho_hot_memory *out, const tacho_memory *machine, const tacho_hot_place *place,
                         const tacho_prediction *prediction)
{
    const double least = 0.25, much = 1.5;
    memory_model m = {.machine = machine, .count = place->operand_count, .chains = 1};
    say_nothing(out);
    const double observed = place->observed_cycles, predicted = prediction ? prediction->cycles : NAN;
    const bool waits = observed > TACHO_HOT_LIMITED * predicted;
    if (!machine || !prediction) {
        out->no_machine = !machine && waits && is_large(place);
        return;
    }
    m.predicted = predicted;
    m.arch = prediction->arch;
    for (size_t i = 0; i < prediction->instruction_count; i++)
        m.uops += prediction->instructions[i]->uops_issued;
    m.window = prediction->arch->rob_entries;
    m.scheduler = prediction->arch->alu_scheduler_entries ? prediction->arch->alu_scheduler_entries
                                                          : prediction->arch->rs_entries;
    memcpy(m.operands, place->operands, m.count * sizeof *m.operands);
    for (size_t i = 0; i < m.count && place->reuse; i++)
        m.reuse[i] = waits && place->reuse[i].watched ? &place->reuse[i] : NULL;
    for (size_t i = 0; i < m.count; i++)
        m.past[i] = is_non_temporal(place, i);
    memory_model_run(&m);
    for (size_t i = 0; i < m.count; i++) {
        out->waits[i].level = m.level[i];
        out->waits[i].by_reuse = m.by_reuse[i];
        if (place->reuse)
            say_misses(&out->waits[i], machine, &place->reuse[i]);
    }
    out->cycles = m.cycles;
    const double gap = observed - predicted, found = m.cycles - predicted;
    if (!waits || !(found > 0))
        return;
    out->explained = fmin(found / gap, 1);
    if (out->explained <= least)
        return;
    share_out(out, &m, fmin(gap / found, 1));
    if (!m.operands[out->operand].samples && found > much * gap) /* its size was a guess, and a wrong one */
        say_nothing(out);
    else
        memory_remedies(out, &m, observed);
}

NAMES_OF(tacho_hot_wait_name, tacho_hot_wait, "", "", "latency", "bandwidth", "tlb")
