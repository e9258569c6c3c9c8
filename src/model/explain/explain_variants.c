/* explain_variants.c - making variants of the code and of the machine. */
#include <stdio.h>
#include <string.h>

#include "model/explain/explain_internal.h"

void *explain_alloc(subject *s, size_t bytes)
{
    void *m = arena_alloc(s->memory, bytes);
    s->failed |= m == NULL;
    return m;
}

variant explain_unchanged(const subject *s)
{
    return (variant){
        .arch = s->p->arch, .code = s->code, .size = s->size, .options = s->options, .iterations = 1};
}

tacho_arch *explain_own_arch(subject *s, variant *v)
{
    tacho_arch *arch = explain_alloc(s, sizeof *arch);
    if (!arch)
        return NULL;
    *arch = *v->arch;
    v->arch = arch;
    return arch;
}

variant *explain_add(subject *s, variant_list *list)
{
    if (list->count == MAX_VARIANTS)
        return NULL;
    variant *v = &list->items[list->count++];
    *v = explain_unchanged(s);
    return v;
}

variant *explain_add_arch(subject *s, variant_list *list, tacho_arch **arch)
{
    variant *v = explain_add(s, list);
    *arch = v ? explain_own_arch(s, v) : NULL;
    return *arch ? v : NULL;
}

void explain_set_insns(subject *s, variant *v, const uint32_t *insns, uint32_t count)
{
    uint32_t *copy = explain_alloc(s, (count + 1u) * sizeof *copy);
    if (!copy)
        return;
    memcpy(copy, insns, count * sizeof *copy);
    v->insns = copy;
    v->insn_count = count;
}

variant *explain_add_noted(subject *s, variant_list *list, uint32_t note, tacho_arch **arch)
{
    uint32_t *insns = explain_alloc(s, (s->p->instruction_count + 1) * sizeof *insns), count = 0;
    for (uint32_t i = 0; insns && i < s->p->instruction_count; i++)
        if (s->p->instructions[i]->notes & note)
            insns[count++] = i;
    variant *v = count ? explain_add_arch(s, list, arch) : NULL;
    if (v) {
        v->insns = insns;
        v->insn_count = count;
    }
    return v;
}

const uint32_t *explain_find_insns(subject *s, explain_test *wanted, uint32_t *count)
{
    uint32_t *insns = explain_alloc(s, (s->p->instruction_count + 1) * sizeof *insns);
    *count = 0;
    for (uint32_t i = 0; insns && i < s->p->instruction_count; i++)
        if (wanted(s, i))
            insns[(*count)++] = i;
    return insns;
}

/* The code with the given instructions rewritten; false where one of them cannot be. */
static bool rewrite_code(subject *s, variant *v, explain_rewrite *rewrite)
{
    uint8_t *bytes = explain_alloc(s, s->size + (size_t)EXPLAIN_ROOM * v->insn_count);
    size_t size = 0;
    for (uint32_t i = 0, next = 0; bytes && i < s->p->instruction_count; i++) {
        const tacho_insn *insn = insn_at(s, i);
        if (next < v->insn_count && v->insns[next] == i) {
            uint8_t n = rewrite(insn, bytes + size);
            if (!n)
                return false;
            next++;
            size += n;
            continue;
        }
        memcpy(bytes + size, insn->bytes, insn->length);
        size += insn->length;
    }
    v->code = bytes;
    v->size = size;
    return bytes != NULL;
}

static void add_rewritten(subject *s, variant_list *list, const uint32_t *insns, uint32_t count,
                          explain_rewrite *rewrite)
{
    variant *v = explain_add(s, list);
    if (!v)
        return;
    explain_set_insns(s, v, insns, count);
    if (!rewrite_code(s, v, rewrite))
        list->count--;
}

void explain_rewrites(subject *s, variant_list *list, explain_test *wanted, explain_rewrite *rewrite)
{
    uint32_t count;
    const uint32_t *insns = explain_find_insns(s, wanted, &count);
    for (uint32_t k = 0; k < count && count <= MAX_SINGLES; k++)
        add_rewritten(s, list, insns + k, 1, rewrite);
    if (count > 1)
        add_rewritten(s, list, insns, count, rewrite);
}

const char *explain_insns_text(const variant *v, char *out, size_t size)
{
    enum {
        SHOWN = 8
    };
    size_t used = (size_t)snprintf(out, size, "instruction%s ", v->insn_count == 1 ? "" : "s");
    for (uint32_t k = 0; k < v->insn_count && used < size; k++) {
        if (k == SHOWN) {
            snprintf(out + used, size - used, " ... (%u in all)", v->insn_count);
            break;
        }
        const char *before = k == 0 ? "" : k + 1 == v->insn_count ? " and " : ", ";
        used += (size_t)snprintf(out + used, size - used, "%s%u", before, v->insns[k]);
    }
    return out;
}

/* ---- registers and flags ---- */

bool insn_reads_reg(const tacho_insn *insn, tacho_reg reg)
{
    for (const tacho_operand *o = insn->operands; o < insn->operands + insn->operand_count; o++) {
        /* a write of 8 or 16 bits keeps the rest, and so does one that may not happen */
        bool keeps = (o->access & TACHO_CONDITIONAL) || o->width_bits < 32;
        if ((operand_is_reg(o, reg) && (keeps || (o->access & TACHO_READ))) ||
            operand_is_addressed_by(o, reg))
            return true;
    }
    return false;
}

bool explain_flags_used(const subject *s, uint32_t i)
{
    uint32_t count = (uint32_t)s->p->instruction_count;
    uint8_t pending = insn_at(s, i)->flags_written;
    for (uint32_t k = 1; pending && k <= count; k++) {
        const tacho_insn *next = insn_at(s, (i + k) % count);
        if (next->flags_read & pending)
            return true;
        pending &= (uint8_t)~next->flags_written;
    }
    return false;
}

static bool is_used(const subject *s, tacho_reg reg)
{
    for (size_t i = 0; i < s->p->instruction_count; i++)
        if (insn_reads_reg(insn_at(s, i), reg) || insn_writes_reg(insn_at(s, i), reg))
            return true;
    return false;
}

uint32_t explain_free_registers(const subject *s, tacho_reg like, uint8_t *out, uint32_t wanted)
{
    uint32_t n = 0;
    for (uint8_t k = 0; k < 16 && n < wanted; k++) {
        tacho_reg reg = {like.class_, k};
        if (!(reg_is_general(like) && k == 4) && !is_used(s, reg))
            out[n++] = k;
    }
    return n;
}
