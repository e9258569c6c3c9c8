/* chain.c - which loop measures a pair of operands.
 *
 * In the order of preference: the instruction's own register; two instances that hand each other their
 * results, so that no link is needed and no operand is another one's too; a register that the opcode fixes
 * chosen for the other operand as well; links. A loop counts as exact when the walk over its operands finds
 * no dependency from iteration to iteration but through the pair (after uops.info, section 5.2). */

#include "base/search.h"
#include "machine/characterise/chain.h"
#include "x86/decode/ops.h"

/* ---- operands ---- */

static tacho_reg operand_register(const builder *b, unsigned i, bool *fixed)
{
    const tacho_form_operand *o = &b->form.operands[i];
    if (i >= b->form.visible_count) {
        *fixed = true;
        return o->reg;
    }
    tacho_reg r = tacho_kind_reg(instance_kind(b->form.id, i), fixed);
    if (!*fixed)
        r.number = b->choice.reg[i];
    return r;
}

static uint8_t flags_carrier(unsigned mine, unsigned others)
{
    unsigned group = mine & others ? mine & others : mine;
    return group & TACHO_FLAG_C && (mine & others) ? CARRIER_C
           : group & TACHO_FLAG_SPAZO              ? CARRIER_SPAZO
                                                   : CARRIER_C;
}

/* Of the flags that an instruction writes, one that depends on its operands: zero, unless it leaves that
 * undefined or as it was. */
static bool carry_is_the_result(const builder *b)
{
    return IS_ONE_OF(tacho_mnemonic_operation(b->form.mnemonic), OP_MUL, OP_IMUL, OP_BT, OP_BIT_CHANGE,
                     OP_ROL, OP_ROR, OP_ROTATE_CARRY);
}

static tacho_reg address_register(const builder *b, const endpoint *e, const tacho_form_operand *o)
{
    if (e->visible < 0)
        return e->index ? o->index : o->base;
    form_kind kind = instance_kind(b->form.id, (unsigned)e->visible);
    if (e->index && kind >= KIND_VSIB_XMM && kind <= KIND_VSIB_ZMM)
        return (tacho_reg){TACHO_REG_XMM, b->choice.index};
    return (tacho_reg){TACHO_REG_R64, e->index ? b->choice.index : b->choice.base};
}

static endpoint resolve(const builder *b, unsigned operand, tacho_path path, uint8_t flags_of_other)
{
    const tacho_form_operand *o = &b->form.operands[operand];
    endpoint e = {.operand = (uint8_t)operand,
                  .visible = operand < b->form.visible_count ? (int)operand : -1,
                  .access = o->access,
                  .width = o->width_bits,
                  .carrier = CARRIER_NONE};
    bool memory = o->kind == TACHO_OPERAND_MEM || o->kind == TACHO_OPERAND_AGEN;
    e.address = memory && path == TACHO_PATH_ADDRESS;
    e.index = memory && path == TACHO_PATH_ADDRESS_INDEX;
    e.memory = memory && !e.address && !e.index;
    e.flags = o->kind == TACHO_OPERAND_FLAGS;
    if (e.flags) {
        e.carrier = flags_carrier(o->flags_read && o->flags_written ? o->flags_read & o->flags_written
                                  : o->flags_read                   ? o->flags_read
                                                                    : o->flags_written,
                                  flags_of_other);
    } else if (e.memory) {
        e.carrier = CARRIER_MEMORY;
    } else if (memory) {
        e.reg = address_register(b, &e, o);
        e.fixed = e.visible < 0;
        e.carrier = carrier_of_reg(e.reg);
    } else {
        e.reg = operand_register(b, operand, &e.fixed);
        e.carrier = carrier_of_reg(e.reg);
    }
    return e;
}

/* ---- the ways ---- */

typedef struct plan {
    builder *b;
    endpoint from, to; /* the source and the target of the pair */
} plan;

static void own_register(plan *p)
{
    carriers keep = {{0, 0}};
    carriers_add(&keep, p->from.carrier);
    put_breaks(p->b, &keep);
    put_instance(p->b, p->from.carrier, p->to.carrier);
    p->b->c->traversals = 1;
}

