/* measure_block.c - decodes a block that is to be measured and decides whether it may run.
 *
 * Every instruction is looked at; control never leaves the decoded instructions: branches are direct, and go
 * to the start of one of them or out of the block, where codegen.c redirects them. So what the sandbox has to
 * stop is what should not be possible. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "machine/measure/measure_block.h"
#include "x86/decode/danger.h"
#include "x86/decode/regs.h"
#include "x86/decode/written.h"

enum {
    SAME = 0x12345600 /* what every register and word holds with TACHO_INIT_SAME, as with BHive's profiler */
};

void measure_block_free(measure_block *b)
{
    tacho_mem_free(b->insns);
    tacho_mem_free(b->offsets);
    memset(b, 0, sizeof *b);
}

static void use_reg(measure_block *b, tacho_reg reg)
{
    switch (reg.class_) {
    case TACHO_REG_XMM:
        b->uses_zmm |= reg.number > 15;
        break;
    case TACHO_REG_YMM:
        b->uses_ymm = true;
        b->uses_zmm |= reg.number > 15;
        break;
    case TACHO_REG_ZMM:
    case TACHO_REG_K:
        b->uses_zmm = true;
        break;
    case TACHO_REG_MM:
        b->uses_mmx = true;
        break;
    default:
        break;
    }
}

static void note_registers(measure_block *b, const tacho_insn *insn)
{
    b->gprs_used |= tacho_insn_general_registers(insn);
    b->gprs_written |= tacho_insn_general_written(insn);
    b->vectors_used |= tacho_insn_vectors_used(insn);
    b->uses_x87 |= tacho_insn_touches_x87(insn);
    for (const tacho_operand *o = insn->operands; o < insn->operands + insn->operand_count; o++) {
        if (o->kind == TACHO_OPERAND_REG)
            use_reg(b, o->reg);
        if (o->kind == TACHO_OPERAND_MEM || o->kind == TACHO_OPERAND_AGEN)
            use_reg(b, o->mem.index);
    }
}

static void note_kind(measure_block *b, const tacho_insn *insn)
{
    decode_timing timing = tacho_decode_input_timing(insn);
    if (timing == DECODE_TIMING_VALUES)
        b->notes |= TACHO_MEASURE_INPUT_DEPENDENT;
    if (timing == DECODE_TIMING_INTERCEPTED)
        b->notes |= TACHO_MEASURE_INTERCEPTED;
}

static int reject(measure_block *b, size_t i, const char *why)
{
    char text[96];
    tacho_listing_write(b->listing, &b->insns[i], b->offsets[i], text, sizeof text);
    b->out->status = TACHO_MEASURED_REJECTED;
    b->out->offset = b->offsets[i];
    snprintf(b->out->message, sizeof b->out->message, "'%s' %s: not run", text, why);
    return 0;
}

static int decode_all(measure_block *b, const uint8_t *code, size_t size, tacho_error *err)
{
    size_t insn_capacity = 0, offset_capacity = 0;
    for (size_t at = 0; at < size;) {
        if (b->count >= TACHO_MEASURE_MAX_INSTRUCTIONS)
            return tacho_error_set(err, TACHO_ERR_LIMIT, "more than %d instructions: choose a part of them",
                                   TACHO_MEASURE_MAX_INSTRUCTIONS);
        if (tacho_mem_grow(&b->insns, &insn_capacity, b->count + 1, sizeof *b->insns) ||
            tacho_mem_grow(&b->offsets, &offset_capacity, b->count + 2, sizeof *b->offsets))
            return tacho_no_memory(err);
        int failed = tacho_decode(&b->insns[b->count], code + at, size - at, err);
        if (failed) {
            if (err)
                err->offset = (int64_t)at;
            return failed;
        }
        b->offsets[b->count] = (uint32_t)at;
        at += b->insns[b->count++].length;
        b->offsets[b->count] = (uint32_t)at;
    }
    return 0;
}

static bool branch_target(const measure_block *b, size_t i, int64_t *target)
{
    const tacho_insn *insn = &b->insns[i];
    for (int k = 0; k < insn->visible_count; k++)
        if (insn->operands[k].kind == TACHO_OPERAND_REL) {
            *target = (int64_t)b->offsets[i] + insn->length + insn->operands[k].imm;
            return true;
        }
    return false;
}

