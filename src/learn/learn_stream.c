/* learn_stream.c - independent instances of a form. */
#include "learn/resources.h"

#include <string.h>

#include "machine/characterise/chain.h"

/* Registers that instances of other streams never have: see characterise/chain.h. */
enum {
    OWN_TARGET = 14,
    OWN_SOURCE = 15,
    OWN_BASE = 7,
    OWN_LOADED = 2048 + 72, /* from the base */
    OWN_STORED =
        1024 + 16 /* low bits that differ: Zen 5 takes 1024 and 2048 for one place in its stack file */
};

static bool append(stream *s, const tacho_insn *insn)
{
    if (s->count == STREAM_INSTANCES)
        return false;
    size_t at = s->ends[s->count];
    if (at + insn->length > sizeof s->code)
        return false;
    memcpy(s->code + at, insn->bytes, insn->length);
    s->ends[s->count] = (uint16_t)(at + insn->length);
    return true;
}

static void end_instance(stream *s)
{
    uint16_t at = s->ends[s->count];
    if (++s->count < STREAM_INSTANCES)
        s->ends[s->count] = at;
}

/* Both read and write the same register or flags. */
static bool waits_for(const tacho_insn *insn, const tacho_insn *other)
{
    carriers reads[2], writes[2];
    walk_accesses(insn, &reads[0], &writes[0]);
    walk_accesses(other, &reads[1], &writes[1]);
    for (unsigned c = 0; c < CARRIER_MEMORY; c++)
        if (carriers_has(&reads[0], c) && carriers_has(&writes[0], c) && carriers_has(&reads[1], c) &&
            carriers_has(&writes[1], c))
            return true;
    return false;
}

bool stream_of_own_registers(stream *out, uint32_t form)
{
    tacho_form f;
    tacho_insn insn;
    instance_choice choice;
    const char *why;
    *out = (stream){.count = 0};
    if (tacho_form_get(form, &f))
        return false;
    instance_defaults(&choice, form);
    choice.base = OWN_BASE;
    choice.disp = OWN_LOADED;
    for (unsigned i = 0; i < f.visible_count; i++) {
        bool fixed, writes = f.operands[i].access & TACHO_WRITE;
        tacho_reg r = tacho_kind_reg(instance_kind(form, i), &fixed);
        if (fixed || r.class_ == TACHO_REG_R8H)
            return false;
        bool vector = r.class_ >= TACHO_REG_XMM && r.class_ <= TACHO_REG_ZMM;
        bool general = r.class_ >= TACHO_REG_R8L && r.class_ <= TACHO_REG_R64;
        if (r.class_ != TACHO_REG_NONE && !vector && !general)
            return false;
        choice.reg[i] = writes ? OWN_TARGET : OWN_SOURCE;
        if (f.operands[i].kind == TACHO_OPERAND_MEM && writes)
            choice.disp = OWN_STORED;
    }
    if (instance_make(&insn, form, &choice, &why) || waits_for(&insn, &insn) || !append(out, &insn))
        return false;
    end_instance(out);
    return true;
}

static bool writes_general(const tacho_insn *insn)
{
    carriers reads, writes;
    walk_accesses(insn, &reads, &writes);
    return writes.bits[0] & 0xffff;
}

bool stream_of_instances(stream *out, uint32_t form, bool breaks)
{
    chain c;
    *out = (stream){.count = 0};
    if (!chain_for_throughput(&c, form, breaks))
        return false;
    const tacho_insn *first = NULL;
    for (unsigned i = 0; i < c.count && append(out, &c.steps[i].insn); i++) {
        out->broken |= c.steps[i].role != STEP_INSTANCE;
        out->breaks += c.steps[i].role != STEP_INSTANCE && writes_general(&c.steps[i].insn);
        if (c.steps[i].role == STEP_INSTANCE && first)
            out->chained |= waits_for(first, &c.steps[i].insn);
        else if (c.steps[i].role == STEP_INSTANCE)
            first = &c.steps[i].insn;
        if (c.steps[i].role == STEP_INSTANCE)
            end_instance(out);
    }
    return out->count > 0;
}

stream stream_half(const stream *s, bool second)
{
    enum {
        HALF = STREAM_INSTANCES / 2
    };
    stream h = {.count = 0, .chained = s->chained, .broken = s->broken};
    if (s->count < STREAM_INSTANCES)
        return *s;
    unsigned skip = second ? s->ends[HALF - 1] : 0;
    for (; h.count < HALF; h.count++)
        h.ends[h.count] = (uint16_t)(s->ends[h.count + (second ? HALF : 0)] - skip);
    memcpy(h.code, s->code + skip, h.ends[HALF - 1]);
    return h;
}

static void append_instance(lab *l, const stream *s, unsigned n)
{
    unsigned i = n % s->count, begin = i ? s->ends[i - 1] : 0;
    lab_bytes(l, s->code + begin, s->ends[i] - begin, 1);
}

/* Where instance `n` of `count` comes among others, from 0 to 1: not at the same distances, as what chooses
 * ports can fall into step with a loop that always takes turns. */
static double place(unsigned n, unsigned count, unsigned salt)
{
    static const int8_t out_of_step[] = {0, 3, -2, 5, 1, -4, 2, -5, 4, -1, -3};
    return (n + 0.5 + 0.25 * out_of_step[(n + salt) % sizeof out_of_step]) / count;
}

void lab_mix(lab *l, const stream *a, unsigned a_count, const stream *b, unsigned b_count)
{
    unsigned na = 0, nb = 0;
    while (!l->failed && (na < a_count || nb < b_count)) {
        bool b_next = nb < b_count && (na >= a_count || place(nb, b_count, 0) < place(na, a_count, 4));
        if (b_next)
            append_instance(l, b, nb++);
        else
            append_instance(l, a, na++);
    }
}
