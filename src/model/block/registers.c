/* registers.c - following values through the registers; see registers.h. */
#include "base/hash.h"
#include "base/number.h"
#include "model/block/registers.h"
#include "x86/decode/arithmetic.h"

/* ---- what stores have put into memory ---- */

/* Bits of the bytes that a mask of consecutive bytes has. */
static uint64_t bits_of(uint8_t mask)
{
    unsigned from = (unsigned)__builtin_ctz(mask); /* some byte is in it */
    unsigned count = (unsigned)__builtin_ctz(~(mask >> from));
    return lowest_bits(8 * count) << 8 * from;
}

/* The followed bytes of a value that is stored at `address`, as they lie in the word. */
static uint64_t in_place(uint64_t word, uint64_t address, uint64_t bits)
{
    return address - word < WORD_BYTES ? bits << 8 * (address - word) : bits >> 8 * (word - address);
}

void stored_word_write(stored_word *w, uint64_t address, unsigned bytes, uint32_t store, followed_value v)
{
    uint8_t mask = bytes_in_word(w->address, address, bytes), known = 0;
    uint64_t bits = 0;
    if (v.known && accesses_meet(address, sizeof v.bits, w->address, WORD_BYTES)) {
        known = mask & bytes_in_word(w->address, address, sizeof v.bits);
        if (known)
            bits = in_place(w->address, address, v.bits) & bits_of(known);
    }
    w->word.bits = (w->word.bits & ~bits_of(mask)) | bits;
    w->word.written |= mask;
    w->word.known = (uint8_t)((w->word.known & ~mask) | known);
    w->word.constant = (uint8_t)((w->word.constant & ~mask) | (v.constant ? known : 0));
    w->last = store;
    if (mask == 0xff) {
        for (int k = 0; k < WORD_BYTES; k++)
            w->writer[k] = store;
        return;
    }
    for (uint32_t left = mask; left; left &= left - 1)
        w->writer[__builtin_ctz(left)] = store;
}

uint32_t stored_word_youngest(const stored_word *w, uint64_t address, unsigned bytes)
{
    uint32_t youngest = 0;
    for (uint32_t left = bytes_in_word(w->address, address, bytes); left; left &= left - 1) {
        uint32_t writer = w->writer[__builtin_ctz(left)];
        youngest = writer > youngest ? writer : youngest;
    }
    return youngest;
}

#define SAME_VALUE    0x12345600u /* what the reference measurements used; any multiple of 64 would do */
#define FIXED_ADDRESS 0x40000000  /* where RIP-relative and absolute data lie */

enum {
    FEW_BITS = 24 /* a number below this power of two is met by chance */
};

static uint64_t low_bytes(uint64_t value, unsigned bytes)
{
    return value & lowest_bits(8 * bytes);
}

static uint64_t rounded(const register_values *v, uint64_t value)
{
    return v->arbitrary ? value : value & ~(uint64_t)63;
}

static followed_value fresh_value(register_values *v)
{
    return (followed_value){rounded(v, hash_mix(++v->fresh)), true, false};
}

static followed_value read_register(const register_values *v, uint8_t unit)
{
    return (followed_value){v->r[unit], true, v->constant >> unit & 1};
}

static void write_register(register_values *v, uint8_t unit, followed_value value, unsigned bytes)
{
    v->r[unit] = bytes == 4 ? (uint32_t)value.bits : value.bits;
    v->constant = (uint16_t)((v->constant & ~(1u << unit)) | (uint32_t)value.constant << unit);
}

const memory_word *registers_no_word(void *payload, uint64_t address)
{
    return NULL;
}

