/* dsb_rows.c - an op cache that gives a line of code a cycle, and what it gives in rows. Measured on Zen 5
 * with NOPs in loops and in unrolled code (op_cache in bench/zen5-experiments.csv.gz):
 *
 * - Each cycle begins with what is next and ends with its line of 64 bytes. The instructions fill rows of six
 *   (dsb_line_uops), from line to line. Two full rows leave in a cycle (dsb_rows), and a row that is not full
 *   waits for the next line; but if no row was filled, all leave. Where instructions lie in the line does not
 *   matter.
 * - A line that would fill a third row is read again, dsb_again_cycles later, and as often as it takes.
 * - A line that a taken branch leads to begins a row, behind the branch: its first instruction takes no
 * place. It is read again if its two rows are full. If it is not, it comes in the same cycle as the branch,
 * unless the loop lies in one line of code.
 * - A row has room for three instructions with a displacement and an immediate (dsb_row_constants); one with
 *   an immediate of 64 bits, or a branch, takes as much, one with a displacement or an immediate a quarter.
 *   The row behind a taken branch has room for four.
 *
 * 598 loops of one to five lines with 5 to 24 NOPs each: all but 5 (of two lines) are within 2 %, on the
 * average within 0.1 %. A line is read again twice at most, unless a taken branch leads to it: one of 64 NOPs
 * takes eight cycles. */
#include "model/block/dsb_layout.h"

#include <string.h>

#include "base/hash.h"

enum {
    MOST_AGAIN = 2,
    ONE_MORE = 4,      /* an instruction with a displacement and an immediate */
    MOST_ENTRIES = 64, /* after which a cycle ends anyhow: so many are microcode, told as µops or not */
    SHORT_TAPE = 192,  /* cycles, */
    LONG_TAPE = 3072   /* or else so many, of a table with a third more places */
};

/* The line of code that a byte lies in. */
static uint32_t line_at(const block *b, uint64_t at)
{
    const uint32_t bytes = b->arch->dsb_block_bytes;
    return (uint32_t)(bytes == 64 ? at / 64 : at / bytes);
}

static uint32_t line_of(const dsb_rows *r, const dsb_layout *l, const block *b)
{
    const uint32_t at = l->rows[r->insn].at;
    return b->mode == TACHO_MODE_UNROLL ? line_at(b, r->copy_offset + at) : at;
}

/* Goes on behind the instruction, or the pair that it begins; at the end of the code to the next copy or
 * iteration. *line: its line, then that of what follows. Returns whether that is the same one and is not
 * reached by a taken branch. */
static bool step(dsb_rows *r, const dsb_layout *l, const block *b, uint32_t *line)
{
    const uint32_t before = *line;
    const bool jumps = l->rows[r->insn].jumps;
    r->insn = l->rows[r->insn].next;
    if (b->mode != TACHO_MODE_UNROLL) {
        r->entered = jumps;
        *line = l->rows[r->insn].at;
        return !jumps && *line == before;
    }
    if (!r->insn) {
        const uint32_t next = r->copy_offset + b->size, passed = line_at(b, next);
        r->copy_offset = (uint8_t)(next - passed * b->arch->dsb_block_bytes);
        *line = 0;
        return passed == before;
    }
    *line = line_at(b, r->copy_offset + l->rows[r->insn].at);
    return *line == before;
}

/* What one look at a line of code finds. */
typedef struct look {
    uint32_t full;  /* rows */
    uint32_t count; /* entries of the DSB */
    dsb_rows rows;  /* behind the rows that can leave at once */
    uint32_t given; /* entries in these */
    bool rest;      /* the line goes on behind them */
} look;

/* A row is full. Returns whether the line has to be read again. */
static bool fill_row(look *k, dsb_rows *r, const block *b, bool rest, bool entered)
{
    r->insns = r->constants = 0;
    if (++k->full == b->arch->dsb_rows) {
        k->rows = *r;
        k->given = k->count;
        k->rest = rest;
    }
    return k->full == b->arch->dsb_rows + (entered ? 0u : 1u) && (entered || r->again < MOST_AGAIN);
}

