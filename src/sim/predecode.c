/* predecode.c - the predecoder: 16-byte blocks of code become instructions in the instruction queue.
 * uiCA paper, section 4.1.1. Left out: instruction cache misses; taken branches cost nothing by themselves.
 */
#include "sim/sim.h"

uint64_t sim_address_of(const sim *s, code_point at)
{
    uint64_t address = s->b->insns[at.insn].address;
    return s->b->mode == TACHO_MODE_UNROLL ? address + (uint64_t)at.iteration * s->b->size : address;
}

void predecoder_start(sim *s, predecoder *p, code_point at)
{
    p->next = p->pending_at = at;
    p->next_address = sim_address_of(s, at);
    p->has_block = false;
    p->crossing = false;
    p->pending = 0;
    p->stall = 0;
    p->cycles_in_block = 0;
    p->iq_count = 0;
}

/* The branch leaves what the predecoder works on: a taken one, or one after which the DSB takes over. */
static bool leaves(const sim *s, code_point at)
{
    if (s->b->mode == TACHO_MODE_UNROLL)
        return false;
    return s->b->insns[at.insn].jumps ||
           (!s->fe.pre.alone && s->b->insns[at.insn].is_branch && s->insn_cached[at.insn + 1]);
}

bool dsb_takes_over_after(const sim *s, code_point at)
{
    if (s->b->mode == TACHO_MODE_UNROLL || !s->b->insns[at.insn].is_branch || s->fe.pre.alone)
        return false;
    return s->insn_cached[sim_following(s, at).insn];
}

/* Where the decoders will be needed next, when the DSB goes on at `at`. */
static code_point next_not_cached(const sim *s, code_point at)
{
    for (uint32_t k = 0; k < 2 * s->b->insn_count && s->insn_cached[at.insn]; k++)
        at = sim_following(s, at);
    return at;
}

/* Covers the next block: the instructions that end in it. */
static void fetch_block(sim *s, predecoder *p)
{
    uint32_t bytes = s->arch->predecode_block_bytes, lcps = 0;
    p->block = p->has_block ? p->block + bytes : p->next_address / bytes * bytes;
    p->has_block = true;
    p->pending_at = p->next;
    for (;;) {
        const block_insn *bi = &s->b->insns[p->next.insn];
        uint64_t end = p->next_address + bi->insn->length;
        if (end > p->block + bytes)
            break;
        p->pending++;
        lcps += bi->insn->lcp && p->next_address >= p->block;
        code_point at = p->next;
        p->next = sim_following(s, at);
        p->next_address = sim_address_of(s, p->next);
        if (leaves(s, at)) {
            if (dsb_takes_over_after(s, at)) {
                p->next = next_not_cached(s, p->next);
                p->next_address = sim_address_of(s, p->next);
            }
            p->has_block = false; /* the target's block is fetched afresh */
            break;
        }
    }
    if (p->has_block && p->next_address < p->block + bytes)
        lcps += s->b->insns[p->next.insn].insn->lcp; /* starts here, ends in the next block */
    /* Slow length decoding, partly hidden behind extra cycles that the previous block took. */
    uint32_t hidden = p->cycles_in_block > 1 ? p->cycles_in_block - 1 : 0;
    uint32_t penalty = lcps * s->arch->lcp_penalty_cycles;
    p->stall += penalty > hidden ? penalty - hidden : 0;
    p->cycles_in_block = 0;
}

/* The next instruction starts in this block with its opcode byte, but ends in the next one. */
static bool opcode_in_block(const sim *s, const predecoder *p)
{
    if (!p->has_block)
        return false;
    uint64_t opcode = p->next_address + s->b->insns[p->next.insn].insn->opcode_offset;
    return opcode < p->block + s->arch->predecode_block_bytes;
}

void predecoder_tick(sim *s, predecoder *p)
{
    if (p->stall) {
        p->stall--;
        return;
    }
    if (p->iq_count + s->arch->predecode_width > s->arch->iq_width)
        return;
    if (p->crossing) {
        p->crossing = false;
        p->cycles_in_block++;
        return;
    }
    if (p->pending == 0) {
        fetch_block(s, p);
        if (p->stall) {
            p->stall--;
            return;
        }
    }
    uint32_t done = 0;
    for (; done < s->arch->predecode_width && p->pending; done++) {
        p->iq[(p->iq_head + p->iq_count++) & (SIM_IQ - 1)] = (iq_entry){p->pending_at, s->cycle};
        p->pending_at = sim_following(s, p->pending_at);
        p->pending--;
    }
    p->cycles_in_block++;
    p->crossing = p->pending == 0 && done == s->arch->predecode_width && opcode_in_block(s, p);
}
