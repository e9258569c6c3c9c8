/* filter.c - which blocks are out of scope for judging predictors, and why: the filters of the uiCA paper,
 * section 5.1, and of BHive, section III, as far as they can be told from the bytes. What only a measurement
 * shows (misses of the caches and the TLB, accesses across lines, instability) is in the notes and the status
 * of tacho measure. */
#include <string.h>

#include "base/mem.h"
#include "base/options_take.h"
#include "model/block/addresses.h"
#include "tacho/insndb.h"
#include "tacho/suite.h"
#include "x86/arch/arch_struct.h"
#include "x86/decode/danger.h"
#include "x86/decode/encode.h"
#include "x86/decode/insn_struct.h"
#include "x86/decode/regs.h"
#include "x86/insndb/key.h"

static const struct {
    const char *name, *text;
} reasons[TACHO_REASON_COUNT] = {
    [TACHO_REASON_UNDECODABLE] = {"undecodable", "bytes that are no instruction"},
    [TACHO_REASON_TOO_LONG] = {"too-long", "too many instructions or bytes"},
    [TACHO_REASON_TOO_MANY_ACCESSES] = {"accesses", "too many memory operands"},
    [TACHO_REASON_SYSTEM] = {"system", "privileged, or not on the list of what tacho measure runs"},
    [TACHO_REASON_CONTROL_FLOW] = {"control-flow", "a call, return, system call, or a branch before the end"},
    [TACHO_REASON_UNSUPPORTED] = {"unsupported", "the core does not have an instruction"},
    [TACHO_REASON_X87] = {"x87", "repeated, the x87 stack over- or underflows"},
    [TACHO_REASON_TIMING] = {"timing", "the time depends on values: division, square root, rep, cpuid ..."},
    [TACHO_REASON_ALIASING] = {"aliasing", "it depends on the inputs whether a load reads what was stored"},
    [TACHO_REASON_BANK_CONFLICT] = {"bank-conflict", "it depends on the inputs whether loads conflict"},
    [TACHO_REASON_STORE_PAIRING] = {"store-pairing", "it depends on the inputs whether stores pair"},
};

const char *tacho_suite_reason_name(tacho_suite_reason reason)
{
    return reasons[reason].name;
}

const char *tacho_suite_reason_text(tacho_suite_reason reason)
{
    return reasons[reason].text;
}

typedef struct filter {
    tacho_suite_verdict *out;
    const tacho_suite_filter_options *options;
    const uint8_t *code;
    size_t size;
    tacho_insn *insns;
    uint32_t *ends; /* offsets behind them */
    size_t insn_capacity, end_capacity;
    uint32_t count;
} filter;

static bool wanted(const filter *f, tacho_suite_reason reason)
{
    return f->options->reasons >> reason & 1;
}

static void reject(filter *f, tacho_suite_reason reason, int64_t offset)
{
    if (!wanted(f, reason) || (f->out->reasons >> reason & 1))
        return;
    f->out->reasons |= 1u << reason;
    f->out->offset[reason] = offset;
}

static int64_t start_of(const filter *f, uint32_t insn)
{
    return insn ? f->ends[insn - 1] : 0;
}

/* ---- the instructions ---- */

/* @return 0 also where the bytes are no instructions; TACHO_ERR_MEMORY */
static int decode_all(filter *f, tacho_error *err)
{
    for (size_t at = 0; at < f->size;) {
        if (tacho_mem_grow(&f->insns, &f->insn_capacity, f->count + 1, sizeof *f->insns) ||
            tacho_mem_grow(&f->ends, &f->end_capacity, f->count + 1, sizeof *f->ends))
            return tacho_no_memory(err);
        if (tacho_decode(&f->insns[f->count], f->code + at, f->size - at, NULL)) {
            reject(f, TACHO_REASON_UNDECODABLE, (int64_t)at);
            f->count = 0;
            return 0;
        }
        at += f->insns[f->count].length;
        f->ends[f->count++] = (uint32_t)at;
    }
    if (!f->count)
        reject(f, TACHO_REASON_UNDECODABLE, -1);
    return 0;
}

