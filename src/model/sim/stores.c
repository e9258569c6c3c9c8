/* stores.c - stores in flight, and the loads that read from them. */
#include "base/hash.h"
#include "model/sim/inner_loop.h"

/* ---- store buffer ---- */

/* When stores reach the first-level cache: in order, once they have retired. One a cycle; or two in
 * succession to one line (from Ice Lake on); or all in succession to the same 32 bytes, and as many cycles
 * more as one reaches into others (Zen 3 and 4; measured); or two a cycle to any of the latest lines (Zen 5;
 * measured: stores that go round 12 lines take half a cycle each, round 16 lines one). Until then a store
 * takes an entry of the store buffer, and loads can have its data only by forwarding (Intel optimization
 * manual: store forwarding; pipeline model, sections 5 and 9). As with the reorder buffer, all of that is
 * known when the store is renamed. */

void store_buffer_reset(sim *s)
{
    s->stored.head = s->stored.tail = 0;
    s->stored.last = SIM_LONG_AGO;
    s->stored.alone = false;
    s->stored.next_more = 0;
    s->stored.made = 0;
    s->stored.line_free = SIM_LONG_AGO;
    s->stored.since[0] = s->stored.since[1] = s->stored.late = 0;
    memset(s->stored.gathered, 0xff, sizeof s->stored.gathered);
    memset(s->stored.filled, 0, sizeof s->stored.filled);
}

/* Whether the next store's line is one of those that are gathered; it is the latest one then. `*whole`: the
 * line that goes for it has been written to in all of its bytes. */
static bool gather(store_buffer *b, uint32_t lines, bool *whole)
{
    uint32_t k = 0;
    while (k < lines && b->gathered[k] != b->next_line)
        k++;
    const bool found = k < lines;
    const uint32_t at = found ? k : lines - 1;
    const uint64_t was = b->filled[at];
    *whole = was == UINT64_MAX;
    memmove(b->gathered + 1, b->gathered, at * sizeof *b->gathered);
    memmove(b->filled + 1, b->filled, at * sizeof *b->filled);
    b->gathered[0] = b->next_line;
    b->filled[0] = (found ? was : 0) | b->next_bytes;
    return found;
}

/* The cycle in which a store that takes a slot of two a cycle can go; one of a whole line takes both. */
static int32_t next_slot(store_buffer *b, int32_t earliest, bool both)
{
    const int32_t last = b->alone && !both ? b->last : b->last + 1;
    return last > earliest ? last : earliest;
}

static void take_slot(store_buffer *b, int32_t cycle, bool both)
{
    b->alone = !both && (cycle > b->last || !b->alone);
    b->last = cycle;
}

/* Whether the line that goes for another one takes a slot, as a store does. Measured on Zen 5: not where the
 * line behind the next one is near enough, nor where all of it was written. Once it has, the next three do.
 */
static bool goes_late(store_buffer *b, uint32_t ahead)
{
    const bool late = b->since[0] + b->since[1] > ahead;
    b->late = late ? STORE_LATE_LINES : b->late ? b->late - 1 : 0;
    b->since[1] = b->since[0];
    b->since[0] = 0;
    return ahead && (late || b->late);
}

/* Stores to any of the latest lines go on two a cycle, those of 64 bytes one. Other lines begin one a cycle,
 * but are begun as far ahead as their stores are seen. */
static int32_t next_gathered(sim *s, int32_t earliest)
{
    store_buffer *b = &s->stored;
    const uint32_t ahead = s->arch->store_lines_ahead;
    bool whole;
    const bool found = gather(b, s->arch->store_gather_lines, &whole);
    if (!found && goes_late(b, ahead) && !whole)
        take_slot(b, next_slot(b, earliest, false), false);
    int32_t cycle = next_slot(b, earliest, b->next_whole);
    if (!found) {
        const int32_t begun = cycle - (int32_t)(ahead / 2);
        cycle = b->line_free > cycle ? b->line_free : cycle;
        b->line_free = (b->line_free > begun ? b->line_free : begun) + 1;
    }
    b->since[0] += b->since[0] <= ahead;
    take_slot(b, cycle, b->next_whole);
    return cycle;
}

