/* predecode.c - the predecoder: blocks of 16 bytes of code (Golden Cove: 32) become instructions in the
 * instruction queue. uiCA paper, section 4.1.1. Left out: instruction cache misses. Taken branches cost
 * nothing by themselves, except predecode_taken_cycles.
 *
 * The queue holds consecutive instructions, in the order in which the predecoder goes through the code. So it
 * is stored as its first instruction, a number, and how many came in which cycle. What a block of code yields
 * depends on the instruction with which it begins and on where that lies, and is remembered. */
#include "model/sim/sim.h"

void predecoder_start(sim *s, predecoder *p, uint32_t insn)
{
    p->next = p->iq_first = insn;
    p->offset = (int32_t)(s->b->insns[insn].address % s->arch->predecode_block_bytes);
    p->has_block = false;
    p->crossing = false;
    p->pending = 0;
    p->stall = 0;
    p->cycles_in_block = 0;
    p->iq_count = p->iq_visible = p->group_count = 0;
    p->iq_pushed = p->iq_popped = 0;
}

/* Goes through the instructions that end in the block, the first of which begins at p->offset. */
static fetched_block fetch(const sim *s, const predecoder *p)
{
    int32_t bytes = s->arch->predecode_block_bytes, offset = p->offset;
    fetched_block out = {.known = true};
    uint32_t insn = p->next;
    while (!out.left) {
        const front_insn *f = &s->prog.insns[insn];
        if (offset + f->length > bytes) {
            if (offset < bytes)
                out.lcps += f->lcp; /* starts here, ends in the next block */
            break;
        }
        out.count++;
        out.lcps += f->lcp && offset >= 0;
        offset += f->length;
        out.left = f->leaves;
        insn = f->fetched_next;
    }
    out.next = (uint16_t)insn;
    out.offset = (int8_t)(out.left ? (int32_t)(s->b->insns[insn].address % (uint32_t)bytes) : offset);
    return out;
}

/* The cycles before a block that does not follow from the one before. */
static uint32_t cycles_to_block(const sim *s, const predecoder *p)
{
    return s->b->insns[(p->next ? p->next : s->b->insn_count) - 1].jumps ? s->arch->predecode_taken_cycles
                                                                         : 0;
}

static void fetch_block(sim *s, predecoder *p)
{
    int32_t bytes = s->arch->predecode_block_bytes;
    if (p->has_block)
        p->offset -= bytes;
    else
        p->stall += cycles_to_block(s, p);
    fetched_block now, *f = &now;
    if (s->prog.fetched)
        f = &s->prog.fetched[p->next * FETCHED_OFFSETS + (uint32_t)(p->offset + FETCHED_OFFSETS / 2)];
    if (f == &now || !f->known)
        *f = fetch(s, p);
    p->next = f->next;
    p->offset = f->offset;
    p->has_block = !f->left; /* the target's block is fetched afresh */
    p->pending += f->count;
    if (f->lcps) {
        /* Slow length decoding, partly hidden behind extra cycles that the previous block took. */
        uint32_t hidden = p->cycles_in_block > 1 ? p->cycles_in_block - 1 : 0;
        uint32_t penalty = f->lcps * (uint32_t)s->arch->lcp_penalty_cycles;
        p->stall += penalty > hidden ? penalty - hidden : 0;
    }
    p->cycles_in_block = 0;
}

/* The next instruction starts in this block with its opcode byte, but ends in the next one. */
static bool opcode_in_block(const sim *s, const predecoder *p)
{
    return p->has_block &&
           p->offset + s->prog.insns[p->next].opcode_offset < (int32_t)s->arch->predecode_block_bytes;
}

/* Puts pending instructions into the queue; returns how many. */
static uint32_t predecode(sim *s, predecoder *p)
{
    uint32_t count = s->arch->predecode_width < p->pending ? s->arch->predecode_width : p->pending;
    if (!count)
        return 0;
    if (s->trace)
        for (uint32_t k = 0; k < count; k++)
            p->times[p->iq_pushed++ & (SIM_IQ - 1)] = s->cycle;
    p->groups[(p->group_head + p->group_count++) & (SIM_IQ - 1)] = (iq_group){s->cycle, count};
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
