/* execute.c - what instructions do to numbers: the integer arithmetic that compilers use on addresses, and
 * moves. All else makes unknown what it writes (staticdeps, section 3.3). Intel SDM, volume 2. */
#include <string.h>

#include "decode/names.h"
#include "decode/regs.h"
#include "deps/arithmetic.h"
#include "deps/deps.h"
#include "deps/ops.h"
#include "util/mem.h"

static const struct {
    const char *name;
    uint8_t op;
} names[] = {
    {"MOV", OP_MOVE},
    {"MOVABS", OP_MOVE},
    {"MOVZX", OP_MOVE},
    {"MOVNTI", OP_MOVE},
    {"MOVSX", OP_SIGNED},
    {"MOVSXD", OP_SIGNED},
    {"LEA", OP_LEA},
    {"ADD", OP_ADD},
    {"SUB", OP_SUB},
    {"INC", OP_INC},
    {"DEC", OP_DEC},
    {"NEG", OP_NEG},
    {"NOT", OP_NOT},
    {"AND", OP_AND},
    {"OR", OP_OR},
    {"XOR", OP_XOR},
    {"SHL", OP_SHL},
    {"SHR", OP_SHR},
    {"SAR", OP_SAR},
    {"ROL", OP_ROL},
    {"ROR", OP_ROR},
    {"SHLX", OP_SHL},
    {"SHRX", OP_SHR},
    {"SARX", OP_SAR},
    {"RORX", OP_ROR},
    {"SHLD", OP_SHLD},
    {"SHRD", OP_SHRD},
    {"IMUL", OP_IMUL},
    {"MUL", OP_MUL},
    {"MULX", OP_MULX},
    {"XCHG", OP_XCHG},
    {"XADD", OP_XADD},
    {"PUSH", OP_PUSH},
    {"POP", OP_POP},
    {"LEAVE", OP_LEAVE},
    {"SYSCALL", OP_SYSCALL},
    {"BSWAP", OP_BSWAP},
    {"MOVBE", OP_MOVBE},
    {"ANDN", OP_ANDN},
    {"BLSI", OP_BLSI},
    {"BLSR", OP_BLSR},
    {"BLSMSK", OP_BLSMSK},
    {"BZHI", OP_BZHI},
    {"BEXTR", OP_BEXTR},
    {"PEXT", OP_PEXT},
    {"PDEP", OP_PDEP},
    {"POPCNT", OP_POPCNT},
    {"TZCNT", OP_TZCNT},
    {"LZCNT", OP_LZCNT},
    {"CBW", OP_WIDEN},
    {"CWDE", OP_WIDEN},
    {"CDQE", OP_WIDEN},
    {"CWD", OP_SPREAD},
    {"CDQ", OP_SPREAD},
    {"CQO", OP_SPREAD},
    {"MOVSB", OP_STRING},
    {"MOVSW", OP_STRING},
    {"MOVSQ", OP_STRING},
    {"STOSB", OP_STRING},
    {"STOSW", OP_STRING},
    {"STOSD", OP_STRING},
    {"STOSQ", OP_STRING},
    {"LODSB", OP_STRING},
    {"LODSW", OP_STRING},
    {"LODSD", OP_STRING},
    {"LODSQ", OP_STRING},
    {"SCASB", OP_STRING},
    {"SCASW", OP_STRING},
    {"SCASD", OP_STRING},
    {"SCASQ", OP_STRING},
    {"CMPSB", OP_STRING},
    {"CMPSW", OP_STRING},
    {"CMPSQ", OP_STRING},
    {"MOVAPS", OP_VECTOR},
    {"MOVUPS", OP_VECTOR},
    {"MOVAPD", OP_VECTOR},
    {"MOVUPD", OP_VECTOR},
    {"MOVDQA", OP_VECTOR},
    {"MOVDQU", OP_VECTOR},
    {"LDDQU", OP_VECTOR},
    {"MOVNTDQ", OP_VECTOR},
    {"MOVNTPS", OP_VECTOR},
    {"MOVNTPD", OP_VECTOR},
    {"VMOVAPS", OP_VECTOR},
    {"VMOVUPS", OP_VECTOR},
    {"VMOVAPD", OP_VECTOR},
    {"VMOVUPD", OP_VECTOR},
    {"VMOVDQA", OP_VECTOR},
    {"VMOVDQU", OP_VECTOR},
    {"VMOVDQA32", OP_VECTOR},
    {"VMOVDQA64", OP_VECTOR},
    {"VMOVDQU8", OP_VECTOR},
    {"VMOVDQU16", OP_VECTOR},
    {"VMOVDQU32", OP_VECTOR},
    {"VMOVDQU64", OP_VECTOR},
    {"VLDDQU", OP_VECTOR},
    {"MOVQ", OP_SCALAR},
    {"MOVD", OP_SCALAR},
    {"VMOVQ", OP_SCALAR},
    {"VMOVD", OP_SCALAR},
    {"MOVSD", OP_MOVSD},
    {"VMOVSD", OP_MOVSD},
    {"MOVLPS", OP_LOW},
    {"MOVLPD", OP_LOW},
    {"VMOVLPS", OP_LOW},
    {"VMOVLPD", OP_LOW},
    {"MOVHPS", OP_HIGH},
    {"MOVHPD", OP_HIGH},
    {"VMOVHPS", OP_HIGH},
    {"VMOVHPD", OP_HIGH},
    {"PUNPCKLQDQ", OP_UNPACK},
    {"VPUNPCKLQDQ", OP_UNPACK},
    {"MOVLHPS", OP_UNPACK},
    {"VMOVLHPS", OP_UNPACK},
    {"UNPCKLPD", OP_UNPACK},
    {"VUNPCKLPD", OP_UNPACK},
    {"MOVDDUP", OP_DUP},
    {"VMOVDDUP", OP_DUP},
    {"VPBROADCASTQ", OP_BROADCAST},
    {"VBROADCASTSD", OP_BROADCAST},
    {"PINSRQ", OP_INSERT},
    {"VPINSRQ", OP_INSERT},
    {"PEXTRQ", OP_EXTRACT},
    {"VPEXTRQ", OP_EXTRACT},
    {"PXOR", OP_VXOR},
    {"XORPS", OP_VXOR},
    {"XORPD", OP_VXOR},
    {"VPXOR", OP_VXOR},
    {"VXORPS", OP_VXOR},
    {"VXORPD", OP_VXOR},
    {"VPXORD", OP_VXOR},
    {"VPXORQ", OP_VXOR},
    {"PADDQ", OP_VADD},
    {"VPADDQ", OP_VADD},
    {"PSUBQ", OP_VSUB},
    {"VPSUBQ", OP_VSUB},
};

