/* operands.c - which registers, flags and memory an instruction reads and writes, as slots that µops can use.
 */
#include "model/block/lower.h"

void lower_push_input(lowering *l, uint8_t slot, int operand, input_role role, int mem)
{
    if (slot != UNIT_NONE && l->in_count < MAX_INPUTS)
        l->in[l->in_count++] = (input){slot, (uint8_t)operand, (uint8_t)role, (uint8_t)mem};
}

void lower_push_output(lowering *l, uint8_t slot, int operand, bool memory)
{
    if (slot != UNIT_NONE && l->out_count < MAX_OUTPUTS)
        l->out[l->out_count++] = (output){slot, (uint8_t)operand, memory};
}

void lower_push_flags(lowering *l, uint8_t read, uint8_t written, int operand)
{
    if (read & TACHO_FLAG_C)
        lower_push_input(l, UNIT_FLAG_C, operand, INPUT_REGISTER, 0);
    if (read & TACHO_FLAG_SPAZO)
        lower_push_input(l, UNIT_FLAG_SPAZO, operand, INPUT_REGISTER, 0);
    if (written & TACHO_FLAG_C)
        lower_push_output(l, UNIT_FLAG_C, operand, false);
    if (written & TACHO_FLAG_SPAZO)
        lower_push_output(l, UNIT_FLAG_SPAZO, operand, false);
}

void lower_push_address(lowering *l, const tacho_mem *m, int operand)
{
    lower_push_input(l, block_unit(l->b->arch, m->base), operand, INPUT_ADDRESS_BASE, 0);
    lower_push_input(l, block_unit(l->b->arch, m->index), operand, INPUT_ADDRESS_INDEX, 0);
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
    /* Scalar moves keep the rest of a register, which forms do not say. */
    read |= insn_is(bi->insn, INSN_MOVES) && index < bi->insn->operand_count &&
            (bi->insn->operands[index].access & TACHO_READ);
    /* A measured latency from a destination is a dependency, whatever the manual says (popcnt). */
    for (int i = 0; !read && i < bi->facts->figures.latency_count; i++)
        read = bi->facts->figures.latencies[i].source == index && bi->facts->figures.latencies[i].cycles > 0;
    if (read && !bi->same_register_kill)
        lower_push_input(l, unit, index, INPUT_REGISTER, 0);
    if (fo->access & TACHO_WRITE)
        lower_push_output(l, unit, index, false);
}

static mem_access *new_access(lowering *l, int index, unsigned access, unsigned bits)
{
    block_insn *bi = l->bi;
    mem_access *m = &bi->mem[bi->mem_count];
    *m = (mem_access){.base = UNIT_NONE,
                      .index = UNIT_NONE,
                      .bytes = (uint8_t)(bits / 8 > 64 ? 0 : bits / 8),
                      .read = access & TACHO_READ,
                      .write = access & TACHO_WRITE};
    l->mem_operand[bi->mem_count++] = (uint8_t)index;
    return m;
}

int64_t block_displacement(const block_insn *bi, bool rip_relative, int64_t disp)
{
    /* instruction pointers of one block are constant */
    return rip_relative ? disp + (int64_t)bi->address + bi->length : disp;
}

static void set_address(const lowering *l, mem_access *m, const tacho_mem *op)
{
    m->base = block_unit(l->b->arch, op->base);
    m->index = block_unit(l->b->arch, op->index);
    m->scale = op->scale;
    m->disp = block_displacement(l->bi, op->base.class_ == TACHO_REG_RIP, op->disp);
    m->unknown_address = op->vsib;
}

static void collect_memory(lowering *l, const tacho_form_operand *fo, int index)
{
    block_insn *bi = l->bi;
    if (bi->mem_count == INSN_MAX_MEM)
        return;
    mem_access *m = new_access(l, index, fo->access, fo->width_bits);
    if (fo->visibility == TACHO_SUPPRESSED) {
        m->base = block_unit(l->b->arch, fo->base);
        m->index = block_unit(l->b->arch, fo->index);
        m->scale = m->index == UNIT_NONE ? 0 : 1;
        m->implicit_stack = bi->stack_delta != 0 && m->base == UNIT_RSP;
        return;
    }
    if (bi->insn->operands[index].width_bits && !m->bytes)
        m->bytes = (uint8_t)(bi->insn->operands[index].width_bits / 8);
    set_address(l, m, &bi->insn->operands[index].mem);
}

