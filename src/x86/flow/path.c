/* path.c - the likeliest way once around an innermost loop.
 *
 * Branches that leave the loop are not taken, the one back to its start is. Between ways that stay inside the
 * better one, in this order:
 *   - has fewer calls: code with a call is more often the exception (the call heuristic of T. Ball, J. Larus,
 *     Branch prediction for free, PLDI 1993), and its time is not known anyway;
 *   - goes through fewer blocks that are placed out of line, apart from the loop's main run: compilers move
 * there what they think rare;
 *   - has fewer comparisons that find two values equal (the opcode heuristic of the same paper);
 *   - has fewer taken conditional branches: compilers let the likely case fall through;
 *   - executes more instructions.
 * Where a run has shown how often blocks are executed, this decides first: the way that control went more
 * often. The graph without its back edges has no cycles, so that the best way from each block to the header
 * is that of its best successor. In irreducible loops edges against the depth-first order are left out as
 * well. */

#include "base/str.h"
#include "tacho/error.h"
#include "x86/decode/ops.h"
#include "x86/flow/code_search.h"

/* ---- how often blocks are executed ---- */

/* Which loops look hot, before anything was measured.
 *
 * Points, of our own choosing: what people look for in a binary is the innermost loop of a deep nest that
 * computes on vectors and does nothing else; what they do not want on top are loops around calls, loops that
 * wait, and code that the compiler has set apart as unlikely. doc/rooms/binary.md has the table. */

/* Of vectors, masks, tiles, or the x87 unit. */
static bool computes_wide(tacho_reg r)
{
    return (r.class_ >= TACHO_REG_XMM && r.class_ <= TACHO_REG_K) || r.class_ == TACHO_REG_TMM;
}

