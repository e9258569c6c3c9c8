/* assembly.c - instructions as text that assemblers take, AT&T or Intel: for other tools, and for people.
 *
 * Zydis writes the operands; its AT&T mnemonics carry the size of any memory operand ("vmovsdq"), which no
 * assembler takes, so the mnemonics are put together here. Source of what must have a suffix: the GNU
 * assembler's manual, "AT&T Mnemonic versus Intel Mnemonic" and "AT&T Syntax versus Intel Syntax". */
#include "x86/decode/assembly.h"

#include <stdio.h>
#include <string.h>

#include "x86/decode/mnemonic_list.h"

typedef struct view {
    ZydisDecodedInstruction insn;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    const ZydisDecodedOperand *memory; /* explicit or implied, but written; NULL: none */
} view;

static bool look(view *v, const tacho_insn *insn)
{
    if (!zydis_decode(&v->insn, v->operands, insn->bytes, insn->length))
        return false;
    if (v->insn.mnemonic == ZYDIS_MNEMONIC_NOP && v->insn.operand_count_visible > 1)
        v->insn.operand_count_visible = 1; /* the register in a long NOP is not written */
    v->memory = NULL;
    for (int i = 0; i < v->insn.operand_count_visible && !v->memory; i++)
        if (v->operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY)
            v->memory = &v->operands[i];
    return true;
}

static bool has_register(const view *v)
{
    for (int i = 0; i < v->insn.operand_count_visible; i++)
        if (v->operands[i].type == ZYDIS_OPERAND_TYPE_REGISTER)
            return true;
    return false;
}

/* ---- AT&T mnemonics ---- */

static const char *integer_suffix(unsigned bits)
{
    return bits == 8 ? "b" : bits == 16 ? "w" : bits == 32 ? "l" : bits == 64 ? "q" : "";
}

/* What a mnemonic gets where an operand is in memory. */
typedef enum suffix {
    SUFFIX_NONE,
    SUFFIX_UNTOLD, /* the integer's size, where no register beside it tells that */
    SUFFIX_SIZE,   /* the integer's size */
    SUFFIX_FLOAT,  /* the size of an x87 number */
    SUFFIX_WHOLE,  /* the size of an integer of the x87 */
    SUFFIX_VECTOR, /* the size of a source whose destination has the same size as a smaller one's */
} suffix;

#define M(value, name) [ZYDIS_MNEMONIC_##name] = SUFFIX_##value
/* clang-format off */
static const uint8_t SUFFIXES[ZYDIS_MNEMONIC_MAX_VALUE + 1] = {
    EACH(M, UNTOLD, ADC, ADD, AND, BT, BTC, BTR, BTS, CMP, IMUL, MOV, OR, SBB, SUB, TEST, XOR),
    EACH(M, SIZE, CRC32, CVTSI2SD, CVTSI2SS, DEC, DIV, IDIV, INC, MUL, NEG, NOP, NOT, POP, PTWRITE, PUSH, RCL,
      RCR, ROL, ROR, SAR, SHL, SHR, VCVTSI2SD, VCVTSI2SS, VCVTUSI2SD), EACH(M, SIZE, VCVTUSI2SS),
    EACH(M, FLOAT, FADD, FCOM, FCOMP, FDIV, FDIVR, FLD, FMUL, FST, FSTP, FSUB, FSUBR),
    EACH(M, WHOLE, FIADD, FICOM, FICOMP, FIDIV, FIDIVR, FILD, FIMUL, FIST, FISTP, FISTTP, FISUB, FISUBR),
    EACH(M, VECTOR, VCVTPD2DQ, VCVTPD2PS, VCVTPD2UDQ, VCVTQQ2PS, VCVTTPD2DQ, VCVTTPD2UDQ, VCVTUQQ2PS,
      VFPCLASSPD, VFPCLASSPS),
};
/* clang-format on */