static bool is_partial(tacho_reg r)
{
    return r.class_ == TACHO_REG_R8L || r.class_ == TACHO_REG_R8H || r.class_ == TACHO_REG_R16;
}

static bool can_swap(const plan *p)
{
    const endpoint *s = &p->from, *d = &p->to;
    if (s->visible < 0 || d->visible < 0 || s->fixed || d->fixed || s->memory || d->memory || s->address ||
        s->index || s->operand == d->operand)
        return false;
    if (endpoint_is_general(s) && endpoint_is_general(d))
        return !is_partial(d->reg) || d->reg.class_ == s->reg.class_;
    return (endpoint_is_vector(s) && endpoint_is_vector(d)) || s->reg.class_ == d->reg.class_;
}

/* target <- source; source <- target. What else an instance updates is cut off before it. */
static void swap(plan *p)
{
    builder *b = p->b;
    uint8_t *s = &b->choice.reg[p->from.visible], *d = &b->choice.reg[p->to.visible];
    carriers keep = {{0, 0}}, updates;
    carriers_add(&keep, p->from.carrier);
    carriers_add(&keep, p->to.carrier);
    bool cut = instance_updates(b, &updates) && carriers_has(&updates, p->to.carrier);
    for (unsigned i = 0; i < 2; i++) {
        uint8_t from = i ? p->to.carrier : p->from.carrier, to = i ? p->from.carrier : p->to.carrier;
        put_breaks(b, &keep);
        put_instance(b, from, to);
        if (cut)
            put_break(b, from);
        uint8_t other = *s;
        *s = *d;
        *d = other;
    }
    b->c->traversals = 2;
}

static bool can_unify(const plan *p)
{
    const endpoint *s = &p->from, *d = &p->to;
    const endpoint *chosen = s->fixed ? d : s;
    if (s->fixed == d->fixed || chosen->visible < 0 || s->memory || s->flags || d->memory || d->flags ||
        s->address || s->index)
        return false;
    if (s->reg.class_ == TACHO_REG_R8H || d->reg.class_ == TACHO_REG_R8H)
        return false;
    /* Then two pairs would be on the way. */
    if (s->fixed ? s->access & TACHO_WRITE : d->access & TACHO_READ)
        return false;
    return (endpoint_is_general(s) && endpoint_is_general(d)) ||
           (endpoint_is_vector(s) && endpoint_is_vector(d));
}

static void unify(plan *p)
{
    builder *b = p->b;
    const endpoint *chosen = p->from.fixed ? &p->to : &p->from;
    const endpoint *fixed = p->from.fixed ? &p->from : &p->to;
    b->choice.reg[chosen->visible] = fixed->reg.number;
    p->from.carrier = p->to.carrier = fixed->carrier;
    own_register(p);
}

static bool by_links(plan *p)
{
    carriers keep = {{0, 0}};
    carriers_add(&keep, p->from.carrier);
    if (!put_links(p->b, &p->to, &p->from))
        return false;
    put_breaks(p->b, &keep);
    put_instance(p->b, p->from.carrier, p->to.carrier);
    p->b->c->traversals = 1;
    return true;
}

/* A pointer that is loaded is the next address. */
static bool is_pointer_load(const plan *p)
{
    return p->from.address && p->from.visible >= 0 && p->to.visible == 0 &&
           p->to.reg.class_ == TACHO_REG_R64 && !p->to.memory && !p->to.flags &&
           tacho_mnemonic_operation(p->b->form.mnemonic) == OP_MOVE &&
           p->b->form.operands[p->from.visible].width_bits == 64;
}

static void pointer_load(plan *p)
{
    p->b->choice.base = p->to.reg.number;
    p->from.carrier = p->to.carrier;
    own_register(p);
}

typedef enum way {
    WAY_OWN = 0,
    WAY_POINTER,
    WAY_SWAP,
    WAY_UNIFY,
    WAY_LINKS,
    WAYS
} way;