void lower_add_access(lowering *l, const tacho_operand *op, int index)
{
    block_insn *bi = l->bi;
    if (bi->mem_count == INSN_MAX_MEM)
        return;
    mem_access *m = new_access(l, index, op->access, op->width_bits);
    set_address(l, m, &op->mem);
    m->implicit_stack = bi->stack_delta != 0 && m->base == UNIT_RSP && op->visibility == TACHO_SUPPRESSED;
}

static void collect_flags(lowering *l, const tacho_form_operand *fo, int index)
{
    uint8_t read = fo->flags_read;
    if (fo->access & TACHO_CONDITIONAL)
        read |= fo->flags_written;
    lower_push_flags(l, read, fo->flags_written, index);
}

void lower_collect_operands(lowering *l)
{
    block_insn *bi = l->bi;
    for (int i = 0; i < bi->facts->form.operand_count; i++) {
        const tacho_form_operand *fo = &bi->facts->form.operands[i];
        if (fo->kind == TACHO_OPERAND_REG) {
            collect_register(l, fo, i);
        } else if (fo->kind == TACHO_OPERAND_MEM) {
            collect_memory(l, fo, i);
        } else if (fo->kind == TACHO_OPERAND_FLAGS) {
            collect_flags(l, fo, i);
        } else if (fo->kind == TACHO_OPERAND_AGEN) {
            lower_push_address(l, &bi->insn->operands[i].mem, i);
        }
    }
}

/* ---- AH to BH ---- */

/* AH, CH, DH and BH of a register that was written whole, where they can be renamed apart: they come from the
 * register, high8_extract_cycles later (measured on Cascade Lake: MOVZX eax, ah takes 2 cycles; ADD ah, bl
 * takes one, but 3 if the register was merged between). The code is straight, so it is known which high bytes
 * are apart after each instruction; whoever writes the register then writes its high byte, too. */

/* Bit n: the high byte of register n is apart after the instruction, if `apart` says so of before it. */
static uint8_t apart_after(const block_insn *bi, uint8_t apart)
{
    return (uint8_t)((apart & ~(bi->merges_high8 | bi->writes_whole)) | bi->writes_high8);
}

static void write_high_bytes(block *b, block_insn *bi, uint8_t apart)
{
    for (uint32_t k = bi->uop_first; k < bi->uop_first + bi->uop_count; k++) {
        uop *u = &b->uops[k];
        for (int o = 0; o < u->out_count; o++) {
            uint8_t r = u->out[o].slot;
            if (r > 3 || (apart >> r & 1))
                continue;
            lower_add_out(u, UNIT_HIGH8 + r, u->out[o].latency + b->arch->high8_extract_cycles);
            unit_set_add(&bi->writes, UNIT_HIGH8 + r);
        }
    }
    for (uint8_t r = 0; r < 4; r++) { /* what the renamer writes is there at once */
        bool written = (bi->writes_whole >> r & 1) && (bi->eliminable || !bi->uop_count);
        if (written && bi->kill_count < sizeof bi->kills) {
            bi->kills[bi->kill_count++] = UNIT_HIGH8 + r;
            unit_set_add(&bi->writes, UNIT_HIGH8 + r);
        }
    }
}

void block_write_high_bytes(block *b)
{
    static const uint64_t high_bytes = (uint64_t)0xf << UNIT_HIGH8;
    uint64_t reads = 0;
    uint8_t apart = 0;
    for (uint32_t i = 0; i < b->insn_count; i++)
        reads |= b->insns[i].reads.bits[0];
    b->has_high8_read = b->arch->high8_extract_cycles && (reads & high_bytes);
    for (int pass = 0; b->has_high8_read && pass < 2;
         pass++) /* the second: as the iteration before left it */
        for (uint32_t i = 0; i < b->insn_count; i++) {
            apart = apart_after(&b->insns[i], apart);
            if (pass)
                write_high_bytes(b, &b->insns[i], apart);
        }
}
