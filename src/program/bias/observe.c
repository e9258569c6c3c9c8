/* observe.c - what is noted of each instruction in a window: how often it is executed, what memory it
 * accesses, and which store before it its loads could be taken to depend on.
 *
 * A processor that compares addresses of loads and older stores by their low 12 bits takes a load for one of
 * what such a store writes (Intel, "64 and IA-32 Architectures Optimization Reference Manual", "Capacity
 * Limits and Aliasing in Caches"; seeds: bias-thesis, section 4.1). So a pair is a load and the youngest
 * store before it, within what a reorder buffer holds, whose bytes overlap modulo 4096; if they truly overlap
 * it is a dependency and none of these. */

#include "base/ask_cpuid.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/search.h"
#include "program/bias/window.h"

/* ---- a cache with sets ---- */

/* A cache with sets, in which what was used longest ago goes first. Processors choose what goes by cheaper
 * rules that come near to it. */

enum {
    MOST_UNITS = 4096,
    KNOWN_SIZE = 1 << 14 /* of the table: twice what a window of 4,000 accesses to two lines each uses */
};

static bool is_power(uint32_t n)
{
    return n && !(n & (n - 1));
}

set_cache *set_cache_new(uint32_t sets, uint32_t ways, uint32_t unit_bytes)
{
    if (!is_power(sets) || !is_power(unit_bytes) || !ways || ways > MOST_UNITS || sets > MOST_UNITS / ways)
        return NULL;
    set_cache *c = tacho_mem_zalloc(1, sizeof *c);
    if (!c)
        return NULL;
    *c = (set_cache){.sets = sets, .ways = ways, .unit_bytes = unit_bytes};
    c->kept = tacho_mem_zalloc((size_t)sets * ways, sizeof *c->kept);
    c->used = tacho_mem_zalloc(sets, sizeof *c->used);
    c->known = tacho_mem_zalloc(KNOWN_SIZE, sizeof *c->known);
    if (c->kept && c->used && c->known)
        return c;
    set_cache_free(c);
    return NULL;
}

void set_cache_free(set_cache *c)
{
    if (c)
        TACHO_MEM_FREE(c->kept, c->used, c->known, c);
}

void set_cache_clear(set_cache *c)
{
    memset(c->used, 0, c->sets * sizeof *c->used);
    memset(c->known, 0, KNOWN_SIZE * sizeof *c->known);
    c->known_count = 0;
}

/* @return whether it was there. Of more than the table should hold, none is known. */
static bool know(set_cache *c, uint64_t unit)
{
    uint32_t at = (uint32_t)(hash_mix(unit) % KNOWN_SIZE);
    while (c->known[at] && c->known[at] != unit + 1)
        at = (at + 1) % KNOWN_SIZE;
    if (c->known[at])
        return true;
    if (c->known_count < KNOWN_SIZE / 2) {
        c->known[at] = unit + 1;
        c->known_count++;
    }
    return false;
}

bool set_cache_use(set_cache *c, uint64_t address)
{
    uint64_t unit = address / c->unit_bytes;
    uint32_t set = unit & (c->sets - 1), at = 0;
    uint64_t *kept = c->kept + (size_t)set * c->ways;
    while (at < c->used[set] && kept[at] != unit)
        at++;
    bool hit = at < c->used[set], thrown_out = !hit && know(c, unit);
    if (!hit && c->used[set] < c->ways)
        c->used[set]++;
    at = hit ? at : c->used[set] - 1;
    memmove(kept + 1, kept, at * sizeof *kept);
    kept[0] = unit;
    return thrown_out;
}

/* how many translations of pages a processor keeps for data at its first level: CPUID leaf 0x18
 * (Intel, SDM volume 2, CPUID) or 0x80000005 (AMD, APM volume 3, appendix E). Virtual machines may hide
 * both. */

enum {
    DATA_TLB = 1,
    LOAD_TLB = 4,
    MOST_SUBLEAVES = 64,
    ANY_WAY = 255,
    USUAL_ENTRIES = 64,
    USUAL_WAYS = 4
};

static bool read_intel(uint32_t *entries, uint32_t *ways)
{
    uint32_t r[4], last = 0;
    for (unsigned i = 0; i <= last && i < MOST_SUBLEAVES; i++) {
        if (!cpuid_ask(0x18, i, r))
            return false;
        last = i ? last : r[CPUID_EAX];
        const uint32_t type = r[CPUID_EDX] & 31, level = r[CPUID_EDX] >> 5 & 7, b = r[CPUID_EBX];
        if ((type != DATA_TLB && type != LOAD_TLB) || level != 1 || !(b & 1) || !(b >> 16) || !r[CPUID_ECX])
            continue;
        *ways = b >> 16;
        *entries = *ways * r[CPUID_ECX];
        return true;
    }
    return false;
}

static bool read_amd(uint32_t *entries, uint32_t *ways)
{
    uint32_t r[4];
    if (!cpuid_ask(0x80000005, 0, r))
        return false;
    const uint32_t b = r[CPUID_EBX];
    if (!(b >> 16 & 255) || !(b >> 24))
        return false;
    *entries = b >> 16 & 255;
    *ways = b >> 24 == ANY_WAY ? *entries : b >> 24;
    return true;
}

bool tlb_read(uint32_t *entries, uint32_t *ways)
{
    *entries = USUAL_ENTRIES;
    *ways = USUAL_WAYS;
    return strcmp(cpuid_who().vendor, "GenuineIntel") ? read_amd(entries, ways) : read_intel(entries, ways);
}

enum {
    LINE_BYTES = 64
};

