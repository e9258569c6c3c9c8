/* key.c - packing, naming and reading of form keys; see key.h. */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "x86/decode/decode_names.h"
#include "x86/insndb/key.h"

typedef struct kind_info {
    const char *name;
    uint16_t width;
    uint8_t class_, number, fixed, general;
} kind_info;

static const kind_info KINDS[KIND_AGEN + 1] = {
    [KIND_NONE] = {"", 0, 0, 0, 0, 0},
    [KIND_R8L] = {"R8l", 8, TACHO_REG_R8L, 0, 0, 0},
    [KIND_R8H] = {"R8h", 8, TACHO_REG_R8H, 0, 0, 0},
    [KIND_R16] = {"R16", 16, TACHO_REG_R16, 0, 0, 0},
    [KIND_R32] = {"R32", 32, TACHO_REG_R32, 0, 0, 0},
    [KIND_R64] = {"R64", 64, TACHO_REG_R64, 0, 0, 0},
    [KIND_XMM] = {"XMM", 128, TACHO_REG_XMM, 0, 0, 0},
    [KIND_YMM] = {"YMM", 256, TACHO_REG_YMM, 0, 0, 0},
    [KIND_ZMM] = {"ZMM", 512, TACHO_REG_ZMM, 0, 0, 0},
    [KIND_MM] = {"MM", 64, TACHO_REG_MM, 0, 0, 0},
    [KIND_ST] = {"ST", 80, TACHO_REG_ST, 0, 0, 0},
    [KIND_K] = {"K", 64, TACHO_REG_K, 0, 0, 0},
    [KIND_BND] = {"BND", 128, TACHO_REG_BND, 0, 0, 0},
    [KIND_SEG] = {"SEG", 16, TACHO_REG_SEG, 0, 0, 0},
    [KIND_CR] = {"CR", 64, TACHO_REG_CR, 0, 0, 0},
    [KIND_DR] = {"DR", 64, TACHO_REG_DR, 0, 0, 0},
    [KIND_TMM] = {"TMM", 8192, TACHO_REG_TMM, 0, 0, 0},
    [KIND_AL] = {"AL", 8, TACHO_REG_R8L, 0, 1, KIND_R8L},
    [KIND_AX] = {"AX", 16, TACHO_REG_R16, 0, 1, KIND_R16},
    [KIND_EAX] = {"EAX", 32, TACHO_REG_R32, 0, 1, KIND_R32},
    [KIND_RAX] = {"RAX", 64, TACHO_REG_R64, 0, 1, KIND_R64},
    [KIND_CL] = {"CL", 8, TACHO_REG_R8L, 1, 1, KIND_R8L},
    [KIND_DX] = {"DX", 16, TACHO_REG_R16, 2, 1, KIND_R16},
    [KIND_XMM0] = {"XMM0", 128, TACHO_REG_XMM, 0, 1, KIND_XMM},
    [KIND_FS] = {"FS", 16, TACHO_REG_SEG, 4, 1, KIND_SEG},
    [KIND_GS] = {"GS", 16, TACHO_REG_SEG, 5, 1, KIND_SEG},
    [KIND_ST0] = {"ST0", 80, TACHO_REG_ST, 0, 1, KIND_ST},
    [KIND_I8] = {"I8", 8, 0, 0, 0, 0},
    [KIND_I16] = {"I16", 16, 0, 0, 0, 0},
    [KIND_I32] = {"I32", 32, 0, 0, 0, 0},
    [KIND_I64] = {"I64", 64, 0, 0, 0, 0},
    [KIND_ZERO] = {"0", 8, 0, 0, 0, KIND_I8},
    [KIND_ONE] = {"1", 8, 0, 0, 0, KIND_I8},
    [KIND_REL8] = {"Rel8", 8, 0, 0, 0, 0},
    [KIND_REL32] = {"Rel32", 32, 0, 0, 0, 0},
    [KIND_M] = {"M", 0, 0, 0, 0, 0},
    [KIND_M8] = {"M8", 8, 0, 0, 0, KIND_M},
    [KIND_M16] = {"M16", 16, 0, 0, 0, KIND_M},
    [KIND_M32] = {"M32", 32, 0, 0, 0, KIND_M},
    [KIND_M64] = {"M64", 64, 0, 0, 0, KIND_M},
    [KIND_M80] = {"M80", 80, 0, 0, 0, KIND_M},
    [KIND_M128] = {"M128", 128, 0, 0, 0, KIND_M},
    [KIND_M256] = {"M256", 256, 0, 0, 0, KIND_M},
    [KIND_M512] = {"M512", 512, 0, 0, 0, KIND_M},
    [KIND_M16_1TO2] = {"M16_1to2", 16, 0, 0, 0, 0},
    [KIND_M16_1TO4] = {"M16_1to4", 16, 0, 0, 0, 0},
    [KIND_M16_1TO8] = {"M16_1to8", 16, 0, 0, 0, 0},
    [KIND_M16_1TO16] = {"M16_1to16", 16, 0, 0, 0, 0},
    [KIND_M16_1TO32] = {"M16_1to32", 16, 0, 0, 0, 0},
    [KIND_M32_1TO2] = {"M32_1to2", 32, 0, 0, 0, 0},
    [KIND_M32_1TO4] = {"M32_1to4", 32, 0, 0, 0, 0},
    [KIND_M32_1TO8] = {"M32_1to8", 32, 0, 0, 0, 0},
    [KIND_M32_1TO16] = {"M32_1to16", 32, 0, 0, 0, 0},
    [KIND_M64_1TO2] = {"M64_1to2", 64, 0, 0, 0, 0},
    [KIND_M64_1TO4] = {"M64_1to4", 64, 0, 0, 0, 0},
    [KIND_M64_1TO8] = {"M64_1to8", 64, 0, 0, 0, 0},
    [KIND_VSIB_XMM] = {"VSIB_XMM", 0, 0, 0, 0, 0},
    [KIND_VSIB_YMM] = {"VSIB_YMM", 0, 0, 0, 0, 0},
    [KIND_VSIB_ZMM] = {"VSIB_ZMM", 0, 0, 0, 0, 0},
    [KIND_MOFFS8] = {"Moffs8", 8, 0, 0, 0, KIND_M8},
    [KIND_MOFFS16] = {"Moffs16", 16, 0, 0, 0, KIND_M16},
    [KIND_MOFFS32] = {"Moffs32", 32, 0, 0, 0, KIND_M32},
    [KIND_MOFFS64] = {"Moffs64", 64, 0, 0, 0, KIND_M64},
    [KIND_AGEN] = {"", 0, 0, 0, 0, 0},
};

