/* steps_generate.c - instructions to try: random bytes, random encodings of each kind, known instructions
 * with something changed; and registers that let their memory operands point to memory that is there. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "steps.h"
#include "x86/decode/regs.h"

enum {
    BYTES = TACHO_MAX_INSN_BYTES,
    MAX_KNOWN = 1 << 18
};

uint32_t steps_random(steps_source *s)
{
    s->random ^= s->random << 13; /* xorshift64 */
    s->random ^= s->random >> 7;
    s->random ^= s->random << 17;
    return (uint32_t)(s->random >> 32);
}

static uint64_t random64(steps_source *s)
{
    uint64_t high = steps_random(s);
    return high << 32 | steps_random(s);
}

static bool one_in(steps_source *s, unsigned n)
{
    return steps_random(s) % n == 0;
}

/* ---- known instructions ---- */

static void add_block(steps_source *s, const char *hex)
{
    uint8_t bytes[2048];
    size_t size = 0;
    for (unsigned byte; size < sizeof bytes && sscanf(hex + 2 * size, "%2x", &byte) == 1; size++)
        bytes[size] = (uint8_t)byte;
    tacho_insn insn;
    for (size_t at = 0; at < size && s->known_count < MAX_KNOWN; at += insn.length) {
        if (tacho_decode(&insn, bytes + at, size - at, NULL))
            return;
        memset(s->known[s->known_count], 0, BYTES);
        memcpy(s->known[s->known_count++], insn.bytes, insn.length);
    }
}

int steps_read_known(steps_source *s, const char *path)
{
    static char line[8192];
    FILE *f = fopen(path, "r");
    s->known = malloc(sizeof *s->known * MAX_KNOWN);
    if (!f || !s->known) {
        if (f)
            fclose(f);
        return -1;
    }
    while (fgets(line, sizeof line, f))
        if (strspn(line, "0123456789abcdef") >= 2)
            add_block(s, line);
    fclose(f);
    return s->known_count ? 0 : -1;
}

/* ---- bytes ---- */

static size_t put_prefixes(steps_source *s, uint8_t *bytes)
{
    static const uint8_t prefixes[] = {0x66, 0xf2, 0xf3, 0x67, 0x66, 0xf2,
                                       0xf3, 0xf0, 0x2e, 0x36, 0x64, 0x65};
    size_t n = 0;
    while (n < 3 && !one_in(s, 2))
        bytes[n++] = prefixes[steps_random(s) % sizeof prefixes];
    return n;
}

static void make_legacy(steps_source *s, uint8_t *bytes)
{
    size_t n = put_prefixes(s, bytes);
    unsigned map = steps_random(s) % 5;
    if (one_in(s, 2))
        bytes[n++] = 0x40 | steps_random(s) % 16;
    if (map > 1)
        bytes[n++] = 0x0f;
    if (map > 2)
        bytes[n] = map == 3 ? 0x38 : 0x3a;
}

/* Fields that most instructions want to be so are random otherwise, and most of it no instruction. */
enum {
    NO_SECOND_SOURCE = 0x78, /* VEX.vvvv, EVEX.vvvv */
    EVEX_FIXED = 0x04,
    WITHOUT_MASK = 0x68, /* of EVEX's last byte: no mask, no zeroing, no rounding */
    WITH_MASK = 0x6f
};

static void make_vex(steps_source *s, uint8_t *bytes)
{
    size_t n = one_in(s, 8) ? put_prefixes(s, bytes) : 0;
    bool shorter = one_in(s, 3);
    bytes[n++] = shorter ? 0xc5 : 0xc4;
    if (!shorter) {
        unsigned map = one_in(s, 16) ? steps_random(s) % 32 : 1 + steps_random(s) % 3;
        bytes[n] = (uint8_t)((bytes[n] & 0xe0) | map);
        n++;
    }
    if (one_in(s, 2))
        bytes[n] |= NO_SECOND_SOURCE;
}

