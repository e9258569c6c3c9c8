/* operations.c - arithmetic by mnemonics; see operations.h. Masks are not looked at: each lane counts. */
#include <Zydis/Zydis.h>

#include "base/search.h"
#include "x86/decode/operations.h"
#include "x86/decode/ops.h"
#include "x86/decode/regs.h"

/* Whether the name begins with one of these words, which have spaces between them. */
static inline bool name_begins(const char *name, const char *words)
{
    while (*words) {
        size_t n = strcspn(words, " ");
        if (!strncmp(name, words, n))
            return true;
        words += n + (words[n] == ' ');
    }
    return false;
}

/* Bytes of a whole number; 0: the letter names none. */
static inline uint8_t name_letter_bytes(char c)
{
    return c == 'B' ? 1 : c == 'W' ? 2 : c == 'D' ? 4 : c == 'Q' ? 8 : 0;
}

/* Bytes of a float: "...PS" and the like, in the first `n` characters. */
static inline uint8_t name_float_bytes(const char *name, size_t n)
{
    if (n < 2 || (name[n - 2] != 'P' && name[n - 2] != 'S'))
        return 0;
    return name[n - 1] == 'S' ? 4 : name[n - 1] == 'D' ? 8 : name[n - 1] == 'H' ? 2 : 0;
}

static inline bool insn_has_vector(const tacho_insn *insn)
{
    for (unsigned i = 0; i < insn->operand_count; i++)
        if (reg_is_vector(insn->operands[i].reg) || insn->operands[i].reg.class_ == TACHO_REG_MM)
            return true;
    return false;
}

/* Where the width of elements is in the name. */
enum {
    BY_LETTER = 16, /* its last one: B, W, D, Q */
    BY_FLOAT        /* PS, SD, PH ... */
};

/* By the beginnings of vector instructions' names without V; the first that fits. */
static const struct {
    const char *begins;
    uint8_t width; /* bytes; 0: no arithmetic */
    uint8_t each;  /* operations of an element */
    bool floats;
} amounts[] = {
    {"PMADD52", 8, 2, false},
    {"PMADDUBSW PDPB PSADBW", 1, 2, false},
    {"PMADDWD PDPW", 2, 2, false},
    {"DPBF16", 2, 2, true},
    {"DPPS", 4, 2, true},
    {"DPPD", 8, 2, true},
    {"FM FNM", BY_FLOAT, 2, true},
    {"ADD SUB MUL DIV SQRT MIN MAX RCP RSQRT HADD HSUB", BY_FLOAT, 1, true},
    {"PSLLDQ PSRLDQ", 0, 0, false},
    {"PADD PSUB PMIN PMAX PAVG PABS PSIGN PMUL PHADD PHSUB PSLL PSRL PSRA PROL PROR", BY_LETTER, 1, false},
    {"AND OR XOR", BY_FLOAT, 1, false},
    {"PANDD PANDND PORD PXORD PTERNLOGD", 4, 1, false},
    {"PAND POR PXOR PTERNLOG", 8, 1, false},
};

static bool is_zeroing(const tacho_insn *insn)
{
    const bool clears = insn->operation == OP_XOR || insn->operation == OP_SUB || insn->operation == OP_VXOR;
    const unsigned n = insn->visible_count;
    return clears && n >= 2 && operands_are_one_reg(&insn->operands[n - 2], &insn->operands[n - 1]);
}

/* Of general registers. */
static bool computes(const tacho_insn *insn)
{
    const uint8_t op = insn->operation;
    return IS_ONE_OF(op, OP_LEA, OP_MULX, OP_MUL, OP_SHLD, OP_SHRD, OP_XADD, OP_ADC, OP_SBB, OP_DIV, OP_IDIV,
                     OP_ADCX, OP_ADOX) ||
           (op >= OP_INC && op <= OP_ROR && !IS_ONE_OF(op, OP_BSWAP, OP_MOVBE));
}

static unsigned widest_bytes(const tacho_insn *insn)
{
    unsigned bits = 0;
    for (unsigned i = 0; i < insn->visible_count; i++)
        if (insn->operands[i].kind == TACHO_OPERAND_REG && insn->operands[i].width_bits > bits)
            bits = insn->operands[i].width_bits;
    return bits / 8;
}

static insn_operations of_vector(const tacho_insn *insn, const char *name)
{
    const size_t n = strlen(name);
    for (size_t i = 0; i < sizeof amounts / sizeof *amounts; i++) {
        if (!name_begins(name, amounts[i].begins))
            continue;
        const uint8_t width = amounts[i].width == BY_FLOAT    ? name_float_bytes(name, n)
                              : amounts[i].width == BY_LETTER ? name_letter_bytes(name[n - 1])
                                                              : amounts[i].width;
        const bool one = amounts[i].width == BY_FLOAT && amounts[i].floats && name[n - 2] == 'S';
        if (!width)
            break;
        return (insn_operations){(one ? 1 : widest_bytes(insn) / width) * amounts[i].each, width,
                                 amounts[i].floats};
    }
    return (insn_operations){0};
}