static const kind_info *info_of(form_kind kind)
{
    return &KINDS[kind > KIND_AGEN ? KIND_AGEN : kind];
}

const char *tacho_kind_name(form_kind kind)
{
    return info_of(kind)->name;
}

bool tacho_kind_is_memory(form_kind kind)
{
    return kind >= KIND_M && kind <= KIND_MOFFS64;
}

tacho_reg tacho_kind_reg(form_kind kind, bool *fixed)
{
    const kind_info *info = info_of(kind);
    *fixed = info->fixed;
    return (tacho_reg){info->class_, info->number};
}

uint16_t tacho_kind_width(form_kind kind)
{
    return info_of(kind)->width;
}

form_kind tacho_kind_general(form_kind kind)
{
    return (form_kind)info_of(kind)->general;
}

/* mnemonic 11 bits, attribute 5, opcode + 1 9, kinds 5 x 7 */
uint64_t tacho_key_pack(const form_key *key)
{
    uint64_t packed = key->mnemonic;
    packed = packed << 5 | key->attr;
    packed = packed << 9 | (uint64_t)(key->opcode + 1);
    for (unsigned i = 0; i < KEY_MAX_KINDS; i++)
        packed = packed << 7 | (i < key->kind_count ? key->kinds[i] : 0u);
    return packed;
}

form_key tacho_key_unpack(uint64_t packed)
{
    form_key key = {0};
    for (unsigned i = KEY_MAX_KINDS; i-- > 0; packed >>= 7) {
        key.kinds[i] = packed & 127;
        if (key.kinds[i] && key.kind_count == 0)
            key.kind_count = (uint8_t)(i + 1);
    }
    key.opcode = (int16_t)((packed & 511) - 1);
    packed >>= 9;
    key.attr = packed & 31;
    key.mnemonic = (uint16_t)(packed >> 5);
    return key;
}

typedef struct text {
    char *out;
    size_t size, length;
} text;

static void put(text *t, const char *s)
{
    for (; *s; s++, t->length++)
        if (t->length + 1 < t->size)
            t->out[t->length] = *s;
}

