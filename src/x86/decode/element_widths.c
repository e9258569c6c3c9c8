/* element_widths.c - the width of elements, by mnemonics; see element_widths.h. What can take elements apart
 * or put them together (shifts, masks, shuffles of bytes) says nothing. */
#include "x86/decode/element_widths.h"

#include <string.h>

#include "x86/decode/ops.h"
#include "x86/decode/regs.h"

/* Whether the name begins with one of these words, which have spaces between them. */
static bool begins(const char *name, const char *words)
{
    while (*words) {
        size_t n = strcspn(words, " ");
        if (!strncmp(name, words, n))
            return true;
        words += n + (words[n] == ' ');
    }
    return false;
}

static uint8_t of_letter(char c)
{
    return c == 'B' ? 1 : c == 'W' ? 2 : c == 'D' ? 4 : c == 'Q' ? 8 : 0;
}

/* "...PS" and the like, in the first `n` characters. */
static uint8_t of_float(const char *name, size_t n)
{
    if (n < 2 || (name[n - 2] != 'P' && name[n - 2] != 'S'))
        return 0;
    return name[n - 1] == 'S' ? 4 : name[n - 1] == 'D' ? 8 : name[n - 1] == 'H' ? 2 : 0;
}

/* The end of a word of conversions: "PS", "UDQ", "QQ". That of "SI" is its register's. */
static uint8_t of_word(const char *name, size_t n)
{
    n -= n && name[n - 1] == 'X'; /* PHX */
    if (n && name[n - 1] == 'W')
        return 2;
    if (n >= 2 && name[n - 1] == 'Q')
        return name[n - 2] == 'D' ? 4 : name[n - 2] == 'Q' ? 8 : 0;
    return of_float(name, n);
}

/* CVT...2... */
static element_widths of_conversion(const char *name)
{
    const char *between = strchr(name, '2');
    element_widths out = {.one = true};
    if (!between)
        return (element_widths){0};
    out.read = of_word(name, (size_t)(between - name));
    out.written = begins(between, "2BF16") ? 2 : of_word(between + 1, strlen(between + 1));
    return out;
}

/* PMOVZXBD, PMOVSXWQ, PMOVDB, PMOVUSQW: from, to. */
static element_widths of_resizing(const char *name, size_t n)
{
    uint8_t from = of_letter(name[n - 2]), to = of_letter(name[n - 1]);
    bool known = from && to && !strchr(name, '2'); /* PMOVM2B, PMOVB2M: masks */
    return known ? (element_widths){.read = from, .written = to} : (element_widths){0};
}

static const struct {
    const char *begin;
    element_widths widths;
} rows[] = {
    {"PMOVMSKB", {.read = 1}},
    {"PMADDUBSW", {.read = 1, .written = 2}},
    {"PMADDWD", {.read = 2, .written = 4}},
    {"PSADBW", {.read = 1, .written = 8}},
    {"PDPB", {.read = 1, .written = 4}},
    {"PDPW", {.read = 2, .written = 4}},
    {"DPBF16PS", {.read = 2, .written = 4}},
    {"PACKSSWB", {.read = 2, .written = 1}},
    {"PACKUSWB", {.read = 2, .written = 1}},
    {"PACKSSDW", {.read = 4, .written = 2}},
    {"PACKUSDW", {.read = 4, .written = 2}},
    {"PUNPCKLBW", {.read = 1, .written = 2}}, /* what widens unsigned numbers; or pairs */
    {"PUNPCKHBW", {.read = 1, .written = 2}},
    {"PUNPCKLWD", {.read = 2, .written = 4}},
    {"PUNPCKHWD", {.read = 2, .written = 4}},
    {"PUNPCKLDQ", {.read = 4, .written = 8}},
    {"PUNPCKHDQ", {.read = 4, .written = 8}},
    {"UNPCKLPS", {.read = 4}},
    {"UNPCKHPS", {.read = 4}},
    {"GATHERD", {.read = 4}},
    {"GATHERQ", {.read = 8}},
    {"PGATHERD", {.read = 4}},
    {"PGATHERQ", {.read = 8}},
    {"SCATTERD", {.read = 4}},
    {"SCATTERQ", {.read = 8}},
    {"PSCATTERD", {.read = 4}},
    {"PSCATTERQ", {.read = 8}},
};

static const char float_arithmetic_words[] = "ADD SUB MUL DIV SQRT MIN MAX FM FNM RCP RSQRT HADD HSUB CMP "
                                             "COMI UCOMI ROUND RNDSCALE REDUCE RANGE SCALEF GETEXP GETMANT";
static const char integer_arithmetic_words[] =
    "PADD PSUB PMIN PMAX PCMP PAVG PABS PSIGN PMULL PMULH PHADD PHSUB POPCNT PLZCNT PCONFLICT";
static const char passing_words[] =
    "MOV LDDQU AND OR XOR POR PXOR SHUFP UNPCKLPD UNPCKHPD PUNPCKLQDQ PUNPCKHQDQ PSHUFD PERMP PERMD PERMQ "
    "PERM2F128 PERM2I128 PERMILP BLEND PBLEND BROADCAST PBROADCAST INSERTF INSERTI EXTRACTF EXTRACTI MASKMOV "
    "PMASKMOV EXPANDP COMPRESSP PEXPAND PCOMPRESS";