static const char *memory_suffix(const view *v)
{
    const unsigned bits = v->memory->size, vector_bits = v->insn.avx.vector_length;
    switch (SUFFIXES[v->insn.mnemonic]) {
    case SUFFIX_UNTOLD:
        return has_register(v) ? "" : integer_suffix(bits);
    case SUFFIX_SIZE:
        return integer_suffix(bits);
    case SUFFIX_FLOAT:
        return bits == 32 ? "s" : bits == 64 ? "l" : "t";
    case SUFFIX_WHOLE:
        return bits == 16 ? "s" : bits == 32 ? "l" : "ll";
    case SUFFIX_VECTOR:
        return vector_bits == 128 ? "x" : vector_bits == 256 ? "y" : "z";
    default:
        return "";
    }
}

/* In AT&T syntax these change places where the destination is not the top of the stack (a bug of the first
 * such assembler that all kept). */
uint16_t att_swapped(uint16_t mnemonic)
{
    static const uint16_t pairs[] = {ZYDIS_MNEMONIC_FSUB,   ZYDIS_MNEMONIC_FSUBR, ZYDIS_MNEMONIC_FSUBP,
                                     ZYDIS_MNEMONIC_FSUBRP, ZYDIS_MNEMONIC_FDIV,  ZYDIS_MNEMONIC_FDIVR,
                                     ZYDIS_MNEMONIC_FDIVP,  ZYDIS_MNEMONIC_FDIVRP};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (pairs[i] == mnemonic)
            return pairs[i ^ 1];
    return mnemonic;
}

/* movzx and movsx name both sizes: "movzbl". */
static const char *extension(const view *v)
{
    switch (v->insn.mnemonic) {
    case ZYDIS_MNEMONIC_MOVZX:
        return "movz";
    case ZYDIS_MNEMONIC_MOVSX:
    case ZYDIS_MNEMONIC_MOVSXD:
        return "movs";
    default:
        return NULL;
    }
}

static void att_mnemonic(const view *v, const char *name, char out[40])
{
    const char *extend = extension(v);
    bool string = v->insn.meta.category == ZYDIS_CATEGORY_STRINGOP ||
                  v->insn.meta.category == ZYDIS_CATEGORY_IOSTRINGOP;
    if (string && v->insn.operand_width == 32 && name[strlen(name) - 1] == 'd')
        snprintf(out, 40, "%.*sl", (int)strlen(name) - 1, name);
    else if (extend && v->operands[0].size > v->operands[1].size)
        snprintf(out, 40, "%s%s%s", extend, integer_suffix(v->operands[1].size),
                 integer_suffix(v->operands[0].size));
    else if (v->insn.mnemonic == ZYDIS_MNEMONIC_MOV && v->memory && v->insn.raw.disp.size == 64)
        snprintf(out, 40, "movabs");
    else if (v->memory)
        snprintf(out, 40, "%s%s", name, memory_suffix(v));
    else if (v->operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
             v->operands[0].reg.value != ZYDIS_REGISTER_ST0)
        snprintf(out, 40, "%s", ZydisMnemonicGetString(att_swapped((uint16_t)v->insn.mnemonic)));
    else
        snprintf(out, 40, "%s", name);
}

/* ---- text ---- */

typedef struct writer {
    char *out;
    size_t size, used;
    bool full;
} writer;

static void put(writer *w, const char *text)
{
    size_t n = strlen(text);
    if (w->used + n >= w->size) {
        w->full = true;
        return;
    }
    memcpy(w->out + w->used, text, n + 1);
    w->used += n;
}

/* The top of the stack is %st, the others %st(1) ...; Zydis writes st0, st1. */
static void put_register(writer *w, const char *name)
{
    const char *st = strstr(name, "st");
    if (!st || st[2] < '0' || st[2] > '7' || st[3] || st - name > 1) {
        put(w, name);
        return;
    }
    char text[16];
    snprintf(text, sizeof text, "%.*sst(%c)", (int)(st - name), name, st[2]);
    put(w, text);
}

