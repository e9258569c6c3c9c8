/* dsb.c - the decoded stream buffer: which of a loop's code blocks it can hold, and what it delivers in a
 * cycle. uiCA paper, section 4.1.1; Agner Fog, The microarchitecture of Intel, AMD and VIA CPUs, on the µop
 * cache; JCC erratum: Intel, Mitigations for Jump Conditional Code Erratum. */
#include "sim/sim.h"

static bool fits_signed(int64_t value, int bits)
{
    return value >= -((int64_t)1 << (bits - 1)) && value < (int64_t)1 << (bits - 1);
}

/* Immediates share a line's space with µops: large ones take a second slot. */
bool dsb_extra_slot(const block_insn *bi)
{
    for (int i = 0; i < bi->insn->visible_count; i++) {
        const tacho_operand *op = &bi->insn->operands[i];
        if (op->kind != TACHO_OPERAND_IMM)
            continue;
        if (!fits_signed(op->imm, 32))
            return true;
        if (bi->mem_count && !fits_signed(op->imm, 16))
            return true;
    }
    return false;
}

static uint64_t start_of(const sim *s, uint32_t insn)
{
    return s->b->insns[insn].address;
}

/* The last byte of the instruction, or of the pair that it is fused with. */
static uint64_t last_byte(const sim *s, uint32_t insn)
{
    uint32_t last = insn + s->b->insns[insn].fused_with_next;
    return start_of(s, last) + s->b->insns[last].insn->length - 1;
}

static bool jcc_erratum(const sim *s, uint32_t insn)
{
    const block_insn *bi = &s->b->insns[insn];
    if (!(bi->is_branch || bi->fused_with_next || bi->insn->is_call || bi->insn->is_ret) ||
        bi->fused_into_previous)
        return false;
    uint64_t first = start_of(s, insn), end = last_byte(s, insn) + 1;
    return first / 32 != (end - 1) / 32 || end % 32 == 0;
}

/* Places an instruction after `used` slots of a line; returns whether it begins a new one. All its µops lie
 * in one line; microcode has a line of its own. */
static bool place(const sim *s, const block_insn *bi, uint32_t *used)
{
    uint32_t slots = (bi->uops_mite ? bi->uops_mite : 1u) + dsb_extra_slot(bi);
    bool begins = *used == 0 || bi->uops_ms || *used + slots > s->arch->dsb_line_uops;
    *used = (begins ? 0 : *used) + slots;
    if (bi->uops_ms)
        *used = s->arch->dsb_line_uops;
    return begins;
}

/* A fused pair's second instruction has no µops of its own. */
static bool has_slots(const block_insn *bi)
{
    return !bi->fused_into_previous;
}

/* Too many instructions with slow length decoding and possible macro-fusion: the last one in the first 16
 * bytes and two or more in the second. (An observation, not an explanation.) */
static bool too_many_slow(const sim *s, uint32_t first, uint32_t end)
{
    uint32_t last_low = UINT32_MAX, high = 0;
    for (uint32_t i = first; i < end; i++) {
        const block_insn *bi = &s->b->insns[i];
        bool slow = bi->insn->lcp && bi->fusible;
        if ((start_of(s, i) + bi->insn->opcode_offset) % 32 < 16 && start_of(s, i) % 32 < 16)
            last_low = i;
        else
            high += slow;
    }
    return last_low != UINT32_MAX && s->b->insns[last_low].insn->lcp && s->b->insns[last_low].fusible &&
           high >= 2;
}

/* Whether the instructions [first, end), all of one block, can be held. */
static bool block_cacheable(sim *s, uint32_t first, uint32_t end)
{
    uint32_t lines = 0, used = 0, half = first;
    for (uint32_t i = first; i < end; i++) {
        block_insn *bi = &s->b->insns[i];
        if (!s->arch->branch_ends_dsb_block && jcc_erratum(s, i)) {
            bi->notes |= TACHO_NOTE_JCC_ERRATUM;
            return false;
        }
        lines += has_slots(bi) && place(s, bi, &used);
        used = bi->jumps ? 0 : used; /* the target's µops begin a line */
        if (i + 1 == end || start_of(s, i + 1) / 32 != start_of(s, half) / 32) {
            if (too_many_slow(s, half, i + 1))
                return false;
            half = i + 1;
        }
    }
    return lines <= s->arch->dsb_lines_per_block;
}

