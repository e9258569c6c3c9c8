/* dsb_layout.c - the decoded stream buffer: which of a loop's code blocks it can hold, and what it delivers
 * in a cycle; and whether the loop stream detector takes the loop. uiCA paper, section 4.1.1; Agner Fog, The
 * microarchitecture of Intel, AMD and VIA CPUs, on the µop cache; JCC erratum: Intel, Mitigations for Jump
 * Conditional Code Erratum. */
#include "base/search.h"
#include "model/block/dsb_layout.h"

static uint64_t start_of(const block *b, uint32_t insn)
{
    return b->insns[insn].address;
}

/* The last byte of the instruction, or of the pair that it is fused with. */
static uint64_t last_byte(const block *b, uint32_t insn)
{
    uint32_t last = insn + b->insns[insn].fused_with_next;
    return start_of(b, last) + b->insns[last].length - 1;
}

static bool jcc_erratum(const block *b, uint32_t insn)
{
    const block_insn *bi = &b->insns[insn];
    if (!(bi->is_transfer || bi->fused_with_next) || bi->fused_into_previous)
        return false;
    uint64_t first = start_of(b, insn), end = last_byte(b, insn) + 1;
    return first / 32 != (end - 1) / 32 || end % 32 == 0;
}

/* What of a line is taken. */
typedef struct line_use {
    uint32_t slots, constants;
} line_use;

/* Places an instruction in a line after what it has; returns whether it begins a new one. All its µops lie
 * in one line; microcode has a line of its own. */
static bool place(const block *b, const block_insn *bi, line_use *used)
{
    const uint32_t slots = (bi->uops_mite ? bi->uops_mite : 1u) + bi->extra_slot,
                   places = b->arch->dsb_line_places;
    const uint32_t constants = bi->constants + (bi->fused_with_next ? bi[1].constants : 0u);
    bool begins = used->slots == 0 || bi->uops_ms || used->slots + slots > b->arch->dsb_line_uops ||
                  (places && 2 * (used->slots + slots) + used->constants + constants > places);
    if (begins)
        *used = (line_use){0, 0};
    used->slots += slots;
    used->constants += constants;
    if (bi->uops_ms)
        used->slots = b->arch->dsb_line_uops;
    return begins;
}

/* A fused pair's second instruction has no µops of its own. */
static bool has_slots(const block_insn *bi)
{
    return !bi->fused_into_previous;
}

/* Instructions of a block of code, in the order of their addresses. */
typedef struct insn_list {
    const uint32_t *insns;
    uint32_t count;
} insn_list;

/* Too many instructions with slow length decoding and possible macro-fusion: the last one in the first 16
 * bytes and two or more in the second. (An observation, not an explanation.) */
static bool too_many_slow(const block *b, insn_list half)
{
    uint32_t last_low = UINT32_MAX, high = 0;
    for (uint32_t k = 0; k < half.count; k++) {
        uint32_t i = half.insns[k];
        const block_insn *bi = &b->insns[i];
        bool slow = bi->lcp && bi->fusible;
        if ((start_of(b, i) + bi->opcode_offset) % 32 < 16 && start_of(b, i) % 32 < 16)
            last_low = i;
        else
            high += slow;
    }
    return last_low != UINT32_MAX && b->insns[last_low].lcp && b->insns[last_low].fusible && high >= 2;
}

/* Whether these instructions, all of one block, can be held. */
static bool block_cacheable(block *b, insn_list list)
{
    uint32_t lines = 0, half = 0;
    line_use used = {0, 0};
    bool slow = false;
    for (uint32_t k = 0; k < list.count; k++) {
        uint32_t i = list.insns[k];
        block_insn *bi = &b->insns[i];
        if (!b->arch->branch_ends_dsb_block && jcc_erratum(b, i)) {
            bi->notes |= TACHO_NOTE_JCC_ERRATUM;
            return false;
        }
        lines += has_slots(bi) && place(b, bi, &used);
        if (bi->jumps)
            used = (line_use){0, 0}; /* the target's µops begin a line */
        slow |= bi->lcp && b->arch->lcp_penalty_cycles;
        if (k + 1 == list.count ||
            start_of(b, list.insns[k + 1]) / 32 != start_of(b, list.insns[half]) / 32) {
            if (slow && too_many_slow(b, (insn_list){list.insns + half, k + 1 - half}))
                return false;
            half = k + 1;
            slow = false;
        }
    }
    return lines <= b->arch->dsb_lines_per_block;
}

