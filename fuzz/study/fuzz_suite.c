/* fuzz_suite.c - any bytes as a block of a suite: the loop holds the block and instructions only, in the room
 * that the header promises; the filters' offsets lie in the block. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "tacho/tools.h"
#include "x86/decode/insn_struct.h"

static void check(int ok)
{
    if (!ok)
        abort();
}

static void check_loop(const uint8_t *code, size_t size)
{
    uint8_t *out = malloc(size + TACHO_LOOP_EXTRA_BYTES);
    tacho_loop_variant v;
    tacho_insn insn;
    tacho_error err;
    if (!tacho_suite_loop(out, &v, code, size, true, &err)) {
        check(v.unroll && v.size <= size + TACHO_LOOP_EXTRA_BYTES && v.counter < 16 && v.counter != 4);
        check(v.unroll * v.instructions >= TACHO_LOOP_MIN_INSTRUCTIONS && !memcmp(out, code, size));
        size_t at = 0, count = 0;
        for (; at < v.size; at += insn.length, count++)
            check(!tacho_decode(&insn, out + at, v.size - at, NULL));
        check(count == v.unroll * v.instructions + 2 && insn.is_conditional);
        check(insn.operands[0].imm == -(int64_t)v.size);
    }
    free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tacho_suite_filter_options o = TACHO_SUITE_FILTER_OPTIONS_INIT;
    tacho_suite_verdict v;
    if (size > 4096)
        return 0;
    check_loop(data, size);
    for (size_t a = 0; a <= tacho_arch_count(); a++) {
        const tacho_arch *arch = a < tacho_arch_count() ? tacho_arch_get(a) : NULL;
        o.archs = &arch;
        o.arch_count = arch != NULL;
        check(!tacho_suite_filter(&v, data, size, &o, NULL));
        for (int i = 0; i < TACHO_REASON_COUNT; i++)
            check(v.offset[i] < (int64_t)size && (v.offset[i] < 0 || (v.reasons >> i & 1)));
    }
    return 0;
}
