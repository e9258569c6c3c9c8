/* liveness.c - which results somebody waits for. Most instructions write flags that nothing reads, and most
 * address registers never change: the renamer need not follow them. */
#include "model/sim/liveness.h"

/* What an instruction reads and writes; `results`: what it writes with a µop, and thus at some time. */
static void effects(const block *b, const block_insn *bi, unit_set *reads, unit_set *writes,
                    unit_set *results)
{
    *reads = bi->reads;
    *writes = bi->writes;
    *results = bi->uop_count || bi->eliminable ? bi->writes : (unit_set){{0}};
    for (uint8_t r = 0; r < 4; r++)
        if (bi->merges_high8 >> r & 1) { /* by a µop before it */
            unit_set_add(reads, UNIT_GPR + r);
            unit_set_add(reads, UNIT_HIGH8 + r);
            unit_set_add(results, UNIT_GPR + r);
        }
    if (b->has_stack) { /* the stack engine's µops read and write it, anywhere */
        unit_set_add(reads, UNIT_RSP);
        unit_set_add(results, UNIT_RSP);
    }
}

int liveness_find(liveness *out, const block *b, arena *a)
{
    *out = (liveness){.after = arena_alloc_raw(a, b->insn_count * sizeof *out->after)};
    if (!out->after)
        return TACHO_ERR_MEMORY;
    unit_set live = {{0}};
    for (int pass = 0; pass < 2; pass++) /* what is live at the end of an iteration is so at its start */
        for (uint32_t i = b->insn_count; i-- > 0;) {
            unit_set reads, writes, results;
            effects(b, &b->insns[i], &reads, &writes, &results);
            out->after[i] = live;
            for (int k = 0; k < 2; k++) {
                live.bits[k] = (live.bits[k] & ~writes.bits[k]) | reads.bits[k];
                out->results.bits[k] |= results.bits[k];
                out->moved.bits[k] |= b->insns[i].eliminable ? writes.bits[k] | reads.bits[k] : 0;
                out->loaded.bits[k] |= b->insns[i].gpr_load || b->insns[i].eliminable ? writes.bits[k] : 0;
            }
        }
    return 0;
}
