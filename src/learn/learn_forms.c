/* learn_forms.c - rows of instruction forms. */
#include "learn/learn_forms.h"

#include "base/mem.h"
#include "machine/characterise/instance.h"
#include "x86/decode/ops.h"
#include "x86/insndb/form_find.h"

enum {
    NAME_SIZE = 128,
    TEXT_SIZE = 512
};

/* With one register for all operands, in cycles: nothing is executed. */
#define NOTHING 0.6

/* Uses of a set by which a form differs from another core's: processors choose ports less well than models
 * do, so that a part of a use says little. */
#define SURE_USES 0.75

/* ---- sources ---- */

static const char *origin_name(unsigned origin)
{
    static const char *const names[] = {"neutral", "learnt", "sister"};
    return names[origin];
}

static unsigned source_number(const learnt_form *f)
{
    return (unsigned)f->ports * 9 + (unsigned)f->latency * 3 + (unsigned)f->front_end;
}

const char *learn_source_line(unsigned number)
{
    static char lines[LEARNT_SOURCES][256];
    if (number >= LEARNT_SOURCES)
        return NULL;
    const char *ports = origin_name(number / 9);
    snprintf(lines[number], sizeof lines[number],
             "source %u ports=%s front_end=%s indexed=%s same_reg=%s latency=%s divider=%s throughput=%s "
             "fusion=%s",
             number, ports, origin_name(number % 3), ports, ports, origin_name(number / 3 % 3), ports, ports,
             ports);
    return lines[number];
}

/* ---- rows ---- */

typedef struct row_text {
    char base[TEXT_SIZE / 2], indexed[TEXT_SIZE / 2], same[TEXT_SIZE / 4], latencies[TEXT_SIZE];
    char fusion[16];
} row_text;

static void put_row(learnt_form *out, const row_text *t)
{
    char name[NAME_SIZE];
    tacho_form_name(out->form, name, sizeof name);
    out->source = source_number(out);
    int n = snprintf(out->row, sizeof out->row, "%s\t%s\t%s\t%s\t%s\t%s\t%u", name, t->base, t->indexed,
                     t->same, t->latencies, t->fusion, out->source);
    if (n < 0 || (size_t)n >= sizeof out->row)
        *out->row = '\0';
}

/* The set of vectors with the most ports. */
static uint16_t widest_vectors(const resources *r)
{
    const resource_set *best = NULL;
    for (unsigned i = 0; i < r->count; i++) {
        tacho_form f;
        const resource_set *s = &r->sets[i];
        if (!s->loads && !tacho_form_get(s->form, &f) && uses_vector(&f, 0) &&
            (!best || s->capacity > best->capacity))
            best = s;
    }
    return best ? best->ports : r->compute;
}

static bool has_result(const tacho_form *f)
{
    for (unsigned i = 0; i < f->operand_count; i++) {
        const tacho_form_operand *o = &f->operands[i];
        if ((o->kind == TACHO_OPERAND_REG && o->access & TACHO_WRITE) ||
            (o->kind == TACHO_OPERAND_FLAGS && o->flags_written))
            return true;
    }
    return false;
}

static bool is_stack_pointer(const tacho_form_operand *o)
{
    return o->reg.class_ == TACHO_REG_R64 && o->reg.number == 4;
}

/* A register of which a part is written: the rest has to be merged. */
static bool is_partial_result(const tacho_form *f, unsigned i)
{
    const unsigned class_ = uses_class(f, i);
    return i < f->visible_count && f->operands[i].access & TACHO_WRITE &&
           (class_ == TACHO_REG_R8L || class_ == TACHO_REG_R8H || class_ == TACHO_REG_R16);
}

/* Whether the form has a µop that computes even where nothing shows it: beside a load, if it takes a register
 * or gives flags. */
static bool computes(const tacho_form *f, const execution *how)
{
    if (!has_result(f))
        return false;
    if (!uses_memory(f, TACHO_READ))
        return how->by_ports || !how->by_renamer;
    for (unsigned i = 0; i < f->operand_count; i++) {
        const tacho_form_operand *o = &f->operands[i];
        if (is_partial_result(f, i))
            return true;
        if ((o->kind == TACHO_OPERAND_REG && o->access & TACHO_READ && !is_stack_pointer(o)) ||
            (o->kind == TACHO_OPERAND_FLAGS && o->flags_written))
            return true;
    }
    return false;
}

/* Whether instances with one register for all operands, `cycles` each, come faster than their ports allow, or
 * as fast as they are issued: then they are not executed. */
static bool is_idiom(const resources *r, const uop_plan *p, double cycles)
{
    const unsigned ports = p->count ? (unsigned)__builtin_popcount(p->groups[0].ports) : 1;
    return cycles < (ports < r->issue_width ? 0.97 / ports : 1.3 / r->issue_width) && cycles < NOTHING;
}

