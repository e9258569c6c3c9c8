/* causes_log.c - the log: each step of each window, and the instructions that they are of. */
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "program/windows/causes_internal.h"
#include "x86/decode/ops.h"
#include "x86/decode/regs.h"

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

bool causes_failed(const causes *c)
{
    return c->failed;
}

size_t causes_site_count(const causes *c)
{
    return c->site_count;
}

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
    for (int i = 0; i < insn->operand_count; i++) {
        const tacho_operand *o = &insn->operands[i];
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
    for (int i = 0; i < insn->operand_count; i++) {
        const tacho_operand *o = &insn->operands[i];
        if (o->kind == TACHO_OPERAND_REG && (o->access & TACHO_WRITE) && reg_is_general(o->reg))
            c->loaded[o->reg.number] = from;
    }
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
