/* lower.c - an instruction's figures become µops with operands and latencies.
 *
 * The figures say how many µops use which ports and how long each input takes to reach each output, not which
 * µop does what. The decomposition (pipeline model, section 6): loads feed the computing µops; these form a
 * chain in which inputs that are needed later enter later, so that each path has its own latency; the last
 * one produces the outputs; stores wait for it. Left out: instructions whose µops work in parallel on
 * different outputs. */
#include "block/block.h"

#include <string.h>

enum {
    MAX_INPUTS = 16,
    MAX_OUTPUTS = 12,
    MAX_CHAIN = 8,
    STORE_ROUND_TRIP = 4
};

typedef enum input_role {
    INPUT_REGISTER,
    INPUT_ADDRESS_BASE,
    INPUT_ADDRESS_INDEX,
    INPUT_LOADED
} input_role;

typedef struct input {
    uint8_t slot;
    uint8_t operand; /* of the form */
    uint8_t role;
    uint8_t mem;   /* INPUT_LOADED */
    int16_t level; /* cycles from here to the latest output */
} input;

typedef struct output {
    uint8_t slot;
    uint8_t operand;
    bool memory;
    int16_t latency; /* from the last computing µop */
} output;

typedef struct lowering {
    block *b;
    arena *a;
    block_insn *bi;
    input in[MAX_INPUTS];
    output out[MAX_OUTPUTS];
    int in_count, out_count;
    uint8_t mem_operand[INSN_MAX_MEM]; /* form operand of each access */
    int16_t load_latency[INSN_MAX_MEM];
    int next_temp;
    bool same_registers;
} lowering;

static uop *add_uop(lowering *l, uop_kind kind, uint16_t ports)
{
    block *b = l->b;
    if (b->uop_count == b->uop_capacity) {
        uint32_t capacity = b->uop_capacity ? 2 * b->uop_capacity : 64;
        uop *grown = arena_grow(l->a, b->uops, b->uop_count * sizeof *b->uops, capacity * sizeof *b->uops);
        if (!grown)
            return NULL;
        b->uops = grown;
        b->uop_capacity = capacity;
    }
    uop *u = &b->uops[b->uop_count++];
    memset(u, 0, sizeof *u);
    u->kind = (uint8_t)kind;
    u->ports = ports;
    u->insn = (uint16_t)(l->bi - b->insns);
    return u;
}

static void add_in(uop *u, uint8_t slot)
{
    if (slot == UNIT_NONE || u->in_count == UOP_MAX_IN)
        return;
    for (int i = 0; i < u->in_count; i++)
        if (u->in[i] == slot)
            return;
    u->in[u->in_count++] = slot;
}

static void add_out(uop *u, uint8_t slot, int latency)
{
    if (slot == UNIT_NONE || u->out_count == UOP_MAX_OUT)
        return;
    u->out[u->out_count++] = (uop_out){slot, (int16_t)latency};
    if (latency > u->max_latency)
        u->max_latency = (int16_t)latency;
}

static uint8_t new_temp(lowering *l)
{
    return (uint8_t)(TEMP_BASE + (l->next_temp < TEMP_COUNT - 1 ? l->next_temp++ : TEMP_COUNT - 1));
}

static const tacho_latency *find_latency(const block_insn *bi, uint8_t from, uint8_t to)
{
    for (int i = 0; i < bi->figures.latency_count; i++)
        if (bi->figures.latencies[i].source == from && bi->figures.latencies[i].target == to)
            return &bi->figures.latencies[i];
    return NULL;
}

