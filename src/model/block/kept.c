/* kept.c - what the cache keeps of an instruction, and how that becomes part of a block again: the
 * instruction as decoded, as described, and as lowered in one context or another. All of it is the same for
 * all instructions of a template, except the numbers in the code, which are read where they are used. */
#include "model/block/cache_parts.h"

static int64_t displacement_of(const insn_template *t, const uint8_t *bytes)
{
    return insn_shape_number(bytes + t->places.disp_offset, t->places.disp_bytes, true);
}

static int64_t immediate_of(const insn_template *t, const uint8_t *bytes)
{
    return insn_shape_number(bytes + t->places.imm_offset, t->places.imm_bytes, t->places.imm_signed);
}

/* The displacement and the immediate that these bytes have. */
static void fill_numbers(const insn_template *t, tacho_insn *insn, const uint8_t *bytes)
{
    memcpy(insn->bytes, bytes, insn->length);
    if (t->disp_operand != NO_OPERAND)
        insn->operands[t->disp_operand].mem.disp = displacement_of(t, bytes);
    if (t->imm_operand != NO_OPERAND)
        insn->operands[t->imm_operand].imm = immediate_of(t, bytes);
}

/* What the block needs of the numbers. */
static void find_uses(insn_template *t, const tacho_insn *insn)
{
    bool imm = t->imm_operand != NO_OPERAND && insn->operands[t->imm_operand].kind == TACHO_OPERAND_IMM;
    t->imm_is_value = imm && block_value_immediate(insn) == &insn->operands[t->imm_operand];
    t->imm_may_be_large =
        imm && t->imm_operand < insn->visible_count && (t->places.imm_bytes > 1 || t->places.disp_bytes > 1);
    t->rip_relative =
        t->disp_operand != NO_OPERAND && insn->operands[t->disp_operand].mem.base.class_ == TACHO_REG_RIP;
    t->disp_is_value = t->disp_operand == 1 && insn->operands[1].kind == TACHO_OPERAND_AGEN;
}

/* Which operands have the numbers; false where that is not plain. */
static bool find_numbers(insn_template *t, const tacho_insn *insn, const insn_shape *s, const uint8_t *bytes)
{
    const decode_places *p = &t->places;
    bool as_told = insn->length == s->length && p->disp_bytes == s->disp_bytes &&
                   p->imm_bytes == s->imm_bytes && !p->two_imms && insn->encoding != TACHO_ENC_EVEX &&
                   (!p->disp_bytes || p->disp_offset == s->disp_offset) &&
                   (!p->imm_bytes || p->imm_offset == s->disp_offset + s->disp_bytes);
    t->disp_operand = t->imm_operand = NO_OPERAND;
    for (uint8_t i = 0; i < insn->operand_count; i++) {
        const tacho_operand *op = &insn->operands[i];
        if ((op->kind == TACHO_OPERAND_MEM || op->kind == TACHO_OPERAND_AGEN) && op->mem.disp_bytes)
            t->disp_operand = i;
        if ((op->kind == TACHO_OPERAND_IMM || op->kind == TACHO_OPERAND_REL) &&
            op->visibility == TACHO_EXPLICIT && t->imm_operand == NO_OPERAND)
            t->imm_operand = i;
    }
    if (!p->imm_bytes)
        t->imm_operand = NO_OPERAND;
    if (!as_told || (t->disp_operand == NO_OPERAND) != !p->disp_bytes)
        return false;
    find_uses(t, insn);
    tacho_insn again = *insn;
    fill_numbers(t, &again, bytes);
    return (t->disp_operand == NO_OPERAND ||
            again.operands[t->disp_operand].mem.disp == insn->operands[t->disp_operand].mem.disp) &&
           (t->imm_operand == NO_OPERAND ||
            again.operands[t->imm_operand].imm == insn->operands[t->imm_operand].imm);
}

static size_t insn_bytes(const tacho_insn *insn)
{
    return offsetof(tacho_insn, operands) + insn->operand_count * sizeof(tacho_operand);
}

/* A copy with the numbers that the code has. */
static const tacho_insn *whole_insn(const insn_template *t, arena *a, const uint8_t *bytes)
{
    tacho_insn *insn = arena_alloc_raw(a, sizeof *insn);
    if (!insn)
        return NULL;
    memcpy(insn, &t->insn, insn_bytes(&t->insn));
    fill_numbers(t, insn, bytes);
    return insn;
}