static void make_evex(steps_source *s, uint8_t *bytes)
{
    static const uint8_t maps[] = {1, 2, 2, 3, 5, 6};
    size_t n = one_in(s, 8) ? put_prefixes(s, bytes) : 0;
    bytes[n] = 0x62;
    bytes[n + 1] = (uint8_t)((bytes[n + 1] & 0xf0) | maps[steps_random(s) % sizeof maps]);
    bytes[n + 2] |= one_in(s, 2) ? EVEX_FIXED | NO_SECOND_SOURCE : EVEX_FIXED;
    if (!one_in(s, 3))
        bytes[n + 3] &= one_in(s, 2) ? WITHOUT_MASK : WITH_MASK;
}

static void make_known(steps_source *s, uint8_t *bytes)
{
    uint8_t insn[BYTES];
    memcpy(insn, s->known[steps_random(s) % s->known_count], BYTES);
    size_t n = one_in(s, 4) ? put_prefixes(s, bytes) : 0;
    memcpy(bytes + n, insn, BYTES - n);
    for (int changes = (int)(steps_random(s) % 3); changes > 0; changes--)
        bytes[steps_random(s) % 8] ^= (uint8_t)(1u << steps_random(s) % 8);
}

void steps_generate(steps_source *s, uint8_t *bytes)
{
    for (int i = 0; i < BYTES; i++)
        bytes[i] = (uint8_t)steps_random(s);
    switch (steps_random(s) % 8) {
    case 0:
        return;
    case 1:
    case 2:
        make_legacy(s, bytes);
        return;
    case 3:
        make_vex(s, bytes);
        return;
    case 4:
    case 5:
        make_evex(s, bytes);
        return;
    default:
        make_known(s, bytes);
    }
}

/* ---- state ---- */

/* Somewhere in the middle of the scratch memory, mostly aligned. */
static uint64_t some_place(steps_source *s)
{
    uint64_t place = STEPS_SCRATCH + STEPS_SCRATCH_BYTES / 2 + steps_random(s) % 1024 * 64;
    return one_in(s, 8) ? place + steps_random(s) % 64 : place;
}

static uint64_t some_value(steps_source *s)
{
    switch (steps_random(s) % 4) {
    case 0:
        return random64(s);
    case 1:
        return steps_random(s) % 256;
    case 2:
        return some_place(s);
    default:
        return one_in(s, 2) ? UINT64_MAX << steps_random(s) % 64 : UINT64_C(1) << steps_random(s) % 64;
    }
}

static void fill_vector(steps_source *s, uint8_t *vector)
{
    static const uint64_t numbers[] = {0, 0x3ff0000000000000, 0x3f8000003f800000, 0x4008000040400000};
    bool plain = one_in(s, 2);
    for (size_t at = 0; at < 64; at += sizeof(uint64_t)) {
        uint64_t word = plain ? numbers[steps_random(s) % 4] : random64(s);
        memcpy(vector + at, &word, sizeof word);
    }
}

static void fill_state(steps_source *s, steps_state *state)
{
    memset(state, 0, sizeof *state);
    for (int i = 0; i < 16; i++)
        state->gpr[i] = some_value(s);
    state->gpr[RSP] = some_place(s);
    state->gpr[RBP] = some_place(s);
    state->flags = 0x202 | (steps_random(s) & 0x8d5) | (one_in(s, 8) ? 0x400 : 0);
    state->mxcsr = 0x1f80 | (steps_random(s) & (one_in(s, 2) ? 0xe07f : 0x6000));
    state->x87_control = 0x37f;
    state->x87_status = (uint16_t)(steps_random(s) & 0x7900); /* the stack's top, conditions */
    state->x87_tags = (uint8_t)steps_random(s);
    for (int i = 0; i < 8; i++) {
        uint64_t mantissa = random64(s) | UINT64_C(1) << 63;
        memcpy(state->x87[i], &mantissa, sizeof mantissa);
        state->x87[i][8] = (uint8_t)steps_random(s);
        state->x87[i][9] = 0x3f;
        state->masks[i] = random64(s);
    }
    for (int i = 0; i < 32; i++)
        fill_vector(s, state->vectors[i]);
}