/* The cycle in which the next store reaches the cache, if it can from `earliest` on. */
static int32_t next_commit(sim *s, int32_t earliest)
{
    store_buffer *b = &s->stored;
    if (s->stores_unlimited)
        return b->last > earliest ? b->last : earliest;
    if (s->arch->store_gather_lines)
        return next_gathered(s, earliest);
    if (s->arch->paired_stores_same_line) {
        bool together = b->alone && b->line == b->next_line && b->last >= earliest;
        b->alone = !together || s->arch->store_write_bytes;
        b->line = b->next_line + b->next_more;
        return (together ? b->last : b->last >= earliest ? b->last + 1 : earliest) + (int32_t)b->next_more;
    }
    return b->last >= earliest ? b->last + 1 : earliest;
}

/* The latest stores whose µops are all renamed. */
static void note_commit(sim *s, uint32_t back)
{
    store_record *r = store_number(s, s->store_count - back);
    if (s->store_count > back && r->commit == STORE_INCOMPLETE)
        r->commit = s->stored.last;
}

static uint64_t low_bits(uint64_t count)
{
    return count < 64 ? ((uint64_t)1 << count) - 1 : UINT64_MAX;
}

void store_buffer_aim(sim *s, uint64_t address, uint32_t bytes)
{
    const uint64_t end = address % 64 + bytes;
    s->stored.next_bytes = low_bits(bytes) << address % 64;
    s->stored.next_rest = low_bits(end > 64 ? end - 64 : 0);
    const uint32_t unit = s->arch->store_write_bytes, shift = unit ? (uint32_t)__builtin_ctz(unit) : 6;
    s->stored.next_line = address >> shift;
    s->stored.next_more = unit ? (uint32_t)(((address + bytes - 1) >> shift) - s->stored.next_line) : 0;
}

void store_buffer_enter(sim *s, uint32_t stores)
{
    store_buffer *b = &s->stored;
    for (; stores; stores--) {
        b->last = next_commit(s, rob_last(&s->rob) + 1);
        if (b->next_splits) {
            b->next_line++;
            b->next_bytes = b->next_rest;
            b->last = next_commit(s, b->last);
        }
        if (s->compares)
            note_commit(s, stores - 1);
        if (s->track_lines)
            b->commit[b->tail++ & (SIM_STORE_BUFFER - 1)] = b->last;
    }
    b->next_line = b->next_bytes = b->next_more = 0; /* scattered, unless the next store says where */
    b->next_whole = b->next_splits = false;
}

/* ---- memory renaming ---- */

/* Memory renaming: loads that have their value from the register that was stored.
 *
 * The processor guesses by instructions, not by addresses: a load that read what the last instance of a
 * certain store instruction wrote, from its first byte on, is expected to do so again. Measured on Zen 5: a
 * counter in memory takes 1 cycle, and so does a sum of the element before it; a sum of the element two
 * before it takes as long as forwarding does. Which accesses can have part in it is block_insn.renamed. */

int memory_renaming_prepare(sim *s, arena *a)
{
    s->renames = s->compares && s->b->same_code;
    s->written_gprs = 0;
    for (uint32_t i = 0; s->renames && i < s->b->insn_count; i++)
        s->written_gprs |= s->b->insns[i].written_gprs;
    s->last_store_of = arena_alloc_raw(a, s->renames ? s->b->insn_count * sizeof *s->last_store_of : 1);
    s->renamed_from = arena_alloc_raw(a, s->renames ? s->b->insn_count * sizeof *s->renamed_from : 1);
    return s->last_store_of && s->renamed_from ? 0 : TACHO_ERR_MEMORY;
}