static void put_same(const resources *r, const tacho_form *f, const uop_plan *p, const execution *how,
                     char *out, size_t size)
{
    snprintf(out, size, ".");
    if (p->eliminated && how->by_renamer)
        plan_ports_text(uses_vector(f, 0) ? widest_vectors(r) : r->alu, out, size);
    else if (is_idiom(r, p, how->same))
        snprintf(out, size, "-");
}

static bool is_locked(const tacho_form *f)
{
    return tacho_form_key(f->id).attr == ATTR_LOCK ||
           (tacho_mnemonic_operation(f->mnemonic) == OP_XCHG && uses_memory(f, TACHO_WRITE));
}

static void describe(const resources *r, const uop_plan *p, const form_uses *u,
                     const tacho_characterisation *c, const execution *how, const latency_links *links,
                     learnt_form *out)
{
    row_text t = {.indexed = ".", .fusion = "-"};
    bool missing;
    plan_text(p, false, t.base, sizeof t.base);
    if (p->slots_indexed || p->store_indexed)
        plan_text(p, true, t.indexed, sizeof t.indexed);
    put_same(r, &u->form, p, how, t.same, sizeof t.same);
    latency_text(&u->form, c, links, how->same < 0.9, t.latencies, sizeof t.latencies, &missing);
    if (out->group)
        snprintf(t.fusion, sizeof t.fusion, "G%u", out->group - 1);
    out->latency = missing ? LEARNT_FROM_NOTHING : LEARNT_FROM_LOOPS;
    if (missing)
        snprintf(out->why, sizeof out->why, "a chain of it was not stable");
    put_row(out, &t);
}

static bool adds_floats(const tacho_form *f)
{
    const unsigned asked = INSN_SUMS | INSN_FLOATS | INSN_FUSES;
    return (tacho_mnemonic_families(f->mnemonic) & asked) == (INSN_SUMS | INSN_FLOATS);
}

static void learn_measured(lab *l, const tacho_characterisation *c, learnt_form *out)
{
    const resources *r = l->resources;
    form_uses u;
    uop_plan p;
    const execution how = latency_execution(c);
    uses_measure(l, out->form, c, &u);
    u.divides = tacho_mnemonic_families(u.form.mnemonic) & INSN_DIVIDES;
    u.locked = is_locked(&u.form);
    bool eliminated = how.by_renamer && !how.by_ports;
    const bool result = has_result(&u.form) || uses_memory(&u.form, TACHO_WRITE);
    plan_uops(&p, r, &u, computes(&u.form, &how), eliminated || !result,
              (unsigned)lab_number(l, "dividers", 1));
    p.complex &= p.slots == 1 || !isnan(u.beside);
    p.beside_complex = (unsigned)(isnan(u.beside) ? lab_number(l, "decoders", 5) - 1 : u.beside);
    out->uncertainty = p.distance;
    out->ports = isnan(u.slots) ? LEARNT_FROM_NOTHING : LEARNT_FROM_LOOPS;
    out->front_end = p.slots > 1 ? LEARNT_FROM_NOTHING : LEARNT_FROM_LOOPS;
    latency_links links = r->links;
    links.sums = adds_floats(&u.form) ? lab_number(l, "fp_add_forward_cycles", 0) : 0;
    links.only_loads = p.count == 1 && p.groups[0].ports == r->loads;
    links.round_trips = lab_is(l, "renames_as_measured");
    out->group = learn_fusion(l, out->form);
    describe(r, &p, &u, c, &how, &links, out);
    out->state = LEARNT_MEASURED;
}

/* ---- branches ---- */

static bool is_branch(uint32_t form)
{
    instance_choice choice;
    tacho_insn insn = {0};
    const char *why = "";
    instance_defaults(&choice, form);
    return instance_make(&insn, form, &choice, &why) && !strcmp(why, "is a branch");
}

/* Branches are not among the loops: they have the ports of the branch that ends loops, and what they load and
 * store. */
static void describe_branch(const resources *r, learnt_form *out)
{
    tacho_form f;
    uop_plan p = {.slots = 1};
    row_text t = {.indexed = ".", .same = ".", .latencies = "-", .fusion = "-"};
    if (tacho_form_get(out->form, &f))
        return;
    p.groups[p.count++] = (plan_group){r->branches, 1};
    if (uses_memory(&f, TACHO_READ))
        p.groups[p.count++] = (plan_group){r->loads, 1};
    if (uses_memory(&f, TACHO_WRITE)) {
        p.groups[p.count++] = (plan_group){r->store_addresses, 1};
        p.groups[p.count++] = (plan_group){r->store_data_alu ? r->store_data_alu : r->store_data, 1};
        p.slots++;
    }
    plan_text(&p, false, t.base, sizeof t.base);
    out->ports = LEARNT_FROM_LOOPS;
    out->state = LEARNT_MEASURED;
    put_row(out, &t);
}

