/* links.c - from an instruction's result to its source where they cannot be one register.
 *
 * Links are instructions that no core eliminates or takes for zeroing idioms, and that keep values where
 * addresses and divisors must stay what they are: `and r, 0` waits for r, `lea` adds it to a constant. The
 * flags are read by CMOVcc and written by TEST; the time of movq and kmovq is only known as part of a way
 * there and back (uops.info, section 5.2.1), so a chain through one of them gives an upper bound. Vectors are
 * shifted by 63 bits, which leaves the sign: shifts by more are zeroing idioms on some cores. */
#include <stdio.h>
#include <string.h>

#include "machine/characterise/chain.h"
#include "x86/decode/ops.h"

/* ---- instances and breaks ---- */

/* The instructions of a chain, each an instance of a form of the table.
 *
 * Dependencies are ended by what needs no other result: a move of a constant into a general register, of a
 * register that nothing writes into a vector register, `test` of such a register for the flags. Zeroing
 * idioms would do too, but not on all cores, and would put zeros where values were. */

enum {
    DIVIDEND = 0x12340678,
    DIVISOR = 0x77,
    DIVISOR_HIGH_BYTE = 0x7777,
    MEMORY_ADDRESS = 0x12600600,
    SHIFT_COUNT = 5
};

bool chain_divides(uint32_t form)
{
    tacho_form f;
    uint8_t op = tacho_form_get(form, &f) ? OP_NONE : tacho_mnemonic_operation(f.mnemonic);
    return op == OP_DIV || op == OP_IDIV;
}

/* All but the 8-bit divisions, whose dividend is AX. */
static bool uses_rdx(uint32_t form)
{
    form_kind kind = instance_kind(form, 0);
    return kind != KIND_R8L && kind != KIND_R8H && kind != KIND_M8;
}

void chain_values(uint32_t form, uint64_t values[16], uint16_t *mask)
{
    values[CHAIN_BASE] = values[CHAIN_SAME_BASE] = MEMORY_ADDRESS;
    *mask = 1u << CHAIN_BASE | 1u << CHAIN_SAME_BASE;
    for (unsigned i = 0; i < KEY_MAX_KINDS; i++)
        if (instance_kind(form, i) == KIND_CL) {
            values[1] = SHIFT_COUNT;
            *mask |= 1u << 1;
        }
    if (!chain_divides(form))
        return;
    bool high = instance_kind(form, 0) == KIND_R8H;
    for (unsigned r = 0; r < 16; r++)
        if (r != CHAIN_BASE && r != CHAIN_SAME_BASE && r != 4)
            values[r] = high ? DIVISOR_HIGH_BYTE : DIVISOR;
    values[0] = DIVIDEND;
    if (uses_rdx(form))
        values[2] = 0;
    *mask = (uint16_t) ~(1u << 4);
}

/* Memory starts as words that are pointers: their byte 3 is 0x20. */
static void choose_divisor_in_memory(builder *b)
{
    form_kind kind = instance_kind(b->form.id, 0);
    b->choice.disp = kind == KIND_M8 ? 3 : kind == KIND_M16 ? 2 : 0;
}

void builder_start(builder *b, chain *out, uint32_t form)
{
    memset(out, 0, sizeof *out);
    memset(b, 0, sizeof *b);
    b->c = out;
    out->failed = tacho_form_get(form, &b->form) != 0;
    if (out->failed)
        return;
    instance_defaults(&b->choice, form);
    b->choice.imm32 = DIVIDEND;
    b->vex = tacho_form_encoding(form) != TACHO_ENC_LEGACY;
    b->divides = chain_divides(form);
    b->gathers = tacho_mnemonic_families(b->form.mnemonic) & INSN_GATHERS;
    if (b->divides)
        choose_divisor_in_memory(b);
    b->widest = TACHO_REG_XMM;
    for (unsigned i = 0; i < b->form.visible_count; i++) {
        bool fixed;
        tacho_reg r = tacho_kind_reg(instance_kind(form, i), &fixed);
        if (r.class_ >= TACHO_REG_XMM && r.class_ <= TACHO_REG_ZMM && r.class_ > b->widest)
            b->widest = r.class_;
    }
}