static bool is_vector(const tacho_insn *insn)
{
    for (const tacho_operand *op = insn->operands; op < insn->operands + insn->operand_count; op++)
        if (op->kind == TACHO_OPERAND_REG && computes_wide(op->reg))
            return true;
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
        if (tacho_starts_with(span->section->name, sections[i]))
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

enum {
    MAX_GAP_BYTES = 63 /* alignment between blocks that belong together */
};

typedef struct cost {
    uint32_t rare, calls, out_of_line, equal, taken;
    int64_t insns; /* negative: more is better */
} cost;

typedef struct choice {
    cost best;
    uint32_t to; /* CFG_NONE: no way to the header */
    bool out_of_line;
} choice;

typedef struct search {
    const cfg *g;
    uint32_t header;
    choice *choices;        /* by position in `blocks` */
    const uint32_t *blocks; /* sorted */
    uint32_t count;
    const path_frequencies *frequencies; /* or NULL */
    uint32_t *ways_in;                   /* by position: from how many blocks of the loop; with frequencies */
} search;

ORDER_NUMBERS(by_number, uint32_t);

/* The position of a block among those of the loop, CFG_NONE if it is not inside. */
static uint32_t position(const search *s, uint32_t block)
{
    const uint32_t *hit = tacho_find_sorted(&block, s->blocks, s->count, sizeof block, by_number);
    return hit ? (uint32_t)(hit - s->blocks) : CFG_NONE;
}

/* Blocks are numbered by address: the main run is what surrounds the header without gaps. */
static void find_out_of_line(search *s)
{
    uint32_t at = position(s, s->header), low = at, high = at;
    const cfg_block *blocks = s->g->blocks;
    while (low > 0 && blocks[s->blocks[low]].start - blocks[s->blocks[low - 1]].end <= MAX_GAP_BYTES)
        low--;
    while (high + 1 < s->count &&
           blocks[s->blocks[high + 1]].start - blocks[s->blocks[high]].end <= MAX_GAP_BYTES)
        high++;
    for (uint32_t i = 0; i < s->count; i++)
        s->choices[i].out_of_line = i < low || i > high;
}

static int compare(const cost *a, const cost *b)
{
    int order = ORDER(a->rare, b->rare) ?: ORDER(a->calls, b->calls);
    order = order ?: ORDER(a->out_of_line, b->out_of_line) ?: ORDER(a->equal, b->equal);
    return order ?: ORDER(a->taken, b->taken) ?: ORDER(a->insns, b->insns);
}

static bool is_taken(const cfg *g, uint32_t from, uint32_t to)
{
    const cfg_block *b = &g->blocks[from];
    return b->indirect || b->next != to;
}

/* Whether the branch at the end of a block goes that way because two values are equal. */
static bool finds_equal(const cfg *g, const cfg_block *b, bool taken)
{
    const cfg_insn *last = &g->insns[b->first + b->count - 1];
    return b->count > 1 && last[-1].compares && (taken ? last->if_equal : last->if_unequal);
}

/* ---- what a run has shown ---- */

static void count_ways_in(search *s)
{
    uint32_t to;
    for (uint32_t i = 0; i < s->count; i++)
        for (uint32_t k = 0; (to = tacho_cfg_successor(s->g, &s->g->blocks[s->blocks[i]], k)) != CFG_NONE;
             k++) {
            uint32_t at = position(s, to);
            if (at != CFG_NONE)
                s->ways_in[at]++;
        }
}

static double frequency(const search *s, uint32_t block)
{
    return s->frequencies->of_block[block];
}

/* How often control went from `from` to `to`, which is one of the loop: as often as `to` was executed where
 * nothing else leads there, else what the other ways leave of `from`. Below 0: not known */
static double edge_frequency(const search *s, uint32_t from, uint32_t to)
{
    uint32_t other;
    if (s->ways_in[position(s, to)] == 1)
        return frequency(s, to);
    double left = frequency(s, from);
    for (uint32_t k = 0; (other = tacho_cfg_successor(s->g, &s->g->blocks[from], k)) != CFG_NONE && left >= 0;
         k++) {
        uint32_t at = position(s, other);
        if (other == to || at == CFG_NONE || s->ways_in[at] != 1)
            continue;
        double taken = frequency(s, other);
        left = taken < 0 ? -1 : taken < left ? left - taken : 0;
    }
    double there = frequency(s, to);
    return left < 0 || there < 0 ? -1 : there < left ? there : left;
}

/* Whether another way that stays in the loop was taken much more often. */
static bool is_rare(const search *s, uint32_t from, uint32_t to)
{
    uint32_t other;
    double here = s->frequencies ? edge_frequency(s, from, to) : -1;
    for (uint32_t k = 0; here >= 0 && (other = tacho_cfg_successor(s->g, &s->g->blocks[from], k)) != CFG_NONE;
         k++)
        if (other != to && position(s, other) != CFG_NONE &&
            edge_frequency(s, from, other) > here * s->frequencies->ratio)
            return true;
    return false;
}

/* What it costs to go from `from` to `to` and on to the header. @return false where that is no way */
static bool cost_of(const search *s, uint32_t from, uint32_t to, cost *out)
{
    const cfg_block *b = &s->g->blocks[from];
    bool conditional = s->g->insns[b->first + b->count - 1].flow == FLOW_BRANCH;
    bool taken = is_taken(s->g, from, to);
    *out = (cost){0};
    if (to != s->header) {
        uint32_t at = position(s, to);
        if (at == CFG_NONE || s->g->blocks[to].postorder >= b->postorder || s->choices[at].to == CFG_NONE)
            return false;
        *out = s->choices[at].best;
        out->taken += conditional && taken;
    }
    out->equal += finds_equal(s->g, b, taken);
    out->rare += is_rare(s, from, to);
    return true;
}

static void choose(search *s, uint32_t at)
{
    const cfg_block *b = &s->g->blocks[s->blocks[at]];
    choice *c = &s->choices[at];
    uint32_t to;
    cost here;
    c->to = CFG_NONE;
    for (uint32_t k = 0; (to = tacho_cfg_successor(s->g, b, k)) != CFG_NONE; k++)
        if (cost_of(s, s->blocks[at], to, &here) && (c->to == CFG_NONE || compare(&here, &c->best) < 0)) {
            c->best = here;
            c->to = to;
        }
    c->best.calls += b->calls;
    c->best.out_of_line += c->out_of_line;
    c->best.insns -= b->count;
}

typedef struct place {
    uint32_t postorder, at;
} place;

ORDER_BY(by_postorder, place, postorder);

static int choose_all(search *s, arena *memory)
{
    place *order = arena_alloc_raw(memory, s->count * sizeof *order);
    if (!order)
        return TACHO_ERR_MEMORY;
    for (uint32_t i = 0; i < s->count; i++)
        order[i] = (place){s->g->blocks[s->blocks[i]].postorder, i};
    tacho_sort(order, s->count, sizeof *order, by_postorder);
    for (uint32_t i = 0; i < s->count; i++)
        s->choices[i].to = CFG_NONE;
    for (uint32_t i = 0; i < s->count; i++)
        choose(s, order[i].at);
    return 0;
}

bool tacho_path_jumps(const cfg *g, const loop_path *p, uint32_t step)
{
    return is_taken(g, p->steps[step], p->steps[(step + 1) % p->step_count]);
}

/* The path is a ring: it is cut where a branch goes back, at the lowest target of such a branch, so that code
 * that lies in one piece is in one piece here (loops that are entered at their test). */
static void rotate(const cfg *g, loop_path *p, uint32_t *scratch)
{
    uint32_t start = 0, n = p->step_count;
    bool found = false;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t target = (i + 1) % n;
        const cfg_block *from = &g->blocks[p->steps[i]], *to = &g->blocks[p->steps[target]];
        if (tacho_path_jumps(g, p, i) && to->start <= from->start &&
            (!found || to->start < g->blocks[p->steps[start]].start)) {
            start = target;
            found = true;
        }
    }
    for (uint32_t i = 0; i < n; i++)
        scratch[i] = p->steps[(start + i) % n];
    memcpy(p->steps, scratch, n * sizeof *scratch);
}

