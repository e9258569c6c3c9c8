/* bounds_front_end.c - how fast the predecoder, the decoders and the DSB are when nothing behind them delays
 * them. The rules are those of the uiCA paper, section 4.1.1, and of src/model/sim, with which the tests
 * compare. Here a step is a 16-byte block, a decode group or a DSB cycle, and the steps go on only until the
 * unit's state recurs. */
#include "base/number.h"
#include "model/bounds/bounds.h"

enum {
    MAX_BLOCK_BYTES = 64 /* tacho_arch_check */
};

/* ---- predecoder ---- */

/* One block: the instructions that end in it. */
typedef struct predecode_block {
    uint32_t insns, lcps;
    bool crosses; /* the next instruction has its opcode byte here and its end in the next block */
} predecode_block;

/* Cycles that a block takes. *busy: how many of them are no stalls; on input, of the block before, on output,
 * of this one. Slow length decoding hides behind extra cycles of the block before. */
static uint32_t block_cycles(const tacho_arch *arch, const predecode_block *p, uint32_t *busy)
{
    uint32_t width = arch->predecode_width, cycles = (p->insns + width - 1) / width;
    if (!p->insns)
        cycles = 1;
    else if (p->crosses && p->insns % width == 0)
        cycles++;
    uint32_t hidden = *busy > 1 ? *busy - 1 : 0, penalty = p->lcps * arch->lcp_penalty_cycles;
    *busy = cycles;
    return cycles + (penalty > hidden ? penalty - hidden : 0);
}

/* One pass over a loop: every taken branch begins a block afresh. */
static uint32_t loop_pass(const block *b, uint32_t *busy)
{
    uint64_t bytes = b->arch->predecode_block_bytes, end = 0;
    predecode_block p = {0};
    bool open = false;
    uint32_t cycles = 0;
    for (const block_insn *bi = b->insns; bi < b->insns + b->insn_count; bi++) {
        if (!open)
            end = bi->address / bytes * bytes + bytes;
        open = true;
        for (; bi->address + bi->length > end; end += bytes) {
            p.crosses = bi->address + bi->opcode_offset < end;
            p.lcps += bi->lcp && bi->address < end && bi->address + bytes >= end;
            cycles += block_cycles(b->arch, &p, busy);
            p = (predecode_block){0};
        }
        p.insns++;
        p.lcps += bi->lcp && bi->address + bytes >= end;
        if (bi->jumps) {
            cycles += block_cycles(b->arch, &p, busy);
            p = (predecode_block){0};
            open = false;
        }
    }
    return cycles;
}

/* What lies before each byte of the code. */
typedef struct byte_place {
    uint16_t ends;        /* instructions that end at or before it */
    uint16_t crosses : 1; /* it is inside an instruction, after its opcode byte */
    uint16_t lcps : 15;   /* instructions with slow length decoding that begin before it */
} byte_place;

static byte_place *map_bytes(const block *b, arena *a)
{
    byte_place *map = arena_alloc_raw(a, (b->size + 1u) * sizeof *map);
    byte_place now = {0, 0, 0};
    uint32_t at = 0;
    if (!map)
        return NULL;
    for (const block_insn *bi = b->insns; bi < b->insns + b->insn_count; bi++) {
        uint32_t opcode = bi->offset + bi->opcode_offset, end = bi->offset + bi->length;
        for (; at <= bi->offset; at++)
            map[at] = now;
        now.lcps = (now.lcps + bi->lcp) & 0x7fff;
        for (; at <= opcode; at++)
            map[at] = now;
        now.crosses = 1;
        for (; at < end; at++)
            map[at] = now;
        now.crosses = 0;
        now.ends++;
    }
    for (; at <= b->size; at++)
        map[at] = now;
    return map;
}

/* Cycles of a block for each number of instructions that end in it, without and with an instruction that
 * crosses its end. */
static void fill_cycles(uint8_t cycles[][2], const tacho_arch *arch)
{
    uint32_t width = arch->predecode_width, left = 0, now = 0;
    cycles[0][0] = cycles[0][1] = 1;
    for (uint32_t n = 1; n <= arch->predecode_block_bytes; n++) {
        now += left == 0;
        left = left ? left - 1 : width - 1;
        cycles[n][0] = (uint8_t)now;
        cycles[n][1] = (uint8_t)(now + (left == 0));
    }
}

/* Whether the code is short enough for two bit masks with one bit a byte (where instructions end, and which
 * bytes lie inside one after its opcode byte), and has no slow lengths. */
