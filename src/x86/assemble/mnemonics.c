/* mnemonics.c - what a mnemonic stands for: Zydis's name for it, the size that AT&T's suffix says, a
 * condition, a predicate. GNU's names are those of Intel's manual with these changes. */
#include <ctype.h>

#include "base/each.h"
#include "base/suggest.h"
#include "x86/assemble/assembling.h"
#include "x86/decode/decode_names.h"

uint16_t as_zydis_mnemonic(const char *name, size_t length)
{
    char large[32] = "";
    for (size_t i = 0; i < length && i < sizeof large; i++)
        large[i] = (char)toupper((unsigned char)name[i]);
    return length <= sizeof large ? tacho_mnemonic_find(large, length) : 0;
}

/* Conditions, in the order of their numbers, with Zydis's name of each. */
static const struct {
    char name[4];
    uint8_t number;
} conditions[] = {{"o", 0},   {"no", 1},  {"b", 2},   {"c", 2},   {"nae", 2}, {"ae", 3},
                  {"nb", 3},  {"nc", 3},  {"e", 4},   {"z", 4},   {"ne", 5},  {"nz", 5},
                  {"be", 6},  {"na", 6},  {"a", 7},   {"nbe", 7}, {"s", 8},   {"ns", 9},
                  {"p", 10},  {"pe", 10}, {"np", 11}, {"po", 11}, {"l", 12},  {"nge", 12},
                  {"ge", 13}, {"nl", 13}, {"le", 14}, {"ng", 14}, {"g", 15},  {"nle", 15}};
#define Z(m)                   ZYDIS_MNEMONIC_##m
#define MNEMONIC(unused, name) Z(name)
static const uint16_t set[16] = {EACH(MNEMONIC, , SETO, SETNO, SETB, SETNB, SETZ, SETNZ, SETBE, SETNBE, SETS,
                                      SETNS, SETP, SETNP, SETL, SETNL, SETLE, SETNLE)};
static const uint16_t cmov[16] = {EACH(MNEMONIC, , CMOVO, CMOVNO, CMOVB, CMOVNB, CMOVZ, CMOVNZ, CMOVBE,
                                       CMOVNBE, CMOVS, CMOVNS, CMOVP, CMOVNP, CMOVL, CMOVNL, CMOVLE,
                                       CMOVNLE)};
/* of jumps: only for what the decoder calls them */

static int condition(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++)
        if (strlen(conditions[i].name) == length && !memcmp(conditions[i].name, name, length))
            return conditions[i].number;
    return -1;
}

