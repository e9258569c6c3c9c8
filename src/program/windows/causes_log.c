/* causes_log.c - the log: each step of each window, and the instructions that they are of. */

#include "base/hash.h"
#include "base/mem.h"
#include "base/names.h"
#include "program/windows/causes_internal.h"
#include "x86/decode/ops.h"
#include "x86/decode/regs.h"

/* ---- accesses to memory ---- */

/* What an access does: it crosses lines or pages, or a load cannot have what a store before it has written
 * (A. Fog, "The microarchitecture of Intel, AMD and VIA CPUs", on store forwarding; Intel, "64 and IA-32
 * Architectures Optimization Reference Manual", "Store Forwarding"). */

enum {
    /* Instructions between a store and a load that finds it in the store buffer still, however fast the code
     * is: it stays there until it has retired and longer. */
    FORWARD_REACH = 48,
    MOST_ACCESS_BYTES = 64 /* what is larger (XSAVE) is no single access */
};

/* The youngest store that has a byte of the load: if it does not have all of them the load waits. */
static void look_back(const causes *c, const step_access *load, uint64_t now, logged_step *l)
{
    uint64_t kept = c->store_count < LOG_STORES ? c->store_count : LOG_STORES;
    for (uint64_t k = 1; k <= kept; k++) {
        const recent_store *r = &c->stores[(c->store_count - k) % LOG_STORES];
        const step_access *s = &r->access;
        if (now - r->step > FORWARD_REACH)
            return;
        if (step_overlap(load, s)) {
            if (load->address < s->address || load->address + load->bytes > s->address + s->bytes) {
                l->seen |= SEEN_BLOCKED;
                l->seen &= (uint16_t)~SEEN_ALIASED;
                l->other = r->site;
            }
            return;
        }
        if (!(l->seen & (SEEN_BLOCKED | SEEN_ALIASED)) && step_overlap_in_page(load, s)) {
            l->seen |= SEEN_ALIASED;
            l->other = r->site;
            return;
        }
    }
}

static void causes_see_memory(causes *c, const step *s, logged_step *l)
{
    /* Repeated string instructions go line by line whatever their operands are; of masked ones it is not
     * known which bytes they access. */
    if (s->insn->rep || s->insn->repne || s->insn->mask)
        return;
    for (size_t i = 0; i < s->access_count; i++) {
        const step_access *a = &s->accesses[i];
        if (!a->bytes || a->bytes > MOST_ACCESS_BYTES)
            continue;
        if (step_crosses(a, PAGE_BYTES)) /* and a line with it */
            l->seen |= a->store ? SEEN_PAGE_STORE : SEEN_PAGE_LOAD;
        else if (step_crosses(a, LINE_BYTES))
            l->seen |= a->store ? SEEN_LINE_STORE : SEEN_LINE_LOAD;
        if (a->store && !l->store_bytes) {
            l->store = a->address;
            l->store_bytes = (uint8_t)a->bytes;
        } else if (!a->store && !l->load_bytes) {
            l->load = a->address;
            l->load_bytes = (uint8_t)a->bytes;
        }
        if (a->store)
            c->stores[c->store_count++ % LOG_STORES] = (recent_store){*a, s->index, l->site};
        else
            look_back(c, a, s->index, l);
    }
}

/* ---- subnormal numbers ---- */

/* Subnormal numbers: operands, and results, of floating-point arithmetic with SSE and AVX. Operands are
 * looked at before the instruction, the result when the next one is about to be executed. x87 and masked
 * instructions are not looked at, comparisons and moves neither: these are not slower. */

enum {
    MXCSR_DENORMALS_ARE_ZERO = 1 << 6
};

/* Not with masks, as it is not known here which numbers these leave out. */
static float_arithmetic causes_floats(const tacho_insn *insn)
{
    return insn->length && !insn->mask ? tacho_insn_floats(insn) : (float_arithmetic){0};
}

static bool is_single(uint8_t kind)
{
    return kind == FLOAT_SS || kind == FLOAT_PS;
}

static bool any_subnormal(uint8_t kind, const uint8_t *at, size_t bytes)
{
    size_t each = is_single(kind) ? 4 : 8;
    size_t count = kind == FLOAT_SS || kind == FLOAT_SD ? 1 : bytes / each;
    for (size_t i = 0; i < count; i++, at += each) {
        uint64_t value = 0;
        memcpy(&value, at, each);
        uint64_t fraction = each == 4 ? value & 0x7fffff : value & 0xfffffffffffff;
        uint64_t exponent = each == 4 ? value >> 23 & 0xff : value >> 52 & 0x7ff;
        if (!exponent && fraction)
            return true;
    }
    return false;
}