static bool mark_bytes(const block *b, uint64_t *ends, uint64_t *inside)
{
    *ends = *inside = 0;
    if (b->size < 16 || b->size > 63 || b->arch->predecode_block_bytes != 16)
        return false;
    uint32_t slow = 0;
    for (const block_insn *bi = b->insns; bi < b->insns + b->insn_count; bi++) {
        uint32_t opcode = bi->offset + bi->opcode_offset, end = bi->offset + bi->length;
        *ends |= (uint64_t)1 << (end - 1);
        *inside |= (((uint64_t)1 << end) - 1) & ~(((uint64_t)2 << opcode) - 1);
        slow |= bi->lcp;
    }
    return !slow;
}

static uint64_t short_cycles(const block *b, uint64_t ends, uint64_t inside, uint32_t at, uint32_t blocks)
{
    uint8_t cycles_of[MAX_BLOCK_BYTES + 1][2];
    uint64_t cycles = 0;
    fill_cycles(cycles_of, b->arch);
    for (uint32_t k = 0; k < blocks; k++) {
        uint64_t rotated = ends >> at | ends << (b->size - at);
        at += 16;
        at -= at >= b->size ? b->size : 0;
        cycles += cycles_of[bits_in_16(rotated & 0xffff)][inside >> at & 1];
    }
    return cycles;
}

/* The cycles of this many blocks of unrolled copies without slow lengths, from code offset `at` on. */
static uint64_t plain_cycles(const block *b, const byte_place *map, uint32_t at, uint32_t blocks)
{
    uint32_t bytes = b->arch->predecode_block_bytes, size = b->size, all_ends = map[size].ends;
    uint8_t cycles_of[MAX_BLOCK_BYTES + 1][2];
    uint64_t cycles = 0;
    uint32_t before = map[at].ends;
    fill_cycles(cycles_of, b->arch);
    for (uint32_t k = 0; k < blocks; k++) {
        uint32_t ends = 0;
        at += bytes;
        for (; at >= size; at -= size)
            ends += all_ends;
        uint32_t insns = ends + map[at].ends - before;
        before = map[at].ends;
        cycles += cycles_of[insns][map[at].crosses];
    }
    return cycles;
}

/* Copies one after the other: after `bytes` / gcd copies the blocks lie as at the start. */
static double unrolled_predecode(const bounds_input *in)
{
    const block *b = in->b;
    uint32_t bytes = b->arch->predecode_block_bytes, size = b->size;
    uint32_t divisor = (uint32_t)greatest_common_divisor(size, bytes);
    uint32_t blocks = size / divisor, busy = 0;
    uint64_t cycles = 0, ends_at, inside;
    /* code offset at which a block begins; one more at first, to know what the block before took */
    uint32_t at = (size - b->alignment % size) % size;
    if (mark_bytes(b, &ends_at, &inside))
        return (double)short_cycles(b, ends_at, inside, at, blocks) * divisor / bytes;
    const byte_place *map = map_bytes(b, in->memory);
    if (!map)
        return NAN;
    uint32_t all_ends = map[size].ends, all_lcps = map[size].lcps;
    if (!all_lcps)
        return (double)plain_cycles(b, map, at, blocks) * divisor / bytes;
    for (uint32_t k = 0; k <= blocks; k++) {
        uint32_t end = at + bytes, ends = 0, lcps = 0;
        for (; end >= size; end -= size) {
            ends += all_ends;
            lcps += all_lcps;
        }
        const byte_place *from = &map[at], *to = &map[end];
        predecode_block p = {ends + to->ends - from->ends, (lcps + to->lcps - from->lcps) & 0x7fff,
                             to->crosses};
        uint32_t taken = block_cycles(b->arch, &p, &busy);
        cycles += k ? taken : 0;
        at = end;
    }
    return (double)cycles * divisor / bytes;
}

double bounds_predecode(const bounds_input *in)
{
    if (in->b->mode == TACHO_MODE_UNROLL)
        return unrolled_predecode(in);
    uint32_t busy = 0;
    loop_pass(in->b, &busy);
    return loop_pass(in->b, &busy);
}

/* ---- a unit that goes on until its state recurs ---- */

typedef struct visit {
    uint32_t iteration, cycle;
    bool seen;
} visit;

/* Notes that the unit is in `state` at the start of a cycle. If it was in this state before, *result is the
 * number of cycles per iteration since then. States that recur within one iteration do not count. */
static bool recurs(visit *visits, uint32_t state, uint32_t iteration, uint32_t cycle, double *result)
{
    visit *v = &visits[state];
    if (v->seen && iteration > v->iteration) {
        *result = (double)(cycle - v->cycle) / (iteration - v->iteration);
        return true;
    }
    if (!v->seen)
        *v = (visit){iteration, cycle, true};
    return false;
}

/* The sequencer's cycles for what the decoders or the DSB leave of an instruction. */
static uint32_t sequencer_cycles(const block *b, const block_insn *bi, uint32_t stalls)
{
    uint32_t slots = bi->uops_mite < bi->laminated_count ? bi->laminated_count - bi->uops_mite : 0;
    uint32_t uops = bi->uops_ms > slots ? bi->uops_ms : slots;
    return stalls + (uops + b->arch->ms_width - 1) / b->arch->ms_width;
}