int semantics_make(semantics *s)
{
    s->op_of = tacho_mem_zalloc(tacho_gen_mnemonic_count, 1);
    for (size_t i = 0; s->op_of && i < sizeof names / sizeof *names; i++) {
        uint16_t mnemonic = tacho_mnemonic_find(names[i].name, strlen(names[i].name));
        if (mnemonic)
            s->op_of[mnemonic] = names[i].op;
    }
    for (uint16_t mnemonic = 0; s->op_of && mnemonic < tacho_gen_mnemonic_count; mnemonic++)
        if (!strncmp(tacho_mnemonic_name(mnemonic), "CMOV", 4))
            s->op_of[mnemonic] = OP_CHOOSE;
    return s->op_of ? 0 : -1;
}

void semantics_free(semantics *s)
{
    tacho_mem_free(s->op_of);
    s->op_of = NULL;
}

static unsigned op_of(const semantics *s, const tacho_insn *insn)
{
    unsigned op = s->op_of[insn->mnemonic];
    /* "MOVSD" is a string instruction, too. */
    return op == OP_MOVSD && !insn_names_vector_reg(insn) ? OP_STRING : op;
}

static bool same_operands(const tacho_insn *insn, int a, int b)
{
    const tacho_operand *x = &insn->operands[a], *y = &insn->operands[b];
    return x->kind == TACHO_OPERAND_REG && y->kind == TACHO_OPERAND_REG && x->reg.class_ == y->reg.class_ &&
           x->reg.number == y->reg.number;
}

bool semantics_is_zero(const semantics *s, const tacho_insn *insn)
{
    unsigned op = op_of(s, insn);
    if (op != OP_XOR && op != OP_SUB && op != OP_VXOR && op != OP_VSUB)
        return false;
    if (op == OP_XOR || op == OP_SUB)
        return insn->visible_count == 2 && same_operands(insn, 0, 1) && insn->operands[0].width_bits >= 32;
    return insn->visible_count == 2 ? same_operands(insn, 0, 1)
                                    : insn->visible_count == 3 && same_operands(insn, 1, 2);
}

/* ---- operands ---- */

