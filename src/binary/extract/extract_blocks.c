/* extract_blocks.c - from a graph of code to blocks, and the account of what was reached.
 *
 * Calls and system calls end blocks here, although control usually comes back to what follows. Blocks of
 * nothing but NOPs after a call are left out: they are padding behind a function that does not return, or say
 * nothing. */
#include "binary/extract/extract_internal.h"
#include "x86/decode/ops.h"

extract_end extract_end_of(const tacho_insn *insn)
{
    int64_t target;
    insn_flow flow = tacho_insn_flow_of(insn, &target);
    if (insn_is(insn, INSN_LEAVES))
        return EXTRACT_LEAVES;
    return flow == FLOW_NEXT ? EXTRACT_GOES_ON : flow == FLOW_STOP ? EXTRACT_LEAVES : EXTRACT_BRANCH;
}

/* ---- what was not reached ---- */

static size_t padding_at(const uint8_t *bytes, size_t size)
{
    tacho_insn insn;
    if (bytes[0] == 0xcc || bytes[0] == 0)
        return 1;
    return !tacho_decode(&insn, bytes, size, NULL) && insn.is_nop ? insn.length : 0;
}

static void count_rest(searcher *s, const tile *t, size_t start, size_t end)
{
    const uint8_t *bytes = t->span.section->bytes + t->span.start;
    size_t step;
    for (; start < end && (step = padding_at(bytes + start, end - start)); start += step)
        s->cover.padding_bytes += step;
    *(t->function ? &s->cover.inside_bytes : &s->cover.outside_bytes) += end - start;
}

void blocks_count_rest(searcher *s, const tile *t)
{
    size_t size = t->span.end - t->span.start;
    if (size > CFG_MAX_BYTES)
        s->cover.large_bytes += size;
    else
        count_rest(s, t, 0, size);
}

/* ---- blocks ---- */

typedef struct cutter {
    searcher *s;
    const tile *t;
    const cfg *g;
    extract_piece piece; /* being made */
    bool nops;           /* it has nothing else so far */
    bool after_call;
    size_t counted; /* offset up to which bytes are accounted for */
} cutter;

static int end_block(cutter *c)
{
    extract_piece *p = &c->piece;
    bool padding = c->nops && c->after_call && !p->branch_bytes;
    size_t start = p->bytes ? (size_t)(p->bytes - c->g->code->bytes) : 0;
    int rc = 0;
    if (padding)
        c->s->cover.padding_bytes += p->byte_count;
    else if (p->bytes)
        rc = extract_add(c->s->set, c->s->object, p, c->s->err);
    if (p->bytes && !padding)
        c->s->cover.reached_bytes += p->byte_count + p->branch_bytes;
    c->counted = p->bytes ? start + p->byte_count + p->branch_bytes : c->counted;
    *p = (extract_piece){0};
    return rc;
}

static void begin_block(cutter *c, const cfg_insn *i, bool after_call)
{
    const code_span *span = &c->t->span;
    if (i->offset > c->counted)
        count_rest(c->s, c->t, c->counted, i->offset);
    c->piece.bytes = c->g->code->bytes + i->offset;
    c->piece.address = span->section->address + span->start + i->offset;
    c->nops = true;
    c->after_call = after_call;
}

/* Adds the instruction to the block. *ends: it is the last one. */
static int take(cutter *c, const cfg_insn *i, bool *ends)
{
    tacho_insn insn;
    int rc = tacho_decode(&insn, c->g->code->bytes + i->offset, i->length, c->s->err);
    if (rc)
        return rc;
    extract_end end = extract_end_of(&insn);
    *ends = end != EXTRACT_GOES_ON;
    c->nops &= insn.is_nop;
    if (end == EXTRACT_GOES_ON) {
        c->piece.insn_count++;
        c->piece.byte_count += i->length;
    } else if (end == EXTRACT_BRANCH) {
        c->piece.branch_bytes = i->length;
    } else {
        c->s->cover.reached_bytes += i->length; /* not part of the piece */
    }
    return 0;
}

/* Jumps through a pointer at a fixed place lead to functions of other files, or are calls in tail position.
 */
static void count_unresolved(searcher *s, const cfg *g)
{
    for (uint32_t k = 0; k < g->block_count; k++) {
        const cfg_block *b = &g->blocks[k];
        const cfg_insn *last = &g->insns[b->first + b->count - 1];
        tacho_insn insn;
        if (b->indirect && b->unresolved &&
            !tacho_decode(&insn, g->code->bytes + last->offset, last->length, NULL) &&
            insn.operands[0].mem.base.class_ != TACHO_REG_RIP)
            s->cover.unresolved_count++;
    }
}

int blocks_add(searcher *s, const tile *t, const cfg *g)
{
    cutter c = {.s = s, .t = t, .g = g};
    uint32_t block = 0, end = 0;
    bool ends = true, after_call = false;
    int rc = 0;
    for (uint32_t k = 0; k < g->insn_count && !rc; k++) {
        const cfg_insn *i = &g->insns[k];
        bool leads = block < g->block_count && g->blocks[block].first == k;
        block += leads;
        if (ends || leads || i->offset != end) {
            rc = end_block(&c);
            c.counted = ends && end > c.counted ? end : c.counted;
            begin_block(&c, i, after_call && i->offset == end);
        }
        if (!rc)
            rc = take(&c, i, &ends);
        after_call = i->flow == FLOW_CALL || i->flow == FLOW_STOP;
        end = i->offset + i->length;
    }
    if (!rc)
        rc = end_block(&c);
    c.counted = end > c.counted ? end : c.counted;
    count_rest(s, t, c.counted, t->span.end - t->span.start);
    count_unresolved(s, g);
    return rc;
}
