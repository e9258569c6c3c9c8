/* branch.c - jumps, calls and returns done on the registers of a stopped program, in place of the processor
 * (Intel SDM volume 2: Jcc, JMP, CALL, RET, LOOP, JCXZ). What is rare is left to the processor: far
 * transfers, transactions, 16-bit operands and 32-bit addresses. */
#include "binary/extract/branch.h"
#include "x86/decode/ops.h"

#include <string.h>

enum {
    FLAG_C = 1 << 0,
    FLAG_P = 1 << 2,
    FLAG_Z = 1 << 6,
    FLAG_S = 1 << 7,
    FLAG_O = 1 << 11,
    OPCODE_LOOPNE = 0xe0,
    OPCODE_LOOPE = 0xe1,
    OPCODE_LOOP = 0xe2,
    OPCODE_JRCXZ = 0xe3,
};

#define END_OF_USER_SPACE (UINT64_C(1) << 47)

/* Prefixes that make addresses of 32 bits, or, on some processors, targets of 16. REX.W overrules the latter.
 */
static bool has_size_prefix(const tacho_insn *insn)
{
    size_t n = insn->opcode_offset;
    bool wide = n && (insn->bytes[n - 1] & 0xf8) == 0x48;
    return memchr(insn->bytes, 0x67, n) || (memchr(insn->bytes, 0x66, n) && !wide);
}

/* Registers of 64 bits, and no others, make the address. */
static bool plain_memory(const tacho_mem *m)
{
    bool base = m->base.class_ == TACHO_REG_NONE || m->base.class_ == TACHO_REG_R64 ||
                m->base.class_ == TACHO_REG_RIP;
    return base && (m->index.class_ == TACHO_REG_NONE || m->index.class_ == TACHO_REG_R64) && !m->vsib;
}

static bool plain_target(const tacho_operand *o)
{
    return o->width_bits == 64 && ((o->kind == TACHO_OPERAND_REG && o->reg.class_ == TACHO_REG_R64) ||
                                   (o->kind == TACHO_OPERAND_MEM && plain_memory(&o->mem)));
}

static branch conditional(const tacho_insn *insn, branch b)
{
    bool short_form = insn->opcode >= 0x70 && insn->opcode <= 0x7f;
    bool near_form = insn->opcode >= 0x80 && insn->opcode <= 0x8f;
    if (short_form || near_form) {
        b.kind = BRANCH_IF;
        b.condition = insn->opcode & 15;
    } else if (insn->opcode >= OPCODE_LOOPNE && insn->opcode <= OPCODE_JRCXZ) {
        b.kind = BRANCH_COUNT;
        b.condition = insn->opcode;
    }
    return b;
}

branch branch_of(const tacho_insn *insn)
{
    const tacho_operand *o = &insn->operands[0];
    branch b = {.length = insn->length, .direct = o->kind == TACHO_OPERAND_REL};
    if (insn->operation == OP_SYSCALL)
        b.kind = BRANCH_SYSCALL;
    if (b.kind || has_size_prefix(insn))
        return b;
    b.distance = b.direct ? o->imm : 0;
    b.target = *o;
    bool known = b.direct || plain_target(o);
    if (insn->is_ret && (insn->opcode == 0xc3 || insn->opcode == 0xc2)) {
        b.kind = BRANCH_RETURN;
        b.distance = insn->opcode == 0xc2 && o->kind == TACHO_OPERAND_IMM ? o->imm & 0xffff : 0;
    } else if (insn->is_conditional && b.direct) {
        b = conditional(insn, b);
    } else if (insn->is_call && known && (insn->opcode == 0xe8 || insn->opcode == 0xff)) {
        b.kind = BRANCH_CALL;
    } else if (insn->is_branch && !insn->is_conditional && known &&
               (insn->opcode == 0xe9 || insn->opcode == 0xeb || insn->opcode == 0xff)) {
        b.kind = BRANCH_JUMP;
    }
    return b;
}

address_registers branch_registers(const struct user_regs_struct *r, uint64_t next)
{
    return (address_registers){.gpr = {r->rax, r->rcx, r->rdx, r->rbx, r->rsp, r->rbp, r->rsi, r->rdi, r->r8,
                                       r->r9, r->r10, r->r11, r->r12, r->r13, r->r14, r->r15},
                               .next = next,
                               .fs_base = r->fs_base,
                               .gs_base = r->gs_base};
}

/* The condition of a Jcc; the lowest bit of its number negates it. */
static bool holds(uint8_t condition, uint64_t flags)
{
    bool c = flags & FLAG_C, p = flags & FLAG_P, z = flags & FLAG_Z, s = flags & FLAG_S, o = flags & FLAG_O;
    const bool positive[] = {o, c, z, c || z, s, p, s != o, z || s != o};
    return positive[condition >> 1 & 7] != (condition & 1);
}

static bool counts_on(uint8_t opcode, struct user_regs_struct *r)
{
    bool z = r->eflags & FLAG_Z;
    if (opcode == OPCODE_JRCXZ)
        return !r->rcx;
    r->rcx--;
    return r->rcx && (opcode == OPCODE_LOOP || z == (opcode == OPCODE_LOOPE));
}

static bool find_target(const branch *b, const struct user_regs_struct *r, uint64_t next,
                        const branch_memory *m, uint64_t *target)
{
    if (b->kind == BRANCH_RETURN)
        return m->read(r->rsp, target, m->payload);
    *target = next + (uint64_t)b->distance;
    if (b->direct)
        return true;
    const address_registers known = branch_registers(r, next);
    if (b->target.kind == TACHO_OPERAND_MEM)
        return m->read(tacho_operand_address(&b->target, &known), target, m->payload);
    *target = known.gpr[b->target.reg.number & 15];
    return true;
}

bool branch_take(const branch *b, uint64_t address, struct user_regs_struct *regs,
                 const branch_memory *memory)
{
    struct user_regs_struct r = *regs;
    uint64_t next = address + b->length, target;
    if (b->kind < BRANCH_JUMP || !find_target(b, &r, next, memory, &target) || target >= END_OF_USER_SPACE)
        return false;
    if ((b->kind == BRANCH_IF && !holds(b->condition, r.eflags)) ||
        (b->kind == BRANCH_COUNT && !counts_on(b->condition, &r)))
        target = next;
    if (b->kind == BRANCH_RETURN)
        r.rsp += 8 + (uint64_t)b->distance;
    if (b->kind == BRANCH_CALL) {
        r.rsp -= 8;
        if (!memory->write(r.rsp, next, memory->payload))
            return false;
    }
    r.rip = target;
    *regs = r;
    return true;
}
