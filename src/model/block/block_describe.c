/* block_describe.c - the third stage: what an instruction with this timing is to the pipeline, taken alone:
 * which variant of its timing, what it does to the decoders, the stack engine, the high-byte registers; moves
 * that the renamer executes, instructions that break dependencies. */
#include "model/block/block.h"
#include "x86/decode/regs.h"
#include "x86/arch/loaded.h"

uint8_t block_unit(const tacho_arch *arch, tacho_reg reg)
{
    switch (reg.class_) {
    case TACHO_REG_R8H:
        return arch->high8_renamed_apart ? UNIT_HIGH8 + (reg.number & 3) : UNIT_GPR + (reg.number & 3);
    case TACHO_REG_R8L:
    case TACHO_REG_R16:
    case TACHO_REG_R32:
    case TACHO_REG_R64:
        return UNIT_GPR + (reg.number & 15);
    case TACHO_REG_XMM:
    case TACHO_REG_YMM:
    case TACHO_REG_ZMM:
        return UNIT_VECTOR + (reg.number & 31);
    case TACHO_REG_MM:
    case TACHO_REG_ST:
        return UNIT_X87 + (reg.number & 7);
    case TACHO_REG_K:
        return UNIT_K + (reg.number & 7);
    case TACHO_REG_BND:
        return UNIT_BND + (reg.number & 3);
    case TACHO_REG_TMM:
        return UNIT_TMM + (reg.number & 7);
    case TACHO_REG_SEG:
        return UNIT_SEG + (reg.number < 6 ? reg.number : 0);
    case TACHO_REG_OTHER:
        return UNIT_OTHER + (reg.number < 20 ? reg.number : 0);
    default:
        return UNIT_NONE; /* RIP, control and debug registers: nothing of a loop depends on them */
    }
}

/* All register operands (two or more) are the same register. */
static bool all_registers_equal(const tacho_insn *insn)
{
    const tacho_reg *first = NULL;
    int n = 0;
    for (const tacho_operand *op = insn->operands; op < insn->operands + insn->visible_count; op++) {
        if (op->kind != TACHO_OPERAND_REG)
            continue;
        if (first && !reg_is_same(*first, op->reg))
            return false;
        first = &op->reg;
        n++;
    }
    return n >= 2;
}

static bool has_index_register(const tacho_insn *insn)
{
    for (int i = 0; i < insn->visible_count; i++)
        if (insn->operands[i].kind == TACHO_OPERAND_MEM &&
            insn->operands[i].mem.index.class_ != TACHO_REG_NONE && !insn->operands[i].mem.vsib)
            return true;
    return false;
}

static bool is_move(const tacho_figures *f)
{
    return f->has_same_register && f->base.uops == 0 && f->same_register.uops > 0;
}

static void choose_variant(block_insn *bi)
{
    /* No timing: one fused µop that takes no port; its results are ready at once (or see block_unknown.c). */
    static const tacho_variant bare = {.retire_slots = 1, .uops_mite = 1, .simple_decoders = 4};
    if (!bi->has_form) {
        bi->variant = &bare;
        return;
    }
    const tacho_figures *f = &bi->facts->figures;
    if (f->has_same_register && !is_move(f) && all_registers_equal(bi->insn))
        bi->variant = &f->same_register;
    else if (f->has_indexed && has_index_register(bi->insn))
        bi->variant = &f->indexed;
    else
        bi->variant = &f->base;
}

/* Whether the result is there at once where all registers are one: it does not depend on that one, or, of a
 * move, it is the value that was there. */
static bool free_with_one_register(const tacho_figures *f)
{
    for (int i = 0; i < f->latency_count; i++)
        if (f->latencies[i].same_register == 0)
            return true;
    return false;
}

/* Whether the timing says that the result does not depend on the (one) source register. */
static bool breaks_dependency(const block_insn *bi)
{
    return bi->has_form && all_registers_equal(bi->insn) && !is_move(&bi->facts->figures) &&
           free_with_one_register(&bi->facts->figures);
}

