/* operands_att.c - operands in AT&T syntax, and what may stand in braces behind one in either. */
#include "x86/assemble/assembling.h"

/* Where a register must stand: "%rax". */
static bool read_register(as_state *s, as_cursor *c, ZydisRegister *out)
{
    as_skip_space(c);
    const char *at = c->at;
    if (at >= c->end || *at != '%')
        return as_refuse(s, TACHO_ERR_INPUT, at < c->end ? at : at - 1, 1,
                         "a register is expected here: %%rax");
    c->at++;
    as_skip_space(c);
    if (s->syntax == TACHO_SYNTAX_ATT && c->end - c->at >= 3 && tacho_str_same_n(c->at + 1, "iz", 2) &&
        !(c->end - c->at > 3 && as_is_name(c->at[3])) &&
        (tacho_lower(*c->at) == 'r' || tacho_lower(*c->at) == 'e')) {
        *out = tacho_lower(*c->at) == 'r' ? AS_RIZ : AS_EIZ;
        c->at += 3;
        return true;
    }
    *out = as_read_register(c);
    if (*out != ZYDIS_REGISTER_NONE)
        return true;
    size_t n = as_word_length(c->at, c->end, false);
    return as_refuse(s, TACHO_ERR_INPUT, at, n + 1, "there is no register '%%%.*s'", (int)(n < 40 ? n : 40),
                     c->at);
}

/* base, index, scale) */
static bool read_address(as_state *s, as_cursor *c, as_operand *o)
{
    const char *open = c->at++;
    if (!as_at(c, ',') && !read_register(s, c, &o->base))
        return false;
    if (as_take(c, ',')) {
        if (!as_at(c, ',') && !as_at(c, '%')) { /* (%rax,4) and (,4): the scale alone */
            as_value scale;
            if (!as_expression(s, c, &scale))
                return false;
        } else if (!as_at(c, ',')) {
            if (!read_register(s, c, &o->index))
                return false;
            o->scale = 1;
        }
        if (as_take(c, ',')) {
            as_value scale;
            if (!as_at(c, ')')) {
                const char *at = c->at;
                if (!as_expression(s, c, &scale))
                    return false;
                if (scale.symbol != AS_NONE || scale.minus != AS_NONE ||
                    (scale.number != 1 && scale.number != 2 && scale.number != 4 && scale.number != 8))
                    return as_refuse(s, TACHO_ERR_INPUT, at, (size_t)(c->at - at),
                                     "the scale must be 1, 2, 4 or 8");
                o->scale = (uint8_t)scale.number;
            }
        }
    }
    if (!as_take(c, ')'))
        return as_refuse(s, TACHO_ERR_INPUT, c->at < c->end ? c->at : open, 1,
                         "')' is missing behind this address");
    if (o->index == AS_RIZ || o->index == AS_EIZ) {
        o->riz = true;
        o->index = ZYDIS_REGISTER_NONE;
    }
    return true;
}

static bool opens_address(const as_cursor *c)
{
    const char *at = c->at;
    if (at >= c->end || *at != '(')
        return false;
    do
        at++;
    while (at < c->end && (*at == ' ' || *at == '\t'));
    return at < c->end && (*at == '%' || *at == ',');
}

static bool read_memory(as_state *s, as_cursor *c, as_operand *o)
{
    o->kind = AS_MEM;
    o->value = as_number(0);
    o->value.spelled = false;
    as_skip_space(c);
    if (!opens_address(c) && !as_expression(s, c, &o->value))
        return false;
    as_skip_space(c);
    o->target = true;
    if (opens_address(c)) {
        o->target = false;
        if (!read_address(s, c, o))
            return false;
        if (o->base == ZYDIS_REGISTER_DX && o->index == ZYDIS_REGISTER_NONE && !o->value.spelled) {
            o->kind = AS_REG;
            o->reg = ZYDIS_REGISTER_DX;
            o->port = true;
        }
    }
    return true;
}

