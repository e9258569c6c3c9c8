/* vector_makers.c - what depends on which vector instruction an operand comes from. The code is straight, so
 * that is known.
 *
 * Floating-point additions whose result is there earlier for another addition than for all else (Zen 5,
 * Golden Cove: 2 and 3 cycles): additions write their vector register a second time, as a unit of its own
 * that is ready earlier; additions with an operand from another addition read that unit instead.
 *
 * Third sources (Zen 5): an instruction reads two vector registers, and a third one through a store's port,
 * for which lower.c makes a µop. A value that a vector instruction has just computed comes without being
 * read, and a zeroed register needs no reading. */
#include "model/block/lower.h"
#include "x86/decode/operations.h"
#include "x86/decode/regs.h"

static bool is_addition(const tacho_arch *arch, const block_insn *bi)
{
    const unsigned asked = INSN_SUMS | INSN_FLOATS | INSN_FUSES;
    return bi->has_form && bi->uop_count && (!bi->has_zmm || arch->fp_add_forward_bits >= 512) &&
           (tacho_mnemonic_families(bi->insn->mnemonic) & asked) == (INSN_SUMS | INSN_FLOATS);
}

/* Vector registers 0 to 15. */
static bool has_early_unit(uint8_t unit)
{
    return unit >= UNIT_VECTOR && unit < UNIT_VECTOR + UNIT_EARLY_COUNT;
}

static uint8_t early_unit(uint8_t unit)
{
    return (uint8_t)(UNIT_EARLY + unit - UNIT_VECTOR);
}

/* The vector register's sum that the µop delivers; NULL if it does not. */
static const uop_out *sum_of(const uop *u)
{
    for (int o = 0; o < u->out_count; o++)
        if (u->kind == UOP_COMPUTE && has_early_unit(u->out[o].slot))
            return &u->out[o];
    return NULL;
}

static void write_early(block *b, block_insn *bi)
{
    for (uint32_t k = bi->uop_first; k < bi->uop_first + bi->uop_count; k++) {
        uop *u = &b->uops[k];
        const uop_out *sum = sum_of(u);
        if (!sum || u->out_count == UOP_MAX_OUT)
            continue;
        int latency = sum->latency - b->arch->fp_add_forward_cycles;
        lower_add_out(u, early_unit(sum->slot), latency > 1 ? latency : 1);
        unit_set_add(&bi->writes, early_unit(sum->slot));
    }
}

/* The instruction that makes the vector register `*unit` as the one at `index` reads it, maybe in the
 * iteration before, found through moves that the renamer executes: `*unit` becomes the one that it wrote.
 * NULL: none does, it has been overwritten since, or it is no vector register. */
static const block_insn *maker_of(const block *b, uint32_t index, uint8_t *unit)
{
    unit_set overwritten = {{0, 0}};
    for (uint32_t back = 1; back <= b->insn_count && unit_is_vector(*unit); back++) {
        const block_insn *bi = &b->insns[(index + b->insn_count - back) % b->insn_count];
        bool writes = unit_set_has(&bi->writes, *unit);
        if (writes && bi->eliminable && bi->move_target == *unit) {
            *unit = bi->move_source;
            if (unit_set_has(&overwritten, *unit))
                return NULL;
            continue;
        }
        if (writes)
            return bi;
        for (int w = 0; w < 2; w++)
            overwritten.bits[w] |= bi->writes.bits[w];
    }
    return NULL;
}

static void read_early(block *b, uint32_t index, const bool *adds)
{
    block_insn *bi = &b->insns[index];
    for (uint32_t k = bi->uop_first; k < bi->uop_first + bi->uop_count; k++) {
        uop *u = &b->uops[k];
        if (!sum_of(u))
            continue;
        for (int i = 0; i < u->in_count; i++) {
            uint8_t from = u->in[i];
            const block_insn *maker = maker_of(b, index, &from);
            if (!maker || !adds[maker - b->insns] || !has_early_unit(from))
                continue;
            u->in[i] = early_unit(from);
            unit_set_add(&bi->reads, u->in[i]);
        }
    }
}

int block_forward_sums(block *b, arena *a)
{
    bool any = false;
    if (!b->arch->fp_add_forward_cycles)
        return 0;
    bool *adds = arena_alloc(a, b->insn_count * sizeof *adds);
    if (!adds)
        return TACHO_ERR_MEMORY;
    for (uint32_t i = 0; i < b->insn_count; i++)
        any |= adds[i] = is_addition(b->arch, &b->insns[i]);
    for (uint32_t i = 0; any && i < b->insn_count; i++)
        if (adds[i])
            read_early(b, i, adds);
    for (uint32_t i = 0; any && i < b->insn_count; i++)
        if (adds[i])
            write_early(b, &b->insns[i]);
    return 0;
}

/* ---- third sources ---- */

static bool only_loads(const block *b, const block_insn *bi)
{
    bool loads = false, computes = false;
    for (uint32_t k = bi->uop_first; k < bi->uop_first + bi->uop_count; k++) {
        loads |= b->uops[k].kind == UOP_LOAD;
        computes |= b->uops[k].kind == UOP_COMPUTE && b->uops[k].ports;
    }
    return loads && !computes;
}

/* Whether the instruction has its third source from a vector instruction of the block. */
static bool third_is_made(const block *b, uint32_t index)
{
    const tacho_insn *insn = b->insns[index].insn;
    const int third = b->insns[index].has_form ? insn_third_source(insn) : -1;
    if (third < 0 || !reg_is_vector(insn->operands[third].reg))
        return false;
    uint8_t unit = (uint8_t)(UNIT_VECTOR + insn->operands[third].reg.number);
    const block_insn *maker = maker_of(b, index, &unit);
    return maker && !only_loads(b, maker);
}

/* The µop that reads it has no results. */
static void bypass_third(block *b, const block_insn *bi)
{
    for (uop *u = &b->uops[bi->uop_first], *end = u + bi->uop_count; u < end; u++)
        if (u->kind == UOP_COMPUTE && u->ports == b->arch->third_source_ports && !u->out_count)
            u->ports = 0;
}

void block_bypass_third_sources(block *b)
{
    for (uint32_t i = 0; b->arch->third_source_ports && i < b->insn_count; i++)
        if (third_is_made(b, i))
            bypass_third(b, &b->insns[i]);
}