static void memory_renaming_reset(sim *s)
{
    if (!s->renames)
        return;
    memset(s->last_store_of, 0, s->b->insn_count * sizeof *s->last_store_of);
    memset(s->renamed_from, 0, s->b->insn_count * sizeof *s->renamed_from);
}

static void memory_renaming_note_store(sim *s, uint32_t insn)
{
    if (s->renames)
        s->last_store_of[s->b->same_code[insn]] = s->store_count;
}

static bool is_constant(const sim *s, uint8_t unit)
{
    return unit == UNIT_NONE || unit >= UNIT_HIGH8 || !(s->written_gprs >> unit & 1);
}

/* Whether the pair is among the few that the processor can guess. In loops it is. Unrolled code has many
 * instructions; there it is only if both addresses use the same registers and nothing writes these, on Zen 3
 * the stack pointer alone. Measured: of 8 pairs with different registers all are guessed, of 64 none. */
static bool can_be_guessed(const sim *s, const mem_access *store, const mem_access *load)
{
    if (s->b->mode == TACHO_MODE_LOOP)
        return true;
    if (store->base != load->base || store->index != load->index)
        return false;
    return is_constant(s, load->index) && is_constant(s, load->base) && block_renames_base(s->b, load);
}

static bool is_in_one_line(const store_record *r)
{
    return r->address % 64 + r->bytes <= 64;
}

/* Whether the load has its value from the register that was stored. `r` is the store in flight that begins
 * where the load does; NULL: there is none. */
static bool memory_renaming_guesses(sim *s, const op *u, const mem_access *m, const store_record *r)
{
    uint16_t *from = &s->renamed_from[s->b->same_code[u->insn]], now = 0;
    if (r && r->general && block_may_rename(&s->b->insns[u->insn], u->mem, true) &&
        (s->arch->renames_across_lines || is_in_one_line(r))) {
        uint16_t store = s->b->same_code[r->insn];
        if (store_number(s, s->last_store_of[store]) == r && can_be_guessed(s, r->by, m))
            now = (uint16_t)(store + 1);
    }
    bool guessed = now && *from == now;
    *from = now;
    if (guessed && s->renamed_cycle != s->cycle)
        s->renamed_cycle = s->cycle, s->renamed_now = s->renamed_alone = 0;
    s->renamed_now += guessed;
    s->renamed_alone += guessed && !m->write;
    return guessed;
}

/* Measured on Zen 3 and 4: n words that are loaded, or loaded and stored, take n cycles; of n additions to
 * words of memory several go together. */
bool memory_renaming_is_full(const sim *s, uint32_t insn)
{
    if (!s->renames || !s->arch->renames_a_cycle || insn >= s->b->insn_count ||
        !s->renamed_from[s->b->same_code[insn]])
        return false;
    const mem_access *m = &s->b->insns[insn].mem[0];
    return (m->read && m->write ? s->renamed_alone : s->renamed_now) >= s->arch->renames_a_cycle;
}

/* ---- loads that wait ---- */

/* Loads that come before the data of the store which they read from. Measured on Cascade Lake
 * (doc/ACCURACY.md): a few of them wait in a place where the data find them at once, and have them
 * store_forward_cycles after the store; the others begin again, and have them forward_missed_cycles later. A
 * place that is taken stays so until the load is done, so with more loads than places the share of those that
 * wait in one is places / loads, whatever else happens. Loads that wait keep their entries of the scheduler;
 * those that stand in the part for addresses have rs_address_entries there. Their chains go through the other
 * part, of rs_alu_entries, which bounds the loads in flight where a link has several instructions.
 *
 * On Ice Lake server a link of a chain through memory that computes something takes forward_link_cycles at
 * least (8: with one load an iteration, which goes to either port in turn, 7.5), however short the
 * computation; one that only moves, as push and pop, does not. What makes it so is not known. */