static void check_control(filter *f, uint32_t i)
{
    const char *transfer = tacho_decode_transfer(&f->insns[i]), *danger = tacho_decode_danger(&f->insns[i]);
    bool may_end_here = i + 1 == f->count && f->insns[i].is_branch && !danger;
    if (transfer && !may_end_here)
        reject(f, TACHO_REASON_CONTROL_FLOW, start_of(f, i));
    if (danger && !transfer)
        reject(f, TACHO_REASON_SYSTEM, start_of(f, i));
}

/* Instructions that older cores take for another one, because they ignore the prefix: BSF and BSR. They came
 * with the first core that has ANDN. */
static bool is_taken_for_another(const tacho_arch *arch, const tacho_insn *insn)
{
    tacho_figures figures;
    uint32_t andn;
    return insn->else_another && !tacho_form_find("ANDN (R32, R32, R32)", &andn, NULL) &&
           tacho_form_figures(arch, andn, &figures) == TACHO_ERR_UNSUPPORTED;
}

static void check_support(filter *f, uint32_t i)
{
    const tacho_suite_filter_options *o = f->options;
    tacho_figures figures;
    if (!o->arch_count || !wanted(f, TACHO_REASON_UNSUPPORTED) ||
        (f->out->reasons >> TACHO_REASON_UNSUPPORTED & 1))
        return;
    int64_t form = tacho_form_match(&f->insns[i]);
    bool bad = form < 0;
    for (size_t k = 0; k < o->arch_count && !bad; k++)
        bad = tacho_form_figures(o->archs[k], (uint32_t)form, &figures) ||
              is_taken_for_another(o->archs[k], &f->insns[i]);
    if (bad)
        reject(f, TACHO_REASON_UNSUPPORTED, start_of(f, i));
}

static void check_x87(filter *f)
{
    x87_stack stack = {0};
    int64_t first = -1;
    for (uint32_t i = 0; i < f->count; i++) {
        x87_stack before = stack;
        tacho_x87_stack_step(&stack, &f->insns[i]);
        if (first < 0 && before.depth != stack.depth)
            first = start_of(f, i);
    }
    if (tacho_x87_stack_is_unbalanced(&stack))
        reject(f, TACHO_REASON_X87, first);
}

/* ---- memory ---- */

static void reject_insn(filter *f, tacho_suite_reason reason, int32_t insn)
{
    if (insn >= 0)
        reject(f, reason, start_of(f, (uint32_t)insn));
}

static int check_memory(filter *f, tacho_error *err)
{
    const uint32_t about_memory = 1u << TACHO_REASON_TOO_MANY_ACCESSES | 1u << TACHO_REASON_ALIASING |
                                  1u << TACHO_REASON_BANK_CONFLICT | 1u << TACHO_REASON_STORE_PAIRING;
    address_relations r;
    if (!(f->options->reasons & about_memory))
        return 0;
    int result = tacho_address_relations_find(&r, &(address_block){f->insns, f->ends, f->count}, err);
    if (result)
        return result;
    if (r.accesses > f->options->max_accesses)
        reject(f, TACHO_REASON_TOO_MANY_ACCESSES, -1);
    reject_insn(f, TACHO_REASON_ALIASING, r.meeting_insn);
    for (size_t k = 0; k < f->options->arch_count; k++) {
        if (f->options->archs[k]->load_bank_conflicts)
            reject_insn(f, TACHO_REASON_BANK_CONFLICT, r.load_insn);
        if (f->options->archs[k]->paired_stores_same_line)
            reject_insn(f, TACHO_REASON_STORE_PAIRING, r.store_insn);
    }
    return 0;
}

static int check_all(filter *f, tacho_error *err)
{
    int result = decode_all(f, err);
    if (result || !f->count)
        return result;
    if (f->count > f->options->max_instructions)
        reject(f, TACHO_REASON_TOO_LONG, -1);
    for (uint32_t i = 0; i < f->count; i++) {
        check_control(f, i);
        check_support(f, i);
        if (tacho_decode_input_timing(&f->insns[i]) != DECODE_TIMING_FIXED)
            reject(f, TACHO_REASON_TIMING, start_of(f, i));
    }
    check_x87(f);
    return check_memory(f, err);
}