/* The rest of a line, or as much of it as can leave at once. Returns whether it was all. */
static bool read_line(dsb_rows *place, const dsb_layout *l, const block *b, dsb_group *g)
{
    dsb_rows copy = *place, *r = &copy; /* in registers */
    const uint32_t room = b->arch->dsb_line_uops;
    const bool entered = r->entered;
    uint32_t most = b->arch->dsb_row_constants + (entered && !r->again ? ONE_MORE : 0u);
    bool same = true, again = false, beside_branch = entered && !r->again;
    look k = {0};
    uint32_t line = line_of(r, l, b);
    if (beside_branch)
        r->insns = r->constants = 0;
    bool microcode = false;
    while (same && !again && !microcode && k.count <= MOST_ENTRIES) {
        const dsb_row_insn *now = &l->rows[r->insn];
        if (r->constants + now->constants > most) {
            most = b->arch->dsb_row_constants;
            again = fill_row(&k, r, b, true, entered);
            if (again)
                break;
        }
        r->insns = (uint8_t)(r->insns + !(beside_branch || now->joined));
        r->constants = (uint8_t)(r->constants + now->constants);
        beside_branch = beside_branch && now->joined;
        k.count += now->entries;
        microcode = now->microcode;
        same = step(r, l, b, &line);
        if (r->insns == room || (r->constants == most && (entered || !same))) {
            most = b->arch->dsb_row_constants;
            again = fill_row(&k, r, b, same, entered);
        }
    }
    if (again) {
        g->microcode = microcode && k.given == k.count;
        k.rows.again = k.rest ? (uint8_t)(r->again + 1) : 0;
        k.rows.entered = k.rest ? entered : k.rows.entered;
        k.rows.wait = (uint8_t)(b->arch->dsb_again_cycles - k.rest);
        *place = k.rows;
        g->count += k.given;
        return false;
    }
    g->microcode = microcode;
    if (!k.full && !r->again)
        r->insns = r->constants = 0;
    r->again = same ? 1 : 0;
    r->entered = same ? entered : r->entered;
    g->count += k.count;
    *place = copy;
    return true;
}

void dsb_rows_reset(dsb_rows *r, const block *b)
{
    const bool copies = b->mode == TACHO_MODE_UNROLL;
    *r = (dsb_rows){.copy_offset = copies ? (uint8_t)(b->alignment % b->arch->dsb_block_bytes) : 0,
                    .entered = !copies};
}

static dsb_group one_cycle(dsb_rows *r, const dsb_layout *l, const block *b)
{
    dsb_group g = {0};
    if (r->wait) {
        r->wait--;
        return g;
    }
    const uint32_t line = line_of(r, l, b);
    if (!read_line(r, l, b, &g) || g.microcode || !r->entered || r->again || line_of(r, l, b) == line)
        return g;
    dsb_rows target = *r;
    dsb_group both = g;
    if (!read_line(&target, l, b, &both))
        return g;
    *r = target;
    return both;
}

dsb_row_cycle dsb_rows_cycle(dsb_rows *r, const dsb_layout *l, const block *b)
{
    const uint32_t first = l->dsb_first[r->insn];
    dsb_row_cycle c = {.state = dsb_rows_state(r), .first = first < l->dsb_entry_count ? first : 0};
    c.group = one_cycle(r, l, b);
    return c;
}

/* The cycles until one is as one before it, if they are no more than `most`; the first `known` of them are
 * there, and `rows` is behind these. */
static int make_tape(dsb_layout *l, const block *b, arena *a, dsb_rows *rows, uint32_t known, uint32_t most)
{
    const uint32_t places = most / 3 * 4;                       /* a power of two */
    uint16_t *number = arena_alloc(a, places * sizeof *number); /* of a cycle, by its state; from 1 */
    dsb_row_cycle *tape = arena_alloc_raw(a, most * sizeof *tape);
    if (!number || !tape)
        return TACHO_ERR_MEMORY;
    if (known)
        memcpy(tape, l->tape, known * sizeof *tape);
    l->tape = tape;
    for (uint32_t k = 0; k < most; k++) {
        const uint64_t state = k < known ? tape[k].state : dsb_rows_state(rows);
        uint32_t place = (uint32_t)(hash_add(0, state) >> 40) & (places - 1);
        while (number[place] && tape[number[place] - 1].state != state)
            place = (place + 1) & (places - 1);
        if (number[place]) {
            l->tape_count = k;
            l->tape_again = number[place] - 1u;
            return 0;
        }
        number[place] = (uint16_t)(k + 1);
        if (k >= known)
            tape[k] = dsb_rows_cycle(rows, l, b);
    }
    return 0;
}

int dsb_rows_make(dsb_layout *out, const block *b, arena *a)
{
    out->rows = arena_alloc_raw(a, b->insn_count * sizeof *out->rows);
    if (!out->rows)
        return TACHO_ERR_MEMORY;
    for (uint32_t i = 0; i < b->insn_count; i++) {
        const block_insn *bi = &b->insns[i], *last = bi + bi->fused_with_next;
        const uint32_t next = i + bi->fused_with_next + 1;
        out->rows[i] = (dsb_row_insn){
            .at = b->mode == TACHO_MODE_UNROLL ? bi->offset : line_at(b, bi->address),
            .entries = out->dsb_first[next] - out->dsb_first[i],
            .next = (uint16_t)(next == b->insn_count ? 0 : next),
            .constants = (uint8_t)(block_constant_room(bi) + (last != bi ? block_constant_room(last) : 0)),
            .joined = bi->joined,
            .microcode = bi->uops_ms > 0,
            .jumps = last->jumps,
        };
    }
    dsb_rows rows;
    dsb_rows_reset(&rows, b);
    const int failed = make_tape(out, b, a, &rows, 0, SHORT_TAPE);
    return failed || out->tape_count ? failed : make_tape(out, b, a, &rows, SHORT_TAPE, LONG_TAPE);
}