/* Whether all memory operands say their size in Intel syntax, or only those beside which no register does. */
typedef struct manner {
    bool att, all_sizes;
    const char *target;    /* of a relative branch; NULL: by `targets` */
    tacho_targets targets; /* ... and of RIP-relative operands */
    uint64_t address;
} manner;

static bool needs_size(const view *v)
{
    switch (v->insn.mnemonic) {
    case ZYDIS_MNEMONIC_CRC32:
    case ZYDIS_MNEMONIC_CVTSI2SD:
    case ZYDIS_MNEMONIC_CVTSI2SS:
        return true;
    default:
        break;
    }
    return v->insn.meta.category != ZYDIS_CATEGORY_PREFETCH && !has_register(v);
}

static void start_formatter(ZydisFormatter *f, const view *v, const manner *m)
{
    ZydisFormatterInit(f, m->att ? ZYDIS_FORMATTER_STYLE_ATT : ZYDIS_FORMATTER_STYLE_INTEL);
    ZydisFormatterSetProperty(f, ZYDIS_FORMATTER_PROP_FORCE_SIZE, !m->att && (m->all_sizes || needs_size(v)));
    ZydisFormatterSetProperty(f, ZYDIS_FORMATTER_PROP_FORCE_RELATIVE_RIPREL,
                              m->targets == TACHO_TARGETS_OF_BRANCHES);
    ZydisFormatterSetProperty(f, ZYDIS_FORMATTER_PROP_IMM_SIGNEDNESS, ZYDIS_SIGNEDNESS_AUTO);
    ZydisFormatterSetProperty(f, ZYDIS_FORMATTER_PROP_HEX_UPPERCASE, ZYAN_FALSE);
    ZydisFormatterSetProperty(f, ZYDIS_FORMATTER_PROP_ADDR_PADDING_ABSOLUTE, ZYDIS_PADDING_DISABLED);
    ZydisFormatterSetProperty(f, ZYDIS_FORMATTER_PROP_ADDR_PADDING_RELATIVE, ZYDIS_PADDING_DISABLED);
    ZydisFormatterSetProperty(f, ZYDIS_FORMATTER_PROP_DISP_PADDING, ZYDIS_PADDING_DISABLED);
    ZydisFormatterSetProperty(f, ZYDIS_FORMATTER_PROP_IMM_PADDING, ZYDIS_PADDING_DISABLED);
}

/* A branch to where a register or memory says. */
static bool is_indirect(const view *v)
{
    return (v->insn.mnemonic == ZYDIS_MNEMONIC_CALL || v->insn.mnemonic == ZYDIS_MNEMONIC_JMP) &&
           v->operands[0].type != ZYDIS_OPERAND_TYPE_IMMEDIATE;
}

static void put_mnemonic(writer *w, const view *v, bool att)
{
    const char *name = ZydisMnemonicGetString(v->insn.mnemonic);
    char text[40];
    att_mnemonic(v, name, text);
    if (att && v->insn.meta.branch_type == ZYDIS_BRANCH_TYPE_FAR && is_indirect(v))
        put(w, "l");
    put(w, att ? text : name);
    if (v->insn.operand_count_visible)
        put(w, att && is_indirect(v) ? " *" : " ");
}

static void put_token(writer *w, const view *v, const manner *m, ZydisTokenType type, const char *value)
{
    switch (type) {
    case ZYDIS_TOKEN_REGISTER:
        put_register(w, value);
        break;
    case ZYDIS_TOKEN_ADDRESS_REL:
    case ZYDIS_TOKEN_ADDRESS_ABS:
        if (v->memory)
            put(w, value);
        else /* LLVM takes no "+0x12" */
            put(w, m->target ? m->target : value + (m->all_sizes && *value == '+'));
        break;
    default:
        put(w, value);
    }
}