static value read_operand(const machine *m, const tacho_insn *insn, int i, const addresses *a)
{
    const tacho_operand *o = &insn->operands[i];
    if (o->kind == TACHO_OPERAND_IMM)
        return known((uint64_t)o->imm);
    if (o->kind == TACHO_OPERAND_REG && reg_is_general(o->reg))
        return machine_read_general(m, o->reg);
    if (o->kind == TACHO_OPERAND_AGEN)
        return machine_address(m, &o->mem);
    if (o->kind == TACHO_OPERAND_MEM && a->of[i].known && o->width_bits <= 64)
        return machine_load(m, a->of[i].bits, o->width_bits / 8);
    return UNKNOWN;
}

static void write_operand(machine *m, const tacho_insn *insn, int i, const addresses *a, value v)
{
    const tacho_operand *o = &insn->operands[i];
    if (o->kind == TACHO_OPERAND_REG && reg_is_general(o->reg))
        machine_write_general(m, o->reg, v);
    else if (o->kind == TACHO_OPERAND_MEM && a->of[i].known)
        machine_store_bits(m, a->of[i].bits, o->width_bits / 8, v);
    else if (o->kind == TACHO_OPERAND_REG && reg_is_vector(o->reg))
        for (int l = 0; l < LANES; l++)
            m->vector[o->reg.number % VECTOR_REGISTERS][l] = UNKNOWN;
}

/* ---- instructions ---- */

static void execute1(machine *m, unsigned op, const tacho_insn *insn, const addresses *a)
{
    int source = insn->visible_count > 1 ? 1 : 0;
    value v = read_operand(m, insn, source, a);
    if (v.known)
        v.bits = arith_one(op, v.bits, insn->operands[0].width_bits, insn->operands[source].width_bits);
    write_operand(m, insn, 0, a, v);
}

static void execute2(machine *m, unsigned op, const tacho_insn *insn, const addresses *a)
{
    int first = insn->visible_count > 2 ? 1 : 0;
    value x = read_operand(m, insn, first, a), y = read_operand(m, insn, first + 1, a);
    unsigned width = insn->operands[0].width_bits;
    value out = {0, x.known && y.known};
    if (out.known)
        out.bits = arith_two(op, x.bits, y.bits, width);
    write_operand(m, insn, 0, a, out);
}

/* A shift by one, whose count is not written out. */
static void execute_shift(machine *m, unsigned op, const tacho_insn *insn, const addresses *a)
{
    if (insn->visible_count > 1) {
        execute2(m, op, insn, a);
        return;
    }
    value x = read_operand(m, insn, 0, a);
    if (x.known)
        x.bits = arith_shift(op, x.bits, 1, insn->operands[0].width_bits);
    write_operand(m, insn, 0, a, x);
}

static void execute_double_shift(machine *m, unsigned op, const tacho_insn *insn, const addresses *a)
{
    value x = read_operand(m, insn, 0, a), y = read_operand(m, insn, 1, a), n = read_operand(m, insn, 2, a);
    value out = {0, x.known && y.known && n.known};
    if (out.known)
        out.bits = arith_double_shift(op, x.bits, y.bits, (unsigned)n.bits, insn->operands[0].width_bits);
    write_operand(m, insn, 0, a, out);
}

static void make_unknown(machine *m, const tacho_insn *insn, const addresses *a)
{
    for (int i = 0; i < insn->operand_count; i++)
        if (insn->operands[i].access & TACHO_WRITE)
            write_operand(m, insn, i, a, UNKNOWN);
}

static tacho_reg general(unsigned class_, unsigned number)
{
    return (tacho_reg){(uint8_t)class_, (uint8_t)number};
}

static unsigned class_of_width(unsigned bits)
{
    return bits == 8    ? TACHO_REG_R8L
           : bits == 16 ? TACHO_REG_R16
           : bits == 32 ? TACHO_REG_R32
                        : TACHO_REG_R64;
}

/* RDX:RAX (AX) = RAX times the operand; MULX: the first two operands, the high half first. */
static void multiply(machine *m, unsigned op, const tacho_insn *insn, const addresses *a)
{
    int source = op == OP_MULX ? 2 : 0;
    unsigned width = insn->operands[source].width_bits;
    tacho_reg implied = general(class_of_width(width), op == OP_MULX ? 2 : 0);
    value x = machine_read_general(m, implied), y = read_operand(m, insn, source, a);
    bool both = x.known && y.known;
    __extension__ typedef unsigned __int128 wide;
    __extension__ typedef __int128 signed_wide;
    wide product =
        op == OP_IMUL
            ? (wide)((signed_wide)arith_sign_extend(x.bits, width) * arith_sign_extend(y.bits, width))
            : (wide)x.bits * y.bits;
    value low = {(uint64_t)product, both}, high = {(uint64_t)(product >> width), both};
    if (op == OP_MULX) {
        write_operand(m, insn, 1, a, low);
        write_operand(m, insn, 0, a, high);
    } else if (width == 8)
        machine_write_general(m, general(TACHO_REG_R16, 0), low);
    else {
        machine_write_general(m, implied, low);
        machine_write_general(m, general(class_of_width(width), 2), high);
    }
}

