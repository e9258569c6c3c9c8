/* characterise.c - a form's loops, measured together, and what follows from their times.
 *
 * All loops are measured in one go, so that what disturbs the machine for a moment does not spoil all loops
 * of one kind; those without a stable time are measured again. A latency is the loop's time without its
 * links, divided by the passes through the pair. It is an upper bound where another dependency may be the
 * longer one, where the link's own time is only known in part, and where the loop is no slower than
 * independent instances. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "characterise/chain.h"
#include "tacho/arch.h"
#include "util/mem.h"

enum {
    MAX_TASKS = TACHO_MAX_MEASURED_LATENCIES + LINK_COUNT + 8,
    THROUGHPUT_KINDS = 3, /* see chain_for_throughput */
    NO_TASK = -1
};

/* A loop to measure. */
typedef struct task {
    chain c;
    uint8_t code[CHAIN_MAX_BYTES];
    tacho_mode mode;
    bool done;
    unsigned instances;
    tacho_measurement result;
} task;

typedef struct work {
    tacho_measurer *m;
    uint32_t form;
    const tacho_characterise_options *options;
    tacho_characterisation *out;
    task *tasks;
    unsigned count;
    int latency_task[TACHO_MAX_MEASURED_LATENCIES];
    int link_task[LINK_COUNT];
    int throughput_task[THROUGHPUT_KINDS][2]; /* unrolled, looped */
    double independent; /* cycles an instance in the fastest loop without dependencies of its own; NaN none */
} work;

/* ---- which loops ---- */

static int add_task(work *w, const chain *c, tacho_mode mode, unsigned instances)
{
    if (w->count == MAX_TASKS)
        return NO_TASK;
    task *t = &w->tasks[w->count];
    t->c = *c;
    t->mode = mode;
    t->instances = instances;
    return (int)w->count++;
}

static tacho_measured_latency *next_latency(work *w, unsigned source, unsigned target, tacho_path path)
{
    if (w->out->latency_count == TACHO_MAX_MEASURED_LATENCIES)
        return NULL;
    tacho_measured_latency *l = &w->out->latencies[w->out->latency_count];
    memset(l, 0, sizeof *l);
    l->source = (uint8_t)source;
    l->target = (uint8_t)target;
    l->path = path;
    l->cycles = l->uncertainty = l->chain_cycles = NAN;
    w->latency_task[w->out->latency_count++] = NO_TASK;
    return l;
}

static void add_links(work *w, const chain *c)
{
    for (unsigned part = 0; part < LINK_COUNT; part++) {
        chain own;
        if (!c->links[part] || w->link_task[part] != NO_TASK || part == LINK_FILE || part == LINK_MEMORY)
            continue;
        chain_of_link(&own, (link_part)part);
        if (own.count && !own.failed)
            w->link_task[part] = add_task(w, &own, TACHO_MODE_UNROLL, 1);
    }
}

static void add_pair(work *w, unsigned source, unsigned target, tacho_path path)
{
    chain c;
    const chain_pair pair = {w->form, (uint8_t)source, (uint8_t)target, path};
    const char *why = NULL;
    tacho_measured_latency *l = next_latency(w, source, target, path);
    if (!l)
        return;
    if (chain_make(&c, &pair, &why)) {
        l->status = TACHO_LATENCY_NO_CHAIN;
        snprintf(l->why, sizeof l->why, "%s", why);
        return;
    }
    chain_text(&c, l->chain, sizeof l->chain);
    l->divided_by = c.traversals;
    w->latency_task[w->out->latency_count - 1] = add_task(w, &c, TACHO_MODE_UNROLL, 1);
    add_links(w, &c);
}

static bool reads_operand(const tacho_form_operand *o)
{
    return o->kind == TACHO_OPERAND_FLAGS ? o->flags_read != 0 : (o->access & TACHO_READ) != 0;
}

static bool writes_operand(const tacho_form_operand *o)
{
    return o->kind == TACHO_OPERAND_FLAGS ? o->flags_written != 0 : (o->access & TACHO_WRITE) != 0;
}

