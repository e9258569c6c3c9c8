/* hot_weigh.c - what the causes of a place cost, and which of them are worth telling. */
#include <stdio.h>

#include "base/mem.h"
#include "base/names.h"
#include "base/number.h"
#include "machine/costs/costs.h"
#include "tacho/hot.h"
#include "x86/arch/arch_struct.h"
#include "x86/decode/operations.h"

enum {
    FROM_BYTES = 200,
    SLOW_MISS_CYCLES = 500 /* what an access to memory takes at most, for how many there can be */
};
static const double told_share = 0.02, told_rounds = 0.1, slow_hz = 2e9;

struct tacho_hot_costs {
    costs *machine;
    tacho_predictor *predictor; /* of the code that shows what failed forwarding takes */
    char mispredict[FROM_BYTES], alias[FROM_BYTES], blocked[FROM_BYTES];
};

tacho_hot_costs *tacho_hot_costs_new(void)
{
    tacho_hot_costs *c = tacho_mem_zalloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->machine = costs_new();
    c->predictor = tacho_predictor_new();
    if (c->machine && c->predictor)
        return c;
    tacho_hot_costs_free(c);
    return NULL;
}

void tacho_hot_costs_free(tacho_hot_costs *c)
{
    if (!c)
        return;
    costs_free(c->machine);
    tacho_predictor_free(c->predictor);
    tacho_mem_free(c);
}

NAMES_OF(tacho_hot_cause_name, tacho_hot_cause_kind, "", "subnormal", "line-crossing", "page-crossing",
         "forwarding", "4k-aliasing", "misprediction", "cache", "false-sharing", "true-sharing")

/* ---- what the model of the core has ---- */

static const char *from_parameter(char out[FROM_BYTES], const tacho_arch *arch, const char *name)
{
    const char *source = tacho_arch_param_source(arch, name);
    snprintf(out, FROM_BYTES, "%s of %s%s%s", name, tacho_arch_name(arch), source ? ": " : "",
             source ? source : "");
    return out;
}

/* A chain through memory in which each load needs a byte that was stored and seven that were not, less one
 * in which it gets what was stored. */
static double blocked_cycles(tacho_hot_costs *c, const tacho_arch *arch)
{
    static const uint8_t chain[] = {0x88, 0x07, 0x48, 0x8b, 0x07}; /* mov [rdi], al; mov rax, [rdi] */
    tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
    const tacho_prediction *p;
    o.mode = TACHO_MODE_UNROLL;
    o.bounds = o.details = false;
    if (!arch->blocked_load_cycles || tacho_predict(c->predictor, arch, chain, sizeof chain, &o, &p, NULL))
        return NAN;
    return p->cycles - arch->store_forward_cycles - 1;
}

/* ---- what this machine takes ---- */

static cost_arithmetic arithmetic_of(const tacho_hot_insn *insn)
{
    static const cost_arithmetic costs_of[] = {
        [FLOAT_NOT] = COST_ADD,        [FLOAT_ADD] = COST_ADD,   [FLOAT_MULTIPLY] = COST_MULTIPLY,
        [FLOAT_DIVIDE] = COST_DIVIDE,  [FLOAT_ROOT] = COST_ROOT, [FLOAT_FUSED] = COST_FUSED,
        [FLOAT_CONVERT] = COST_CONVERT};
    tacho_insn decoded;
    return tacho_decode(&decoded, insn->bytes, insn->length, NULL)
               ? COST_ADD
               : costs_of[tacho_insn_floats(&decoded).operation];
}

static cost_walk walk_of(const tacho_hot_cause *x)
{
    enum {
        PREFETCHED_STRIDE = 2048
    };
    bool near = x->stride && llabs(x->stride) <= PREFETCHED_STRIDE;
    return x->dependent ? COST_CHAIN : near ? COST_SEQUENCE : COST_RANDOM;
}

/* The last level that the data certainly do not fit, and behind which they lie all the time. Either the code
 * can have accessed as much memory as the level holds between the windows that tell this; or an iteration was
 * observed to take the time (`room`, beyond what is predicted; infinite: not observed) that this costs. */