static walk_step *next_step(chain *c, step_role role)
{
    if (c->count == CHAIN_MAX_STEPS) {
        c->failed = true;
        return NULL;
    }
    walk_step *step = &c->steps[c->count++];
    *step = (walk_step){.role = role, .from = CARRIER_NONE, .to = CARRIER_NONE};
    return step;
}

void put_instance(builder *b, uint8_t from, uint8_t to)
{
    const char *why;
    walk_step *step = next_step(b->c, STEP_INSTANCE);
    if (!step)
        return;
    step->from = from;
    step->to = to;
    b->c->failed |= instance_make(&step->insn, b->form.id, &b->choice, &why) != 0;
}

/* An instruction of the form of that name. */
static void put_support(builder *b, step_role role, const char *name, const instance_choice *choice)
{
    uint32_t form;
    const char *why;
    walk_step *step = next_step(b->c, role);
    b->c->failed |=
        !step || tacho_form_find(name, &form, NULL) || instance_make(&step->insn, form, choice, &why);
}

static void put_registers(builder *b, step_role role, const char *name, int first, int second)
{
    instance_choice choice = {
        .base = CHAIN_BASE, .index = INSTANCE_NO_INDEX, .imm8 = 0x44, .imm32 = DIVIDEND};
    choice.reg[0] = (uint8_t)first;
    choice.reg[1] = choice.reg[2] = (uint8_t)second;
    put_support(b, role, name, &choice);
}

bool instance_updates(const builder *b, carriers *out)
{
    tacho_insn insn;
    carriers reads, writes;
    const char *why;
    if (instance_make(&insn, b->form.id, &b->choice, &why))
        return false;
    walk_accesses(&insn, &reads, &writes);
    for (unsigned i = 0; i < 2; i++)
        out->bits[i] = reads.bits[i] & writes.bits[i];
    return true;
}

static void break_general(builder *b, unsigned number)
{
    instance_choice choice = {.reg = {(uint8_t)number}, .imm32 = b->divides && number == 2 ? 0 : DIVIDEND};
    put_support(b, STEP_BREAK, "MOV (R32, I32)", &choice);
}

static void break_vector(builder *b, unsigned number)
{
    static const char *const moves[] = {"VMOVAPS (XMM, XMM)", "VMOVAPS (YMM, YMM)", "VMOVAPS (ZMM, ZMM)"};
    static const char *const ones[] = {"VPCMPEQD (XMM, XMM, XMM)", "VPCMPEQD (YMM, YMM, YMM)",
                                       "VPCMPEQD (YMM, YMM, YMM)"};
    unsigned width = b->widest - TACHO_REG_XMM;
    bool is_mask = b->gathers && b->form.visible_count == 3 && instance_kind(b->form.id, 2) >= KIND_XMM &&
                   instance_kind(b->form.id, 2) <= KIND_ZMM && b->choice.reg[2] == number;
    put_registers(b, STEP_BREAK,
                  is_mask  ? ones[width]
                  : b->vex ? moves[width]
                           : "MOVAPS (XMM, XMM)",
                  (int)number, CHAIN_CONSTANT);
}

void put_break(builder *b, unsigned carrier)
{
    if (carrier < CARRIER_VECTOR) {
        if (carrier != 4)
            break_general(b, carrier - CARRIER_GENERAL);
    } else if (carrier < CARRIER_K) {
        break_vector(b, carrier - CARRIER_VECTOR);
    } else if (carrier < CARRIER_MM) {
        put_registers(b, STEP_BREAK, "KXNORW (K, K, K)", (int)carrier - CARRIER_K, 7);
    } else if (carrier < CARRIER_ST) {
        put_registers(b, STEP_BREAK, "MOVQ (MM, MM)", (int)carrier - CARRIER_MM, 0);
    } else if (carrier == CARRIER_C || carrier == CARRIER_SPAZO) {
        put_registers(b, STEP_BREAK, "TEST (R64, R64)", CHAIN_CONSTANT, CHAIN_CONSTANT);
    } else if (carrier == CARRIER_MEMORY) {
        put_registers(b, STEP_BREAK, "MOV (M64, R64)", 0, CHAIN_CONSTANT);
    }
}

