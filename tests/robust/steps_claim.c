/* steps_claim.c - what the decoder says an instruction may change and where it may lead, and whether a step
 * kept to it. */
#include <Zydis/Zydis.h>
#include <stdio.h>
#include <string.h>

#include "steps.h"
#include "x86/decode/mnemonic_list.h"
#include "x86/decode/regs.h"
#include "x86/decode/written.h"

enum {
    CARRY = 0x1,
    OTHERS = 0x8d4, /* PF, AF, ZF, SF, OF */
    DIRECTION = 0x400,
    FLOAT_FLAGS = 0x3f /* of MXCSR: exceptions that have occurred */
};

static uint64_t bits_of(tacho_reg reg)
{
    switch (reg.class_) {
    case TACHO_REG_R8L:
        return 0xff;
    case TACHO_REG_R8H:
        return 0xff00;
    case TACHO_REG_R16:
        return 0xffff;
    default: /* 32-bit results are extended with zeros */
        return UINT64_MAX;
    }
}

static void claim_operand(steps_claim *out, const tacho_operand *o)
{
    if (o->kind == TACHO_OPERAND_REL)
        out->target = o->imm;
    /* Gathers and scatters can be stopped after some elements, and go on with the others (SDM, volume 2). */
    if (o->kind == TACHO_OPERAND_MEM && o->mem.vsib)
        out->repeats = true;
    if (o->kind != TACHO_OPERAND_REG || !(o->access & TACHO_WRITE))
        return;
    if (reg_is_general(o->reg))
        out->gpr[o->reg.number] |= bits_of(o->reg);
}

void steps_claim_make(steps_claim *out, const tacho_insn *insn)
{
    *out = (steps_claim){.length = insn->length,
                         .repeats = insn->rep || insn->repne,
                         .branches = insn->is_branch,
                         .vectors = insn_vectors_written(insn),
                         .uppers = insn->mnemonic == ZYDIS_MNEMONIC_VZEROUPPER,
                         .masks = insn_masks_written(insn),
                         .x87 = tacho_insn_touches_x87(insn),
                         .mxcsr = insn_loads_mxcsr(insn)};
    if (insn->flags_written & TACHO_FLAG_C)
        out->flags |= CARRY;
    if (insn->flags_written & TACHO_FLAG_SPAZO)
        out->flags |= OTHERS;
    if (IN_LIST(insn->mnemonic, STD, CLD))
        out->flags |= DIRECTION;
    /* Conversions may have no vector register: from memory to a general one, or one of MMX's. */
    out->float_flags = tacho_insn_vectors_used(insn) || strstr(tacho_mnemonic_name(insn->mnemonic), "CVT");
    for (int i = 0; i < insn->operand_count; i++)
        claim_operand(out, &insn->operands[i]);
    for (int i = 0; i < 16; i++)
        if (!out->gpr[i] && tacho_insn_general_written(insn) >> i & 1)
            out->gpr[i] = UINT64_MAX;
}

static const char *said(const char *format, unsigned a, unsigned long long b)
{
    static char text[128];
    snprintf(text, sizeof text, format, a, b);
    return text;
}

static const char *judge_place(const steps_case *c, const steps_claim *claim)
{
    uint64_t start = steps_next() - c->insn.length, next = start + claim->length, rip = c->after.rip;
    bool known = rip == next || (claim->repeats && rip == start) ||
                 (claim->branches && rip == next + (uint64_t)claim->target);
    if (known)
        return NULL;
    return said("%u bytes long, and afterwards at 0x%llx from its start", claim->length,
                (unsigned long long)(rip - start));
}

static const char *judge_vectors(const steps_case *c, const steps_claim *claim)
{
    for (unsigned i = 0; i < 32; i++) {
        size_t same = claim->uppers ? 16 : 64;
        if (!(claim->vectors >> i & 1) && memcmp(c->before.vectors[i], c->after.vectors[i], same))
            return said("vector register %u has changed", i, 0);
    }
    for (unsigned i = 0; i < 8; i++)
        if (!(claim->masks >> i & 1) && c->before.masks[i] != c->after.masks[i])
            return said("mask register %u has changed to 0x%llx", i, c->after.masks[i]);
    uint32_t before = c->before.mxcsr;
    if (claim->float_flags) /* the decoder does not name what most arithmetic may set, and none clears */
        before |= c->after.mxcsr & FLOAT_FLAGS;
    if (!claim->mxcsr && before != c->after.mxcsr)
        return said("MXCSR has changed from 0x%x to 0x%llx", c->before.mxcsr, c->after.mxcsr);
    return NULL;
}

static const char *judge_x87(const steps_case *c, const steps_claim *claim)
{
    const steps_state *b = &c->before, *a = &c->after;
    if (claim->x87)
        return NULL;
    if (b->x87_control != a->x87_control || b->x87_status != a->x87_status || b->x87_tags != a->x87_tags)
        return said("the x87 unit's state has changed: tags 0x%x to 0x%llx", b->x87_tags, a->x87_tags);
    for (unsigned i = 0; i < 8; i++)
        if (memcmp(b->x87[i], a->x87[i], sizeof b->x87[i]))
            return said("x87 register %u has changed", i, 0);
    return NULL;
}

static const char *judge_general(const steps_case *c, const steps_claim *claim)
{
    for (unsigned i = 0; i < 16; i++)
        if ((c->before.gpr[i] ^ c->after.gpr[i]) & ~claim->gpr[i])
            return said("general register %u has changed to 0x%llx", i, c->after.gpr[i]);
    if ((c->before.flags ^ c->after.flags) & ~claim->flags)
        return said("flags have changed from 0x%x to 0x%llx", (unsigned)c->before.flags, c->after.flags);
    if (c->before.segments != c->after.segments)
        return said("segment registers have changed from 0x%x to 0x%llx", (unsigned)c->before.segments,
                    c->after.segments);
    return NULL;
}

const char *steps_judge(const steps_case *c, const steps_claim *claim)
{
    const char *wrong;
    switch (c->end) {
    case STEPS_FETCHES_MORE:
        return "it is longer than the decoder says";
    case STEPS_SYSTEM_CALL:
        return "it makes a system call";
    case STEPS_HANGS:
        return "it does not end";
    case STEPS_UNKNOWN:
    case STEPS_FAULTED:
        return c->after.rip == steps_next() - c->insn.length ? NULL : "it goes elsewhere, and faults there";
    case STEPS_STEPPED:
        if ((wrong = judge_place(c, claim)) || (wrong = judge_general(c, claim)) ||
            (wrong = judge_vectors(c, claim)))
            return wrong;
        return judge_x87(c, claim);
    default:
        return NULL;
    }
}
