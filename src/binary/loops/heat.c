/* heat.c - which loops look hot, before anything was measured.
 *
 * Points, of our own choosing: what people look for in a binary is the innermost loop of a deep nest that
 * computes on vectors and does nothing else; what they do not want on top are loops around calls, loops that
 * wait, and code that the compiler has set apart as unlikely. doc/rooms/binary.md has the table. */

#include "binary/loops/finder.h"
#include "x86/decode/ops.h"

/* Of vectors, masks, tiles, or the x87 unit. */
static bool computes_wide(tacho_reg r)
{
    return (r.class_ >= TACHO_REG_XMM && r.class_ <= TACHO_REG_K) || r.class_ == TACHO_REG_TMM;
}

static bool is_vector(const tacho_insn *insn)
{
    for (int i = 0; i < insn->operand_count; i++) {
        const tacho_operand *op = &insn->operands[i];
        if (op->kind == TACHO_OPERAND_REG && computes_wide(op->reg))
            return true;
    }
    return false;
}

/* Wide multiplication and what carries its results on: the stuff of arbitrary precision and of hashes. */
static bool multiplies(const tacho_insn *insn)
{
    uint8_t op = insn->operation;
    return op == OP_MUL || op == OP_MULX || op == OP_IMUL || op == OP_ADCX || op == OP_ADOX;
}

static bool accesses_memory(const tacho_insn *insn)
{
    for (int i = 0; i < insn->operand_count; i++)
        if (insn->operands[i].kind == TACHO_OPERAND_MEM)
            return !insn->is_nop;
    return false;
}

/* Fills the loop's numbers of instructions by kind.
 * @return how many multiply */
static uint32_t count_insns(tacho_loop *loop)
{
    uint32_t multiplying = 0;
    for (size_t at = 0; at < loop->code_bytes;) {
        tacho_insn insn;
        if (tacho_decode(&insn, loop->code + at, loop->code_bytes - at, NULL))
            break;
        loop->insn_count++;
        multiplying += multiplies(&insn);
        loop->vector_count += is_vector(&insn);
        loop->memory_count += accesses_memory(&insn);
        loop->call_count += insn.is_call;
        at += insn.length;
    }
    return multiplying;
}

void loop_judge(tacho_loop *loop)
{
    static const struct {
        uint32_t flag;
        double points;
    } penalties[] = {{TACHO_LOOP_NO_PATH, -40},   {TACHO_LOOP_COLD_PLACE, -30},
                     {TACHO_LOOP_CALLS, -20},     {TACHO_LOOP_WAITS, -20},
                     {TACHO_LOOP_SWITCH, -5},     {TACHO_LOOP_IRREDUCIBLE, -5},
                     {TACHO_LOOP_BAD_BYTES, -10}, {TACHO_LOOP_CALLS_ELSEWHERE, -2}};
    static const double for_depth[] = {10, 16, 20, 22,
                                       23}; /* each level counts less: nests are often short */
    const uint32_t deepest = sizeof for_depth / sizeof *for_depth;
    loop->insn_count = loop->vector_count = loop->memory_count = loop->call_count = 0;
    uint32_t multiplying = count_insns(loop);
    double n = loop->insn_count ? loop->insn_count : 1;
    loop->heat = loop->depth ? for_depth[(loop->depth < deepest ? loop->depth : deepest) - 1] : 0;
    loop->heat += 10.0 * (loop->vector_count + multiplying) / n + 5.0 * loop->memory_count / n;
    loop->heat += loop->block_count == 1 ? 3 : 0;
    for (size_t i = 0; i < sizeof penalties / sizeof *penalties; i++)
        if (loop->flags & penalties[i].flag)
            loop->heat += penalties[i].points;
}