OPTIONS_DEFINE(suite_filter, TACHO_SUITE_FILTER_OPTIONS_INIT)

int tacho_suite_filter(tacho_suite_verdict *out, const uint8_t *code, size_t size,
                       const tacho_suite_filter_options *options, tacho_error *err)
{
    tacho_suite_filter_options o;
    filter f = {.out = out, .options = &o, .code = code, .size = size};
    int result = OPTIONS_TAKE(suite_filter, &o, options, err);
    if (result)
        return result;
    out->reasons = 0;
    for (int i = 0; i < TACHO_REASON_COUNT; i++)
        out->offset[i] = -1;
    if (size > o.max_bytes && wanted(&f, TACHO_REASON_TOO_LONG)) {
        reject(&f, TACHO_REASON_TOO_LONG, -1);
        return 0;
    }
    result = check_all(&f, err);
    tacho_mem_free(f.insns);
    tacho_mem_free(f.ends);
    return result;
}

/* ---- the loop variant of a block ---- */

/* The loop variant of a block: uiCA paper, section 5.2. Where the paper leaves something open (the number of
 * copies, whether DEC and JNZ count among the five instructions), it is done as in the paper's benchmarks. */

#define MAX_BYTES ((size_t)1 << 30)

/* What of a block decides its loop. */
typedef struct outline {
    uint32_t instructions;
    uint16_t registers; /* general ones that it uses */
} outline;

static int refuse(const tacho_insn *insn, size_t at, const char *why, tacho_error *err)
{
    char text[96];
    tacho_insn_format(insn, at, 1, text, sizeof text);
    int code = tacho_error_set(err, TACHO_ERR_INPUT, "offset 0x%zx: '%s' %s; a loop is made of straight code",
                               at, text, why);
    if (err)
        err->offset = (int64_t)at;
    return code;
}

static int look_at(outline *o, const uint8_t *code, size_t size, tacho_error *err)
{
    *o = (outline){0};
    if (!size)
        return tacho_error_set(err, TACHO_ERR_INPUT, "the block is empty");
    if (size > MAX_BYTES)
        return tacho_error_set(err, TACHO_ERR_LIMIT, "the block is longer than %zu bytes", MAX_BYTES);
    for (size_t at = 0; at < size;) {
        tacho_insn insn;
        tacho_error why;
        if (tacho_decode(&insn, code + at, size - at, &why)) {
            tacho_error_set(err, why.code, "offset 0x%zx: %s", at, why.message);
            if (err)
                err->offset = (int64_t)at;
            return why.code;
        }
        const char *transfer = tacho_decode_transfer(&insn);
        if (transfer)
            return refuse(&insn, at, transfer, err);
        o->registers |= tacho_insn_general_registers(&insn);
        o->instructions++;
        at += insn.length;
    }
    return 0;
}

int tacho_suite_loop(uint8_t *out, tacho_loop_variant *variant, const uint8_t *code, size_t size,
                     bool unroll_short, tacho_error *err)
{
    outline o;
    int result = look_at(&o, code, size, err);
    if (result)
        return result;
    *variant = (tacho_loop_variant){.instructions = o.instructions, .unroll = 1};
    if (unroll_short && o.instructions < TACHO_LOOP_MIN_INSTRUCTIONS)
        variant->unroll = (TACHO_LOOP_MIN_INSTRUCTIONS + o.instructions - 1) / o.instructions;
    variant->counter = tacho_free_general_register(o.registers);
    if (variant->counter == NO_FREE_REGISTER)
        return tacho_error_set(err, TACHO_ERR_UNSUPPORTED,
                               "no register is left for the counter: the block uses all of them");
    size_t at = 0;
    for (uint32_t i = 0; i < variant->unroll; i++, at += size)
        memcpy(out + at, code, size);
    at += tacho_encode_dec(variant->counter, out + at);
    at += tacho_encode_jnz_back((uint32_t)at, out + at);
    variant->size = at;
    return 0;
}