/* Whether the address of the memory operand has a base register; an index can be added unless the form says
 * which registers an address has. */
static bool has_path(uint32_t form, const tacho_form *f, unsigned i, bool index)
{
    const tacho_form_operand *o = &f->operands[i];
    if (i >= f->visible_count)
        return index ? o->index.class_ != TACHO_REG_NONE : o->base.class_ != TACHO_REG_NONE;
    form_kind kind = instance_kind(form, i);
    if (kind >= KIND_AGEN) {
        unsigned shape = kind - KIND_AGEN;
        return shape != SHAPE_RIP && (shape & (index ? SHAPE_INDEX : SHAPE_BASE));
    }
    return kind < KIND_MOFFS8;
}

static void add_pairs_of(work *w, const tacho_form *f, unsigned s, unsigned t)
{
    const tacho_form_operand *o = &f->operands[s];
    if (o->kind == TACHO_OPERAND_MEM || o->kind == TACHO_OPERAND_AGEN) {
        if (has_path(w->form, f, s, false))
            add_pair(w, s, t, TACHO_PATH_ADDRESS);
        if (has_path(w->form, f, s, true))
            add_pair(w, s, t, TACHO_PATH_ADDRESS_INDEX);
        if (o->kind == TACHO_OPERAND_MEM && (o->access & TACHO_READ))
            add_pair(w, s, t, TACHO_PATH_MEMORY);
    } else if ((o->kind == TACHO_OPERAND_REG || o->kind == TACHO_OPERAND_FLAGS) && reads_operand(o)) {
        add_pair(w, s, t, TACHO_PATH_REGISTER);
    }
}

static bool has_special_same_register(uint32_t form)
{
    for (size_t a = 0; a < tacho_arch_count(); a++) {
        tacho_figures f;
        if (tacho_form_figures(tacho_arch_get(a), form, &f))
            continue;
        if (f.has_same_register)
            return true;
        for (unsigned i = 0; i < f.latency_count; i++)
            if (f.latencies[i].same_register != TACHO_NO_LATENCY)
                return true;
    }
    return false;
}

static void add_same_register(work *w, const tacho_form *f)
{
    chain c;
    unsigned s = 0, t = 0;
    while (t < f->visible_count &&
           !(f->operands[t].kind == TACHO_OPERAND_REG && writes_operand(&f->operands[t])))
        t++;
    while (s < f->visible_count && (s == t || f->operands[s].kind != TACHO_OPERAND_REG))
        s++;
    if (s == f->visible_count || t == f->visible_count || !has_special_same_register(w->form) ||
        !chain_with_same_register(&c, w->form))
        return;
    tacho_measured_latency *l = next_latency(w, s, t, TACHO_PATH_SAME_REGISTER);
    if (!l)
        return;
    chain_text(&c, l->chain, sizeof l->chain);
    l->divided_by = 1;
    w->latency_task[w->out->latency_count - 1] = add_task(w, &c, TACHO_MODE_UNROLL, 1);
}

static void add_throughput(work *w)
{
    for (unsigned breaks = 0; breaks < THROUGHPUT_KINDS; breaks++) {
        chain c;
        w->throughput_task[breaks][0] = w->throughput_task[breaks][1] = NO_TASK;
        unsigned instances = chain_for_throughput(&c, w->form, breaks);
        if (!instances)
            continue;
        w->throughput_task[breaks][0] = add_task(w, &c, TACHO_MODE_UNROLL, instances);
        w->throughput_task[breaks][1] = add_task(w, &c, TACHO_MODE_LOOP, instances);
    }
}

static void plan_form(work *w, const tacho_form *f)
{
    for (unsigned i = 0; i < LINK_COUNT; i++)
        w->link_task[i] = NO_TASK;
    add_throughput(w);
    for (unsigned t = 0; t < f->operand_count; t++)
        for (unsigned s = 0; writes_operand(&f->operands[t]) && s < f->operand_count; s++)
            add_pairs_of(w, f, s, t);
    add_same_register(w, f);
}