static void see_result(causes *c, const step *s)
{
    uint8_t value[64];
    awaited_result *r = &c->result;
    if (!r->waits || !s->values)
        return;
    r->waits = false;
    if (s->values->vector(s->values->payload, r->number, value) && any_subnormal(r->kind, value, r->bytes))
        c->steps[c->step_count - 2].seen |= SEEN_SUBNORMAL;
}

static bool operand_subnormal(const step *s, const tacho_operand *o, uint8_t kind, bool widens)
{
    uint8_t value[64];
    size_t bytes = o->width_bits / 8u;
    bytes = widens ? s->insn->operands[0].width_bits / 16u : bytes;
    bool scalar = kind == FLOAT_SS || kind == FLOAT_SD;
    size_t least = scalar ? (is_single(kind) ? 4u : 8u) : bytes;
    if (bytes > sizeof value || bytes < least)
        return false;
    if (o->kind == TACHO_OPERAND_REG)
        return reg_is_vector(o->reg) && s->values->vector(s->values->payload, o->reg.number, value) &&
               any_subnormal(kind, value, least);
    if (o->kind != TACHO_OPERAND_MEM)
        return false;
    for (size_t i = 0; i < s->access_count; i++)
        if (!s->accesses[i].store && s->accesses[i].bytes <= sizeof value && s->accesses[i].bytes >= least)
            return s->values->memory(s->values->payload, s->accesses[i].address, value, least) &&
                   any_subnormal(kind, value, least);
    return false;
}

static void causes_see_values(causes *c, const step *s, logged_step *l)
{
    see_result(c, s);
    const float_arithmetic notes = c->notes[l->site];
    uint32_t mxcsr;
    if (!notes.operation || !s->values || !s->values->mxcsr(s->values->payload, &mxcsr))
        return;
    bool widens = notes.reads == FLOAT_PS && notes.writes == FLOAT_PD; /* of the lower half */
    l->seen |= SEEN_VALUES;
    for (const tacho_operand *o = s->insn->operands; o < s->insn->operands + s->insn->visible_count; o++) {
        if ((o->access & TACHO_READ) && !(mxcsr & MXCSR_DENORMALS_ARE_ZERO) &&
            operand_subnormal(s, o, notes.reads, widens))
            l->seen |= SEEN_SUBNORMAL;
        if ((o->access & TACHO_WRITE) && o->kind == TACHO_OPERAND_REG && reg_is_vector(o->reg))
            c->result = (awaited_result){true, notes.writes, o->reg.number, o->width_bits / 8u};
    }
}

/* ---- the log ---- */

causes *causes_new(void)
{
    return tacho_mem_zalloc(1, sizeof(causes));
}

void causes_free(causes *c)
{
    if (!c)
        return;
    hash_index_free(&c->by_address);
    TACHO_MEM_FREE(c->sites, c->notes, c->steps, c->windows, c->list, c);
}

GIVES(bool, causes_failed, causes, failed)
GIVES(size_t, causes_site_count, causes, site_count)

const cause_site *causes_site_at(const causes *c, uint32_t number)
{
    return &c->sites[number];
}

bool causes_add(causes *c, const cause *one)
{
    if (tacho_mem_grow(&c->list, &c->capacity, c->count + 1, sizeof *c->list)) {
        c->failed = true;
        return false;
    }
    c->list[c->count++] = *one;
    return true;
}

/* ---- instructions ---- */

/* The same code in several processes is one instruction; other code at the same place (JIT compilers) is
 * another. */
static bool is_site(const cause_site *site, const step *s)
{
    uint8_t length = s->insn ? s->insn->length : 0;
    return site->object == s->object && site->offset == s->offset && site->insn.length == length &&
           (!length || !memcmp(site->insn.bytes, s->insn->bytes, length));
}

static uint32_t find_site(causes *c, const step *s)
{
    uint64_t hash = hash_add(hash_mix(s->offset), s->object);
    hash_probe p = hash_find(&c->by_address, hash);
    while (hash_next(&p))
        if (is_site(&c->sites[p.item], s))
            return p.item;
    uint32_t number = (uint32_t)c->site_count;
    if (tacho_mem_grow(&c->sites, &c->site_capacity, c->site_count + 1, sizeof *c->sites) ||
        tacho_mem_grow(&c->notes, &c->notes_capacity, c->site_count + 1, sizeof *c->notes) ||
        hash_add_item(&c->by_address, hash, number)) {
        c->failed = true;
        return CAUSES_NONE;
    }
    c->sites[number] =
        (cause_site){.object = s->object, .offset = s->offset, .process = s->process, .address = s->address};
    if (s->insn)
        c->sites[number].insn = *s->insn;
    c->notes[number] = causes_floats(&c->sites[number].insn);
    c->site_count++;
    return number;
}

/* ---- what came next ---- */

