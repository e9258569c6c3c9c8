/* learn_uses.c - loops that a set's blocking instructions fill, with instances of a form among them.
 *
 * By as many cycles as such a loop takes longer than without the instances, times the number of ports, the
 * instances have used the set (after A. Abel, J. Reineke, ASPLOS 2019, section 5.1, with times in place of
 * counters). There are always so many blocking instructions that slots are left for the instances. */
#include "learn/learn_uses.h"

#include <math.h>
#include <string.h>

#include "machine/characterise/chain.h"
#include "learn/resources_find.h"

enum {
    INSTANCES = 8,
    INSTANCES_FOR_SLOTS = 16,
    MOST_CYCLES = 80, /* of the instances alone */
    MOST_BLOCKED = 400,
    INDEX = 14
};

bool uses_memory(const tacho_form *f, unsigned access)
{
    for (unsigned i = 0; i < f->operand_count; i++)
        if (f->operands[i].kind == TACHO_OPERAND_MEM && f->operands[i].access & access)
            return true;
    return false;
}

unsigned uses_class(const tacho_form *f, unsigned operand)
{
    bool fixed;
    const tacho_form_operand *o = &f->operands[operand];
    if (operand >= f->operand_count || o->kind != TACHO_OPERAND_REG)
        return TACHO_REG_NONE;
    return operand < f->visible_count ? tacho_kind_reg(instance_kind(f->id, operand), &fixed).class_
                                      : o->reg.class_;
}

bool uses_vector(const tacho_form *f, unsigned operand)
{
    const unsigned class_ = uses_class(f, operand);
    return class_ >= TACHO_REG_XMM && class_ <= TACHO_REG_ZMM;
}

const resource_set *uses_widest_loads(const resources *r)
{
    const resource_set *best = NULL;
    for (unsigned i = 0; i < r->count; i++)
        if (r->sets[i].kind == RESOURCE_LOAD && (!best || r->sets[i].capacity > best->capacity))
            best = &r->sets[i];
    return best;
}

/* ---- loops ---- */

/* Few lengths, so that loops of blocking instructions alone are those of other forms, too. */
static unsigned filled_cycles(double least)
{
    unsigned n = 8;
    while (n < least)
        n += n / 2;
    return n;
}

static unsigned instances_for(unsigned most, double each)
{
    while (most > 1 && most * each > MOST_CYCLES)
        most /= 2;
    return most;
}

typedef struct probe {
    unsigned instances, cycles; /* that blocking instructions fill; 0: not to be measured */
} probe;

/* Loops with NOPs of two lengths, and one that is so short that the µop queue holds it. */
enum {
    SLOT_LOOPS = 3,
    SHORT_INSTANCES = 8,
    SHORT_UOPS = 40
};

static probe probe_for(const resources *r, const resource_set *s, double each, double slots)
{
    probe p = {instances_for(INSTANCES, each), 0};
    unsigned spare = r->issue_width > s->capacity ? r->issue_width - s->capacity : 0;
    if (!spare)
        return p;
    double least = fmax(1.4 * p.instances * each, 1.1 * p.instances * slots / spare) + 1;
    if (least <= MOST_BLOCKED)
        p.cycles = filled_cycles(least);
    return p;
}

static void take_values(subject_loop *loop, uint32_t form)
{
    loop->mode = TACHO_MODE_LOOP;
    chain_values(form, loop->values, &loop->known);
}