static void exchange(machine *m, unsigned op, const tacho_insn *insn, const addresses *a)
{
    value x = read_operand(m, insn, 0, a), y = read_operand(m, insn, 1, a);
    value sum = {x.bits + y.bits, x.known && y.known};
    write_operand(m, insn, 1, a, x);
    write_operand(m, insn, 0, a, op == OP_XADD ? sum : y);
}

/* An access to the stack, apart from those that the operand names. */
static int stack_operand(const tacho_insn *insn, unsigned access)
{
    for (int i = 0; i < insn->operand_count; i++) {
        const tacho_operand *o = &insn->operands[i];
        if (o->kind == TACHO_OPERAND_MEM && o->visibility == TACHO_SUPPRESSED && o->access & access)
            return i;
    }
    return -1;
}

static void add_to_stack_pointer(machine *m, int64_t bytes)
{
    m->general[4].bits += (uint64_t)bytes;
}

static void push(machine *m, const tacho_insn *insn, const addresses *a)
{
    int to = stack_operand(insn, TACHO_WRITE);
    value v = read_operand(m, insn, 0, a);
    if (to < 0)
        return;
    add_to_stack_pointer(m, -(int64_t)(insn->operands[to].width_bits / 8));
    if (a->of[to].known)
        machine_store_bits(m, a->of[to].bits, insn->operands[to].width_bits / 8, v);
}

static void pop(machine *m, const tacho_insn *insn, const addresses *a)
{
    int from = stack_operand(insn, TACHO_READ);
    if (from < 0)
        return;
    value v = read_operand(m, insn, from, a);
    add_to_stack_pointer(m, insn->operands[from].width_bits / 8);
    write_operand(m, insn, 0, a, v);
}

static void leave(machine *m, const tacho_insn *insn, const addresses *a)
{
    int from = stack_operand(insn, TACHO_READ);
    value v = from < 0 ? UNKNOWN : read_operand(m, insn, from, a);
    m->general[4] = m->general[5];
    add_to_stack_pointer(m, 8);
    m->general[5] = v;
}

/* Forwards, as the ABI wants the direction flag. How often a repeated one runs is not known. */
static void string_step(machine *m, const tacho_insn *insn, const addresses *a)
{
    enum {
        RSI = 6,
        RDI = 7
    };
    value loaded = UNKNOWN;
    make_unknown(m, insn, a);
    for (int i = 0; i < insn->operand_count; i++) {
        const tacho_operand *o = &insn->operands[i];
        if (o->kind != TACHO_OPERAND_MEM)
            continue;
        /* make_unknown has taken the pointer, if it is written; the address is what it was. */
        if (o->mem.base.number == RSI || o->mem.base.number == RDI)
            m->general[o->mem.base.number] = insn->rep || insn->repne
                                                 ? UNKNOWN
                                                 : (value){a->of[i].bits + o->width_bits / 8, a->of[i].known};
        if (o->access & TACHO_READ)
            loaded = read_operand(m, insn, i, a);
    }
    if (insn->rep || insn->repne)
        return;
    for (int i = 0; i < insn->operand_count; i++) {
        const tacho_operand *o = &insn->operands[i];
        bool loads = loaded.known && o->access & TACHO_WRITE && !(o->access & TACHO_READ);
        if (loads && (o->kind == TACHO_OPERAND_MEM || (o->kind == TACHO_OPERAND_REG && o->reg.number == 0)))
            write_operand(m, insn, i, a, loaded);
    }
}

static void widen(machine *m, const tacho_insn *insn)
{
    unsigned width = insn->operand_size;
    value v = machine_read_general(m, general(class_of_width(width / 2), 0));
    v.bits = (uint64_t)arith_sign_extend(v.bits, width / 2);
    machine_write_general(m, general(class_of_width(width), 0), v);
}

static void spread(machine *m, const tacho_insn *insn)
{
    unsigned width = insn->operand_size;
    value v = machine_read_general(m, general(class_of_width(width), 0));
    v.bits = (uint64_t)(arith_sign_extend(v.bits, width) >> 63);
    machine_write_general(m, general(class_of_width(width), 2), v);
}

