/* block.c - from bytes to a block: decoding, figures, macro-fusion, what each instruction does to the stack
 * engine and to the high-byte registers. The µops are made in lower.c. */
#include "base/mem.h"
#include "model/block/cache.h"
#include "x86/decode/ops.h"
#include "x86/decode/regs.h"

#include <string.h>

#include "x86/insndb/key.h"

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
    for (int i = 0; i < insn->visible_count; i++) {
        const tacho_operand *op = &insn->operands[i];
        if (op->kind != TACHO_OPERAND_REG)
            continue;
        if (first && !(first->class_ == op->reg.class_ && first->number == op->reg.number))
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
    /* No figures: one fused µop that takes no port; its results are ready at once (or see unknown.c). */
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

/* Whether the figures say that the result does not depend on the (one) source register. */
static bool breaks_dependency(const block_insn *bi)
{
    return bi->has_form && all_registers_equal(bi->insn) && !is_move(&bi->facts->figures) &&
           free_with_one_register(&bi->facts->figures);
}

static void find_move_elimination(block_insn *bi, const tacho_arch *arch)
{
    const tacho_insn *insn = bi->insn;
    if (!bi->has_form || !is_move(&bi->facts->figures) || insn->visible_count < 2)
        return;
    const tacho_reg target = insn->operands[0].reg, source = insn->operands[1].reg;
    if (insn->operands[0].kind != TACHO_OPERAND_REG || insn->operands[1].kind != TACHO_OPERAND_REG)
        return;
    bi->move_gpr = reg_is_general(target);
    bi->move_width32 = target.class_ == TACHO_REG_R32;
    bi->move_source = block_unit(arch, source);
    bi->move_target = block_unit(arch, target);
    bi->eliminable = bi->move_source != bi->move_target || free_with_one_register(&bi->facts->figures);
    bool slow_alias = source.class_ == TACHO_REG_R8L && (source.number & 7) >= 4;
    /* movzx from a byte register whose number means AH..BH without REX: SPL BPL SIL DIL, R12B-R15B */
    if (slow_alias && !arch->movzx_high8_alias_eliminated)
        bi->eliminable = false;
    if (!bi->eliminable)
        bi->variant = &bi->facts->figures.same_register;
}

void block_stack_effects(block_insn *bi)
{
    const tacho_insn *insn = bi->insn;
    bool suppressed_rw = false, suppressed_write = false;
    for (int i = 0; i < insn->operand_count; i++) {
        const tacho_operand *op = &insn->operands[i];
        if (op->visibility != TACHO_SUPPRESSED) {
            if (op->kind == TACHO_OPERAND_REG && reg_is_general(op->reg) && op->reg.number == UNIT_RSP &&
                op->reg.class_ != TACHO_REG_R8H) {
                bi->uses_rsp = true;
            }
            if ((op->kind == TACHO_OPERAND_MEM || op->kind == TACHO_OPERAND_AGEN) &&
                ((reg_is_general(op->mem.base) && op->mem.base.number == UNIT_RSP) ||
                 (reg_is_general(op->mem.index) && op->mem.index.number == UNIT_RSP)))
                bi->uses_rsp = true;
        } else if (op->kind == TACHO_OPERAND_REG && reg_is_general(op->reg) && op->reg.number == UNIT_RSP &&
                   (op->access & TACHO_WRITE)) {
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

static void describe_insn(const block *b, block_insn *bi)
{
    const tacho_insn *insn = bi->insn;
    choose_variant(bi);
    bi->lacks = (uint8_t)tacho_arch_lacks(b->arch, insn);
    bi->is_branch = insn->is_branch;
    bi->is_conditional = insn->is_conditional;
    bi->is_transfer = insn->is_branch || insn->is_call || insn->is_ret;
    bi->serializing = insn->serializing;
    bi->same_register_kill = breaks_dependency(bi);
    find_move_elimination(bi, b->arch);
    const tacho_variant *v = bi->variant;
    block_stack_effects(bi);
    find_high8_effects(bi, b->arch);
    bi->uops_mite = v->uops_mite;
    bi->uops_ms = v->uops_ms;
    bi->complex_decoder = v->complex_decoder || v->uops_ms > 0 || v->uops_mite + v->uops_ms > 1;
    bi->simple_decoders = v->simple_decoders;
    bi->tp_cycles = v->tp_cycles;
    const uint8_t op = insn->operation;
    if (bi->stack_delta > 0 && insn->visible_count == 1 && insn->operands[0].kind == TACHO_OPERAND_REG &&
        (insn->operands[0].reg.number & 7) == UNIT_RSP && op == OP_POP && b->arch->pop_rsp_complex) {
        bi->complex_decoder = true; /* pop rsp, pop r12 */
        bi->pop_rsp_complex = true;
        if (b->arch->pop_rsp_ends_decode)
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

/* What the instruction means for the block. */
static void add_to_block(block *b, uint32_t index)
{
    block_insn *bi = &b->insns[index];
    bi->throttle_owner = index;
    for (uint32_t k = 0; bi->tp_cycles && k < index; k++)
        if (b->insns[k].has_form && b->insns[k].facts->form.id == bi->facts->form.id) {
            bi->throttle_owner = k;
            break;
        }
    b->has_zmm |= bi->has_zmm;
    b->has_stack |= bi->stack_delta != 0;
    b->has_high8_write |= bi->writes_high8 != 0;
    b->has_microcode |= bi->uops_ms > 0;
}

/* Macro-fusion: the branch joins the instruction before it, unless (on most cores) it starts at a 64-byte
 * boundary. In unrolled code the address changes from copy to copy; the alignment of the first copy decides.
 */
static void fuse_pairs(block *b)
{
    for (uint32_t i = 0; i < b->insn_count; i++) {
        block_insn *bi = &b->insns[i];
        bi->fusible = bi->has_form && bi->facts->figures.fusion_group != 0 &&
                      !(b->variants & TACHO_VARIANT_NO_MACRO_FUSION);
        if (!bi->fusible || i + 1 == b->insn_count)
            continue;
        block_insn *next = &b->insns[i + 1];
        if (next->is_branch && tacho_fusion_allowed(b->arch, bi->facts->figures.fusion_group, next->insn) &&
            next->address == bi->address + bi->length &&
            (next->address % 64 != 0 || b->arch->fuses_at_line_start)) {
            bi->fused_with_next = next->fused_into_previous = true;
            bi->notes |= TACHO_NOTE_MACRO_FUSED;
            next->notes |= TACHO_NOTE_FUSED_INTO_PREV;
        }
    }
}

typedef struct cached_code {
    insn_cache *cache;         /* NULL: none */
    insn_template **templates; /* of the instructions */
} cached_code;

/* Decodes the instruction at `offset`. @return its length, or a negative code */
static int decode_one(const cached_code *c, block *b, arena *a, uint32_t offset, tacho_error *err)
{
    const tacho_insn **out = &b->decoded[b->decoded_count];
    if (c->cache)
        return insn_cache_decode(c->cache, out, &c->templates[b->decoded_count], b, a, offset, err);
    tacho_insn *insn = arena_alloc_raw(a, sizeof *insn);
    if (!insn)
        return tacho_no_memory(err);
    *out = insn;
    int rc = tacho_decode(insn, b->bytes + offset, b->size - offset, err);
    return rc ? rc : insn->length;
}

/* Room for so many instructions. @return 0 or TACHO_ERR_MEMORY */
static int reserve_decoded(block *b, arena *a, cached_code *c, uint32_t capacity)
{
    b->decoded =
        arena_grow(a, b->decoded, b->decoded_count * sizeof *b->decoded, capacity * sizeof *b->decoded);
    if (c->cache)
        c->templates = arena_grow(a, c->templates, b->decoded_count * sizeof *c->templates,
                                  capacity * sizeof *c->templates);
    return b->decoded && (!c->cache || c->templates) ? 0 : TACHO_ERR_MEMORY;
}

static int decode_all(block *b, arena *a, cached_code *c, tacho_error *err)
{
    uint32_t capacity = 0;
    if (c->cache)
        insn_cache_look_ahead(c->cache);
    for (uint32_t offset = 0; offset < b->size; b->decoded_count++) {
        if (b->decoded_count == TACHO_MAX_BLOCK_INSNS)
            return tacho_error_set(err, TACHO_ERR_LIMIT,
                                   "the block has more than %d instructions; analyse a smaller region",
                                   TACHO_MAX_BLOCK_INSNS);
        if (b->decoded_count == capacity) {
            capacity = capacity ? 2 * capacity : b->size / 3 + 4;
            if (reserve_decoded(b, a, c, capacity))
                return tacho_no_memory(err);
        }
        int length = decode_one(c, b, a, offset, err);
        if (length < 0) {
            if (err)
                err->offset = offset;
            return length;
        }
        offset += (uint32_t)length;
    }
    return 0;
}

static int check_size(size_t size, tacho_error *err)
{
    if (size == 0)
        return tacho_error_set(err, TACHO_ERR_INPUT, "the block is empty: there is nothing to analyse");
    if (size > TACHO_MAX_BLOCK_BYTES)
        return tacho_error_set(err, TACHO_ERR_LIMIT,
                               "the block has %zu bytes, the limit is %d; select a smaller region", size,
                               TACHO_MAX_BLOCK_BYTES);
    return 0;
}

static int make_facts(insn_facts *out, const block *b, uint32_t form)
{
    memset(out, 0, sizeof *out);
    if (tacho_form_get(form, &out->form) || tacho_form_figures(b->arch, form, &out->figures))
        return TACHO_ERR_UNSUPPORTED;
    out->same_core_fields = (uint8_t)tacho_source_fields(out->figures.source, TACHO_ORIGIN_SAME_CORE);
    out->other_core_fields = (uint8_t)tacho_source_fields(out->figures.source, TACHO_ORIGIN_OTHER_CORE);
    block_variant_figures(&out->figures, b->variants);
    return 0;
}

/* The facts of the instruction's form. @return 0, TACHO_ERR_MEMORY, or TACHO_ERR_UNSUPPORTED and empty ones
 */
static int find_facts(const insn_facts **out, const block *b, arena *a, insn_cache *cache,
                      const tacho_insn *insn)
{
    static const insn_facts none;
    insn_facts *made = NULL, **place = &made, found;
    int64_t form = tacho_form_match(insn);
    *out = &none;
    if (form < 0)
        return TACHO_ERR_UNSUPPORTED;
    if (cache && !(place = insn_cache_facts(cache, (uint32_t)form)))
        return TACHO_ERR_MEMORY;
    if (!*place) {
        if (make_facts(&found, b, (uint32_t)form))
            return TACHO_ERR_UNSUPPORTED;
        *place = cache ? insn_cache_keep(cache, sizeof found) : arena_alloc_raw(a, sizeof found);
        if (!*place)
            return TACHO_ERR_MEMORY;
        **place = found;
    }
    *out = *place;
    return 0;
}

static int find_description(const block *b, arena *a, block_insn *bi, insn_cache *cache, insn_template *t)
{
    if (insn_cache_describe(cache, t, bi))
        return 0;
    uint32_t offset = bi->offset;
    *bi = (block_insn){.insn = bi->insn, .length = bi->insn->length};
    bi->opcode_offset = bi->insn->opcode_offset;
    bi->lcp = bi->insn->lcp;
    int rc = find_facts(&bi->facts, b, a, cache, bi->insn);
    if (rc == TACHO_ERR_MEMORY)
        return rc;
    bi->has_form = rc == 0;
    describe_insn(b, bi);
    bi->offset = offset;
    insn_cache_keep_description(cache, t, bi);
    return 0;
}

/* Of the code's instruction `number`; *next: of the mispredicted ones, the next. */
static int note_misprediction(block_insn *bi, uint32_t number, const tacho_predict_options *o, size_t *next,
                              tacho_error *err)
{
    bi->mispredicted = *next < o->mispredicted_count && o->mispredicted[*next] == number;
    *next += bi->mispredicted;
    return !bi->mispredicted || bi->is_branch || bi->is_transfer
               ? 0
               : tacho_error_set(err, TACHO_ERR_USAGE,
                                 "instruction %u is no branch, which could be mispredicted", number);
}

static int find_figures(block *b, arena *a, const cached_code *c, const tacho_predict_options *o,
                        tacho_error *err)
{
    uint32_t offset = 0;
    size_t mispredicted = 0;
    for (uint32_t i = 0; i < b->decoded_count; i++) {
        block_insn *bi = &b->insns[b->insn_count];
        insn_template *t = c->cache ? c->templates[i] : NULL;
        bi->insn = b->decoded[i];
        bi->offset = offset;
        if (find_description(b, a, bi, c->cache, t))
            return tacho_no_memory(err);
        if (bi->lacks && !o->ignore_isa)
            return block_refuse(b, i, offset, err);
        b->lacking_count += bi->lacks != 0;
        offset += bi->length;
        int rc = note_misprediction(bi, i, o, &mispredicted, err);
        if (rc)
            return rc;
        int skips = bi->has_form ? 0 : block_skips(b, bi, err);
        if (skips < 0)
            return skips;
        if (skips)
            continue;
        if (c->cache)
            c->templates[b->insn_count] = t;
        add_to_block(b, b->insn_count++);
    }
    if (mispredicted < o->mispredicted_count)
        return tacho_error_set(
            err, TACHO_ERR_USAGE,
            "mispredicted branches: %u is beyond the code's %u instructions, or out of order",
            o->mispredicted[mispredicted], b->decoded_count);
    return b->insn_count ? 0
                         : tacho_error_set(err, TACHO_ERR_UNSUPPORTED,
                                           "no instruction of the block is in the %s table, and unknown ones "
                                           "are left out: nothing remains",
                                           b->arch->name);
}

int block_build(block *b, arena *a, const tacho_arch *arch, const uint8_t *bytes, size_t size,
                const tacho_predict_options *options, tacho_error *err)
{
    return tacho_block_build_cached(b, a, NULL, arch, bytes, size, options, err);
}

int tacho_block_build_cached(block *b, arena *a, insn_cache *cache, const tacho_arch *arch,
                             const uint8_t *bytes, size_t size, const tacho_predict_options *options,
                             tacho_error *err)
{
    cached_code code = {.cache = cache};
    *b = (block){.arch = arch,
                 .bytes = bytes,
                 .size = (uint32_t)size,
                 .alignment = options->alignment & 63,
                 .whole_insns = options->details || options->trace || options->unknown == TACHO_UNKNOWN_ERROR,
                 .unknown = options->unknown,
                 .unknown_latency = options->unknown_latency,
                 .listing = options->listing,
                 .variants = options->variants};
    int rc = check_size(size, err);
    if (rc || (rc = decode_all(b, a, &code, err)))
        return rc;
    b->insns = arena_alloc_raw(a, b->decoded_count * sizeof *b->insns);
    if (!b->insns)
        return tacho_no_memory(err);
    if ((rc = find_figures(b, a, &code, options, err)))
        return rc;
    b->mode = options->mode;
    if (b->mode == TACHO_MODE_AUTO)
        b->mode = b->decoded[b->decoded_count - 1]->is_branch ? TACHO_MODE_LOOP : TACHO_MODE_UNROLL;
    if ((rc = block_place(b, options, err)))
        return rc;
    fuse_pairs(b);
    for (uint32_t i = 0; i < b->insn_count; i++) {
        rc = block_lower_insn(b, a, i, cache, cache ? code.templates[i] : NULL);
        if (rc)
            return tacho_error_set(err, rc, "out of memory");
    }
    if (options->advance && !options->piece_count && !b->decoded[b->decoded_count - 1]->is_branch)
        block_find_advance(b);
    rc = block_forward_sums(b, a);
    if (!rc)
        rc = block_find_same_code(b, a);
    return rc ? tacho_error_set(err, rc, "out of memory") : 0;
}
