/* learn_fusion.c - pairs of an instruction and a branch that take one slot.
 *
 * Each pair stands in 32 bytes of its own with four long NOPs, so that the loop takes five or six slots for
 * each. Branches go to the next instruction, so that it does not matter which way; a taken one takes longer,
 * and of a condition and its contrary one is not taken. */
#include "learn/learn_fusion.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "machine/characterise/chain.h"
#include "learn/learn_uses.h"
#include "learn/resources_find.h"
#include "x86/assemble/assembling.h"

enum {
    CELL = 32,
    CELLS = 16,
    NOPS = 4,
    CONDITIONS = 16,
    FIRST_TRIED = 4 /* equal: what is fused with anything is fused with it */
};

static bool writes_flags(const tacho_form *f)
{
    for (unsigned i = 0; i < f->operand_count; i++)
        if (f->operands[i].kind == TACHO_OPERAND_FLAGS && f->operands[i].flags_written)
            return true;
    return false;
}

/* @return 0 with an empty loop where the pair has no room */
static int add_cells(subject_loop *loop, uint32_t form, const stream *of, unsigned condition,
                     tacho_error *err)
{
    int failed = 0;
    for (unsigned i = 0; i < CELLS && !failed; i++) {
        uint8_t cell[CELL];
        const unsigned n = i % of->count, begin = n ? of->ends[n - 1] : 0;
        unsigned at = of->ends[n] - begin;
        if (at + 2 + NOPS * 3 > CELL)
            return 0;
        memcpy(cell, of->code + begin, at);
        cell[at++] = (uint8_t)(0x70 + condition);
        cell[at++] = 0;
        for (unsigned k = 0; k < NOPS; k++) {
            unsigned size = (CELL - at) / (NOPS - k);
            if (size > 9)
                return 0;
            tacho_nops(cell + at, size);
            at += size;
        }
        failed = subject_add_bytes(loop, cell, CELL, 1, err);
    }
    loop->mode = TACHO_MODE_LOOP;
    chain_values(form, loop->values, &loop->known);
    return failed;
}

typedef enum verdict {
    VERDICT_NONE, /* slower than two slots explain: branches were taken, or mispredicted */
    VERDICT_FUSED,
    VERDICT_APART
} verdict;

/* Whether pairs with this condition or its contrary take one slot. */
static verdict judge(const resources *r, const subject_loop *loops, unsigned condition)
{
    const double cycles = fmin(loops[condition & ~1U].cycles, loops[condition | 1U].cycles);
    const double fused = (CELLS * (NOPS + 1) + 1.0) / r->issue_width,
                 apart = (CELLS * (NOPS + 2) + 1.0) / r->issue_width;
    return cycles < (fused + apart) / 2 ? VERDICT_FUSED
           : cycles < 1.15 * apart      ? VERDICT_APART
                                        : VERDICT_NONE;
}

/* Where flags change from time to time, branches are mispredicted: these conditions are like the others if
 * all of the others are fused. */
static uint16_t fused_conditions(const resources *r, const subject_loop *loops)
{
    uint16_t fused = 0, unknown = 0;
    for (unsigned c = 0; c < CONDITIONS; c++) {
        const verdict v = judge(r, loops, c);
        fused |= (uint16_t)((v == VERDICT_FUSED) << c);
        unknown |= (uint16_t)((v == VERDICT_NONE) << c);
    }
    return (uint16_t)(fused | unknown) == 0xffff ? 0xffff : fused;
}

static unsigned group_of(resources *r, uint16_t conditions)
{
    if (!conditions)
        return 0;
    for (unsigned g = 0; g < r->fusion_count; g++)
        if (r->fusion[g] == conditions)
            return g + 1;
    if (r->fusion_count == RESOURCE_GROUPS)
        return 0;
    r->fusion[r->fusion_count++] = conditions;
    return r->fusion_count;
}

static int time_conditions(lab *l, uint32_t form, const stream *of, unsigned first, unsigned end, batch *b,
                           tacho_error *err)
{
    int failed = 0;
    for (unsigned c = first; c < end && !failed; c++)
        failed = b->loops[c].size ? 0 : add_cells(&b->loops[c], form, of, c, err);
    return failed ? failed : batch_time(l, b, err);
}

int learn_fusion(lab *l, uint32_t form, unsigned *group, tacho_error *err)
{
    stream of;
    tacho_form f;
    batch b;
    uint16_t conditions = 0;
    *group = 0;
    if (tacho_form_get(form, &f) || !writes_flags(&f) || uses_memory(&f, TACHO_WRITE) ||
        !stream_of_instances(&of, form, false) || of.broken)
        return 0;
    int failed = batch_start(&b, CONDITIONS, err);
    if (!failed)
        failed = time_conditions(l, form, &of, FIRST_TRIED, FIRST_TRIED + 2, &b, err);
    if (!failed && judge(l->resources, b.loops, FIRST_TRIED) == VERDICT_FUSED) {
        failed = time_conditions(l, form, &of, 0, CONDITIONS, &b, err);
        if (!failed)
            conditions = fused_conditions(l->resources, b.loops);
    }
    if (!failed)
        *group = group_of(l->resources, conditions);
    batch_end(&b);
    return failed;
}

int learn_fusion_text(const lab *l, char *out, size_t size)
{
    static const char *const names[CONDITIONS] = {"O", "NO", "B", "NB", "Z", "NZ", "BE", "NBE",
                                                  "S", "NS", "P", "NP", "L", "NL", "LE", "NLE"};
    size_t n = 0;
    if (size)
        *out = '\0';
    for (unsigned g = 0; l->resources && g < l->resources->fusion_count; g++) {
        n += (size_t)snprintf(out + n, n < size ? size - n : 0, "G%u\t", g);
        for (unsigned c = 0, first = 1; c < CONDITIONS; c++)
            if (l->resources->fusion[g] >> c & 1) {
                n += (size_t)snprintf(out + n, n < size ? size - n : 0, "%s%s", first ? "" : " ", names[c]);
                first = 0;
            }
        n += (size_t)snprintf(out + n, n < size ? size - n : 0, "\n");
        if (n >= size)
            return TACHO_ERR_LIMIT;
    }
    return 0;
}
