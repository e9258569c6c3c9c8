/* flags.c - carry, parity, zero, sign and overflow as numbers, after the integer instructions whose flags
 * compilers branch on. After all other instructions that write flags they are unknown, and so are those that
 * the manual calls undefined. Intel SDM, volume 1, appendix A, and volume 2. */
#include "base/number.h"
#include "model/deps/deps_internal.h"
#include "x86/decode/arithmetic.h"
#include "x86/decode/regs.h"

enum {
    FLAGS_OF_RESULT = FLAG_PARITY | FLAG_ZERO | FLAG_SIGN
};

static bool top_bit(uint64_t bits, unsigned width)
{
    return bits >> (width - 1) & 1;
}

/* Sets some flags to known values. */
static void put(flag_values *f, unsigned which, unsigned bits)
{
    f->known |= (uint8_t)which;
    f->bits = (uint8_t)((f->bits & ~which) | (bits & which));
}

static void forget(flag_values *f, unsigned which)
{
    f->known &= (uint8_t)~which;
}

/* Parity, zero and sign of a result. */
static void put_result(flag_values *f, uint64_t result, unsigned width)
{
    result &= lowest_bits(width);
    f->result = result;
    put(f, FLAGS_OF_RESULT,
        (result ? 0 : FLAG_ZERO) | (top_bit(result, width) ? FLAG_SIGN : 0) |
            (__builtin_parityll(result & 0xff) ? 0 : FLAG_PARITY));
}

static void put_sum(flag_values *f, uint64_t x, uint64_t y, bool carry, unsigned width)
{
    x &= lowest_bits(width);
    y &= lowest_bits(width);
    uint64_t sum = (x + y + carry) & lowest_bits(width);
    put_result(f, sum, width);
    put(f, FLAG_CARRY, sum < x || (carry && sum == x) ? FLAG_CARRY : 0);
    put(f, FLAG_OVERFLOW, top_bit(~(x ^ y) & (x ^ sum), width) ? FLAG_OVERFLOW : 0);
}

/* x - y is x + ~y + 1, which carries where nothing is borrowed. */
static void put_difference(flag_values *f, uint64_t x, uint64_t y, bool borrow, unsigned width)
{
    put_sum(f, x, ~y, !borrow, width);
    f->bits ^= FLAG_CARRY;
}

/* The last bit that a shift moves out. @return false: undefined */
static bool bit_moved_out(unsigned op, uint64_t x, unsigned count, unsigned width, bool *out)
{
    if (op == OP_SAR)
        *out = (uint64_t)arith_sign_extend(x, width) >> (count < width ? count - 1 : width - 1) & 1;
    else if (count >= width)
        return false;
    else
        *out = x >> (op == OP_SHL ? width - count : count - 1) & 1;
    return true;
}

static void put_shift(flag_values *f, unsigned op, uint64_t x, unsigned count, unsigned width)
{
    uint64_t result = arith_shift(op, x, count, width) & lowest_bits(width);
    bool carry;
    x &= lowest_bits(width);
    put_result(f, result, width);
    forget(f, FLAG_CARRY | FLAG_OVERFLOW);
    if (!bit_moved_out(op, x, count, width, &carry))
        return;
    put(f, FLAG_CARRY, carry ? FLAG_CARRY : 0);
    bool overflow = op == OP_SHL ? top_bit(result, width) != carry : op == OP_SHR && top_bit(x, width);
    if (count == 1)
        put(f, FLAG_OVERFLOW, overflow ? FLAG_OVERFLOW : 0);
}

static void put_rotation(flag_values *f, unsigned op, uint64_t x, unsigned count, unsigned width)
{
    uint64_t result = arith_shift(op, x, count, width) & lowest_bits(width);
    bool top = top_bit(result, width), carry = op == OP_ROL ? result & 1 : top;
    bool other = op == OP_ROL ? carry : top_bit(result << 1, width);
    f->result = result;
    forget(f, FLAG_OVERFLOW);
    put(f, FLAG_CARRY, carry ? FLAG_CARRY : 0);
    if (count == 1)
        put(f, FLAG_OVERFLOW, top != other ? FLAG_OVERFLOW : 0);
}

static void shift(flag_values *f, unsigned op, const tacho_insn *insn, value x, value y)
{
    unsigned width = insn->operands[0].width_bits, count = (unsigned)y.bits & (width == 64 ? 63 : 31);
    if (y.known && !count)
        return;
    if (!x.known || !y.known)
        forget(f, op == OP_ROL || op == OP_ROR ? FLAG_CARRY | FLAG_OVERFLOW : FLAGS_ALL);
    else if (op == OP_ROL || op == OP_ROR)
        put_rotation(f, op, x.bits, count, width);
    else
        put_shift(f, op, x.bits, count, width);
}