/* The register that it moves, as a move or as LEA of nothing else, for which no µop is needed; of class
 * TACHO_REG_NONE if there is none. */
static tacho_reg moved_reg(const block_insn *bi)
{
    const tacho_insn *insn = bi->insn;
    const tacho_operand *from = &insn->operands[1];
    if (!bi->has_form || insn->visible_count < 2 || insn->operands[0].kind != TACHO_OPERAND_REG)
        return (tacho_reg){.class_ = TACHO_REG_NONE};
    if (insn->operation == OP_LEA && !bi->facts->figures.base.uops)
        return from->mem.base;
    return is_move(&bi->facts->figures) && from->kind == TACHO_OPERAND_REG
               ? from->reg
               : (tacho_reg){.class_ = TACHO_REG_NONE};
}

static void find_move_elimination(block_insn *bi, const tacho_arch *arch)
{
    const tacho_reg target = bi->insn->operands[0].reg, source = moved_reg(bi);
    if (!(reg_is_general(source) && reg_is_general(target)) &&
        !(reg_is_vector(source) && reg_is_vector(target)))
        return;
    bi->move_gpr = reg_is_general(target);
    bi->move_width32 = target.class_ == TACHO_REG_R32;
    bi->move_source = block_unit(arch, source);
    bi->move_target = block_unit(arch, target);
    bi->eliminable = bi->move_source != bi->move_target || free_with_one_register(&bi->facts->figures);
    bool slow_alias = source.class_ == TACHO_REG_R8L && (source.number & 7) >= 4;
    /* movzx from a byte register whose number means AH..BH without REX: SPL BPL SIL DIL, R12B-R15B */
    if ((slow_alias && !arch->movzx_high8_alias_eliminated) ||
        (bi->move_gpr && bi->move_source == UNIT_RSP && !arch->eliminates_stack_pointer))
        bi->eliminable = false;
    if (!bi->eliminable)
        bi->variant = &bi->facts->figures.same_register;
}

/* add rax, 8; lea rax, [rbx+8]: of 64-bit registers, with a constant that is at the form's choice. */
static bool is_addition_of_constant(const tacho_insn *insn)
{
    const tacho_operand *target = &insn->operands[0], *other = &insn->operands[1];
    if (insn->visible_count == 0 || target->kind != TACHO_OPERAND_REG || target->reg.class_ != TACHO_REG_R64)
        return false;
    switch (insn->operation) {
    case OP_INC:
    case OP_DEC:
        return insn->visible_count == 1;
    case OP_ADD:
    case OP_SUB:
        return insn->visible_count == 2 && other->kind == TACHO_OPERAND_IMM;
    case OP_LEA:
        return other->kind == TACHO_OPERAND_AGEN && other->mem.base.class_ == TACHO_REG_R64 &&
               other->mem.index.class_ == TACHO_REG_NONE;
    default:
        return false;
    }
}

/* Additions that the renamer of the core executes: as moves are. */
static void find_addition(block_insn *bi, const tacho_arch *arch)
{
    const tacho_insn *insn = bi->insn;
    if (!bi->has_form || !tacho_arch_original(arch)->immediate_sum_bits || !is_addition_of_constant(insn))
        return;
    const tacho_operand *source = &insn->operands[insn->operation == OP_LEA];
    bi->adds_constant = bi->eliminable = bi->move_gpr = true;
    bi->move_target = block_unit(arch, insn->operands[0].reg);
    bi->move_source = insn->operation == OP_LEA ? block_unit(arch, source->mem.base) : bi->move_target;
    bi->sum_flags[0] = insn->flags_written & TACHO_FLAG_C ? UNIT_FLAG_C : UNIT_NONE;
    bi->sum_flags[1] = insn->flags_written & TACHO_FLAG_SPAZO ? UNIT_FLAG_SPAZO : UNIT_NONE;
}

