/* prepare.c - how one block is to be run: its mode, its loop's counter, the registers before it. */
#include <math.h>
#include <stdio.h>

#include "machine/measure/job.h"
#include "x86/decode/danger.h"
#include "x86/decode/regs.h"

/* Depth of the x87 stack before the block so that it neither under- nor overflows. */
static void plan_x87(job *j)
{
    x87_stack stack = {0};
    for (size_t i = 0; i < j->block.count; i++)
        tacho_x87_stack_step(&stack, &j->block.insns[i]);
    j->code.x87_depth = j->block.uses_mmx ? 0 : stack.lowest < -8 ? 8 : (unsigned)-stack.lowest;
    if (tacho_x87_stack_is_unbalanced(&stack))
        j->block.notes |= TACHO_MEASURE_X87_UNBALANCED;
}

/* A vector register below 16 that the block leaves alone, and that is not `taken`; 16: none. */
static unsigned free_vector_register(const job *j, unsigned taken)
{
    unsigned n = 16;
    while (n && ((j->block.vectors_used >> (n - 1) & 1) || n - 1 == taken))
        n--;
    return n ? n - 1 : 16;
}

/* Where the runner keeps what the block must not change. */
static void choose_home(job *j, bool has_sse41)
{
    const unsigned n = has_sse41 ? free_vector_register(j, 16) : 16;
    j->code.home = n < 16 ? (uint8_t)n : CODEGEN_HOME_MMX;
    if (n == 16 && j->block.uses_x87)
        job_stop(j, TACHO_MEASURED_UNSUPPORTED, -1,
                 "the block uses all vector registers and x87 or MMX: none is left to measure it with");
}

static uint8_t choose_counter(job *j)
{
    const uint8_t general = tacho_free_general_register(j->block.gprs_used);
    if (general != NO_FREE_REGISTER)
        return general;
    const unsigned vector = j->code.home < 16 ? free_vector_register(j, j->code.home) : 16;
    if (vector == 16)
        job_stop(j, TACHO_MEASURED_UNSUPPORTED, -1,
                 "the block uses all registers: none is left to count its iterations with");
    else if (j->out->mode == TACHO_MODE_LOOP)
        j->block.notes |= TACHO_MEASURE_COUNTER_IN_VECTOR;
    return (uint8_t)(RUNNER_COUNTER_VECTOR + vector);
}

void job_add_counter(job *j)
{
    codegen_block *c = &j->code;
    c->own_branch = false;
    c->drop_last = j->block.ends_in_branch;
    j->own.counted = false;
    c->counter = choose_counter(j);
    if (c->drop_last)
        j->block.notes |= TACHO_MEASURE_BRANCH_REPLACED;
}

static void plan_loop(job *j)
{
    uint64_t gpr[16];
    codegen_block *c = &j->code;
    c->in_loop = true;
    measure_initial_registers(gpr, j->options);
    j->own.counted = false;
    if (measure_block_is_loop(&j->block))
        j->own = measure_own_loop(&j->block, gpr);
    /* A register that the user set is not ours to choose. */
    if (j->own.counted && j->own.most >= JOB_OWN_LOOP_LEAST && !(j->options->known_mask >> j->own.reg & 1)) {
        c->own_branch = true;
        c->counter = j->own.reg;
    } else
        job_add_counter(j);
}

/* Whether an iteration reads flags, other than the carry, that the one before has left. */
static bool hands_on_flags(const measure_block *b)
{
    uint8_t written = TACHO_FLAG_C;
    for (size_t i = 0; i < b->count; i++) {
        if (b->insns[i].flags_read & ~written)
            return true;
        written |= b->insns[i].flags_written;
    }
    return false;
}

/* Without the sled the copies are repeated, so that the state of the µop cache is the same in both runs; but
 * not where the loop's DEC would end a chain through the flags. */
static void plan_unrolled(const tacho_measurer *m, job *j)
{
    if (j->block.ends_in_branch)
        j->block.notes |= TACHO_MEASURE_BRANCH_KEPT_INSIDE;
    j->code.sled = m->is_intel;
    j->code.in_loop = !m->is_intel && !hands_on_flags(&j->block);
    if (j->code.in_loop)
        j->code.counter = choose_counter(j);
}

static void note_accesses(job *j)
{
    bool loads = false, stores = false;
    for (size_t i = 0; i < j->block.count; i++) {
        loads |= insn_accesses_memory(&j->block.insns[i], TACHO_READ);
        stores |= insn_accesses_memory(&j->block.insns[i], TACHO_WRITE);
    }
    j->accesses = loads && stores;
}

/* AMD's first-level cache takes a load for a miss at first where another linear address used the line last:
 * pages that share memory are not what programs have. Intel's does not mind: a walk through memory may go on
 * through shared pages, which are in that cache, as far as the TLB reaches. */
static void plan_pages(const tacho_measurer *m, job *j)
{
    j->physical = j->options->pages ? j->options->pages : m->own_pages;
    j->room = j->physical > 1 && !m->is_intel ? j->physical : JOB_TLB_PAGES;
}

int job_prepare(const tacho_measurer *m, job *j, const uint8_t *code, size_t size,
                const tacho_measure_options *options, tacho_error *err)
{
    tacho_measurement *out = j->out;
    j->options = options;
    *out = (tacho_measurement){.status = TACHO_MEASURED_OK,
                               .cycles = NAN,
                               .uncertainty = NAN,
                               .low = NAN,
                               .high = NAN,
                               .clock = m->clock.clock,
                               .offset = -1,
                               .core_clock = NAN};
    int failed = measure_block_make(&j->block, code, size, options->listing, out, err);
    if (failed)
        return failed;
    const measure_block *b = &j->block;
    out->mode = options->mode != TACHO_MODE_AUTO ? options->mode
                : b->ends_in_branch              ? TACHO_MODE_LOOP
                                                 : TACHO_MODE_UNROLL;
    if (out->status != TACHO_MEASURED_OK) {
        j->done = true;
        return 0;
    }
    if (b->uses_zmm && !m->has_avx512) {
        job_stop(j, TACHO_MEASURED_UNSUPPORTED, -1,
                 "the block needs AVX-512, which this processor does not have");
        return 0;
    }
    j->code = (codegen_block){.insns = b->insns,
                              .offsets = b->offsets,
                              .count = b->count,
                              .counter = RUNNER_COUNTER_NONE,
                              .rdpmc = m->clock.clock == TACHO_CLOCK_PERF,
                              .wide_masks = m->has_wide_masks,
                              .vectors = b->uses_zmm   ? CODEGEN_ZMM
                                         : b->uses_ymm ? CODEGEN_YMM
                                         : m->has_avx  ? CODEGEN_XMM_VEX
                                                       : CODEGEN_XMM};
    j->code.data_start = RUNNER_RIP_DATA + codegen_data_offset(&j->code);
    j->code.return_address = child_return_address();
    plan_pages(m, j);
    plan_x87(j);
    choose_home(j, m->has_sse41);
    if (out->mode == TACHO_MODE_LOOP)
        plan_loop(j);
    else
        plan_unrolled(m, j);
    if (j->code.drop_last && b->count == 1)
        job_stop(j, TACHO_MEASURED_REJECTED, 0, "the loop has nothing but a branch that cannot be counted");
    note_accesses(j);
    return 0;
}

void job_free(job *j)
{
    measure_block_free(&j->block);
}
