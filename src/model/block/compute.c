/* compute.c - the computing µops of an instruction.
 *
 * The table gives the latency of each (input, output) pair, not which µop does what. Outputs that depend on
 * the same inputs are a class, with a last µop of its own (shl r, cl: the flags depend on the old flags, the
 * register does not). Within a class, inputs that are needed later enter later: the µops form a chain with
 * one link for each level of input latency. µops that are left over take the earliest inputs and produce
 * nothing that anybody waits for. */
#include "model/block/lower.h"

#include <string.h>

static const tacho_latency *find_latency(const block_insn *bi, uint8_t from, uint8_t to)
{
    for (int i = 0; i < bi->facts->figures.latency_count; i++)
        if (bi->facts->figures.latencies[i].source == from && bi->facts->figures.latencies[i].target == to)
            return &bi->facts->figures.latencies[i];
    return NULL;
}

static int path_latency(const lowering *l, const tacho_latency *lat, const input *in)
{
    if (!lat)
        return -1;
    switch (in->role) {
    case INPUT_ADDRESS_BASE:
        return lat->address;
    case INPUT_ADDRESS_INDEX:
        return lat->address_index >= 0 ? lat->address_index : lat->address;
    case INPUT_LOADED:
        return lat->address >= 0 ? lat->address : lat->address_index;
    default:
        return l->same_registers && lat->same_register >= 0 ? lat->same_register : lat->cycles;
    }
}

/* Cycles from an input to an output, the load included; -1 where the table does not say. */
int lower_path_latency(const lowering *l, const input *in, const output *out)
{
    return path_latency(l, find_latency(l->bi, in->operand, out->operand), in);
}

/* Cycles of these that the computing part takes; `lat`: the latencies of the table. */
static int compute_latency(const lowering *l, const tacho_latency *lat, int cycles, const input *in,
                           const output *out)
{
    if (in->role == INPUT_LOADED && out->memory && lat && lat->memory >= 0) {
        /* from store to load and through the computing part, forwarding included */
        const tacho_arch *arch = l->b->arch;
        int extra = arch->store_forward_cycles + STORE_DATA_CYCLES - arch->load_latency_cycles;
        int computing = lat->memory - l->load_latency[in->mem] - extra;
        return computing > 1 ? computing : 1;
    }
    if (cycles < 0)
        return 1;
    if (in->role == INPUT_LOADED)
        cycles -= l->load_latency[in->mem];
    if (out->memory)
        cycles -= STORE_ROUND_TRIP;
    return cycles > 1 ? cycles : 1;
}

/* What a load itself takes: the way through memory less the way from the other inputs that enter at the same
 * place; without such inputs, the plain load latency. Where vector loads are not taken as measured, the
 * excess belongs to the computing part, if that has a µop to carry it. */
void lower_find_load_latencies(lowering *l, bool excess_to_computes)
{
    bool as_measured = l->b->arch->vector_loads_as_measured || !excess_to_computes;
    for (int m = 0; m < l->bi->mem_count; m++) {
        int best = -1;
        l->load_latency[m] = (int16_t)l->b->arch->load_latency_cycles;
        for (int o = 0; o < l->out_count; o++) {
            if (l->out[o].memory)
                continue;
            input loaded = {.operand = l->mem_operand[m], .role = INPUT_LOADED};
            int total = lower_path_latency(l, &loaded, &l->out[o]), shortest = -1;
            if (total < 0)
                continue;
            for (int i = 0; i < l->in_count; i++) {
                int cycles =
                    l->in[i].role == INPUT_REGISTER ? lower_path_latency(l, &l->in[i], &l->out[o]) : -1;
                if (cycles > 0 && (shortest < 0 || cycles < shortest))
                    shortest = cycles;
            }
            if (shortest > 0 && (best < 0 || total - shortest < best))
                best = total - shortest;
        }
        if (as_measured && best >= l->b->arch->load_latency_cycles)
            l->load_latency[m] = (int16_t)best;
    }
}

enum {
    MAX_CLASSES = 8,
    MAX_LEVELS = 8
};

typedef struct output_class {
    uint32_t inputs;            /* mask */
    uint32_t outputs;           /* mask */
    int16_t levels[MAX_LEVELS]; /* distinct cycles from inputs to the latest output, falling */
    int level_count;
    uint8_t result; /* temporary that a later class continues from, UNIT_NONE if none does */
} output_class;

/* Whether the table says what another input of the same register takes to the output: `mul bl` reads AL in
 * three cycles, and the rest of AX, which is only kept, is no faster way. */
static bool is_told_by_another(const lowering *l, int in, int out)
{
    for (int i = 0; i < l->in_count; i++)
        if (i != in && l->in[i].slot == l->in[in].slot && l->in[i].role == INPUT_REGISTER &&
            find_latency(l->bi, l->in[i].operand, l->out[out].operand))
            return true;
    return false;
}