void put_breaks(builder *b, const carriers *keep)
{
    carriers updates;
    if (!instance_updates(b, &updates)) {
        b->c->failed = true;
        return;
    }
    for (unsigned c = 0; c < CARRIER_COUNT; c++) {
        bool with_carry =
            c == CARRIER_SPAZO && carriers_has(&updates, CARRIER_C) && !carriers_has(keep, CARRIER_C);
        bool flags_kept = (c == CARRIER_C || c == CARRIER_SPAZO) &&
                          (carriers_has(keep, CARRIER_C) || carriers_has(keep, CARRIER_SPAZO));
        if (carriers_has(&updates, c) && !carriers_has(keep, c) && !with_carry && !flags_kept)
            put_break(b, c);
    }
    if (b->gathers && !carriers_has(keep, CARRIER_VECTOR + b->choice.index)) {
        instance_choice zero = {.reg = {b->choice.index, b->choice.index, b->choice.index}};
        put_support(b, STEP_BREAK, "VPXOR (XMM, XMM, XMM)", &zero);
    }
}

size_t chain_bytes(const chain *c, uint8_t out[CHAIN_MAX_BYTES])
{
    size_t length = 0;
    for (unsigned i = 0; i < c->count; i++) {
        memcpy(out + length, c->steps[i].insn.bytes, c->steps[i].insn.length);
        length += c->steps[i].insn.length;
    }
    return length;
}

void chain_format(const chain *c, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (unsigned i = 0; i < c->count && used + 1 < size; i++) {
        char text[120];
        tacho_insn_format(&c->steps[i].insn, 0, 1, text, sizeof text);
        int n = snprintf(out + used, size - used, "%s%s", i ? "; " : "", text);
        used += n > 0 ? (size_t)n : 0;
    }
    if (used >= size && size > 4)
        memcpy(out + size - 4, "...", 4);
}

static void put_link(builder *b, link_part part, const char *name, int first, int second)
{
    b->c->links[part]++;
    put_registers(b, STEP_LINK, name, first, second);
}

static void put_address_link(builder *b, int to, int from, int constant)
{
    instance_choice choice = {.reg = {(uint8_t)to}, .base = (uint8_t)from, .index = (uint8_t)constant};
    b->c->links[LINK_ADDRESS]++;
    put_support(b, STEP_LINK, "LEA_B_I (R64)", &choice);
}

static void put_fill(builder *b, int number)
{
    const instance_choice ones = {.reg = {(uint8_t)number}, .imm8 = -1};
    b->c->links[LINK_FILL]++;
    put_support(b, STEP_LINK, "OR (R64, I8)", &ones);
}

/* ---- to a general register ---- */

static void extend(builder *b, tacho_reg from, int to)
{
    switch (from.class_) {
    case TACHO_REG_R8H:
        put_link(b, LINK_HIGH_BYTE, "MOVSX (R32, R8h)", CHAIN_LEGACY_TEMPORARY, from.number);
        put_link(b, LINK_EXTEND, "MOVSXD (R64, R32)", to, CHAIN_LEGACY_TEMPORARY);
        break;
    case TACHO_REG_R8L:
        put_link(b, LINK_EXTEND, "MOVSX (R64, R8l)", to, from.number);
        break;
    case TACHO_REG_R16:
        put_link(b, LINK_EXTEND, "MOVSX (R64, R16)", to, from.number);
        break;
    default:
        put_link(b, LINK_EXTEND, "MOVSXD (R64, R32)", to, from.number);
        break;
    }
}

/* The instance's own address, as processors may rename what is accessed by the same registers, unless these
 * are what the chain goes through: then another register with the same value. */
static instance_choice own_memory(const builder *b, const endpoint *source)
{
    const bool changes = source->address || source->index;
    return (instance_choice){.base = changes ? CHAIN_SAME_BASE : b->choice.base,
                             .index = INSTANCE_NO_INDEX,
                             .disp = b->choice.disp};
}

static bool load_general(builder *b, const endpoint *source, uint16_t width, int to)
{
    const char *name = width == 8    ? "MOVZX (R32, M8)"
                       : width == 16 ? "MOVZX (R32, M16)"
                       : width == 32 ? "MOV (R32, M32)"
                                     : "MOV (R64, M64)";
    if (width < 8)
        return false;
    instance_choice choice = own_memory(b, source);
    choice.reg[0] = (uint8_t)to;
    b->c->links[LINK_MEMORY]++;
    put_support(b, STEP_LINK, name, &choice);
    return true;
}