static void init_from(register_values *v, const tacho_arch *arch, const tacho_predict_options *options,
                      uint64_t fresh)
{
    *v = (register_values){.arch = arch,
                           .fresh = fresh,
                           .fixed = options->once && options->piece_count ? 0 : FIXED_ADDRESS,
                           .same = options->init == TACHO_INIT_SAME && !options->no_alias,
                           .forgetful = options->variants & TACHO_VARIANT_SIMPLE_MEMORY};
    for (uint8_t k = 0; k < 16; k++)
        write_register(v, k, v->same ? (followed_value){SAME_VALUE, true, true} : fresh_value(v), 8);
    for (uint8_t k = 0; k < 16; k++)
        if (options->known_values && (options->known_mask >> k & 1) && !options->no_alias)
            write_register(v, k, (followed_value){options->known_values[k], true, true}, 8);
    for (size_t i = 0; i < options->alias_count; i++) {
        const tacho_alias *a = &options->aliases[i];
        followed_value base = read_register(v, a->base);
        base.bits += (uint64_t)a->offset;
        write_register(v, a->reg, base, 8);
    }
}

void registers_init(register_values *v, const tacho_arch *arch, const tacho_predict_options *options)
{
    init_from(v, arch, options, 0);
}

void registers_init_other(register_values *v, const tacho_arch *arch, const tacho_predict_options *options)
{
    init_from(v, arch, options, (uint64_t)1 << 32);
    v->forgetful = true;
}

uint64_t registers_load_address(const register_values *v, const mem_access *m)
{
    uint64_t address = (uint64_t)m->disp;
    if (m->base < 16)
        address += v->r[m->base];
    else if (m->base == UNIT_NONE && m->index >= 16)
        address += v->fixed;
    if (m->index < 16)
        address += v->r[m->index] * m->scale;
    return address;
}

uint64_t registers_store_address(const register_values *v, const block_insn *bi, const mem_access *m)
{
    uint64_t address = registers_load_address(v, m);
    return m->implicit_stack && m->write ? address + (uint64_t)bi->stack_delta : address;
}

/* ---- memory ---- */

/* A word of memory of which the bytes `wanted` count: what stores have put there, or else what was there
 * before. `known` is false where a store has put a value there that is not followed. */
static followed_value read_word(register_values *v, uint64_t address, uint8_t wanted, memory_at *lookup,
                                void *payload)
{
    const memory_word *w = lookup(payload, address);
    uint8_t written = w ? w->written & wanted : 0;
    followed_value out = {w ? w->bits : 0, !w || (written & w->known) == written,
                          (written == wanted || v->same) && (!w || (written & w->constant) == written)};
    if (written == wanted)
        return out;
    uint64_t before = v->same        ? SAME_VALUE
                      : v->forgetful ? fresh_value(v).bits
                                     : rounded(v, hash_mix(v->seed + address));
    for (uint32_t left = w ? (uint8_t)~w->written : 0xff; left; left &= left - 1) {
        unsigned shift = 8 * (unsigned)__builtin_ctz(left);
        out.bits = (out.bits & ~((uint64_t)0xff << shift)) | (before & (uint64_t)0xff << shift);
    }
    return out;
}

/* A number that only these operands give. */
static followed_value only_of(const register_values *v, unsigned kind, uint64_t a, uint64_t b)
{
    return (followed_value){rounded(v, hash_mix(hash_mix(a + kind) ^ b)), true, false};
}

static followed_value loaded_value(register_values *v, uint64_t address, unsigned bytes, memory_at *lookup,
                                   void *payload)
{
    uint64_t first = word_of(address), shift = 8 * (address - first), split = bytes + (address - first);
    followed_value low = read_word(v, first, bytes_in_word(first, address, bytes), lookup, payload);
    followed_value out = {low.bits >> shift, low.known, low.constant};
    if (split > WORD_BYTES) {
        uint64_t next = first + WORD_BYTES;
        followed_value high = read_word(v, next, bytes_in_word(next, address, bytes), lookup, payload);
        out.bits |= high.bits << (64 - shift); /* the access does not begin with the word */
        out.known &= high.known;
        out.constant &= high.constant;
    }
    if (!out.known)
        return fresh_value(v);
    if (bytes < 4 && !out.constant)
        return only_of(v, bytes, low.bits, address - first);
    out.bits = low_bytes(out.bits, bytes);
    return out;
}

