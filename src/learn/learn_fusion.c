/* learn_fusion.c - pairs of an instruction and a branch that take one slot.
 *
 * Each pair stands in 32 bytes of its own with four long NOPs, so that the loop takes five or six slots for
 * each. Branches go to the next instruction, so that it does not matter which way; a taken one takes longer,
 * and of a condition and its contrary one is not taken. */
#include "learn/learn_forms.h"

#include "machine/characterise/chain.h"
#include "x86/assemble/assembling.h"

enum {
    CELL = 32,
    CELLS = 16,
    NOPS = 4,
    CONDITIONS = 16,
    FIRST_TRIED = 4 /* equal: what is fused with anything is fused with it, or with its contrary */
};

static bool writes_flags(const tacho_form *f)
{
    for (unsigned i = 0; i < f->operand_count; i++)
        if (f->operands[i].kind == TACHO_OPERAND_FLAGS && f->operands[i].flags_written)
            return true;
    return false;
}

/* An empty loop where the pair has no room. */
static void add_cells(lab *l, uint32_t form, const stream *of, unsigned condition)
{
    uint8_t cells[CELLS][CELL];
    const size_t loop = lab_loop(l, TACHO_MODE_LOOP);
    for (unsigned i = 0; i < CELLS; i++) {
        const unsigned n = i % of->count, begin = n ? of->ends[n - 1] : 0;
        unsigned at = of->ends[n] - begin;
        if (at + 2 + NOPS * 3 > CELL)
            return;
        memcpy(cells[i], of->code + begin, at);
        cells[i][at++] = (uint8_t)(0x70 + condition);
        cells[i][at++] = 0;
        for (unsigned k = 0; k < NOPS; k++) {
            unsigned size = (CELL - at) / (NOPS - k);
            tacho_nops(cells[i] + at, size);
            at += size;
        }
    }
    lab_bytes(l, cells[0], sizeof cells, 1);
    if (!l->failed)
        chain_values(form, l->loops[loop].values, &l->loops[loop].known);
}

typedef enum verdict {
    VERDICT_NONE, /* slower than two slots explain: branches were taken, or mispredicted */
    VERDICT_FUSED,
    VERDICT_APART
} verdict;

/* Whether pairs with this condition or its contrary take one slot. */
static verdict judge(const lab *l, unsigned condition)
{
    const resources *r = l->resources;
    const double cycles = fmin(lab_timed(l, condition & ~1U), lab_timed(l, condition | 1U));
    const double fused = (CELLS * (NOPS + 1) + 1.0) / r->issue_width,
                 apart = (CELLS * (NOPS + 2) + 1.0) / r->issue_width;
    return cycles < (fused + apart) / 2 ? VERDICT_FUSED
           : cycles < 1.15 * apart      ? VERDICT_APART
                                        : VERDICT_NONE;
}

/* Where flags change from time to time, branches are mispredicted: these conditions are like the others if
 * all of the others are fused. */
static uint16_t fused_conditions(const lab *l)
{
    uint16_t fused = 0, unknown = 0;
    for (unsigned c = 0; c < CONDITIONS; c++) {
        const verdict v = judge(l, c);
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

static void time_conditions(lab *l, uint32_t form, const stream *of, unsigned first, unsigned end)
{
    lab_clear(l);
    for (unsigned c = first; c < end; c++)
        add_cells(l, form, of, c);
    lab_time(l);
}

unsigned learn_fusion(lab *l, uint32_t form)
{
    stream of;
    tacho_form f;
    if (tacho_form_get(form, &f) || !writes_flags(&f) || uses_memory(&f, TACHO_WRITE) ||
        !stream_of_instances(&of, form, false) || of.broken)
        return 0;
    time_conditions(l, form, &of, FIRST_TRIED, FIRST_TRIED + 2);
    if (judge(l, 0) != VERDICT_FUSED)
        return 0;
    time_conditions(l, form, &of, 0, CONDITIONS);
    return l->failed ? 0 : group_of(l->resources, fused_conditions(l));
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