/* ---- tables: few entries, so that they are kept sorted by address ---- */

static seen_insn *observation_insn(observation *o, uint64_t address)
{
    size_t at = tacho_count_below(o->insns, o->insn_count, sizeof *o->insns, address);
    if (at < o->insn_count && o->insns[at].address == address)
        return &o->insns[at];
    if (tacho_mem_grow(&o->insns, &o->insn_capacity, o->insn_count + 1, sizeof *o->insns)) {
        o->failed = true;
        return NULL;
    }
    memmove(&o->insns[at + 1], &o->insns[at], (o->insn_count - at) * sizeof *o->insns);
    o->insn_count++;
    o->insns[at] = (seen_insn){.address = address};
    return &o->insns[at];
}

static void count_pair(observation *o, uint64_t store, const step_access *s, uint64_t load,
                       const step_access *l)
{
    seen_pair *p = NULL;
    for (size_t i = 0; i < o->pair_count && !p; i++)
        if (o->pairs[i].store == store && o->pairs[i].load == load)
            p = &o->pairs[i];
    if (!p) {
        if (tacho_mem_grow(&o->pairs, &o->pair_capacity, o->pair_count + 1, sizeof *o->pairs)) {
            o->failed = true;
            return;
        }
        p = &o->pairs[o->pair_count++];
        *p = (seen_pair){
            .store = store, .load = load, .store_address = s->address, .load_address = l->address};
    }
    p->count++;
    p->windows += p->last_window != o->windows + 1;
    p->last_window = o->windows + 1;
    o->aliased++;
}

void observation_free(observation *o)
{
    for (size_t i = 0; i < o->map_count; i++)
        tacho_mem_free(o->maps[i].path);
    TACHO_MEM_FREE(o->maps, o->insns, o->pairs);
    windows_free(o->code);
    *o = (observation){0};
}

/* ---- what it means ---- */

static void look_back(window *w, const step_access *load, uint64_t insn)
{
    uint64_t kept = w->store_count < WINDOW_STORES ? w->store_count : WINDOW_STORES;
    for (uint64_t k = 1; k <= kept; k++) {
        uint64_t at = (w->store_count - k) % WINDOW_STORES;
        const step_access *s = &w->stores[at];
        if (w->step - w->store_steps[at] > WINDOW_PAIR_DISTANCE || step_overlap(s, load))
            return;
        if (step_overlap_in_page(s, load)) {
            count_pair(w->seen, w->store_insns[at], s, insn, load);
            return;
        }
    }
}

static bool misses(set_cache *c, const step_access *a)
{
    if (!c)
        return false;
    bool first_misses = set_cache_use(c, a->address);
    return (step_crosses(a, c->unit_bytes) && set_cache_use(c, a->address + a->bytes - 1)) || first_misses;
}

static void note_caches(window *w, const step_access *a, seen_insn *s)
{
    bool line = misses(w->lines, a), page = misses(w->pages, a);
    s->line_misses += line;
    s->page_misses += page;
    w->seen->line_misses += line;
    w->seen->page_misses += page;
}

static void note_access(window *w, const step_access *a, uint64_t insn)
{
    w->seen->line_crossings += step_crosses(a, LINE_BYTES);
    w->seen->page_crossings += step_crosses(a, PLACE_PAGE);
    if (!a->store) {
        look_back(w, a, insn);
        return;
    }
    uint64_t at = w->store_count++ % WINDOW_STORES;
    w->stores[at] = *a;
    w->store_insns[at] = insn;
    w->store_steps[at] = w->step;
}

/* A jump back is a loop's. */
static void note_jump(window *w, uint64_t to)
{
    enum {
        MOST_LOOP_BYTES = 4096
    };
    if (!w->former || to > w->former || w->former - to > MOST_LOOP_BYTES)
        return;
    seen_insn *from = observation_insn(w->seen, w->former);
    if (from && from->insn && from->insn->is_branch) {
        from->loop_count++;
        from->loop_start = to;
    }
}

static void note_begin(void *payload, uint64_t process, uint64_t thread, double seconds)
{
    window *w = payload;
    *w = (window){.seen = w->seen, .lines = w->lines, .pages = w->pages};
    if (w->lines)
        set_cache_clear(w->lines);
    if (w->pages)
        set_cache_clear(w->pages);
}

static void note_step(void *payload, const step *now)
{
    window *w = payload;
    note_jump(w, now->address);
    seen_insn *s = observation_insn(w->seen, now->address);
    if (!s)
        return;
    if (!s->count++)
        s->insn = now->insn;
    for (size_t i = 0; i < now->access_count; i++) {
        note_caches(w, &now->accesses[i], s);
        note_access(w, &now->accesses[i], now->address);
    }
    w->former = now->address;
    w->step++;
    w->seen->executed++;
}

static void note_end(void *payload, double taken)
{
    const window *w = payload;
    w->seen->windows++;
}

step_observer window_observer(window *w)
{
    return (step_observer){.begin = note_begin, .step = note_step, .end = note_end, .payload = w};
}

void window_open_caches(window *w)
{
    observation *o = w->seen;
    w->lines = set_cache_new(o->line_sets, o->line_ways, LINE_BYTES);
    w->pages = set_cache_new(o->page_sets, o->page_ways, PLACE_PAGE);
    if (!w->lines)
        o->line_sets = o->line_ways = 0;
    if (!w->pages)
        o->page_sets = o->page_ways = 0;
}

void window_close_caches(window *w)
{
    set_cache_free(w->lines);
    set_cache_free(w->pages);
    w->lines = w->pages = NULL;
}