/* ---- instructions ---- */

static mem_access address_parts(const tacho_mem *m, const tacho_arch *arch)
{
    return (mem_access){
        .base = block_unit(arch, m->base), .index = block_unit(arch, m->index), .scale = m->scale};
}

static followed_value address_operand(const register_values *v, const block_insn *bi)
{
    mem_access access = address_parts(&bi->insn->operands[1].mem, v->arch);
    access.disp = bi->value_disp;
    uint16_t from = registers_of_address(&access);
    return (followed_value){registers_load_address(v, &access), true, (from & v->constant) == from};
}

/* The last source, whole: an immediate, a register, or what lies in memory. */
static followed_value source_value(register_values *v, const block_insn *bi, memory_at *lookup, void *payload)
{
    if (bi->value_source < 16)
        return read_register(v, bi->value_source);
    const tacho_insn *insn = bi->insn;
    if (insn->visible_count > 1 && insn->operands[1].kind == TACHO_OPERAND_MEM && bi->mem_count)
        return loaded_value(v, registers_load_address(v, &bi->mem[0]), bi->value_source_width, lookup,
                            payload);
    return (followed_value){(uint64_t)bi->value_imm, true, true};
}

/* Whether the operation's result holds for unknown numbers, too, that is, for their differences. */
static bool keeps_differences(const block_insn *bi, const followed_value *count)
{
    switch (bi->value_kind) {
    case OP_MOVE:
    case OP_SIGNED:
        return bi->value_source_width >= 4;
    case OP_INC:
    case OP_DEC:
    case OP_NEG:
    case OP_ADD:
    case OP_SUB:
        return true;
    case OP_SHL:
        return count->constant;
    default:
        return false;
    }
}

/* `out`: what is computed from a and b, or a number that stands for it. */
static followed_value concluded(const register_values *v, const block_insn *bi, uint64_t out,
                                const followed_value *a, const followed_value *b)
{
    bool constant = a->constant && b->constant;
    if (constant || keeps_differences(bi, b) || out == a->bits || low_bytes(out, bi->value_width) >> FEW_BITS)
        return (followed_value){out, true, constant};
    return only_of(v, (unsigned)bi->value_kind << 8 | bi->value_source_width, a->bits, b->bits);
}

static followed_value of_one(register_values *v, const block_insn *bi, memory_at *lookup, void *payload)
{
    static const followed_value nothing = {0, true, true};
    unsigned width = 8u * bi->value_width, source_width = 8u * bi->value_source_width;
    followed_value a = source_value(v, bi, lookup, payload);
    uint64_t out = arith_one(bi->value_kind, low_bytes(a.bits, bi->value_source_width), width, source_width);
    return concluded(v, bi, out, &a, &nothing);
}

static followed_value of_two(register_values *v, const block_insn *bi, memory_at *lookup, void *payload)
{
    bool clears =
        (bi->value_kind == OP_XOR || bi->value_kind == OP_SUB) && bi->value_first == bi->value_source;
    if (clears)
        return (followed_value){0, true, true};
    followed_value a = read_register(v, bi->value_first), b = source_value(v, bi, lookup, payload);
    uint64_t x = low_bytes(a.bits, bi->value_width),
             y = bi->value_source < 16 ? low_bytes(b.bits, bi->value_source_width) : b.bits;
    return concluded(v, bi, arith_two(bi->value_kind, x, y, 8u * bi->value_width), &a, &b);
}

