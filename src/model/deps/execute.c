/* execute.c - what instructions do to numbers: the integer arithmetic that compilers use on addresses, and
 * moves. All else makes unknown what it writes (staticdeps, section 3.3). Intel SDM, volume 2. */
#include "base/hash.h"
#include "model/deps/deps_internal.h"
#include "x86/decode/arithmetic.h"
#include "x86/decode/regs.h"

/* Instructions that move RSP: push, pop, their kin for flags and frames, and returns. Where RSP is
 * known it stays so; flags are not followed. Intel SDM, volume 2. */

enum {
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

static void stack_address(const machine *m, unsigned op, const tacho_insn *insn, int i, value *out)
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

/* The address of memory operand `i`, which is *out by what its registers hold, where the instruction uses
 * RSP in other ways. */
static void stack_execute(machine *m, unsigned op, const tacho_insn *insn, const addresses *a)
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

/* ---- operands ---- */

value operand_read(const machine *m, const tacho_insn *insn, int i, const addresses *a)
{
    const tacho_operand *o = &insn->operands[i];
    if (o->kind == TACHO_OPERAND_IMM)
        return known((uint64_t)o->imm);
    if (o->kind == TACHO_OPERAND_REG && reg_is_general(o->reg))
        return machine_read_general(m, o->reg);
    if (o->kind == TACHO_OPERAND_AGEN)
        return machine_address(m, &o->mem);
    if (o->kind == TACHO_OPERAND_MEM && a->of[i].known && o->width_bits <= 64)
        return machine_load(m, a->of[i].bits, o->width_bits / 8);
    return UNKNOWN;
}

void operand_write(machine *m, const tacho_insn *insn, int i, const addresses *a, value v)
{
    const tacho_operand *o = &insn->operands[i];
    if (o->kind == TACHO_OPERAND_REG && reg_is_general(o->reg))
        machine_write_general(m, o->reg, v);
    else if (o->kind == TACHO_OPERAND_MEM && a->of[i].known)
        machine_store_bits(m, a->of[i].bits, o->width_bits / 8, v);
    else if (o->kind == TACHO_OPERAND_REG && reg_is_vector(o->reg))
        for (int l = 0; l < LANES; l++)
            m->vector[o->reg.number % VECTOR_REGISTERS][l] = UNKNOWN;
}

/* ---- instructions ---- */

static void execute1(machine *m, unsigned op, const tacho_insn *insn, const addresses *a)
{
    int source = insn->visible_count > 1 ? 1 : 0;
    value v = operand_read(m, insn, source, a);
    if (v.known)
        v.bits = arith_one(op, v.bits, insn->operands[0].width_bits, insn->operands[source].width_bits);
    operand_write(m, insn, 0, a, v);
}

static void execute2(machine *m, unsigned op, const tacho_insn *insn, const addresses *a)
{
    int first = insn->visible_count > 2 ? 1 : 0;
    value x = operand_read(m, insn, first, a), y = operand_read(m, insn, first + 1, a);
    unsigned width = insn->operands[0].width_bits;
    value out = {0, x.known && y.known};
    if (out.known)
        out.bits = arith_two(op, x.bits, y.bits, width);
    operand_write(m, insn, 0, a, out);
}

/* A shift by one, whose count is not written out. */
static void execute_shift(machine *m, unsigned op, const tacho_insn *insn, const addresses *a)
{
    if (insn->visible_count > 1) {
        execute2(m, op, insn, a);
        return;
    }
    value x = operand_read(m, insn, 0, a);
    if (x.known)
        x.bits = arith_shift(op, x.bits, 1, insn->operands[0].width_bits);
    operand_write(m, insn, 0, a, x);
}

static void execute_double_shift(machine *m, unsigned op, const tacho_insn *insn, const addresses *a)
{
    value x = operand_read(m, insn, 0, a), y = operand_read(m, insn, 1, a), n = operand_read(m, insn, 2, a);
    value out = {0, x.known && y.known && n.known};
    if (out.known)
        out.bits = arith_double_shift(op, x.bits, y.bits, (unsigned)n.bits, insn->operands[0].width_bits);
    operand_write(m, insn, 0, a, out);
}

/* All that is written becomes unknown. */
static void make_unknown(machine *m, const tacho_insn *insn, const addresses *a)
{
    for (int i = 0; i < insn->operand_count; i++)
        if (insn->operands[i].access & TACHO_WRITE)
            operand_write(m, insn, i, a, UNKNOWN);
}

static tacho_reg general(unsigned class_, unsigned number)
{
    return (tacho_reg){(uint8_t)class_, (uint8_t)number};
}

static unsigned class_of_width(unsigned bits)
{
    return bits == 8    ? TACHO_REG_R8L
           : bits == 16 ? TACHO_REG_R16
           : bits == 32 ? TACHO_REG_R32
                        : TACHO_REG_R64;
}

/* RDX:RAX (AX) = RAX times the operand; MULX: the first two operands, the high half first. */
static void multiply(machine *m, unsigned op, const tacho_insn *insn, const addresses *a)
{
    int source = op == OP_MULX ? 2 : 0;
    unsigned width = insn->operands[source].width_bits;
    tacho_reg implied = general(class_of_width(width), op == OP_MULX ? 2 : 0);
    value x = machine_read_general(m, implied), y = operand_read(m, insn, source, a);
    bool both = x.known && y.known;
    __extension__ typedef unsigned __int128 wide;
    __extension__ typedef __int128 signed_wide;
    wide product =
        op == OP_IMUL
            ? (wide)((signed_wide)arith_sign_extend(x.bits, width) * arith_sign_extend(y.bits, width))
            : (wide)x.bits * y.bits;
    value low = {(uint64_t)product, both}, high = {(uint64_t)(product >> width), both};
    if (op == OP_MULX) {
        operand_write(m, insn, 1, a, low);
        operand_write(m, insn, 0, a, high);
    } else if (width == 8)
        machine_write_general(m, general(TACHO_REG_R16, 0), low);
    else {
        machine_write_general(m, implied, low);
        machine_write_general(m, general(class_of_width(width), 2), high);
    }
}

static void exchange(machine *m, unsigned op, const tacho_insn *insn, const addresses *a)
{
    value x = operand_read(m, insn, 0, a), y = operand_read(m, insn, 1, a);
    value sum = {x.bits + y.bits, x.known && y.known};
    operand_write(m, insn, 1, a, x);
    operand_write(m, insn, 0, a, op == OP_XADD ? sum : y);
}

static void widen(machine *m, unsigned op, const tacho_insn *insn, const addresses *a)
{
    unsigned width = insn->operand_size;
    value v = machine_read_general(m, general(class_of_width(width / 2), 0));
    v.bits = (uint64_t)arith_sign_extend(v.bits, width / 2);
    machine_write_general(m, general(class_of_width(width), 0), v);
}

static void spread(machine *m, unsigned op, const tacho_insn *insn, const addresses *a)
{
    unsigned width = insn->operand_size;
    value v = machine_read_general(m, general(class_of_width(width), 0));
    v.bits = (uint64_t)(arith_sign_extend(v.bits, width) >> 63);
    machine_write_general(m, general(class_of_width(width), 2), v);
}

tacho_reg counting_register(const tacho_insn *insn)
{
    for (int i = 0; i < insn->operand_count; i++)
        if (insn->operands[i].kind == TACHO_OPERAND_REG && insn->operands[i].reg.class_ == TACHO_REG_R32)
            return insn->operands[i].reg;
    return general(TACHO_REG_R64, 1);
}

static void count_down(machine *m, unsigned op, const tacho_insn *insn, const addresses *a)
{
    value count = machine_read_general(m, counting_register(insn));
    count.bits--;
    machine_write_general(m, counting_register(insn), count);
}

/* With unknown flags the result may be either operand: it is known only if both are the same. In a function
 * that is followed one is chosen, as one of the ways of a branch is; all machines that follow it together
 * choose the same. */
static void choose(machine *m, unsigned op, const tacho_insn *insn, const addresses *a)
{
    value x = operand_read(m, insn, 0, a), y = operand_read(m, insn, 1, a);
    int condition = flags_condition(&m->flags, insn_condition(insn));
    bool same = x.known && y.known && x.bits == y.bits;
    if (condition < 0 && m->follows_flags)
        condition = (int)(hash_mix(m->time) & 1);
    operand_write(m, insn, 0, a, condition > 0 ? y : !condition || same ? x : UNKNOWN);
}

static void set_by_condition(machine *m, unsigned op, const tacho_insn *insn, const addresses *a)
{
    int condition = flags_condition(&m->flags, insn_condition(insn));
    operand_write(m, insn, 0, a, condition < 0 ? UNKNOWN : known((uint64_t)condition));
}

/* With unknown carry unknown. */
static void add_with_carry(machine *m, unsigned op, const tacho_insn *insn, const addresses *a)
{
    value x = operand_read(m, insn, 0, a), y = operand_read(m, insn, 1, a);
    uint64_t carry = m->flags.bits & FLAG_CARRY;
    x.known &= y.known && m->flags.known & FLAG_CARRY;
    x.bits += op == OP_ADC ? y.bits + carry : -y.bits - carry;
    operand_write(m, insn, 0, a, x);
}

void machine_forget_call(machine *m)
{
    static const uint8_t lost[] = {0, 1, 2, 6, 7, 8, 9, 10, 11}; /* System V ABI: not kept by the callee */
    for (size_t i = 0; i < sizeof lost; i++)
        m->general[lost[i]] = m->follows_flags ? machine_fresh(m) : UNKNOWN;
    for (int r = 0; r < VECTOR_REGISTERS; r++)
        for (int l = 0; l < LANES; l++)
            m->vector[r][l] = UNKNOWN;
}

void machine_addresses(const machine *m, const tacho_insn *insn, addresses *out)
{
    unsigned op = insn->operation;
    out->repeats = 1;
    for (int i = 0; i < insn->operand_count; i++) {
        out->of[i] = UNKNOWN;
        if (insn->operands[i].kind != TACHO_OPERAND_MEM)
            continue;
        out->of[i] = machine_address(m, &insn->operands[i].mem);
        stack_address(m, op, insn, i, &out->of[i]);
    }
    if (op == OP_STRING || op == OP_SCAN)
        string_addresses(m, op, insn, out);
}

bool insn_waits_for_nothing(const tacho_insn *insn)
{
    int last = insn->visible_count - 1;
    if (last < 1 || !operands_are_one_reg(&insn->operands[last - 1], &insn->operands[last]))
        return false;
    const tacho_operand *to = &insn->operands[0];
    switch (insn->operation) {
    case OP_XOR:
    case OP_SUB:
        return last == 1 && to->width_bits >= 32;
    case OP_VXOR:
    case OP_VSUB:
    case OP_VZERO:
        return last <= 2 && to->reg.class_ != TACHO_REG_K;
    case OP_VONES:
        return last <= 2 && reg_is_vector(to->reg);
    default:
        return false;
    }
}

static void call_kernel(machine *m, unsigned op, const tacho_insn *insn, const addresses *a)
{
    make_unknown(m, insn, a);
    m->general[0] = UNKNOWN; /* what it returns */
}

static void set_direction(machine *m, unsigned op, const tacho_insn *insn, const addresses *a)
{
    m->backwards = op == OP_BACKWARDS;
}

static void execute(machine *m, const tacho_insn *insn, const addresses *a)
{
    static void (*const steps[])(machine *, unsigned, const tacho_insn *, const addresses *) = {
        [OP_MOVE... OP_LAST1] = execute1,
        [OP_ADD... OP_PDEP] = execute2,
        [OP_SHL... OP_LAST2] = execute_shift,
        [OP_SHLD... OP_SHRD] = execute_double_shift,
        [OP_MUL... OP_MULX] = multiply,
        [OP_XCHG... OP_XADD] = exchange,
        [OP_FIRST_STACK... OP_LAST_STACK] = stack_execute,
        [OP_SYSCALL] = call_kernel,
        [OP_STRING... OP_SCAN] = string_execute,
        [OP_BACKWARDS... OP_FORWARDS] = set_direction,
        [OP_CHOOSE] = choose,
        [OP_SET] = set_by_condition,
        [OP_ADC... OP_SBB] = add_with_carry,
        [OP_WIDEN] = widen,
        [OP_SPREAD] = spread,
        [OP_LOOP] = count_down,
    };
    unsigned op = insn->operation;
    bool known_step = op < sizeof steps / sizeof *steps && steps[op];
    if (op < OP_VECTOR && insn_waits_for_nothing(insn))
        operand_write(m, insn, 0, a, known(0));
    else if (insn->is_call)
        machine_forget_call(m);
    else if (op == OP_IMUL && insn->visible_count == 1)
        multiply(m, op, insn, a);
    else if (known_step)
        steps[op](m, op, insn, a);
    else if (op < OP_VECTOR || !vector_execute(m, op, insn, a))
        make_unknown(m, insn, a);
}

void machine_execute(machine *m, const tacho_insn *insn, const addresses *a)
{
    flag_values flags = {0};
    if (m->follows_flags)
        flags = flags_after(m, insn, a);
    execute(m, insn, a);
    m->flags = flags;
}