/* The byte by which the instruction, or the pair that it is in, lies in a block of code. */
static uint64_t place_of(const block *b, uint32_t insn)
{
    return b->arch->dsb_by_last_byte ? last_byte(b, insn) : start_of(b, insn);
}

/* The first instruction from `i` on that does not lie in the same `size` bytes as that one. */
static uint32_t end_of_block(const block *b, uint32_t i, uint32_t size)
{
    uint64_t first = place_of(b, i) - place_of(b, i) % size;
    while (i < b->insn_count && place_of(b, i) - first < size)
        i++;
    return i;
}

/* The place in the list after the instructions that lie in the same `size` bytes as the one at `k`. */
static uint32_t end_in_list(const block *b, insn_list list, uint32_t k, uint32_t size)
{
    const uint64_t number = place_of(b, list.insns[k]) / size;
    do
        k++;
    while (k < list.count && place_of(b, list.insns[k]) / size == number);
    return k;
}

/* Which instructions lie in blocks that the DSB holds: blocks of `order`, in which each is in one place. */
static void find_cached(block *b, dsb_layout *l, insn_list order)
{
    bool all = true;
    for (uint32_t k = 0, end; k < order.count; k = end) {
        end = end_in_list(b, order, k, b->arch->dsb_block_bytes);
        bool ok = block_cacheable(b, (insn_list){order.insns + k, end - k});
        all &= ok;
        for (uint32_t i = k; i < end; i++)
            l->insn_cached[order.insns[i]] = ok;
    }
    if (all || !b->arch->dsb_needs_both_halves)
        return;
    for (uint32_t k = 0, end; k < order.count; k = end) {
        bool ok = true;
        end = end_in_list(b, order, k, 64);
        for (uint32_t i = k; i < end; i++)
            ok &= l->insn_cached[order.insns[i]];
        for (uint32_t i = k; i < end; i++)
            l->insn_cached[order.insns[i]] = ok;
    }
}

/* An instruction of a path, which may come several times. */
typedef struct place_in_path {
    uint64_t address;
    uint32_t insn;
} place_in_path;

ORDER_BY_TWO(by_address, place_in_path, address, insn);

/* Code that a path goes through several times is held, or not held, as a whole. */
static int find_cached_of_path(block *b, dsb_layout *l, arena *a)
{
    const uint32_t n = b->insn_count;
    place_in_path *places = arena_alloc_raw(a, n * sizeof *places);
    uint32_t *order = arena_alloc_raw(a, n * sizeof *order), count = 0;
    if (!places || !order)
        return TACHO_ERR_MEMORY;
    for (uint32_t i = 0; i < n; i++)
        places[i] = (place_in_path){start_of(b, i), i};
    tacho_sort(places, n, sizeof *places, by_address);
    for (uint32_t k = 0; k < n; k++)
        if (!k || places[k].address != places[k - 1].address)
            order[count++] = places[k].insn;
    find_cached(b, l, (insn_list){order, count});
    for (uint32_t k = 1; k < n; k++)
        if (places[k].address == places[k - 1].address) {
            l->insn_cached[places[k].insn] = l->insn_cached[places[k - 1].insn];
            b->insns[places[k].insn].notes |= b->insns[places[k - 1].insn].notes & TACHO_NOTE_JCC_ERRATUM;
        }
    return 0;
}

/* Each instruction counts where it is met. */
static int find_cached_in_order(block *b, dsb_layout *l, arena *a)
{
    uint32_t *order = arena_alloc_raw(a, b->insn_count * sizeof *order);
    if (!order)
        return TACHO_ERR_MEMORY;
    for (uint32_t i = 0; i < b->insn_count; i++)
        order[i] = i;
    find_cached(b, l, (insn_list){order, b->insn_count});
    return 0;
}