/* ---- decoders ---- */

typedef struct decode_state {
    uint32_t next, iteration, cycles;
} decode_state;

/* One decode group: a cycle of the decoders, and those of the sequencer if the group ends in microcode. */
static void decode_group(const block *b, decode_state *d)
{
    uint32_t taken = 0, simple_left = b->arch->decoders - 1u;
    d->cycles++;
    for (;;) {
        const block_insn *bi = &b->insns[d->next];
        if (taken && (bi->complex_decoder || simple_left == 0))
            return;
        if (bi->fusible && !b->arch->fusible_on_last_decoder && taken == b->arch->decoders - 1u)
            return;
        if (taken)
            simple_left--;
        else if (bi->complex_decoder && bi->simple_decoders < simple_left)
            simple_left = bi->simple_decoders;
        taken++;
        d->next += 1u + bi->fused_with_next;
        if (d->next >= b->insn_count) {
            d->next = 0;
            d->iteration++;
        }
        if (bi->uops_ms)
            d->cycles += sequencer_cycles(b, bi, 2);
        if (bi->uops_ms || bi->is_branch || bi->fused_with_next)
            return;
    }
}

double bounds_decode(const bounds_input *in)
{
    visit *visits = arena_alloc(in->memory, in->b->insn_count * sizeof *visits);
    decode_state d = {0, 0, 0};
    double result = NAN;
    if (!visits)
        return NAN;
    while (!recurs(visits, d.next, d.iteration, d.cycles, &result))
        decode_group(in->b, &d);
    return result;
}

/* ---- DSB ---- */

/* Where the DSB gives rows: cycles an iteration, of what it gave in these cycles. */
static double rows_result(const bounds_input *in, uint32_t cycles, uint64_t given)
{
    return given ? (double)cycles * in->layout->dsb_entry_count / (double)given : NAN;
}

/* Without microcode, of the cycles that come again and again. */
static double tape_cycles(const bounds_input *in)
{
    const dsb_layout *l = in->layout;
    uint64_t given = 0;
    for (uint32_t k = l->tape_again; k < l->tape_count; k++)
        given += l->tape[k].group.count;
    return rows_result(in, l->tape_count - l->tape_again, given);
}

/* The same of any code (Brent's way to find a period, which needs no table). */
static double rows_cycles(const bounds_input *in)
{
    enum {
        MOST = 1 << 14 /* cycles; all periods are far shorter */
    };
    const block *b = in->b;
    const uint32_t entries = in->layout->dsb_entry_count;
    dsb_rows rows, model;
    uint64_t given = 0;
    uint32_t power = 1, cycles = 0, total = 0;
    dsb_rows_reset(&rows, b);
    model = rows;
    do {
        if (cycles == power) {
            model = rows;
            power *= 2;
            given = cycles = 0;
        }
        uint32_t first = rows.insn;
        dsb_group g = dsb_rows_cycle(&rows, in->layout, b).group;
        given += g.count;
        cycles++;
        total++;
        if (g.microcode) {
            uint32_t last = (in->layout->dsb_first[first] + g.count - 1) % entries;
            cycles += sequencer_cycles(b, &b->insns[in->layout->dsb_entries[last].insn],
                                       b->arch->dsb_ms_stall_cycles);
        }
    } while (total < MOST && dsb_rows_state(&rows) != dsb_rows_state(&model));
    return rows_result(in, cycles, given);
}

double bounds_dsb(const bounds_input *in)
{
    const dsb_layout *l = in->layout;
    if (!l->all_cached || !l->dsb_entry_count)
        return NAN;
    double result = NAN;
    if (in->b->arch->dsb_rows)
        return l->tape_count && !in->b->has_microcode ? tape_cycles(in) : rows_cycles(in);
    visit *visits = arena_alloc(in->memory, 2 * l->dsb_entry_count * sizeof *visits);
    uint32_t position = 0, iteration = 0, cycles = 0;
    bool delayed = false;
    if (!visits)
        return NAN;
    while (!recurs(visits, 2 * position + delayed, iteration, cycles, &result)) {
        dsb_group g = dsb_layout_group(l, in->b, position, delayed);
        uint32_t last = position + g.count - 1;
        if (g.microcode)
            cycles += sequencer_cycles(in->b, &in->b->insns[l->dsb_entries[last % l->dsb_entry_count].insn],
                                       in->b->arch->dsb_ms_stall_cycles);
        iteration += (position + g.count) / l->dsb_entry_count;
        position = g.next;
        delayed = g.delayed;
        cycles++;
    }
    return fmax(result, (double)l->by_bytes / in->b->arch->dsb_block_bytes);
}
