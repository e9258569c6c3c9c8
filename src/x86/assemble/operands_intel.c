/* operands_intel.c - operands in Intel syntax: GNU's, and where that has no meaning MSVC's and NASM's. */
#include "x86/assemble/assembling.h"

/* The word at the cursor, if it is that one; it is skipped. */
static bool take_word(as_cursor *c, const char *word)
{
    size_t n = strlen(word);
    as_skip_space(c);
    if ((size_t)(c->end - c->at) < n || !tacho_str_same_n(c->at, word, n) ||
        ((size_t)(c->end - c->at) > n && as_is_name(c->at[n])))
        return false;
    c->at += n;
    as_skip_space(c);
    return true;
}

static const struct {
    const char *word;
    uint8_t size;
} sizes[] = {{"byte", 1},   {"word", 2},     {"dword", 4},    {"qword", 8},    {"fword", 6},   {"tbyte", 10},
             {"oword", 16}, {"xmmword", 16}, {"ymmword", 32}, {"zmmword", 64}, {"mmword", 8},  {"tword", 10},
             {"yword", 32}, {"zword", 64},   {"real4", 4},    {"real8", 8},    {"real10", 10}, {"xword", 16}};

/* The word that a size begins with may be a name of somebody's own: something must follow it. */
static bool take_size(as_cursor *c, as_operand *o)
{
    as_skip_space(c);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        as_cursor look = *c;
        if (tacho_lower(*c->at) != sizes[i].word[0] || !take_word(&look, sizes[i].word))
            continue;
        if (look.at >= look.end || (*look.at != '[' && !as_is_name(*look.at) && *look.at != '"' &&
                                    *look.at != '-' && *look.at != '('))
            return false;
        *c = look;
        o->size = sizes[i].size;
        if (take_word(c, "bcst"))
            o->element = true;
        else
            take_word(c, "ptr");
        return true;
    }
    return false;
}

/* fs: before an address, or in its brackets. */
static bool take_segment(as_cursor *c, as_operand *o)
{
    as_cursor look = *c;
    as_take(&look, '%');
    ZydisRegister r = as_read_register(&look);
    if (r == ZYDIS_REGISTER_NONE || ZydisRegisterGetClass(r) != ZYDIS_REGCLASS_SEGMENT)
        return false;
    if (!as_take(&look, ':'))
        return false;
    *c = look;
    o->reg = r;
    return true;
}

static bool is_vector(ZydisRegister r)
{
    ZydisRegisterClass k = ZydisRegisterGetClass(r);
    return k == ZYDIS_REGCLASS_XMM || k == ZYDIS_REGCLASS_YMM || k == ZYDIS_REGCLASS_ZMM;
}

static bool is_stack_pointer(ZydisRegister r)
{
    return r == ZYDIS_REGISTER_RSP || r == ZYDIS_REGISTER_ESP;
}

static bool is_no_index(ZydisRegister r)
{
    return r == AS_RIZ || r == AS_EIZ;
}

/* Which of the registers is the base. */
static void take_registers(as_operand *o)
{
    const as_value *v = &o->value;
    ZydisRegister first = v->first, second = v->second;
    bool swap = second != ZYDIS_REGISTER_NONE && !v->second_scale &&
                (v->first_scale || is_vector(first) || is_stack_pointer(second) || is_no_index(first));
    if (second == ZYDIS_REGISTER_NONE && (v->first_scale || is_vector(first) || is_no_index(first)))
        swap = true;
    o->base = swap ? second : first;
    o->index = swap ? first : second;
    o->scale = swap ? v->first_scale : v->second_scale;
    if (o->index != ZYDIS_REGISTER_NONE && !o->scale)
        o->scale = 1;
    if (is_no_index(o->index)) {
        o->index = ZYDIS_REGISTER_NONE;
        o->riz = true;
    }
}

/* NASM: [rel x], [fs:rel x], [abs x], [dword x]. The brackets' contents are read as an expression. */
static bool read_brackets(as_state *s, as_cursor *c, as_operand *o, bool *relative, bool *absolute)
{
    as_cursor in = {c->at + 1, c->end};
    bool any = false;
    for (;;) {
        as_operand ignored = {0};
        if (take_word(&in, "rel"))
            *relative = any = true;
        else if (take_word(&in, "abs"))
            *absolute = any = true;
        else if (take_segment(&in, o) || take_size(&in, &ignored))
            any = true;
        else
            break;
    }
    if (!any)
        return as_expression(s, c, &o->value);
    if (!as_expression(s, &in, &o->value))
        return false;
    if (!as_take(&in, ']'))
        return as_refuse(s, TACHO_ERR_INPUT, c->at, 1, "']' is missing for this '['");
    o->value.memory = true;
    *c = in;
    return true;
}

static bool read_operand(as_state *s, as_cursor *c, as_operand *o)
{
    bool offset = false, relative = false, absolute = false, sized = false, segment = false;
    for (;;) {
        if (take_size(c, o))
            sized = true;
        else if (take_word(c, "offset"))
            offset = true;
        else if (take_word(c, "short") || take_word(c, "near")) {
            take_word(c, "ptr");
            offset = false;
        } else if (take_word(c, "far")) {
            take_word(c, "ptr");
            o->far = true;
        } else if ((c->end - c->at > 5) && tacho_str_same_n(c->at, "flat:", 5))
            c->at += 5;
        else if (take_segment(c, o))
            segment = true;
        else
            break;
        as_skip_space(c);
    }
    if (o->size == 6)
        o->far = true;
    if (as_at(c, '[') ? !read_brackets(s, c, o, &relative, &absolute) : !as_expression(s, c, &o->value))
        return false;
    const as_value *v = &o->value;
    bool registers = v->first != ZYDIS_REGISTER_NONE, name = v->symbol != AS_NONE;
    segment = segment || o->reg != ZYDIS_REGISTER_NONE;
    if (registers && !v->memory && v->second == ZYDIS_REGISTER_NONE && !v->first_scale && !v->spelled) {
        if (is_no_index(v->first) || segment)
            return as_refuse(s, TACHO_ERR_INPUT, o->text, 1, "no operand");
        o->kind = AS_REG;
        o->reg = v->first;
        return true;
    }
    as_value copy = *v;
    bool number = as_is_number(s, &copy) && !registers;
    if (registers && !v->memory)
        return as_refuse(s, TACHO_ERR_INPUT, o->text, (size_t)(c->at - o->text),
                         "an address needs brackets: [rax+8]");
    if (offset || (number && !v->memory && !segment) ||
        (s->dialect == TACHO_DIALECT_NASM && !v->memory && !segment && !sized)) {
        o->kind = AS_IMM;
        o->target = !offset && !registers;
        return true;
    }
    o->kind = AS_MEM;
    take_registers(o);
    o->target = !v->memory && !registers && !segment && !sized;
    if (!registers && !segment && name && !absolute &&
        (relative || s->dialect == TACHO_DIALECT_MSVC || s->default_relative))
        o->base = ZYDIS_REGISTER_RIP;
    return true;
}

bool as_operands_intel(as_state *s, as_cursor *c, as_insn *insn)
{
    return as_operands(s, c, insn, read_operand);
}
