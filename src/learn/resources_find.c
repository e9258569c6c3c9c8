/* resources_find.c - forms from whose competition the sets of ports follow. */
#include "learn/resources_find.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "machine/characterise/instance.h"
#include "learn/learn_uses.h"
#include "learn/loopset.h"

enum {
    LOOKED_AT = 1700, /* the most frequent forms */
    MOST_CANDIDATES = 1000,
    FEWER = 5 /* instances that take turns, where a dependency between them is looked for */
};

/* By how much two together are faster, a cycle, than one of them, if their sets are not the same. */
#define MORE 0.1

int batch_start(batch *b, unsigned count, tacho_error *err)
{
    *b = (batch){tacho_mem_zalloc(count + 1, sizeof *b->loops), count};
    for (unsigned i = 0; b->loops && i < count; i++)
        b->loops[i].mode = TACHO_MODE_LOOP;
    return b->loops ? 0 : tacho_no_memory(err);
}

int batch_time(lab *l, batch *b, tacho_error *err)
{
    subject_loop *full = tacho_mem_zalloc(b->count + 1, sizeof *full);
    unsigned n = 0;
    if (!full)
        return tacho_no_memory(err);
    for (unsigned i = 0; i < b->count; i++)
        if (b->loops[i].size)
            full[n++] = b->loops[i];
    int failed = subject_time(l->s, full, n, err);
    n = 0;
    for (unsigned i = 0; i < b->count; i++) {
        if (b->loops[i].size)
            b->loops[i] = full[n++];
        else
            b->loops[i].cycles = NAN;
    }
    tacho_mem_free(full);
    return failed;
}

void batch_end(batch *b)
{
    for (unsigned i = 0; b->loops && i < b->count; i++)
        subject_loop_free(&b->loops[i]);
    tacho_mem_free(b->loops);
}

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

static int gather(candidates *out, tacho_error *err)
{
    uint32_t *forms = tacho_mem_zalloc(LOOKED_AT, sizeof *forms);
    out->items = tacho_mem_zalloc(MOST_CANDIDATES, sizeof *out->items);
    if (!forms || !out->items) {
        tacho_mem_free(forms);
        return tacho_no_memory(err);
    }
    size_t all = learn_form_order(forms, LOOKED_AT);
    for (size_t i = 0; i < LOOKED_AT && i < all && out->count < MOST_CANDIDATES; i++)
        out->count += make_candidate(&out->items[out->count], forms[i]);
    tacho_mem_free(forms);
    return 0;
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
static int time_alone(lab *l, candidates *c, unsigned width, tacho_error *err)
{
    batch b;
    stream nop;
    int failed = batch_start(&b, 3 * c->count, err);
    resources_nop(l, &nop, true);
    for (unsigned i = 0; i < c->count && !failed; i++) {
        stream fewer = c->items[i].s;
        fewer.count = fewer.count < FEWER ? fewer.count : FEWER;
        failed = stream_mix(&b.loops[3 * i], &c->items[i].s, ALONE, &nop, 0, err);
        if (!failed)
            failed = stream_mix(&b.loops[3 * i + 1], &fewer, ALONE, &nop, 0, err);
        if (!failed)
            failed = stream_mix(&b.loops[3 * i + 2], &c->items[i].s, PROBES, &nop, slot_fill(width), err);
    }
    if (!failed)
        failed = subject_time(l->s, b.loops, b.count, err);
    for (unsigned i = 0; i < c->count && !failed; i++) {
        const subject_loop *t = &b.loops[3 * i];
        c->items[i].rate = ALONE / t[0].cycles;
        if (t[2].cycles < 2 * PROBES + 0.6 && t[1].cycles < 1.03 * t[0].cycles)
            c->items[i].capacity = whole_rate(c->items[i].rate, width - 1);
    }
    batch_end(&b);
    return failed;
}

int candidates_find(lab *l, candidates *out, unsigned issue_width, tacho_error *err)
{
    *out = (candidates){0};
    int failed = gather(out, err);
    return failed ? failed : time_alone(l, out, issue_width, err);
}

/* ---- which of them have the same set ---- */

static bool comparable(const candidate *a, const candidate *b)
{
    return a->like < 0 && a->capacity == b->capacity && a->loads == b->loads && a != b;
}

int resources_mixed(subject_loop *loop, const candidate *a, const candidate *b, tacho_error *err)
{
    const stream first = stream_half(&a->s, false), second = stream_half(&b->s, true);
    return stream_mix(loop, &first, a->capacity * FILLED_CYCLES, &second, b->capacity * FILLED_CYCLES, err);
}

/* All that nobody was found like yet and that can be as `first`: if both together are no faster. */
static int find_alike(lab *l, candidates *c, unsigned first, tacho_error *err)
{
    batch b;
    unsigned n = 0;
    candidate *a = &c->items[first];
    int failed = batch_start(&b, c->count, err);
    a->like = (int)first;
    for (unsigned i = 0; i < c->count && !failed; i++)
        if (comparable(&c->items[i], a))
            failed = resources_mixed(&b.loops[n++], a, &c->items[i], err);
    if (!failed)
        failed = subject_time(l->s, b.loops, n, err);
    n = 0;
    for (unsigned i = 0; i < c->count && !failed; i++)
        if (comparable(&c->items[i], a)) {
            double rate = 2.0 * a->capacity * FILLED_CYCLES / b.loops[n++].cycles;
            if (rate < a->capacity + MORE)
                c->items[i].like = (int)first;
        }
    batch_end(&b);
    return failed;
}

int candidates_compare(lab *l, candidates *c, tacho_error *err)
{
    int failed = 0;
    for (unsigned own = 2; own-- > 0;) /* first those that have registers of their own */
        for (unsigned i = 0; i < c->count && !failed; i++)
            if (c->items[i].capacity && c->items[i].like < 0 && c->items[i].own == own)
                failed = find_alike(l, c, i, err);
    return failed;
}
