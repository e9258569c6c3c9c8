/* shape.c - instruction lengths in 64-bit mode: Intel's Software Developer's Manual, volume 2, chapter 2 (the
 * format) and appendix A (which opcodes have a ModRM byte and an immediate). */
#include "x86/decode/shape.h"

enum {
    M = 1,       /* has a ModRM byte */
    I8 = 2,      /* immediate of a byte */
    IZ = 4,      /* of the operand size, at most 4 bytes */
    IV = 8,      /* of the operand size, up to 8 bytes */
    GROUP3 = 16, /* TEST alone of its group has the immediate */
    BRANCH = 32, /* 4 bytes whatever the operand size */
    UNTOLD = 64,
};

/* clang-format off */
static const uint8_t one_byte[256] = {
    [0x00] = M, M, M, M, I8, IZ, UNTOLD, UNTOLD, M, M, M, M, I8, IZ, UNTOLD, UNTOLD,
    [0x10] = M, M, M, M, I8, IZ, UNTOLD, UNTOLD, M, M, M, M, I8, IZ, UNTOLD, UNTOLD,
    [0x20] = M, M, M, M, I8, IZ, UNTOLD, UNTOLD, M, M, M, M, I8, IZ, UNTOLD, UNTOLD,
    [0x30] = M, M, M, M, I8, IZ, UNTOLD, UNTOLD, M, M, M, M, I8, IZ, UNTOLD, UNTOLD,
    [0x40] = UNTOLD, UNTOLD, UNTOLD, UNTOLD, UNTOLD, UNTOLD, UNTOLD, UNTOLD,
             UNTOLD, UNTOLD, UNTOLD, UNTOLD, UNTOLD, UNTOLD, UNTOLD, UNTOLD,
    [0x60] = UNTOLD, UNTOLD, UNTOLD, M, UNTOLD, UNTOLD, UNTOLD, UNTOLD,
             IZ, M | IZ, I8, M | I8, UNTOLD, UNTOLD, UNTOLD, UNTOLD,
    [0x70] = I8, I8, I8, I8, I8, I8, I8, I8, I8, I8, I8, I8, I8, I8, I8, I8,
    [0x80] = M | I8, M | IZ, UNTOLD, M | I8, M, M, M, M, M, M, M, M, M, M, M, M,
    [0x9a] = UNTOLD,
    [0xa0] = UNTOLD, UNTOLD, UNTOLD, UNTOLD, 0, 0, 0, 0, I8, IZ,
    [0xb0] = I8, I8, I8, I8, I8, I8, I8, I8, IV, IV, IV, IV, IV, IV, IV, IV,
    [0xc0] = M | I8, M | I8, UNTOLD, 0, UNTOLD, UNTOLD, M | I8, M | IZ,
             UNTOLD, 0, UNTOLD, UNTOLD, 0, I8, UNTOLD, UNTOLD,
    [0xd0] = M, M, M, M, UNTOLD, UNTOLD, UNTOLD, 0, M, M, M, M, M, M, M, M,
    [0xe0] = I8, I8, I8, I8, UNTOLD, UNTOLD, UNTOLD, UNTOLD, BRANCH, BRANCH, UNTOLD, I8,
    [0xf0] = UNTOLD, UNTOLD, UNTOLD, UNTOLD, 0, 0, M | I8 | GROUP3, M | IZ | GROUP3, 0, 0, 0, 0, 0, 0, M, M,
};
/* clang-format on */

/* 0F xx: nearly all have a ModRM byte. */
static uint8_t two_byte(uint8_t opcode)
{
    if (opcode >= 0x80 && opcode <= 0x8f)
        return BRANCH;
    if (opcode >= 0xc8 && opcode <= 0xcf)
        return 0; /* BSWAP */
    switch (opcode) {
    case 0x05: /* SYSCALL */
    case 0x0b: /* UD2 */
    case 0x31: /* RDTSC */
    case 0x77: /* EMMS */
    case 0xa2: /* CPUID */
        return 0;
    case 0x70:
    case 0x71:
    case 0x72:
    case 0x73:
    case 0xa4:
    case 0xac:
    case 0xba:
    case 0xc2:
    case 0xc4:
    case 0xc5:
    case 0xc6:
        return M | I8;
    default:
        return (opcode >= 0x10 && opcode <= 0x17) || (opcode >= 0x18 && opcode <= 0x1f) ||
                       (opcode >= 0x28 && opcode <= 0x2f) || (opcode >= 0x40 && opcode <= 0x76) ||
                       (opcode >= 0x7c && opcode <= 0x7f) || (opcode >= 0x90 && opcode <= 0x9f) ||
                       opcode == 0xa3 || opcode == 0xa5 || (opcode >= 0xab && opcode <= 0xc3) ||
                       (opcode >= 0xd0 && opcode <= 0xfe)
                   ? M
                   : UNTOLD;
    }
}

