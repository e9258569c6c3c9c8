/* fuzz_measure.c - blocks up to the point where they would run: checked, laid out, their code made. What is
 * made decodes, and has no branch that leaves it. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "machine/measure/measure_block.h"
#include "x86/decode/danger.h"

static void check_code(const codegen_block *g, const uint8_t *code, uint64_t start, uint32_t copies)
{
    const uint64_t end = start + (uint64_t)copies * g->offsets[g->count];
    for (uint64_t at = start; at < end;) {
        tacho_insn insn;
        if (tacho_decode(&insn, code + (at - RUNNER_CODE), RUNNER_CODE_BYTES - (size_t)(at - RUNNER_CODE),
                         NULL) ||
            tacho_decode_danger(&insn))
            abort();
        for (int k = 0; k < insn.visible_count; k++) {
            uint64_t target = at + insn.length + (uint64_t)insn.operands[k].imm;
            if (insn.operands[k].kind == TACHO_OPERAND_REL && (target < start || target > end))
                abort();
        }
        at += insn.length;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static runner_plan plan;
    static uint8_t code[RUNNER_CODE_BYTES];
    tacho_measurement out = {.status = TACHO_MEASURED_OK};
    tacho_error err;
    measure_block b;
    uint64_t gpr[16] = {0};
    if (!measure_block_make(&b, data, size, NULL, &out, &err) && out.status == TACHO_MEASURED_OK) {
        codegen_block g = {.insns = b.insns,
                           .offsets = b.offsets,
                           .count = b.count,
                           .copies = {3, 6},
                           .sled = true,
                           .vectors = CODEGEN_YMM,
                           .counter = RUNNER_COUNTER_NONE,
                           .home = 15,
                           .return_address = RUNNER_BASE};
        g.data_start = RUNNER_RIP_DATA + codegen_data_offset(&g);
        own_loop loop = measure_own_loop(&b, gpr);
        if (loop.counted && !loop.step)
            abort();
        if (!codegen_make(&g, &plan, code, &err)) {
            check_code(&g, code, g.start[0], g.copies[0]);
            check_code(&g, code, g.start[1], g.copies[1]);
        }
    }
    measure_block_free(&b);
    return 0;
}