void learn_form(lab *l, uint32_t form, learnt_form *out)
{
    tacho_characterisation *c = lab_characterise(l, form);
    *out = (learnt_form){.form = form, .state = LEARNT_NOT_RUN, .cycles = NAN, .uncertainty = NAN};
    if (c && !c->runs && is_branch(form)) {
        describe_branch(l->resources, out);
    } else if (c && !c->runs) {
        snprintf(out->why, sizeof out->why, "%.150s", c->why);
    } else if (c && isnan(c->throughput.cycles)) {
        out->state = LEARNT_NOT_MEASURED;
        snprintf(out->why, sizeof out->why, "%.150s", c->throughput.why);
    } else if (c) {
        out->cycles = c->throughput.cycles;
        learn_measured(l, c, out);
    }
    tacho_mem_free(c);
}

/* ---- started from another core ---- */

/* What is not known of the processor, `a`, differs from nothing. */
static bool differ(double a, double b, double most)
{
    return !isnan(a) && !(fabs(a - b) <= most);
}

/* Cycles of a latency that tell of the form, beside another one: a round trip through memory tells of
 * forwarding, and a target that does not wait of the chain, unless memory is renamed for some forms. */
static double told_cycles(const tacho_measured_latency *m, const tacho_measured_latency *beside,
                          bool round_trips)
{
    if (m->status == TACHO_LATENCY_INDEPENDENT)
        return round_trips ? 0 : NAN;
    const bool comparable = m->status == beside->status || beside->status == TACHO_LATENCY_INDEPENDENT;
    return comparable && (m->status != TACHO_LATENCY_ROUND_TRIP || round_trips) ? m->cycles : NAN;
}

static bool characterisations_differ(const tacho_characterisation *a, const tacho_characterisation *b,
                                     bool round_trips, char *why, size_t size)
{
    if (a->runs != b->runs ||
        differ(a->throughput.cycles, b->throughput.cycles, 0.02 + 0.1 * b->throughput.cycles)) {
        snprintf(why, size, "%.2f cycles an instance, not %.2f", a->throughput.cycles, b->throughput.cycles);
        return true;
    }
    for (unsigned i = 0; i < a->latency_count && i < b->latency_count; i++) {
        const tacho_measured_latency *x = &a->latencies[i], *y = &b->latencies[i];
        const double own = told_cycles(x, y, round_trips), other = told_cycles(y, x, round_trips);
        if (isnan(other) || !differ(own, other, 0.5))
            continue;
        snprintf(why, size, "operand %u to %u: %.2f cycles, not %.2f", x->source, x->target, own, other);
        return true;
    }
    return false;
}

static bool uses_differ(const resources *r, const form_uses *a, const form_uses *b, char *why, size_t size)
{
    if (differ(a->slots, b->slots, 0.4 + 0.1 * b->slots)) {
        snprintf(why, size, "%.2f slots, not %.2f", a->slots, b->slots);
        return true;
    }
    if (!isnan(a->decoded) && !isnan(b->decoded) && differ(a->decoded, b->decoded, 0.5)) {
        snprintf(why, size, "%.2f cycles of the complex decoder, not %.2f", a->decoded, b->decoded);
        return true;
    }
    if (!isnan(b->beside) && differ(a->beside, b->beside, 0.5)) {
        snprintf(why, size, "%.0f decoded beside it, not %.0f", a->beside, b->beside);
        return true;
    }
    for (unsigned i = 0; i < r->count; i++)
        if (!isnan(a->uses[i]) && fabs(a->uses[i] - b->uses[i]) > SURE_USES + 0.1 * b->uses[i]) {
            char name[NAME_SIZE];
            tacho_form_name(r->sets[i].form, name, sizeof name);
            snprintf(why, size, "beside %s: %.2f uses, not %.2f", name, a->uses[i], b->uses[i]);
            return true;
        }
    return false;
}

bool learn_form_differs(lab *l, subject *reference, uint32_t form, char *why, size_t size)
{
    lab other = {.s = reference, .resources = l->resources, .err = l->err}, *const labs[2] = {l, &other};
    tacho_characterisation *c[2];
    form_uses u[2];
    bool differs = false, measured = l->resources;
    snprintf(why, size, "%s", "");
    for (unsigned i = 0; i < 2; i++) {
        c[i] = lab_characterise(labs[i], form);
        if (c[i] && c[i]->runs && !isnan(c[i]->throughput.cycles) && l->resources)
            uses_measure(labs[i], form, c[i], &u[i]);
        l->failed = l->failed ? l->failed : other.failed;
        measured &= c[i] && c[i]->runs && !isnan(c[i]->throughput.cycles);
    }
    if (!l->failed && (c[0]->runs || c[1]->runs))
        differs = characterisations_differ(c[0], c[1], lab_is(l, "renames_as_measured"), why, size) ||
                  (measured && uses_differ(l->resources, &u[0], &u[1], why, size));
    TACHO_MEM_FREE(c[0], c[1]);
    other.resources = NULL; /* the lab's */
    lab_free(&other);
    return differs;
}