/* ---- description ---- */

/* The numbers among what describing an instruction gives. */
static void number_values(const insn_template *t, const uint8_t *bytes, block_insn *bi)
{
    if (t->imm_is_value)
        bi->value_imm = immediate_of(t, bytes);
    if (t->disp_is_value)
        bi->value_disp = displacement_of(t, bytes);
}

insn_template *kept_new(insn_cache *c, const insn_place *p, const decode_places *places, const block_insn *bi)
{
    insn_template probe = {.key = p->key, .arch = (uint8_t)c->arch, .places = *places, .notes = bi->notes};
    size_t bytes = insn_bytes(bi->insn);
    insn_template *t = find_numbers(&probe, bi->insn, &p->shape, c->code + p->offset)
                           ? insn_cache_keep(c, offsetof(insn_template, insn) + bytes)
                           : NULL;
    if (!t)
        return NULL;
    memcpy(t, &probe, offsetof(insn_template, description));
    memcpy(t->description, (const char *)bi + DESCRIBED_FROM, DESCRIBED_BYTES);
    memcpy(&t->insn, bi->insn, bytes);
    return t;
}

int kept_describe(const insn_cache *c, insn_template *t, block_insn *bi, const block *b, arena *a,
                  uint32_t offset)
{
    const uint8_t *bytes = c->code + offset;
    memcpy((char *)bi + DESCRIBED_FROM, t->description, DESCRIBED_BYTES);
    bi->insn = b->whole_insns ? whole_insn(t, a, bytes) : &t->insn;
    bi->met = t;
    bi->offset = offset;
    bi->jumps = bi->fusible = bi->fused_with_next = bi->fused_into_previous = bi->joined = false;
    bi->value_disp = 0;
    bi->notes = t->notes;
    number_values(t, bytes, bi);
    return bi->insn ? 0 : TACHO_ERR_MEMORY;
}

/* ---- lowering ---- */

/* The access whose displacement the code gives. */
static uint8_t displaced_access(const insn_template *t, const block *b, const block_insn *bi)
{
    if (t->disp_operand == NO_OPERAND || bi->insn->operands[t->disp_operand].kind != TACHO_OPERAND_MEM)
        return NO_ACCESS;
    const tacho_mem *op = &bi->insn->operands[t->disp_operand].mem;
    for (uint8_t m = 0; m < bi->mem_count; m++)
        if (!bi->mem[m].implicit_stack && bi->mem[m].base == block_unit(b->arch, op->base) &&
            bi->mem[m].index == block_unit(b->arch, op->index) && bi->mem[m].scale == op->scale)
            return m;
    return NO_ACCESS;
}

/* The numbers among what lowering gives. */
static void number_lowered(const insn_cache *c, const insn_template *t, const block *b, uint8_t displaced,
                           block_insn *bi)
{
    const uint8_t *bytes = c->code + bi->offset;
    if (displaced != NO_ACCESS)
        bi->mem[displaced].disp = block_displacement(bi, t->rip_relative, displacement_of(t, bytes));
    if (t->imm_may_be_large)
        bi->extra_slot = block_takes_extra_slot(
            b, bi, immediate_of(t, bytes),
            t->disp_operand == NO_OPERAND || t->rip_relative ? 0 : displacement_of(t, bytes));
}

static const mem_access *accesses_of(const lowered_insn *l)
{
    return (const mem_access *)(l + 1);
}

/* `bi`: with what lowering gives already filled in. */
static const uop *uops_of(const lowered_insn *l, const block_insn *bi)
{
    return (const uop *)(accesses_of(l) + bi->mem_count);
}

static void copy_uops(block *b, const uop *from, uint32_t count, uint32_t index)
{
    uop *to = b->uops + b->uop_count;
    for (uint32_t k = 0; k < count; k++) {
        to[k] = from[k];
        to[k].insn = (uint16_t)index;
    }
}

static const kept_group *copy_groups(uop_group *to, const kept_group *from, uint32_t count, uint32_t base)
{
    if (count) /* mostly there is one */
        to[0] = (uop_group){from[0].first + base, from[0].count};
    for (uint32_t k = 1; k < count; k++)
        to[k] = (uop_group){from[k].first + base, from[k].count};
    return from + count;
}