/* The inputs that the output depends on; notes how long each takes. */
static uint32_t inputs_of(lowering *l, int out)
{
    uint32_t mask = 0;
    for (int i = 0; i < l->in_count; i++) {
        const tacho_latency *lat = find_latency(l->bi, l->in[i].operand, l->out[out].operand);
        int cycles = path_latency(l, lat, &l->in[i]);
        bool repeated = !lat && l->in[i].role == INPUT_REGISTER && is_told_by_another(l, i, out);
        if (cycles != 0 && !repeated)
            mask |= 1u << i;
        l->cycles[i][out] = (int16_t)compute_latency(l, lat, cycles, &l->in[i], &l->out[out]);
    }
    return mask;
}

static int find_classes(lowering *l, output_class *classes, int limit)
{
    int n = 0;
    for (int o = 0; o < l->out_count; o++) {
        uint32_t inputs = inputs_of(l, o);
        int k = 0;
        while (k < n && classes[k].inputs != inputs)
            k++;
        if (k == n && n < limit)
            classes[n++] = (output_class){.inputs = inputs, .result = UNIT_NONE};
        if (k >= n)
            k = n - 1;
        classes[k].inputs |= inputs;
        classes[k].outputs |= 1u << o;
    }
    if (n == 0) {
        classes[n++] = (output_class){.inputs = (1u << l->in_count) - 1, .result = UNIT_NONE};
    }
    return n;
}

static int first_output(const output_class *c)
{
    return c->outputs ? __builtin_ctz(c->outputs) : -1;
}

/* How many cycles after class `a` class `b` has its outputs, if that is the same for all inputs of `a`; else
 * 0. */
static int cycles_after(const lowering *l, const output_class *a, const output_class *b)
{
    int of_a = first_output(a), of_b = first_output(b), after = 0;
    if (of_a < 0 || of_b < 0 || !a->inputs || (a->inputs & ~b->inputs) || a->inputs == b->inputs)
        return 0;
    for (uint32_t m = a->inputs; m; m &= m - 1) {
        const int16_t *from = l->cycles[__builtin_ctz(m)];
        int cycles = from[of_b] - from[of_a];
        if (cycles < 1 || (after && cycles != after))
            return 0;
        after = cycles;
    }
    return after;
}

/* A class that takes the inputs of an earlier one and as many cycles more for each continues from its result.
 */
static void join_classes(lowering *l, output_class *classes, int n)
{
    for (int b = 1; b < n; b++)
        for (int a = 0; a < b; a++) {
            int cycles = cycles_after(l, &classes[a], &classes[b]);
            if (!cycles || l->in_count == MAX_INPUTS)
                continue;
            if (classes[a].result == UNIT_NONE)
                classes[a].result = lower_new_temp(l);
            classes[b].inputs &= ~classes[a].inputs;
            classes[b].inputs |= 1u << l->in_count;
            for (int o = 0; o < l->out_count; o++)
                l->cycles[l->in_count][o] = (int16_t)cycles;
            l->in[l->in_count++] = (input){.slot = classes[a].result, .role = INPUT_CHAINED};
            break;
        }
}

/* Cycles from an input to the latest output of the class. */
static int level_of(const lowering *l, const output_class *c, int in)
{
    int level = 1;
    for (int o = 0; o < l->out_count; o++) {
        int cycles = c->outputs >> o & 1 ? l->cycles[in][o] : 1;
        level = cycles > level ? cycles : level;
    }
    return level;
}

/* The distinct levels, highest first; of more than `limit` the lowest. What is measured for a pair of
 * operands is an upper bound, so where inputs of one µop differ, the lower value is nearer to the truth. */
static void find_levels(const lowering *l, output_class *c, int limit)
{
    int below = INT16_MAX;
    if (limit > MAX_LEVELS)
        limit = MAX_LEVELS;
    for (c->level_count = 0; c->level_count < MAX_LEVELS; c->level_count++) {
        int best = -1;
        for (int i = 0; i < l->in_count; i++) {
            int level = c->inputs >> i & 1 ? level_of(l, c, i) : -1;
            if (level < below && level > best)
                best = level;
        }
        if (best < 0)
            break;
        c->levels[c->level_count] = (int16_t)best;
        below = best;
    }
    int drop = c->level_count - limit;
    if (drop > 0) {
        memmove(c->levels, c->levels + drop, (size_t)limit * sizeof *c->levels);
        c->level_count = limit;
    }
}

static int level_index(const lowering *l, const output_class *c, int in)
{
    int level = level_of(l, c, in);
    for (int j = 0; j < c->level_count; j++)
        if (level >= c->levels[j])
            return j;
    return c->level_count - 1;
}

static void add_level_inputs(const lowering *l, uop *u, const output_class *c, int level)
{
    for (int i = 0; i < l->in_count; i++)
        if ((c->inputs >> i & 1) && level_index(l, c, i) == level)
            lower_add_in(u, l->in[i].slot);
}