/* BLSI, BLSR, BLSMSK, BZHI, counts of bits. */
static void bits(flag_values *f, unsigned op, uint64_t x, uint64_t y, unsigned width)
{
    uint64_t result =
        (op == OP_BZHI ? arith_two(op, x, y, width) : arith_one(op, x, width, width)) & lowest_bits(width);
    bool empty = !(x & lowest_bits(width)), carry = op == OP_BLSI   ? !empty
                                                    : op == OP_BZHI ? (y & 0xff) >= width
                                                                    : empty;
    put_result(f, result, width);
    forget(f, FLAG_PARITY);
    put(f, FLAG_CARRY | FLAG_OVERFLOW, carry ? FLAG_CARRY : 0);
    if (op == OP_TZCNT || op == OP_LZCNT)
        forget(f, FLAG_SIGN | FLAG_OVERFLOW);
    if (op == OP_POPCNT)
        put(f, FLAGS_ALL, empty ? FLAG_ZERO : 0);
}

static void logic(flag_values *f, unsigned op, value x, value y, unsigned width)
{
    forget(f, FLAGS_OF_RESULT);
    put(f, FLAG_CARRY | FLAG_OVERFLOW, 0);
    if (x.known && y.known)
        put_result(f, arith_two(op == OP_TEST ? OP_AND : op, x.bits, y.bits, width), width);
    if (op == OP_ANDN)
        forget(f, FLAG_PARITY);
}

/* Of two numbers that are known. */
static void arithmetic(flag_values *f, unsigned op, uint64_t x, uint64_t y, unsigned width)
{
    uint8_t carry = f->bits & FLAG_CARRY, carry_known = f->known & FLAG_CARRY;
    if ((op == OP_ADC || op == OP_SBB) && !carry_known)
        forget(f, FLAGS_ALL);
    else if (op == OP_ADD || op == OP_ADC || op == OP_XADD)
        put_sum(f, x, y, op == OP_ADC && carry, width);
    else if (op == OP_NEG)
        put_difference(f, 0, x, false, width);
    else if (op == OP_INC || op == OP_DEC) {
        (op == OP_INC ? put_sum : put_difference)(f, x, 1, false, width);
        forget(f, FLAG_CARRY);
        f->known |= carry_known;
        f->bits = (uint8_t)((f->bits & ~FLAG_CARRY) | carry);
    } else
        put_difference(f, x, y, op == OP_SBB && carry, width);
}

/* The flags after an instruction that no case below knows: those that it writes are unknown. */
static flag_values forget_written(const machine *m, const tacho_insn *insn)
{
    flag_values f = m->flags;
    if (insn->is_call)
        f.known = 0;
    if (insn->flags_written & TACHO_FLAG_C)
        forget(&f, FLAG_CARRY);
    if (insn->flags_written & TACHO_FLAG_SPAZO)
        forget(&f, FLAGS_ALL & ~FLAG_CARRY);
    return f;
}

/* Instructions whose flags come about in the same way. */
typedef enum flag_group {
    GROUP_NONE = 0, /* not followed */
    GROUP_SUM,
    GROUP_LOGIC,
    GROUP_SHIFT,
    GROUP_BITS,
    GROUP_BIT_TEST
} flag_group;

static flag_group group_of(unsigned op)
{
    static const uint8_t groups[] = {
        [OP_ADD] = GROUP_SUM,    [OP_SUB] = GROUP_SUM,     [OP_CMP] = GROUP_SUM,     [OP_ADC] = GROUP_SUM,
        [OP_SBB] = GROUP_SUM,    [OP_XADD] = GROUP_SUM,    [OP_INC] = GROUP_SUM,     [OP_DEC] = GROUP_SUM,
        [OP_NEG] = GROUP_SUM,    [OP_AND] = GROUP_LOGIC,   [OP_OR] = GROUP_LOGIC,    [OP_XOR] = GROUP_LOGIC,
        [OP_ANDN] = GROUP_LOGIC, [OP_TEST] = GROUP_LOGIC,  [OP_SHL] = GROUP_SHIFT,   [OP_SHR] = GROUP_SHIFT,
        [OP_SAR] = GROUP_SHIFT,  [OP_ROL] = GROUP_SHIFT,   [OP_ROR] = GROUP_SHIFT,   [OP_BLSI] = GROUP_BITS,
        [OP_BLSR] = GROUP_BITS,  [OP_BLSMSK] = GROUP_BITS, [OP_BZHI] = GROUP_BITS,   [OP_POPCNT] = GROUP_BITS,
        [OP_TZCNT] = GROUP_BITS, [OP_LZCNT] = GROUP_BITS,  [OP_BT] = GROUP_BIT_TEST,
    };
    return op < sizeof groups ? (flag_group)groups[op] : GROUP_NONE;
}