/* ---- measuring ---- */

static bool is_final(const tacho_measurement *r)
{
    return r->status != TACHO_MEASURED_UNSTABLE && r->status != TACHO_MEASURED_TIMEOUT;
}

static void take_result(task *t, const tacho_measurement *r, bool first)
{
    bool better = is_final(r) || isnan(t->result.cycles) ||
                  (!isnan(r->cycles) && r->uncertainty < t->result.uncertainty);
    if (first || better)
        t->result = *r;
    t->done = is_final(r);
}

static int measure_mode(work *w, tacho_mode mode, bool first, tacho_error *err)
{
    tacho_measure_job jobs[MAX_TASKS];
    unsigned owners[MAX_TASKS], count = 0;
    tacho_measure_options options = TACHO_MEASURE_OPTIONS_INIT;
    uint64_t values[16] = {0};
    uint16_t mask;
    chain_values(w->form, values, &mask);
    options.mode = mode;
    options.quality = w->options->quality;
    options.known_values = values;
    options.known_mask = mask;
    for (unsigned i = 0; i < w->count; i++) {
        task *t = &w->tasks[i];
        if (t->done || t->mode != mode)
            continue;
        owners[count] = i;
        jobs[count++] = (tacho_measure_job){.code = t->code, .code_size = chain_bytes(&t->c, t->code)};
    }
    int failed = count ? tacho_measure_many(w->m, jobs, count, &options, err) : 0;
    for (unsigned i = 0; !failed && i < count; i++)
        take_result(&w->tasks[owners[i]], &jobs[i].result, first);
    return failed;
}

static bool all_done(const work *w)
{
    for (unsigned i = 0; i < w->count; i++)
        if (!w->tasks[i].done)
            return false;
    return true;
}

static int measure_all(work *w, tacho_error *err)
{
    int failed = 0;
    for (unsigned attempt = 0; !failed && attempt < w->options->attempts && !all_done(w); attempt++) {
        failed = measure_mode(w, TACHO_MODE_UNROLL, attempt == 0, err);
        if (!failed)
            failed = measure_mode(w, TACHO_MODE_LOOP, attempt == 0, err);
    }
    return failed;
}

/* ---- what follows ---- */

static bool has_time(const tacho_measurement *r)
{
    return r->status == TACHO_MEASURED_OK && !isnan(r->cycles);
}

static void no_time(const tacho_measurement *r, tacho_measure_status *status, char *why, size_t size)
{
    *status = r->status;
    snprintf(why, size, "%s%s%.150s", tacho_measure_status_name(r->status), *r->message ? ": " : "",
             r->message);
}

/* Instructions before the first instance, which each instance has. */
static void breaks_text(const chain *c, char *out, size_t size)
{
    chain before = *c;
    before.count = 0;
    while (before.count < c->count && c->steps[before.count].role != STEP_INSTANCE)
        before.count++;
    chain_text(&before, out, size);
}

static void take_throughput(work *w, const task *t)
{
    tacho_measured_throughput *out = &w->out->throughput;
    double cycles = t->result.cycles / t->instances;
    if (!walk_registers(t->c.steps, t->c.count).other && !(cycles >= w->independent))
        w->independent = cycles;
    /* More breaks must gain what is more than the noise. */
    if (!isnan(out->cycles) && !(cycles < out->cycles * 0.95))
        return;
    out->cycles = cycles;
    out->uncertainty = t->result.uncertainty * cycles;
    out->mode = t->mode;
    out->instances = t->instances;
    out->measurement = TACHO_MEASURED_OK;
    out->at_most = t->c.count > t->instances;
    out->why[0] = '\0';
    chain_text(&t->c, out->code, sizeof out->code);
    breaks_text(&t->c, out->breaks, sizeof out->breaks);
}

