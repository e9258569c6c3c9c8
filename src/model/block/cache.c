/* cache.c - see cache.h. A hash table of templates; templates and what belongs to them lie in an
 * arena that is emptied as a whole. */

#include "base/hash.h"
#include "base/mem.h"
#include "model/block/cache_parts.h"
#include "x86/insndb/key.h"

enum {
    OUTLINE_READ_BYTES = 8 /* can be read and written, unchanged, from each number's first byte on */
};

/* These read a displacement or an immediate: the values of registers and addresses
 * (registers.c); loads that are fast where they follow pointers (model/bounds/flow.c, sim_may_chase);
 * block_takes_extra_slot; the forms for a shift by 0. What the last three need is kept in the outline. */

static void replace(uint8_t *bytes, uint32_t size, uint64_t by)
{
    uint64_t all;
    memcpy(&all, bytes, sizeof all);
    all = (all & ~lowest_bits(8 * size)) | by;
    memcpy(bytes, &all, sizeof all);
}

/* Whether it takes a slot of its own is the same for all immediates of a class and size, be they read with or
 * without a sign. */
static uint64_t immediate_class(int64_t value, uint32_t size)
{
    if (size == 1)
        return value == 0;
    bool fits16 = value == (int16_t)value, fits32 = value == (int32_t)value;
    return (uint64_t)(fits16 | fits32 << 1 | (value < 0) << 2);
}

/* Replaces the displacement and the immediate of the instruction at `bytes` by the part of them that still
 * decides something. Two instructions that are equal up to the displacement, and equal after this, differ
 * only in addresses and in the values that they compute with. */
static void outline_insn(uint8_t *bytes, const insn_shape *s)
{
    uint8_t *disp = bytes + s->disp_offset, *imm = disp + s->disp_bytes;
    if (s->disp_bytes) {
        int64_t value = insn_shape_number(disp, s->disp_bytes, true);
        bool fast = value >= 0 && value < FAST_DISPLACEMENT_END, wide = value != (int16_t)value;
        replace(disp, s->disp_bytes, (uint64_t)(fast | (wide && s->imm_bytes) << 1));
    }
    if (s->imm_bytes && s->imm_is_value)
        replace(imm, s->imm_bytes, immediate_class(insn_shape_number(imm, s->imm_bytes, true), s->imm_bytes));
}

enum {
    HUGE_FROM = 1 << 20, /* bytes; less is better in small pages */
    MIN_SLOTS = 512,
    MAX_SLOTS = 1 << 18
};

insn_cache *tacho_insn_cache_new(void)
{
    return tacho_mem_zalloc(1, sizeof(insn_cache));
}

void tacho_insn_cache_free(insn_cache *c)
{
    if (!c)
        return;
    arena_free(&c->memory);
    TACHO_MEM_FREE(c->slots, c->code, c->outline, c);
}

static void forget_all(insn_cache *c)
{
    if (c->count)
        memset(c->slots, 0, (c->mask + 1) * sizeof *c->slots);
    arena_free(&c->memory);
    memset(c->facts, 0, sizeof c->facts);
    c->bytes = c->count = 0;
}

static bool is_arch(const cached_arch *c, const tacho_arch *arch, uint32_t variants)
{
    return c->variants == variants && !memcmp(&c->arch, arch, sizeof *arch);
}

/* Makes the microarchitecture the current one. */
static void choose_arch(insn_cache *c, const tacho_arch *arch, uint32_t variants)
{
    if (c->bytes >= CACHE_BYTES_MAX)
        forget_all(c);
    for (uint32_t k = 0; k < c->arch_count; k++) {
        uint32_t at = (c->arch + k) % c->arch_count;
        if (is_arch(&c->archs[at], arch, variants)) {
            c->arch = at;
            return;
        }
    }
    if (c->arch_count == CACHE_ARCHS) {
        forget_all(c);
        c->arch_count = 0;
    }
    c->arch = c->arch_count++;
    c->archs[c->arch] = (cached_arch){*arch, variants};
}

/* ---- finding ---- */

static void keep_bytes(insn_key *key, const uint64_t code[2], uint32_t from, uint32_t to)
{
    key->bytes[0] |= code[0] & lowest_bits(8 * to) & ~lowest_bits(8 * from);
    if (to > 8)
        key->bytes[1] |= code[1] & lowest_bits(8 * (to - 8)) & ~(from > 8 ? lowest_bits(8 * (from - 8)) : 0);
}

static insn_key key_of(const insn_shape *s, const uint8_t *bytes)
{
    uint64_t code[2];
    insn_key key = {{0, 0}};
    memcpy(code, bytes, sizeof code);
    keep_bytes(&key, code, 0, s->disp_offset);
    uint32_t imm_offset = (uint32_t)s->disp_offset + s->disp_bytes;
    if (s->imm_bytes && !s->imm_is_value)
        keep_bytes(&key, code, imm_offset, s->length);
    /* an immediate of 0 can be a form of its own */
    bool zero = s->imm_bytes == 1 && bytes[imm_offset] == 0;
    key.bytes[1] |= (uint64_t)(s->length | zero << 4) << 56;
    return key;
}