enum {
    BOTH,
    ATT_ONLY,
    INTEL_ONLY
};
/* clang-format off */
#define OTHER_NAME(zydis, name) {#name, BOTH, {Z(zydis), 0, AS_HOW_PLAIN, 0}}
#define ALSO(...)               EACH(OTHER_NAME, __VA_ARGS__)
/* Names that Zydis does not have, or not in this sense. Those with AT&T's suffixes are found by their stems. */
static const struct {
    const char *name;
    uint8_t syntax;
    as_meaning is;
} names[] = {
    {"jmp", BOTH, {Z(JMP), 0, AS_HOW_BRANCH, 0xeb}},
    {"call", BOTH, {Z(CALL), 0, AS_HOW_BRANCH, 0xe8}},
    {"jmpq", ATT_ONLY, {Z(JMP), 8, AS_HOW_BRANCH, 0xeb}},
    {"callq", ATT_ONLY, {Z(CALL), 8, AS_HOW_BRANCH, 0xe8}},
    {"loop", BOTH, {Z(LOOP), 0, AS_HOW_BRANCH, 0xe2}},
    {"loope", BOTH, {Z(LOOPE), 0, AS_HOW_BRANCH, 0xe1}},
    {"loopz", BOTH, {Z(LOOPE), 0, AS_HOW_BRANCH, 0xe1}},
    {"loopne", BOTH, {Z(LOOPNE), 0, AS_HOW_BRANCH, 0xe0}},
    {"loopnz", BOTH, {Z(LOOPNE), 0, AS_HOW_BRANCH, 0xe0}},
    {"jrcxz", BOTH, {Z(JRCXZ), 0, AS_HOW_BRANCH, 0xe3}},
    {"jecxz", BOTH, {Z(JECXZ), 4, AS_HOW_BRANCH, 0xe3}},
    {"xbegin", BOTH, {Z(XBEGIN), 0, AS_HOW_BRANCH, 0xc7}},
    {"ljmp", BOTH, {Z(JMP), 0, AS_HOW_FAR, 5}},
    {"lcall", BOTH, {Z(CALL), 0, AS_HOW_FAR, 3}},
    {"lret", BOTH, {Z(RET), 0, AS_HOW_FAR, 0xcb}},
    {"retf", BOTH, {Z(RET), 0, AS_HOW_FAR, 0xcb}},
    {"retfq", BOTH, {Z(RET), 8, AS_HOW_FAR, 0xcb}},
    {"pushw", INTEL_ONLY, {Z(PUSH), 2, AS_HOW_PLAIN, 0}},
    {"pushq", INTEL_ONLY, {Z(PUSH), 8, AS_HOW_PLAIN, 0}},
    {"popw", INTEL_ONLY, {Z(POP), 2, AS_HOW_PLAIN, 0}},
    {"popq", INTEL_ONLY, {Z(POP), 8, AS_HOW_PLAIN, 0}},
    {"retq", INTEL_ONLY, {Z(RET), 0, AS_HOW_PLAIN, 0}},
    {"retw", INTEL_ONLY, {Z(RET), 2, AS_HOW_PLAIN, 0}},
    {"iretl", ATT_ONLY, {Z(IRETD), 0, AS_HOW_PLAIN, 0}},
    {"movabs", BOTH, {Z(MOV), 0, AS_HOW_MOVABS, 0}},
    {"movslq", ATT_ONLY, {Z(MOVSXD), 8, AS_HOW_EXTEND, 4}},
    {"movslq", INTEL_ONLY, {Z(MOVSXD), 0, AS_HOW_PLAIN, 0}},
    {"movsx", BOTH, {Z(MOVSX), 0, AS_HOW_PLAIN, 0}},
    {"movsx", BOTH, {Z(MOVSXD), 0, AS_HOW_PLAIN, 0}},
    {"movsb", ATT_ONLY, {Z(MOVSX), 0, AS_HOW_EXTEND, 1}},
    {"movsbw", ATT_ONLY, {Z(MOVSX), 2, AS_HOW_EXTEND, 1}},
    {"movsbl", ATT_ONLY, {Z(MOVSX), 4, AS_HOW_EXTEND, 1}},
    {"movsbq", ATT_ONLY, {Z(MOVSX), 8, AS_HOW_EXTEND, 1}},
    {"movsw", ATT_ONLY, {Z(MOVSX), 0, AS_HOW_EXTEND, 2}},
    {"movswl", ATT_ONLY, {Z(MOVSX), 4, AS_HOW_EXTEND, 2}},
    {"movswq", ATT_ONLY, {Z(MOVSX), 8, AS_HOW_EXTEND, 2}},
    {"movzb", ATT_ONLY, {Z(MOVZX), 0, AS_HOW_EXTEND, 1}},
    {"movzbw", ATT_ONLY, {Z(MOVZX), 2, AS_HOW_EXTEND, 1}},
    {"movzbl", ATT_ONLY, {Z(MOVZX), 4, AS_HOW_EXTEND, 1}},
    {"movzbq", ATT_ONLY, {Z(MOVZX), 8, AS_HOW_EXTEND, 1}},
    {"movzw", ATT_ONLY, {Z(MOVZX), 0, AS_HOW_EXTEND, 2}},
    {"movzwl", ATT_ONLY, {Z(MOVZX), 4, AS_HOW_EXTEND, 2}},
    {"movzwq", ATT_ONLY, {Z(MOVZX), 8, AS_HOW_EXTEND, 2}},
    {"movd", BOTH, {Z(MOVD), 0, AS_HOW_PLAIN, 0}},
    {"movd", BOTH, {Z(MOVQ), 8, AS_HOW_PLAIN, 0}},
    {"vmovd", BOTH, {Z(VMOVD), 0, AS_HOW_PLAIN, 0}},
    {"vmovd", BOTH, {Z(VMOVQ), 8, AS_HOW_PLAIN, 0}},
    {"nop", BOTH, {Z(NOP), 0, AS_HOW_NOP, 0}},
    {"finit", BOTH, {Z(FNINIT), 0, AS_HOW_WAIT, 0}},
    {"fclex", BOTH, {Z(FNCLEX), 0, AS_HOW_WAIT, 0}},
    {"fstcw", BOTH, {Z(FNSTCW), 0, AS_HOW_WAIT, 0}},
    {"fstsw", BOTH, {Z(FNSTSW), 0, AS_HOW_WAIT, 0}},
    {"fstenv", BOTH, {Z(FNSTENV), 0, AS_HOW_WAIT, 0}},
    {"fsave", BOTH, {Z(FNSAVE), 0, AS_HOW_WAIT, 0}},
    {"pclmullqlqdq", BOTH, {Z(PCLMULQDQ), 0, AS_HOW_COMPARE, 0}},
    {"pclmulhqlqdq", BOTH, {Z(PCLMULQDQ), 0, AS_HOW_COMPARE, 1}},
    {"pclmullqhqdq", BOTH, {Z(PCLMULQDQ), 0, AS_HOW_COMPARE, 16}},
    {"pclmulhqhqdq", BOTH, {Z(PCLMULQDQ), 0, AS_HOW_COMPARE, 17}},
    {"vpclmullqlqdq", BOTH, {Z(VPCLMULQDQ), 0, AS_HOW_COMPARE, 0}},
    {"vpclmulhqlqdq", BOTH, {Z(VPCLMULQDQ), 0, AS_HOW_COMPARE, 1}},
    {"vpclmullqhqdq", BOTH, {Z(VPCLMULQDQ), 0, AS_HOW_COMPARE, 16}},
    {"vpclmulhqhqdq", BOTH, {Z(VPCLMULQDQ), 0, AS_HOW_COMPARE, 17}},
    /* other names alone */
    ALSO(RET, retn), ALSO(SHL, sal), ALSO(CBW, cbtw), ALSO(CWDE, cwtl), ALSO(CDQE, cltq), ALSO(CWD, cwtd),
    ALSO(CDQ, cltd), ALSO(CQO, cqto), ALSO(IRETD, iret), ALSO(IRET, iretw), ALSO(PUSHFQ, pushf),
    ALSO(POPFQ, popf), ALSO(PUSHF, pushfw), ALSO(POPF, popfw), ALSO(FWAIT, fwait, wait),
    ALSO(FCOMIP, fcompi), ALSO(FUCOMIP, fucompi), ALSO(FCMOVNBE, fcmova), ALSO(FCMOVNB, fcmovae),
    ALSO(FCMOVBE, fcmovna), ALSO(FCMOVB, fcmovnae), ALSO(XLAT, xlatb), ALSO(UD2, ud2a), ALSO(UD1, ud2b),
    ALSO(INT1, icebp),
};
/* clang-format on */

