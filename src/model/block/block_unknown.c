/* block_unknown.c - instructions that the microarchitecture's table lacks, where the options ask for more
 * than a bare issue slot: leaving them out, failing, or one µop of a given latency on any port that computes.
 * The decoder says what they read and write; the ports that compute are those of an addition (or of vector
 * logic). */
#include "model/block/lower.h"

int block_skips(const block *b, const block_insn *bi, tacho_error *err)
{
    char text[120];
    if (b->unknown != TACHO_UNKNOWN_ERROR)
        return b->unknown == TACHO_UNKNOWN_SKIP;
    tacho_listing_write(b->listing, bi->insn, bi->offset, text, sizeof text);
    tacho_error_set(err, TACHO_ERR_UNSUPPORTED, "the %s table has no figures for '%s'", b->arch->name, text);
    if (err)
        err->offset = bi->offset;
    return TACHO_ERR_UNSUPPORTED;
}

static bool is_wide(const tacho_insn *insn)
{
    for (int i = 0; i < insn->operand_count; i++)
        if (insn->operands[i].kind == TACHO_OPERAND_REG && insn->operands[i].reg.class_ >= TACHO_REG_XMM &&
            insn->operands[i].reg.class_ <= TACHO_REG_ST)
            return true;
    return false;
}

/* The ports of `add rax, rbx` or `pand xmm0, xmm1`. */
static uint16_t computing_ports(const lowering *l)
{
    static const uint8_t add[] = {0x48, 0x01, 0xd8}, pand[] = {0x66, 0x0f, 0xdb, 0xc1};
    bool wide = is_wide(l->bi->insn);
    tacho_insn insn;
    tacho_form form;
    tacho_figures figures;
    if (tacho_decode(&insn, wide ? pand : add, wide ? sizeof pand : sizeof add, NULL) ||
        tacho_insndb_match(l->b->arch, &insn, &form, &figures) || !figures.base.group_count)
        return l->b->arch->alu_ports;
    return figures.base.groups[0].ports;
}

static void collect_register(lowering *l, const tacho_operand *op)
{
    uint8_t unit = block_unit(l->b->arch, op->reg);
    if (l->bi->stack_delta && unit == UNIT_RSP && op->visibility == TACHO_SUPPRESSED)
        return; /* the stack engine's work */
    bool partial = op->reg.class_ == TACHO_REG_R8L || op->reg.class_ == TACHO_REG_R16;
    if ((op->access & (TACHO_READ | TACHO_CONDITIONAL)) || partial)
        lower_push_input(l, unit, 0, INPUT_REGISTER, 0);
    if (op->access & TACHO_WRITE)
        lower_push_output(l, unit, 0, false);
}

void lower_collect_unknown(lowering *l)
{
    block_insn *bi = l->bi;
    for (int i = 0; i < bi->insn->operand_count; i++) {
        const tacho_operand *op = &bi->insn->operands[i];
        if (op->kind == TACHO_OPERAND_REG) {
            collect_register(l, op);
        } else if (op->kind == TACHO_OPERAND_MEM) {
            lower_add_access(l, op, i);
        } else if (op->kind == TACHO_OPERAND_AGEN) {
            lower_push_address(l, &op->mem, i);
        }
    }
    lower_push_flags(l, bi->insn->flags_read, bi->insn->flags_written, 0);
}

int lower_plan_unknown(const lowering *l, port_plan *p)
{
    const tacho_arch *arch = l->b->arch;
    p->compute[p->computes++] = computing_ports(l);
    for (int m = 0; m < l->bi->mem_count; m++) {
        if (l->bi->mem[m].read)
            p->load[p->loads++] = arch->load_ports;
        if (l->bi->mem[m].write) {
            p->store_address[p->store_addresses++] = arch->store_address_ports;
            p->store_data[p->store_datas++] = arch->store_data_alu_ports && !is_wide(l->bi->insn)
                                                  ? arch->store_data_alu_ports
                                                  : arch->store_data_ports;
        }
    }
    tacho_variant *v = arena_alloc_raw(l->a, sizeof *v);
    if (!v)
        return TACHO_ERR_MEMORY;
    *v = *l->bi->variant;
    v->uops = (uint16_t)(p->computes + p->loads + p->store_addresses + p->store_datas);
    v->retire_slots = (uint16_t)(1 + p->store_datas);
    l->bi->variant = v;
    return 0;
}

int lower_compute_unknown(lowering *l, const port_plan *p)
{
    uop *u = lower_add_uop(l, UOP_COMPUTE, p->compute[0]);
    if (!u)
        return TACHO_ERR_MEMORY;
    u->max_latency = 1;
    for (int i = 0; i < l->in_count; i++)
        lower_add_in(u, l->in[i].slot);
    for (int o = 0; o < l->out_count; o++)
        lower_add_out(u, l->out[o].slot, (int)l->b->unknown_latency);
    return 0;
}
