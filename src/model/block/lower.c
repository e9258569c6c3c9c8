/* lower.c - an instruction's timing becomes µops with operands and latencies (pipeline model, section 6):
 * loads feed the computing µops (compute.c), stores wait for them. */
#include "model/block/lower.h"
#include "x86/decode/operations.h"
#include "x86/decode/regs.h"
#include "x86/arch/loaded.h"

#include <string.h>

/* `list` with room for `more` beyond `count`; NULL when memory runs out. */
static void *with_room(arena *a, void *list, size_t size, uint32_t count, uint32_t more, uint32_t *capacity)
{
    if (list && count + more <= *capacity)
        return list;
    uint32_t wanted = *capacity ? 2 * *capacity : 64;
    wanted = wanted < count + more ? count + more : wanted;
    void *grown = arena_grow(a, list, count * size, wanted * size);
    if (grown)
        *capacity = wanted;
    return grown;
}

int block_reserve(block *b, arena *a, uint32_t uops, uint32_t fused, uint32_t laminated)
{
    b->uops = with_room(a, b->uops, sizeof *b->uops, b->uop_count, uops, &b->uop_capacity);
    b->fused = with_room(a, b->fused, sizeof *b->fused, b->fused_count, fused, &b->fused_capacity);
    b->laminated = with_room(a, b->laminated, sizeof *b->laminated, b->laminated_count, laminated,
                             &b->laminated_capacity);
    return b->uops && b->fused && b->laminated ? 0 : TACHO_ERR_MEMORY;
}

uop *lower_add_uop(lowering *l, uop_kind kind, uint16_t ports)
{
    block *b = l->b;
    if (block_reserve(b, l->a, 1, 0, 0))
        return NULL;
    uop *u = &b->uops[b->uop_count++];
    memset(u, 0, sizeof *u);
    u->kind = (uint8_t)kind;
    u->ports = ports;
    u->insn = (uint16_t)(l->bi - b->insns);
    return u;
}

void lower_add_in(uop *u, uint8_t slot)
{
    if (slot == UNIT_NONE || u->in_count >= UOP_MAX_IN)
        return;
    for (int i = 0; i < u->in_count; i++)
        if (u->in[i] == slot)
            return;
    u->in[u->in_count++] = slot;
}

void lower_add_out(uop *u, uint8_t slot, int latency)
{
    if (slot == UNIT_NONE || u->out_count >= UOP_MAX_OUT)
        return;
    u->out[u->out_count++] = (uop_out){slot, (int16_t)latency};
    if (latency > u->max_latency)
        u->max_latency = (int16_t)latency;
}

uint8_t lower_new_temp(lowering *l)
{
    return (uint8_t)(TEMP_BASE + (l->next_temp < TEMP_COUNT - 1 ? l->next_temp++ : TEMP_COUNT - 1));
}

static void put(uint16_t *list, int *count, int capacity, uint16_t ports)
{
    if (*count < capacity)
        list[(*count)++] = ports;
}

static void put_compute(port_plan *p, uint16_t ports)
{
    put(p->compute, &p->computes, MAX_COMPUTES, ports);
}

/* Where loads and store addresses share ports, the set of ports tells them apart: some loads cannot take all
 * the ports, and have a set of their own. */
static void plan_uop(port_plan *p, const tacho_arch *arch, const tacho_arch *real, uint16_t ports)
{
    uint16_t only_store_address = real->store_address_ports & (uint16_t)~real->load_ports;
    bool all_addresses = ports == real->store_address_ports;
    if ((ports & only_store_address) || (all_addresses && ports != real->load_ports))
        put(p->store_address, &p->store_addresses, 32, all_addresses ? arch->store_address_ports : ports);
    else if (ports && !(ports & (uint16_t)~real->load_ports))
        put(p->load, &p->loads, 64,
            ports != real->load_ports && (ports & arch->load_ports) ? ports & arch->load_ports
                                                                    : arch->load_ports);
    else if (ports == real->store_data_ports && !real->store_data_alu_ports)
        put(p->store_data, &p->store_datas, 32, arch->store_data_ports);
    else
        put_compute(p, ports);
}