insn_operations tacho_insn_operations(const tacho_insn *insn)
{
    const char *name = tacho_mnemonic_name(insn->mnemonic);
    if (is_zeroing(insn))
        return (insn_operations){0};
    if (insn_has_vector(insn))
        return of_vector(insn, name + (*name == 'V'));
    if (name_begins(name, "FADD FSUB FMUL FDIV FSQRT"))
        return (insn_operations){1, 8, true};
    return (insn_operations){computes(insn), insn->operand_size / 8, false};
}

int insn_third_source(const tacho_insn *insn)
{
    unsigned sources = 0;
    for (unsigned i = 0; i < insn->operand_count; i++)
        sources += (insn->operands[i].access & TACHO_READ) &&
                   (insn->operands[i].kind == TACHO_OPERAND_MEM || reg_is_vector(insn->operands[i].reg));
    if (sources < 3 || insn->mask || !reg_is_vector(insn->operands[0].reg))
        return -1;
    const char *name = tacho_mnemonic_name(insn->mnemonic);
    if (!name_begins(name, "VFM VFNM"))
        return insn->operands[0].access & TACHO_READ ? 0 : 3;
    const char *order = strpbrk(name, "123"); /* 231: the first operand is added to, 213 the third */
    return !order ? -1 : order[0] == '1' ? 1 : order[1] == '1' ? 2 : 0;
}

/* ---- widths of elements ---- */

/* The width of elements, by mnemonics. What can take elements apart or put them
 * together (shifts, masks, shuffles of bytes) says nothing. */

/* The end of a word of conversions: "PS", "UDQ", "QQ". That of "SI" is its register's. */
static uint8_t of_word(const char *name, size_t n)
{
    n -= n && name[n - 1] == 'X'; /* PHX */
    if (n && name[n - 1] == 'W')
        return 2;
    if (n >= 2 && name[n - 1] == 'Q')
        return name[n - 2] == 'D' ? 4 : name[n - 2] == 'Q' ? 8 : 0;
    return name_float_bytes(name, n);
}

/* CVT...2... */
static element_widths of_conversion(const char *name)
{
    const char *between = strchr(name, '2');
    element_widths out = {.one = true};
    if (!between)
        return (element_widths){0};
    out.read = of_word(name, (size_t)(between - name));
    out.written = name_begins(between, "2BF16") ? 2 : of_word(between + 1, strlen(between + 1));
    return out;
}

/* PMOVZXBD, PMOVSXWQ, PMOVDB, PMOVUSQW: from, to. */
static element_widths of_resizing(const char *name, size_t n)
{
    uint8_t from = name_letter_bytes(name[n - 2]), to = name_letter_bytes(name[n - 1]);
    bool known = from && to && !strchr(name, '2'); /* PMOVM2B, PMOVB2M: masks */
    return known ? (element_widths){.read = from, .written = to} : (element_widths){0};
}