/* What flags are made of. */
typedef struct flag_sources {
    unsigned op, width;
    value x, y;
    bool both; /* are known */
} flag_sources;

static flag_sources read_sources(const machine *m, unsigned op, const tacho_insn *insn, const addresses *a)
{
    bool one_source = op >= OP_INC && op <= OP_LAST1;
    int first = insn->visible_count > 2 || (one_source && insn->visible_count > 1) ? 1 : 0;
    flag_sources s = {op, insn->operands[0].width_bits, operand_read(m, insn, first, a), known(1), false};
    if (insn->visible_count > first + 1)
        s.y = operand_read(m, insn, first + 1, a);
    if ((op == OP_XOR || op == OP_SUB || op == OP_CMP) &&
        operands_are_one_reg(&insn->operands[0], &insn->operands[1]))
        s.x = s.y = known(0);
    s.both = s.x.known && s.y.known;
    return s;
}

static void sum(flag_values *f, const flag_sources *s, const flag_values *before)
{
    bool keeps_carry = s->both || s->op == OP_INC || s->op == OP_DEC;
    f->known |= keeps_carry ? before->known & FLAG_CARRY : 0;
    f->bits = before->bits;
    if (s->both)
        arithmetic(f, s->op, s->x.bits, s->y.bits, s->width);
}

static void bit_test(flag_values *f, const flag_sources *s, const tacho_insn *insn)
{
    bool in_operand =
        insn->operands[0].kind == TACHO_OPERAND_REG || insn->operands[1].kind == TACHO_OPERAND_IMM;
    forget(f, FLAGS_ALL & ~FLAG_ZERO);
    if (!s->both || !in_operand)
        return;
    put(f, FLAG_CARRY, s->x.bits >> (s->y.bits & (s->width - 1)) & 1);
    f->result = f->bits & FLAG_CARRY;
}

flag_values flags_after(const machine *m, const tacho_insn *insn, const addresses *a)
{
    flag_values f = forget_written(m, insn);
    unsigned op = insn->operation;
    flag_group group = group_of(op);
    if (!insn->flags_written || !group || !insn->visible_count)
        return f;
    flag_sources from = read_sources(m, op, insn, a);
    if (group == GROUP_SHIFT || group == GROUP_BIT_TEST)
        f = m->flags; /* they decide themselves what they leave */
    if (group == GROUP_SUM)
        sum(&f, &from, &m->flags);
    else if (group == GROUP_LOGIC)
        logic(&f, op, from.x, from.y, from.width);
    else if (group == GROUP_SHIFT)
        shift(&f, op, insn, from.x, from.y);
    else if (group == GROUP_BIT_TEST)
        bit_test(&f, &from, insn);
    else if (from.both)
        bits(&f, op, from.x.bits, from.y.bits, from.width);
    return f;
}

/* ---- conditions ---- */

/* 1, 0, -1: the flag is unknown. */
static int flag(const flag_values *f, unsigned which)
{
    return f->known & which ? (f->bits & which) != 0 : -1;
}

static int either(int a, int b)
{
    return a > 0 || b > 0 ? 1 : a < 0 || b < 0 ? -1 : 0;
}

static int differ(int a, int b)
{
    return a < 0 || b < 0 ? -1 : a != b;
}

int flags_condition(const flag_values *f, unsigned code)
{
    int zero = flag(f, FLAG_ZERO), less = differ(flag(f, FLAG_SIGN), flag(f, FLAG_OVERFLOW));
    const int holds[8] = {
        flag(f, FLAG_OVERFLOW), flag(f, FLAG_CARRY),  zero, either(flag(f, FLAG_CARRY), zero),
        flag(f, FLAG_SIGN),     flag(f, FLAG_PARITY), less, either(less, zero)};
    int h = holds[code >> 1 & 7];
    return h < 0 ? -1 : h ^ (int)(code & 1);
}
