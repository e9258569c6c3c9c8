/* outline.c - see outline.h. These read a displacement or an immediate: the values of registers and addresses
 * (registers.c); loads that are fast where they follow pointers (model/bounds/flow.c, sim_may_chase);
 * block_takes_extra_slot; the forms for a shift by 0. What the last three need is kept in the outline. */
#include "model/block/outline.h"

#include <stdbool.h>
#include <string.h>

#include "base/number.h"
#include "model/block/block.h"

static void replace(uint8_t *bytes, uint32_t size, uint64_t by)
{
    uint64_t all;
    memcpy(&all, bytes, sizeof all);
    all = (all & ~lowest_bits(8 * size)) | by;
    memcpy(bytes, &all, sizeof all);
}

/* Whether it takes a slot of its own is the same for all immediates of a class and size, be they read with or
 * without a sign. */
static uint64_t immediate_class(int64_t value, uint32_t size)
{
    if (size == 1)
        return value == 0;
    bool fits16 = value == (int16_t)value, fits32 = value == (int32_t)value;
    return (uint64_t)(fits16 | fits32 << 1 | (value < 0) << 2);
}

void outline_insn(uint8_t *bytes, const insn_shape *s)
{
    uint8_t *disp = bytes + s->disp_offset, *imm = disp + s->disp_bytes;
    if (s->disp_bytes) {
        int64_t value = insn_shape_number(disp, s->disp_bytes, true);
        bool fast = value >= 0 && value < FAST_DISPLACEMENT_END, wide = value != (int16_t)value;
        replace(disp, s->disp_bytes, (uint64_t)(fast | (wide && s->imm_bytes) << 1));
    }
    if (s->imm_bytes && s->imm_is_value)
        replace(imm, s->imm_bytes, immediate_class(insn_shape_number(imm, s->imm_bytes, true), s->imm_bytes));
}
