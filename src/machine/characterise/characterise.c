/* characterise.c - which loops are measured of a form, and measuring them.
 *
 * All loops are measured in one go, so that what disturbs the machine for a moment does not spoil all loops
 * of one kind; those without a stable time are measured again. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/names.h"
#include "base/options_take.h"
#include "machine/characterise/work.h"
#include "x86/arch/arch_struct.h"

/* So long that the op cache of Zen 5, which gives twelve instructions of a line at once, does not limit. */
static const uint8_t nop[NOP_BYTES] = {0x0f, 0x1f, 0x44, 0x00, 0x00};

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

/* Where vectors are computed, the same once more with NOPs between: on Zen 5 what wakes another instruction
 * is a cycle late while many wait in the schedulers, and a chain alone fills them. */
static int add_spaced(work *w, const chain *c)
{
    bool vectors = false;
    unsigned computing = 0;
    for (unsigned i = 0; i < c->count; i++) {
        carriers reads, writes;
        walk_accesses(&c->steps[i].insn, &reads, &writes);
        computing += c->steps[i].role != STEP_BREAK;
        for (unsigned k = CARRIER_VECTOR; k < CARRIER_ST; k++)
            vectors |= carriers_has(&writes, k);
    }
    int n = vectors ? add_task(w, c, TACHO_MODE_UNROLL, 1) : NO_TASK;
    if (n != NO_TASK)
        w->tasks[n].spaces = computing * SPACED > c->count ? computing * SPACED - c->count : 0;
    return n;
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
    w->spaced_task[w->out->latency_count] = NO_TASK;
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
        if (w->link_task[part] != NO_TASK)
            w->spaced_link_task[part] = add_spaced(w, &own);
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
    chain_format(&c, l->chain, sizeof l->chain);
    l->divided_by = c.traversals;
    w->latency_task[w->out->latency_count - 1] = add_task(w, &c, TACHO_MODE_UNROLL, 1);
    w->spaced_task[w->out->latency_count - 1] = add_spaced(w, &c);
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
    chain_format(&c, l->chain, sizeof l->chain);
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
        w->link_task[i] = w->spaced_link_task[i] = NO_TASK;
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
        size_t size = chain_bytes(&t->c, t->code);
        for (unsigned n = 0; n < t->spaces; n++, size += NOP_BYTES)
            memcpy(t->code + size, nop, NOP_BYTES);
        jobs[count++] = (tacho_measure_job){.code = t->code, .code_size = size};
    }
    int failed = count ? w->time(w->payload, jobs, count, &options, err) : 0;
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
        failed = measure_mode(w, TACHO_MODE_UNROLL, attempt == 0, err)
                     ?: measure_mode(w, TACHO_MODE_LOOP, attempt == 0, err);
    }
    return failed;
}

static bool has_count(const tacho_insn *insn, const char **why)
{
    *why = "takes as long as its count says";
    return insn->rep || insn->repne;
}

OPTIONS_DEFINE(characterise, TACHO_CHARACTERISE_OPTIONS_INIT)

int tacho_characterise_by(tacho_time_blocks *time, void *payload, uint32_t form,
                          const tacho_characterise_options *options, tacho_characterisation *out,
                          tacho_error *err)
{
    tacho_characterise_options o;
    work w = {.time = time, .payload = payload, .form = form, .options = &o, .out = out};
    tacho_form f;
    instance_choice choice;
    tacho_insn insn;
    const char *why;
    int failed = OPTIONS_TAKE(characterise, &o, options, err);
    if (failed)
        return failed;
    if (tacho_form_get(form, &f))
        return tacho_error_set(err, TACHO_ERR_USAGE, "no such form");
    if (o.attempts > 20)
        return tacho_error_set(err, TACHO_ERR_USAGE, "attempts: at most 20");
    if (!o.attempts)
        o.attempts = o.quality == TACHO_QUALITY_QUICK ? 2 : 6;
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
        return tacho_no_memory(err);
    plan_form(&w, &f);
    failed = measure_all(&w, err);
    if (!failed)
        characterise_conclude(&w);
    tacho_mem_free(w.tasks);
    return failed;
}

static int measure_blocks(void *payload, tacho_measure_job *jobs, size_t count,
                          const tacho_measure_options *options, tacho_error *err)
{
    return tacho_measure_many(payload, jobs, count, options, err);
}