/* VEX: maps 1 (0F), 2 (0F38) and 3 (0F3A). */
static uint8_t vex_kind(unsigned map, uint8_t opcode)
{
    if (map == 1)
        return opcode == 0x77 ? 0 : two_byte(opcode) & BRANCH ? UNTOLD : two_byte(opcode);
    return map == 2 ? M : map == 3 ? M | I8 : UNTOLD;
}

typedef struct reader {
    uint32_t at;
    bool operand16, wide;
} reader;

static bool read_prefixes(reader *r, const uint8_t *p)
{
    for (; r->at < 5; r->at++) {
        switch (p[r->at]) {
        case 0x66:
            r->operand16 = true;
            continue;
        case 0xf0:
        case 0xf2:
        case 0xf3:
        case 0x2e:
        case 0x36:
        case 0x3e:
        case 0x26:
        case 0x64:
        case 0x65:
            continue;
        case 0x67:
            return false;
        }
        if ((p[r->at] & 0xf0) == 0x40) {
            r->wide = p[r->at] & 8;
            r->at++;
        }
        return true;
    }
    return false;
}

/* The opcode and what comes before it. */
static uint8_t read_opcode(reader *r, const uint8_t *p, bool *imm_is_value)
{
    uint8_t first = p[r->at++];
    *imm_is_value = true;
    if (first == 0x0f) {
        uint8_t second = p[r->at++];
        *imm_is_value = (second & 0xf0) == 0x80;
        if (second == 0x38 || second == 0x3a) {
            r->at++;
            return second == 0x38 ? M : M | I8;
        }
        return two_byte(second);
    }
    if (first == 0xc5 || first == 0xc4) {
        unsigned map = first == 0xc5 ? 1 : p[r->at] & 31;
        r->at += first == 0xc5 ? 1 : 2;
        *imm_is_value = false;
        return vex_kind(map, p[r->at++]);
    }
    return one_byte[first];
}

static uint8_t immediate_bytes(const reader *r, uint8_t kind)
{
    if (kind & I8)
        return 1;
    if (kind & BRANCH)
        return 4;
    if (kind & IZ)
        return r->operand16 && !r->wide ? 2 : 4;
    if (kind & IV)
        return r->wide ? 8 : r->operand16 ? 2 : 4;
    return 0;
}

bool insn_shape_find(insn_shape *out, const uint8_t p[SHAPE_READ_BYTES])
{
    reader r = {0, false, false};
    *out = (insn_shape){0};
    if (!read_prefixes(&r, p))
        return false;
    uint8_t kind = read_opcode(&r, p, &out->imm_is_value);
    if (kind & UNTOLD)
        return false;
    out->disp_offset = (uint8_t)r.at;
    if (kind & M) {
        uint8_t modrm = p[r.at++], mod = modrm >> 6, rm = modrm & 7;
        bool sib = mod != 3 && rm == 4;
        uint8_t base = sib ? p[r.at++] & 7 : rm;
        out->disp_offset = (uint8_t)r.at;
        out->disp_bytes = mod == 1 ? 1 : mod == 2 || (mod == 0 && base == 5) ? 4 : 0;
        if ((kind & GROUP3) && (modrm >> 3 & 7) > 1)
            kind = M;
    }
    out->imm_bytes = immediate_bytes(&r, kind);
    uint32_t length = out->disp_offset + (uint32_t)out->disp_bytes + out->imm_bytes;
    out->length = (uint8_t)length;
    return length <= 15;
}