/* movs, cmps, scas, stos, lods, ins, outs, with the size at their end or in their operands. */
static const struct {
    char name[5];
    uint8_t opcode;
} strings[] = {{"movs", 0xa4}, {"cmps", 0xa6}, {"stos", 0xaa}, {"lods", 0xac},
               {"scas", 0xae}, {"ins", 0x6c},  {"outs", 0x6e}};

static uint8_t suffix_bytes(char c)
{
    return c == 'b' ? 1 : c == 'w' ? 2 : c == 'l' ? 4 : c == 'q' ? 8 : 0;
}

static bool string_meaning(const char *name, size_t length, bool att, as_meaning *out)
{
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++) {
        size_t n = strlen(strings[i].name);
        if (length < n || length > n + 1 || memcmp(name, strings[i].name, n))
            continue;
        uint8_t size = 0;
        if (length == n + 1) {
            size = name[n] == 'd' ? 4 : suffix_bytes(name[n]);
            if (!size || (name[n] == 'l' && !att) ||
                (name[n] == 'd' && att && n == 4 && strings[i].opcode == 0))
                continue;
        }
        *out = (as_meaning){0, size, AS_HOW_STRING, strings[i].opcode};
        return true;
    }
    return false;
}

/* ---- pseudo-operations: a predicate in the name ---- */