/* A move that waits for the flag. */
static const char *move_if(const builder *b, const endpoint *from)
{
    if (from->carrier == CARRIER_C)
        return "CMOVB (R64, R64)";
    return tacho_mnemonic_operation(b->form.mnemonic) == OP_ADOX ? "CMOVO (R64, R64)" : "CMOVZ (R64, R64)";
}

static bool to_general(builder *b, const endpoint *from, const endpoint *source, int to)
{
    if (from->memory)
        return load_general(b, source, from->width, to);
    if (from->flags) {
        put_break(b, CARRIER_GENERAL + (unsigned)to);
        put_link(b, LINK_MOVE_IF, move_if(b, from), to, CHAIN_CONSTANT);
        return true;
    }
    if (endpoint_is_general(from)) {
        extend(b, from->reg, to);
        return true;
    }
    if (endpoint_is_vector(from))
        put_link(b, LINK_FILE, b->vex ? "VMOVQ (R64, XMM)" : "MOVQ (R64, XMM)", to, from->reg.number);
    else if (from->reg.class_ == TACHO_REG_K)
        put_link(b, LINK_FILE, "KMOVW (R32, K)", to, from->reg.number);
    else if (from->reg.class_ == TACHO_REG_MM)
        put_link(b, LINK_FILE, "MOVQ (R64, MM)", to, from->reg.number);
    else
        return false;
    return true;
}

/* ---- from a general register ---- */

static bool store_general(builder *b, const endpoint *to, uint16_t width, int from)
{
    instance_choice choice = own_memory(b, to);
    choice.reg[1] = (uint8_t)from;
    if (width < 8 || width > 64)
        return false;
    b->c->links[LINK_MEMORY]++;
    put_support(b, STEP_LINK, "MOV (M64, R64)", &choice);
    return true;
}

/* Masks stay as they are: an empty one takes another way on some cores. */
static void fill_mask(builder *b, int from, int to)
{
    put_fill(b, from);
    put_link(b, LINK_FILE, "KMOVW (K, R32)", to, from);
}

static bool from_general(builder *b, int from, const endpoint *to)
{
    if (to->address || to->index) {
        bool vector = to->index && to->reg.class_ >= TACHO_REG_XMM;
        put_link(b, LINK_CLEAR, "AND (R64, 0)", from, 0);
        if (vector)
            put_link(b, LINK_FILE, "VMOVQ (XMM, R64)", to->reg.number, from);
        else if (to->address)
            put_address_link(b, to->reg.number, from, CHAIN_SAME_BASE);
        return true;
    }
    if (to->memory)
        return store_general(b, to, to->width, from);
    if (to->flags)
        put_link(b, LINK_TEST, "TEST (R64, R64)", from, from);
    else if (endpoint_is_vector(to))
        put_link(b, LINK_FILE, b->vex ? "VMOVQ (XMM, R64)" : "MOVQ (XMM, R64)", to->reg.number, from);
    else if (to->reg.class_ == TACHO_REG_K)
        fill_mask(b, from, to->reg.number);
    else if (to->reg.class_ == TACHO_REG_MM)
        put_link(b, LINK_FILE, "MOVQ (MM, R64)", to->reg.number, from);
    else
        return endpoint_is_general(to);
    return true;
}

/* ---- vector registers among themselves, and memory ---- */

static bool vector_memory(builder *b, const endpoint *source, uint16_t width, int number, bool load)
{
    static const char *const loads[] = {"MOVUPS (XMM, M128)",  "VMOVUPS (XMM, M128)", "VMOVUPS (YMM, M256)",
                                        "VMOVUPS (ZMM, M512)", "MOVSS (XMM, M32)",    "MOVSD (XMM, M64)",
                                        "VMOVSS (XMM, M32)",   "VMOVSD (XMM, M64)"};
    static const char *const stores[] = {"MOVUPS (M128, XMM)", "VMOVUPS (M128, XMM)", "VMOVUPS (M256, YMM)",
                                         "VMOVUPS (M512, ZMM)"};
    instance_choice choice = own_memory(b, source);
    choice.reg[load ? 0 : 1] = (uint8_t)number;
    unsigned which = width == 512 ? 3 : width == 256 ? 2 : b->vex ? 1 : 0;
    if (load && width <= 64)
        which = (width == 64 ? 5 : 4) + (b->vex ? 2 : 0);
    if (load && width != 32 && width != 64 && width < 128)
        return false;
    b->c->links[LINK_MEMORY]++;
    put_support(b, STEP_LINK, load ? loads[which] : stores[which], &choice);
    return true;
}

