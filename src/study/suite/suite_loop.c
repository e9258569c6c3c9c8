/* suite_loop.c - the loop variant of a block: uiCA paper, section 5.2. Where the paper leaves something open
 * (the number of copies, whether DEC and JNZ count among the five instructions), it is done as in the paper's
 * benchmarks. */
#include <string.h>

#include "x86/decode/insn_struct.h"
#include "tacho/suite.h"
#include "x86/decode/danger.h"
#include "x86/decode/encode.h"
#include "x86/decode/regs.h"

#define MAX_BYTES ((size_t)1 << 30)

/* What of a block decides its loop. */
typedef struct outline {
    uint32_t instructions;
    uint16_t registers; /* general ones that it uses */
} outline;

static int refuse(const tacho_insn *insn, size_t at, const char *why, tacho_error *err)
{
    char text[96];
    tacho_insn_format(insn, at, 1, text, sizeof text);
    int code = tacho_error_set(err, TACHO_ERR_INPUT, "offset 0x%zx: '%s' %s; a loop is made of straight code",
                               at, text, why);
    if (err)
        err->offset = (int64_t)at;
    return code;
}

static int look_at(outline *o, const uint8_t *code, size_t size, tacho_error *err)
{
    *o = (outline){0};
    if (!size)
        return tacho_error_set(err, TACHO_ERR_INPUT, "the block is empty");
    if (size > MAX_BYTES)
        return tacho_error_set(err, TACHO_ERR_LIMIT, "the block is longer than %zu bytes", MAX_BYTES);
    for (size_t at = 0; at < size;) {
        tacho_insn insn;
        tacho_error why;
        if (tacho_decode(&insn, code + at, size - at, &why)) {
            tacho_error_set(err, why.code, "offset 0x%zx: %s", at, why.message);
            if (err)
                err->offset = (int64_t)at;
            return why.code;
        }
        const char *transfer = tacho_decode_transfer(&insn);
        if (transfer)
            return refuse(&insn, at, transfer, err);
        o->registers |= tacho_insn_general_registers(&insn);
        o->instructions++;
        at += insn.length;
    }
    return 0;
}

int tacho_suite_loop(uint8_t *out, tacho_loop_variant *variant, const uint8_t *code, size_t size,
                     bool unroll_short, tacho_error *err)
{
    outline o;
    int result = look_at(&o, code, size, err);
    if (result)
        return result;
    *variant = (tacho_loop_variant){.instructions = o.instructions, .unroll = 1};
    if (unroll_short && o.instructions < TACHO_LOOP_MIN_INSTRUCTIONS)
        variant->unroll = (TACHO_LOOP_MIN_INSTRUCTIONS + o.instructions - 1) / o.instructions;
    variant->counter = tacho_free_general_register(o.registers);
    if (variant->counter == NO_FREE_REGISTER)
        return tacho_error_set(err, TACHO_ERR_UNSUPPORTED,
                               "no register is left for the counter: the block uses all of them");
    size_t at = 0;
    for (uint32_t i = 0; i < variant->unroll; i++, at += size)
        memcpy(out + at, code, size);
    at += tacho_encode_dec(variant->counter, out + at);
    at += tacho_encode_jnz_back((uint32_t)at, out + at);
    variant->size = at;
    return 0;
}