int tacho_characterise(tacho_measurer *m, uint32_t form, const tacho_characterise_options *options,
                       tacho_characterisation *out, tacho_error *err)
{
    return tacho_characterise_by(measure_blocks, m, form, options, out, err);
}

/* Names of statuses and paths, and the forms that are worth checking on any machine:
 * what most code consists of, at least one for each kind of execution unit. */

NAMES_OF(tacho_latency_status_name, tacho_latency_status, "unknown", "ok", "at-most", "round-trip",
         "independent", "no-chain", "not-measured")

NAMES_OF(tacho_path_name, tacho_path, "unknown", "register", "address", "address-index", "memory",
         "same-register")

const char *tacho_check_form(size_t n)
{
    static const char *const forms[] = {
        /* scalar arithmetic and logic */
        "ADD (R64, R64)", "ADD (R64, I8)", "SUB (R32, R32)", "XOR (R64, R64)", "INC (R64)", "NEG (R64)",
        "CMP (R64, R64)", "TEST (R64, R64)", "ADC (R64, R64)", "SBB (R64, R64)", "MOV (R64, R64)",
        "MOVZX (R32, R8l)", "MOVSX (R64, R8l)", "BSWAP (R64)", "XCHG (R64, R64)",
        /* shifts and bits */
        "SHL (R64, I8)", "SHL (R64, CL)", "SHLX (R64, R64, R64)", "ROL (R64, I8)", "SHLD (R64, R64, I8)",
        "POPCNT (R64, R64)", "LZCNT (R64, R64)", "TZCNT (R64, R64)", "BSF (R64, R64)", "ANDN (R64, R64, R64)",
        "PDEP (R64, R64, R64)",
        /* multiplication, division */
        "IMUL (R64, R64)", "IMUL (R32, R32)", "MUL (R64)", "DIV (R32)", "DIV (R64)",
        /* addresses, conditions */
        "LEA_B_D8 (R64)", "LEA_B_I (R64)", "LEA_B_IS_D8 (R64)", "CMOVZ (R64, R64)", "CMOVBE (R64, R64)",
        "SETZ (R8l)",
        /* loads and stores */
        "MOV (R64, M64)", "MOV (M64, R64)", "MOVZX (R32, M8)", "ADD (R64, M64)", "ADD (M64, R64)",
        "MOVUPS (XMM, M128)", "MOVUPS (M128, XMM)",
        /* floating point */
        "ADDPD (XMM, XMM)", "MULPD (XMM, XMM)", "ADDSS (XMM, XMM)", "DIVSD (XMM, XMM)", "SQRTSD (XMM, XMM)",
        "VADDPS (YMM, YMM, YMM)", "VFMADD231PD (YMM, YMM, YMM)", "VDIVPD (YMM, YMM, YMM)",
        "UCOMISD (XMM, XMM)",
        /* vector integers, shuffles */
        "PADDD (XMM, XMM)", "VPADDD (YMM, YMM, YMM)", "VPMULLD (YMM, YMM, YMM)", "PMADDWD (XMM, XMM)",
        "PXOR (XMM, XMM)", "PSHUFB (XMM, XMM)", "PSHUFD (XMM, XMM, I8)", "VPERMD (YMM, YMM, YMM)",
        "VINSERTI128 (YMM, YMM, XMM, I8)", "VPBLENDVB (YMM, YMM, YMM, YMM)", "AESENC (XMM, XMM)",
        "PCLMULQDQ (XMM, XMM, I8)",
        /* between files, conversions, gathers */
        "MOVD (R32, XMM)", "MOVD (XMM, R32)", "PMOVMSKB (R32, XMM)", "CVTSI2SD (XMM, R64)",
        "CVTTSD2SI (R64, XMM)", "CVTPS2PD (XMM, XMM)", "VPGATHERDD (YMM, VSIB_YMM, YMM)",
        /* AVX-512 */
        "VPADDD (ZMM, ZMM, ZMM)", "VFMADD231PS (ZMM, ZMM, ZMM)", "VPTERNLOGD (ZMM, ZMM, ZMM, I8)",
        "VPERMB (ZMM, ZMM, ZMM)", "VPCMPEQD (K, ZMM, ZMM)", "KANDW (K, K, K)"};
    return n < sizeof forms / sizeof *forms ? forms[n] : NULL;
}
