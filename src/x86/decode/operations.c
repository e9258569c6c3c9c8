/* operations.c - arithmetic by mnemonics; see operations.h. Masks are not looked at: each lane counts. */
#include "x86/decode/operations.h"

#include "base/search.h"
#include "x86/decode/name_parts.h"
#include "x86/decode/ops.h"

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
} rows[] = {
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
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!name_begins(name, rows[i].begins))
            continue;
        const uint8_t width = rows[i].width == BY_FLOAT    ? name_float_bytes(name, n)
                              : rows[i].width == BY_LETTER ? name_letter_bytes(name[n - 1])
                                                           : rows[i].width;
        const bool one = rows[i].width == BY_FLOAT && rows[i].floats && name[n - 2] == 'S';
        if (!width)
            break;
        return (insn_operations){(one ? 1 : widest_bytes(insn) / width) * rows[i].each, width,
                                 rows[i].floats};
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
