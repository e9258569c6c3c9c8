/* resources_find.c - forms from whose competition the sets of ports follow. */

#include "base/mem.h"
#include "learn/learn_forms.h"
#include "machine/characterise/instance.h"

enum {
    LOOKED_AT = 1700, /* the most frequent forms */
    MOST_CANDIDATES = 1000,
    FEWER = 5 /* instances that take turns, where a dependency between them is looked for */
};

/* By how much two together are faster, a cycle, than one of them, if their sets are not the same. */
#define MORE 0.1

void resources_nop(const lab *l, stream *out, bool long_one)
{
    static const uint8_t short_nop[] = {0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00},
                         long_nop[] = {0x0f, 0x1f, 0x84, 0x00, 0x78, 0x56, 0x34, 0x12};
    const unsigned size = long_one ? sizeof long_nop : sizeof short_nop;
    *out = (stream){.count = 1, .ends = {(uint16_t)size}};
    lab_filler(l, size, out->code);
    if (out->code[size - 1] != 0xff) /* no zero idiom: NOPs as records have them */
        memcpy(out->code, long_one ? long_nop : short_nop, size);
}

/* ---- which forms ---- */

/* General and vector registers, but those of 512 bits, for which some cores use ports in another way. */
static bool has_usual_operands(const tacho_form *f)
{
    for (unsigned i = 0; i < f->operand_count; i++) {
        const unsigned class_ = uses_class(f, i);
        if (class_ == TACHO_REG_ST ||
            (i < f->visible_count && (class_ == TACHO_REG_ZMM || class_ == TACHO_REG_MM)))
            return false;
    }
    return true;
}

/* Registers only, or a load into a register that is only written. */
static bool may_have_one_uop(uint32_t form, bool *loads)
{
    tacho_form f;
    unsigned accesses = 0, reads = 0, writes = 0;
    if (tacho_form_get(form, &f) || !has_usual_operands(&f))
        return false;
    for (unsigned i = 0; i < f.operand_count; i++) {
        const tacho_form_operand *o = &f.operands[i];
        if (o->kind == TACHO_OPERAND_MEM && (o->access & TACHO_WRITE || i >= f.visible_count))
            return false;
        if (o->kind == TACHO_OPERAND_MEM && o->width_bits > 128)
            return false;
        accesses += o->kind == TACHO_OPERAND_MEM;
        reads += o->kind == TACHO_OPERAND_REG && o->access & TACHO_READ;
        reads += o->kind == TACHO_OPERAND_FLAGS;
        writes += o->kind == TACHO_OPERAND_REG && o->access & TACHO_WRITE;
        writes += o->kind == TACHO_OPERAND_FLAGS && o->flags_written;
    }
    *loads = accesses;
    return writes && (accesses ? accesses == 1 && !reads && writes == 1 : f.visible_count > 0);
}

static bool make_candidate(candidate *c, uint32_t form)
{
    *c = (candidate){.form = form, .like = -1};
    if (!may_have_one_uop(form, &c->loads))
        return false;
    c->own = stream_of_own_registers(&c->s, form);
    return c->own || (!c->loads && stream_of_instances(&c->s, form, false) && !c->s.broken && !c->s.chained &&
                      c->s.count > FEWER);
}

/* Register to memory, and nothing else. */
static bool only_stores(uint32_t form, bool vector)
{
    tacho_form f;
    bool fixed;
    if (tacho_form_get(form, &f) || f.operand_count != 2 || f.visible_count != 2 ||
        f.operands[0].kind != TACHO_OPERAND_MEM || f.operands[0].access != TACHO_WRITE ||
        f.operands[1].kind != TACHO_OPERAND_REG || f.operands[1].access != TACHO_READ)
        return false;
    unsigned class_ = tacho_kind_reg(instance_kind(form, 1), &fixed).class_;
    return !fixed &&
           (vector ? class_ == TACHO_REG_XMM && f.operands[0].width_bits == 128 : class_ == TACHO_REG_R64);
}

bool resources_store(candidate *out, bool vector)
{
    enum {
        NEARBY = 400
    };
    uint32_t forms[NEARBY];
    size_t all = learn_form_order(forms, NEARBY);
    for (size_t i = 0; i < NEARBY && i < all; i++)
        if (only_stores(forms[i], vector)) {
            *out = (candidate){.form = forms[i], .like = -1};
            return stream_of_own_registers(&out->s, forms[i]);
        }
    return false;
}