static void find_cached(sim *s)
{
    uint32_t n = s->b->insn_count, size = s->arch->dsb_block_bytes;
    for (uint32_t i = 0; i < n;) {
        uint64_t number = start_of(s, i) / size;
        uint32_t end = i;
        while (end < n && start_of(s, end) / size == number)
            end++;
        bool ok = block_cacheable(s, i, end);
        for (uint32_t k = i; k < end; k++)
            s->insn_cached[k] = ok;
        i = end;
    }
    if (!s->arch->dsb_needs_both_halves)
        return;
    for (uint32_t i = 0; i < n;) {
        uint64_t line = start_of(s, i) / 64;
        uint32_t end = i;
        bool ok = true;
        for (; end < n && start_of(s, end) / 64 == line; end++)
            ok &= s->insn_cached[end];
        for (uint32_t k = i; k < end; k++)
            s->insn_cached[k] = ok;
        i = end;
    }
}

static void add_entries(sim *s, uint32_t insn, uint32_t *used)
{
    const block_insn *bi = &s->b->insns[insn];
    uint32_t count = bi->uops_ms && bi->uops_mite < bi->laminated_count ? bi->uops_mite : bi->laminated_count;
    s->dsb_first[insn] = s->dsb_entry_count;
    if (!has_slots(bi) || !count)
        return;
    if (place(s, bi, used) && s->dsb_entry_count)
        s->dsb_entries[s->dsb_entry_count - 1].ends_line = true;
    for (uint32_t u = 0; u < count; u++) {
        dsb_entry *previous = s->dsb_entry_count ? &s->dsb_entries[s->dsb_entry_count - 1] : NULL;
        uint8_t slot = previous && !previous->ends_line ? previous->slot + 1 : 0;
        bool last = u + 1 == count;
        s->dsb_entries[s->dsb_entry_count++] =
            (dsb_entry){.laminated = bi->laminated_first + u,
                        .insn = (uint16_t)insn,
                        .slot = slot,
                        .first_of_insn = u == 0,
                        .extra_slot = last && dsb_extra_slot(bi),
                        .microcode = last && bi->uops_ms,
                        .branch = last && (bi->is_branch || bi->fused_with_next)};
    }
}

int dsb_layout(sim *s, arena *a)
{
    const block *b = s->b;
    s->insn_cached = arena_alloc(a, b->insn_count + 1u);
    s->dsb_first = arena_alloc(a, (b->insn_count + 1u) * sizeof *s->dsb_first);
    s->dsb_entries = arena_alloc(a, (b->laminated_count + 1u) * sizeof *s->dsb_entries);
    if (!s->insn_cached || !s->dsb_first || !s->dsb_entries)
        return TACHO_ERR_MEMORY;
    s->dsb_entry_count = 0;
    s->any_dsb = false;
    if (b->mode != TACHO_MODE_LOOP)
        return 0;
    find_cached(s);
    uint32_t used = 0;
    uint64_t current = UINT64_MAX;
    for (uint32_t i = 0; i < b->insn_count; i++) {
        uint64_t now = start_of(s, i) / s->arch->dsb_block_bytes;
        if ((now != current || s->b->insns[i - 1].jumps) && s->dsb_entry_count) {
            s->dsb_entries[s->dsb_entry_count - 1].ends_line = true;
            used = 0;
        }
        current = now;
        add_entries(s, i, &used);
        s->any_dsb |= s->insn_cached[i];
    }
    s->dsb_first[b->insn_count] = s->dsb_entry_count;
    if (s->dsb_entry_count)
        s->dsb_entries[s->dsb_entry_count - 1].ends_line = true;
    return 0;
}

static const uint8_t after_fresh[7] = {6, 4, 4, 2, 2, 1, 0};

/* What the next line can still give in a cycle, after `given` µops of the line that `e` ends; `fresh`: that
 * line was begun in this cycle. Observed for units that deliver 6, before Ice Lake. */