/* Where store data take ports that also compute: the last µops of such a set, one for each store address. */
static void take_store_data(port_plan *p, const tacho_arch *arch, const tacho_arch *real)
{
    const uint16_t sets[][2] = {{real->store_data_ports, arch->store_data_ports},
                                {real->store_data_alu_ports, arch->store_data_alu_ports}};
    for (int s = 0; s < 2; s++)
        for (int k = p->computes - 1; k >= 0 && p->store_datas < p->store_addresses; k--) {
            if (p->compute[k] != sets[s][0])
                continue;
            put(p->store_data, &p->store_datas, 32, sets[s][1]);
            memmove(&p->compute[k], &p->compute[k + 1], (size_t)(--p->computes - k) * sizeof *p->compute);
        }
}

/* The n-th load or store, the last one where there are no more; -1 where there is none. */
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

/* An inherited row: what it gives any ALU of its core has any of this one. */
static void widen_alus(port_plan *p, const tacho_arch *arch, const tacho_arch *real)
{
    for (int k = 0; k < p->computes && real != &arch_tables(arch)->arch; k++)
        if (p->compute[k] == real->alu_ports)
            p->compute[k] = arch->alu_ports;
}

/* A µop that passes a stored immediate on; where something is computed, that takes the immediate. */
static void plan_stored_immediate(const lowering *l, port_plan *p)
{
    if (l->b->arch->stored_immediates_use_alu && p->store_datas && !p->computes && l->bi->insn->imm_bytes)
        put_compute(p, l->b->arch->alu_ports);
}

/* What computes with memory does so beside the address unit that it waits for. */
static void plan_memory_alus(const lowering *l, port_plan *p)
{
    const uint16_t alus = l->b->arch->alu_ports, beside = l->b->arch->memory_alu_ports;
    for (int k = 0; beside && p->loads && k < p->computes; k++)
        if (!(p->compute[k] & ~alus) && (p->compute[k] & beside))
            p->compute[k] &= beside;
}

/* A µop that reads a third source, unless the row has it. */
static void plan_third_source(const lowering *l, port_plan *p)
{
    const uint16_t ports = l->b->arch->third_source_ports;
    bool has = !ports || !p->computes || insn_third_source(l->bi->insn) < 0;
    for (int k = 0; k < p->computes; k++)
        has |= p->compute[k] == ports;
    if (!has)
        put_compute(p, ports);
}

static void plan_ports(const lowering *l, const tacho_variant *v, port_plan *p)
{
    /* The table names the ports of the real core; a what-if run may have given loads and stores others. */
    const tacho_arch *arch = l->b->arch, *real = arch_of_ports(arch, l->bi->facts->figures.source);
    for (int g = 0; g < v->group_count; g++)
        for (int k = 0; k < v->groups[g].count; k++)
            plan_uop(p, arch, real, v->groups[g].ports);
    if (real->store_data_alu_ports)
        take_store_data(p, arch, real);
    widen_alus(p, arch, real);
    plan_stored_immediate(l, p);
    plan_memory_alus(l, p);
    plan_third_source(l, p);
    /* Without a port of their own, or with an indexed address, stores compute addresses on the load ports. */
    const int loads_left = nth_access(l->bi, 0, false) >= 0;
    while (p->store_addresses < p->store_datas && p->loads > loads_left)
        put(p->store_address, &p->store_addresses, 32, p->load[--p->loads]);
}

static void restrict_vector_ports(const lowering *l, port_plan *p)
{
    uint16_t off = l->b->arch->simd_disabled_with_zmm_ports;
    if (!insn_names_vector_reg(l->bi->insn))
        return;
    for (int i = 0; i < p->computes; i++)
        if (p->compute[i] & (uint16_t)~off)
            p->compute[i] &= (uint16_t)~off;
}

static void add_address_inputs(lowering *l, uop *u, int mem)
{
    lower_add_in(u, l->bi->mem[mem].base);
    lower_add_in(u, l->bi->mem[mem].index);
}

/* Of the ports, those of an access of 512 bits, if it is one and there are such. */
static uint16_t ports_of_width(const lowering *l, int mem, uint16_t ports, uint16_t ports_512)
{
    bool wide = mem >= 0 && l->bi->mem[mem].bytes == 64 && !l->bi->mem[mem].unknown_address;
    return wide && ports & ports_512 ? ports & ports_512 : ports;
}