static const char *const predicates[] = {
    "eq",    "lt",     "le",     "unord",    "neq",    "nlt",    "nle",    "ord",
    "eq_uq", "nge",    "ngt",    "false",    "neq_oq", "ge",     "gt",     "true",
    "eq_os", "lt_oq",  "le_oq",  "unord_s",  "neq_us", "nlt_uq", "nle_uq", "ord_s",
    "eq_us", "nge_uq", "ngt_uq", "false_os", "neq_os", "ge_oq",  "gt_oq",  "true_us"};
/* other names of some of them */
static const struct {
    const char *name;
    uint8_t value;
} long_predicates[] = {{"eq_oq", 0},     {"lt_os", 1},  {"le_os", 2},  {"unord_q", 3}, {"neq_uq", 4},
                       {"nlt_us", 5},    {"nle_us", 6}, {"ord_q", 7},  {"nge_us", 9},  {"ngt_us", 10},
                       {"false_oq", 11}, {"ge_os", 13}, {"gt_os", 14}, {"true_uq", 15}};
static const char *const integer_predicates[] = {"eq", "lt", "le", "", "neq", "nlt", "nle"};
static const char *const xop_predicates[] = {"lt", "le", "gt", "ge", "eq", "neq", "false", "true"};

static int find_text(const char *const *list, size_t count, const char *name, size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (length && strlen(list[i]) == length && !memcmp(list[i], name, length))
            return (int)i;
    return -1;
}

static uint16_t joined(const char *front, const char *end, size_t end_length)
{
    char text[16];
    int n = snprintf(text, sizeof text, "%s%.*s", front, (int)end_length, end);
    return as_zydis_mnemonic(text, (size_t)n);
}

static bool compare_meaning(const char *name, size_t length, as_meaning *out)
{
    bool v = length > 4 && *name == 'v';
    const char *at = name + v;
    size_t n = length - v;
    int value = -1;
    uint16_t mnemonic = 0;
    if (n > 5 && !memcmp(at, "cmp", 3)) {
        const char *type = at + n - 2;
        n -= 5;
        value = find_text(predicates, v ? 32 : 8, at + 3, n);
        for (size_t i = 0; i < sizeof long_predicates / sizeof *long_predicates && v && value < 0; i++)
            if (strlen(long_predicates[i].name) == n && !memcmp(long_predicates[i].name, at + 3, n))
                value = long_predicates[i].value;
        mnemonic = value < 0 ? 0 : joined(v ? "vcmp" : "cmp", type, 2);
    } else if (v && n > 5 && (!memcmp(at, "pcmp", 4) || !memcmp(at, "pcom", 4))) {
        bool xop = at[3] == 'm';
        bool no_sign = at[n - 2] == 'u';
        const char *type = at + n - 1 - no_sign;
        n -= 5 + (size_t)no_sign;
        value = xop ? find_text(xop_predicates, 8, at + 4, n) : find_text(integer_predicates, 7, at + 4, n);
        mnemonic = value < 0 ? 0 : joined(xop ? "vpcom" : "vpcmp", type, 1u + no_sign);
    }
    if (!mnemonic)
        return false;
    *out = (as_meaning){mnemonic, 0, AS_HOW_COMPARE, (uint8_t)value};
    return true;
}