static uint32_t second_line_limit(const sim *s, const dsb_entry *e, uint32_t given, uint32_t left, bool fresh,
                                  bool delayed)
{
    uint32_t next = s->dsb_entries[s->fe.dsb_position].insn;
    bool same_block =
        start_of(s, next) / s->arch->dsb_block_bytes == start_of(s, e->insn) / s->arch->dsb_block_bytes;
    if (same_block)
        return e->branch && s->arch->dsb_block_bytes == 32 && !delayed ? 0 : left;
    if (fresh)
        return after_fresh[given];
    if (!e->branch)
        return left;
    if (given == 1 || (given == 2 && e->slot >= 4))
        return 4;
    return left < 2 ? left : 2;
}

/* The same from Ice Lake on: in a cycle that began inside a line, the next line comes as a whole or not at
 * all. */
static uint32_t second_line_that_fits(const sim *s, uint32_t given, uint32_t left, bool fresh,
                                      bool extra_given)
{
    if (fresh)
        return after_fresh[given];
    uint32_t slots = 0, position = s->fe.dsb_position;
    bool extra = extra_given;
    for (;; position++) {
        const dsb_entry *e = &s->dsb_entries[position];
        if (e->extra_slot && extra)
            return 0;
        extra |= e->extra_slot;
        slots += 1u + e->extra_slot;
        if (e->ends_line)
            return slots <= left ? left : 0;
    }
}

/* A line that ends in microcode is not begun as the second one of a cycle. */
static bool line_has_microcode(const sim *s, uint32_t position)
{
    while (!s->dsb_entries[position].ends_line)
        position++;
    return s->dsb_entries[position].microcode;
}

static void push_entry(sim *s, const dsb_entry *e)
{
    const block_insn *bi = &s->b->insns[e->insn];
    uint32_t end = bi->laminated_first + bi->laminated_count;
    if (e->first_of_insn)
        idq_begin_insn(s, e->insn, s->fe.dsb_at.iteration, FROM_DSB);
    uint8_t flags = (e->first_of_insn ? IDQ_FIRST_OF_INSN : 0) | (e->laminated + 1 == end ? IDQ_LAST : 0);
    idq_push(s, e->laminated, e->insn, s->fe.dsb_at.iteration, flags, FROM_DSB);
    if (e->microcode)
        sequencer_start(s, e->insn, s->fe.dsb_at.iteration, e->laminated + 1, end,
                        s->arch->dsb_ms_stall_cycles, 0);
}

/* Moves to the next entry; at a block that the DSB does not hold, delivery goes to the decoders. Returns
 * whether the DSB can go on. */
static bool advance(sim *s)
{
    front_end *fe = &s->fe;
    uint32_t insn = s->dsb_entries[fe->dsb_position].insn;
    fe->dsb_position++;
    if (fe->dsb_position == s->dsb_entry_count) {
        fe->dsb_position = 0;
        fe->dsb_at.iteration++;
    }
    uint32_t next = s->dsb_entries[fe->dsb_position].insn;
    fe->dsb_at.insn = next;
    if (next == insn && s->dsb_entry_count > 1 && fe->dsb_position)
        return true;
    if (s->insn_cached[next])
        return true;
    fe->source = FROM_MITE;
    if (!fe->pre.prepared)
        predecoder_start(s, &fe->pre, fe->dsb_at);
    return false;
}

uint32_t dsb_tick(sim *s)
{
    front_end *fe = &s->fe;
    bool fresh = s->dsb_entries[fe->dsb_position].slot == 0, second = false, delayed = fe->dsb_delayed;
    bool extra_given = false;
    uint32_t given = 0, left = s->arch->dsb_width;
    fe->dsb_delayed = false;
    while (left) {
        const dsb_entry e = s->dsb_entries[fe->dsb_position];
        if (e.extra_slot && (left < 2 || extra_given))
            break;
        push_entry(s, &e);
        given++;
        left -= 1u + e.extra_slot;
        if (e.extra_slot && s->arch->dsb_extra_slot_ends_cycle) {
            left = 0;
            fe->dsb_delayed = true;
        }
        extra_given |= e.extra_slot;
        if (!advance(s) || e.microcode)
            break;
        if (!e.ends_line || !left)
            continue;
        if (second || line_has_microcode(s, fe->dsb_position))
            break;
        second = true;
        if (s->arch->dsb_width != 6 || given > 6)
            continue;
        left = s->arch->dsb_second_line_fits ? second_line_that_fits(s, given, left, fresh, extra_given)
                                             : second_line_limit(s, &e, given, left, fresh, delayed);
    }
    return given;
}