static int16_t scaling_cycles(const lowering *l, int mem)
{
    const mem_access *m = &l->bi->mem[mem];
    return (int16_t)(m->index != UNIT_NONE && m->scale > 1 ? l->b->arch->scaled_index_cycles : 0);
}

/* Of 32 bytes and more, and of vector registers that wide, also by a broadcast. */
static int16_t wide_cycles(const lowering *l, int mem)
{
    const tacho_operand *first = &l->bi->insn->operands[0];
    bool wide = first->kind == TACHO_OPERAND_REG &&
                (first->reg.class_ == TACHO_REG_YMM || first->reg.class_ == TACHO_REG_ZMM);
    return (int16_t)(wide || l->bi->mem[mem].bytes >= 32 ? l->b->arch->wide_load_cycles : 0);
}

static int emit_load(lowering *l, uint16_t ports, int n, uint8_t temp)
{
    int mem = nth_access(l->bi, n, false);
    uop *u = lower_add_uop(l, UOP_LOAD, ports_of_width(l, mem, ports, l->b->arch->load_ports_512));
    if (!u)
        return TACHO_ERR_MEMORY;
    u->mem = (uint8_t)(mem < 0 ? 0 : mem);
    u->load_latency = mem < 0 ? (int16_t)l->b->arch->load_latency_cycles : l->load_latency[mem];
    if (!l->b->arch->vector_loads_as_measured)
        u->load_latency = (int16_t)l->b->arch->load_latency_cycles;
    if (mem >= 0)
        u->load_latency = (int16_t)(u->load_latency + scaling_cycles(l, mem) + wide_cycles(l, mem));
    u->max_latency = u->load_latency;
    u->vector_load = insn_names_vector_reg(l->bi->insn);
    if (mem >= 0)
        add_address_inputs(l, u, mem);
    if (temp != UNIT_NONE)
        lower_add_out(u, temp, u->load_latency);
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
                lower_add_in(u, l->in[i].slot);
        if (n + 1 < p->loads)
            continue;
        for (int o = 0; o < l->out_count; o++) {
            input loaded = {.operand = l->mem_operand[u->mem], .role = INPUT_LOADED, .mem = u->mem};
            int cycles = l->bi->mem_count ? lower_path_latency(l, &loaded, &l->out[o]) : -1;
            if (cycles > 1 && l->b->arch->vector_loads_as_measured)
                u->load_latency = (int16_t)(cycles + scaling_cycles(l, u->mem));
            lower_add_out(u, l->out[o].slot, u->load_latency);
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

static uop *add_store_uop(lowering *l, uop_kind kind, uint16_t ports, int mem)
{
    uop *u = lower_add_uop(l, kind, ports);
    if (u) {
        u->mem = (uint8_t)(mem < 0 ? 0 : mem);
        u->max_latency = 1;
    }
    return u;
}

static int emit_stores(lowering *l, const port_plan *p, uint8_t data)
{
    int n = p->store_addresses > p->store_datas ? p->store_addresses : p->store_datas;
    for (int s = 0; s < n; s++) {
        int mem = nth_access(l->bi, s, true);
        if (s < p->store_addresses) {
            uop *u = add_store_uop(l, UOP_STORE_ADDRESS, p->store_address[s], mem);
            if (!u)
                return TACHO_ERR_MEMORY;
            if (mem >= 0)
                add_address_inputs(l, u, mem);
            u->with_load = l->b->arch->stores_at_load_unit && p->loads && p->computes && mem >= 0 &&
                           l->bi->mem[mem].read;
        }
        if (s < p->store_datas) {
            uint16_t ports = ports_of_width(l, mem, p->store_data[s], l->b->arch->store_data_ports_512);
            uop *u = add_store_uop(l, UOP_STORE_DATA, ports, mem);
            if (!u)
                return TACHO_ERR_MEMORY;
            lower_add_in(u, data);
            u->needs_no_port =
                l->b->arch->stores_own_results && p->computes && (ports & l->b->arch->store_data_alu_ports);
            for (int i = 0; data == UNIT_NONE && i < l->in_count; i++)
                lower_add_in(u, l->in[i].slot);
        }
    }
    return 0;
}

static int emit_uops(lowering *l, const port_plan *p)
{
    int rc = 0;
    if (p->computes == 0) {
        if (p->loads && !p->store_datas)
            return emit_pure_load(l, p);
        for (int n = 0; n < p->loads && !rc; n++) {
            uint8_t temp = lower_new_temp(l);
            rc = emit_load(l, p->load[n], n, temp);
            lower_push_input(l, temp, 0, INPUT_LOADED, 0);
        }
        if (!rc)
            rc = emit_stores(l, p, UNIT_NONE);
        if (!rc && l->b->uop_count > l->bi->uop_first)
            for (int o = 0; o < l->out_count; o++)
                lower_add_out(&l->b->uops[l->b->uop_count - 1], l->out[o].slot, 1);
        return rc;
    }
    if (l->bi->has_form)
        lower_find_load_latencies(l, p->computes > 1 && !p->store_datas);
    uint8_t store_temp = UNIT_NONE;
    if (p->store_datas) {
        int mem = nth_access(l->bi, 0, true);
        store_temp = lower_new_temp(l);
        lower_push_output(l, store_temp, mem < 0 ? 0 : l->mem_operand[mem], true);
    }
    uint8_t load_temps[64];
    for (int n = 0; n < p->loads; n++) {
        int mem = nth_access(l->bi, n, false);
        load_temps[n] = lower_new_temp(l);
        lower_push_input(l, load_temps[n], mem < 0 ? 0 : l->mem_operand[mem], INPUT_LOADED,
                         mem < 0 ? 0 : mem);
    }
    /* The first load stands directly before the first computing µop, with which it may be micro-fused. */
    for (int i = p->loads - 1; i >= 0 && !rc; i--)
        rc = emit_load(l, p->load[i], i, load_temps[i]);
    if (!rc)
        rc = l->bi->has_form ? lower_emit_computes(l, p) : lower_compute_unknown(l, p);
    return rc ? rc : emit_stores(l, p, store_temp);
}

static int add_uneliminated_move(lowering *l)
{
    block_insn *bi = l->bi;
    const tacho_variant *v = &bi->facts->figures.same_register;
    /* LEA that moves has no other µop. */
    const uint16_t ports = bi->adds_constant || !v->group_count ? l->b->arch->alu_ports : v->groups[0].ports;
    bi->uneliminated_first = l->b->uop_count;
    uop *u = lower_add_uop(l, UOP_COMPUTE, ports);
    if (!u)
        return TACHO_ERR_MEMORY;
    lower_add_in(u, bi->move_source);
    lower_add_out(u, bi->move_target, 1);
    for (int k = 0; bi->adds_constant && k < 2; k++)
        lower_add_out(u, bi->sum_flags[k], 1);
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

/* Units that the instruction's µops read, and that it writes. */
static void note_units(const block *b, block_insn *bi)
{
    for (uint32_t k = bi->uop_first; k < bi->uop_first + bi->uop_count; k++) {
        const uop *u = &b->uops[k];
        for (int i = 0; i < u->in_count; i++)
            unit_set_add(&bi->reads, u->in[i]);
        for (int o = 0; o < u->out_count; o++)
            unit_set_add(&bi->writes, u->out[o].slot);
    }
    for (int k = 0; k < bi->kill_count; k++)
        unit_set_add(&bi->writes, bi->kills[k]);
    if (bi->eliminable) {
        unit_set_add(&bi->reads, bi->move_source);
        unit_set_add(&bi->writes, bi->move_target);
        for (int k = 0; bi->adds_constant && k < 2; k++)
            unit_set_add(&bi->writes, bi->sum_flags[k]);
    }
}

static bool fits_signed(int64_t value, int bits)
{
    return value >= -((int64_t)1 << (bits - 1)) && value < (int64_t)1 << (bits - 1);
}

bool block_takes_extra_slot(const block *b, const block_insn *bi, int64_t imm, int64_t disp)
{
    return b->arch->dsb_extra_slots && (!fits_signed(imm, bi->mem_count ? 16 : 32) ||
                                        (b->arch->dsb_extra_slot_displacements && !fits_signed(disp, 16)));
}

/* Immediates share a DSB line's space with µops: large ones take a second slot. */
static bool takes_extra_slot(const block *b, const block_insn *bi)
{
    int64_t disp = 0;
    for (int i = 0; i < bi->insn->visible_count; i++) {
        const tacho_operand *op = &bi->insn->operands[i];
        if (op->kind == TACHO_OPERAND_MEM && op->mem.base.class_ != TACHO_REG_RIP)
            disp = op->mem.disp;
        if (op->kind == TACHO_OPERAND_IMM && block_takes_extra_slot(b, bi, op->imm, disp))
            return true;
    }
    return false;
}

/* Nothing but general registers among its operands. */
static bool is_general(const tacho_insn *insn)
{
    for (int i = 0; i < insn->visible_count; i++)
        if (insn->operands[i].kind == TACHO_OPERAND_REG && !reg_is_general(insn->operands[i].reg))
            return false;
    return true;
}

/* Whether a result of the load was measured sooner after the store's data than a load takes. */
static bool comes_soon(const lowering *l, int mem)
{
    const tacho_figures *f = &l->bi->facts->figures;
    for (int i = 0; i < f->latency_count; i++)
        if (f->latencies[i].source == l->mem_operand[mem] && f->latencies[i].memory >= 0 &&
            f->latencies[i].memory < l->b->arch->load_latency_cycles)
            return true;
    return false;
}

/* Whether the instruction computes with what it loads there, and does not store to it. */
static bool is_load_op(const lowering *l, uint8_t mem)
{
    const block_insn *bi = l->bi;
    bool computes = false;
    for (uint32_t k = bi->uop_first; k < bi->uop_first + bi->uop_count; k++) {
        const uop *u = &l->b->uops[k];
        if (u->kind == UOP_STORE_DATA && u->mem == mem)
            return false;
        computes |= u->kind == UOP_COMPUTE;
    }
    return computes;
}

/* Which accesses memory renaming knows: see model/sim/stores.c. Microcode has no part in it
 * (measured on Zen 3: a chain of XADD, BTS, SHLD on memory takes 8 cycles an instance, of ADD one). */
static void find_renamed(lowering *l)
{
    const tacho_arch *arch = l->b->arch;
    block_insn *bi = l->bi;
    if (bi->variant->uops_ms)
        return;
    for (uint32_t k = bi->uop_first; k < bi->uop_first + bi->uop_count && bi->mem_count; k++) {
        const uop *u = &l->b->uops[k];
        const mem_access *m = &bi->mem[u->mem];
        if ((u->kind != UOP_LOAD && u->kind != UOP_STORE_DATA) || (m->bytes == 2 && !arch->renames_words) ||
            (m->bytes == 1 && !arch->renames_bytes))
            continue;
        bool general = arch_of_ports(arch, bi->facts->figures.source)->store_data_alu_ports
                           ? block_moves_general(arch, (uop_kind)u->kind, u->ports)
                           : is_general(bi->insn);
        if (u->kind == UOP_LOAD && !arch->renames_plain_load_ops && m->index == UNIT_NONE &&
            is_load_op(l, u->mem))
            continue;
        if (u->kind == UOP_LOAD && m->bytes < 4 && bi->uop_count == 1 && !arch->renames_zero_extended)
            continue;
        if (general && (u->kind != UOP_LOAD || !arch->renames_as_measured || comes_soon(l, u->mem)))
            bi->renamed |= (uint8_t)(1u << (2 * u->mem + (u->kind == UOP_LOAD)));
    }
}

/* Those of NOPs are not kept. */
static uint8_t constants_of(const block_insn *bi)
{
    if (bi->insn->is_nop || bi->is_branch)
        return bi->is_branch;
    unsigned count = (bi->insn->imm_bytes > 0) + (bi->insn->imm_bytes > 4u);
    for (int i = 0; i < bi->insn->operand_count; i++) {
        const tacho_operand *op = &bi->insn->operands[i];
        count += (op->kind == TACHO_OPERAND_MEM || op->kind == TACHO_OPERAND_AGEN) && op->mem.disp_bytes > 0;
    }
    return (uint8_t)count;
}

/* An address of two registers leaves no room for another operand of general registers. */
static bool is_split(const lowering *l)
{
    const block_insn *bi = l->bi;
    for (uint32_t k = bi->uop_first; l->b->arch->splits_indexed && k < bi->uop_first + bi->uop_count; k++) {
        const uop *u = &l->b->uops[k];
        if (u->kind == UOP_COMPUTE || u->kind == UOP_STORE_DATA)
            return bi->mem_count && bi->mem[0].base != UNIT_NONE && bi->mem[0].index != UNIT_NONE &&
                   !block_is_vector(l->b->arch, u);
    }
    return false;
}

static void clear_lowered(const block *b, block_insn *bi)
{
    uint32_t notes = bi->notes;
    memset((char *)bi + offsetof(block_insn, notes), 0, sizeof *bi - offsetof(block_insn, notes));
    bi->notes = notes;
    bi->uop_first = b->uop_count;
    bi->fused_first = b->fused_count;
    bi->laminated_first = b->laminated_count;
}

int block_lower_insn(block *b, arena *a, uint32_t index, lower_context context)
{
    block_insn *bi = &b->insns[index];
    clear_lowered(b, bi);
    if (b->arch->dsb_rows || b->arch->dsb_line_places || b->arch->issue_constants)
        bi->constants = constants_of(bi);
    if (bi->fused_into_previous)
        return 0; /* its work is in the first of the pair */
    lowering l = {.b = b, .a = a, .bi = bi};
    l.same_registers = bi->variant == &bi->facts->figures.same_register || bi->same_register_kill;
    port_plan plan;
    plan.computes = plan.loads = plan.store_addresses = plan.store_datas = 0;
    int rc = 0;
    if (bi->has_form) {
        lower_collect_operands(&l);
        plan_ports(&l, bi->variant, &plan);
        if (context & LOWER_BESIDE_ZMM)
            restrict_vector_ports(&l, &plan);
    } else if (b->unknown == TACHO_UNKNOWN_LATENCY) {
        lower_collect_unknown(&l);
        rc = lower_plan_unknown(&l, &plan);
    }
    const bool ends_at_rename = bi->eliminable && bi->adds_constant;
    if (bi->adds_constant && !ends_at_rename && !plan.computes) /* fused with a branch, it is executed */
        put_compute(&plan, b->arch->alu_ports);
    if (plan.computes && (context & LOWER_WITH_BRANCH)) { /* it needs a port that does both */
        uint16_t *ports = &plan.compute[plan.computes - 1], both = *ports & context & LOWER_BRANCH_PORTS;
        *ports = both ? both : context & LOWER_BRANCH_PORTS;
    }
    if (plan.computes && (context & LOWER_NOT_TAKEN))
        plan.compute[plan.computes - 1] |= b->arch->not_taken_branch_ports;
    if (!rc && !ends_at_rename && (bi->variant->uops > 0 || bi->adds_constant))
        rc = emit_uops(&l, &plan);
    if (bi->variant->div_cycles)
        mark_divider(&l, bi->variant->div_cycles);
    bi->uop_count = (uint16_t)(b->uop_count - bi->uop_first);
    if (bi->uop_count && (bi->load_fence || bi->store_fence)) /* what later accesses wait for */
        lower_add_out(&b->uops[bi->uop_first], lower_new_temp(&l), bi->tp_cycles > 1 ? bi->tp_cycles : 1);
    if (bi->uop_count)
        b->uops[bi->uop_first].first_of_insn = true;
    if (!rc)
        rc = lower_group(&l, bi->variant->retire_slots == 1 && is_split(&l) ? 2 : bi->variant->retire_slots,
                         (uint32_t)bi->variant->uops_mite + bi->variant->uops_ms);
    if (!rc && bi->eliminable)
        rc = add_uneliminated_move(&l);
    else if (bi->uop_count == 0)
        collect_kills(&l);
    if ((b->arch->renames_memory || (b->arch->renames_stack && bi->stack_delta)) && bi->has_form)
        find_renamed(&l);
    note_fusion(&l);
    note_units(b, bi);
    bi->extra_slot = takes_extra_slot(b, bi);
    return rc;
}
