/* element_widths.c - the width of elements, by mnemonics; see element_widths.h. What can take elements apart
 * or put them together (shifts, masks, shuffles of bytes) says nothing. */
#include "x86/decode/element_widths.h"

#include <string.h>

#include "x86/decode/name_parts.h"
#include "x86/decode/ops.h"

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
} rows[] = {
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

static element_widths of_vector(const char *name)
{
    const size_t n = strlen(name);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (name_begins(name, rows[i].begin))
            return rows[i].widths;
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
    element_widths out = of_vector(name + (*name == 'V'));
    if (insn_is(insn, INSN_GATHERS)) {
        const size_t n = strlen(name);
        const uint8_t width = name_float_bytes(name, n);
        out.written = width ? width : name_letter_bytes(name[n - 1]);
    }
    return out;
}