static void waiting_reset(sim *s)
{
    waiting_loads *w = &s->waiting;
    if (!s->waits)
        return;
    for (int k = 0; k < FORWARD_WAITING_MOST; k++)
        w->until[k] = SIM_LONG_AGO;
    memset(w->change, 0, sizeof w->change);
    w->held = 0;
}

/* A place that is free in cycle `start`, NULL if there is none. */
static int32_t *free_place(sim *s, int32_t start)
{
    for (uint32_t k = 0; k < s->arch->forward_waiting_loads; k++)
        if (s->waiting.until[k] <= start)
            return &s->waiting.until[k];
    return NULL;
}

/* The load's entry is free when it leaves for the last time. */
static void hold_entry(sim *s, int32_t start, int32_t again)
{
    reservations *t = &s->reserved;
    if (again <= start || again > s->cycle + RESERVED_FARTHEST)
        return;
    t->leaving[start & RESERVED_SLOT] -= RESERVED_ONE_UOP;
    t->leaving[again & RESERVED_SLOT] += RESERVED_ONE_UOP;
    t->last = again > t->last ? again : t->last;
    s->waiting.change[start & RESERVED_SLOT]++;
    s->waiting.change[again & RESERVED_SLOT]--;
}

/* A load that leaves in cycle `start` reads from a store whose data it can have in cycle `available`; if not
 * `at_once`, as one that finds no place. @return the cycle in which it has them */
static int32_t waiting_enter(sim *s, const op *u, int32_t start, int32_t available, bool at_once)
{
    if (at_once && available > start + u->load_latency) {
        int32_t *place = free_place(s, start);
        if (place)
            *place = available;
        at_once = place;
    }
    if (available <= start + u->load_latency)
        return available;
    available += at_once ? 0 : s->arch->forward_missed_cycles;
    available += u->load_latency - s->arch->load_latency_cycles;
    hold_entry(s, start, available - s->arch->load_latency_cycles);
    return available;
}

/* µops that wait for one of these ports, with those that left it in the cycle before. */
static uint32_t waiting_for(const sim *s, uint32_t ports)
{
    uint32_t count = 0;
    for (; ports; ports &= ports - 1)
        count += s->rn.uses.lane[port_lane((uint32_t)__builtin_ctz(ports), USE_NOW)];
    return count;
}

bool waiting_full(sim *s)
{
    const tacho_arch *a = s->arch;
    waiting_loads *w = &s->waiting;
    int8_t *change = &w->change[(s->cycle - 2) & RESERVED_SLOT];
    w->held += *change;
    *change = 0;
    return w->held && ((uint32_t)w->held + waiting_for(s, a->load_ports | a->store_address_ports) >
                           a->rs_address_entries ||
                       waiting_for(s, a->alu_ports | a->store_data_ports) > a->rs_alu_entries);
}

uint64_t waiting_hash(const sim *s, uint64_t h)
{
    const waiting_loads *w = &s->waiting;
    uint64_t taken = 0; /* whichever places they are */
    for (uint32_t k = 0; k < s->arch->forward_waiting_loads; k++)
        taken += w->until[k] > s->cycle ? hash_add(1, (uint32_t)(w->until[k] - s->cycle)) : 0;
    h = hash_add(h, taken);
    for (int32_t c = s->cycle >= 2 ? s->cycle - 2 : 0; c <= s->reserved.last; c++)
        if (w->change[c & RESERVED_SLOT])
            h = hash_add(h, (uint64_t)(c - s->cycle + 2) << 8 | (uint8_t)w->change[c & RESERVED_SLOT]);
    return h;
}

void waiting_link(sim *s, const op *u, int port, int32_t start, load_source *from)
{
    if (!from->store || from->blocked || from->aliased || from->renamed)
        return;
    load_link *l = &s->links[u->insn];
    const int32_t least = s->arch->forward_link_cycles - (port > l->port),
                  link = from->available - l->available;
    if (from->available > start + u->load_latency && link > s->arch->store_forward_cycles + 1 && link < least)
        from->available = l->available + least;
    *l = (load_link){from->available, port};
}

