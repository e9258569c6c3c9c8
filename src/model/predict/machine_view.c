/* machine_view.c - see predictor.h. What is known of an instruction alone is taken whole, without what is
 * known to decide nothing: what is added to that part of block_insn is part of the view. */
#include "base/hash.h"
#include "model/predict/predictor.h"
#include "x86/decode/regs.h"

/* ---- names of registers ---- */

/* What a register is called matters to the machine only for some. Others are named anew, of their kind, in
 * the order in which they are met: `add rax, rbx` is `add rcx, rdx`. */

enum {
    NO_NAME = UNIT_NONE - 1 /* yet; no slot is so high */
};

typedef struct kind_of_unit {
    uint8_t first, end;
} kind_of_unit;

static const kind_of_unit kinds[] = {{UNIT_GPR, UNIT_HIGH8},
                                     {UNIT_VECTOR, UNIT_K},
                                     {UNIT_K, UNIT_X87},
                                     {UNIT_EARLY, UNIT_EARLY + UNIT_EARLY_COUNT}};

enum {
    KINDS = sizeof kinds / sizeof *kinds
};

typedef struct viewer {
    machine_view view;
    uint8_t name[UNIT_NONE + 1]; /* [slot] */
    uint8_t next[KINDS];
    bool addresses; /* are compared */
    bool values;    /* are followed for that: then all of the code matters */
    bool chases;    /* a load can be fast, as its base may come straight from a load */
    const block *b;
} viewer;

static void name_units(viewer *v)
{
    const bool parts = v->b->has_high8_write || v->b->has_high8_read; /* of four general registers */
    for (uint32_t k = 0; k <= UNIT_NONE; k++)
        v->name[k] = (uint8_t)k;
    for (uint32_t k = parts; k < KINDS && !v->values; k++) {
        v->next[k] = kinds[k].first;
        memset(&v->name[kinds[k].first], NO_NAME, (size_t)(kinds[k].end - kinds[k].first));
    }
    v->name[UNIT_RSP] = UNIT_RSP; /* the stack engine's */
}

static uint8_t name_of(viewer *v, uint8_t slot)
{
    if (v->name[slot] != NO_NAME)
        return v->name[slot];
    uint32_t k = 0;
    while (slot >= kinds[k].end)
        k++;
    v->next[k] = (uint8_t)(v->next[k] + (v->next[k] == UNIT_RSP));
    return v->name[slot] = v->next[k]++;
}

static unit_set name_set(viewer *v, unit_set set)
{
    unit_set named = {{0}};
    for (uint32_t w = 0; w < 2; w++)
        for (; set.bits[w]; set.bits[w] &= set.bits[w] - 1)
            unit_set_add(&named, name_of(v, (uint8_t)(64 * w + (uint32_t)__builtin_ctzll(set.bits[w]))));
    return named;
}

/* ---- records ---- */

static void see(viewer *v, uint64_t word)
{
    for (uint32_t k = 0; k < 2; k++)
        v->view.hash[k] = hash_add(v->view.hash[k], word);
}

static void see_bytes(viewer *v, const void *bytes, size_t count)
{
    const uint8_t *at = bytes;
    uint64_t word;
    for (; count >= sizeof word; at += sizeof word, count -= sizeof word) {
        memcpy(&word, at, sizeof word);
        see(v, word);
    }
    word = 0;
    memcpy(&word, at, count);
    see(v, word);
}

static void see_uop(viewer *v, const uop *u)
{
    see(v, u->ports | (uint64_t)u->kind << 16 | (uint64_t)u->mem << 24 | (uint64_t)u->in_count << 32 |
               (uint64_t)u->out_count << 40 | (uint64_t)u->first_of_insn << 48 |
               (uint64_t)u->needs_no_port << 49 | (uint64_t)u->vector_load << 50 |
               (uint64_t)u->with_load << 51);
    see(v, (uint16_t)u->max_latency | (uint64_t)(uint16_t)u->load_latency << 16 |
               (uint64_t)u->div_cycles << 32 | (uint64_t)u->insn << 48);
    for (uint32_t k = 0; k < u->in_count; k++)
        see(v, name_of(v, u->in[k]));
    for (uint32_t k = 0; k < u->out_count; k++)
        see(v, name_of(v, u->out[k].slot) | (uint64_t)(uint16_t)u->out[k].latency << 8);
}

static void see_groups(viewer *v, const uop_group *groups, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++)
        see(v, groups[k].first | (uint64_t)groups[k].count << 32);
}

/* An access: its registers, which are known by the time a load is fast; its numbers where they matter. */
static void see_access(viewer *v, mem_access m)
{
    if (!v->addresses) {
        m.disp = v->chases && m.disp >= 0 && m.disp < FAST_DISPLACEMENT_END;
        m.scale = 0;
    }
    m.base = name_of(v, m.base);
    m.index = name_of(v, m.index);
    see_bytes(v, &m, sizeof m);
}

/* Where no values are followed, of the numbers in the code only what an addition at rename makes of its
 * constant decides something. */
static void blank_values(const viewer *v, block_insn *i)
{
    const bool adds = i->adds_constant && block_ends_at_rename(v->b->arch, i);
    i->value_imm = adds ? block_constant(i) / SUM_UNIT : 0;
    i->value_disp = adds;
    i->value_op = i->value_kind = i->value_width = i->value_source_width = 0;
    i->value_target = i->value_first = i->value_source = 0;
}