/* What an instruction that reads, changes and writes leaves there. */
static followed_value modified(register_values *v, const block_insn *bi, const mem_access *m,
                               memory_at *lookup, void *payload)
{
    static const followed_value nothing = {0, true, true};
    unsigned width = 8u * bi->value_width;
    followed_value a = loaded_value(v, registers_load_address(v, m), bi->value_width, lookup, payload);
    uint64_t x = low_bytes(a.bits, bi->value_width);
    if (bi->value_kind <= OP_LAST1)
        return concluded(v, bi, arith_one(bi->value_kind, x, width, width), &a, &nothing);
    followed_value b = {(uint64_t)bi->value_imm, true, true};
    if (bi->value_source < 16) {
        b = read_register(v, bi->value_source);
        b.bits = low_bytes(b.bits, bi->value_source_width);
    }
    return concluded(v, bi, arith_two(bi->value_kind, x, b.bits, width), &a, &b);
}

followed_value registers_stored(register_values *v, const block_insn *bi, const mem_access *m,
                                memory_at *lookup, void *payload)
{
    bool moves = (bi->value_op == VALUE_ONE && bi->value_kind == OP_MOVE && bi->value_target >= 16) ||
                 (bi->value_op == VALUE_PUSH && m->implicit_stack);
    if (bi->value_op == VALUE_MODIFY && m->read)
        return modified(v, bi, m, lookup, payload);
    if (!moves || !m->write)
        return (followed_value){0, false, false};
    if (bi->value_source < 16)
        return read_register(v, bi->value_source);
    const tacho_insn *insn = bi->insn;
    if (insn->operands[insn->visible_count - 1].kind == TACHO_OPERAND_IMM)
        return (followed_value){(uint64_t)bi->value_imm, true, true};
    return (followed_value){0, false, false};
}

static void pop(register_values *v, const block_insn *bi, memory_at *lookup, void *payload)
{
    followed_value value = loaded_value(v, registers_load_address(v, &bi->mem[0]), 8, lookup, payload);
    if (bi->value_target != UNIT_RSP)
        v->r[UNIT_RSP] += (uint64_t)bi->stack_delta;
    write_register(v, bi->value_target, value, 8);
}

static void exchange(register_values *v, const block_insn *bi)
{
    followed_value a = read_register(v, bi->value_target), b = read_register(v, bi->value_source);
    write_register(v, bi->value_target, b, bi->value_width);
    write_register(v, bi->value_source, a, bi->value_width);
}

void registers_step(register_values *v, const block_insn *bi, memory_at *lookup, void *payload)
{
    switch (bi->value_op) {
    case VALUE_NONE:
    case VALUE_MODIFY:
        return;
    case VALUE_POP:
        if (bi->value_target < 16 && bi->mem_count) {
            pop(v, bi, lookup, payload);
            return;
        }
        v->r[UNIT_RSP] += (uint64_t)bi->stack_delta;
        return;
    case VALUE_PUSH:
        v->r[UNIT_RSP] += (uint64_t)bi->stack_delta;
        return;
    case VALUE_UNKNOWN:
        for (uint32_t m = bi->written_gprs; m; m &= m - 1)
            write_register(v, (uint8_t)__builtin_ctz(m), fresh_value(v), 8);
        v->r[UNIT_RSP] += (uint64_t)bi->stack_delta;
        return;
    case VALUE_EXCHANGE:
        exchange(v, bi);
        return;
    default:
        break;
    }
    if (bi->value_target >= 16)
        return; /* the target is memory */
    followed_value value = bi->value_op == VALUE_LEA   ? address_operand(v, bi)
                           : bi->value_op == VALUE_ONE ? of_one(v, bi, lookup, payload)
                                                       : of_two(v, bi, lookup, payload);
    write_register(v, bi->value_target, value, bi->value_width);
}

uint16_t registers_of_address(const mem_access *m)
{
    return (uint16_t)((m->base < 16 ? 1u << m->base : 0) | (m->index < 16 ? 1u << m->index : 0));
}

bool registers_cross_line(const register_values *v, const block_insn *bi, const mem_access *m)
{
    uint16_t from = registers_of_address(m);
    if (!from || (from & ~v->constant) || m->unknown_address || !m->bytes)
        return false;
    return registers_store_address(v, bi, m) % 64 + m->bytes > 64;
}