void waiting_links_reset(sim *s)
{
    for (uint32_t k = 0; k < s->b->insn_count; k++)
        s->links[k] = (load_link){SIM_LONG_AGO, 0};
}

uint64_t waiting_links_hash(const sim *s, uint64_t h)
{
    for (uint32_t k = 0; k < s->b->insn_count; k++) {
        const int32_t since = s->cycle - s->links[k].available;
        if (since < s->arch->forward_link_cycles)
            h = hash_add(h, (uint64_t)(uint32_t)since << 16 | k << 4 | (uint32_t)s->links[k].port);
    }
    return h;
}

/* ---- 4K aliasing ---- */

/* 4K aliasing: a store is taken for the one that a load reads from, because the lower 12 bits of their
 * addresses meet (L. E. Melhus, thesis on measurement bias, University of Oslo 2013, section 4.1;
 * LD_BLOCKS_PARTIAL.ADDRESS_ALIAS of the Intel optimization manual). When the addresses have been compared in
 * full, the load begins again.
 *
 * Most distances between addresses are not known from the code. Known are those between offsets from one
 * register, and what the options say of pointers and registers. To find them, registers are followed a second
 * time from other numbers: a distance that is the same both times is known. What comes from memory counts as
 * unknown. */

/* A store that is not yet in the cache when a load leaves for its port. */
static bool store_forward_in_flight(sim *s, uint32_t number, int32_t start)
{
    int32_t commit = store_number(s, number)->commit;
    return number && s->store_count - number < SIM_STORE_RECORDS && commit > start &&
           commit != STORE_INCOMPLETE;
}

static void aliases_reset(sim *s)
{
    registers_init_other(&s->aliases.other, s->arch, s->options);
    memset(s->aliases.last, 0, sizeof s->aliases.last);
}

static void aliases_record_store(sim *s, store_record *r, const block_insn *bi)
{
    r->other_address = registers_store_address(&s->aliases.other, bi, r->by);
    uint64_t first = word_of(r->address);
    for (uint64_t word = first; word - first < r->bytes + (r->address - first); word += WORD_BYTES)
        s->aliases.last[word % PAGE_BYTES / WORD_BYTES] = s->store_count;
}

/* They share bytes modulo PAGE_BYTES, at addresses whose distance is known. */
static bool meets(const sim *s, const store_record *r, const mem_access *m, uint64_t address, unsigned bytes)
{
    uint64_t distance = address - r->address;
    return distance == registers_load_address(&s->aliases.other, m) - r->other_address &&
           (distance % PAGE_BYTES < r->bytes || -distance % PAGE_BYTES < bytes);
}

/* The store that 4K aliasing takes for the one a load reads from, if no store in flight has bytes for it. */
static load_source aliases_find(sim *s, const mem_access *m, int32_t start)
{
    uint64_t address = registers_load_address(&s->rn.values, m), first = word_of(address);
    unsigned bytes = registers_access_bytes(m);
    uint32_t youngest = 0;
    for (uint64_t word = first; word - first < bytes + (address - first); word += WORD_BYTES) {
        uint32_t store = s->aliases.last[word % PAGE_BYTES / WORD_BYTES];
        if (store > youngest && store_forward_in_flight(s, store, start) &&
            store_number(s, store)->address_start <= start &&
            meets(s, store_number(s, store), m, address, bytes))
            youngest = store;
    }
    if (!youngest)
        return (load_source){.available = SIM_LONG_AGO};
    return (load_source){.store = store_number(s, youngest),
                         .aliased = true,
                         .available = start + s->arch->alias_4k_cycles + s->arch->load_latency_cycles};
}

/* ---- forwarding ---- */

