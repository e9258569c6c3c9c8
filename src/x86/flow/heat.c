/* heat.c - which loops look hot, before anything was measured.
 *
 * Points, of our own choosing: what people look for in a binary is the innermost loop of a deep nest that
 * computes on vectors and does nothing else; what they do not want on top are loops around calls, loops that
 * wait, and code that the compiler has set apart as unlikely. doc/rooms/binary.md has the table. */
#include <string.h>

#include "x86/decode/ops.h"
#include "x86/flow/code_search.h"

/* Of vectors, masks, tiles, or the x87 unit. */
static bool computes_wide(tacho_reg r)
{
    return (r.class_ >= TACHO_REG_XMM && r.class_ <= TACHO_REG_K) || r.class_ == TACHO_REG_TMM;
}

static bool is_vector(const tacho_insn *insn)
{
    for (int i = 0; i < insn->operand_count; i++) {
        const tacho_operand *op = &insn->operands[i];
        if (op->kind == TACHO_OPERAND_REG && computes_wide(op->reg))
            return true;
    }
    return false;
}

/* Wide multiplication and what carries its results on: the stuff of arbitrary precision and of hashes. */
static bool multiplies(const tacho_insn *insn)
{
    uint8_t op = insn->operation;
    return op == OP_MUL || op == OP_MULX || op == OP_IMUL || op == OP_ADCX || op == OP_ADOX;
}

static bool accesses_memory(const tacho_insn *insn)
{
    for (int i = 0; i < insn->operand_count; i++)
        if (insn->operands[i].kind == TACHO_OPERAND_MEM)
            return !insn->is_nop;
    return false;
}

/* Fills the numbers of instructions by kind.
 * @return how many multiply */
static uint32_t count_insns(path_code *c)
{
    uint32_t multiplying = 0;
    for (size_t at = 0; at < c->code_bytes;) {
        tacho_insn insn;
        if (tacho_decode(&insn, c->code + at, c->code_bytes - at, NULL))
            break;
        c->insn_count++;
        multiplying += multiplies(&insn);
        c->vector_count += is_vector(&insn);
        c->memory_count += accesses_memory(&insn);
        c->call_count += insn.is_call;
        at += insn.length;
    }
    return multiplying;
}

static void judge(path_code *c, uint32_t depth, uint32_t block_count)
{
    static const struct {
        uint32_t flag;
        double points;
    } penalties[] = {{TACHO_LOOP_NO_PATH, -40},   {TACHO_LOOP_COLD_PLACE, -30},
                     {TACHO_LOOP_CALLS, -20},     {TACHO_LOOP_WAITS, -20},
                     {TACHO_LOOP_SWITCH, -5},     {TACHO_LOOP_IRREDUCIBLE, -5},
                     {TACHO_LOOP_BAD_BYTES, -10}, {TACHO_LOOP_CALLS_ELSEWHERE, -2}};
    static const double for_depth[] = {10, 16, 20, 22,
                                       23}; /* each level counts less: nests are often short */
    const uint32_t deepest = sizeof for_depth / sizeof *for_depth;
    uint32_t multiplying = count_insns(c);
    double n = c->insn_count ? c->insn_count : 1;
    c->heat = depth ? for_depth[(depth < deepest ? depth : deepest) - 1] : 0;
    c->heat += 10.0 * (c->vector_count + multiplying) / n + 5.0 * c->memory_count / n;
    c->heat += block_count == 1 ? 3 : 0;
    for (size_t i = 0; i < sizeof penalties / sizeof *penalties; i++)
        if (c->flags & penalties[i].flag)
            c->heat += penalties[i].points;
}

static bool is_cold_place(const code_span *span)
{
    static const char *const sections[] = {".text.unlikely", ".text.startup", ".text.exit",
                                           ".init",          ".fini",         ".plt"};
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        if (!strncmp(span->section->name, sections[i], strlen(sections[i])))
            return true;
    return span->name && strstr(span->name, ".cold");
}

static uint32_t flags_of(const cfg *g, uint32_t header, const loop_path *p, const code_span *span)
{
    uint32_t flags = g->blocks[header].irreducible ? TACHO_LOOP_IRREDUCIBLE : 0, calling = 0;
    flags |= is_cold_place(span) ? TACHO_LOOP_COLD_PLACE : 0;
    flags |= p->step_count ? 0 : TACHO_LOOP_NO_PATH;
    for (uint32_t i = 0; i < p->block_count; i++) {
        const cfg_block *b = &g->blocks[p->blocks[i]];
        calling += b->calls != 0;
        flags |= b->into_bad ? TACHO_LOOP_BAD_BYTES : 0;
        flags |= b->indirect && b->unresolved ? TACHO_LOOP_INDIRECT : 0;
    }
    for (uint32_t i = 0; i < p->step_count; i++) {
        const cfg_block *b = &g->blocks[p->steps[i]];
        flags |= b->indirect ? TACHO_LOOP_SWITCH : 0;
        flags |= b->calls ? TACHO_LOOP_CALLS : 0;
        for (uint32_t k = b->first; k < b->first + b->count; k++)
            flags |= g->insns[k].waits ? TACHO_LOOP_WAITS : 0;
    }
    return flags | (calling && !(flags & TACHO_LOOP_CALLS) ? TACHO_LOOP_CALLS_ELSEWHERE : 0);
}

static int lay_out(path_code *out, const cfg *g, const loop_path *p, const code_span *span, arena *memory)
{
    size_t bytes = 0, count = 0;
    for (uint32_t i = 0; i < p->step_count; i++) {
        const cfg_block *b = &g->blocks[p->steps[i]];
        bytes += b->end - b->start;
        count += tacho_path_jumps(g, p, i);
    }
    tacho_piece *pieces = arena_alloc(memory, (count + 1u) * sizeof *pieces);
    uint8_t *code = count > 1 ? arena_alloc_raw(memory, bytes) : NULL;
    if (!pieces || (count > 1 && !code))
        return TACHO_ERR_MEMORY;
    size_t at = 0;
    bool begins = true;
    for (uint32_t i = 0; i < p->step_count; i++) {
        const cfg_block *b = &g->blocks[p->steps[i]];
        if (begins)
            pieces[out->piece_count++] =
                (tacho_piece){(uint32_t)at, span->section->address + span->start + b->start};
        if (code)
            memcpy(code + at, g->code->bytes + b->start, b->end - b->start);
        at += b->end - b->start;
        begins = tacho_path_jumps(g, p, i);
    }
    out->pieces = pieces;
    out->code = code ? code : g->code->bytes + g->blocks[p->steps[0]].start;
    out->code_bytes = bytes;
    return 0;
}

int tacho_path_code(path_code *out, const cfg *g, uint32_t header, const loop_path *p, const code_span *span,
                    arena *memory)
{
    *out = (path_code){.flags = flags_of(g, header, p, span)};
    int rc = p->step_count ? lay_out(out, g, p, span, memory) : 0;
    if (!rc)
        judge(out, g->blocks[header].depth, p->block_count);
    return rc;
}