static void conclude_throughput(work *w)
{
    tacho_measured_throughput *out = &w->out->throughput;
    w->independent = NAN;
    for (unsigned i = 0; i < THROUGHPUT_KINDS * 2; i++) {
        int n = w->throughput_task[i / 2][i % 2];
        if (n == NO_TASK)
            continue;
        const task *t = &w->tasks[n];
        w->out->notes |= t->result.notes;
        if (has_time(&t->result))
            take_throughput(w, t);
        else if (isnan(out->cycles))
            no_time(&t->result, &out->measurement, out->why, sizeof out->why);
    }
    if (isnan(out->cycles) || !isnan(w->independent))
        return;
    out->at_most = true;
    snprintf(out->why, sizeof out->why, "each instance depends on another one");
}

/* What the links take. *whole: their time is known, not only its lower bound. @return false where one has no
 * stable time */
static bool links_time(const work *w, const chain *c, double *cycles, double *uncertainty, bool *whole)
{
    *cycles = *uncertainty = 0;
    *whole = true;
    for (unsigned part = 0; part < LINK_COUNT; part++) {
        if (!c->links[part] || part == LINK_MEMORY)
            continue;
        bool pair = part == LINK_TEST || part == LINK_MOVE_IF;
        if (part == LINK_FILE) {
            *cycles += c->links[part];
            *whole = false;
            continue;
        }
        int n = w->link_task[part];
        if (n == NO_TASK || !has_time(&w->tasks[n].result))
            return false;
        double time = w->tasks[n].result.cycles;
        /* Then it does not wait for its operand. */
        if (time < 0.9)
            return false;
        if (part == LINK_SHUFFLE || part == LINK_SHIFT_OUT)
            *whole = false;
        if (pair && fabs(time - 2) > 0.2)
            *whole = false;
        *cycles += c->links[part] * (pair ? 1 : time);
        *uncertainty += c->links[part] * (pair ? 0 : time * w->tasks[n].result.uncertainty);
    }
    return true;
}

static void set_at_most(tacho_measured_latency *l, const char *why)
{
    if (l->status != TACHO_LATENCY_OK)
        return;
    l->status = TACHO_LATENCY_AT_MOST;
    snprintf(l->why, sizeof l->why, "%s", why);
}

static void judge(const work *w, tacho_measured_latency *l, const chain *c, bool whole)
{
    double each = l->chain_cycles / l->divided_by;
    if (c->links[LINK_MEMORY]) {
        l->status = TACHO_LATENCY_ROUND_TRIP;
        snprintf(l->why, sizeof l->why, "a store and a load together");
    }
    if (l->path == TACHO_PATH_SAME_REGISTER)
        return;
    if (!c->exact)
        set_at_most(l, "another dependency of the loop may be longer");
    if (!whole)
        set_at_most(l, "of a link only a part of its time is known");
    if (each >= 1.5 && each <= w->independent * 1.1)
        set_at_most(l, "independent instances are no faster");
}

static void conclude_latency(const work *w, unsigned n)
{
    tacho_measured_latency *l = &w->out->latencies[n];
    if (w->latency_task[n] == NO_TASK) {
        if (l->status == TACHO_LATENCY_OK)
            l->status = TACHO_LATENCY_NO_CHAIN;
        return;
    }
    const task *t = &w->tasks[w->latency_task[n]];
    double uncertainty;
    bool whole;
    w->out->notes |= t->result.notes;
    if (!has_time(&t->result)) {
        l->status = TACHO_LATENCY_NOT_MEASURED;
        no_time(&t->result, &l->measurement, l->why, sizeof l->why);
        return;
    }
    l->chain_cycles = t->result.cycles;
    if (!links_time(w, &t->c, &l->subtracted, &uncertainty, &whole)) {
        l->status = TACHO_LATENCY_NOT_MEASURED;
        l->measurement = TACHO_MEASURED_UNSTABLE;
        snprintf(l->why, sizeof l->why, "a link of the loop has no stable time, or takes none");
        return;
    }
    l->cycles = (l->chain_cycles - l->subtracted) / l->divided_by;
    l->uncertainty = (t->result.uncertainty * l->chain_cycles + uncertainty) / l->divided_by;
    if (l->subtracted > 0 && l->cycles < 0.3) {
        l->status = TACHO_LATENCY_INDEPENDENT;
        l->cycles = l->uncertainty = NAN;
        snprintf(l->why, sizeof l->why,
                 "the loop is no slower than its links: here the target does not wait");
        return;
    }
    judge(w, l, &t->c, whole);
    if (l->cycles < 0.9 && !*l->why)
        snprintf(l->why, sizeof l->why, "less than a cycle: %s",
                 l->subtracted > 0 ? "the links take less here than in their own loop"
                                   : "eliminated at rename, or the target does not wait");
}

