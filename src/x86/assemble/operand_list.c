/* operand_list.c - the operands of an instruction, one behind another, whatever the syntax. */
#include "x86/assemble/assembling.h"

/* Behind a target objdump writes which place that is: "40 <main+0x10>". */
static void skip_place(as_cursor *c, const as_operand *o)
{
    if (!o->target || c->at >= c->end || *c->at != '<')
        return;
    const char *close = c->end;
    while (close > c->at && close[-1] != '>')
        close--;
    if (close > c->at)
        c->at = close;
}

static bool read_one(as_state *s, as_cursor *c, as_insn *insn, as_operand_reader *read)
{
    if (insn->operand_count == TACHO_ASSEMBLE_MAX_OPERANDS) {
        as_problem(s, TACHO_ERR_LIMIT, c->at, 1, "more than %d operands", TACHO_ASSEMBLE_MAX_OPERANDS);
        return false;
    }
    as_operand *o = &insn->operands[insn->operand_count++];
    o->text = c->at;
    if (!read(s, c, o))
        return false;
    skip_place(c, o);
    if (!as_decoration(s, c, insn, o))
        return false;
    o->length = (uint32_t)(c->at - o->text);
    return true;
}

/* A decoration that stands like an operand belongs to the one before it in Intel syntax, to none in AT&T's.
 */
static bool read_decoration(as_state *s, as_cursor *c, as_insn *insn)
{
    bool of_last = !insn->att && insn->operand_count;
    return as_decoration(s, c, insn, of_last ? &insn->operands[insn->operand_count - 1] : NULL);
}

bool as_operands(as_state *s, as_cursor *c, as_insn *insn, as_operand_reader *read)
{
    as_skip_space(c);
    while (c->at < c->end) {
        if (!(*c->at == '{' ? read_decoration(s, c, insn) : read_one(s, c, insn, read)))
            return false;
        as_skip_space(c);
        if (c->at >= c->end)
            break;
        if (*c->at != ',') {
            as_problem(s, TACHO_ERR_INPUT, c->at, 1,
                       "',' or the end of the instruction is expected, not '%c'", *c->at);
            return false;
        }
        c->at++;
        as_skip_space(c);
        if (c->at >= c->end) {
            as_problem(s, TACHO_ERR_INPUT, c->at - 1, 1, "an operand is missing behind ','");
            return false;
        }
    }
    return true;
}