static size_t levels_exceeded(const tacho_hot_costs *c, const tacho_hot_cause *x, double cycles, double room)
{
    const data_cache *caches;
    size_t n = costs_caches(c->machine, &caches), level = 0;
    double lines = x->share * x->a_round;
    double round = isfinite(cycles) ? cycles : 0;
    double reach = x->reach_seconds * slow_hz / (round + lines * SLOW_MISS_CYCLES) * lines * 64;
    for (; level < n && (double)x->least_bytes > (double)caches[level].bytes; level++) {
        if (reach > (double)caches[level].bytes)
            continue;
        double least = isfinite(room) ? costs_behind(c->machine, level, walk_of(x)).least : 0;
        if (!(least > 0 && x->share_low * x->a_round * least <= room))
            break;
    }
    return level;
}

static cost cache_cost(tacho_hot_costs *c, tacho_hot_cause *x, double cycles, double room)
{
    const data_cache *caches;
    size_t levels = levels_exceeded(c, x, cycles, room);
    costs_caches(c->machine, &caches);
    x->level = levels ? caches[levels - 1].level : 0;
    x->level_bytes = levels ? caches[levels - 1].bytes : 0;
    if (!levels)
        return (cost){0, 0};
    cost out = costs_behind(c->machine, levels - 1, walk_of(x));
    return x->is_store ? (cost){0, out.least} : out; /* stores wait in their buffer */
}

/* ---- one cause ---- */

static bool is_noted(const tacho_hot_insn *insn, const tacho_prediction *p, uint32_t note)
{
    return p && insn->on_path >= 0 && (size_t)insn->on_path < p->instruction_count &&
           (p->instructions[insn->on_path]->notes & note);
}

static bool waits_for_itself(const tacho_hot_cause *x, const tacho_hot_insn *insn, const tacho_prediction *p)
{
    return x->dependent || is_noted(insn, p, TACHO_NOTE_CRITICAL);
}

/* Loads that cross a line take their port twice. Where nothing waits for them, that costs time only as far as
 * the ports for loads have none to spare; and stores likewise. */
static double spare_cycles(const tacho_prediction *p, bool store)
{
    uint16_t ports = store ? p->arch->store_data_ports : p->arch->load_ports;
    double used = 0;
    for (size_t i = 0; i < p->instruction_count; i++)
        for (unsigned k = 0; k < TACHO_MAX_PORTS; k++)
            used += ports >> k & 1 ? p->instructions[i]->ports[k] : 0;
    double busy = used / bits_in_16(ports ? ports : 1);
    return isfinite(busy) && busy < p->cycles ? p->cycles - busy : 0;
}

/* `least` for each time, less what the ports have to spare in an iteration. */
static cost crossing_cost(const tacho_prediction *p, const tacho_hot_cause *x, double least)
{
    double each = least;
    if (p)
        each = fmax(0, least - spare_cycles(p, x->is_store) / (x->share * x->a_round));
    return (cost){0, each};
}

