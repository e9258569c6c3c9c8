/* baseline.c - how good is it to know almost nothing: the two formulas of the uiCA paper, section 6.1.
 *
 *   unrolled  max(n/d, r/l, w/s)           n instructions, r memory reads, w memory writes, d decoders,
 *   loop      max(1, (n-1)/i, r/l, w/s)    i issue width, l loads and s stores a cycle
 *
 * n, r and w come from decoding alone: a memory operand counts once as a read and once as a write, as it is
 * accessed, also the stack's of push, pop, call and ret; not that of a NOP or a prefetch. d, i, l and s
 * are the microarchitecture's, the paper's d = 4 and l = 2 on all that it is about: l is the number of ports
 * for loads, s that of those that take store data. */

#include "base/number.h"
#include "study/models/models_internal.h"
#include "x86/decode/insn_struct.h"
#include "x86/decode/ops.h"

typedef struct counts {
    unsigned insns, reads, writes;
    bool ends_in_branch;
} counts;

static bool only_hints(const tacho_insn *insn)
{
    return insn->is_nop || insn_is(insn, INSN_PREFETCHES);
}

static void count_insn(counts *c, const tacho_insn *insn)
{
    c->insns++;
    c->ends_in_branch = insn->is_branch;
    for (int k = 0; k < insn->operand_count && !only_hints(insn); k++) {
        const tacho_operand *o = &insn->operands[k];
        if (o->kind != TACHO_OPERAND_MEM)
            continue;
        c->reads += (o->access & TACHO_READ) != 0;
        c->writes += (o->access & TACHO_WRITE) != 0;
    }
}

static double formula(const counts *c, const tacho_arch *arch, bool loop)
{
    double loads = fmax(1, bits_in_16(arch->load_ports)),
           stores = fmax(1, bits_in_16(arch->store_data_ports));
    double memory = fmax(c->reads / loads, c->writes / stores);
    return loop ? fmax(fmax(1, (c->insns - 1.0) / arch->issue_width), memory)
                : fmax((double)c->insns / arch->decoders, memory);
}

static void predict(const tacho_model *m, const tacho_model_block *block, tacho_model_result *result)
{
    counts c = {0};
    for (size_t at = 0; at < block->size;) {
        tacho_insn insn;
        tacho_error err;
        if (tacho_decode(&insn, block->code + at, block->size - at, &err)) {
            model_result_fail(result, TACHO_MODEL_UNSUPPORTED, "offset 0x%zx: %s", at, err.message);
            return;
        }
        count_insn(&c, &insn);
        at += insn.length;
    }
    tacho_mode mode = m->options.mode;
    if (!c.insns)
        model_result_fail(result, TACHO_MODEL_UNSUPPORTED, "the block is empty");
    else
        model_result_cycles(
            result,
            formula(&c, m->arch, mode == TACHO_MODE_LOOP || (mode == TACHO_MODE_AUTO && c.ends_in_branch)));
}

static bool knows(const char *name)
{
    return tacho_str_same(name, "baseline");
}

static void list(model_names *names, const tacho_arch *arch)
{
    model_names_add(names, "baseline", "the uiCA paper's formulas of instructions, loads and stores", NULL);
}

static int open_model(tacho_model *m, tacho_error *err)
{
    return 0;
}

static int run(tacho_model *m, const tacho_model_block *blocks, size_t count, tacho_model_result *results,
               tacho_error *err)
{
    for (size_t i = 0; i < count; i++)
        predict(m, &blocks[i], &results[i]);
    return 0;
}

static void close_model(tacho_model *m)
{
}

const model_kind model_baseline = {
    .knows = knows, .list = list, .open = open_model, .run = run, .close = close_model};