static void put_all(writer *w, const view *v, const manner *m, ZydisFormatterTokenConst *token)
{
    bool after_mnemonic = false;
    do {
        ZydisTokenType type;
        ZyanConstCharPointer value;
        ZydisFormatterTokenGetValue(token, &type, &value);
        if (type == ZYDIS_TOKEN_MNEMONIC)
            put_mnemonic(w, v, m->att);
        else if (type != ZYDIS_TOKEN_WHITESPACE || !after_mnemonic)
            put_token(w, v, m, type, value);
        after_mnemonic = type == ZYDIS_TOKEN_MNEMONIC;
    } while (ZYAN_SUCCESS(ZydisFormatterTokenNext(&token)));
}

/* Zydis writes rounding and {sae} behind a register; for assemblers they are an operand of their own, which
 * stands before that register in AT&T syntax, after it in Intel, and the other way round beside a general
 * register that is converted. */
static void place_rounding(writer *w, const view *v, bool att)
{
    char *sae = strstr(w->out, "sae}"), text[256];
    while (sae && sae > w->out && *sae != '{')
        sae--;
    if (!sae || sae < w->out + 2 || w->used + 1 >= w->size || w->used >= sizeof text)
        return;
    char *operand = sae - 1;
    while (operand > w->out && operand[-1] != ' ')
        operand--;
    bool converts = false;
    for (int i = 0; i < v->insn.operand_count_visible; i++)
        converts |= v->operands[i].type == ZYDIS_OPERAND_TYPE_REGISTER && i > 1 &&
                    ZydisRegisterGetClass(v->operands[i].reg.value) <= ZYDIS_REGCLASS_GPR64;
    int n = (int)(sae - 1 - operand), k = (int)strcspn(sae, "}") + 1;
    if (att != converts)
        snprintf(text, sizeof text, "%.*s, %.*s%s", k, sae, n, operand, sae + k);
    else
        snprintf(text, sizeof text, "%.*s, %.*s%s", n, operand, k, sae, sae + k);
    memcpy(operand, text, strlen(text) + 1);
    w->used++;
}

static int write_text(const tacho_insn *insn, const manner *m, char *out, size_t size)
{
    view v;
    writer w = {.out = out, .size = size};
    ZydisFormatter formatter;
    ZyanU8 buffer[1024];
    ZydisFormatterTokenConst *token;
    if (!size)
        return TACHO_ERR_LIMIT;
    out[0] = '\0';
    if (!look(&v, insn))
        return TACHO_ERR_INPUT;
    start_formatter(&formatter, &v, m);
    ZyanU64 runtime = m->targets == TACHO_TARGETS_RELATIVE ? ZYDIS_RUNTIME_ADDRESS_NONE : m->address;
    if (!ZYAN_SUCCESS(ZydisFormatterTokenizeInstruction(&formatter, &v.insn, v.operands,
                                                        v.insn.operand_count_visible, buffer, sizeof buffer,
                                                        runtime, &token, NULL)))
        return TACHO_ERR_INPUT;
    put_all(&w, &v, m, token);
    place_rounding(&w, &v, m->att);
    return w.full ? TACHO_ERR_LIMIT : 0;
}

int tacho_insn_assembly(const tacho_insn *insn, tacho_syntax syntax, const char *target, char *out,
                        size_t size)
{
    const manner m = {.att = syntax != TACHO_SYNTAX_INTEL,
                      .all_sizes = true,
                      .target = target,
                      .targets = TACHO_TARGETS_RELATIVE};
    return write_text(insn, &m, out, size);
}

int tacho_insn_write(const tacho_insn *insn, tacho_syntax syntax, uint64_t address, tacho_targets targets,
                     char *out, size_t size)
{
    const manner m = {.att = syntax == TACHO_SYNTAX_ATT, .targets = targets, .address = address};
    return write_text(insn, &m, out, size);
}

int tacho_insn_format(const tacho_insn *insn, uint64_t address, int relative, char *out, size_t size)
{
    return tacho_insn_write(insn, TACHO_SYNTAX_INTEL, address,
                            relative ? TACHO_TARGETS_RELATIVE : TACHO_TARGETS_ABSOLUTE, out, size);
}
