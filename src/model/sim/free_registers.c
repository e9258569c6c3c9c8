/* free_registers.c - the physical registers that µops in flight write. Known of each core is how many there
 * are; how many remain beside the architectural ones is measured (additions in the shadow of a chain through
 * memory: doc/ACCURACY.md). Those of vectors are not modelled. */
#include "model/sim/sim.h"
#include "x86/decode/regs.h"

static bool writes_general(const block *b, const uop *u)
{
    bool vector = u->insn < b->insn_count && insn_names_vector_reg(b->insns[u->insn].insn);
    for (int k = 0; k < u->out_count; k++)
        if (u->out[k].slot < UNIT_HIGH8 || u->out[k].slot == UNIT_FLAG_C ||
            u->out[k].slot == UNIT_FLAG_SPAZO || (u->out[k].slot >= TEMP_BASE && !vector))
            return true;
    return false;
}

/* How many the fused µops of an iteration write, up to each of them; made when it is asked for first. */
static void count_written(sim *s)
{
    const block *b = s->b;
    uint16_t *written = s->prog.written, sum = 0;
    uint32_t n = 0;
    for (uint32_t i = 0; i < b->insn_count; i++)
        for (uint32_t l = 0; l < b->insns[i].laminated_count; l++) {
            const uop_group *lam = &b->laminated[b->insns[i].laminated_first + l];
            for (uint32_t f = lam->first; f < lam->first + lam->count; f++) {
                written[n++] = sum;
                for (uint32_t k = 0; k < b->fused[f].count && !b->insns[i].eliminable; k++)
                    sum = (uint16_t)(sum + writes_general(b, &b->uops[b->fused[f].first + k]));
            }
        }
    written[n] = sum;
    s->prog.fused_count = n;
}

/* By the µops that are in the reorder buffer: the last of them is the one that left the µop queue last. */
static uint32_t written_in_flight(const sim *s, uint32_t inside)
{
    const program *g = &s->prog;
    const lam_op *last;
    uint32_t back = 1;
    do
        last = &g->lams[s->fe.idq[(s->fe.idq_head - back++) & (SIM_IDQ - 1)] & ~IDQ_FLAGS];
    while (last->flags & LAM_SYNTHETIC);
    uint32_t end = last->fused_first + last->fused_count, whole = inside / g->fused_count,
             rest = inside % g->fused_count;
    if (rest <= end)
        return whole * g->written[g->fused_count] + g->written[end] - g->written[end - rest];
    return (whole + 1) * g->written[g->fused_count] + g->written[end] -
           g->written[g->fused_count + end - rest];
}

bool free_registers_lack(sim *s)
{
    if (!s->arch->free_general_registers)
        return false;
    if (!s->prog.fused_count)
        count_written(s);
    uint32_t inside = (uint32_t)(s->rob.tail - s->rob.head);
    return written_in_flight(s, inside) + s->arch->issue_width > s->arch->free_general_registers;
}