uint16_t registers_sources(const block_insn *bi, const tacho_arch *arch, uint16_t stored)
{
    uint16_t from = bi->value_source < 16 ? (uint16_t)(1u << bi->value_source) : 0;
    from |= bi->value_first < 16 ? (uint16_t)(1u << bi->value_first) : 0;
    for (int i = 0; i < bi->insn->visible_count; i++)
        if (bi->insn->operands[i].kind == TACHO_OPERAND_MEM ||
            bi->insn->operands[i].kind == TACHO_OPERAND_AGEN) {
            mem_access access = address_parts(&bi->insn->operands[i].mem, arch);
            from |= registers_of_address(&access);
        }
    return bi->mem_count ? from | stored : from;
}

uint16_t registers_needed(const block *b)
{
    uint16_t needed = b->has_stack ? 1u << UNIT_RSP : 0, stored = 0, before;
    for (const block_insn *bi = b->insns; bi < b->insns + b->insn_count; bi++)
        for (int k = 0; k < bi->mem_count; k++) {
            needed |= registers_of_address(&bi->mem[k]);
            stored |= (uint16_t)(bi->mem[k].write && bi->value_source < 16 ? 1u << bi->value_source : 0);
        }
    do {
        before = needed;
        for (uint32_t i = 0; i < b->insn_count; i++)
            if (registers_matter(&b->insns[i], needed))
                needed |= registers_sources(&b->insns[i], b->arch, stored);
    } while (needed != before);
    return needed;
}

bool registers_matter(const block_insn *bi, uint16_t needed)
{
    uint16_t target = bi->value_target < 16 ? (uint16_t)(1u << bi->value_target) : 0;
    if (bi->value_op == VALUE_EXCHANGE)
        target |= (uint16_t)(1u << bi->value_source);
    return bi->value_op != VALUE_NONE &&
           (((target | bi->written_gprs) & needed) || bi->stack_delta || bi->value_op == VALUE_PUSH);
}

void registers_advance(register_values *v, const block *b)
{
    for (uint32_t left = b->advancing; left; left &= left - 1)
        v->r[__builtin_ctz(left)] += b->advance_bytes;
}

bool registers_keep_addresses(const block *b)
{
    uint32_t used = 0, written = (b->has_stack ? 1u << UNIT_RSP : 0) | b->advancing;
    for (const block_insn *bi = b->insns; bi < b->insns + b->insn_count; bi++) {
        written |= bi->written_gprs;
        for (int m = 0; m < bi->mem_count; m++)
            used |= registers_of_address(&bi->mem[m]);
    }
    return !(used & written);
}

bool registers_never_meet(const block *b, const tacho_predict_options *options)
{
    enum {
        MAX_LOADS = 64
    };
    uint64_t loads[MAX_LOADS];
    unsigned bytes[MAX_LOADS];
    uint32_t count = 0;
    register_values v;
    if (!registers_keep_addresses(b))
        return false;
    registers_init(&v, b->arch, options);
    for (uint32_t i = 0; i < b->insn_count; i++)
        for (int k = 0; k < b->insns[i].mem_count; k++) {
            const mem_access *m = &b->insns[i].mem[k];
            if (!m->read || m->unknown_address)
                continue;
            if (count == MAX_LOADS)
                return false;
            bytes[count] = registers_access_bytes(m);
            loads[count++] = registers_load_address(&v, m);
        }
    for (uint32_t i = 0; i < b->insn_count; i++)
        for (int k = 0; k < b->insns[i].mem_count; k++) {
            const mem_access *m = &b->insns[i].mem[k];
            if (!m->write || m->unknown_address)
                continue;
            uint64_t address = registers_store_address(&v, &b->insns[i], m);
            for (uint32_t l = 0; l < count; l++)
                if (accesses_meet(loads[l], bytes[l], address, registers_access_bytes(m)))
                    return false;
        }
    return true;
}
