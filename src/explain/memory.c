/* memory.c - advice on values that go from iteration to iteration through memory: a location whose address
 * does not change, kept in a register instead. Other stores to the same place through other registers cannot
 * be excluded; the sentence says so. */
#include <stdio.h>
#include <string.h>

#include "decode/encode.h"
#include "explain/explain.h"

enum {
    MOST_LOCATIONS = 8
};

/* The explicit memory operand of an instruction, NULL without one. */
static const tacho_operand *memory_of(const tacho_insn *insn)
{
    for (int i = 0; i < insn->visible_count; i++)
        if (insn->operands[i].kind == TACHO_OPERAND_MEM)
            return &insn->operands[i];
    return NULL;
}

static bool same_reg(tacho_reg a, tacho_reg b)
{
    return a.class_ == b.class_ && a.number == b.number;
}

static bool same_registers(const tacho_mem *a, const tacho_mem *b)
{
    return same_reg(a->base, b->base) && same_reg(a->index, b->index) && a->scale == b->scale &&
           same_reg(a->segment, b->segment);
}

static bool same_place(const tacho_operand *a, const tacho_operand *b)
{
    return same_registers(&a->mem, &b->mem) && a->mem.disp == b->mem.disp && a->width_bits == b->width_bits;
}

/* They share bytes, but are not the same. */
static bool overlaps(const tacho_operand *a, const tacho_operand *b)
{
    return same_registers(&a->mem, &b->mem) && !same_place(a, b) &&
           a->mem.disp < b->mem.disp + b->width_bits / 8 && b->mem.disp < a->mem.disp + a->width_bits / 8;
}

/* The address is the same in each iteration, and what is there is accessed as a whole. */
static bool may_be_kept(const subject *s, const tacho_operand *place)
{
    for (size_t i = 0; i < s->p->instruction_count; i++) {
        const tacho_insn *insn = insn_at(s, i);
        const tacho_operand *other = memory_of(insn);
        if (insn_writes_reg(insn, place->mem.base) || insn_writes_reg(insn, place->mem.index) ||
            (other && overlaps(place, other)))
            return false;
    }
    return place->mem.base.class_ != TACHO_REG_NONE && place->mem.base.class_ != TACHO_REG_RIP;
}

/* A register for the location: of the class that its instructions use it with. */
static bool find_register(const subject *s, const tacho_insn *insn, uint8_t *out)
{
    bool vector = false;
    for (int i = 0; i < insn->visible_count; i++)
        vector |= insn->operands[i].kind == TACHO_OPERAND_REG &&
                  insn->operands[i].reg.class_ >= TACHO_REG_XMM &&
                  insn->operands[i].reg.class_ <= TACHO_REG_ZMM;
    return explain_free_registers(s, (tacho_reg){vector ? TACHO_REG_XMM : TACHO_REG_R64, 0}, out, 1) == 1;
}

/* The code with each access to `place` replaced; false where one cannot be. */
static bool replace_all(subject *s, variant *v, const tacho_operand *place, uint8_t to)
{
    uint32_t count = (uint32_t)s->p->instruction_count, changed = 0;
    uint8_t *bytes = explain_alloc(s, (size_t)count * TACHO_MAX_INSN_BYTES);
    uint32_t *insns = explain_alloc(s, (count + 1u) * sizeof *insns);
    size_t size = 0;
    bool written = false;
    for (uint32_t i = 0; bytes && insns && i < count; i++) {
        const tacho_insn *insn = insn_at(s, i);
        const tacho_operand *o = memory_of(insn);
        uint8_t n = insn->length;
        if (o && same_place(o, place)) {
            n = encode_register_for_memory(insn, to, bytes + size);
            insns[changed++] = i;
            written |= (o->access & TACHO_WRITE) != 0;
        } else {
            memcpy(bytes + size, insn->bytes, n);
        }
        if (!n)
            return false;
        size += n;
    }
    v->code = bytes;
    v->size = size;
    v->insns = insns;
    v->insn_count = changed;
    return bytes && insns && written;
}

static void find_memory_to_register(subject *s, variant_list *out)
{
    const tacho_operand *seen[MOST_LOCATIONS];
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->p->instruction_count && count < MOST_LOCATIONS; i++) {
        const tacho_insn *insn = insn_at(s, i);
        const tacho_operand *place = memory_of(insn);
        uint32_t k = 0;
        uint8_t to;
        if (!(s->p->instructions[i].notes & TACHO_NOTE_STORE_FORWARD) || !place)
            continue;
        while (k < count && !same_place(seen[k], place))
            k++;
        if (k < count)
            continue;
        seen[count++] = place;
        if (!may_be_kept(s, place) || !find_register(s, insn, &to))
            continue;
        variant *v = explain_add(s, out);
        if (v && !replace_all(s, v, place, to))
            out->count--;
    }
}

static void say_memory_to_register(const subject *s, const variant *v, char *out, size_t size)
{
    char insns[EXPLAIN_INSNS_TEXT], text[160];
    tacho_insn_format(insn_at(s, v->insns[0]), 0, 1, text, sizeof text);
    const char *open = strchr(text, '['), *close = open ? strchr(open, ']') : NULL;
    snprintf(out, size, "keeping %.*s in a register over the iterations (%s), if nothing else accesses it",
             open && close ? (int)(close + 1 - open) : 0, open ? open : "",
             explain_insns_text(v, insns, sizeof insns));
}

const advice_kind explain_memory_to_register = {.name = "memory_to_register",
                                                .requires = TACHO_WHAT_MEMORY_DEPENDENCIES,
                                                .find = find_memory_to_register,
                                                .say = say_memory_to_register};
