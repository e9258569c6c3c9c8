/* predecode.c - the predecoder: 16-byte blocks of code become instructions in the instruction queue.
 * uiCA paper, section 4.1.1. Left out: instruction cache misses; taken branches cost nothing by themselves.
 */
#include "sim/sim.h"

static uint64_t address_of(const sim *s, uint32_t insn)
{
    return s->b->insns[insn].address;
}

void predecoder_start(sim *s, predecoder *p, uint32_t insn)
{
    p->next = p->pending_at = insn;
    p->next_address = address_of(s, insn);
    p->has_block = false;
    p->crossing = false;
    p->pending = 0;
    p->stall = 0;
    p->cycles_in_block = 0;
    p->iq_count = 0;
}

bool dsb_takes_over_after(const sim *s, uint32_t insn)
{
    if (s->b->mode == TACHO_MODE_UNROLL || !s->prog.insns[insn].branch || s->fe.pre.alone)
        return false;
    return s->insn_cached[sim_following(s, insn)];
}

/* Where the decoders will be needed next, when the DSB goes on at `insn`. */
static uint32_t next_not_cached(const sim *s, uint32_t insn)
{
    for (uint32_t k = 0; k < 2 * s->b->insn_count && s->insn_cached[insn]; k++)
        insn = sim_following(s, insn);
    return insn;
}

/* The branch leaves what the predecoder works on: a taken one, or one after which the DSB takes over. Goes on
 * at its target, whose block is fetched afresh. */
static bool leave(sim *s, predecoder *p, uint32_t insn)
{
    if (s->b->mode == TACHO_MODE_UNROLL)
        return false;
    bool to_dsb = dsb_takes_over_after(s, insn);
    if (!s->b->insns[insn].jumps && !to_dsb)
        return false;
    if (to_dsb)
        p->next = next_not_cached(s, p->next);
    p->next_address = address_of(s, p->next);
    p->has_block = false;
    return true;
}

/* Slow length decoding, partly hidden behind extra cycles that the previous block took. */
static void add_stall(const sim *s, predecoder *p, uint32_t lcps)
{
    uint32_t hidden = p->cycles_in_block > 1 ? p->cycles_in_block - 1 : 0;
    uint32_t penalty = lcps * s->arch->lcp_penalty_cycles;
    p->stall += penalty > hidden ? penalty - hidden : 0;
}

/* Covers the next block: the instructions that end in it. */
static void fetch_block(sim *s, predecoder *p)
{
    uint32_t bytes = s->arch->predecode_block_bytes, lcps = 0, pending = 0, insn = p->next;
    uint64_t address = p->next_address;
    bool unroll = s->b->mode == TACHO_MODE_UNROLL, left = false;
    p->block = p->has_block ? p->block + bytes : address / bytes * bytes;
    p->has_block = true;
    p->pending_at = insn;
    uint64_t block_end = p->block + bytes;
    while (!left) {
        const front_insn *f = &s->prog.insns[insn];
        uint64_t end = address + f->length;
        if (end > block_end) {
            if (address < block_end)
                lcps += f->lcp; /* starts here, ends in the next block */
            break;
        }
        pending++;
        lcps += f->lcp && address >= p->block;
        uint32_t last = insn;
        insn = p->next = f->following;
        address = p->next_address = end;
        left = !unroll && leave(s, p, last);
    }
    p->pending += pending;
    if (lcps)
        add_stall(s, p, lcps);
    p->cycles_in_block = 0;
}

/* The next instruction starts in this block with its opcode byte, but ends in the next one. */
static bool opcode_in_block(const sim *s, const predecoder *p)
{
    if (!p->has_block)
        return false;
    uint64_t opcode = p->next_address + s->prog.insns[p->next].opcode_offset;
    return opcode < p->block + s->arch->predecode_block_bytes;
}

/* Puts pending instructions into the queue; returns how many. */
static uint32_t predecode(sim *s, predecoder *p)
{
    uint32_t count = s->arch->predecode_width < p->pending ? s->arch->predecode_width : p->pending;
    uint32_t insn = p->pending_at, tail = p->iq_head + p->iq_count;
    int32_t now = s->cycle;
    for (uint32_t k = 0; k < count; k++) {
        p->iq[tail++ & (SIM_IQ - 1)] = (iq_entry){insn, now};
        insn = s->prog.insns[insn].following;
    }
    p->pending_at = insn;
    p->pending -= count;
    p->iq_count += count;
    return count;
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
    uint32_t done = predecode(s, p);
    p->cycles_in_block++;
    p->crossing = p->pending == 0 && done == s->arch->predecode_width && opcode_in_block(s, p);
}