static bool vector_to_vector(builder *b, const endpoint *from, const endpoint *to)
{
    instance_choice shift = {.reg = {to->reg.number, from->reg.number}, .imm8 = 63};
    if (to->index) {
        b->c->links[LINK_SHIFT_OUT]++;
        put_support(b, STEP_LINK, "VPSRLQ (XMM, XMM, I8)", &shift);
    } else {
        put_link(b, LINK_SHUFFLE, b->vex ? "VPSHUFD (XMM, XMM, I8)" : "PSHUFD (XMM, XMM, I8)", to->reg.number,
                 from->reg.number);
    }
    return true;
}

/* A divisor or dividend that waits for the quotient or the remainder, and is always the same. */
static bool constant_operand(builder *b, const endpoint *from, const endpoint *to)
{
    int number = to->reg.number;
    extend(b, from->reg, number);
    put_link(b, LINK_CLEAR, "AND (R64, 0)", number, 0);
    if (number != 2)
        put_address_link(b, number, number, number == 0 ? CHAIN_SAME_BASE : CHAIN_CONSTANT);
    return true;
}

bool put_links(builder *b, const endpoint *from, const endpoint *to)
{
    bool vector = endpoint_is_vector(to);
    if (b->divides && endpoint_is_general(from) && endpoint_is_general(to))
        return constant_operand(b, from, to);
    if (endpoint_is_vector(from) && vector)
        return vector_to_vector(b, from, to);
    if (endpoint_is_vector(from) && to->memory)
        return vector_memory(b, to, to->width > 128 ? to->width : 128, from->reg.number, false);
    if (from->memory && vector && !to->index)
        return vector_memory(b, to, from->width, to->reg.number, true);
    int via = CHAIN_TEMPORARY;
    if (endpoint_is_general(to) || (to->index && !vector))
        via = to->reg.number;
    bool as_it_is = endpoint_is_general(from) && !endpoint_is_general(to) && !to->address && !to->index &&
                    from->reg.class_ != TACHO_REG_R8H;
    if (as_it_is)
        return from_general(b, from->reg.number, to);
    return to_general(b, from, to, via) && from_general(b, via, to);
}

/* ---- their own time ---- */

void chain_of_link(chain *out, link_part part)
{
    builder b = {.c = out};
    const endpoint temporary = {.reg = {TACHO_REG_R64, CHAIN_TEMPORARY}};
    const instance_choice shift = {.reg = {CHAIN_VECTOR_TEMPORARY, CHAIN_VECTOR_TEMPORARY}, .imm8 = 63};
    memset(out, 0, sizeof *out);
    switch (part) {
    case LINK_EXTEND:
        extend(&b, temporary.reg, CHAIN_TEMPORARY);
        break;
    case LINK_HIGH_BYTE:
        put_link(&b, part, "MOVSX (R32, R8h)", 3, 3);
        break;
    case LINK_CLEAR:
        put_link(&b, part, "AND (R64, 0)", CHAIN_TEMPORARY, 0);
        break;
    case LINK_FILL:
        put_fill(&b, CHAIN_TEMPORARY);
        break;
    case LINK_ADDRESS:
        put_address_link(&b, CHAIN_TEMPORARY, CHAIN_TEMPORARY, CHAIN_SAME_BASE);
        break;
    case LINK_TEST:
    case LINK_MOVE_IF:
        put_link(&b, LINK_TEST, "TEST (R64, R64)", CHAIN_TEMPORARY, CHAIN_TEMPORARY);
        put_link(&b, LINK_MOVE_IF, "CMOVZ (R64, R64)", CHAIN_TEMPORARY, CHAIN_CONSTANT);
        break;
    case LINK_SHUFFLE:
        put_link(&b, part, "PSHUFD (XMM, XMM, I8)", CHAIN_VECTOR_TEMPORARY, CHAIN_VECTOR_TEMPORARY);
        break;
    case LINK_SHIFT_OUT:
        put_support(&b, STEP_LINK, "VPSRLQ (XMM, XMM, I8)", &shift);
        break;
    default:
        break;
    }
}
