/* changed_code.c - code changed in ways that a processor does not see, or sees in its front end alone.
 *
 * What is left alone, as it cannot be known to be without effect: x87 code and string instructions, whose
 * state no operand names, and what waits for everything before it. RSP is not renamed, nor registers that an
 * instruction needs by their name. */
#include "changed_code.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "x86/assemble/assembling.h"
#include "x86/decode/encode.h"
#include "x86/decode/insn_struct.h"
#include "x86/decode/regs.h"
#include "x86/decode/written.h"

bool code_read(code *out, const uint8_t *bytes, size_t size)
{
    out->count = 0;
    for (size_t at = 0; at < size; at += out->insns[out->count++].length) {
        tacho_insn *insn = &out->insns[out->count];
        if (out->count == CODE_MOST_INSNS / 2 || tacho_decode(insn, bytes + at, size - at, NULL) ||
            insn->is_branch || insn->is_call || insn->is_ret)
            return false;
    }
    return out->count > 0;
}

static uint16_t general_registers(const code *c)
{
    uint16_t used = 1u << 4;
    for (size_t i = 0; i < c->count; i++)
        used |= tacho_insn_general_registers(&c->insns[i]);
    return used;
}

size_t code_write(const code *c, bool loop, uint8_t out[CODE_MOST_BYTES])
{
    size_t n = 0;
    uint8_t counter = tacho_free_general_register(general_registers(c));
    for (size_t i = 0; i < c->count; n += c->insns[i++].length)
        memcpy(out + n, c->insns[i].bytes, c->insns[i].length);
    if (!loop)
        return n;
    if (counter == NO_FREE_REGISTER)
        return 0;
    n += tacho_encode_dec(counter, out + n);
    return n + tacho_encode_jnz_back((uint32_t)n, out + n);
}

/* ---- exchanging ---- */

static bool is_opaque(const tacho_insn *insn)
{
    for (int i = 0; i < insn->operand_count; i++)
        if (insn->operands[i].kind == TACHO_OPERAND_REG && insn->operands[i].reg.class_ >= TACHO_REG_BND &&
            insn->operands[i].reg.class_ != TACHO_REG_FLAGS && insn->operands[i].reg.class_ != TACHO_REG_RIP)
            return true;
    return insn->serializing || insn->lock || insn->rep || insn->repne || tacho_insn_touches_x87(insn) ||
           (!insn->visible_count && !insn->is_nop);
}

static uint8_t masks_used(const tacho_insn *insn)
{
    uint8_t used = (uint8_t)(insn_masks_written(insn) | (insn->mask ? 1 << insn->mask : 0));
    for (int i = 0; i < insn->operand_count; i++)
        if (insn->operands[i].kind == TACHO_OPERAND_REG && insn->operands[i].reg.class_ == TACHO_REG_K)
            used |= (uint8_t)(1 << insn->operands[i].reg.number);
    return used;
}

/* `a` writes nothing that `b` reads or writes, but flags. */
static bool leaves_alone(const tacho_insn *a, const tacho_insn *b)
{
    return !(tacho_insn_general_written(a) & tacho_insn_general_registers(b)) &&
           !(insn_vectors_written(a) & tacho_insn_vectors_used(b)) &&
           !(insn_masks_written(a) & masks_used(b)) && !(a->flags_written & b->flags_read) &&
           !(insn_accesses_memory(a, TACHO_WRITE) && insn_accesses_memory(b, TACHO_READ | TACHO_WRITE));
}

/* Flags that both write are written again before they are read: it does not matter who was the last. */
static bool flags_are_dead(const code *c, size_t i)
{
    uint8_t pending = c->insns[i].flags_written & c->insns[i + 1].flags_written;
    for (size_t k = 2; pending && k < c->count; k++) {
        const tacho_insn *next = &c->insns[(i + k) % c->count];
        if (next->flags_read & pending)
            return false;
        pending &= (uint8_t)~next->flags_written;
    }
    return true;
}

static bool are_independent(const code *c, size_t i)
{
    const tacho_insn *a = &c->insns[i], *b = a + 1;
    return !is_opaque(a) && !is_opaque(b) && leaves_alone(a, b) && leaves_alone(b, a) &&
           flags_are_dead(c, i) && (a->length != b->length || memcmp(a->bytes, b->bytes, a->length));
}

static bool exchange(code *c, uint64_t *random)
{
    uint32_t pairs = (uint32_t)c->count - 1, first = pairs ? hash_draw(random, pairs) : 0;
    for (uint32_t k = 0; k < pairs; k++) {
        size_t i = (first + k) % pairs;
        if (are_independent(c, i)) {
            tacho_insn kept = c->insns[i];
            c->insns[i] = c->insns[i + 1];
            c->insns[i + 1] = kept;
            return true;
        }
    }
    return false;
}

/* ---- renaming ---- */

/* Numbers of registers of which each takes the place of the others without another length: by the bits of
 * REX, VEX and EVEX, and by which of them need a byte more in an address. */
static const uint32_t general_groups[] = {0x00cf, 0x0f00 | 0xc000, 1u << 5 | 1u << 13},
                      vector_groups[] = {0xff, 0xff00, 0xffff0000};

/* It became the same instruction of other registers. */
static bool is_same_kind(const tacho_insn *a, const tacho_insn *b)
{
    return a->length == b->length && a->opcode == b->opcode && a->opcode_offset == b->opcode_offset &&
           a->encoding == b->encoding && a->imm_bytes == b->imm_bytes && a->operand_size == b->operand_size;
}