static uint64_t hash_of(const insn_key *key, uint32_t arch)
{
    return hash_add(key->bytes[0] + arch, key->bytes[1]);
}

/* The slot of the first template with this hash, from `slot` on, or a free one. */
static uint32_t find_slot(const insn_cache *c, uint64_t hash, uint32_t slot)
{
    while (c->slots[slot & c->mask].template && c->slots[slot & c->mask].hash != hash)
        slot++;
    return slot & c->mask;
}

static uint32_t first_slot(uint64_t hash)
{
    return (uint32_t)(hash >> 7);
}

static bool is_of(const insn_cache *c, const insn_template *t, const insn_key *key)
{
    return t->key.bytes[0] == key->bytes[0] && t->key.bytes[1] == key->bytes[1] && t->arch == c->arch;
}

static insn_template *find(const insn_cache *c, const insn_place *p)
{
    if (p->seen && is_of(c, p->seen, &p->key))
        return p->seen;
    for (uint32_t slot = first_slot(p->hash); c->count; slot++) {
        slot = find_slot(c, p->hash, slot);
        insn_template *t = c->slots[slot].template;
        if (!t || is_of(c, t, &p->key))
            return t;
    }
    return NULL;
}

/* ---- keeping ---- */

static void put(cache_slot *slots, uint32_t mask, const cache_slot *new)
{
    uint32_t slot = first_slot(new->hash) & mask;
    while (slots[slot].template)
        slot = (slot + 1) & mask;
    slots[slot] = *new;
}

/* Whether there is room for one more: a quarter of the slots stays free. */
static bool grow(insn_cache *c)
{
    uint32_t size = c->slots ? 2 * (c->mask + 1) : MIN_SLOTS;
    if (c->slots && c->count < (c->mask + 1) / 4 * 3)
        return true;
    cache_slot *slots = size <= MAX_SLOTS ? tacho_mem_zalloc(size, sizeof *slots) : NULL;
    if (!slots)
        return false;
    for (uint32_t k = 0; c->slots && k <= c->mask; k++)
        if (c->slots[k].template)
            put(slots, size - 1, &c->slots[k]);
    tacho_mem_free(c->slots);
    c->slots = slots;
    c->mask = size - 1;
    return true;
}

void *insn_cache_keep(insn_cache *c, size_t bytes)
{
    c->bytes += bytes;
    c->memory.huge = c->bytes > HUGE_FROM;
    return arena_alloc_raw(&c->memory, bytes);
}

static insn_template *add(insn_cache *c, const insn_place *p, const decode_places *places,
                          const block_insn *bi)
{
    insn_template *t = c->bytes < CACHE_BYTES_MAX && grow(c) ? kept_new(c, p, places, bi) : NULL;
    if (!t)
        return NULL;
    put(c->slots, c->mask, &(cache_slot){t, p->hash});
    c->count++;
    return t;
}

/* ---- the code ---- */

/* Prefetches what the block's instructions need later, while they are decoded. */
static void fetch(const void *from, size_t bytes)
{
    for (size_t k = 0; k < bytes; k += 64)
        __builtin_prefetch((const char *)from + k);
}

static bool look_at(const insn_cache *c, insn_place *p, uint32_t offset)
{
    p->offset = offset;
    return insn_shape_find(&p->shape, c->code + offset) && offset + p->shape.length <= c->size;
}

static void make_key(const insn_cache *c, insn_place *p)
{
    p->key = key_of(&p->shape, c->code + p->offset);
    p->hash = hash_of(&p->key, c->arch);
    p->seen = NULL;
}

/* Finds the places of the first instructions. */
static void find_places(insn_cache *c)
{
    uint32_t offset = 0;
    c->ahead_count = c->ahead_next = 0;
    while (offset < c->size && c->ahead_count < CACHE_AHEAD && look_at(c, &c->ahead[c->ahead_count], offset))
        offset += c->ahead[c->ahead_count++].shape.length;
}

int tacho_insn_cache_take(insn_cache *c, const tacho_arch *arch, uint32_t variants, const uint8_t *code,
                          size_t size)
{
    c->size = size <= TACHO_MAX_BLOCK_BYTES ? (uint32_t)size : 0;
    if (tacho_mem_grow(&c->code, &c->code_capacity, c->size + SHAPE_READ_BYTES, 1))
        return TACHO_ERR_MEMORY;
    choose_arch(c, arch, variants);
    memcpy(c->code, code, c->size);
    memset(c->code + c->size, 0, SHAPE_READ_BYTES);
    find_places(c);
    c->confirmed = true;
    return 0;
}

const uint8_t *insn_cache_code(const insn_cache *c, uint32_t *size)
{
    *size = c->size;
    return c->code;
}

