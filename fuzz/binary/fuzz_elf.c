/* fuzz_elf.c - ELF files (and markers in them); the last byte chooses what is asked for. Assembly text is
 * left out: it would fuzz the assembler. */
#include "fuzz.h"
#include "tacho/tools.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tacho_code_options o = TACHO_CODE_OPTIONS_INIT;
    tacho_code *code;
    tacho_error err;
    uint8_t how = size ? data[size - 1] : 0;
    o.kind = how & 16 ? TACHO_INPUT_RAW : TACHO_INPUT_ELF;
    o.symbol = how & 1 ? "f" : NULL;
    o.section = how & 2 ? ".text" : NULL;
    o.has_range = how & 4;
    o.range_end = 9;
    o.ignore_markers = how & 8;
    o.region = how & 32 ? "1" : NULL;
    o.any_section = how & 64;
    if (tacho_code_from_memory(&code, data, size, "in", &o, &err))
        return 0;
    volatile uint8_t sum = 0; /* every byte of every region can be read */
    for (size_t i = 0; i < code->region_count; i++)
        for (size_t k = 0; k < code->regions[i].byte_count; k++)
            sum = (uint8_t)(sum + code->regions[i].bytes[k]);
    tacho_code_free(code);
    return 0;
}