static const struct {
    const char *begin;
    element_widths widths;
} widths_of[] = {
    {"PMOVMSKB", {.read = 1}},
    {"PMADD52", {.read = 8, .written = 8}},
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

static element_widths widths_by_name(const char *name)
{
    const size_t n = strlen(name);
    for (size_t i = 0; i < sizeof widths_of / sizeof *widths_of; i++)
        if (name_begins(name, widths_of[i].begin))
            return widths_of[i].widths;
    if (name_begins(name, "CVT"))
        return of_conversion(name);
    if (name_begins(name, "PMOV"))
        return of_resizing(name, n);
    uint8_t width = name_begins(name, float_arithmetic_words)     ? name_float_bytes(name, n)
                    : name_begins(name, integer_arithmetic_words) ? name_letter_bytes(name[n - 1])
                                                                  : 0;
    if (width)
        return (element_widths){.read = width, .written = width};
    return (element_widths){.passes = name_begins(name, passing_words), .one = name_begins(name, one_words)};
}

element_widths insn_element_widths(const tacho_insn *insn)
{
    const char *name = tacho_mnemonic_name(insn->mnemonic);
    if (!insn_has_vector(insn))
        return (element_widths){.one = true};
    element_widths out = widths_by_name(name + (*name == 'V'));
    if (insn_is(insn, INSN_GATHERS)) {
        const size_t n = strlen(name);
        const uint8_t width = name_float_bytes(name, n);
        out.written = width ? width : name_letter_bytes(name[n - 1]);
    }
    return out;
}

/* ---- arithmetic of floating point ---- */

#define OF(name, operation, from, to)                                                                        \
    [ZYDIS_MNEMONIC_##name] = {operation, from, to}, [ZYDIS_MNEMONIC_V##name] = {operation, from, to}
#define PACKED(name, operation)                                                                              \
    OF(name##PS, operation, FLOAT_PS, FLOAT_PS), OF(name##PD, operation, FLOAT_PD, FLOAT_PD)
#define ALL(name, operation)                                                                                 \
    OF(name##SS, operation, FLOAT_SS, FLOAT_SS), OF(name##SD, operation, FLOAT_SD, FLOAT_SD),                \
        PACKED(name, operation)
#define ONE(name, kind)      [ZYDIS_MNEMONIC_##name] = {FLOAT_FUSED, kind, kind}
#define FUSED_PACKED(name)   ONE(name##PS, FLOAT_PS), ONE(name##PD, FLOAT_PD)
#define FUSED_ORDER(name)    ONE(name##SS, FLOAT_SS), ONE(name##SD, FLOAT_SD), FUSED_PACKED(name)
#define FUSED(name)          FUSED_ORDER(name##132), FUSED_ORDER(name##213), FUSED_ORDER(name##231)
#define FUSED_BY_TURNS(name) FUSED_PACKED(name##132), FUSED_PACKED(name##213), FUSED_PACKED(name##231)

static const float_arithmetic floats[ZYDIS_MNEMONIC_MAX_VALUE + 1] = {
    ALL(ADD, FLOAT_ADD),
    ALL(SUB, FLOAT_ADD),
    ALL(MUL, FLOAT_MULTIPLY),
    ALL(DIV, FLOAT_DIVIDE),
    ALL(SQRT, FLOAT_ROOT),
    PACKED(ADDSUB, FLOAT_ADD),
    PACKED(HADD, FLOAT_ADD),
    PACKED(HSUB, FLOAT_ADD),
    FUSED(VFMADD),
    FUSED(VFMSUB),
    FUSED(VFNMADD),
    FUSED(VFNMSUB),
    FUSED_BY_TURNS(VFMADDSUB),
    FUSED_BY_TURNS(VFMSUBADD),
    OF(CVTSS2SD, FLOAT_CONVERT, FLOAT_SS, FLOAT_SD),
    OF(CVTSD2SS, FLOAT_CONVERT, FLOAT_SD, FLOAT_SS),
    OF(CVTPS2PD, FLOAT_CONVERT, FLOAT_PS, FLOAT_PD),
    OF(CVTPD2PS, FLOAT_CONVERT, FLOAT_PD, FLOAT_PS),
};

float_arithmetic tacho_insn_floats(const tacho_insn *insn)
{
    return insn->mnemonic <= ZYDIS_MNEMONIC_MAX_VALUE ? floats[insn->mnemonic] : (float_arithmetic){0};
}

#define BOTH(name)         [ZYDIS_MNEMONIC_##name] = true, [ZYDIS_MNEMONIC_V##name] = true
#define BOTH_PACKED(name)  BOTH(name##PS), BOTH(name##PD)
#define BOTH_SCALARS(name) BOTH(name##SS), BOTH(name##SD)

bool insn_is_of_floats(const tacho_insn *insn)
{
    static const bool others[ZYDIS_MNEMONIC_MAX_VALUE + 1] = {
        BOTH_PACKED(AND),  BOTH_PACKED(ANDN),  BOTH_PACKED(OR),     BOTH_PACKED(XOR), BOTH_PACKED(CMP),
        BOTH_SCALARS(CMP), BOTH_PACKED(ROUND), BOTH_SCALARS(ROUND), BOTH_PACKED(DP),  BOTH(RCPPS),
        BOTH(RCPSS),       BOTH_SCALARS(MOV),  BOTH(CVTDQ2PS),      BOTH(CVTDQ2PD),   BOTH(CVTPS2DQ),
        BOTH(CVTPD2DQ),    BOTH(CVTTPS2DQ),    BOTH(CVTTPD2DQ),     BOTH(CVTSI2SS),   BOTH(CVTSI2SD),
        BOTH(CVTSS2SI),    BOTH(CVTSD2SI),     BOTH(CVTTSS2SI),     BOTH(CVTTSD2SI),  BOTH_PACKED(MIN),
        BOTH_PACKED(MAX),  BOTH_SCALARS(MIN),  BOTH_SCALARS(MAX)};
    return tacho_insn_floats(insn).operation != FLOAT_NOT ||
           insn_is(insn, INSN_RECIPROCAL_ROOT | INSN_COMPARES_FLOATS) ||
           (insn->mnemonic <= ZYDIS_MNEMONIC_MAX_VALUE && others[insn->mnemonic]);
}