/* What decided between the two ways of a conditional branch. */
static tacho_branch_reason reason_of(const search *s, uint32_t from, uint32_t to)
{
    cost chosen, other;
    const cfg_block *b = &s->g->blocks[from];
    uint32_t rest = b->next == to ? b->taken : b->next;
    if (rest == CFG_NONE || rest == to || !cost_of(s, from, rest, &other) || !cost_of(s, from, to, &chosen))
        return TACHO_BRANCH_STAYS;
    return chosen.rare != other.rare                 ? TACHO_BRANCH_OFTEN
           : chosen.calls != other.calls             ? TACHO_BRANCH_AVOIDS_CALLS
           : chosen.out_of_line != other.out_of_line ? TACHO_BRANCH_IN_LINE
           : chosen.equal != other.equal             ? TACHO_BRANCH_UNEQUAL
           : chosen.taken != other.taken             ? TACHO_BRANCH_NOT_TAKEN
                                                     : TACHO_BRANCH_LONGER;
}

static int list_branches(const search *s, loop_path *p, arena *memory)
{
    p->branches = arena_alloc(memory, (p->step_count + 1u) * sizeof *p->branches);
    if (!p->branches)
        return TACHO_ERR_MEMORY;
    for (uint32_t i = 0; i < p->step_count; i++) {
        uint32_t from = p->steps[i], to = p->steps[(i + 1) % p->step_count];
        const cfg_block *b = &s->g->blocks[from];
        const cfg_insn *last = &s->g->insns[b->first + b->count - 1];
        if (last->flow == FLOW_BRANCH)
            p->branches[p->branch_count++] =
                (path_branch){last->offset, is_taken(s->g, from, to), reason_of(s, from, to)};
    }
    return 0;
}

int tacho_path_find(loop_path *out, const cfg *g, arena *memory, uint32_t header, const uint32_t *members,
                    uint32_t member_count, const path_frequencies *frequencies)
{
    *out = (loop_path){.block_count = member_count + 1};
    uint32_t n = out->block_count;
    out->blocks = arena_alloc_raw(memory, n * sizeof *out->blocks);
    out->steps = arena_alloc_raw(memory, 2u * n * sizeof *out->steps);
    search s = {.g = g,
                .header = header,
                .choices = arena_alloc(memory, n * sizeof *s.choices),
                .count = n,
                .frequencies = frequencies,
                .ways_in = arena_alloc(memory, n * sizeof *s.ways_in)};
    if (!out->blocks || !out->steps || !s.choices || !s.ways_in)
        return TACHO_ERR_MEMORY;
    memcpy(out->blocks, members, member_count * sizeof *members);
    out->blocks[member_count] = header;
    tacho_sort(out->blocks, n, sizeof *out->blocks, by_number);
    s.blocks = out->blocks;
    find_out_of_line(&s);
    if (frequencies)
        count_ways_in(&s);
    int rc = choose_all(&s, memory);
    if (rc)
        return rc;
    uint32_t at = header;
    do {
        uint32_t next = s.choices[position(&s, at)].to;
        if (next == CFG_NONE || out->step_count == PATH_MAX_BLOCKS) {
            out->step_count = 0;
            return 0;
        }
        out->steps[out->step_count++] = at;
        at = next;
    } while (at != header);
    rotate(g, out, out->steps + n);
    return list_branches(&s, out, memory);
}

int tacho_path_of_block(loop_path *out, arena *memory, uint32_t block)
{
    *out = (loop_path){.block_count = 1, .step_count = 1};
    out->blocks = arena_alloc_raw(memory, sizeof *out->blocks);
    out->steps = arena_alloc_raw(memory, sizeof *out->steps);
    if (!out->blocks || !out->steps)
        return TACHO_ERR_MEMORY;
    out->blocks[0] = out->steps[0] = block;
    return 0;
}
