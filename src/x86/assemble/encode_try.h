/* encode_try.h - an attempt to encode an instruction in one of its meanings. */
#ifndef TACHO_ASSEMBLE_ENCODE_TRY_H
#define TACHO_ASSEMBLE_ENCODE_TRY_H

#include "x86/assemble/assembling.h"

enum {
    AS_DONE,
    AS_NO_FORM,
    AS_AMBIGUOUS,            /* the size of a memory operand */
    AS_CONTRADICTION,        /* the suffix says another size than the registers */
    AS_FAILED,               /* a problem is kept already */
    AS_SENTINEL = 0x12345678 /* a displacement or an immediate that is filled in later, of 32 bits */
};

typedef struct as_try {
    as_insn *insn; /* a copy, which is changed */
    const ZydisDecoder *decoder;
    ZydisEncoderRequest request;
    const as_operand *memory;
    uint8_t immediates, mask;
    bool needs_evex, vector;
    bool patch_sib;  /* its index, rax, becomes none */
    bool patch_disp; /* the displacement becomes `disp` */
    uint8_t sib_scale;
    int64_t disp;
    uint8_t bytes[ZYDIS_MAX_INSTRUCTION_LENGTH + 1];
    uint8_t length;
} as_try;

/* choose.c */
int as_encode_by_zydis(as_try *t, const as_meaning *meaning);

#endif