static void gather(lab *l, candidates *out)
{
    uint32_t *forms = tacho_mem_zalloc(LOOKED_AT, sizeof *forms);
    out->items = tacho_mem_zalloc(MOST_CANDIDATES, sizeof *out->items);
    if (!l->failed && (!forms || !out->items))
        l->failed = tacho_no_memory(l->err);
    size_t all = l->failed ? 0 : learn_form_order(forms, LOOKED_AT);
    for (size_t i = 0; i < LOOKED_AT && i < all && out->count < MOST_CANDIDATES; i++)
        out->count += make_candidate(&out->items[out->count], forms[i]);
    tacho_mem_free(forms);
}

/* ---- alone ---- */

/* The whole number a cycle that a loop shows; it may be slower by a little, as its counter takes part. */
static unsigned whole_rate(double rate, unsigned most)
{
    double n = floor(rate + 0.12);
    return isnan(rate) || n < 1 || n > most || rate < 0.93 * n || rate > 1.02 * n ? 0 : (unsigned)n;
}

/* NOPs that leave a slot for each instance and the counter, and some more: a loop takes whole cycles. */
static unsigned slot_fill(unsigned width)
{
    return width * 2 * PROBES - PROBES - 1 - width / 2;
}

/* Twice: as they are, and with fewer registers, so that what waits for itself is slower; and with NOPs that
 * fill all slots but one for each instance. */
static void time_alone(lab *l, candidates *c, unsigned width)
{
    stream nop;
    resources_nop(l, &nop, true);
    lab_clear(l);
    for (unsigned i = 0; i < c->count; i++) {
        const stream *all = &c->items[i].s;
        stream fewer = *all;
        fewer.count = fewer.count < FEWER ? fewer.count : FEWER;
        lab_loop(l, TACHO_MODE_LOOP);
        lab_mix(l, all, INSTANCES_ALONE, &nop, 0);
        lab_loop(l, TACHO_MODE_LOOP);
        lab_mix(l, &fewer, INSTANCES_ALONE, &nop, 0);
        lab_loop(l, TACHO_MODE_LOOP);
        lab_mix(l, all, PROBES, &nop, slot_fill(width));
    }
    lab_time(l);
    for (unsigned i = 0; i < c->count; i++) {
        const double all = lab_timed(l, 3 * i);
        c->items[i].rate = INSTANCES_ALONE / all;
        if (lab_timed(l, 3 * i + 2) < 2 * PROBES + 0.6 && lab_timed(l, 3 * i + 1) < 1.03 * all)
            c->items[i].capacity = whole_rate(c->items[i].rate, width - 1);
    }
}

void candidates_find(lab *l, candidates *out, unsigned issue_width)
{
    *out = (candidates){0};
    gather(l, out);
    time_alone(l, out, issue_width);
}

/* ---- which of them have the same set ---- */

static bool comparable(const candidate *a, const candidate *b)
{
    return a->like < 0 && a->capacity == b->capacity && a->loads == b->loads && a != b;
}

void resources_mixed(lab *l, const candidate *a, const candidate *b)
{
    const stream first = stream_half(&a->s, false), second = stream_half(&b->s, true);
    lab_loop(l, TACHO_MODE_LOOP);
    lab_mix(l, &first, a->capacity * FILLED_CYCLES, &second, b->capacity * FILLED_CYCLES);
}

/* All that nobody was found like yet and that can be as `first`: if both together are no faster. */
static void find_alike(lab *l, candidates *c, unsigned first)
{
    candidate *a = &c->items[first];
    size_t n = 0;
    a->like = (int)first;
    lab_clear(l);
    for (unsigned i = 0; i < c->count; i++)
        if (comparable(&c->items[i], a))
            resources_mixed(l, a, &c->items[i]);
    lab_time(l);
    for (unsigned i = 0; i < c->count; i++)
        if (comparable(&c->items[i], a) &&
            2.0 * a->capacity * FILLED_CYCLES / lab_timed(l, n++) < a->capacity + MORE)
            c->items[i].like = (int)first;
}

void candidates_compare(lab *l, candidates *c)
{
    for (unsigned own = 2; own-- > 0;) /* first those that have registers of their own */
        for (unsigned i = 0; i < c->count; i++)
            if (c->items[i].capacity && c->items[i].like < 0 && c->items[i].own == own)
                find_alike(l, c, i);
}
