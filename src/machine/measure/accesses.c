/* accesses.c - which memory a block touches, from the registers before each of its single-stepped
 * instructions, and what of it breaks the assumptions of throughput predictors (BHive, section III; uiCA
 * paper, section 5.1). */

#include "base/hash.h"
#include "machine/measure/measure_block.h"
#include "x86/decode/regs.h"

enum {
    MAX_ACCESSES = 4096,
    LINE = 64,
    WINDOW = 64 /* stores before a load that it may still meet in the store buffer */
};

typedef struct access {
    uint64_t address, physical; /* where it begins */
    uint16_t bytes, insn;
    bool write;
} access;

/* What ran, and what it did. */
typedef struct run_view {
    const codegen_block *code;
    const runner_plan *plan;
    const runner_report *report;
} run_view;

typedef struct accesses {
    access list[MAX_ACCESSES];
    size_t count;
    bool incomplete;
} accesses;

/* In the block's physical pages: see map_page (runner.c). */
static uint64_t physical(const run_view *v, uint64_t address)
{
    uint32_t i = 0;
    while (i < v->report->fault_count && v->report->faults[i] != address - address % RUNNER_PAGE)
        i++;
    return (uint64_t)i % v->plan->data_pages * RUNNER_PAGE + address % RUNNER_PAGE;
}

static void add(accesses *a, const run_view *v, access x)
{
    x.physical = physical(v, x.address);
    if (a->count == MAX_ACCESSES)
        a->incomplete = true;
    else
        a->list[a->count++] = x;
}

static void add_step(accesses *a, const run_view *v, size_t i, const uint64_t gpr[16])
{
    const codegen_block *b = v->code;
    const runner_plan *plan = v->plan;
    const tacho_insn *insn = &b->insns[i];
    address_registers known = {.fs_base = plan->fs_base, .gs_base = plan->gs_base};
    memcpy(known.gpr, gpr, sizeof known.gpr);
    a->incomplete |= insn->rep || insn->repne;
    for (const tacho_operand *o = insn->operands; o < insn->operands + insn->operand_count; o++) {
        if (o->kind != TACHO_OPERAND_MEM)
            continue;
        if (o->mem.vsib || !o->width_bits) {
            a->incomplete = true;
            continue;
        }
        uint64_t address =
            o->mem.base.class_ == TACHO_REG_RIP ? codegen_rip_target(b, i) : tacho_operand_address(o, &known);
        if (o->access & TACHO_READ)
            add(a, v, (access){address, 0, o->width_bits / 8, (uint16_t)i, false});
        if (o->access & TACHO_WRITE)
            add(a, v, (access){address, 0, o->width_bits / 8, (uint16_t)i, true});
    }
}

static long insn_at(const codegen_block *b, uint64_t offset)
{
    for (size_t i = 0; i < b->count; i++)
        if (b->offsets[i] == offset)
            return (long)i;
    return -1;
}

static void collect(accesses *a, const run_view *v)
{
    const codegen_block *b = v->code;
    const runner_report *r = v->report;
    uint64_t size = b->offsets[b->count - b->drop_last];
    a->count = 0;
    a->incomplete = false;
    for (uint32_t s = 0; size && s < r->step_count && s < RUNNER_MAX_STEPS; s++) {
        long i = insn_at(b, (r->steps[s].rip - b->trace_start) % size);
        if (i >= 0)
            add_step(a, v, (size_t)i, r->steps[s].gpr);
    }
}

static bool meet(uint64_t a, unsigned a_bytes, uint64_t b, unsigned b_bytes)
{
    return a < b + b_bytes && b < a + a_bytes;
}

/* A load and an earlier store. */
static uint32_t pair_notes(const access *load, const access *store, bool *alias)
{
    if (meet(load->address, load->bytes, store->address, store->bytes)) {
        *alias = true;
        bool contained =
            store->address <= load->address && load->address + load->bytes <= store->address + store->bytes;
        return contained ? 0 : TACHO_MEASURE_FORWARDING_FAILS;
    }
    *alias = meet(load->physical, load->bytes, store->physical, store->bytes);
    return *alias ? TACHO_MEASURE_ALIASING : 0;
}

static uint32_t load_notes(const accesses *a, size_t load, uint64_t *pattern)
{
    size_t seen = 0;
    for (size_t s = load; s-- > 0 && seen < WINDOW;) {
        if (!a->list[s].write)
            continue;
        bool alias;
        uint32_t notes = pair_notes(&a->list[load], &a->list[s], &alias);
        seen++;
        if (alias) { /* the youngest older store is the one that matters */
            *pattern = hash_add(*pattern, (uint64_t)a->list[load].insn << 32 | a->list[s].insn << 16 | seen);
            return notes;
        }
    }
    return 0;
}

uint32_t measure_access_notes(const codegen_block *b, const runner_plan *plan, const runner_report *r,
                              uint64_t *pattern)
{
    static _Thread_local accesses a;
    uint32_t notes = 0;
    *pattern = 0;
    collect(&a, &(run_view){b, plan, r});
    for (size_t i = 0; i < a.count; i++) {
        const access *x = &a.list[i];
        if (x->address % LINE + x->bytes > LINE)
            notes |= TACHO_MEASURE_LINE_CROSSING;
        if (x->address % RUNNER_PAGE + x->bytes > RUNNER_PAGE)
            notes |= TACHO_MEASURE_PAGE_CROSSING;
        if (!x->write)
            notes |= load_notes(&a, i, pattern);
    }
    if (a.incomplete)
        notes |= TACHO_MEASURE_NOT_TRACED;
    return notes;
}