void block_stack_effects(block_insn *bi)
{
    const tacho_insn *insn = bi->insn;
    const tacho_reg rsp = {TACHO_REG_R64, UNIT_RSP};
    bool suppressed_rw = false, suppressed_write = false;
    for (const tacho_operand *op = insn->operands; op < insn->operands + insn->operand_count; op++) {
        if (op->visibility != TACHO_SUPPRESSED) {
            bi->uses_rsp |= operand_is_reg(op, rsp) || operand_is_addressed_by(op, rsp);
        } else if (operand_is_reg(op, rsp) && (op->access & TACHO_WRITE)) {
            suppressed_rw = true;
            suppressed_write = !(op->access & TACHO_READ);
        }
    }
    if (!suppressed_rw)
        return;
    int bytes = 8;
    for (int i = 0; i < insn->operand_count; i++)
        if (insn->operands[i].kind == TACHO_OPERAND_MEM && insn->operands[i].visibility == TACHO_SUPPRESSED)
            bytes = insn->operands[i].width_bits / 8;
    const uint8_t op = insn->operation;
    if (op == OP_PUSH || op == OP_PUSHF || insn->is_call)
        bi->stack_delta = (int16_t)-bytes;
    else if (op == OP_POP || op == OP_POPF || insn->is_ret)
        bi->stack_delta = (int16_t)bytes;
    else if (op == OP_LEAVE || suppressed_write)
        bi->resets_stack = true;
    else
        bi->uses_rsp = true; /* ENTER: computes with the whole register */
}

/* Where only what names RSP as a register needs it synchronised. */
static void sync_for_registers(block_insn *bi, bool always)
{
    const tacho_insn *insn = bi->insn;
    const tacho_reg rsp = {TACHO_REG_R64, UNIT_RSP};
    bool reads = false, writes = false, adds = false;
    for (const tacho_operand *o = insn->operands; o < insn->operands + insn->operand_count; o++) {
        const bool named = o->visibility != TACHO_SUPPRESSED && operand_is_reg(o, rsp);
        reads |= named && (o->access & TACHO_READ);
        writes |= named && (o->access & TACHO_WRITE);
        adds |= o->kind == TACHO_OPERAND_AGEN && operand_is_addressed_by(o, rsp) &&
                o->mem.index.class_ == TACHO_REG_NONE;
    }
    const bool copies = adds || (insn->operation == OP_MOVE && insn->operands[0].kind == TACHO_OPERAND_REG),
               computes = reads || (insn->operation == OP_LEA && bi->uses_rsp);
    bi->uses_rsp = (computes || writes) && !copies;
    bi->always_syncs = always && bi->uses_rsp && !writes;
}

/* Which registers are read whole (and so need their separately renamed high byte merged first). */
static void find_high8_effects(block_insn *bi, const tacho_arch *arch)
{
    if (!arch->high8_renamed_apart)
        return;
    for (int i = 0; i < bi->insn->operand_count; i++) {
        const tacho_operand *op = &bi->insn->operands[i];
        if (op->kind == TACHO_OPERAND_REG) {
            if (op->reg.class_ == TACHO_REG_R8H && (op->access & TACHO_WRITE))
                bi->writes_high8 |= 1u << (op->reg.number & 3);
            if (!reg_is_general(op->reg) || op->reg.number > 3 || op->reg.class_ == TACHO_REG_R8H ||
                op->reg.class_ == TACHO_REG_R8L)
                continue;
            bool partial_write = (op->access & TACHO_WRITE) && op->reg.class_ == TACHO_REG_R16;
            if ((op->access & TACHO_READ) || partial_write || (op->access & TACHO_CONDITIONAL))
                bi->merges_high8 |= 1u << op->reg.number;
            if (op->access & TACHO_WRITE)
                bi->writes_whole |= 1u << op->reg.number;
        } else if (op->kind == TACHO_OPERAND_MEM || op->kind == TACHO_OPERAND_AGEN) {
            if (reg_is_general(op->mem.base) && op->mem.base.number < 4)
                bi->merges_high8 |= 1u << op->mem.base.number;
            if (reg_is_general(op->mem.index) && op->mem.index.number < 4)
                bi->merges_high8 |= 1u << op->mem.index.number;
        }
    }
}