/* Where the conditional branch before this step has gone; after a signal nobody knows. */
static void note_outcome(causes *c, uint64_t next)
{
    logged_step *before = &c->steps[c->step_count - 1];
    const tacho_insn *insn = &c->sites[before->site].insn;
    if (!insn->length || !insn->is_conditional)
        return;
    uint64_t following = c->last + insn->length;
    for (int i = 0; i < insn->operand_count; i++)
        if (insn->operands[i].kind == TACHO_OPERAND_REL &&
            next == following + (uint64_t)insn->operands[i].imm && next != following)
            before->seen |= SEEN_OUTCOME | SEEN_TAKEN;
    if (next == following)
        before->seen |= SEEN_OUTCOME;
}

/* ---- where addresses come from ---- */

static bool clears(const tacho_insn *insn)
{
    return (insn->operation == OP_XOR || insn->operation == OP_SUB) && insn->operand_count >= 2 &&
           operands_are_one_reg(&insn->operands[0], &insn->operands[1]);
}

static uint64_t source_of(const causes *c, tacho_reg r)
{
    return reg_is_general(r) && r.class_ != TACHO_REG_R8H ? c->loaded[r.number] : 0;
}

/* Follows what was loaded last through registers, and notes loads whose address comes from what they have
 * loaded themselves. */
static void follow_loads(causes *c, const tacho_insn *insn, logged_step *l)
{
    uint64_t from = 0, own = l->site + 1u;
    bool loads = false;
    for (const tacho_operand *o = insn->operands; o < insn->operands + insn->operand_count; o++) {
        bool is_memory = o->kind == TACHO_OPERAND_MEM,
             is_address = is_memory || o->kind == TACHO_OPERAND_AGEN;
        uint64_t base = is_address ? source_of(c, o->mem.base) : 0;
        uint64_t index = is_address && !o->mem.vsib ? source_of(c, o->mem.index) : 0;
        if (is_memory && (o->access & TACHO_READ)) {
            loads = true;
            if (base == own || index == own)
                l->seen |= SEEN_DEPENDENT;
        } else if (o->kind == TACHO_OPERAND_AGEN) {
            from = from ? from : base ? base : index;
        } else if (o->kind == TACHO_OPERAND_REG && (o->access & TACHO_READ)) {
            from = from ? from : source_of(c, o->reg);
        }
    }
    from = loads ? own : clears(insn) ? 0 : from;
    for (const tacho_operand *o = insn->operands; o < insn->operands + insn->operand_count; o++)
        if (o->kind == TACHO_OPERAND_REG && (o->access & TACHO_WRITE) && reg_is_general(o->reg))
            c->loaded[o->reg.number] = from;
}

/* ---- the observer ---- */

static void on_begin(void *payload, uint64_t process, uint64_t thread, double seconds)
{
    causes *c = payload;
    c->open = !c->failed && c->step_count < LOG_MOST_STEPS &&
              !tacho_mem_grow(&c->windows, &c->window_capacity, c->window_count + 1, sizeof *c->windows);
    if (!c->open)
        return;
    c->windows[c->window_count++] =
        (logged_window){.process = process, .thread = thread, .seconds = seconds, .first = c->step_count};
    c->store_count = 0;
    c->result.waits = false;
    memset(c->loaded, 0, sizeof c->loaded);
}

static void on_step(void *payload, const step *s)
{
    causes *c = payload;
    if (!c->open)
        return;
    logged_window *w = &c->windows[c->window_count - 1];
    uint32_t site = find_site(c, s);
    if (site == CAUSES_NONE ||
        tacho_mem_grow(&c->steps, &c->step_capacity, c->step_count + 1, sizeof *c->steps)) {
        c->failed = true;
        c->open = false;
        return;
    }
    if (w->count)
        note_outcome(c, s->address);
    c->last = s->address;
    c->sites[site].executions++;
    logged_step *l = &c->steps[c->step_count++];
    *l = (logged_step){.site = site, .other = CAUSES_NONE};
    w->count++;
    causes_see_values(c, s, l);
    if (!s->insn || s->insn->is_nop)
        return;
    causes_see_memory(c, s, l);
    follow_loads(c, s->insn, l);
}

static void on_end(void *payload, double taken)
{
    causes *c = payload;
    if (c->open)
        c->windows[c->window_count - 1].taken = taken;
    c->open = false;
}

step_observer causes_observer(causes *c)
{
    return (step_observer){.begin = on_begin, .step = on_step, .end = on_end, .payload = c};
}

size_t causes_addresses(const causes *c, uint32_t site, bool store, uint64_t *out, size_t most)
{
    size_t n = 0;
    for (size_t i = 0; i < c->step_count && n < most; i++) {
        const logged_step *l = &c->steps[i];
        const uint64_t address = store ? l->store : l->load;
        if (l->site == site && address)
            out[n++] = address;
    }
    return n;
}
