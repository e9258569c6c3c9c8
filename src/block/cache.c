/* cache.c - see cache.h. A hash table of templates; templates and what belongs to them lie in an
 * arena that is emptied as a whole. */
#include "block/cache.h"

#include <stddef.h>
#include <string.h>

#include "block/lower.h"
#include "block/outline.h"
#include "decode/places.h"
#include "decode/shape.h"
#include "util/hash.h"
#include "util/mem.h"

enum {
    MAX_BYTES = 24 << 20,
    HUGE_FROM = 1 << 20,
    MIN_SLOTS = 512,
    MAX_SLOTS = 1 << 18,
    MAX_AHEAD = 32,
    MAX_ARCHS = 16,
    NO_OPERAND = 255,
    NO_ACCESS = 255
};

/* The parts of block_insn that are kept: what describing an instruction gives, and lowering it, which ends in
 * the accesses that there are. */
#define DESCRIBED_FROM  offsetof(block_insn, facts)
#define DESCRIBED_BYTES (offsetof(block_insn, notes) - DESCRIBED_FROM)
#define LOWERED_FROM    offsetof(block_insn, uop_count)
#define LOWERED_BYTES   (offsetof(block_insn, mem) - LOWERED_FROM)

/* uop_group, of few µops. */
typedef struct kept_group {
    uint16_t first;
    uint8_t count;
} kept_group;

/* A lowered instruction; its accesses follow, its µops, and its groups, counted from 0. */
typedef struct lowered_insn lowered_insn;
struct lowered_insn {
    lowered_insn *next;
    uint32_t context;
    uint16_t uops;     /* with the one that a move becomes when it is not eliminated */
    uint8_t displaced; /* the access whose displacement the code gives, NO_ACCESS if there is none */
    uint32_t notes;
    unsigned char part[LOWERED_BYTES];
};

typedef struct insn_key {
    uint64_t bytes[2];
} insn_key;

struct insn_template {
    insn_key key;
    lowered_insn *lowered;
    uint8_t arch; /* its place among those of the cache */
    uint8_t disp_operand, imm_operand;
    decode_places places;
    bool described;
    bool imm_is_value, disp_is_value; /* block_insn.value_imm and value_disp are these */
    bool imm_may_be_large;            /* and then takes a DSB slot of its own */
    bool rip_relative;
    uint32_t notes;
    unsigned char description[DESCRIBED_BYTES];
    tacho_insn insn; /* cut off after its last operand */
};

/* A place in the table: the hash of the key saves looking at templates that are not wanted. */
typedef struct cache_slot {
    insn_template *template; /* NULL: free */
    uint64_t hash;
} cache_slot;

/* An instruction of the block that was looked at ahead of decoding. */
typedef struct insn_place {
    uint32_t offset;
    insn_shape shape;
    insn_key key;
    uint64_t hash;
} insn_place;

/* Parameters that instructions were described and lowered with. */
typedef struct cached_arch {
    tacho_arch arch;
    uint32_t variants;
} cached_arch;

struct insn_cache {
    arena memory;
    size_t bytes, count;
    cache_slot *slots;
    uint32_t mask;
    cached_arch archs[MAX_ARCHS];
    insn_facts **facts[MAX_ARCHS]; /* [form]; NULL before the first one */
    uint32_t arch_count, arch;     /* the current one's place */
    uint8_t *code, *outline;       /* with bytes after their ends that can be read */
    size_t code_capacity, outline_capacity;
    uint32_t size;
    bool confirmed;
    insn_place ahead[MAX_AHEAD];
    uint32_t ahead_count, ahead_next;
};

insn_cache *insn_cache_new(void)
{
    return tacho_mem_zalloc(1, sizeof(insn_cache));
}

void insn_cache_free(insn_cache *c)
{
    if (!c)
        return;
    arena_free(&c->memory);
    tacho_mem_free(c->slots);
    tacho_mem_free(c->code);
    tacho_mem_free(c->outline);
    tacho_mem_free(c);
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
    if (c->bytes >= MAX_BYTES)
        forget_all(c);
    for (uint32_t k = 0; k < c->arch_count; k++) {
        uint32_t at = (c->arch + k) % c->arch_count;
        if (is_arch(&c->archs[at], arch, variants)) {
            c->arch = at;
            return;
        }
    }
    if (c->arch_count == MAX_ARCHS) {
        forget_all(c);
        c->arch_count = 0;
    }
    c->arch = c->arch_count++;
    c->archs[c->arch] = (cached_arch){*arch, variants};
}