/* ---- all of them ---- */

static void add(as_meaning *out, int *count, as_meaning m)
{
    if (*count < AS_MEANINGS)
        out[(*count)++] = m;
}

static void by_name(const char *name, size_t length, bool att, as_meaning *out, int *count)
{
    as_meaning m;
    int cc;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].name[0] == name[0] && strlen(names[i].name) == length &&
            !memcmp(names[i].name, name, length) &&
            (names[i].syntax == BOTH || (names[i].syntax == ATT_ONLY) == att))
            add(out, count, names[i].is);
    if (string_meaning(name, length, att, &m))
        add(out, count, m);
    if (length > 1 && name[0] == 'j' && (cc = condition(name + 1, length - 1)) >= 0)
        add(out, count, (as_meaning){Z(JO), 0, AS_HOW_BRANCH, (uint8_t)(0x70 + cc)});
    if (length > 3 && !memcmp(name, "set", 3) && (cc = condition(name + 3, length - 3)) >= 0)
        add(out, count, (as_meaning){set[cc], 0, AS_HOW_PLAIN, 0});
    if (length > 4 && !memcmp(name, "cmov", 4) && (cc = condition(name + 4, length - 4)) >= 0)
        add(out, count, (as_meaning){cmov[cc], 0, AS_HOW_PLAIN, 0});
    if (*count && out[*count - 1].how != AS_HOW_STRING)
        return;
    uint16_t mnemonic = as_zydis_mnemonic(name, length);
    if (mnemonic && mnemonic != Z(VPCMPLTD))
        add(out, count, (as_meaning){mnemonic, 0, AS_HOW_PLAIN, 0});
    else if (compare_meaning(name, length, &m))
        add(out, count, m);
}

/* What the suffix of an x87 instruction says: fadds, fiaddl, fistpll, fldt. */
static uint8_t float_suffix(const char *name, size_t length, size_t *stem)
{
    bool integer = name[1] == 'i';
    *stem = length - 1;
    if (integer && length > 4 && !memcmp(name + length - 2, "ll", 2) && as_zydis_mnemonic(name, length - 2)) {
        *stem = length - 2;
        return 8;
    }
    switch (name[length - 1]) {
    case 's':
        return integer ? 2 : 4;
    case 'l':
        return integer ? 4 : 8;
    case 't':
        return integer ? 0 : 10;
    case 'q':
        return integer ? 8 : 0;
    default:
        return 0;
    }
}

static const char sized_vectors[] =
    "vcvtpd2ps vcvtpd2dq vcvttpd2dq vcvtpd2udq vcvttpd2udq vcvtqq2ps vcvtuqq2ps vcvtneps2bf16 vcvtpd2ph "
    "vcvtqq2ph vcvtuqq2ph vcvtps2phx vcvtdq2ph vcvtudq2ph vfpclasspd vfpclassps vfpclassph ";

static bool is_sized_vector(const char *name, size_t length)
{
    for (const char *at = sized_vectors; *at; at += strcspn(at, " ") + 1)
        if (strcspn(at, " ") == length && !memcmp(at, name, length))
            return true;
    return false;
}

/* With x, y or z behind it: the size of the source. */
static bool vector_suffix(const char *name, size_t length, as_meaning *out)
{
    char last = name[length - 1];
    if (length < 9 || name[0] != 'v' || last < 'x' || last > 'z' || !is_sized_vector(name, length - 1))
        return false;
    uint16_t mnemonic = as_zydis_mnemonic(name, length - 1);
    *out = (as_meaning){mnemonic, (uint8_t)(16 << (last - 'x')), AS_HOW_PLAIN, 0};
    return mnemonic != 0;
}