static void see_insn(viewer *v, block_insn i)
{
    if (!v->values)
        blank_values(v, &i);
    if (!v->b->has_high8_write)
        i.merges_high8 = i.writes_high8 = i.writes_whole = 0;
    for (uint32_t k = 0; k < i.mem_count; k++)
        see_access(v, i.mem[k]);
    for (uint32_t k = 0; k < sizeof i.kills; k++)
        i.kills[k] = k < i.kill_count ? name_of(v, i.kills[k]) : 0;
    i.move_source = i.eliminable ? name_of(v, i.move_source) : 0;
    i.move_target = i.eliminable ? name_of(v, i.move_target) : 0;
    i.reads = name_set(v, i.reads);
    i.writes = name_set(v, i.writes);
    i.written_gprs = (uint16_t)name_set(v, (unit_set){{i.written_gprs}}).bits[0];
    const tacho_insn *own = i.insn; /* its domain, what it stores, where its bytes are */
    see(v, own->mnemonic | (uint64_t)own->length << 16 | (uint64_t)own->opcode_offset << 24 |
               (uint64_t)own->imm_bytes << 32 | (uint64_t)own->lcp << 40 |
               (uint64_t)insn_names_vector_reg(own) << 41);
    see(v, i.throttle_owner | (uint64_t)i.jumps << 32 | (uint64_t)i.fusible << 33 |
               (uint64_t)i.fused_with_next << 34 | (uint64_t)i.fused_into_previous << 35 |
               (uint64_t)i.joined << 36 | (uint64_t)i.mispredicted << 37);
    see(v, (uint64_t)i.value_disp);
    see_bytes(v, &i.value_imm, offsetof(block_insn, mem) - offsetof(block_insn, value_imm));
}

/* ---- places ---- */

static uint16_t block_of_code(const block *b, uint32_t insn, uint32_t bytes)
{
    return (uint16_t)(b->insns[insn].address / bytes - b->insns[0].address / bytes);
}

/* The block of the DSB that an instruction of a loop begins in; those of 16, 32 and 64 bytes, too, where the
 * decoders have a part in the loop, or the distance to a branch's target matters. */
static void see_place(viewer *v, const dsb_layout *l, uint32_t insn)
{
    const block *b = v->b;
    uint64_t place = block_of_code(b, insn, b->arch->dsb_block_bytes);
    if (!l->all_cached || b->arch->dsb_near_targets)
        for (uint32_t bytes = 16; bytes <= 64; bytes *= 2)
            place = place << 16 | block_of_code(b, insn, bytes);
    see(v, place);
    see(v, l->insn_cached[insn]);
}

static void see_places(viewer *v, const dsb_layout *l)
{
    const block *b = v->b;
    const bool anywhere = b->mode == TACHO_MODE_LOOP && l->all_cached;
    for (uint32_t k = 0; k < b->insn_count; k++)
        see_place(v, l, k);
    see(v, anywhere                       ? 0
           : b->mode == TACHO_MODE_UNROLL ? b->alignment
                                          : b->alignment % b->arch->predecode_block_bytes);
    see(v, l->fits_lsd | (uint64_t)l->lsd_unroll << 32);
    see_bytes(v, l->dsb_entries, l->dsb_entry_count * sizeof *l->dsb_entries);
}

/* Whether registers that addresses come from are changed, other than RSP by constants. What they hold at
 * first are numbers that have nothing in common, and only that they lie in lines alike (registers.c); so if
 * they stay as they are it does not matter which of them it is. */
static bool computes_address(const block_insn *bi, uint16_t needed)
{
    uint32_t changed = bi->written_gprs;
    if (bi->value_op != VALUE_NONE && bi->value_target < 16)
        changed |= 1u << bi->value_target;
    if (bi->value_op == VALUE_EXCHANGE && bi->value_source < 16)
        changed |= 1u << bi->value_source;
    const bool by_constant = bi->stack_delta || (!bi->resets_stack && bi->value_op == VALUE_TWO &&
                                                 bi->value_first == UNIT_RSP && bi->value_source >= 16);
    return changed & needed & ~(by_constant ? 1u << UNIT_RSP : 0);
}

machine_view machine_view_of(const block *b, const dsb_layout *l, const tacho_predict_options *o)
{
    viewer v = {.view.hash = {b->insn_count, HASH_STEP}, .b = b};
    v.addresses = block_compares_addresses(b, o) || block_notices_splits(b, o);
    const uint16_t needed = v.addresses ? registers_needed(b) : 0;
    for (uint32_t k = 0; k < b->insn_count; k++) {
        v.chases |= b->insns[k].gpr_load && b->arch->fast_pointer_chasing;
        v.values |= computes_address(&b->insns[k], needed);
    }
    name_units(&v);
    for (uint32_t k = 0; k < b->uop_count; k++)
        see_uop(&v, &b->uops[k]);
    for (uint32_t k = 0; k < b->insn_count; k++)
        see_insn(&v, b->insns[k]);
    see_groups(&v, b->fused, b->fused_count);
    see_groups(&v, b->laminated, b->laminated_count);
    see(&v, b->lacking_count | (uint64_t)(b->decoded_count - b->insn_count) << 32);
    see(&v, b->size);
    if (v.values)
        see_bytes(&v, b->bytes, b->size);
    for (uint32_t k = 0; b->same_code && k < b->insn_count; k++)
        see(&v, b->same_code[k]);
    see_places(&v, l);
    return v.view;
}