/* The stores in flight, by address: which of them a load reads from, byte by byte. What the addresses are,
 * model/block/registers.h follows (seeds: staticdeps, section on the heuristic).
 *
 * A load gets its data from the youngest older store in flight that it overlaps, if that wrote all of its
 * bytes; else it waits until that store is in the first-level cache, and so are all older ones (Intel
 * optimization manual: store forwarding; the load must be contained in the store). */

void store_forward_reset(sim *s)
{
    registers_init(&s->rn.values, s->arch, s->options);
    s->store_count = 0;
    memory_renaming_reset(s);
    waiting_reset(s);
    if (s->track_aliases)
        aliases_reset(s);
}

enum {
    LINE_BYTES = 64,
    WORD_PROBES = 16
};

/* Where the search for a word begins. */
static uint64_t place_of(uint64_t address)
{
    return address / WORD_BYTES * 0x9e3779b97f4a7c15u >> 32;
}

static const stored_word *find_word(const sim *s, uint64_t address)
{
    uint64_t h = place_of(address);
    for (uint64_t k = 0; k < WORD_PROBES; k++) {
        const word_entry *e = &s->words[(h + k) & (SIM_WORDS - 1)];
        if (e->run != s->run)
            return NULL; /* a new one would have been put here */
        if (e->stored.address == address)
            return &e->stored;
    }
    return NULL;
}

/* The entry for a word: its own, an unused one, or the one whose store is longest ago. */
static stored_word *word_slot(sim *s, uint64_t address)
{
    uint64_t h = place_of(address);
    word_entry *oldest = NULL;
    for (uint64_t k = 0; k < WORD_PROBES; k++) {
        word_entry *e = &s->words[(h + k) & (SIM_WORDS - 1)];
        bool used = e->run == s->run;
        if (used && e->stored.address == address)
            return &e->stored;
        if (!used || !oldest || e->stored.last < oldest->stored.last)
            oldest = e;
        if (!used)
            break; /* no word was ever put further on */
    }
    *oldest = (word_entry){.run = s->run, .stored = {.address = address}};
    return &oldest->stored;
}

static const memory_word *word_at_address(void *payload, uint64_t address)
{
    const stored_word *w = find_word(payload, address);
    return w ? &w->word : NULL;
}

void store_forward_step(sim *s, const block_insn *bi)
{
    registers_step(&s->rn.values, bi, word_at_address, s);
    if (s->track_aliases)
        registers_step(&s->aliases.other, bi, registers_no_word, NULL);
}

void store_forward_advance(sim *s)
{
    registers_advance(&s->rn.values, s->b);
    if (s->track_aliases)
        registers_advance(&s->aliases.other, s->b);
}

uint64_t store_forward_hash_places(const sim *s, uint64_t h)
{
    const register_values *v = &s->rn.values;
    for (uint32_t left = v->constant & s->prog.address_registers; left; left &= left - 1)
        h = hash_add(h, v->r[__builtin_ctz(left)] % LINE_BYTES);
    return h;
}

/* The record of the store that a µop belongs to: the latest one, or a new one. */
static store_record *record_of(sim *s, const block_insn *bi, const mem_access *m)
{
    store_record *r = store_number(s, s->store_count);
    if (s->store_count && r->by == m && r->iteration == s->issued_iterations)
        return r;
    r = store_number(s, ++s->store_count);
    *r = (store_record){.address = registers_store_address(&s->rn.values, bi, m),
                        .bytes = registers_access_bytes(m),
                        .by = m,
                        .iteration = s->issued_iterations,
                        .insn = (uint32_t)(bi - s->b->insns),
                        .address_start = SIM_LONG_AGO,
                        .data_start = SIM_LONG_AGO,
                        .commit = STORE_INCOMPLETE,
                        .last_seq = {-1, -1}};
    memory_renaming_note_store(s, r->insn);
    return r;
}