int as_meanings(const char *given, size_t length, bool att, as_meaning *out)
{
    char name[32];
    int count = 0;
    as_meaning m;
    if (!length || length >= sizeof name)
        return 0;
    for (size_t i = 0; i < length; i++)
        name[i] = tacho_lower(given[i]);
    by_name(name, length, att, out, &count);
    if (vector_suffix(name, length, &m))
        add(out, &count, m);
    if (!att || length < 2)
        return count;
    size_t stem = length - 1;
    uint8_t size = suffix_bytes(name[length - 1]);
    if (name[0] == 'f' && strncmp(name, "fx", 2))
        size = float_suffix(name, length, &stem);
    if (!size)
        return count;
    as_meaning more[AS_MEANINGS];
    int found = 0;
    by_name(name, stem, att, more, &found);
    for (int i = 0; i < found; i++)
        if (more[i].how != AS_HOW_BRANCH && more[i].how != AS_HOW_COMPARE && more[i].how != AS_HOW_STRING &&
            more[i].how != AS_HOW_EXTEND && !(more[i].size && more[i].size != size)) {
            more[i].size = size;
            add(out, &count, more[i]);
        }
    return count;
}

uint8_t as_prefix(const char *name, size_t length)
{
    static const struct {
        const char *name;
        uint8_t byte;
    } prefixes[] = {{"lock", 0xf0},     {"rep", 0xf3},      {"repe", 0xf3},   {"repz", 0xf3},
                    {"repne", 0xf2},    {"repnz", 0xf2},    {"bnd", 0xf2},    {"notrack", 0x3e},
                    {"xacquire", 0xf2}, {"xrelease", 0xf3}, {"data16", 0x66}, {"addr32", 0x67},
                    {"cs", 0x2e},       {"ss", 0x36},       {"ds", 0x3e},     {"es", 0x26},
                    {"fs", 0x64},       {"gs", 0x65},       {"rex", 0x40},    {"rex64", 0x48},
                    {"addr64", 0},      {"data32", 0},      {"word", 0}};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (as_is_word(name, length, prefixes[i].name))
            return prefixes[i].byte;
    if (length < 5 || length > 15 || !as_is_word(name, 4, "rex."))
        return 0;
    uint8_t rex = 0x40;
    for (size_t i = 4; i < length; i++) {
        const char *letters = "bxrw", *at = strchr(letters, tacho_lower(name[i]));
        if (!at)
            return 0;
        rex |= (uint8_t)(1 << (at - letters));
    }
    return rex;
}

enum {
    MOST_PROPOSALS = 5 /* problems for which the nearest names are looked for: that takes a while */
};

/* "; did you mean ..." into `out`. */
static void suggest(const as_state *s, const char *name, size_t length, char *out, size_t size)
{
    char wanted[24];
    static const char *const jumps[] = {"jmp", "je",  "jne", "jz",  "jnz", "ja",  "jae", "jb", "jbe",
                                        "jg",  "jge", "jl",  "jle", "js",  "jns", "jc",  "jnc"};
    tacho_suggest near = {.wanted = wanted};
    out[0] = '\0';
    if (length >= sizeof wanted || s->problem_count >= MOST_PROPOSALS)
        return;
    memcpy(wanted, name, length);
    wanted[length] = '\0';
    for (size_t i = 0; i < sizeof jumps / sizeof *jumps; i++)
        tacho_suggest_offer(&near, jumps[i]);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        tacho_suggest_offer(&near, names[i].name);
    for (unsigned i = 1; i <= ZYDIS_MNEMONIC_MAX_VALUE; i++)
        tacho_suggest_offer(&near, ZydisMnemonicGetString((ZydisMnemonic)i));
    snprintf(out, size, "%s", tacho_suggest_text(&near));
}

void as_unknown_instruction(as_state *s, const as_insn *insn, size_t length, bool replaces)
{
    char near[200];
    suggest(s, insn->name, length, near, sizeof near);
    s->problem_count -= replaces;
    as_problem(s, TACHO_ERR_INPUT, insn->name, insn->name_length, "no such instruction: '%.*s'%s",
               (int)(length < 60 ? length : 60), insn->name, near);
}