static bool try_way(plan *p, way how)
{
    bool same = p->from.carrier == p->to.carrier && !p->from.address && !p->from.index;
    switch (how) {
    case WAY_OWN:
        if (!same || p->b->divides)
            return false;
        own_register(p);
        return true;
    case WAY_POINTER:
        if (!is_pointer_load(p))
            return false;
        pointer_load(p);
        return true;
    case WAY_SWAP:
        if (!can_swap(p) || p->b->divides)
            return false;
        swap(p);
        return true;
    case WAY_UNIFY:
        if (!can_unify(p) || p->b->divides)
            return false;
        unify(p);
        return true;
    default:
        return by_links(p);
    }
}

static bool has_high_byte(const builder *b)
{
    for (unsigned i = 0; i < b->form.visible_count; i++)
        if (instance_kind(b->form.id, i) == KIND_R8H)
            return true;
    return false;
}

static void start_plan(plan *p, builder *b, chain *out, const chain_pair *pair)
{
    builder_start(b, out, pair->form);
    const tacho_form_operand *s = &b->form.operands[pair->source], *d = &b->form.operands[pair->target];
    if (pair->path == TACHO_PATH_ADDRESS_INDEX && b->choice.index == INSTANCE_NO_INDEX)
        b->choice.index = has_high_byte(b) ? CHAIN_LEGACY_TEMPORARY : CHAIN_TEMPORARY;
    p->b = b;
    p->from = resolve(b, pair->source, pair->path, d->flags_written);
    p->to = resolve(b, pair->target, TACHO_PATH_MEMORY, s->flags_read);
    if (p->to.flags && d->flags_written & TACHO_FLAG_C && carry_is_the_result(b))
        p->to.carrier = CARRIER_C;
}

/* Registers that move with each instance (the stack's, those of string instructions), and memory there. */
static bool moves_along(const plan *p)
{
    const endpoint *ends[] = {&p->from, &p->to};
    for (unsigned i = 0; i < 2; i++) {
        const endpoint *e = ends[i];
        bool memory = e->memory || e->address || e->index;
        if (e->visible < 0 &&
            (memory || e->carrier == 4 || e->carrier == CHAIN_BASE || e->carrier == CHAIN_SAME_BASE))
            return true;
    }
    return false;
}

static bool not_followed(const plan *p, const char **why)
{
    if (moves_along(p)) {
        *why = "the instruction's address moves on each time";
        return true;
    }
    if (p->b->divides && p->from.memory) {
        *why = "a divisor from memory must not become zero";
        return true;
    }
    bool source = p->from.carrier == CARRIER_NONE, target = p->to.carrier == CARRIER_NONE;
    if (source || target)
        *why = source ? "no loop reaches the source operand"
                      : "nothing can be made to wait for the target operand";
    return source || target;
}

/* Copies of a loop are repeated by a counter (DEC), which writes these flags: the loop begins where nothing
 * is in them. @return false where they hold something everywhere */
static bool begin_without_flags(chain *c)
{
    for (unsigned i = 0; i < c->count && walk_carries(c->steps, c->count, CARRIER_SPAZO); i++) {
        walk_step first = c->steps[0];
        memmove(c->steps, c->steps + 1, (c->count - 1) * sizeof *c->steps);
        c->steps[c->count - 1] = first;
    }
    return !walk_carries(c->steps, c->count, CARRIER_SPAZO);
}

int chain_make(chain *out, const chain_pair *pair, const char **why)
{
    chain best = {.count = 0};
    builder b;
    plan p;
    *why = "no instructions lead from the target back to the source";
    for (unsigned how = 0; how < WAYS; how++) {
        start_plan(&p, &b, out, pair);
        if (out->failed || not_followed(&p, why))
            return TACHO_ERR_UNSUPPORTED;
        if (!try_way(&p, (way)how) || out->failed || !begin_without_flags(out))
            continue;
        walk_result found = walk(out->steps, out->count);
        out->exact = !found.other;
        if (found.target && out->exact)
            return TACHO_OK;
        if (found.target && !best.count)
            best = *out;
    }
    *out = best;
    return best.count ? TACHO_OK : TACHO_ERR_UNSUPPORTED;
}

/* ---- throughput, and one register for all operands ---- */

enum {
    INSTANCES = 10
};

static bool is_chosen_register(const builder *b, unsigned i)
{
    bool fixed;
    return tacho_kind_reg(instance_kind(b->form.id, i), &fixed).class_ != TACHO_REG_NONE && !fixed;
}