/* ---- what was not measured: of a form of the same mnemonic and operands but for their widths ---- */

static bool may_be_sister(const learnt_form *f, const learnt_form *of)
{
    char name[NAME_SIZE], a[NAME_SIZE], b[NAME_SIZE];
    if (f == of || f->state != LEARNT_MEASURED || f->ports != LEARNT_FROM_LOOPS || !*f->row)
        return false;
    if (!isnan(of->cycles) && fabs(f->cycles - of->cycles) > 0.1 + 0.1 * of->cycles)
        return false;
    tacho_form_name(f->form, name, sizeof name);
    tacho_form_without_widths(name, a, sizeof a);
    tacho_form_name(of->form, name, sizeof name);
    tacho_form_without_widths(name, b, sizeof b);
    return !strcmp(a, b);
}

static void take_row(learnt_form *f, const learnt_form *sister)
{
    char name[NAME_SIZE];
    const char *figures = strchr(sister->row, '\t'), *end = strrchr(sister->row, '\t');
    if (!figures || end == figures)
        return;
    f->ports = f->latency = LEARNT_FROM_SISTER;
    f->front_end = sister->front_end == LEARNT_FROM_LOOPS ? LEARNT_FROM_SISTER : LEARNT_FROM_NOTHING;
    f->source = (unsigned)f->ports * 9 + (unsigned)f->latency * 3 + (unsigned)f->front_end;
    f->state = LEARNT_BY_ANALOGY;
    tacho_form_name(f->form, name, sizeof name);
    snprintf(f->row, sizeof f->row, "%s%.*s\t%u", name, (int)(end - figures), figures, f->source);
}

void learn_by_analogy(learnt_form *forms, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        learnt_form *f = &forms[i];
        const bool wanting = f->state == LEARNT_NOT_MEASURED ||
                             (f->state == LEARNT_MEASURED && f->ports == LEARNT_FROM_NOTHING);
        for (size_t k = 0; wanting && k < count; k++)
            if (may_be_sister(&forms[k], f)) {
                take_row(f, &forms[k]);
                break;
            }
    }
}

/* ---- by how often programs have them ---- */

extern const char frequency_text[];
extern const unsigned long frequency_text_size;

/* The name at the begin of the line at `at`, and its share; @return where the next line begins, 0 at the end
 */
static size_t next_name(size_t at, char *name, size_t size, double *share)
{
    const char *text = frequency_text;
    if (at >= frequency_text_size)
        return 0;
    size_t length = 0, line = at;
    while (line < frequency_text_size && text[line] != '\n')
        line++;
    while (at + length < line && text[at + length] != '\t')
        length++;
    *share = at + length < line ? strtod(text + at + length, NULL) : 0;
    length = length < size ? length : size - 1;
    memcpy(name, text + at, length);
    name[length] = '\0';
    return line + 1;
}

size_t learn_form_order(uint32_t *forms, size_t capacity)
{
    const uint32_t all = tacho_form_count();
    bool *taken = tacho_mem_zalloc(all, sizeof *taken);
    size_t n = 0;
    char name[128];
    double share;
    for (size_t at = 0; taken && (at = next_name(at, name, sizeof name, &share));) {
        uint32_t id;
        tacho_error err;
        if (*name == '#' || tacho_form_find(name, &id, &err) || taken[id])
            continue;
        taken[id] = true;
        if (n < capacity)
            forms[n] = id;
        n++;
    }
    for (uint32_t i = 0; i < all; i++)
        if (!taken || !taken[i]) {
            if (n < capacity)
                forms[n] = i;
            n++;
        }
    tacho_mem_free(taken);
    return n;
}

int learn_form_shares(const uint32_t *forms, size_t count, double *out, tacho_error *err)
{
    double *of = tacho_mem_zalloc(tacho_form_count() + 1, sizeof *of), share, sum = 0;
    char name[128];
    if (!of)
        return tacho_no_memory(err);
    for (size_t at = 0; (at = next_name(at, name, sizeof name, &share));) {
        uint32_t id;
        tacho_error none;
        if (*name != '#' && !tacho_form_find(name, &id, &none))
            of[id] = share;
    }
    for (size_t i = 0; i < count; i++)
        out[i] = sum += of[forms[i]];
    tacho_mem_free(of);
    return 0;
}