static bool rename_everywhere(code *c, tacho_reg from, uint8_t to)
{
    static _Thread_local code renamed;
    uint8_t bytes[TACHO_MAX_INSN_BYTES];
    renamed.count = c->count;
    for (size_t i = 0; i < c->count; i++) {
        uint8_t n = encode_renamed(&c->insns[i], from, to, bytes);
        if (!n || tacho_decode(&renamed.insns[i], bytes, n, NULL) ||
            !is_same_kind(&c->insns[i], &renamed.insns[i]))
            return false;
    }
    *c = renamed;
    return true;
}

/* The register `from` gets the number of one that is free. */
static bool rename_one(code *c, tacho_reg from, uint32_t *used, const uint32_t *groups, uint64_t *random)
{
    for (int g = 0; g < 3; g++) {
        uint32_t free = groups[g] & ~*used, skip;
        if (!(groups[g] >> from.number & 1) || !free)
            continue;
        for (skip = hash_draw(random, (uint32_t)__builtin_popcount(free)); skip; skip--)
            free &= free - 1;
        uint8_t to = (uint8_t)__builtin_ctz(free);
        if (!rename_everywhere(c, from, to))
            return false;
        *used = (*used | 1u << to) & ~(1u << from.number);
        return true;
    }
    return false;
}

static bool rename_all(code *c, uint64_t *random)
{
    uint32_t general = general_registers(c), vectors = 0;
    bool any = false;
    for (size_t i = 0; i < c->count; i++) {
        vectors |= tacho_insn_vectors_used(&c->insns[i]);
        if (tacho_insn_touches_x87(&c->insns[i]))
            return false;
    }
    const uint32_t general_before = general, vectors_before = vectors;
    for (uint8_t k = 0; k < 32; k++) {
        if (k < 16 && k != 4 && general_before >> k & 1)
            any |= rename_one(c, (tacho_reg){TACHO_REG_R64, k}, &general, general_groups, random);
        if (vectors_before >> k & 1)
            any |= rename_one(c, (tacho_reg){TACHO_REG_ZMM, k}, &vectors, vector_groups, random);
    }
    return any;
}

/* ---- NOPs ---- */

static bool add_nop(code *c, uint64_t *random)
{
    uint8_t bytes[TACHO_MAX_INSN_BYTES];
    uint32_t length = 1 + hash_draw(random, 11), at = hash_draw(random, (uint32_t)c->count + 1);
    tacho_nops(bytes, length);
    memmove(&c->insns[at + 1], &c->insns[at], (c->count - at) * sizeof *c->insns);
    c->count++;
    return !tacho_decode(&c->insns[at], bytes, length, NULL);
}

static bool remove_nop(code *c)
{
    for (size_t i = 0; i < c->count && c->count > 1; i++)
        if (c->insns[i].is_nop) {
            memmove(&c->insns[i], &c->insns[i + 1], (--c->count - i) * sizeof *c->insns);
            return true;
        }
    return false;
}

/* ---- addresses ---- */

static bool patch(tacho_insn *insn, int64_t by)
{
    decode_places places;
    tacho_insn moved;
    uint8_t bytes[TACHO_MAX_INSN_BYTES];
    int32_t displacement;
    memcpy(bytes, insn->bytes, insn->length);
    if (tacho_decode_with_places(&moved, &places, bytes, insn->length, NULL) || places.disp_bytes != 4)
        return false;
    memcpy(&displacement, bytes + places.disp_offset, 4);
    displacement += (int32_t)(displacement < 0 ? -by : by);
    memcpy(bytes + places.disp_offset, &displacement, 4);
    return !tacho_decode(insn, bytes, insn->length, NULL);
}

/* Whether the address can be moved: a displacement of 32 bits that stays far from its range's ends. */
static bool is_movable(const tacho_insn *insn)
{
    for (int i = 0; i < insn->operand_count; i++) {
        const tacho_operand *o = &insn->operands[i];
        if (o->kind == TACHO_OPERAND_MEM && (o->mem.disp_bytes != 4 || llabs(o->mem.disp) > INT32_MAX / 2))
            return false;
    }
    return true;
}

/* Where something is stored, all addresses move by as much. */
static bool move(code *c, uint64_t *random)
{
    int64_t by = 4096 * (int64_t)(1 + hash_draw(random, 16));
    bool any = false, stores = false, negative = false, positive = false;
    for (size_t i = 0; i < c->count; i++)
        stores |= insn_accesses_memory(&c->insns[i], TACHO_WRITE);
    for (size_t i = 0; i < c->count; i++) {
        tacho_insn *insn = &c->insns[i];
        if (!insn_accesses_memory(insn, TACHO_READ | TACHO_WRITE))
            continue;
        if (!is_movable(insn) && stores)
            return false;
        if (!is_movable(insn) || !patch(insn, by))
            continue;
        any = true;
        for (int k = 0; k < insn->operand_count; k++)
            *(insn->operands[k].mem.disp < 0 ? &negative : &positive) |=
                insn->operands[k].kind == TACHO_OPERAND_MEM;
    }
    return any && !(stores && negative && positive);
}

bool code_change(code *out, const code *in, change how, uint64_t *random)
{
    out->count = in->count;
    memcpy(out->insns, in->insns, in->count * sizeof *in->insns);
    switch (how) {
    case CHANGE_DOUBLED:
        memcpy(out->insns + in->count, in->insns, in->count * sizeof *in->insns);
        out->count *= 2;
        return true;
    case CHANGE_EXCHANGED:
        return exchange(out, random);
    case CHANGE_RENAMED:
        return rename_all(out, random);
    case CHANGE_NOP_ADDED:
        return add_nop(out, random);
    case CHANGE_NOP_REMOVED:
        return remove_nop(out);
    default:
        return move(out, random);
    }
}