/* ---- memory operands ---- */

/* Displacements that are whole addresses: relative to the next instruction, or all that the operand has. */
static void point_displacement(steps_source *s, uint8_t *bytes, const tacho_insn *insn,
                               const decode_places *p)
{
    for (int i = 0; i < insn->operand_count; i++) {
        const tacho_operand *o = &insn->operands[i];
        bool relative = o->mem.base.class_ == TACHO_REG_RIP;
        if (o->kind != TACHO_OPERAND_MEM || p->disp_bytes < 4 ||
            (!relative && (o->mem.base.class_ != TACHO_REG_NONE || o->mem.index.class_ != TACHO_REG_NONE)))
            continue;
        uint64_t value = some_place(s) - (relative ? steps_next() : 0);
        memcpy(bytes + p->disp_offset, &value, p->disp_bytes);
    }
}

static uint64_t segment_base(const tacho_mem *mem)
{
    uint64_t base = 0;
    if (mem->segment.class_ == TACHO_REG_SEG && mem->segment.number == 4)
        __asm__("mov %%fs:0, %0" : "=r"(base)); /* the thread's block begins with its own address */
    return base;
}

/* Elements that are small offsets, whatever their size. */
static uint64_t point_vector_index(steps_source *s, steps_state *state, const tacho_mem *mem)
{
    for (size_t at = 0; at < 64; at += sizeof(uint64_t)) {
        uint64_t offset = steps_random(s) % 1024;
        memcpy(state->vectors[mem->index.number] + at, &offset, sizeof offset);
    }
    return 0;
}

static uint64_t point_index(steps_source *s, steps_state *state, const tacho_mem *mem)
{
    if (mem->index.class_ == TACHO_REG_NONE)
        return 0;
    if (mem->vsib)
        return point_vector_index(s, state, mem);
    uint64_t *index = &state->gpr[mem->index.number];
    if (mem->index.class_ == TACHO_REG_R8L) /* XLAT */
        return *index & 0xff;
    *index =
        mem->index.class_ == TACHO_REG_R32 ? random64(s) & ~UINT64_C(0xffffff00) : steps_random(s) % 4096;
    return (mem->index.class_ == TACHO_REG_R32 ? (uint32_t)*index : *index) * mem->scale;
}

static void point_operand(steps_source *s, steps_state *state, const tacho_mem *mem)
{
    uint64_t place = some_place(s) - (uint64_t)mem->disp - segment_base(mem);
    bool based = reg_is_general(mem->base), indexed = reg_is_general(mem->index);
    if (based && indexed && mem->base.number == mem->index.number)
        state->gpr[mem->base.number] = place / (1u + mem->scale);
    else if (based)
        state->gpr[mem->base.number] = place - point_index(s, state, mem);
    else if (indexed)
        state->gpr[mem->index.number] = place / mem->scale;
    else if (mem->vsib)
        point_vector_index(s, state, mem);
}

int steps_prepare(steps_source *s, steps_case *out, const uint8_t *bytes)
{
    uint8_t changed[BYTES];
    decode_places places;
    memcpy(changed, bytes, BYTES);
    if (tacho_decode_with_places(&out->insn, &places, changed, BYTES, NULL))
        return -1;
    point_displacement(s, changed, &out->insn, &places);
    if (tacho_decode(&out->insn, changed, BYTES, NULL))
        return -1;
    fill_state(s, &out->before);
    for (int i = 0; i < out->insn.operand_count; i++)
        if (out->insn.operands[i].kind == TACHO_OPERAND_MEM)
            point_operand(s, &out->before, &out->insn.operands[i].mem);
    out->before.rip = steps_next() - out->insn.length;
    out->end = STEPS_NOT_RUN;
    return 0;
}