/* ---- finding ---- */

static uint64_t low_bytes(uint32_t n)
{
    return n >= 8 ? UINT64_MAX : ((uint64_t)1 << 8 * n) - 1;
}

static void keep_bytes(insn_key *key, const uint64_t code[2], uint32_t from, uint32_t to)
{
    key->bytes[0] |= code[0] & low_bytes(to) & ~low_bytes(from);
    if (to > 8)
        key->bytes[1] |= code[1] & low_bytes(to - 8) & ~(from > 8 ? low_bytes(from - 8) : 0);
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

static insn_template *find(const insn_cache *c, const insn_key *key, uint64_t hash)
{
    for (uint32_t slot = first_slot(hash); c->count; slot++) {
        slot = find_slot(c, hash, slot);
        insn_template *t = c->slots[slot].template;
        if (!t ||
            (t->key.bytes[0] == key->bytes[0] && t->key.bytes[1] == key->bytes[1] && t->arch == c->arch))
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

static void *keep(insn_cache *c, size_t bytes)
{
    c->bytes += bytes;
    c->memory.huge = c->bytes > HUGE_FROM;
    return arena_alloc_raw(&c->memory, bytes);
}

static int64_t read_number(const uint8_t *bytes, uint32_t size, bool with_sign)
{
    uint64_t value = 0;
    memcpy(&value, bytes, size); /* little-endian, as the code is */
    if (with_sign && size && size < 8 && (value >> (8 * size - 1) & 1))
        value |= ~low_bytes(size);
    return (int64_t)value;
}

static int64_t displacement_of(const insn_template *t, const uint8_t *bytes)
{
    return read_number(bytes + t->places.disp_offset, t->places.disp_bytes, true);
}

static int64_t immediate_of(const insn_template *t, const uint8_t *bytes)
{
    return read_number(bytes + t->places.imm_offset, t->places.imm_bytes, t->places.imm_signed);
}

/* The displacement and the immediate that these bytes have. */
static void fill_numbers(const insn_template *t, tacho_insn *insn, const uint8_t *bytes)
{
    memcpy(insn->bytes, bytes, insn->length);
    if (t->disp_operand != NO_OPERAND)
        insn->operands[t->disp_operand].mem.disp = displacement_of(t, bytes);
    if (t->imm_operand != NO_OPERAND)
        insn->operands[t->imm_operand].imm = immediate_of(t, bytes);
}

/* Whether the immediate is the one of block_value_immediate: the last one of the first two operands. */
static bool is_value_immediate(const tacho_insn *insn, uint8_t operand)
{
    for (uint8_t i = insn->visible_count < 2 ? insn->visible_count : 2; i-- > 0;)
        if (insn->operands[i].kind == TACHO_OPERAND_IMM)
            return i == operand;
    return false;
}

/* What the block needs of the numbers. */
static void find_uses(insn_template *t, const tacho_insn *insn)
{
    bool imm = t->imm_operand != NO_OPERAND && insn->operands[t->imm_operand].kind == TACHO_OPERAND_IMM;
    t->imm_is_value = imm && is_value_immediate(insn, t->imm_operand);
    t->imm_may_be_large = imm && t->places.imm_bytes > 1 && t->imm_operand < insn->visible_count;
    t->rip_relative =
        t->disp_operand != NO_OPERAND && insn->operands[t->disp_operand].mem.base.class_ == TACHO_REG_RIP;
    t->disp_is_value = t->disp_operand == 1 && insn->operands[1].kind == TACHO_OPERAND_AGEN;
}

/* Which operands have the numbers; false where that is not plain. */
static bool find_operands(insn_template *t, const tacho_insn *insn, const insn_shape *s)
{
    const decode_places *p = &t->places;
    bool as_told = insn->length == s->length && p->disp_bytes == s->disp_bytes &&
                   p->imm_bytes == s->imm_bytes && !p->two_imms && insn->encoding != TACHO_ENC_EVEX &&
                   (!p->disp_bytes || p->disp_offset == s->disp_offset) &&
                   (!p->imm_bytes || p->imm_offset == s->disp_offset + s->disp_bytes);
    t->disp_operand = t->imm_operand = NO_OPERAND;
    for (uint8_t i = 0; i < insn->operand_count; i++) {
        const tacho_operand *op = &insn->operands[i];
        if ((op->kind == TACHO_OPERAND_MEM || op->kind == TACHO_OPERAND_AGEN) && op->mem.disp_bytes)
            t->disp_operand = i;
        if ((op->kind == TACHO_OPERAND_IMM || op->kind == TACHO_OPERAND_REL) &&
            op->visibility == TACHO_EXPLICIT && t->imm_operand == NO_OPERAND)
            t->imm_operand = i;
    }
    if (!p->imm_bytes)
        t->imm_operand = NO_OPERAND;
    if (!as_told || (t->disp_operand == NO_OPERAND) != !p->disp_bytes)
        return false;
    find_uses(t, insn);
    tacho_insn again = *insn;
    fill_numbers(t, &again, insn->bytes);
    return (t->disp_operand == NO_OPERAND ||
            again.operands[t->disp_operand].mem.disp == insn->operands[t->disp_operand].mem.disp) &&
           (t->imm_operand == NO_OPERAND ||
            again.operands[t->imm_operand].imm == insn->operands[t->imm_operand].imm);
}

static size_t insn_bytes(const tacho_insn *insn)
{
    return offsetof(tacho_insn, operands) + insn->operand_count * sizeof(tacho_operand);
}

static insn_template *add(insn_cache *c, const insn_place *p, const tacho_insn *insn,
                          const decode_places *places)
{
    insn_template probe = {.places = *places};
    if (!find_operands(&probe, insn, &p->shape) || c->bytes >= MAX_BYTES || !grow(c))
        return NULL;
    insn_template *t = keep(c, offsetof(insn_template, insn) + insn_bytes(insn));
    if (!t)
        return NULL;
    memcpy(t, &probe, offsetof(insn_template, insn));
    memcpy(&t->insn, insn, insn_bytes(insn));
    t->key = p->key;
    t->arch = (uint8_t)c->arch;
    put(c->slots, c->mask, &(cache_slot){t, p->hash});
    c->count++;
    return t;
}

/* ---- decoding ---- */

/* What the block's instructions need later is fetched while they are decoded. */
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
}

/* Finds the places of the first instructions. */
static void find_places(insn_cache *c)
{
    uint32_t offset = 0;
    c->ahead_count = c->ahead_next = 0;
    while (offset < c->size && c->ahead_count < MAX_AHEAD && look_at(c, &c->ahead[c->ahead_count], offset))
        offset += c->ahead[c->ahead_count++].shape.length;
}

int insn_cache_take(insn_cache *c, const tacho_arch *arch, uint32_t variants, const uint8_t *code,
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

void insn_cache_look_ahead(insn_cache *c)
{
    for (uint32_t k = 0; k < c->ahead_count; k++) {
        make_key(c, &c->ahead[k]);
        if (c->count)
            __builtin_prefetch(&c->slots[first_slot(c->ahead[k].hash) & c->mask]);
    }
    for (uint32_t k = 0; c->count && k < c->ahead_count; k++) {
        uint32_t slot = find_slot(c, c->ahead[k].hash, first_slot(c->ahead[k].hash));
        if (c->slots[slot].template)
            fetch(c->slots[slot].template, sizeof(insn_template) - 7 * sizeof(tacho_operand));
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

/* A copy with the numbers that the code has. */
static const tacho_insn *whole_insn(const insn_template *t, arena *a, const uint8_t *bytes)
{
    tacho_insn *insn = arena_alloc_raw(a, sizeof *insn);
    if (!insn)
        return NULL;
    memcpy(insn, &t->insn, insn_bytes(&t->insn));
    fill_numbers(t, insn, bytes);
    return insn;
}

/* The instruction at `offset`, not met before; `p`: its place, NULL where it is not told. */
static int decode_new(insn_cache *c, const tacho_insn **out, insn_template **found, const insn_place *p,
                      arena *a, uint32_t offset, tacho_error *err)
{
    decode_places places;
    tacho_insn *insn = arena_alloc_raw(a, sizeof *insn);
    if (!insn)
        return tacho_error_set(err, TACHO_ERR_MEMORY, "out of memory");
    *out = insn;
    int rc = decode_with_places(insn, &places, c->code + offset, c->size - offset, err);
    if (!rc && p)
        *found = add(c, p, insn, &places);
    c->confirmed &= *found != NULL;
    return rc ? rc : insn->length;
}

int insn_cache_decode(insn_cache *c, const tacho_insn **out, insn_template **found, const block *b, arena *a,
                      uint32_t offset, tacho_error *err)
{
    insn_place now;
    const insn_place *p = place_at(c, &now, offset);
    insn_template *t = p ? find(c, &p->key, p->hash) : NULL;
    *found = t;
    if (!t)
        return decode_new(c, out, found, p, a, offset, err);
    if (t->lowered)
        fetch(t->lowered, sizeof *t->lowered + 2 * sizeof(uop));
    *out = b->whole_insns ? whole_insn(t, a, c->code + offset) : &t->insn;
    return *out ? p->shape.length : tacho_error_set(err, TACHO_ERR_MEMORY, "out of memory");
}

/* ---- description ---- */

const insn_facts *insn_cache_facts(insn_cache *c, const insn_facts *like)
{
    size_t size = tacho_form_count() * sizeof(insn_facts *);
    insn_facts ***of_arch = &c->facts[c->arch];
    if (!*of_arch && (*of_arch = keep(c, size)))
        memset(*of_arch, 0, size);
    if (!*of_arch)
        return NULL;
    insn_facts **facts = &(*of_arch)[like->form.id];
    if (!*facts && (*facts = keep(c, sizeof **facts)))
        **facts = *like;
    return *facts;
}

/* The numbers among what describing an instruction gives. */
static void number_values(const insn_cache *c, const insn_template *t, block_insn *bi)
{
    const uint8_t *bytes = c->code + bi->offset;
    if (t->imm_is_value)
        bi->value_imm = immediate_of(t, bytes);
    if (t->disp_is_value)
        bi->value_disp = displacement_of(t, bytes);
}

bool insn_cache_describe(const insn_cache *c, const insn_template *t, block_insn *bi)
{
    if (!t || !t->described)
        return false;
    memcpy((char *)bi + DESCRIBED_FROM, t->description, DESCRIBED_BYTES);
    bi->jumps = bi->fusible = bi->fused_with_next = bi->fused_into_previous = false;
    bi->value_disp = 0;
    bi->notes = t->notes;
    number_values(c, t, bi);
    return true;
}

void insn_cache_keep_description(const insn_cache *c, insn_template *t, block_insn *bi)
{
    if (!t)
        return;
    memcpy(t->description, (const char *)bi + DESCRIBED_FROM, DESCRIBED_BYTES);
    t->notes = bi->notes;
    t->described = true;
    number_values(c, t, bi);
}

/* ---- lowering ---- */

/* The access whose displacement the code gives. */
static uint8_t displaced_access(const insn_template *t, const block *b, const block_insn *bi)
{
    if (t->disp_operand == NO_OPERAND || bi->insn->operands[t->disp_operand].kind != TACHO_OPERAND_MEM)
        return NO_ACCESS;
    const tacho_mem *op = &bi->insn->operands[t->disp_operand].mem;
    for (uint8_t m = 0; m < bi->mem_count; m++)
        if (!bi->mem[m].implicit_stack && bi->mem[m].base == block_unit(b->arch, op->base) &&
            bi->mem[m].index == block_unit(b->arch, op->index) && bi->mem[m].scale == op->scale)
            return m;
    return NO_ACCESS;
}

/* The numbers among what lowering gives. */
static void number_lowered(const insn_cache *c, const insn_template *t, uint8_t displaced, block_insn *bi)
{
    const uint8_t *bytes = c->code + bi->offset;
    if (displaced != NO_ACCESS)
        bi->mem[displaced].disp = block_displacement(bi, t->rip_relative, displacement_of(t, bytes));
    if (t->imm_may_be_large)
        bi->extra_slot = block_immediate_is_large(bi, immediate_of(t, bytes));
}

void insn_cache_number_accesses(const insn_cache *c, const insn_template *t, const block *b, block_insn *bi)
{
    number_lowered(c, t, displaced_access(t, b, bi), bi);
}

static const mem_access *accesses_of(const lowered_insn *l)
{
    return (const mem_access *)(l + 1);
}

/* `bi`: with what lowering gives already filled in. */
static const uop *uops_of(const lowered_insn *l, const block_insn *bi)
{
    return (const uop *)(accesses_of(l) + bi->mem_count);
}

static void copy_uops(block *b, const uop *from, uint32_t count, uint32_t index)
{
    uop *to = b->uops + b->uop_count;
    for (uint32_t k = 0; k < count; k++) {
        to[k] = from[k];
        to[k].insn = (uint16_t)index;
    }
}

static const kept_group *copy_groups(uop_group *to, const kept_group *from, uint32_t count, uint32_t base)
{
    for (uint32_t k = 0; k < count; k++)
        to[k] = (uop_group){from[k].first + base, from[k].count};
    return from + count;
}

static kept_group *keep_groups(kept_group *to, const uop_group *from, uint32_t count, uint32_t base)
{
    for (uint32_t k = 0; k < count; k++)
        to[k] = (kept_group){(uint16_t)(from[k].first - base), from[k].count};
    return to + count;
}

int insn_cache_lower(const insn_cache *c, const insn_template *t, uint32_t context, block *b, arena *a,
                     uint32_t index)
{
    block_insn *bi = &b->insns[index];
    const lowered_insn *from = t->lowered;
    while (from && from->context != context)
        from = from->next;
    if (!from)
        return 0;
    memcpy((char *)bi + LOWERED_FROM, from->part, LOWERED_BYTES);
    for (uint32_t m = 0; m < bi->mem_count; m++)
        bi->mem[m] = accesses_of(from)[m];
    if ((b->uop_count + from->uops > b->uop_capacity ||
         b->fused_count + bi->fused_count > b->fused_capacity ||
         b->laminated_count + bi->laminated_count > b->laminated_capacity) &&
        block_reserve(b, a, from->uops, bi->fused_count, bi->laminated_count))
        return TACHO_ERR_MEMORY;
    bi->uop_first = b->uop_count;
    bi->uneliminated_first = bi->eliminable ? b->uop_count + bi->uop_count : 0;
    bi->fused_first = b->fused_count;
    bi->laminated_first = b->laminated_count;
    bi->notes = from->notes;
    const uop *uops = uops_of(from, bi);
    const kept_group *groups = (const kept_group *)(uops + from->uops);
    copy_uops(b, uops, from->uops, index);
    groups = copy_groups(b->fused + b->fused_count, groups, bi->fused_count, b->uop_count);
    copy_groups(b->laminated + b->laminated_count, groups, bi->laminated_count, b->fused_count);
    b->uop_count += from->uops;
    b->fused_count += bi->fused_count;
    b->laminated_count += bi->laminated_count;
    number_lowered(c, t, from->displaced, bi);
    return 1;
}

void insn_cache_keep_lowered(insn_cache *c, insn_template *t, uint32_t context, const block *b,
                             uint32_t index)
{
    const block_insn *bi = &b->insns[index];
    uint32_t uops = b->uop_count - bi->uop_first;
    size_t groups = (size_t)bi->fused_count + bi->laminated_count;
    size_t bytes = sizeof(lowered_insn) + bi->mem_count * sizeof(mem_access) + uops * sizeof(uop) +
                   groups * sizeof(kept_group);
    lowered_insn *l = c->bytes < MAX_BYTES ? keep(c, bytes) : NULL;
    if (!l)
        return;
    *l = (lowered_insn){.next = t->lowered,
                        .context = context,
                        .uops = (uint16_t)uops,
                        .displaced = displaced_access(t, b, bi),
                        .notes = bi->notes};
    memcpy(l->part, (const char *)bi + LOWERED_FROM, LOWERED_BYTES);
    memcpy((mem_access *)accesses_of(l), bi->mem, bi->mem_count * sizeof(mem_access));
    memcpy((uop *)uops_of(l, bi), b->uops + bi->uop_first, uops * sizeof(uop));
    kept_group *group = (kept_group *)(uops_of(l, bi) + uops);
    group = keep_groups(group, b->fused + bi->fused_first, bi->fused_count, bi->uop_first);
    keep_groups(group, b->laminated + bi->laminated_first, bi->laminated_count, bi->fused_first);
    t->lowered = l;
}
