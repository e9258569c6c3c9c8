/* explain_memory.c - advice on values that go from iteration to iteration through memory: a location whose
 * address does not change, kept in a register instead. Other stores to the same place through other registers
 * cannot be excluded; the sentence says so. */
#include <stdio.h>
#include <string.h>

#include "model/explain/explain_internal.h"
#include "x86/decode/encode.h"

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

static bool same_place(const tacho_operand *a, const tacho_operand *b)
{
    return mem_is_beside(&a->mem, &b->mem) && a->mem.disp == b->mem.disp && a->width_bits == b->width_bits;
}

/* They share bytes, but are not the same. */
static bool overlaps(const tacho_operand *a, const tacho_operand *b)
{
    return mem_is_beside(&a->mem, &b->mem) && !same_place(a, b) &&
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

/* A location, and the register that is to take its place. */
typedef struct kept {
    const tacho_operand *place;
    bool vector;
    uint8_t to;
} kept;

static const kept *find_kept(const kept *list, uint32_t count, const tacho_operand *place)
{
    for (uint32_t k = 0; place && k < count; k++)
        if (same_place(list[k].place, place))
            return &list[k];
    return NULL;
}

/* Free registers of the class that the locations are used with; returns for how many there are. */
static uint32_t give_registers(const subject *s, kept *list, uint32_t count)
{
    uint8_t general[MOST_LOCATIONS], vector[MOST_LOCATIONS];
    uint32_t generals = explain_free_registers(s, (tacho_reg){TACHO_REG_R64, 0}, general, MOST_LOCATIONS);
    uint32_t vectors = explain_free_registers(s, (tacho_reg){TACHO_REG_XMM, 0}, vector, MOST_LOCATIONS);
    uint32_t given = 0, g = 0, v = 0;
    for (uint32_t k = 0; k < count; k++) {
        if (list[k].vector ? v == vectors : g == generals)
            continue;
        list[given] = list[k];
        list[given].to = list[k].vector ? vector[v++] : general[g++];
        given++;
    }
    return given;
}

/* The code with each access to these locations replaced by a register; false where one cannot be. */
static bool replace_all(subject *s, variant *v, const kept *list, uint32_t list_count)
{
    uint32_t count = (uint32_t)s->p->instruction_count, changed = 0;
    uint8_t *bytes = explain_alloc(s, (size_t)count * TACHO_MAX_INSN_BYTES);
    uint32_t *insns = explain_alloc(s, (count + 1u) * sizeof *insns);
    size_t size = 0;
    bool written = false;
    for (uint32_t i = 0; bytes && insns && i < count; i++) {
        const tacho_insn *insn = insn_at(s, i);
        const tacho_operand *o = memory_of(insn);
        const kept *k = find_kept(list, list_count, o);
        uint8_t n = insn->length;
        if (k) {
            n = encode_register_for_memory(insn, k->to, bytes + size);
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

static bool try_to_keep(subject *s, variant_list *out, const kept *list, uint32_t count)
{
    variant *v = explain_add(s, out);
    if (!v)
        return false;
    if (replace_all(s, v, list, count))
        return true;
    out->count--;
    return false;
}

/* Proposes each location that a load gets from a store of the block, then all of them together. */
static void find_memory_to_register(subject *s, variant_list *out)
{
    kept list[MOST_LOCATIONS];
    uint32_t seen = 0, good = 0;
    for (uint32_t i = 0; i < s->p->instruction_count && seen < MOST_LOCATIONS; i++) {
        const tacho_operand *place = memory_of(insn_at(s, i));
        if ((s->p->instructions[i]->notes & TACHO_NOTE_STORE_FORWARD) && place &&
            !find_kept(list, seen, place) && may_be_kept(s, place))
            list[seen++] = (kept){.place = place, .vector = insn_names_vector_reg(insn_at(s, i))};
    }
    seen = give_registers(s, list, seen);
    for (uint32_t k = 0; k < seen; k++)
        if (try_to_keep(s, out, &list[k], 1))
            list[good++] = list[k];
    if (good > 1)
        try_to_keep(s, out, list, good);
}

/* "[rsp+0x8]", or in AT&T syntax "0x8(%rsp)": the memory operand, in `text`. */
static const char *place_text(const subject *s, const tacho_insn *insn, char *text, size_t size)
{
    bool att = s->options.listing && s->options.listing->syntax == TACHO_SYNTAX_ATT;
    tacho_insn_write(insn, att ? TACHO_SYNTAX_ATT : TACHO_SYNTAX_INTEL, 0, TACHO_TARGETS_RELATIVE, text,
                     size);
    char *open = strchr(text, att ? '(' : '['), *close = open ? strchr(open, att ? ')' : ']') : NULL;
    if (!close)
        return NULL;
    close[1] = '\0';
    while (att && open > text && open[-1] != ' ')
        open--;
    return open;
}

/* "[rsp+0x8], [rsp+0x10]": the locations of the variant's instructions. */
static void places_text(const subject *s, const variant *v, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (uint32_t k = 0; k < v->insn_count && used < size; k++) {
        char text[160];
        const char *open = place_text(s, insn_at(s, v->insns[k]), text, sizeof text);
        if (!open)
            continue;
        if (!strstr(out, open))
            used += (size_t)snprintf(out + used, size - used, "%s%s", used ? ", " : "", open);
    }
}

static void say_memory_to_register(const subject *s, const variant *v, char *out, size_t size)
{
    char insns[EXPLAIN_INSNS_TEXT], places[200];
    places_text(s, v, places, sizeof places);
    bool several = strchr(places, ',') != NULL;
    snprintf(out, size, "keeping %s in %s over the iterations (%s), if nothing else accesses %s", places,
             several ? "registers" : "a register", explain_insns_text(v, insns, sizeof insns),
             several ? "them" : "it");
}

ADVICE(memory_to_register, MEMORY_DEPENDENCIES, .find = find_memory_to_register,
       .say = say_memory_to_register);

/* ---- addresses that never change ---- */

/* Advice on code between markers inside a loop whose increment is elsewhere: memory is read and written at
 * the same place, and no register of its address ever changes. Repeated as it stands, each iteration reads
 * what the one before wrote; the real loop does not. */

static bool are_one_place(const tacho_mem *a, const tacho_mem *b)
{
    return mem_is_beside(a, b) && a->disp == b->disp;
}

/* An operand of instruction `i` that accesses memory in this way, NULL without one. */
static const tacho_mem *access_of(const subject *s, size_t i, uint8_t access)
{
    const tacho_insn *insn = insn_at(s, i);
    for (int k = 0; k < insn->visible_count; k++)
        if (insn->operands[k].kind == TACHO_OPERAND_MEM && (insn->operands[k].access & access) &&
            !insn->operands[k].mem.vsib)
            return &insn->operands[k].mem;
    return NULL;
}

/* The address has a register other than RSP, and no register that the code changes. */
static bool stays(const subject *s, const tacho_mem *m)
{
    const tacho_reg rsp = {TACHO_REG_R64, 4};
    bool base = reg_is_general(m->base) && !tacho_reg_same_full(m->base, rsp);
    if (!base && !reg_is_general(m->index))
        return false;
    for (size_t i = 0; i < s->p->instruction_count; i++)
        if (insn_writes_reg(insn_at(s, i), m->base) || insn_writes_reg(insn_at(s, i), m->index))
            return false;
    return true;
}

/* The instruction that last writes what instruction `load` reads, if none before it does in its iteration;
 * the number of instructions if there is none. */
static size_t writer_of(const subject *s, size_t load, const tacho_mem *place)
{
    size_t count = s->p->instruction_count, found = count;
    for (size_t i = 0; i < count; i++) {
        const tacho_mem *m = access_of(s, i, TACHO_WRITE);
        if (!m || !are_one_place(m, place))
            continue;
        if (i < load)
            return count;
        found = i;
    }
    return found;
}

/* The repetition is an assumption: no branch at the end closes the code. */
static bool is_assumed(const subject *s)
{
    return !s->options.piece_count && !s->options.no_memory_deps && !s->options.advance &&
           !insn_at(s, s->p->instruction_count - 1)->is_branch;
}

static void find_advance(subject *s, variant_list *out)
{
    size_t count = s->p->instruction_count;
    for (size_t i = 0; is_assumed(s) && i < count; i++) {
        const tacho_mem *place = access_of(s, i, TACHO_READ);
        size_t writer = place && stays(s, place) ? writer_of(s, i, place) : count;
        if (writer == count)
            continue;
        uint32_t *insns = explain_alloc(s, 2 * sizeof *insns);
        variant *v = insns ? explain_add(s, out) : NULL;
        if (!v)
            return;
        insns[0] = (uint32_t)i;
        insns[1] = (uint32_t)writer;
        v->insns = insns;
        v->insn_count = writer == i ? 1 : 2;
        v->options.advance = true;
        return;
    }
}

ADVICE(advance, MEMORY_DEPENDENCIES, .find = find_advance,
       .words = {
           "addresses that advance from iteration to iteration: with the increment included, or --advance (",
           ")"});
