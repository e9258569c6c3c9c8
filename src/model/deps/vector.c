/* vector.c - pointers that go through vector registers: copies, and 64-bit lanes put in and taken out. A
 * legacy instruction keeps the lanes above its 128 bits, a VEX or EVEX one clears them. */
#include "model/deps/deps_internal.h"
#include "x86/decode/regs.h"

static value *lanes_of(machine *m, tacho_reg r)
{
    return m->vector[r.number % VECTOR_REGISTERS];
}

static bool is_vector_operand(const tacho_operand *o)
{
    return o->kind == TACHO_OPERAND_REG && reg_is_vector(o->reg);
}

/* A 64-bit lane of an operand: of a register, a general register (its only one), or memory. */
static value lane(machine *m, const tacho_insn *insn, int i, unsigned l, const addresses *a)
{
    const tacho_operand *o = &insn->operands[i];
    if (is_vector_operand(o))
        return lanes_of(m, o->reg)[l % LANES];
    if (o->kind == TACHO_OPERAND_REG && reg_is_general(o->reg))
        return l ? known(0) : machine_read_general(m, o->reg);
    unsigned bytes = o->width_bits / 8, from = 8 * l;
    if (o->kind != TACHO_OPERAND_MEM || !a->of[i].known || from >= bytes)
        return UNKNOWN;
    return machine_load(m, a->of[i].bits + from, bytes - from < 8 ? bytes - from : 8);
}

/* Lanes from `first` on are no longer what they were. */
static void end_lanes(machine *m, const tacho_insn *insn, unsigned first)
{
    value *to = lanes_of(m, insn->operands[0].reg);
    for (unsigned l = first; l < LANES; l++)
        if (insn->encoding != TACHO_ENC_LEGACY)
            to[l] = known(0);
}

static unsigned lane_count(const tacho_operand *o)
{
    unsigned n = o->width_bits / 64;
    return n < LANES ? n : LANES;
}

/* Whole registers, to or from memory. */
static bool copy(machine *m, unsigned op, const tacho_insn *insn, const addresses *a)
{
    const tacho_operand *to = &insn->operands[0];
    int from = insn->visible_count - 1;
    unsigned count = lane_count(to);
    if (insn->mask)
        return false;
    for (unsigned l = 0; l < count; l++) {
        value v = lane(m, insn, from, l, a);
        if (is_vector_operand(to))
            lanes_of(m, to->reg)[l] = v;
        else if (a->of[0].known)
            machine_store_bits(m, a->of[0].bits + 8 * l, 8, v);
    }
    if (is_vector_operand(to))
        end_lanes(m, insn, count);
    return true;
}

/* MOVQ and MOVD: the lowest lane; what is above in the register becomes 0. */
static bool scalar(machine *m, unsigned op, const tacho_insn *insn, const addresses *a)
{
    const tacho_operand *to = &insn->operands[0], *from = &insn->operands[1];
    unsigned bits = to->width_bits < from->width_bits ? to->width_bits : from->width_bits;
    value v = lane(m, insn, 1, 0, a);
    if (bits == 32)
        v.bits &= 0xffffffff;
    if (is_vector_operand(to)) {
        lanes_of(m, to->reg)[0] = v;
        lanes_of(m, to->reg)[1] = known(0);
        end_lanes(m, insn, 2);
    } else if (to->kind == TACHO_OPERAND_REG && reg_is_general(to->reg))
        machine_write_general(m, to->reg, v);
    else if (to->kind == TACHO_OPERAND_MEM && a->of[0].known)
        machine_store_bits(m, a->of[0].bits, bits / 8, v);
    else
        return false;
    return true;
}

/* MOVSD: a load clears what is above; between registers the rest comes from the (first) other one. */
static bool move_double(machine *m, unsigned op, const tacho_insn *insn, const addresses *a)
{
    const tacho_operand *to = &insn->operands[0];
    int from = insn->visible_count - 1;
    value v = lane(m, insn, from, 0, a);
    if (insn->mask)
        return false;
    if (!is_vector_operand(to)) {
        if (a->of[0].known)
            machine_store_bits(m, a->of[0].bits, 8, v);
        return true;
    }
    value high = insn->operands[from].kind == TACHO_OPERAND_MEM ? known(0) : lane(m, insn, from - 1, 1, a);
    lanes_of(m, to->reg)[0] = v;
    lanes_of(m, to->reg)[1] = high;
    end_lanes(m, insn, 2);
    return true;
}

/* MOVLPS (OP_LOW), MOVHPS (OP_HIGH): the other half stays, or comes from the second operand. */
static bool move_half(machine *m, unsigned op, const tacho_insn *insn, const addresses *a)
{
    const unsigned half = op == OP_HIGH;
    const tacho_operand *to = &insn->operands[0];
    int from = insn->visible_count - 1;
    if (!is_vector_operand(to)) {
        if (a->of[0].known)
            machine_store_bits(m, a->of[0].bits, 8, lane(m, insn, from, half, a));
        return true;
    }
    if (insn->operands[from].kind != TACHO_OPERAND_MEM)
        return false;
    value v = lane(m, insn, from, 0, a), other = lane(m, insn, insn->visible_count == 3, 1 - half, a);
    lanes_of(m, to->reg)[half] = v;
    lanes_of(m, to->reg)[1 - half] = other;
    end_lanes(m, insn, 2);
    return true;
}