/* From the last µop of the class, so that every path that has a level of its own has at least its measured
 * length. */
static int final_latency(const lowering *l, const output_class *c, int out)
{
    int latest = 1;
    for (int i = 0; i < l->in_count; i++) {
        if (!(c->inputs >> i & 1) || (c->level_count && level_of(l, c, i) > c->levels[0]))
            continue;
        int spent = c->levels[level_index(l, c, i)] - c->levels[c->level_count - 1];
        int cycles = l->cycles[i][out] - spent;
        latest = cycles > latest ? cycles : latest;
    }
    return latest;
}

/* A µop that brings inputs of one level forward to the last µop of the class. */
static int emit_link(lowering *l, uint16_t ports, const output_class *c, int level, uint8_t *link)
{
    uop *u = lower_add_uop(l, UOP_COMPUTE, ports);
    if (!u)
        return TACHO_ERR_MEMORY;
    add_level_inputs(l, u, c, level);
    *link = lower_new_temp(l);
    lower_add_out(u, *link, c->levels[level] - c->levels[c->level_count - 1]);
    return 0;
}

static int emit_last(lowering *l, uint16_t ports, const output_class *c, const uint8_t *links)
{
    uop *u = lower_add_uop(l, UOP_COMPUTE, ports);
    if (!u)
        return TACHO_ERR_MEMORY;
    add_level_inputs(l, u, c, c->level_count - 1);
    for (int k = 0; k + 1 < c->level_count; k++)
        lower_add_in(u, links[k]);
    for (int o = 0; o < l->out_count; o++)
        if (c->outputs >> o & 1)
            lower_add_out(u, l->out[o].slot, final_latency(l, c, o));
    if (c->result != UNIT_NONE)
        lower_add_out(u, c->result, final_latency(l, c, first_output(c)));
    return 0;
}

/* The class's µops take the port sets from `next` on: the first one is for the last µop. */
static int emit_class(lowering *l, const port_plan *p, int *next, const output_class *c)
{
    uint8_t links[MAX_LEVELS];
    int count = c->level_count > 1 ? c->level_count : 1, rc = 0;
    for (int k = 0; k + 1 < count && !rc; k++)
        rc = emit_link(l, p->compute[*next + count - 1 - k], c, k, &links[k]);
    if (!rc)
        rc = emit_last(l, p->compute[*next], c, links);
    *next += count;
    return rc;
}

static int emit_surplus(lowering *l, uint16_t ports, uint32_t inputs)
{
    uop *u = lower_add_uop(l, UOP_COMPUTE, ports);
    if (!u)
        return TACHO_ERR_MEMORY;
    for (uint32_t m = inputs; m; m &= m - 1)
        lower_add_in(u, l->in[__builtin_ctz(m)].slot);
    return 0;
}

/* Two registers changed places by three moves: neither result depends on the register's own value. Measured
 * on Cascade Lake: `xchg rax, rbx; nop` in a loop takes 1.54 cycles, as the way from one to the other and
 * back takes three. */
static bool is_exchange(const lowering *l, const port_plan *p)
{
    return l->bi->value_op == VALUE_EXCHANGE && l->bi->mem_count == 0 && p->computes == 3 &&
           l->in_count == 2 && l->out_count == 2 && l->in[0].slot == l->out[0].slot &&
           l->in[1].slot == l->out[1].slot && l->in[0].slot != l->in[1].slot;
}

static int emit_exchange(lowering *l, const port_plan *p)
{
    const uint8_t kept = lower_new_temp(l), first = l->in[0].slot, second = l->in[1].slot;
    const uint8_t moves[3][2] = {{second, kept}, {first, second}, {kept, first}};
    for (int k = 0; k < 3; k++) {
        uop *u = lower_add_uop(l, UOP_COMPUTE, p->compute[k]);
        if (!u)
            return TACHO_ERR_MEMORY;
        lower_add_in(u, moves[k][0]);
        lower_add_out(u, moves[k][1], 1);
    }
    return 0;
}

int lower_emit_computes(lowering *l, const port_plan *p)
{
    if (is_exchange(l, p))
        return emit_exchange(l, p);
    output_class classes[MAX_CLASSES];
    int n = find_classes(l, classes, p->computes < MAX_CLASSES ? p->computes : MAX_CLASSES);
    int spare = p->computes - n, next = 0, rc = 0;
    uint32_t all = (1u << l->in_count) - 1;
    join_classes(l, classes, n);
    for (int k = 0; k < n; k++) {
        find_levels(l, &classes[k], spare + 1);
        spare -= classes[k].level_count > 1 ? classes[k].level_count - 1 : 0;
    }
    for (int k = 0; k < n && !rc; k++)
        rc = emit_class(l, p, &next, &classes[k]);
    for (; next < p->computes && !rc; next++)
        rc = emit_surplus(l, p->compute[next], all);
    return rc;
}