static void add_entries(const block *b, dsb_layout *l, uint32_t insn, line_use *used)
{
    const block_insn *bi = &b->insns[insn];
    uint32_t count = bi->uops_ms && bi->uops_mite < bi->laminated_count ? bi->uops_mite : bi->laminated_count;
    l->dsb_first[insn] = l->dsb_entry_count;
    if (!has_slots(bi) || !count)
        return;
    dsb_entry *previous = l->dsb_entry_count ? &l->dsb_entries[l->dsb_entry_count - 1] : NULL;
    if (place(b, bi, used) && previous)
        previous->ends_line = true;
    for (uint32_t u = 0; u < count; u++) {
        dsb_entry *e = &l->dsb_entries[l->dsb_entry_count++];
        bool last = u + 1 == count;
        *e = (dsb_entry){.laminated = bi->laminated_first + u,
                         .insn = (uint16_t)insn,
                         .slot = previous && !previous->ends_line ? previous->slot + 1 : 0,
                         .first_of_insn = u == 0,
                         .extra_slot = last && bi->extra_slot,
                         .microcode = last && bi->uops_ms,
                         .branch = last && (bi->is_branch || bi->fused_with_next)};
        previous = e;
    }
}

static void lay_out_lines(const block *b, dsb_layout *l)
{
    line_use used = {0, 0};
    uint32_t end = 0;
    for (uint32_t i = 0; i < b->insn_count; i++) {
        bool begins = i == end;
        if (begins)
            end = end_of_block(b, i, b->arch->dsb_block_bytes);
        if (l->dsb_entry_count && (begins || b->insns[i - 1].jumps)) {
            l->dsb_entries[l->dsb_entry_count - 1].ends_line = true;
            used = (line_use){0, 0};
        }
        add_entries(b, l, i, &used);
        l->any_cached |= l->insn_cached[i];
        l->all_cached &= l->insn_cached[i];
    }
    l->dsb_first[b->insn_count] = l->dsb_entry_count;
    if (l->dsb_entry_count)
        l->dsb_entries[l->dsb_entry_count - 1].ends_line = true;
}

/* Where each line of code comes as it is read, in rows (dsb_rows.c): entries without lines. Unrolled copies,
 * too, lie differently in each line of code. */
static void lay_out_without_lines(const block *b, dsb_layout *l)
{
    line_use used = {0, 0};
    l->any_cached = l->all_cached = true;
    memset(l->insn_cached, true, b->insn_count);
    for (uint32_t i = 0; i < b->insn_count; i++)
        add_entries(b, l, i, &used);
    l->dsb_first[b->insn_count] = l->dsb_entry_count;
    for (uint32_t k = 0; k < l->dsb_entry_count; k++)
        l->dsb_entries[k].ends_line = false;
}

uint32_t dsb_layout_bytes(const block *b, uint32_t insn)
{
    uint32_t bytes = b->insns[insn].length;
    for (uint32_t i = (insn + 1) % b->insn_count; i != insn && !has_slots(&b->insns[i]);
         i = (i + 1) % b->insn_count)
        bytes += b->insns[i].length;
    return bytes;
}

/* Copies of the code come a line a cycle at most: its bytes, if that is slower than they are issued; or 0. */
static uint32_t limiting_bytes(const block *b)
{
    uint32_t bytes = 0;
    for (uint32_t i = 0; i < b->insn_count; i++)
        bytes += b->insns[i].length;
    const bool limits = bytes * b->arch->issue_width > b->arch->dsb_block_bytes * b->issue_slots;
    return b->arch->dsb_one_line && limits ? bytes : 0;
}

/* The loop is small and plain enough to be streamed from the µop queue. */
static bool fits_lsd(const block *b, const dsb_layout *l)
{
    return b->arch->lsd_enabled && l->all_cached && b->laminated_count > 0 &&
           b->laminated_count <= b->arch->idq_entries && !b->has_microcode && !b->has_stack &&
           !b->has_high8_write;
}