/* The low lanes of each 128 bits of the last two operands. */
static bool unpack(machine *m, unsigned op, const tacho_insn *insn, const addresses *a)
{
    int second = insn->visible_count - 1, first = second == 2 ? 1 : 0;
    unsigned count = lane_count(&insn->operands[0]);
    if (insn->mask)
        return false;
    for (unsigned l = 0; l + 1 < count; l += 2) {
        value x = lane(m, insn, first, l, a), y = lane(m, insn, second, l, a);
        lanes_of(m, insn->operands[0].reg)[l] = x;
        lanes_of(m, insn->operands[0].reg)[l + 1] = y;
    }
    end_lanes(m, insn, count);
    return true;
}

/* Of each 128 bits the low lane twice (MOVDDUP), or the lowest one everywhere. */
static bool spread_lane(machine *m, unsigned op, const tacho_insn *insn, const addresses *a)
{
    unsigned count = lane_count(&insn->operands[0]);
    if (insn->mask)
        return false;
    value v = lane(m, insn, 1, 0, a);
    for (unsigned l = 0; l < count; l++) {
        if (op == OP_DUP && l % 2 == 0)
            v = lane(m, insn, 1, l, a);
        lanes_of(m, insn->operands[0].reg)[l] = v;
    }
    end_lanes(m, insn, count);
    return true;
}

static bool insert(machine *m, unsigned op, const tacho_insn *insn, const addresses *a)
{
    int last = insn->visible_count - 1;
    unsigned to = (unsigned)insn->operands[last].imm & 1;
    value v = lane(m, insn, last - 1, 0, a), other = lane(m, insn, last == 3, 1 - to, a);
    lanes_of(m, insn->operands[0].reg)[to] = v;
    lanes_of(m, insn->operands[0].reg)[1 - to] = other;
    end_lanes(m, insn, 2);
    return true;
}

static bool extract(machine *m, unsigned op, const tacho_insn *insn, const addresses *a)
{
    const tacho_operand *to = &insn->operands[0];
    value v = lane(m, insn, 1, (unsigned)insn->operands[2].imm & 1, a);
    if (to->kind == TACHO_OPERAND_REG)
        machine_write_general(m, to->reg, v);
    else if (a->of[0].known)
        machine_store_bits(m, a->of[0].bits, 8, v);
    return true;
}

static value of_two(unsigned op, value p, value q)
{
    uint64_t bits = op == OP_VADD    ? p.bits + q.bits
                    : op == OP_VSUB  ? p.bits - q.bits
                    : op == OP_VAND  ? p.bits & q.bits
                    : op == OP_VOR   ? p.bits | q.bits
                    : op == OP_VANDN ? ~p.bits & q.bits
                                     : p.bits ^ q.bits;
    return (value){bits, p.known && q.known && op != OP_VZERO && op != OP_VONES};
}

/* Of a register and itself. */
static value of_one(unsigned op, value p)
{
    if (op == OP_VADD)
        return (value){2 * p.bits, p.known};
    if (op == OP_VAND || op == OP_VOR)
        return p;
    return known(op == OP_VONES ? ~(uint64_t)0 : 0);
}

static bool compute(machine *m, unsigned op, const tacho_insn *insn, const addresses *a)
{
    int second = insn->visible_count - 1, first = second == 2 ? 1 : 0;
    unsigned count = lane_count(&insn->operands[0]);
    const tacho_operand *x = &insn->operands[first], *y = &insn->operands[second];
    bool same = is_vector_operand(x) && is_vector_operand(y) && x->reg.number == y->reg.number;
    if (insn->mask || y->mem.broadcast)
        return false;
    for (unsigned l = 0; l < count; l++) {
        value p = lane(m, insn, first, l, a), q = lane(m, insn, second, l, a);
        lanes_of(m, insn->operands[0].reg)[l] = same ? of_one(op, p) : of_two(op, p, q);
    }
    end_lanes(m, insn, count);
    return true;
}

bool vector_execute(machine *m, unsigned op, const tacho_insn *insn, const addresses *a)
{
    static bool (*const steps[])(machine *, unsigned, const tacho_insn *, const addresses *) = {
        [OP_VECTOR] = copy,
        [OP_SCALAR] = scalar,
        [OP_MOVSD] = move_double,
        [OP_LOW... OP_HIGH] = move_half,
        [OP_UNPACK] = unpack,
        [OP_DUP... OP_BROADCAST] = spread_lane,
        [OP_INSERT] = insert,
        [OP_EXTRACT] = extract,
        [OP_VXOR... OP_VONES] = compute,
    };
    const tacho_operand *to = &insn->operands[0];
    bool other = to->kind == TACHO_OPERAND_REG && !reg_is_vector(to->reg) && !reg_is_general(to->reg);
    if (insn->visible_count < 2 || other) /* MMX and mask registers are not followed */
        return false;
    return op < sizeof steps / sizeof *steps && steps[op] && steps[op](m, op, insn, a);
}