static int time_uses(lab *l, uint32_t form, const stream *of, double each, form_uses *out, tacho_error *err)
{
    const resources *r = l->resources;
    probe probes[RESOURCE_SETS];
    batch b;
    int failed = batch_start(&b, 2 * r->count, err);
    for (unsigned i = 0; i < r->count && !failed; i++) {
        const resource_set *s = &r->sets[i];
        const unsigned blocks = (probes[i] = probe_for(r, s, each, out->slots)).cycles * s->capacity;
        bool needless = s->kind == RESOURCE_LOAD && !uses_memory(&out->form, TACHO_READ | TACHO_WRITE);
        if (needless)
            probes[i].cycles = 0;
        if (!probes[i].cycles)
            continue;
        /* instances of both must not wait for each other */
        const bool own = s->blocker.count == 1;
        const stream a = own ? *of : stream_half(of, false), block = stream_half(&s->blocker, true);
        take_values(&b.loops[2 * i], form);
        take_values(&b.loops[2 * i + 1], form);
        failed = stream_mix(&b.loops[2 * i], &a, probes[i].instances, &block, blocks, err);
        if (!failed)
            failed = stream_mix(&b.loops[2 * i + 1], &a, 0, &block, blocks, err);
    }
    if (!failed)
        failed = batch_time(l, &b, err);
    for (unsigned i = 0; i < r->count && !failed; i++) {
        const double with = b.loops[2 * i].cycles, without = b.loops[2 * i + 1].cycles;
        bool disturbed = fabs(without - probes[i].cycles) > 1 + 0.15 * probes[i].cycles;
        if (r->sets[i].kind == RESOURCE_LOAD && !b.loops[2 * i].size)
            out->uses[i] = 0;
        else
            out->uses[i] = !probes[i].cycles || disturbed
                               ? NAN
                               : (with - without) * r->sets[i].capacity / probes[i].instances;
    }
    batch_end(&b);
    return failed == TACHO_ERR_LIMIT ? 0 : failed;
}

/* ---- with an index register ---- */

/* The same instances with an index register in their addresses. */
static bool stream_of_indexed(stream *out, uint32_t form)
{
    chain c;
    *out = (stream){.count = 0};
    if (!chain_for_throughput(&c, form, 0))
        return false;
    for (unsigned i = 0; i < c.count && out->count < STREAM_INSTANCES; i++) {
        const tacho_insn *from = &c.steps[i].insn;
        instance_choice choice;
        tacho_insn insn;
        const char *why;
        bool indexed = false;
        if (c.steps[i].role != STEP_INSTANCE)
            return false;
        instance_defaults(&choice, form);
        for (unsigned k = 0; k < from->visible_count && k < KEY_MAX_KINDS; k++) {
            const tacho_operand *o = &from->operands[k];
            if (o->kind == TACHO_OPERAND_REG)
                choice.reg[k] = o->reg.number;
            if (o->kind != TACHO_OPERAND_MEM || o->mem.index.class_ != TACHO_REG_NONE)
                continue;
            choice.base = o->mem.base.number;
            choice.disp = (int32_t)o->mem.disp;
            choice.index = INDEX;
            indexed = true;
        }
        unsigned at = out->ends[out->count];
        if (!indexed || instance_make(&insn, form, &choice, &why) || at + insn.length > STREAM_BYTES)
            return false;
        memcpy(out->code + at, insn.bytes, insn.length);
        out->ends[out->count] = (uint16_t)(at + insn.length);
        if (++out->count < STREAM_INSTANCES)
            out->ends[out->count] = (uint16_t)(at + insn.length);
    }
    return out->count > 0;
}

/* ---- slots ---- */

/* Instances among NOPs that fill the slots: `cycles` without the instances. */
static int add_slots_loops(const lab *l, subject_loop *loops, uint32_t form, const stream *of, double each,
                           probe *p, tacho_error *err)
{
    const unsigned width = l->resources->issue_width;
    stream nop;
    int failed = 0;
    p[0] = p[1] = (probe){instances_for(INSTANCES_FOR_SLOTS, each), 0};
    p[0].cycles = p[1].cycles = filled_cycles(1.4 * p->instances * each + 1 + 2.0 * p->instances / width);
    unsigned few = SHORT_INSTANCES;
    while (few > 2 && 1.2 * few * each > (double)(SHORT_UOPS - few) / width)
        few /= 2;
    p[2] = (probe){few, (SHORT_UOPS - few + width - 1) / width};
    for (unsigned i = 0; i < SLOT_LOOPS && !failed; i++) {
        resources_nop(l, &nop, i == 1);
        take_values(&loops[i], form);
        if (p[i].cycles <= MOST_BLOCKED && (i < 2 || 1.2 * few * each < p[i].cycles))
            failed = stream_mix(&loops[i], of, p[i].instances, &nop, p[i].cycles * width - 1, err);
    }
    return failed;
}

/* The fastest one: what else limits a loop only makes it slower. */
static double slots_of(const resources *r, const subject_loop *loops, const probe *p)
{
    double slots = NAN;
    for (unsigned i = 0; i < SLOT_LOOPS; i++)
        slots = fmin(slots, (loops[i].cycles - p[i].cycles) * r->issue_width / p[i].instances);
    return slots;
}