const uint8_t *insn_cache_outline(insn_cache *c)
{
    insn_place later;
    uint32_t offset = 0;
    if (tacho_mem_grow(&c->outline, &c->outline_capacity, c->size + OUTLINE_READ_BYTES, 1))
        return NULL;
    memcpy(c->outline, c->code, c->size + OUTLINE_READ_BYTES);
    for (uint32_t k = 0; offset < c->size; k++) {
        const insn_place *p = k < c->ahead_count ? &c->ahead[k] : &later;
        if (p == &later && !look_at(c, &later, offset))
            return NULL;
        outline_insn(c->outline + offset, &p->shape);
        offset += p->shape.length;
    }
    return c->outline;
}

bool insn_cache_is_confirmed(const insn_cache *c)
{
    return c->confirmed;
}

/* Prefetches what is known of the first instructions, so that it is there when they are asked for. */
static void look_ahead(insn_cache *c)
{
    for (uint32_t k = 0; k < c->ahead_count; k++) {
        make_key(c, &c->ahead[k]);
        if (c->count)
            __builtin_prefetch(&c->slots[first_slot(c->ahead[k].hash) & c->mask]);
    }
    for (uint32_t k = 0; c->count && k < c->ahead_count; k++) {
        insn_place *p = &c->ahead[k];
        p->seen = c->slots[find_slot(c, p->hash, first_slot(p->hash))].template;
        if (p->seen)
            fetch(p->seen, offsetof(insn_template, insn));
    }
}

/* The place at `offset`, as seen ahead or looked at now; NULL where it is not told. */
static const insn_place *place_at(insn_cache *c, insn_place *now, uint32_t offset)
{
    if (c->ahead_next < c->ahead_count && c->ahead[c->ahead_next].offset == offset)
        return &c->ahead[c->ahead_next++];
    if (!look_at(c, now, offset))
        return NULL;
    make_key(c, now);
    return now;
}

/* ---- the stages, as far as they are not known ---- */

static void *keep_cleared(insn_cache *c, size_t size)
{
    void *p = insn_cache_keep(c, size);
    return p ? memset(p, 0, size) : NULL;
}

/* The place of the facts of that form, which instructions share; NULL until they are put in. One core has
 * thousands of forms, one block few: their places come in parts. */
static insn_facts **place_of_facts(insn_cache *c, uint32_t form)
{
    facts_part **parts = c->facts[c->arch];
    if (!parts)
        c->facts[c->arch] = parts = keep_cleared(c, (tacho_form_count() / FACTS_PART + 1) * sizeof *parts);
    facts_part *part = parts ? parts[form / FACTS_PART] : NULL;
    if (parts && !part)
        parts[form / FACTS_PART] = part = keep_cleared(c, sizeof *part);
    return part ? &part->of_form[form % FACTS_PART] : NULL;
}

/* The facts of the instruction's form, NULL if there are none. @return 0 or TACHO_ERR_MEMORY */
static int match(insn_cache *c, const insn_facts **out, const block *b, arena *a, const tacho_insn *insn)
{
    insn_facts *made = NULL, **place = &made, found;
    int64_t form = tacho_form_match(insn);
    *out = NULL;
    if (form < 0)
        return 0;
    if (c && !(place = place_of_facts(c, (uint32_t)form)))
        return TACHO_ERR_MEMORY;
    if (!*place) {
        if (block_match(&found, b, (uint32_t)form))
            return 0;
        *place = c ? insn_cache_keep(c, sizeof found) : arena_alloc_raw(a, sizeof found);
        if (!*place)
            return TACHO_ERR_MEMORY;
        **place = found;
    }
    *out = *place;
    return 0;
}

/* `p`: its place, NULL where it is not told. */
static int describe_new(insn_cache *c, const insn_place *p, block_insn *bi, const block *b, arena *a,
                        uint32_t offset, tacho_error *err)
{
    decode_places places;
    const insn_facts *facts;
    tacho_insn *insn = arena_alloc_raw(a, sizeof *insn);
    int rc = insn ? tacho_decode_with_places(insn, &places, b->bytes + offset, b->size - offset, err)
                  : tacho_no_memory(err);
    if (rc)
        return rc;
    if ((rc = match(c, &facts, b, a, insn)))
        return tacho_no_memory(err);
    block_describe(bi, insn, facts, b->arch);
    bi->offset = offset;
    bi->met = p ? add(c, p, &places, bi) : NULL;
    if (c)
        c->confirmed &= bi->met != NULL;
    return 0;
}

int insn_cache_describe(insn_cache *c, block_insn *bi, const block *b, arena *a, uint32_t offset,
                        tacho_error *err)
{
    insn_place now;
    if (c && !offset)
        look_ahead(c);
    const insn_place *p = c ? place_at(c, &now, offset) : NULL;
    insn_template *t = p ? find(c, p) : NULL;
    if (!t)
        return describe_new(c, p, bi, b, a, offset, err);
    if (t->lowered)
        fetch(t->lowered, sizeof *t->lowered + 2 * sizeof(uop));
    return kept_describe(c, t, bi, b, a, offset) ? tacho_no_memory(err) : 0;
}