static kept_group *keep_groups(kept_group *to, const uop_group *from, uint32_t count, uint32_t base)
{
    for (uint32_t k = 0; k < count; k++)
        to[k] = (kept_group){(uint16_t)(from[k].first - base), from[k].count};
    return to + count;
}

/* Puts what is kept into the block. @return whether it was there; negative when memory runs out */
static int lower_known(const insn_cache *c, const insn_template *t, lower_context context, block *b, arena *a,
                       uint32_t index)
{
    block_insn *bi = &b->insns[index];
    const lowered_insn *from = t->lowered;
    while (from && from->context != context)
        from = from->next;
    if (!from)
        return 0;
    memcpy((char *)bi + LOWERED_FROM, from->part, LOWERED_BYTES);
    for (uint32_t m = 0; m < bi->mem_count; m++)
        bi->mem[m] = accesses_of(from)[m];
    if ((b->uop_count + from->uops > b->uop_capacity ||
         b->fused_count + bi->fused_count > b->fused_capacity ||
         b->laminated_count + bi->laminated_count > b->laminated_capacity) &&
        block_reserve(b, a, from->uops, bi->fused_count, bi->laminated_count))
        return TACHO_ERR_MEMORY;
    bi->uop_first = b->uop_count;
    bi->uneliminated_first = bi->eliminable ? b->uop_count + bi->uop_count : 0;
    bi->fused_first = b->fused_count;
    bi->laminated_first = b->laminated_count;
    bi->notes = from->notes;
    const uop *uops = uops_of(from, bi);
    const kept_group *groups = (const kept_group *)(uops + from->uops);
    copy_uops(b, uops, from->uops, index);
    groups = copy_groups(b->fused + b->fused_count, groups, bi->fused_count, b->uop_count);
    copy_groups(b->laminated + b->laminated_count, groups, bi->laminated_count, b->fused_count);
    b->uop_count += from->uops;
    b->fused_count += bi->fused_count;
    b->laminated_count += bi->laminated_count;
    number_lowered(c, t, b, from->displaced, bi);
    return 1;
}

static void keep_lowered(insn_cache *c, insn_template *t, lower_context context, const block *b,
                         uint32_t index)
{
    const block_insn *bi = &b->insns[index];
    uint32_t uops = b->uop_count - bi->uop_first;
    size_t groups = (size_t)bi->fused_count + bi->laminated_count;
    size_t bytes = sizeof(lowered_insn) + bi->mem_count * sizeof(mem_access) + uops * sizeof(uop) +
                   groups * sizeof(kept_group);
    lowered_insn *l = c->bytes < CACHE_BYTES_MAX ? insn_cache_keep(c, bytes) : NULL;
    if (!l)
        return;
    *l = (lowered_insn){.next = t->lowered,
                        .context = context,
                        .uops = (uint16_t)uops,
                        .displaced = displaced_access(t, b, bi),
                        .notes = bi->notes};
    memcpy(l->part, (const char *)bi + LOWERED_FROM, LOWERED_BYTES);
    memcpy((mem_access *)accesses_of(l), bi->mem, bi->mem_count * sizeof(mem_access));
    memcpy((uop *)uops_of(l, bi), b->uops + bi->uop_first, uops * sizeof(uop));
    kept_group *group = (kept_group *)(uops_of(l, bi) + uops);
    group = keep_groups(group, b->fused + bi->fused_first, bi->fused_count, bi->uop_first);
    keep_groups(group, b->laminated + bi->laminated_first, bi->laminated_count, bi->fused_first);
    t->lowered = l;
}

int insn_cache_lower(insn_cache *c, block *b, arena *a, uint32_t index, lower_context context)
{
    block_insn *bi = &b->insns[index];
    insn_template *t = bi->fused_into_previous ? NULL : bi->met;
    /* What has the caller's latency is not kept. */
    bool can_be_kept = bi->has_form || b->unknown != TACHO_UNKNOWN_LATENCY;
    int known = t && can_be_kept ? lower_known(c, t, context, b, a, index) : 0;
    if (known)
        return known < 0 ? known : 0;
    int rc = block_lower_insn(b, a, index, context);
    if (rc || !t)
        return rc;
    number_lowered(c, t, b, displaced_access(t, b, bi), bi);
    if (can_be_kept)
        keep_lowered(c, t, context, b, index);
    return 0;
}