static bool read_operand(as_state *s, as_cursor *c, as_operand *o)
{
    o->indirect = as_take(c, '*');
    if (as_take(c, '$')) {
        o->kind = AS_IMM;
        return as_expression(s, c, &o->value);
    }
    if (!as_at(c, '%'))
        return read_memory(s, c, o);
    if (!read_register(s, c, &o->reg))
        return false;
    if (as_take(c, ':')) {
        if (ZydisRegisterGetClass(o->reg) != ZYDIS_REGCLASS_SEGMENT)
            return as_refuse(s, TACHO_ERR_INPUT, o->text, (size_t)(c->at - o->text),
                             "only a segment register can stand before ':'");
        bool ok = read_memory(s, c, o);
        o->target = false;
        return ok;
    }
    o->kind = AS_REG;
    if (o->reg == AS_RIZ || o->reg == AS_EIZ)
        return as_refuse(s, TACHO_ERR_INPUT, o->text, 4, "%%riz is only an index");
    return true;
}

/* ---- braces ---- */

static bool decorate(as_insn *insn, as_operand *o, const char *at, size_t n)
{
    static const struct {
        const char *name;
        ZydisRoundingMode mode;
    } roundings[] = {{"rn-sae", ZYDIS_ROUNDING_MODE_RN},
                     {"rd-sae", ZYDIS_ROUNDING_MODE_RD},
                     {"ru-sae", ZYDIS_ROUNDING_MODE_RU},
                     {"rz-sae", ZYDIS_ROUNDING_MODE_RZ}};
    for (size_t i = 0; i < sizeof roundings / sizeof *roundings; i++)
        if (as_is_word(at, n, roundings[i].name)) {
            insn->rounding = roundings[i].mode;
            return true;
        }
    if (as_is_word(at, n, "sae")) {
        insn->sae = true;
        return true;
    }
    if (!o)
        return false;
    if (n && *at == '%') {
        at++;
        n--;
    }
    if (n == 2 && tacho_lower(at[0]) == 'k' && at[1] >= '1' && at[1] <= '7') {
        o->mask = (uint8_t)(at[1] - '0');
        return true;
    }
    if (as_is_word(at, n, "z")) {
        o->zeroing = true;
        return true;
    }
    static const char *const times[] = {"1to2", "1to4", "1to8", "1to16", "1to32"};
    for (unsigned i = 0; i < sizeof times / sizeof *times; i++)
        if (as_is_word(at, n, times[i])) {
            o->broadcast = (uint8_t)(2u << i);
            return true;
        }
    return false;
}

bool as_decoration(as_state *s, as_cursor *c, as_insn *insn, as_operand *o)
{
    while (as_at(c, '{')) {
        const char *close = memchr(c->at, '}', (size_t)(c->end - c->at));
        const char *in = c->at + 1;
        size_t n = close ? (size_t)(close - in) : 0;
        tacho_str_trim(&in, &n);
        if (!close || !decorate(insn, o, in, n))
            return as_refuse(
                s, TACHO_ERR_INPUT, c->at, close ? (size_t)(close - c->at + 1) : 1,
                "in braces there can be k1 to k7, z, 1to2 to 1to32, sae, or rn-sae, rd-sae, ru-sae, rz-sae");
        c->at = close + 1;
    }
    return true;
}

/* In Intel's order, but for immediates alone, which AT&T does not turn round. */
bool as_operands_att(as_state *s, as_cursor *c, as_insn *insn)
{
    insn->att = true;
    if (!as_operands(s, c, insn, read_operand))
        return false;
    as_operand *o = insn->operands;
    unsigned count = insn->operand_count;
    if (count == 2 && o[0].kind == AS_IMM && o[1].kind == AS_IMM)
        return true;
    for (unsigned k = 0; k < count / 2; k++) {
        as_operand first = o[k];
        o[k] = o[count - 1 - k];
        o[count - 1 - k] = first;
    }
    return true;
}