static bool is_start(const measure_block *b, int64_t offset)
{
    for (size_t i = 0; i <= b->count; i++)
        if (b->offsets[i] == offset)
            return true;
    return false;
}

/* @return false with the status when the block must not run */
static bool check_branch(measure_block *b, size_t i)
{
    int64_t target;
    if (!b->insns[i].is_branch || !branch_target(b, i, &target))
        return true;
    bool inside = target >= 0 && target <= (int64_t)b->offsets[b->count];
    if (inside && !is_start(b, target)) {
        reject(b, i, "jumps into the middle of an instruction");
        return false;
    }
    if (i + 1 < b->count && (!inside || target == 0))
        b->notes |= TACHO_MEASURE_BRANCH_KEPT_INSIDE;
    return true;
}

bool measure_branch_stays(const measure_block *b, size_t i)
{
    int64_t target;
    return branch_target(b, i, &target) && target > 0 && target <= (int64_t)b->offsets[b->count] &&
           target != (int64_t)b->offsets[i + 1];
}

bool measure_block_is_loop(const measure_block *b)
{
    int64_t target;
    const tacho_insn *last = &b->insns[b->count - 1];
    return last->is_branch && branch_target(b, b->count - 1, &target) && target == 0;
}

int measure_block_make(measure_block *b, const uint8_t *code, size_t size, const tacho_listing *listing,
                       tacho_measurement *out, tacho_error *err)
{
    *b = (measure_block){.listing = listing, .out = out};
    if (!size)
        return tacho_error_set(err, TACHO_ERR_INPUT, "no code");
    if (size > TACHO_MEASURE_MAX_BYTES)
        return tacho_error_set(err, TACHO_ERR_LIMIT,
                               "a block of %zu bytes; at most %d can be measured: choose a part of it", size,
                               TACHO_MEASURE_MAX_BYTES);
    int failed = decode_all(b, code, size, err);
    if (failed)
        return failed;
    b->ends_in_branch = b->insns[b->count - 1].is_branch;
    for (size_t i = 0; i < b->count; i++) {
        const char *danger = tacho_decode_danger(&b->insns[i]);
        if (danger)
            return reject(b, i, danger);
        if (!check_branch(b, i))
            return 0;
        note_registers(b, &b->insns[i]);
        note_kind(b, &b->insns[i]);
    }
    return 0;
}

void measure_initial_registers(uint64_t gpr[16], const tacho_measure_options *options)
{
    enum {
        FIRST = 0x12000000, /* registers in steps that keep them apart in every page and line ... */
        STEP = 0x00100100   /* ... each in 256 bytes of its own modulo a page */
    };
    for (unsigned i = 0; i < 16; i++) {
        gpr[i] = options->init == TACHO_INIT_SAME ? SAME : (uint64_t)(FIRST + i * STEP);
        if (options->known_mask >> i & 1)
            gpr[i] = options->known_values[i];
    }
}

void measure_initial_state(runner_plan *plan, const tacho_measure_options *options)
{
    enum {
        WORDS = 0x20000000, /* distinct words of memory: pointers to the 64 lines of one page */
        MXCSR = 0x9fc0,     /* all exceptions masked, subnormals flushed and taken as zero */
        FLAGS = 0x202,
        SEGMENT = 0x30000000
    };
    const uint64_t normal = 0x3ff0000000000000u + 0x3f800000u; /* normal as one double and as two floats */
    const double one = 1.0;
    measure_initial_registers(plan->context.gpr, options);
    for (size_t at = 0; at < sizeof plan->image; at += sizeof(uint64_t)) {
        uint64_t word =
            options->init == TACHO_INIT_SAME ? SAME : (uint64_t)(WORDS + at / sizeof word % 64 * 64);
        memcpy(plan->image + at, &word, sizeof word);
    }
    for (unsigned i = 0; i < 32; i++)
        for (unsigned lane = 0; lane < 64; lane += 8)
            memcpy(plan->context.vectors[i] + lane, &normal, sizeof normal);
    for (unsigned i = 0; i < 8; i++)
        plan->context.masks[i] = UINT64_MAX;
    memcpy(&plan->context.x87_value, &one, sizeof one);
    plan->context.ones[0] = 1;
    plan->context.mxcsr = MXCSR;
    plan->context.flags = FLAGS;
    plan->fs_base = SEGMENT;
    plan->gs_base = SEGMENT + 0x1000000;
}
