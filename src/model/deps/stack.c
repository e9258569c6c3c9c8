/* stack.c - instructions that move RSP: push, pop, their kin for flags and frames, and returns. Where RSP is
 * known it stays so; flags are not followed. Intel SDM, volume 2. */
#include "model/deps/deps_steps.h"

enum {
    RSP = 4,
    RBP = 5,
    FAR_RETURN = 0xca, /* with a number of bytes; 0xcb: without */
    LEVELS = 31        /* of ENTER: the bits that count */
};

static void add_to_stack_pointer(machine *m, int64_t bytes)
{
    m->general[RSP].bits += (uint64_t)bytes;
}

/* An access to the stack, apart from those that the operand names. */
static int stack_operand(const tacho_insn *insn, unsigned access)
{
    for (int i = 0; i < insn->operand_count; i++) {
        const tacho_operand *o = &insn->operands[i];
        if (o->kind == TACHO_OPERAND_MEM && o->visibility == TACHO_SUPPRESSED && o->access & access)
            return i;
    }
    return -1;
}

static unsigned enter_levels(const tacho_insn *insn)
{
    return (unsigned)insn->operands[1].imm & LEVELS;
}

void stack_address(const machine *m, unsigned op, const tacho_insn *insn, int i, value *out)
{
    const tacho_operand *o = &insn->operands[i];
    bool of_rsp = o->mem.base.class_ == TACHO_REG_R64 && o->mem.base.number == RSP,
         implied = o->visibility == TACHO_SUPPRESSED;
    bool pushes = op == OP_PUSH || op == OP_PUSHF || op == OP_ENTER || insn->is_call;
    if (implied && op == OP_LEAVE)
        *out = m->general[RBP];
    else if (implied && of_rsp && o->access & TACHO_WRITE && pushes)
        out->bits -= o->width_bits / 8;
    else if (implied && of_rsp && o->access & TACHO_WRITE)
        *out = UNKNOWN; /* below RSP, and not followed */
    else if (!implied && of_rsp && op == OP_POP)
        out->bits += o->width_bits / 8; /* with what RSP is afterwards */
    if (op == OP_ENTER && enter_levels(insn))
        *out = UNKNOWN; /* it copies pointers of outer frames, too */
}

static void push(machine *m, const tacho_insn *insn, const addresses *a, value v)
{
    int to = stack_operand(insn, TACHO_WRITE);
    if (to < 0)
        return;
    unsigned bytes = insn->operands[to].width_bits / 8;
    add_to_stack_pointer(m, -(int64_t)bytes);
    if (a->of[to].known)
        machine_store_bits(m, a->of[to].bits, bytes, v);
}

static value pop(machine *m, const tacho_insn *insn, const addresses *a)
{
    int from = stack_operand(insn, TACHO_READ);
    if (from < 0)
        return UNKNOWN;
    value v = operand_read(m, insn, from, a);
    add_to_stack_pointer(m, insn->operands[from].width_bits / 8);
    return v;
}

static void leave(machine *m, const tacho_insn *insn, const addresses *a)
{
    int from = stack_operand(insn, TACHO_READ);
    value v = from < 0 ? UNKNOWN : operand_read(m, insn, from, a);
    m->general[RSP] = m->general[RBP];
    add_to_stack_pointer(m, 8);
    m->general[RBP] = v;
}

static void enter(machine *m, const tacho_insn *insn, const addresses *a)
{
    unsigned levels = enter_levels(insn);
    push(m, insn, a, m->general[RBP]);
    m->general[RBP] = m->general[RSP];
    add_to_stack_pointer(m, -(int64_t)(8 * levels) - (insn->operands[0].imm & 0xffff));
}

static void ret(machine *m, const tacho_insn *insn)
{
    bool far = (insn->opcode | 1) == (FAR_RETURN | 1);
    int64_t more = insn->visible_count ? insn->operands[0].imm & 0xffff : 0;
    add_to_stack_pointer(m, (far ? 2 * insn->operand_size / 8 : 8) + more);
}

void stack_execute(machine *m, unsigned op, const tacho_insn *insn, const addresses *a)
{
    switch (op) {
    case OP_PUSH:
        push(m, insn, a, operand_read(m, insn, 0, a));
        break;
    case OP_PUSHF:
        push(m, insn, a, UNKNOWN);
        break;
    case OP_POP: {
        value v = pop(m, insn, a);
        operand_write(m, insn, 0, a, v);
        break;
    }
    case OP_POPF:
        pop(m, insn, a);
        break;
    case OP_LEAVE:
        leave(m, insn, a);
        break;
    case OP_ENTER:
        enter(m, insn, a);
        break;
    default:
        ret(m, insn);
    }
}
