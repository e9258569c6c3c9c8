/* places.h - where in an instruction's bytes its displacement and immediate are, for those that decode many
 * instructions that differ in nothing else. */
#ifndef TACHO_DECODE_PLACES_H
#define TACHO_DECODE_PLACES_H

#include <stdint.h>
#include "base/private.h"
#include "x86/decode/insn_struct.h"

typedef struct decode_places {
    uint8_t disp_offset, disp_bytes; /* 0 bytes: none */
    uint8_t imm_offset, imm_bytes;
    bool imm_signed; /* extended with its sign */
    bool two_imms;
} decode_places;

/* As tacho_decode. */
TACHO_PRIVATE int tacho_decode_with_places(tacho_insn *out, decode_places *places, const uint8_t *bytes,
                                           size_t size, tacho_error *err);

#endif