static void put_shape(text *t, unsigned shape)
{
    if (shape == SHAPE_RIP) {
        put(t, "_R_D32");
        return;
    }
    if (shape & SHAPE_BASE)
        put(t, "_B");
    if (shape & SHAPE_INDEX)
        put(t, shape & SHAPE_SCALED ? "_IS" : "_I");
    if (shape & SHAPE_D8)
        put(t, "_D8");
    if (shape & SHAPE_D32)
        put(t, "_D32");
}

static const char *const ATTR_NAMES[] = {"", "_LOCK", "_REPE", "_REPNE", "_R0", "_R4", "_W", "_O64"};

static void put_attr(text *t, uint8_t attr)
{
    if (attr < ATTR_VECTOR) {
        put(t, ATTR_NAMES[attr]);
        return;
    }
    attr -= ATTR_VECTOR;
    if (attr & ATTR_EVEX)
        put(t, "_EVEX");
    if (attr & ATTR_ER)
        put(t, "_ER");
    if (attr & ATTR_SAE)
        put(t, "_SAE");
    if (attr & ATTR_ZEROING)
        put(t, "_Z");
}

int tacho_key_name(const form_key *key, char *out, size_t size)
{
    text t = {out, size, 0};
    put(&t, tacho_mnemonic_name(key->mnemonic));
    for (unsigned i = 0; i < key->kind_count; i++)
        if (key->kinds[i] >= KIND_AGEN)
            put_shape(&t, key->kinds[i] - KIND_AGEN);
    if (key->opcode != KEY_NO_OPCODE) {
        char hex[8];
        snprintf(hex, sizeof hex, "_%02X", (unsigned)key->opcode & 0xFF);
        put(&t, hex);
    }
    put_attr(&t, key->attr);
    unsigned written = 0;
    for (unsigned i = 0; i < key->kind_count; i++) {
        if (key->kinds[i] >= KIND_AGEN)
            continue;
        put(&t, written++ ? ", " : " (");
        put(&t, tacho_kind_name(key->kinds[i]));
    }
    if (written)
        put(&t, ")");
    if (size)
        out[t.length < size ? t.length : size - 1] = '\0';
    return (int)t.length;
}

/* uops.info (XED) names whose mnemonic Zydis calls otherwise. */
static const struct {
    const char *prefix, *mnemonic;
    uint8_t attr;
} ALIASES[] = {
    {"MOVSD_XMM", "MOVSD", 0},
    {"CMPSD_XMM", "CMPSD", 0},
    {"CALL_NEAR", "CALL", 0},
    {"RET_NEAR", "RET", 0},
    {"PEXTRW_SSE4", "PEXTRW", 0},
    {"MOV_CR", "MOV", 0},
    {"MOV_DR", "MOV", 0},
    {"PREFETCH_EXCLUSIVE", "PREFETCH", 0},
    {"PCMPESTRI64", "PCMPESTRI", ATTR_O64},
    {"PCMPESTRM64", "PCMPESTRM", ATTR_O64},
    {"VPCMPESTRI64", "VPCMPESTRI", ATTR_O64},
    {"VPCMPESTRM64", "VPCMPESTRM", ATTR_O64},
    {"XLAT", "XLAT", 0},
};

static const char *read_mnemonic(form_key *out, const char *name)
{
    for (size_t i = 0; i < sizeof ALIASES / sizeof *ALIASES; i++) {
        size_t length = strlen(ALIASES[i].prefix);
        if (strncmp(name, ALIASES[i].prefix, length) == 0 && strchr("_ ", name[length])) {
            out->mnemonic = tacho_mnemonic_find(ALIASES[i].mnemonic, strlen(ALIASES[i].mnemonic));
            out->attr = ALIASES[i].attr;
            return name + length;
        }
    }
    size_t length = strcspn(name, "_ ");
    out->mnemonic = tacho_mnemonic_find(name, length);
    return name + length;
}