/* With unknown flags it may be either: known only if both are the same. */
static void choose(machine *m, const tacho_insn *insn, const addresses *a)
{
    value x = read_operand(m, insn, 0, a), y = read_operand(m, insn, 1, a);
    write_operand(m, insn, 0, a, x.known && y.known && x.bits == y.bits ? x : UNKNOWN);
}

static void call(machine *m)
{
    static const uint8_t lost[] = {0, 1, 2, 6, 7, 8, 9, 10, 11}; /* System V ABI: not kept by the callee */
    for (size_t i = 0; i < sizeof lost; i++)
        m->general[lost[i]] = UNKNOWN;
    for (int r = 0; r < VECTOR_REGISTERS; r++)
        for (int l = 0; l < LANES; l++)
            m->vector[r][l] = UNKNOWN;
}

void machine_addresses(const machine *m, const semantics *s, const tacho_insn *insn, addresses *out)
{
    unsigned op = op_of(s, insn);
    for (int i = 0; i < insn->operand_count; i++) {
        const tacho_operand *o = &insn->operands[i];
        out->of[i] = UNKNOWN;
        if (o->kind != TACHO_OPERAND_MEM)
            continue;
        bool stack = o->visibility == TACHO_SUPPRESSED && o->mem.base.class_ == TACHO_REG_R64 &&
                     o->mem.base.number == 4;
        out->of[i] = machine_address(m, &o->mem);
        if (stack && o->access & TACHO_WRITE && (op == OP_PUSH || insn->is_call))
            out->of[i].bits -= o->width_bits / 8;
        else if (stack && o->access & TACHO_WRITE)
            out->of[i] = UNKNOWN; /* PUSHF, ENTER: below RSP, and not followed */
        else if (op == OP_LEAVE && o->visibility == TACHO_SUPPRESSED)
            out->of[i] = m->general[5];
        else if (stack && op == OP_POP && o->access & TACHO_READ)
            out->of[i] = m->general[4];
        if (insn->rep || insn->repne)
            out->of[i] = op == OP_STRING ? UNKNOWN : out->of[i];
    }
    /* pop [rsp+8] computes the address with what RSP is afterwards. */
    if (op == OP_POP && insn->operands[0].kind == TACHO_OPERAND_MEM &&
        insn->operands[0].mem.base.class_ == TACHO_REG_R64 && insn->operands[0].mem.base.number == 4)
        out->of[0].bits += insn->operands[0].width_bits / 8;
}

void machine_execute(machine *m, const semantics *s, const tacho_insn *insn, const addresses *a)
{
    unsigned op = op_of(s, insn);
    if (semantics_is_zero(s, insn) && op < OP_VECTOR)
        write_operand(m, insn, 0, a, known(0));
    else if (insn->is_call)
        call(m);
    else if (insn->is_ret)
        add_to_stack_pointer(m, 8);
    else if (op >= OP_VECTOR) {
        if (!vector_execute(m, op, insn, a))
            make_unknown(m, insn, a);
    } else if (op >= OP_MOVE && op <= OP_LAST1)
        execute1(m, op, insn, a);
    else if (op == OP_IMUL && insn->visible_count == 1)
        multiply(m, op, insn, a);
    else if (op >= OP_SHL && op <= OP_ROR)
        execute_shift(m, op, insn, a);
    else if (op >= OP_ADD && op <= OP_LAST2)
        execute2(m, op, insn, a);
    else
        switch (op) {
        case OP_SHLD:
        case OP_SHRD:
            execute_double_shift(m, op, insn, a);
            break;
        case OP_MUL:
        case OP_MULX:
            multiply(m, op, insn, a);
            break;
        case OP_XCHG:
        case OP_XADD:
            exchange(m, op, insn, a);
            break;
        case OP_PUSH:
            push(m, insn, a);
            break;
        case OP_POP:
            pop(m, insn, a);
            break;
        case OP_LEAVE:
            leave(m, insn, a);
            break;
        case OP_SYSCALL:
            make_unknown(m, insn, a);
            m->general[0] = UNKNOWN; /* what the kernel returns */
            break;
        case OP_STRING:
            string_step(m, insn, a);
            break;
        case OP_CHOOSE:
            choose(m, insn, a);
            break;
        case OP_WIDEN:
            widen(m, insn);
            break;
        case OP_SPREAD:
            spread(m, insn);
            break;
        default:
            make_unknown(m, insn, a);
        }
}