static int lay_out(dsb_layout *out, block *b, arena *a)
{
    uint32_t n = b->laminated_count;
    *out = (dsb_layout){.lsd_unroll = 1};
    out->insn_cached = arena_alloc(a, b->insn_count + 1u);
    out->dsb_first = arena_alloc(a, (b->insn_count + 1u) * sizeof *out->dsb_first);
    out->dsb_entries = arena_alloc_raw(a, (n + 1u) * sizeof *out->dsb_entries);
    if (!out->insn_cached || !out->dsb_first || !out->dsb_entries)
        return TACHO_ERR_MEMORY;
    if (n <= TACHO_LSD_UNROLL_MAX && b->arch->lsd_unroll[n])
        out->lsd_unroll = b->arch->lsd_unroll[n];
    if (n && (b->mode != TACHO_MODE_LOOP ? b->arch->dsb_holds_copies : b->arch->dsb_rows > 0)) {
        lay_out_without_lines(b, out);
        out->by_bytes = limiting_bytes(b);
        return 0;
    }
    if (b->mode != TACHO_MODE_LOOP)
        return 0;
    out->all_cached = true;
    if (b->in_pieces ? find_cached_of_path(b, out, a) : find_cached_in_order(b, out, a))
        return TACHO_ERR_MEMORY;
    lay_out_lines(b, out);
    out->fits_lsd = fits_lsd(b, out);
    return 0;
}

int dsb_layout_make(dsb_layout *out, block *b, arena *a)
{
    int rc = lay_out(out, b, a);
    return rc || !b->arch->dsb_rows ? rc : dsb_rows_make(out, b, a);
}

bool dsb_layout_takes_over(const dsb_layout *l, const block *b, uint32_t insn)
{
    return b->insns[insn].is_branch && l->insn_cached[insn + 1 == b->insn_count ? 0 : insn + 1];
}

tacho_uop_source dsb_layout_source(const dsb_layout *l, const block *b)
{
    if (l->fits_lsd)
        return TACHO_SOURCE_LSD;
    if (!l->any_cached)
        return TACHO_SOURCE_MITE;
    if (l->all_cached)
        return b->has_microcode ? TACHO_SOURCE_MIXED : TACHO_SOURCE_DSB;
    bool dsb = l->insn_cached[0], from_dsb = false, from_mite = false;
    for (uint32_t k = 0; k < 2 * b->insn_count; k++) {
        uint32_t i = k % b->insn_count;
        dsb &= l->insn_cached[i];
        from_dsb |= dsb;
        from_mite |= !dsb || b->insns[i].uops_ms;
        dsb |= dsb_layout_takes_over(l, b, i);
    }
    return from_dsb && from_mite ? TACHO_SOURCE_MIXED : from_dsb ? TACHO_SOURCE_DSB : TACHO_SOURCE_MITE;
}

/* ---- what the DSB delivers in a cycle ---- */

static const uint8_t after_fresh[7] = {6, 4, 4, 2, 2, 1, 0};

/* Whether the branch `e` can be followed in its cycle by the line at `next`, to which it leads. Measured on
 * Cascade Lake: three stores of large immediates in 32 bytes, the branch in their second line, take 4 cycles
 * instead of 3; six, the branch alone behind the end of the 64 bytes, 7 instead of 6. */
static bool reaches_target(const dsb_layout *l, const block *b, const dsb_entry *e, uint32_t next)
{
    uint32_t from = start_of(b, e->insn), to = start_of(b, l->dsb_entries[next].insn);
    if (!b->arch->dsb_near_targets || !e->branch)
        return true;
    if (from / 32 != to / 32)
        return from / 64 == to / 64;
    while (!l->dsb_entries[next].ends_line)
        next++;
    return &l->dsb_entries[next] == e; /* the loop is one line */
}

/* A cycle that comes to the end of a line. */
typedef struct line_end {
    uint32_t next;    /* entry: where the next line begins */
    uint32_t given;   /* µops of the line that ends */
    uint32_t left;    /* of the cycle's width */
    bool fresh;       /* that line was begun in this cycle */
    bool delayed;     /* the cycle before ended at a large immediate */
    bool extra_given; /* this one has had a large immediate */
} line_end;