void store_forward_record_store(sim *s, const block_insn *bi, const mem_access *m, const op *u, int32_t start)
{
    bool data = u->kind == UOP_STORE_DATA;
    store_record *r = record_of(s, bi, m);
    int32_t *part = data ? &r->data_start : &r->address_start;
    bool written = r->last_seq[1] >= 0;
    if (data && s->renames)
        r->register_ready = max_i32(s->earliest, operands_ready(s, u));
    *part = start > *part ? start : *part;
    r->last_seq[data] = s->next_seq;
    r->general = data && block_may_rename(bi, u->mem, false);
    if (!data || written)
        return;
    if (s->track_aliases)
        aliases_record_store(s, r, bi);
    followed_value v = registers_stored(&s->rn.values, bi, m, word_at_address, s);
    uint64_t first = word_of(r->address);
    for (uint64_t word = first; word - first < r->bytes + (r->address - first); word += WORD_BYTES)
        stored_word_write(word_slot(s, word), r->address, r->bytes, s->store_count, v);
}

static load_source forwarded(const sim *s, const op *u, const store_record *r)
{
    int32_t by_address = r->address_start + s->arch->load_latency_cycles, by_data = r->data_start + 1;
    return (load_source){.store = r,
                         .available = (by_address > by_data ? by_address : by_data) +
                                      block_forward_cycles(s->arch, u->ports, u->flags & OP_VECTOR_LOAD)};
}

/* The simpler model: the youngest store that begins where the load does. */
static load_source find_same_address(sim *s, const op *u, uint64_t address, int32_t start)
{
    const stored_word *w = find_word(s, word_of(address));
    uint32_t store = w ? w->writer[address - word_of(address)] : 0;
    if (!store_forward_in_flight(s, store, start) || store_number(s, store)->address != address)
        return (load_source){.available = SIM_LONG_AGO};
    return forwarded(s, u, store_number(s, store));
}

/* The youngest store in flight that any byte is from. */
static load_source find_by_bytes(sim *s, const op *u, const mem_access *m, uint64_t address, int32_t start)
{
    unsigned bytes = registers_access_bytes(m);
    uint64_t first = word_of(address);
    uint32_t youngest = 0;
    for (uint64_t word = first; word - first < bytes + (address - first); word += WORD_BYTES) {
        const stored_word *w = find_word(s, word);
        if (!w || !store_forward_in_flight(s, w->last, start))
            continue; /* then no older one is */
        uint32_t store = stored_word_youngest(w, address, bytes);
        youngest = store > youngest ? store : youngest;
    }
    if (!store_forward_in_flight(s, youngest, start))
        return s->track_aliases ? aliases_find(s, m, start) : (load_source){.available = SIM_LONG_AGO};
    const store_record *r = store_number(s, youngest);
    if (address - r->address > r->bytes - bytes || bytes > r->bytes)
        return (load_source){.store = r,
                             .blocked = true,
                             .available =
                                 r->commit + s->arch->blocked_load_cycles + s->arch->load_latency_cycles};
    return forwarded(s, u, r);
}

load_source store_forward_find_source(sim *s, const op *u, const mem_access *m, int32_t start)
{
    uint64_t address = registers_load_address(&s->rn.values, m);
    load_source from = s->options->variants & TACHO_VARIANT_SIMPLE_MEMORY
                           ? find_same_address(s, u, address, start)
                           : find_by_bytes(s, u, m, address, start);
    bool same = from.store && !from.blocked && !from.aliased && from.store->address == address;
    if (s->renames && memory_renaming_guesses(s, u, m, same ? from.store : NULL)) {
        from.renamed = true;
        from.available = from.store->register_ready;
    } else if (s->waits && from.store && !from.blocked && !from.aliased) {
        from.available = waiting_enter(s, u, start, from.available,
                                       block_forwards_at_once(u->flags & OP_VECTOR_LOAD, same));
    }
    return from;
}