static const char one_words[] =
    "MOVSS MOVSD MOVSH MOVDDUP BROADCASTSS BROADCASTSD PBROADCAST PINSR PEXTR INSERTPS EXTRACTPS";

static bool is_vector(const tacho_insn *insn)
{
    for (unsigned i = 0; i < insn->operand_count; i++)
        if (reg_is_vector(insn->operands[i].reg) || insn->operands[i].reg.class_ == TACHO_REG_MM)
            return true;
    return false;
}

static element_widths of_vector(const char *name)
{
    const size_t n = strlen(name);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (begins(name, rows[i].begin))
            return rows[i].widths;
    if (begins(name, "CVT"))
        return of_conversion(name);
    if (begins(name, "PMOV"))
        return of_resizing(name, n);
    uint8_t width = begins(name, float_arithmetic_words)     ? of_float(name, n)
                    : begins(name, integer_arithmetic_words) ? of_letter(name[n - 1])
                                                             : 0;
    if (width)
        return (element_widths){.read = width, .written = width};
    return (element_widths){.passes = begins(name, passing_words), .one = begins(name, one_words)};
}

element_widths insn_element_widths(const tacho_insn *insn)
{
    const char *name = tacho_mnemonic_name(insn->mnemonic);
    if (!is_vector(insn))
        return (element_widths){.one = true};
    element_widths out = of_vector(name + (*name == 'V'));
    if (insn_is(insn, INSN_GATHERS)) {
        const size_t n = strlen(name);
        const uint8_t width = of_float(name, n);
        out.written = width ? width : of_letter(name[n - 1]);
    }
    return out;
}

/* ---- operations ---- */

static bool is_zeroing(const tacho_insn *insn)
{
    const bool clears = insn->operation == OP_XOR || insn->operation == OP_SUB || insn->operation == OP_VXOR;
    if (!clears || insn->visible_count < 2)
        return false;
    const tacho_operand *a = &insn->operands[insn->visible_count - 1], *b = a - 1;
    return a->kind == TACHO_OPERAND_REG && b->kind == TACHO_OPERAND_REG && reg_is_same(a->reg, b->reg);
}

/* Of general registers. */
static bool computes(const tacho_insn *insn)
{
    switch (insn->operation) {
    case OP_LEA:
    case OP_MULX:
    case OP_MUL:
    case OP_SHLD:
    case OP_SHRD:
    case OP_XADD:
    case OP_ADC:
    case OP_SBB:
    case OP_DIV:
    case OP_IDIV:
    case OP_ADCX:
    case OP_ADOX:
        return true;
    default:
        return insn->operation >= OP_INC && insn->operation <= OP_ROR && insn->operation != OP_BSWAP &&
               insn->operation != OP_MOVBE;
    }
}

static unsigned widest_bytes(const tacho_insn *insn)
{
    unsigned bits = 0;
    for (unsigned i = 0; i < insn->visible_count; i++)
        if (insn->operands[i].kind == TACHO_OPERAND_REG && insn->operands[i].width_bits > bits)
            bits = insn->operands[i].width_bits;
    return bits / 8;
}

insn_operations tacho_insn_operations(const tacho_insn *insn)
{
    const char *name = tacho_mnemonic_name(insn->mnemonic);
    const bool vector = is_vector(insn);
    name += vector && *name == 'V';
    const size_t n = strlen(name);
    if (is_zeroing(insn))
        return (insn_operations){0};
    if (!vector && begins(name, "FADD FSUB FMUL FDIV FSQRT"))
        return (insn_operations){1, 8, true};
    if (!vector)
        return (insn_operations){computes(insn), insn->operand_size / 8, false};
    const bool floats = begins(name, float_arithmetic_words) && of_float(name, n) &&
                        !begins(name, "CMP COMI UCOMI ROUND RNDSCALE REDUCE RANGE SCALEF GETEXP GETMANT");
    const bool sums = begins(name, "PMADD PDP DPBF16 PSADBW");
    const uint8_t width =
        floats                                                       ? of_float(name, n)
        : sums                                                       ? of_vector(name).read
        : begins(name, "PSLLDQ PSRLDQ PCMP POPCNT PLZCNT PCONFLICT") ? 0
        : begins(name, integer_arithmetic_words) || begins(name, "PMUL PSLL PSRL PSRA PROL PROR")
            ? of_letter(name[n - 1])
        : begins(name, "AND OR XOR")             ? of_float(name, n)
        : begins(name, "PAND POR PXOR PTERNLOG") ? (strcmp(name, "PAND") ? of_letter(name[n - 1]) : 0) ?: 8
                                                 : 0;
    if (!width)
        return (insn_operations){0};
    const bool one = floats && name[n - 2] == 'S', fused = sums || (floats && begins(name, "FM FNM"));
    return (insn_operations){(one ? 1 : widest_bytes(insn) / width) * (fused ? 2 : 1), width, floats};
}