/* What the next line can still give in the cycle; `e` ends the line before. Observed for units that deliver
 * 6, before Ice Lake. A line is three pairs; a cycle that begins in the last one leaves two pairs of the next
 * line, an earlier one leaves one. Measured on Cascade Lake: 6, 10, 14, 18, 22 NOPs of 8 bytes in a loop,
 * four in a line, take 2, 3, 4, 5, 6 cycles. Where the decoders have a part in the loop, what is measured
 * fits the published rule, by how many were given; so it is kept there, and behind a cycle that a large
 * immediate ended. */
static uint32_t second_line_limit(const dsb_layout *l, const block *b, const dsb_entry *e, const line_end *c)
{
    uint32_t bytes = b->arch->dsb_block_bytes, next = c->next, given = c->given, left = c->left;
    if (start_of(b, l->dsb_entries[next].insn) / bytes == start_of(b, e->insn) / bytes)
        return !e->branch || bytes != 32                     ? left
               : c->delayed && reaches_target(l, b, e, next) ? (left < 4 ? left : 4)
                                                             : 0;
    if (c->fresh && !reaches_target(l, b, e, next))
        return 0;
    if (c->fresh)
        return after_fresh[given];
    const bool by_pairs = l->all_cached && !c->delayed;
    if (!e->branch && !by_pairs)
        return left;
    if ((given == 1 && !by_pairs) || (given <= 2 && e->slot >= 4))
        return 4;
    return left < 2 ? left : 2;
}

/* The same from Ice Lake on: in a cycle that began inside a line, the next line comes as a whole or not at
 * all. */
static uint32_t second_line_that_fits(const dsb_layout *l, const line_end *c)
{
    if (c->fresh)
        return after_fresh[c->given];
    uint32_t slots = 0;
    bool extra = c->extra_given;
    for (uint32_t next = c->next;; next++) {
        const dsb_entry *e = &l->dsb_entries[next];
        if (e->extra_slot && extra)
            return 0;
        extra |= e->extra_slot;
        slots += 1u + e->extra_slot;
        if (e->ends_line)
            return slots <= c->left ? c->left : 0;
    }
}

/* A line that ends in microcode is not begun as the second one of a cycle. */
static bool line_has_microcode(const dsb_layout *l, uint32_t position)
{
    while (!l->dsb_entries[position].ends_line)
        position++;
    return l->dsb_entries[position].microcode;
}

/* Whether the DSB can go on from one entry to the one after it: it holds what follows. */
static bool goes_on(const dsb_layout *l, uint32_t position, uint32_t next)
{
    uint32_t insn = l->dsb_entries[next].insn;
    return l->insn_cached[insn] || (next && insn == l->dsb_entries[position].insn);
}

dsb_group dsb_layout_group(const dsb_layout *l, const block *b, uint32_t position, bool delayed)
{
    const tacho_arch *arch = b->arch;
    bool fresh = l->dsb_entries[position].slot == 0, second = false, extra_given = false;
    uint32_t left = arch->dsb_width;
    dsb_group g = {.next = position};
    while (left) {
        uint32_t at = g.next;
        const dsb_entry *e = &l->dsb_entries[at];
        if (e->extra_slot && (left < 2 || extra_given))
            break;
        g.count++;
        g.microcode = e->microcode;
        left -= 1u + e->extra_slot;
        if (e->extra_slot && arch->dsb_extra_slot_ends_cycle) {
            left = 0;
            g.delayed = true;
        }
        extra_given |= e->extra_slot;
        g.next = at + 1 == l->dsb_entry_count ? 0 : at + 1;
        g.leaves = !goes_on(l, at, g.next);
        if (g.leaves || e->microcode)
            break;
        if (!e->ends_line || !left)
            continue;
        if (second || arch->dsb_one_line || line_has_microcode(l, g.next))
            break;
        second = true;
        if (arch->dsb_width != 6 || g.count > 6)
            continue;
        const line_end end = {g.next, g.count, left, fresh, delayed, extra_given};
        left = arch->dsb_second_line_fits ? second_line_that_fits(l, &end) : second_line_limit(l, b, e, &end);
    }
    return g;
}