/* Cycles from an input to an output, the load included; -1 where the figures do not say. */
static int path_latency(const lowering *l, const input *in, const output *out)
{
    const tacho_latency *lat = find_latency(l->bi, in->operand, out->operand);
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

/* Cycles that the computing part takes from an input to an output. */
static int compute_latency(const lowering *l, const input *in, const output *out)
{
    int cycles = path_latency(l, in, out);
    if (cycles < 0)
        return 1;
    if (in->role == INPUT_LOADED)
        cycles -= l->load_latency[in->mem];
    if (out->memory)
        cycles -= STORE_ROUND_TRIP;
    return cycles > 1 ? cycles : 1;
}

static void push_input(lowering *l, uint8_t slot, int operand, input_role role, int mem)
{
    if (slot != UNIT_NONE && l->in_count < MAX_INPUTS)
        l->in[l->in_count++] = (input){slot, (uint8_t)operand, (uint8_t)role, (uint8_t)mem, 0};
}

static void push_output(lowering *l, uint8_t slot, int operand, bool memory)
{
    if (slot != UNIT_NONE && l->out_count < MAX_OUTPUTS)
        l->out[l->out_count++] = (output){slot, (uint8_t)operand, memory, 1};
}

static bool is_partial(tacho_reg r)
{
    return r.class_ == TACHO_REG_R8L || r.class_ == TACHO_REG_R16;
}

static void collect_register(lowering *l, const tacho_form_operand *fo, int index)
{
    const block_insn *bi = l->bi;
    tacho_reg reg = fo->visibility == TACHO_SUPPRESSED ? fo->reg : bi->insn->operands[index].reg;
    uint8_t unit = block_unit(l->b->arch, reg);
    if (bi->stack_delta && unit == UNIT_RSP && fo->visibility == TACHO_SUPPRESSED)
        return; /* the stack engine's work */
    bool high8_merges = reg.class_ == TACHO_REG_R8H && !l->b->arch->high8_renamed_apart;
    bool read = (fo->access & (TACHO_READ | TACHO_CONDITIONAL)) ||
                ((fo->access & TACHO_WRITE) && (is_partial(reg) || high8_merges));
    /* A measured latency from a destination is a dependency, whatever the manual says (popcnt). */
    for (int i = 0; !read && i < bi->figures.latency_count; i++)
        read = bi->figures.latencies[i].source == index;
    if (read && !bi->same_register_kill)
        push_input(l, unit, index, INPUT_REGISTER, 0);
    if (fo->access & TACHO_WRITE)
        push_output(l, unit, index, false);
}

static void collect_memory(lowering *l, const tacho_form_operand *fo, int index)
{
    block_insn *bi = l->bi;
    if (bi->mem_count == INSN_MAX_MEM)
        return;
    mem_access *m = &bi->mem[bi->mem_count];
    *m = (mem_access){.base = UNIT_NONE,
                      .index = UNIT_NONE,
                      .bytes = (uint8_t)(fo->width_bits / 8 > 64 ? 0 : fo->width_bits / 8)};
    m->read = fo->access & TACHO_READ;
    m->write = fo->access & TACHO_WRITE;
    if (fo->visibility == TACHO_SUPPRESSED) {
        m->base = block_unit(l->b->arch, fo->base);
        m->index = block_unit(l->b->arch, fo->index);
        m->scale = m->index == UNIT_NONE ? 0 : 1;
        m->implicit_stack = bi->stack_delta != 0 && m->base == UNIT_RSP;
    } else {
        const tacho_mem *op = &bi->insn->operands[index].mem;
        if (bi->insn->operands[index].width_bits && !m->bytes)
            m->bytes = (uint8_t)(bi->insn->operands[index].width_bits / 8);
        m->base = block_unit(l->b->arch, op->base);
        m->index = block_unit(l->b->arch, op->index);
        m->scale = op->scale;
        m->disp = op->disp;
        m->unknown_address = op->vsib;
        if (op->base.class_ == TACHO_REG_RIP) /* instruction pointers of one block are constant */
            m->disp += bi->offset + bi->insn->length;
    }
    l->mem_operand[bi->mem_count++] = (uint8_t)index;
}

static void collect_flags(lowering *l, const tacho_form_operand *fo, int index)
{
    uint8_t read = fo->flags_read;
    if (fo->access & TACHO_CONDITIONAL)
        read |= fo->flags_written;
    if ((read & TACHO_FLAG_C) && !l->bi->same_register_kill)
        push_input(l, UNIT_FLAG_C, index, INPUT_REGISTER, 0);
    else if (read & TACHO_FLAG_C) /* sbb r, r depends on the carry alone */
        push_input(l, UNIT_FLAG_C, index, INPUT_REGISTER, 0);
    if (read & TACHO_FLAG_SPAZO)
        push_input(l, UNIT_FLAG_SPAZO, index, INPUT_REGISTER, 0);
    if (fo->flags_written & TACHO_FLAG_C)
        push_output(l, UNIT_FLAG_C, index, false);
    if (fo->flags_written & TACHO_FLAG_SPAZO)
        push_output(l, UNIT_FLAG_SPAZO, index, false);
}

static void collect_operands(lowering *l)
{
    block_insn *bi = l->bi;
    for (int i = 0; i < bi->form.operand_count; i++) {
        const tacho_form_operand *fo = &bi->form.operands[i];
        if (fo->kind == TACHO_OPERAND_REG) {
            collect_register(l, fo, i);
        } else if (fo->kind == TACHO_OPERAND_MEM) {
            collect_memory(l, fo, i);
        } else if (fo->kind == TACHO_OPERAND_FLAGS) {
            collect_flags(l, fo, i);
        } else if (fo->kind == TACHO_OPERAND_AGEN) {
            const tacho_mem *m = &bi->insn->operands[i].mem;
            push_input(l, block_unit(l->b->arch, m->base), i, INPUT_ADDRESS_BASE, 0);
            push_input(l, block_unit(l->b->arch, m->index), i, INPUT_ADDRESS_INDEX, 0);
        }
    }
}

/* The µops by what they do, with their port sets. */
typedef struct port_plan {
    uint16_t compute[256], load[64], store_address[32], store_data[32];
    int computes, loads, store_addresses, store_datas;
} port_plan;

static void put(uint16_t *list, int *count, int capacity, uint16_t ports)
{
    if (*count < capacity)
        list[(*count)++] = ports;
}

static void plan_ports(const lowering *l, const tacho_variant *v, port_plan *p)
{
    const tacho_arch *arch = l->b->arch;
    p->computes = p->loads = p->store_addresses = p->store_datas = 0;
    uint16_t only_store_address = arch->store_address_ports & (uint16_t)~arch->load_ports;
    for (int g = 0; g < v->group_count; g++) {
        uint16_t ports = v->groups[g].ports;
        for (int k = 0; k < v->groups[g].count; k++) {
            if (ports & only_store_address)
                put(p->store_address, &p->store_addresses, 32, ports);
            else if (ports == arch->load_ports)
                put(p->load, &p->loads, 64, ports);
            else if (ports == arch->store_data_ports)
                put(p->store_data, &p->store_datas, 32, ports);
            else
                put(p->compute, &p->computes, 256, ports);
        }
    }
    /* Without a port of their own, or with an indexed address, stores compute addresses on the load ports. */
    while (p->store_addresses < p->store_datas && p->loads > 0) {
        bool reads = false;
        for (int i = 0; i < l->bi->mem_count; i++)
            reads |= l->bi->mem[i].read;
        if (reads && p->loads == 1)
            break;
        put(p->store_address, &p->store_addresses, 32, p->load[--p->loads]);
    }
}

static bool is_vector_insn(const tacho_insn *insn)
{
    for (int i = 0; i < insn->visible_count; i++)
        if (insn->operands[i].kind == TACHO_OPERAND_REG && insn->operands[i].reg.class_ >= TACHO_REG_XMM &&
            insn->operands[i].reg.class_ <= TACHO_REG_ZMM)
            return true;
    return false;
}

static void restrict_vector_ports(const lowering *l, port_plan *p)
{
    uint16_t off = l->b->arch->simd_disabled_with_zmm_ports;
    if (!l->b->has_zmm || !off || !is_vector_insn(l->bi->insn))
        return;
    for (int i = 0; i < p->computes; i++)
        if (p->compute[i] & (uint16_t)~off)
            p->compute[i] &= (uint16_t)~off;
}

/* What a load itself takes: what is left of the way through memory when the way from the other inputs, which
 * enter at the same place, is taken off; else the plain load latency. */
static void find_load_latencies(lowering *l)
{
    for (int m = 0; m < l->bi->mem_count; m++) {
        int best = -1;
        l->load_latency[m] = (int16_t)l->b->arch->load_latency_cycles;
        for (int o = 0; o < l->out_count; o++) {
            if (l->out[o].memory)
                continue;
            input loaded = {.operand = l->mem_operand[m], .role = INPUT_LOADED};
            int total = path_latency(l, &loaded, &l->out[o]), shortest = -1;
            if (total < 0)
                continue;
            for (int i = 0; i < l->in_count; i++) {
                int cycles = l->in[i].role == INPUT_REGISTER ? path_latency(l, &l->in[i], &l->out[o]) : -1;
                if (cycles > 0 && (shortest < 0 || cycles < shortest))
                    shortest = cycles;
            }
            if (shortest > 0 && (best < 0 || total - shortest < best))
                best = total - shortest;
        }
        if (best >= l->b->arch->load_latency_cycles)
            l->load_latency[m] = (int16_t)best;
    }
}

static void set_levels(lowering *l)
{
    for (int i = 0; i < l->in_count; i++) {
        int level = 1;
        for (int o = 0; o < l->out_count; o++) {
            int cycles = compute_latency(l, &l->in[i], &l->out[o]);
            level = cycles > level ? cycles : level;
        }
        l->in[i].level = (int16_t)level;
    }
}

/* Distinct levels, highest first; at most `limit`, the rest joined with the last. */
static int distinct_levels(const lowering *l, int16_t *levels, int limit)
{
    int n = 0;
    int16_t below = INT16_MAX;
    while (n < limit) {
        int16_t best = -1;
        for (int i = 0; i < l->in_count; i++)
            if (l->in[i].level < below && l->in[i].level > best)
                best = l->in[i].level;
        if (best < 0)
            break;
        levels[n++] = below = best;
    }
    return n;
}

static int level_index(const int16_t *levels, int n, int16_t level)
{
    for (int j = 0; j < n; j++)
        if (level >= levels[j])
            return j;
    return n - 1;
}

static void add_address_inputs(lowering *l, uop *u, int mem)
{
    add_in(u, l->bi->mem[mem].base);
    add_in(u, l->bi->mem[mem].index);
}

static int nth_access(const block_insn *bi, int n, bool write)
{
    int found = -1;
    for (int m = 0; m < bi->mem_count; m++)
        if (write ? bi->mem[m].write : bi->mem[m].read) {
            found = m;
            if (n-- == 0)
                break;
        }
    return found;
}

static int emit_load(lowering *l, uint16_t ports, int n, uint8_t temp)
{
    int mem = nth_access(l->bi, n, false);
    uop *u = add_uop(l, UOP_LOAD, ports);
    if (!u)
        return TACHO_ERR_MEMORY;
    u->mem = (uint8_t)(mem < 0 ? 0 : mem);
    u->load_latency = mem < 0 ? (int16_t)l->b->arch->load_latency_cycles : l->load_latency[mem];
    u->max_latency = u->load_latency;
    if (mem >= 0) {
        add_address_inputs(l, u, mem);
        if (l->bi->mem[mem].index == UNIT_NONE && l->bi->mem[mem].base == UNIT_NONE && l->bi->mem_count == 0)
            return 0;
    }
    if (temp != UNIT_NONE)
        add_out(u, temp, u->load_latency);
    return 0;
}

/* An instruction that only loads: the load µops deliver the results. */
static int emit_pure_load(lowering *l, const port_plan *p)
{
    for (int n = 0; n < p->loads; n++) {
        int rc = emit_load(l, p->load[n], n, UNIT_NONE);
        if (rc)
            return rc;
        uop *u = &l->b->uops[l->b->uop_count - 1];
        for (int i = 0; i < l->in_count; i++)
            if (l->in[i].role == INPUT_REGISTER)
                add_in(u, l->in[i].slot);
        if (n + 1 < p->loads)
            continue;
        for (int o = 0; o < l->out_count; o++) {
            input loaded = {.operand = l->mem_operand[u->mem], .role = INPUT_LOADED, .mem = u->mem};
            int cycles = l->bi->mem_count ? path_latency(l, &loaded, &l->out[o]) : -1;
            if (cycles > 1)
                u->load_latency = (int16_t)cycles;
            add_out(u, l->out[o].slot, cycles > 1 ? cycles : u->load_latency);
        }
    }
    return 0;
}

/* Computing µops `first` .. `first + count - 1`. With n levels of input latency, the first n - 1 µops are the
 * links of a chain, the last one closes it and produces the outputs; surplus ones only take the earliest
 * inputs. */
static int emit_computes(lowering *l, const port_plan *p, int first, int count, uint8_t *link,
                         const int16_t *levels, int n)
{
    for (int c = first; c < first + count; c++) {
        bool last = c == p->computes - 1, chained = c < n - 1;
        int level = last ? n - 1 : chained ? c : 0;
        uop *u = add_uop(l, UOP_COMPUTE, p->compute[c]);
        if (!u)
            return TACHO_ERR_MEMORY;
        for (int i = 0; i < l->in_count; i++)
            if (level_index(levels, n, l->in[i].level) == level)
                add_in(u, l->in[i].slot);
        if (last || chained)
            add_in(u, *link);
        if (last) {
            for (int o = 0; o < l->out_count; o++)
                add_out(u, l->out[o].slot, l->out[o].latency);
        } else if (chained) {
            *link = new_temp(l);
            add_out(u, *link, levels[c] - levels[c + 1]);
        }
    }
    return 0;
}

/* The divider blocks port 0: the first computing µop that can only go there uses it, else the first one. */
static void mark_divider(lowering *l, uint16_t div_cycles)
{
    uop *user = NULL;
    for (uint32_t i = l->bi->uop_first; i < l->b->uop_count; i++) {
        uop *u = &l->b->uops[i];
        if (u->kind == UOP_COMPUTE && (!user || (u->ports == 1 && user->ports != 1)))
            user = u;
    }
    if (user)
        user->div_cycles = div_cycles;
}

static void set_output_latencies(lowering *l, const int16_t *levels, int n)
{
    for (int o = 0; o < l->out_count; o++) {
        int latest = 1;
        for (int i = 0; i < l->in_count; i++) {
            int spent = n ? levels[level_index(levels, n, l->in[i].level)] - levels[n - 1] : 0;
            int cycles = compute_latency(l, &l->in[i], &l->out[o]) - spent;
            latest = cycles > latest ? cycles : latest;
        }
        l->out[o].latency = (int16_t)latest;
    }
}

static int emit_stores(lowering *l, const port_plan *p, uint8_t data)
{
    int n = p->store_addresses > p->store_datas ? p->store_addresses : p->store_datas;
    for (int s = 0; s < n; s++) {
        int mem = nth_access(l->bi, s, true);
        if (s < p->store_addresses) {
            uop *u = add_uop(l, UOP_STORE_ADDRESS, p->store_address[s]);
            if (!u)
                return TACHO_ERR_MEMORY;
            u->mem = (uint8_t)(mem < 0 ? 0 : mem);
            u->max_latency = 1;
            if (mem >= 0)
                add_address_inputs(l, u, mem);
        }
        if (s < p->store_datas) {
            uop *u = add_uop(l, UOP_STORE_DATA, p->store_data[s]);
            if (!u)
                return TACHO_ERR_MEMORY;
            u->mem = (uint8_t)(mem < 0 ? 0 : mem);
            u->max_latency = 1;
            if (data != UNIT_NONE) {
                add_in(u, data);
            } else {
                for (int i = 0; i < l->in_count; i++)
                    add_in(u, l->in[i].slot);
            }
        }
    }
    return 0;
}

static int emit_uops(lowering *l, port_plan *p)
{
    int rc = 0;
    if (p->computes == 0) {
        if (p->loads && !p->store_datas)
            return emit_pure_load(l, p);
        for (int n = 0; n < p->loads && !rc; n++) {
            uint8_t temp = new_temp(l);
            rc = emit_load(l, p->load[n], n, temp);
            push_input(l, temp, 0, INPUT_LOADED, 0);
        }
        if (!rc)
            rc = emit_stores(l, p, UNIT_NONE);
        if (!rc && l->b->uop_count > l->bi->uop_first)
            for (int o = 0; o < l->out_count; o++)
                add_out(&l->b->uops[l->b->uop_count - 1], l->out[o].slot, 1);
        return rc;
    }
    find_load_latencies(l);
    uint8_t store_temp = UNIT_NONE;
    if (p->store_datas) {
        int mem = nth_access(l->bi, 0, true);
        store_temp = new_temp(l);
        push_output(l, store_temp, mem < 0 ? 0 : l->mem_operand[mem], true);
    }
    uint8_t load_temps[64];
    for (int n = 0; n < p->loads; n++) {
        int mem = nth_access(l->bi, n, false);
        load_temps[n] = new_temp(l);
        push_input(l, load_temps[n], mem < 0 ? 0 : l->mem_operand[mem], INPUT_LOADED, mem < 0 ? 0 : mem);
    }
    set_levels(l);
    int16_t levels[MAX_CHAIN];
    int limit = p->computes < MAX_CHAIN ? p->computes : MAX_CHAIN;
    int n = distinct_levels(l, levels, limit);
    set_output_latencies(l, levels, n);
    /* The first load stands directly before the first computing µop, with which it may be micro-fused. */
    uint8_t link = UNIT_NONE;
    for (int i = p->loads - 1; i >= 0 && !rc; i--)
        rc = emit_load(l, p->load[i], i, load_temps[i]);
    if (!rc)
        rc = emit_computes(l, p, 0, p->computes, &link, levels, n);
    return rc ? rc : emit_stores(l, p, store_temp);
}

uop_group *block_add_fused(block *b, arena *a, uint32_t first, uint32_t count)
{
    if (b->fused_count == b->fused_capacity) {
        uint32_t capacity = b->fused_capacity ? 2 * b->fused_capacity : 64;
        uop_group *grown =
            arena_grow(a, b->fused, b->fused_count * sizeof *b->fused, capacity * sizeof *b->fused);
        if (!grown)
            return NULL;
        b->fused = grown;
        b->fused_capacity = capacity;
    }
    b->fused[b->fused_count] = (uop_group){first, (uint8_t)count};
    return &b->fused[b->fused_count++];
}

static uop_group *add_laminated(block *b, arena *a, uint32_t first, uint32_t count)
{
    if (b->laminated_count == b->laminated_capacity) {
        uint32_t capacity = b->laminated_capacity ? 2 * b->laminated_capacity : 64;
        uop_group *grown = arena_grow(a, b->laminated, b->laminated_count * sizeof *b->laminated,
                                      capacity * sizeof *b->laminated);
        if (!grown)
            return NULL;
        b->laminated = grown;
        b->laminated_capacity = capacity;
    }
    b->laminated[b->laminated_count] = (uop_group){first, (uint8_t)count};
    return &b->laminated[b->laminated_count++];
}

static bool can_fuse(const uop *first, const uop *second)
{
    return (first->kind == UOP_LOAD && second->kind == UOP_COMPUTE) ||
           (first->kind == UOP_STORE_ADDRESS && second->kind == UOP_STORE_DATA);
}

/* Micro-fusion: as many pairs as the slots at issue say; stores first, then loads. What still is too much
 * (microcode) is grouped at the end. */
static int group_fused(lowering *l, uint32_t slots)
{
    block *b = l->b;
    block_insn *bi = l->bi;
    uint32_t first = bi->uop_first, n = bi->uop_count;
    uint32_t pairs = n > slots ? n - slots : 0, stores = 0;
    for (uint32_t i = 0; i + 1 < n; i++)
        stores += b->uops[first + i].kind == UOP_STORE_ADDRESS &&
                  can_fuse(&b->uops[first + i], &b->uops[first + i + 1]);
    uint32_t store_pairs = pairs < stores ? pairs : stores, load_pairs = pairs - store_pairs;
    bi->fused_first = b->fused_count;
    for (uint32_t i = 0; i < n;) {
        const uop *u = &b->uops[first + i];
        uint32_t take = 1;
        if (i + 1 < n && can_fuse(u, u + 1)) {
            uint32_t *left = u->kind == UOP_LOAD ? &load_pairs : &store_pairs;
            if (*left) {
                (*left)--;
                take = 2;
            }
        }
        if (b->fused_count - bi->fused_first + 1 == slots && n > slots)
            take = n - i;
        if (!block_add_fused(b, l->a, first + i, take))
            return TACHO_ERR_MEMORY;
        i += take;
    }
    while (b->fused_count - bi->fused_first < slots)
        if (!block_add_fused(b, l->a, first + n, 0))
            return TACHO_ERR_MEMORY;
    bi->fused_count = (uint16_t)(b->fused_count - bi->fused_first);
    return 0;
}

/* The decoders' view: where it has fewer µops than the renamer issues, pairs are unlaminated there. */
static int group_laminated(lowering *l, uint32_t count)
{
    block *b = l->b;
    block_insn *bi = l->bi;
    uint32_t n = bi->fused_count, joins = n > count ? n - count : 0;
    bi->laminated_first = b->laminated_count;
    for (uint32_t i = 0; i < n;) {
        uint32_t made = b->laminated_count - bi->laminated_first;
        uint32_t take = joins && i + 1 < n ? 2 : 1;
        if (made + 1 == count && n > count)
            take = n - i;
        joins -= take == 2 && joins;
        if (take > 1)
            bi->notes |= TACHO_NOTE_UNLAMINATED;
        if (!add_laminated(b, l->a, bi->fused_first + i, take))
            return TACHO_ERR_MEMORY;
        i += take;
    }
    bi->laminated_count = (uint16_t)(b->laminated_count - bi->laminated_first);
    return 0;
}

static int add_uneliminated_move(lowering *l)
{
    block_insn *bi = l->bi;
    const tacho_variant *v = &bi->figures.same_register;
    bi->uneliminated_first = l->b->uop_count;
    uop *u = add_uop(l, UOP_COMPUTE, v->group_count ? v->groups[0].ports : 0);
    if (!u)
        return TACHO_ERR_MEMORY;
    add_in(u, bi->move_source);
    add_out(u, bi->move_target, 1);
    return 0;
}

/* Without a µop the renamer itself delivers the results: zero idioms, and instructions without figures. */
static void collect_kills(lowering *l)
{
    block_insn *bi = l->bi;
    for (int o = 0; o < l->out_count && bi->kill_count < sizeof bi->kills; o++)
        bi->kills[bi->kill_count++] = l->out[o].slot;
    if (bi->has_form)
        return;
    const tacho_insn *insn = bi->insn;
    for (int i = 0; i < insn->operand_count && bi->kill_count < sizeof bi->kills; i++) {
        uint8_t unit = block_unit(l->b->arch, insn->operands[i].reg);
        if (insn->operands[i].kind == TACHO_OPERAND_REG && (insn->operands[i].access & TACHO_WRITE) &&
            unit != UNIT_NONE && !(bi->stack_delta && unit == UNIT_RSP))
            bi->kills[bi->kill_count++] = unit;
    }
    if ((insn->flags_written & TACHO_FLAG_C) && bi->kill_count < sizeof bi->kills)
        bi->kills[bi->kill_count++] = UNIT_FLAG_C;
    if ((insn->flags_written & TACHO_FLAG_SPAZO) && bi->kill_count < sizeof bi->kills)
        bi->kills[bi->kill_count++] = UNIT_FLAG_SPAZO;
}

static void note_fusion(lowering *l)
{
    block *b = l->b;
    for (int i = 0; i < l->bi->fused_count; i++)
        if (b->fused[l->bi->fused_first + (uint32_t)i].count == 2)
            l->bi->notes |= TACHO_NOTE_MICRO_FUSED;
}

int block_lower_insn(block *b, arena *a, uint32_t index)
{
    block_insn *bi = &b->insns[index];
    bi->uop_first = b->uop_count;
    bi->fused_first = b->fused_count;
    bi->laminated_first = b->laminated_count;
    if (bi->fused_into_previous)
        return 0; /* its work is in the first of the pair */
    lowering l = {.b = b, .a = a, .bi = bi};
    l.same_registers = bi->variant == &bi->figures.same_register || bi->same_register_kill;
    port_plan plan = {.computes = 0};
    int rc = 0;
    if (bi->has_form) {
        collect_operands(&l);
        plan_ports(&l, bi->variant, &plan);
        restrict_vector_ports(&l, &plan);
    }
    if (bi->fused_with_next) {
        const block_insn *branch = &b->insns[index + 1];
        if (plan.computes && branch->has_form && branch->variant->group_count)
            plan.compute[plan.computes - 1] = branch->variant->groups[0].ports;
    }
    if (bi->variant->uops > 0)
        rc = emit_uops(&l, &plan);
    if (bi->variant->div_cycles)
        mark_divider(&l, bi->variant->div_cycles);
    bi->uop_count = (uint16_t)(b->uop_count - bi->uop_first);
    if (bi->uop_count)
        b->uops[bi->uop_first].first_of_insn = true;
    if (!rc)
        rc = group_fused(&l, bi->variant->retire_slots);
    if (!rc)
        rc = group_laminated(&l, (uint32_t)bi->variant->uops_mite + bi->variant->uops_ms);
    if (!rc && bi->eliminable)
        rc = add_uneliminated_move(&l);
    else if (bi->uop_count == 0)
        collect_kills(&l);
    note_fusion(&l);
    b->issue_slots += bi->fused_count;
    for (int m = 0; m < bi->mem_count; m++) {
        b->has_load |= bi->mem[m].read;
        b->has_store |= bi->mem[m].write;
    }
    return rc;
}
