/* group.c - micro-fusion and its undoing: which µops travel together, up to the renamer and beyond it. */
#include "model/block/lower.h"

static uop_group *add_fused(block *b, arena *a, uint32_t first, uint32_t count)
{
    if (block_reserve(b, a, 0, 1, 0))
        return NULL;
    b->fused[b->fused_count] = (uop_group){first, (uint16_t)count};
    return &b->fused[b->fused_count++];
}

static uop_group *add_laminated(block *b, arena *a, uint32_t first, uint32_t count)
{
    if (block_reserve(b, a, 0, 0, 1))
        return NULL;
    b->laminated[b->laminated_count] = (uop_group){first, (uint16_t)count};
    return &b->laminated[b->laminated_count++];
}

static bool accesses_memory(const uop *u)
{
    return u->kind == UOP_LOAD || u->kind == UOP_STORE_ADDRESS;
}

/* Where AMD's Zen 5 issues eight µops in a cycle, what has an address, or goes from vector to general
 * registers, is not the eighth: loops of nine slots with one, two and four loads take 8/7, 8/7 and 7/6 of a
 * cycle, without 9/8 (bench/zen5-experiments.csv.gz, access_slots). */
static bool is_access(const tacho_arch *arch, const uop *u)
{
    return accesses_memory(u) || (block_is_vector(arch, u) && (u->ports & arch->store_data_ports));
}

/* Whether microcode, as the sequencer gives it in a cycle, begins with this µop, or has ended before it. Its
 * first µop is there with others, before the cycle to which it counts. */
static bool is_microcode_border(const block *b, const block_insn *bi, uint32_t laminated)
{
    const uint32_t insn = (uint32_t)(bi - b->insns), before = (insn ? insn : b->insn_count) - 1;
    const uint32_t number = laminated - bi->laminated_first;
    if (!number)
        return b->insns[before].uops_ms > 0;
    return bi->uops_ms && (number == 1 || number % b->arch->ms_width == 0);
}

uint32_t block_issue_room(const block *b, const block_insn *bi, uint32_t laminated)
{
    const tacho_arch *arch = b->arch;
    if (arch->ms_own_groups && is_microcode_border(b, bi, laminated))
        return arch->issue_width;
    const uop_group *fused = &b->fused[b->laminated[laminated].first];
    const bool whole = block_is_whole_pair(arch, bi) && laminated == bi->laminated_first;
    const uint32_t slots = whole ? 2 : b->laminated[laminated].count;
    uint32_t behind = 0;
    for (const uop_group *f = fused; f < fused + slots && arch->access_issue_slots < arch->issue_width; f++)
        for (uint32_t k = f->first; k < f->first + f->count; k++)
            if (is_access(arch, &b->uops[k]))
                behind = arch->issue_width - arch->access_issue_slots;
    return slots + behind;
}

/* Micro-fusion. From the front on, a load or store address is paired with the µop after it, as long as there
 * are more µops than issue slots. What remains (microcode) goes with the last µop, and slots without a µop
 * stay empty. */
static int group_fused(lowering *l, uint32_t slots)
{
    block *b = l->b;
    block_insn *bi = l->bi;
    uint32_t n = bi->uop_count, next = 0;
    bi->fused_first = b->fused_count;
    for (uint32_t made = 0; made < slots; made++) {
        uint32_t left = n - next, take = left ? 1 : 0;
        if (made + 1 == slots)
            take = left;
        else if (left && accesses_memory(&b->uops[bi->uop_first + next]) && left - 1 >= slots - made)
            take = 2;
        if (!add_fused(b, l->a, bi->uop_first + next, take))
            return TACHO_ERR_MEMORY;
        next += take;
    }
    bi->fused_count = (uint16_t)slots;
    return 0;
}

/* The decoders' view: where it has fewer µops than the renamer issues, memory µops travel with the µop after
 * them and are unlaminated there. */
static int group_laminated(lowering *l, uint32_t count)
{
    block *b = l->b;
    block_insn *bi = l->bi;
    uint32_t n = bi->fused_count, next = 0;
    if (count > n)
        count = n;
    bi->laminated_first = b->laminated_count;
    for (uint32_t made = 0; made < count; made++) {
        const uop_group *f = &b->fused[bi->fused_first + next];
        uint32_t left = n - next, take = 1;
        if (made + 1 == count)
            take = left;
        else if (f->count == 1 && accesses_memory(&b->uops[f->first]) && left - 1 >= count - made)
            take = 2;
        if (take > 1)
            bi->notes |= TACHO_NOTE_UNLAMINATED;
        if (!add_laminated(b, l->a, bi->fused_first + next, take))
            return TACHO_ERR_MEMORY;
        next += take;
    }
    bi->laminated_count = (uint16_t)count;
    return 0;
}

int lower_group(lowering *l, uint32_t fused_slots, uint32_t laminated)
{
    int rc = group_fused(l, fused_slots);
    return rc ? rc : group_laminated(l, laminated);
}