static void conclude(work *w)
{
    conclude_throughput(w);
    for (unsigned i = 0; i < w->out->latency_count; i++)
        conclude_latency(w, i);
    bool ran = false;
    const tacho_measurement *shown = NULL;
    for (unsigned i = 0; i < w->count; i++) {
        const tacho_measurement *r = &w->tasks[i].result;
        bool it_ran = r->status == TACHO_MEASURED_OK || r->status == TACHO_MEASURED_UNSTABLE;
        bool is_link = false;
        for (unsigned part = 0; part < LINK_COUNT; part++)
            is_link |= w->link_task[part] == (int)i;
        ran |= it_ran && !is_link;
        if (!it_ran && !shown)
            shown = r;
    }
    w->out->runs = ran;
    if (!ran && shown)
        snprintf(w->out->why, sizeof w->out->why, "%s%s%.150s", tacho_measure_status_name(shown->status),
                 *shown->message ? ": " : "", shown->message);
}

static void describe_values(tacho_characterisation *out)
{
    uint64_t values[16];
    uint16_t mask;
    chain_values(out->form, values, &mask);
    bool memory = tacho_kind_is_memory(instance_kind(out->form, 0));
    if (chain_divides(out->form) && !memory)
        snprintf(out->values, sizeof out->values, "dividend 0x12340678 (or 0x12600600), divisor 0x%llx",
                 (unsigned long long)values[3]);
    else if (chain_divides(out->form))
        snprintf(
            out->values, sizeof out->values,
            "dividend 0x12340678 (or 0x12600600), divisor from memory: 0x20000000 and above, 0x20 in a byte");
    else if (out->notes & TACHO_MEASURE_INPUT_DEPENDENT)
        snprintf(out->values, sizeof out->values,
                 "from 1.875 and 1 (float), 1.0000002 (double), and what the loop makes of them");
}

static bool has_count(const tacho_insn *insn, const char **why)
{
    *why = "takes as long as its count says";
    return insn->rep || insn->repne;
}

int tacho_characterise(tacho_measurer *m, uint32_t form, const tacho_characterise_options *options,
                       tacho_characterisation *out, tacho_error *err)
{
    static const tacho_characterise_options defaults = TACHO_CHARACTERISE_OPTIONS_INIT;
    work w = {.m = m, .form = form, .options = options ? options : &defaults, .out = out};
    tacho_form f;
    instance_choice choice;
    tacho_insn insn;
    const char *why;
    if (tacho_form_get(form, &f))
        return tacho_error_set(err, TACHO_ERR_USAGE, "no such form");
    if (w.options->attempts < 1 || w.options->attempts > 20)
        return tacho_error_set(err, TACHO_ERR_USAGE, "attempts: 1 to 20");
    memset(out, 0, sizeof *out);
    out->form = form;
    out->throughput.cycles = out->throughput.uncertainty = NAN;
    instance_defaults(&choice, form);
    if (instance_make(&insn, form, &choice, &why) || has_count(&insn, &why)) {
        snprintf(out->why, sizeof out->why, "%s", why);
        return TACHO_OK;
    }
    w.tasks = tacho_mem_zalloc(MAX_TASKS, sizeof *w.tasks);
    if (!w.tasks)
        return tacho_error_set(err, TACHO_ERR_MEMORY, "out of memory");
    plan_form(&w, &f);
    int failed = measure_all(&w, err);
    if (!failed) {
        conclude(&w);
        describe_values(out);
    }
    tacho_mem_free(w.tasks);
    return failed;
}
