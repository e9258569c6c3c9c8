/* add_forward.c - floating-point additions whose result is there earlier for another addition than for all
 * else (Zen 5, Golden Cove: 2 and 3 cycles).
 *
 * The code is straight, so it is known which instruction an operand comes from. Additions write their vector
 * register a second time, as a unit of its own that is ready earlier. Additions with an operand from another
 * addition read that unit instead. */
#include "model/block/block.h"
#include "model/block/lower.h"
#include "x86/decode/ops.h"

static bool is_addition(const tacho_arch *arch, const block_insn *bi)
{
    const unsigned asked = INSN_SUMS | INSN_FLOATS | INSN_FUSES;
    return bi->has_form && bi->uop_count && (!bi->has_zmm || arch->fp_add_forward_bits >= 512) &&
           (tacho_mnemonic_families(bi->insn->mnemonic) & asked) == (INSN_SUMS | INSN_FLOATS);
}

static bool has_early_unit(uint8_t unit)
{
    return unit >= UNIT_VECTOR && unit < UNIT_VECTOR + UNIT_EARLY_COUNT;
}

static uint8_t early_unit(uint8_t unit)
{
    return (uint8_t)(UNIT_EARLY + unit - UNIT_VECTOR);
}

/* The vector register whose sum the µop delivers; UNIT_NONE if it does not. */
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

/* Whether `unit` at `index` comes from an addition, directly or through moves that the renamer executes; the
 * addition may be in the iteration before. *early is the unit in which its sum is there early. */
static bool comes_early(const block *b, uint32_t index, uint8_t unit, const bool *adds, uint8_t *early)
{
    unit_set overwritten = {{0, 0}};
    for (uint32_t back = 1; back <= b->insn_count; back++) {
        uint32_t i = (index + b->insn_count - back) % b->insn_count;
        const block_insn *bi = &b->insns[i];
        bool writes = unit_set_has(&bi->writes, unit);
        if (writes && bi->eliminable && bi->move_target == unit) {
            unit = bi->move_source;
            if (!has_early_unit(unit) || unit_set_has(&overwritten, unit))
                return false;
            continue;
        }
        if (writes) {
            *early = early_unit(unit);
            return adds[i];
        }
        for (int w = 0; w < 2; w++)
            overwritten.bits[w] |= bi->writes.bits[w];
    }
    return false;
}

static void read_early(block *b, uint32_t index, const bool *adds)
{
    block_insn *bi = &b->insns[index];
    for (uint32_t k = bi->uop_first; k < bi->uop_first + bi->uop_count; k++) {
        uop *u = &b->uops[k];
        if (!sum_of(u))
            continue;
        for (int i = 0; i < u->in_count; i++) {
            uint8_t early;
            if (!has_early_unit(u->in[i]) || !comes_early(b, index, u->in[i], adds, &early))
                continue;
            u->in[i] = early;
            unit_set_add(&bi->reads, early);
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