/* How many of the sets' widest loads an instance with an index register uses. */
static int add_indexed_loops(const lab *l, subject_loop *loops, uint32_t form, const stream *indexed,
                             double each, probe *p, tacho_error *err)
{
    const resource_set *loads = uses_widest_loads(l->resources);
    int failed = 0;
    *p = (probe){0};
    if (loads)
        *p = probe_for(l->resources, loads, each, 3);
    for (unsigned i = 0; i < 2 && p->cycles && !failed; i++) {
        take_values(&loops[i], form);
        failed = stream_mix(&loops[i], indexed, i ? 0 : p->instances, &loads->blocker,
                            p->cycles * loads->capacity, err);
    }
    return failed;
}

static int time_slots(lab *l, uint32_t form, const stream *of, double each, form_uses *out, tacho_error *err)
{
    const resource_set *loads = uses_widest_loads(l->resources);
    batch b;
    probe p[2][SLOT_LOOPS], blocked = {0};
    stream indexed;
    bool has_index = uses_memory(&out->form, TACHO_READ | TACHO_WRITE) && stream_of_indexed(&indexed, form);
    int failed = batch_start(&b, 2 * SLOT_LOOPS + 2, err);
    if (!failed)
        failed = add_slots_loops(l, b.loops, form, of, each, p[0], err);
    if (!failed && has_index)
        failed = add_slots_loops(l, b.loops + SLOT_LOOPS, form, &indexed, each, p[1], err);
    if (!failed && has_index && uses_memory(&out->form, TACHO_WRITE))
        failed = add_indexed_loops(l, b.loops + 2 * SLOT_LOOPS, form, &indexed, each, &blocked, err);
    if (!failed)
        failed = batch_time(l, &b, err);
    if (!failed) {
        const subject_loop *i = b.loops + 2 * SLOT_LOOPS;
        out->slots = slots_of(l->resources, b.loops, p[0]);
        out->slots_indexed = has_index ? slots_of(l->resources, b.loops + SLOT_LOOPS, p[1]) : NAN;
        if (blocked.cycles)
            out->loads_indexed = (i[0].cycles - i[1].cycles) * loads->capacity / blocked.instances;
    }
    batch_end(&b);
    return failed == TACHO_ERR_LIMIT ? 0 : failed;
}

/* ---- all ---- */

/* Cycles of an instance between others of its kind, where each waits for the last one. */
static int cycles_of_each(lab *l, uint32_t form, const stream *of, double *each, tacho_error *err)
{
    subject_loop loop = {0};
    take_values(&loop, form);
    int failed = stream_mix(&loop, of, 4, of, 0, err);
    if (!failed)
        failed = subject_time(l->s, &loop, 1, err);
    if (!failed && loop.cycles / 4 > *each)
        *each = loop.cycles / 4;
    subject_loop_free(&loop);
    return failed;
}

/* What ends dependencies takes a slot and an ALU each, as a plain addition. */
static void take_breaks_away(const resources *r, const stream *of, form_uses *out)
{
    const double each = (double)of->breaks / of->count;
    out->slots -= each;
    for (unsigned i = 0; i < r->count; i++)
        if (r->sets[i].kind == RESOURCE_COMPUTE && !(r->alu & (uint16_t)~r->sets[i].ports))
            out->uses[i] -= each;
}

int uses_measure(lab *l, uint32_t form, const tacho_characterisation *c, form_uses *out, tacho_error *err)
{
    stream of;
    *out = (form_uses){.cycles = c->throughput.cycles,
                       .at_most = c->throughput.at_most,
                       .slots = NAN,
                       .slots_indexed = NAN,
                       .loads_indexed = NAN};
    tacho_form_get(form, &out->form);
    for (unsigned i = 0; i < RESOURCE_SETS; i++)
        out->uses[i] = NAN;
    if (!stream_of_instances(&of, form, false))
        return 0;
    double each = out->cycles;
    out->chained = of.chained && !of.broken;
    int failed = cycles_of_each(l, form, &of, &each, err);
    if (!failed)
        failed = time_slots(l, form, &of, each, out, err);
    if (!failed)
        failed = time_uses(l, form, &of, each, out, err);
    if (!failed)
        take_breaks_away(l->resources, &of, out);
    return failed;
}
