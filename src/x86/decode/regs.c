/* regs.c - names and identity of registers, and which an instruction uses. */
#include "x86/decode/regs.h"

#define NUMBERED_8(p)  p "0", p "1", p "2", p "3", p "4", p "5", p "6", p "7"
#define NUMBERED_16(p) NUMBERED_8(p), p "8", p "9", p "10", p "11", p "12", p "13", p "14", p "15"
#define NUMBERED_32(p)                                                                                       \
    NUMBERED_16(p), p "16", p "17", p "18", p "19", p "20", p "21", p "22", p "23", p "24", p "25", p "26",  \
        p "27", p "28", p "29", p "30", p "31"

static const char *const R8L[] = {"al",  "cl",  "dl",   "bl",   "spl",  "bpl",  "sil",  "dil",
                                  "r8b", "r9b", "r10b", "r11b", "r12b", "r13b", "r14b", "r15b"};
static const char *const R8H[] = {"ah", "ch", "dh", "bh"};
static const char *const R16[] = {"ax",  "cx",  "dx",   "bx",   "sp",   "bp",   "si",   "di",
                                  "r8w", "r9w", "r10w", "r11w", "r12w", "r13w", "r14w", "r15w"};
static const char *const R32[] = {"eax", "ecx", "edx",  "ebx",  "esp",  "ebp",  "esi",  "edi",
                                  "r8d", "r9d", "r10d", "r11d", "r12d", "r13d", "r14d", "r15d"};
static const char *const R64[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
                                  "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};
static const char *const XMM[] = {NUMBERED_32("xmm")};
static const char *const YMM[] = {NUMBERED_32("ymm")};
static const char *const ZMM[] = {NUMBERED_32("zmm")};
static const char *const MM[] = {NUMBERED_8("mm")};
static const char *const ST[] = {"st(0)", "st(1)", "st(2)", "st(3)", "st(4)", "st(5)", "st(6)", "st(7)"};
static const char *const K[] = {NUMBERED_8("k")};
static const char *const BND[] = {"bnd0", "bnd1", "bnd2", "bnd3"};
static const char *const SEG[] = {"es", "cs", "ss", "ds", "fs", "gs"};
static const char *const CR[] = {NUMBERED_16("cr")};
static const char *const DR[] = {NUMBERED_16("dr")};
static const char *const TMM[] = {NUMBERED_8("tmm")};
static const char *const RIP[] = {"rip"};
static const char *const FLAGS[] = {"flags", "flags:C", "flags:SPAZO", "flags:C+SPAZO"};
static const char *const OTHER[] = {"other", "mxcsr",  "x87control", "x87status", "x87tag", "gdtr",
                                    "idtr",  "ldtr",   "tr",         "fsbase",    "gsbase", "msrs",
                                    "tsc",   "tscaux", "xcr0",       "ssp",       "pkru"};
_Static_assert(sizeof OTHER / sizeof *OTHER == TACHO_OTHER_COUNT, "a name for each");

#define CLASS(c, table) [c] = {table, sizeof table / sizeof *table}
static const struct {
    const char *const *names;
    size_t count;
} CLASSES[] = {
    CLASS(TACHO_REG_R8L, R8L),     CLASS(TACHO_REG_R8H, R8H), CLASS(TACHO_REG_R16, R16),
    CLASS(TACHO_REG_R32, R32),     CLASS(TACHO_REG_R64, R64), CLASS(TACHO_REG_XMM, XMM),
    CLASS(TACHO_REG_YMM, YMM),     CLASS(TACHO_REG_ZMM, ZMM), CLASS(TACHO_REG_MM, MM),
    CLASS(TACHO_REG_ST, ST),       CLASS(TACHO_REG_K, K),     CLASS(TACHO_REG_BND, BND),
    CLASS(TACHO_REG_SEG, SEG),     CLASS(TACHO_REG_CR, CR),   CLASS(TACHO_REG_DR, DR),
    CLASS(TACHO_REG_TMM, TMM),     CLASS(TACHO_REG_RIP, RIP), CLASS(TACHO_REG_FLAGS, FLAGS),
    CLASS(TACHO_REG_OTHER, OTHER),
};

const char *tacho_reg_name(tacho_reg reg)
{
    if (reg.class_ == TACHO_REG_NONE || reg.class_ >= sizeof CLASSES / sizeof *CLASSES)
        return "none";
    return reg.number < CLASSES[reg.class_].count ? CLASSES[reg.class_].names[reg.number] : "unknown";
}

bool tacho_reg_same_full(tacho_reg a, tacho_reg b)
{
    return reg_is_same_full(a, b);
}

static uint16_t bit_of(tacho_reg reg)
{
    return reg_is_general(reg) ? (uint16_t)(1u << reg.number) : 0;
}

static uint64_t value_of(tacho_reg reg, const address_registers *r)
{
    switch (reg.class_) {
    case TACHO_REG_R64:
        return r->gpr[reg.number & 15];
    case TACHO_REG_R32:
        return (uint32_t)r->gpr[reg.number & 15];
    case TACHO_REG_RIP:
        return r->next;
    default:
        return 0;
    }
}

uint64_t tacho_operand_address(const tacho_operand *o, const address_registers *r)
{
    enum {
        FS = 4
    };
    const tacho_mem *m = &o->mem;
    uint64_t address = value_of(m->base, r) + value_of(m->index, r) * m->scale + (uint64_t)m->disp;
    if (m->base.class_ == TACHO_REG_R32 || m->index.class_ == TACHO_REG_R32)
        address = (uint32_t)address;
    if (m->segment.class_ == TACHO_REG_SEG)
        address += m->segment.number == FS ? r->fs_base : r->gs_base;
    bool pushed = o->visibility == TACHO_SUPPRESSED && (o->access & TACHO_WRITE) &&
                  m->base.class_ == TACHO_REG_R64 && m->base.number == RSP;
    return pushed ? address - o->width_bits / 8u : address;
}

uint16_t tacho_insn_general_registers(const tacho_insn *insn)
{
    uint16_t used = 0;
    for (const tacho_operand *o = insn->operands; o < insn->operands + insn->operand_count; o++) {
        if (o->kind == TACHO_OPERAND_REG)
            used |= bit_of(o->reg);
        if (o->kind == TACHO_OPERAND_MEM || o->kind == TACHO_OPERAND_AGEN)
            used |= (uint16_t)(bit_of(o->mem.base) | bit_of(o->mem.index));
    }
    return used;
}

uint8_t tacho_free_general_register(uint16_t used)
{
    static const uint8_t order[] = {10, 11, 12, 13, 14, 15, 8, 9, 0, 1, 2, 5, 3, 6, 7};
    for (size_t i = 0; i < sizeof order; i++)
        if (!(used >> order[i] & 1))
            return order[i];
    return NO_FREE_REGISTER;
}