static unsigned count_registers(const builder *b, unsigned i)
{
    unsigned count = 0;
    while (instance_register(b->form.id, i, count) >= 0)
        count++;
    return count;
}

/* The one of operand `i` by its number among those it may be. */
static void choose_register(builder *b, unsigned i, unsigned which)
{
    int number = instance_register(b->form.id, i, which);
    b->choice.reg[i] = (uint8_t)(number < 0 ? 0 : number);
}

/* Registers of the visible operands that instance `n` writes: another one each time, as long as there are. */
static void choose_targets(builder *b, unsigned n)
{
    for (unsigned i = 0; i < b->form.visible_count; i++) {
        if (!is_chosen_register(b, i) || !(b->form.operands[i].access & TACHO_WRITE))
            continue;
        unsigned count = count_registers(b, i), taken = b->form.visible_count - 1;
        choose_register(b, i, (i + n) % (count > taken ? count - taken : 1));
    }
}

/* Some registers have an encoding, and so a form, of their own: "CMP (RAX, I32)". */
static bool can_be_made(const builder *b)
{
    tacho_insn insn;
    const char *why;
    return instance_make(&insn, b->form.id, &b->choice, &why) == 0;
}

/* Those that are only read: the last ones, which nothing writes. */
static void choose_sources(builder *b)
{
    unsigned from_end = 0;
    for (unsigned i = 0; i < b->form.visible_count; i++) {
        if (!is_chosen_register(b, i) || (b->form.operands[i].access & TACHO_WRITE))
            continue;
        const unsigned count = count_registers(b, i);
        do {
            from_end++;
            choose_register(b, i, count > from_end ? count - from_end : 0);
        } while (count > from_end && !can_be_made(b));
    }
}

/* The registers that were chosen for operands: what else the instance updates is cut off. */
static void keep_chosen(const builder *b, carriers *keep)
{
    for (unsigned i = 0; i < b->form.visible_count; i++) {
        bool fixed;
        tacho_reg r = operand_register(b, i, &fixed);
        if (!fixed)
            carriers_add(keep, carrier_of_reg(r));
    }
}

unsigned chain_for_throughput(chain *out, uint32_t form, unsigned breaks)
{
    builder b;
    unsigned n = 0;
    builder_start(&b, out, form);
    if (out->failed)
        return 0;
    int32_t disp = b.choice.disp;
    choose_sources(&b);
    for (; n < INSTANCES && out->count + 6 < CHAIN_MAX_STEPS; n++) {
        carriers keep = {{0, 0}}, updates;
        choose_targets(&b, n);
        if (!instance_updates(&b, &updates))
            return 0;
        b.choice.disp = disp + (carriers_has(&updates, CARRIER_MEMORY) ? (int32_t)n * 64 : 0);
        if (breaks < 2)
            keep_chosen(&b, &keep);
        carriers_add(&keep, CARRIER_MEMORY);
        if (breaks || b.gathers || b.divides)
            put_breaks(&b, &keep);
        put_instance(&b, CARRIER_NONE, CARRIER_NONE);
    }
    return out->failed || (breaks && out->count == n) ? 0 : n;
}

bool chain_with_same_register(chain *out, uint32_t form)
{
    builder b;
    int first = -1;
    unsigned alike = 0;
    builder_start(&b, out, form);
    if (out->failed || b.divides || b.gathers)
        return false;
    form_kind kind = KIND_NONE;
    for (unsigned i = 0; i < b.form.visible_count; i++) {
        if (!is_chosen_register(&b, i))
            continue;
        if (first < 0) {
            first = b.choice.reg[i];
            kind = instance_kind(form, i);
        }
        alike += instance_kind(form, i) == kind;
        b.choice.reg[i] = (uint8_t)first;
    }
    if (alike < 2)
        return false;
    carriers keep = {{0, 0}}; /* not the flags, through which SBB would wait for itself */
    keep_chosen(&b, &keep);
    carriers_add(&keep, CARRIER_MEMORY);
    put_breaks(&b, &keep);
    put_instance(&b, CARRIER_NONE, CARRIER_NONE);
    out->traversals = 1;
    return !out->failed;
}
