/* learn_uses.c - loops that a set's blocking instructions fill, with instances of a form among them.
 *
 * By as many cycles as such a loop takes longer than without the instances, times the number of ports, the
 * instances have used the set (after A. Abel, J. Reineke, ASPLOS 2019, section 5.1, with times in place of
 * counters). There are always so many blocking instructions that slots are left for the instances. */
#include "learn/learn_forms.h"

#include "machine/characterise/chain.h"

/* ---- independent instances of a form ---- */

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
        if (r->sets[i].loads && (!best || r->sets[i].capacity > best->capacity))
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

/* A loop that instances of the form may be added to. */
static void loop_of(lab *l, uint32_t form, tacho_mode mode)
{
    const size_t n = lab_loop(l, mode);
    if (!l->failed)
        chain_values(form, l->loops[n].values, &l->loops[n].known);
}

/* A loop of more bytes than there may be is as good as none. */
static void forgive_length(lab *l)
{
    l->failed = l->failed == TACHO_ERR_LIMIT ? 0 : l->failed;
}

static void time_uses(lab *l, uint32_t form, const stream *of, double each, form_uses *out)
{
    const resources *r = l->resources;
    probe probes[RESOURCE_SETS];
    lab_clear(l);
    for (unsigned i = 0; i < r->count; i++) {
        const resource_set *s = &r->sets[i];
        const bool needless = s->loads && !uses_memory(&out->form, TACHO_READ | TACHO_WRITE);
        probes[i] = probe_for(r, s, each, out->slots);
        probes[i].cycles = needless ? 0 : probes[i].cycles;
        /* instances of both must not wait for each other */
        const stream a = s->blocker.count == 1 ? *of : stream_half(of, false),
                     block = stream_half(&s->blocker, true);
        for (unsigned with = 2; with-- > 0;) {
            loop_of(l, form, TACHO_MODE_LOOP);
            if (probes[i].cycles)
                lab_mix(l, &a, with ? probes[i].instances : 0, &block, probes[i].cycles * s->capacity);
        }
    }
    lab_time(l);
    for (unsigned i = 0; i < r->count && !l->failed; i++) {
        const double with = lab_timed(l, 2 * i), without = lab_timed(l, 2 * i + 1);
        bool disturbed = fabs(without - probes[i].cycles) > 1 + 0.15 * probes[i].cycles;
        if (r->sets[i].loads && !probes[i].cycles)
            out->uses[i] = 0;
        else
            out->uses[i] = !probes[i].cycles || disturbed
                               ? NAN
                               : (with - without) * r->sets[i].capacity / probes[i].instances;
    }
    forgive_length(l);
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
static void add_slots_loops(lab *l, uint32_t form, const stream *of, double each, probe *p)
{
    const unsigned width = l->resources->issue_width;
    stream nop;
    p[0] = p[1] = (probe){instances_for(INSTANCES_FOR_SLOTS, each), 0};
    p[0].cycles = p[1].cycles = filled_cycles(1.4 * p->instances * each + 1 + 2.0 * p->instances / width);
    unsigned few = SHORT_INSTANCES;
    while (few > 2 && 1.2 * few * each > (double)(SHORT_UOPS - few) / width)
        few /= 2;
    p[2] = (probe){few, (SHORT_UOPS - few + width - 1) / width};
    for (unsigned i = 0; i < SLOT_LOOPS; i++) {
        resources_nop(l, &nop, i == 1);
        loop_of(l, form, TACHO_MODE_LOOP);
        if (p[i].cycles <= MOST_BLOCKED && (i < 2 || 1.2 * few * each < p[i].cycles))
            lab_mix(l, of, p[i].instances, &nop, p[i].cycles * width - 1);
    }
}

/* The fastest one: what else limits a loop only makes it slower. */
static double slots_of(const lab *l, size_t first, const probe *p)
{
    double slots = NAN;
    for (unsigned i = 0; i < SLOT_LOOPS; i++)
        slots =
            fmin(slots, (lab_timed(l, first + i) - p[i].cycles) * l->resources->issue_width / p[i].instances);
    return slots;
}

/* How many of the sets' widest loads an instance with an index register uses. */
static probe add_indexed_loops(lab *l, uint32_t form, const stream *indexed, double each)
{
    const resource_set *loads = uses_widest_loads(l->resources);
    const probe p = loads ? probe_for(l->resources, loads, each, 3) : (probe){0};
    for (unsigned i = 0; i < 2 && p.cycles; i++) {
        loop_of(l, form, TACHO_MODE_LOOP);
        lab_mix(l, indexed, i ? 0 : p.instances, &loads->blocker, p.cycles * loads->capacity);
    }
    return p;
}

/* The last operand as a constant of few bits, where it has 32: beside a memory operand a large one takes
 * another place in some caches of µops, which looks like a slot, or like a use of ports. */
static void use_small_constants(stream *s, const tacho_form *f)
{
    static const uint8_t one[] = {1, 0, 0, 0};
    const bool has = f->visible_count && instance_kind(f->id, f->visible_count - 1u) == KIND_I32;
    for (unsigned i = 0; i < s->count && has && uses_memory(f, TACHO_READ | TACHO_WRITE); i++)
        memcpy(s->code + s->ends[i] - sizeof one, one, sizeof one);
}

static void time_slots(lab *l, uint32_t form, const stream *of, double each, form_uses *out)
{
    const resource_set *loads = uses_widest_loads(l->resources);
    probe p[2][SLOT_LOOPS], blocked = {0};
    stream indexed;
    bool has_index = uses_memory(&out->form, TACHO_READ | TACHO_WRITE) && stream_of_indexed(&indexed, form);
    if (has_index)
        use_small_constants(&indexed, &out->form);
    lab_clear(l);
    add_slots_loops(l, form, of, each, p[0]);
    if (has_index)
        add_slots_loops(l, form, &indexed, each, p[1]);
    const size_t first = l->loop_count;
    if (has_index && uses_memory(&out->form, TACHO_WRITE))
        blocked = add_indexed_loops(l, form, &indexed, each);
    lab_time(l);
    if (!l->failed) {
        out->slots = slots_of(l, 0, p[0]);
        out->slots_indexed = has_index ? slots_of(l, SLOT_LOOPS, p[1]) : NAN;
        if (blocked.cycles)
            out->loads_indexed =
                (lab_timed(l, first) - lab_timed(l, first + 1)) * loads->capacity / blocked.instances;
    }
    forgive_length(l);
}

/* ---- all ---- */

/* Cycles of an instance between others of its kind, where each waits for the last one. */
static double cycles_of_each(lab *l, uint32_t form, const stream *of, double least)
{
    lab_clear(l);
    loop_of(l, form, TACHO_MODE_LOOP);
    lab_mix(l, of, 4, of, 0);
    lab_time(l);
    return fmax(least, lab_timed(l, 0) / 4);
}

/* How many NOPs are decoded in one cycle with an instance, which has the complex decoder; they are so long
 * that a block of code has one instance. */
static void time_beside(lab *l, uint32_t form, const stream *of, form_uses *out)
{
    enum {
        LONGEST_NOP = 8
    };
    const unsigned most = (unsigned)lab_number(l, "decoders", 5) - 1, width = l->resources->issue_width,
                   bytes = (unsigned)lab_number(l, "predecode_block_bytes", 16),
                   own = of->ends[of->count - 1] / of->count;
    lab_clear(l);
    for (unsigned n = 1; n <= most; n++) {
        const unsigned length = bytes > own + n ? (bytes - own) / n : 1;
        loop_of(l, form, TACHO_MODE_UNROLL);
        for (unsigned i = 0, at = 0; i < of->count && i < INSTANCES; at = of->ends[i++]) {
            lab_bytes(l, of->code + at, of->ends[i] - at, 1);
            lab_nops(l, length < LONGEST_NOP ? length : LONGEST_NOP, n);
        }
    }
    lab_time(l);
    for (unsigned n = most; n > 0 && !l->failed && !(out->beside > 0); n--) {
        const double each = lab_timed(l, n - 1) / (of->count < INSTANCES ? of->count : INSTANCES);
        if (!isnan(each))
            out->beside = each < 1.15 * fmax(1, (out->slots + n) / width) ? n : 0;
    }
}

/* Unrolled code comes from the decoders, but where the cache of µops holds it. Beside instructions of two
 * µops, which need the complex decoder each cycle, what needs it, too, takes another cycle. */
static void time_decoders(lab *l, uint32_t form, const stream *of, form_uses *out)
{
    static const char of_two_uops[] = "BSWAP (R64)";
    uint32_t beside;
    stream busy;
    if (lab_is(l, "dsb_holds_copies") || out->cycles > 1.1 || tacho_form_find(of_two_uops, &beside, NULL) ||
        !stream_of_instances(&busy, beside, false))
        return;
    const stream a = stream_half(of, false), b = stream_half(&busy, true);
    lab_clear(l);
    for (unsigned with = 2; with-- > 0;) {
        loop_of(l, form, TACHO_MODE_UNROLL);
        lab_mix(l, &a, with ? INSTANCES : 0, &b, INSTANCES);
    }
    lab_time(l);
    const double more = (lab_timed(l, 0) - lab_timed(l, 1)) / INSTANCES;
    if (fabs(lab_timed(l, 1) / INSTANCES - 1) < 0.1)
        out->decoded = more;
    if (more > 0.7 && more < 1.3)
        time_beside(l, form, of, out);
    forgive_length(l);
}

/* What ends dependencies takes a slot and an ALU each, as a plain addition. */
static void take_breaks_away(const resources *r, const stream *of, form_uses *out)
{
    const double each = (double)of->breaks / of->count;
    out->slots -= each;
    for (unsigned i = 0; i < r->count; i++)
        if (!r->sets[i].loads && !(r->alu & (uint16_t)~r->sets[i].ports))
            out->uses[i] -= each;
}

void uses_measure(lab *l, uint32_t form, const tacho_characterisation *c, form_uses *out)
{
    stream of;
    *out = (form_uses){.cycles = c->throughput.cycles,
                       .at_most = c->throughput.at_most,
                       .slots = NAN,
                       .slots_indexed = NAN,
                       .loads_indexed = NAN,
                       .decoded = NAN,
                       .beside = NAN};
    tacho_form_get(form, &out->form);
    for (unsigned i = 0; i < RESOURCE_SETS; i++)
        out->uses[i] = NAN;
    if (!stream_of_instances(&of, form, false))
        return;
    use_small_constants(&of, &out->form);
    out->chained = of.chained && !of.broken;
    const double each = cycles_of_each(l, form, &of, out->cycles);
    time_slots(l, form, &of, each, out);
    time_uses(l, form, &of, each, out);
    time_decoders(l, form, &of, out);
    take_breaks_away(l->resources, &of, out);
}