static void note(block_insn *bi, uint32_t bits, bool condition)
{
    if (condition)
        bi->notes |= bits;
}

void block_describe(block_insn *bi, const tacho_insn *insn, const insn_facts *facts, const tacho_arch *arch)
{
    static const insn_facts none;
    *bi = (block_insn){.insn = insn,
                       .facts = facts ? facts : &none,
                       .has_form = facts != NULL,
                       .length = insn->length,
                       .opcode_offset = insn->opcode_offset,
                       .lcp = insn->lcp};
    choose_variant(bi);
    bi->lacks = (uint8_t)tacho_arch_lacks(arch, insn);
    bi->is_branch = insn->is_branch;
    bi->is_conditional = insn->is_conditional;
    bi->is_transfer = insn->is_branch || insn->is_call || insn->is_ret;
    bi->serializing = insn->serializing;
    bi->same_register_kill = breaks_dependency(bi);
    find_move_elimination(bi, arch);
    find_addition(bi, arch);
    const tacho_variant *v = bi->variant;
    block_stack_effects(bi);
    if (arch->stack_sync_for_registers && bi->uses_rsp)
        sync_for_registers(bi, arch->stack_sync_always);
    find_high8_effects(bi, arch);
    bi->uops_mite = v->uops_mite;
    bi->uops_ms = v->uops_ms;
    bi->complex_decoder = v->complex_decoder || v->uops_ms > 0 || v->uops_mite + v->uops_ms > 1;
    bi->simple_decoders = v->simple_decoders;
    bi->tp_cycles = v->tp_cycles;
    const uint8_t op = insn->operation;
    if (bi->stack_delta > 0 && insn->visible_count == 1 && insn->operands[0].kind == TACHO_OPERAND_REG &&
        (insn->operands[0].reg.number & 7) == UNIT_RSP && op == OP_POP && arch->pop_rsp_complex) {
        bi->complex_decoder = true; /* pop rsp, pop r12 */
        bi->pop_rsp_complex = true;
        if (arch->pop_rsp_ends_decode)
            bi->simple_decoders = 0;
    }
    bi->load_fence = op == OP_LFENCE || op == OP_MFENCE;
    bi->store_fence = op == OP_SFENCE || op == OP_MFENCE;
    block_value_semantics(bi);
    const tacho_operand *source = &insn->operands[insn->visible_count > 1 ? 1 : 0];
    bi->gpr_load = op == OP_POP || ((op == OP_MOVE || op == OP_SIGNED) && source->kind == TACHO_OPERAND_MEM &&
                                    insn->operands[0].kind == TACHO_OPERAND_REG && source->width_bits >= 32);

    note(bi, TACHO_NOTE_UNKNOWN, !bi->has_form);
    note(bi, TACHO_NOTE_LCP, insn->lcp);
    note(bi, TACHO_NOTE_NOP, insn->is_nop);
    note(bi, TACHO_NOTE_MICROCODED, v->uops_ms > 0);
    note(bi, TACHO_NOTE_COMPLEX_DECODER, bi->complex_decoder);
    note(bi, TACHO_NOTE_DIVIDER, v->div_cycles > 0);
    note(bi, TACHO_NOTE_SERIALIZING, insn->serializing);
    note(bi, TACHO_NOTE_ZERO_IDIOM, bi->has_form && v == &bi->facts->figures.same_register && v->uops == 0);
    const unsigned timing = 1u << TACHO_FIELD_PORTS | 1u << TACHO_FIELD_LATENCY | 1u << TACHO_FIELD_DIVIDER;
    bi->derived_fields = bi->facts->other_core_fields;
    bool far = bi->derived_fields & timing, carried = bi->facts->same_core_fields & timing;
    note(bi, TACHO_NOTE_ESTIMATED, far);
    note(bi, TACHO_NOTE_SAME_CORE, carried && !far);
    for (int i = 0; bi->has_form && i < insn->visible_count; i++)
        bi->has_zmm |=
            insn->operands[i].kind == TACHO_OPERAND_REG && insn->operands[i].reg.class_ == TACHO_REG_ZMM;
}