static cost cost_of(tacho_hot_costs *c, const tacho_hot_insn *insn, const tacho_prediction *p,
                    tacho_hot_cause *x, double cycles, double room)
{
    const tacho_arch *arch = p ? p->arch : NULL;
    cost out = {NAN, NAN};
    x->cycles_from = "loops that were timed on this machine";
    switch (x->kind) {
    case TACHO_HOT_SUBNORMAL:
        return costs_subnormal(c->machine, arithmetic_of(insn));
    case TACHO_HOT_LINE_CROSSING:
    case TACHO_HOT_PAGE_CROSSING:
        out = costs_crossing(c->machine, x->is_store, x->kind == TACHO_HOT_PAGE_CROSSING);
        return waits_for_itself(x, insn, p) ? out : crossing_cost(p, x, out.least);
    case TACHO_HOT_CACHE:
        return cache_cost(c, x, cycles, room);
    case TACHO_HOT_FALSE_SHARING:
    case TACHO_HOT_TRUE_SHARING:
        return costs_sharing(c->machine);
    default:
        break;
    }
    x->cycles_from = "";
    if (!arch)
        return out;
    if (x->kind == TACHO_HOT_MISPREDICTION) {
        x->cycles_from = from_parameter(c->mispredict, arch, "mispredict_cycles");
        return (cost){arch->mispredict_cycles, arch->mispredict_cycles};
    }
    if (x->kind == TACHO_HOT_ALIAS_4K) {
        x->cycles_from = from_parameter(c->alias, arch, "alias_4k_cycles");
        x->predicted = is_noted(insn, p, TACHO_NOTE_ALIAS_4K);
        return (cost){0, arch->alias_4k_cycles};
    }
    x->cycles_from = from_parameter(c->blocked, arch, "blocked_load_cycles");
    x->predicted = is_noted(insn, p, TACHO_NOTE_STORE_BLOCKED);
    return (cost){0, blocked_cycles(c, arch)};
}

/* ---- a place ---- */

static double within(double cycles, double room)
{
    return cycles > room ? room : cycles;
}

/* The data are at least so large; it was observed what they can cost at most, if they lie behind all caches.
 */
static void may_be_larger(tacho_hot_costs *c, tacho_hot_cause *x, double room)
{
    const data_cache *caches;
    double most = costs_behind(c->machine, costs_caches(c->machine, &caches) - 1, walk_of(x)).most;
    if (!(most > x->cycles_most))
        return;
    x->cycles_most = most;
    x->most = within(x->share * x->a_round * most, room);
}

static void weigh(tacho_hot_costs *c, const tacho_hot_place *place, const tacho_prediction *p,
                  tacho_hot_cause *x)
{
    enum {
        LEAST_WINDOWS = 3,
        LEAST_EXECUTIONS = 30,
        LEAST_TIMES = 5
    };
    double predicted = p ? p->cycles : NAN, observed = place->observed_cycles;
    double cycles = isfinite(observed) ? observed : predicted;
    double most = isfinite(place->observed_high) ? place->observed_high : observed;
    double room = most - predicted < INFINITY ? fmax(most - predicted, 0) : INFINITY;
    cost one = cost_of(c, &place->insns[x->insn], p, x, cycles, room);
    if (x->predicted)
        room = INFINITY;
    x->cycles_least = one.least;
    x->cycles_most = one.most;
    x->least = within(x->share_low * x->a_round * one.least, room);
    x->most = within(x->share * x->a_round * one.most, room);
    bool seen = x->windows >= LEAST_WINDOWS && x->executions >= LEAST_EXECUTIONS && x->times >= LEAST_TIMES;
    double low = within(x->share_low * x->a_round * one.most, room);
    bool large = isfinite(one.most) ? isfinite(cycles) ? low >= told_share * cycles : low > 0
                                    : x->share_low * x->a_round >= told_rounds;
    x->told = seen && large;
    if (x->kind == TACHO_HOT_CACHE && x->level && isfinite(room))
        may_be_larger(c, x, room);
}

static int most_expensive_first(const void *a_, const void *b_)
{
    const tacho_hot_cause *a = a_, *b = b_;
    double x = isfinite(a->most) ? a->most : -1, y = isfinite(b->most) ? b->most : -1;
    return ORDER(b->told, a->told) ?: ORDER(y, x) ?: ORDER(a->insn, b->insn) ?: ORDER(a->kind, b->kind);
}

size_t tacho_hot_weigh(tacho_hot_costs *c, const tacho_hot_place *place, const tacho_prediction *prediction,
                       tacho_hot_cause *out)
{
    size_t told = 0;
    for (size_t i = 0; i < place->cause_count; i++) {
        out[i] = place->causes[i];
        weigh(c, place, prediction, &out[i]);
        told += out[i].told;
    }
    tacho_sort(out, place->cause_count, sizeof *out, most_expensive_first);
    return told;
}