static bool has_agen(const char *mnemonic)
{
    return TEXT_IS_ONE_OF(mnemonic, "LEA", "BNDMK", "BNDCL", "BNDCU", "BNDCN");
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Two hexadecimal digits, or four beginning with 0F. */
static bool read_opcode(form_key *out, const char *word, size_t length)
{
    if (length == 4 && word[0] == '0' && word[1] == 'F') {
        word += 2;
        length = 2;
    }
    if (length != 2 || hex_digit(word[0]) < 0 || hex_digit(word[1]) < 0)
        return false;
    out->opcode = (int16_t)(hex_digit(word[0]) * 16 + hex_digit(word[1]));
    return true;
}

static bool read_suffix(form_key *out, unsigned *shape, bool agen, const char *word, size_t length)
{
    static const struct {
        const char *word;
        uint8_t attr, shape;
    } WORDS[] = {
        {"LOCK", ATTR_LOCK, 0},
        {"REPE", ATTR_REPE, 0},
        {"REPNE", ATTR_REPNE, 0},
        {"R0", ATTR_RM_LOW, 0},
        {"R4", ATTR_RM_HIGH, 0},
        {"W", ATTR_WORD, 0},
        {"O64", ATTR_O64, 0},
        {"EVEX", ATTR_VECTOR + ATTR_EVEX, 0},
        {"ER", ATTR_VECTOR + ATTR_ER, 0},
        {"SAE", ATTR_VECTOR + ATTR_SAE, 0},
        {"Z", ATTR_VECTOR + ATTR_ZEROING, 0},
        {"B", 0, SHAPE_BASE},
        {"I", 0, SHAPE_INDEX},
        {"IS", 0, SHAPE_INDEX | SHAPE_SCALED},
        {"D8", 0, SHAPE_D8},
        {"D32", 0, SHAPE_D32},
        {"R", 0, SHAPE_RIP},
    };
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++) {
        if (strlen(WORDS[i].word) != length || strncmp(WORDS[i].word, word, length) != 0)
            continue;
        if (WORDS[i].shape && !agen)
            continue;
        *shape |= WORDS[i].shape;
        uint8_t attr = WORDS[i].attr;
        if (attr >= ATTR_VECTOR) {
            if (out->attr && out->attr < ATTR_VECTOR)
                return false;
            out->attr =
                (uint8_t)(ATTR_VECTOR + ((out->attr ? out->attr - ATTR_VECTOR : 0) | (attr - ATTR_VECTOR)));
        } else if (attr) {
            out->attr = attr;
        }
        return true;
    }
    return read_opcode(out, word, length);
}

static form_kind kind_from(const char *word, size_t length)
{
    for (unsigned k = 1; k < KIND_AGEN; k++)
        if (strlen(KINDS[k].name) == length && strncmp(KINDS[k].name, word, length) == 0)
            return (form_kind)k;
    if (length > 1 && word[0] == 'M' && strspn(word + 1, "0123456789") == length - 1)
        return KIND_M;
    return KIND_NONE;
}

static bool read_operands(form_key *out, const char *p, char *why, size_t why_size)
{
    const char *wrong = "the operands are not closed";
    while (*p) {
        size_t length = strcspn(p, ",)");
        form_kind kind = kind_from(p, length);
        if (kind == KIND_NONE || out->kind_count == KEY_MAX_KINDS) {
            snprintf(why, why_size, "operand %.*s is not a kind of operand, or there are too many",
                     (int)length, p);
            return false;
        }
        out->kinds[out->kind_count++] = (uint8_t)kind;
        p += length;
        if (*p == ')' && !p[1])
            return true;
        if (*p == ')') {
            wrong = "text after the operands";
            break;
        }
        p += strspn(p, ", ");
    }
    snprintf(why, why_size, "%s", wrong);
    return false;
}

bool tacho_key_parse(form_key *out, const char *name, char *why, size_t why_size)
{
    unsigned shape = 0;
    memset(out, 0, sizeof *out);
    out->opcode = KEY_NO_OPCODE;
    snprintf(why, why_size, "no instruction has this mnemonic");
    const char *p = read_mnemonic(out, name);
    if (out->mnemonic == 0)
        return false;
    bool agen = has_agen(tacho_mnemonic_name(out->mnemonic));
    while (*p == '_') {
        size_t length = strcspn(++p, "_ ");
        if (!read_suffix(out, &shape, agen, p, length)) {
            snprintf(why, why_size, "suffix _%.*s has no meaning here", (int)length, p);
            return false;
        }
        p += length;
    }
    if (*p == ' ') {
        p += strspn(p, " ");
        if (*p != '(') {
            snprintf(why, why_size, "operands are written in parentheses");
            return false;
        }
        if (!read_operands(out, p + 1, why, why_size))
            return false;
    }
    if (shape && out->kind_count < KEY_MAX_KINDS)
        out->kinds[out->kind_count++] = (uint8_t)(KIND_AGEN + shape);
    return true;
}
