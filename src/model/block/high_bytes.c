/* high_bytes.c - AH, CH, DH and BH of a register that was written whole, where they can be renamed apart:
 * they come from the register, high8_extract_cycles later (measured on Cascade Lake: MOVZX eax, ah takes 2
 * cycles; ADD ah, bl takes one, but 3 if the register was merged between). The code is straight, so it is
 * known which high bytes are apart after each instruction; whoever writes the register then writes its high
 * byte, too. */
#include "model/block/block.h"
#include "model/block/lower.h"

/* Bit n: the high byte of register n is apart after the instruction, if `apart` says so of before it. */
static uint8_t apart_after(const block_insn *bi, uint8_t apart)
{
    return (uint8_t)((apart & ~(bi->merges_high8 | bi->writes_whole)) | bi->writes_high8);
}

static void write_high_bytes(block *b, block_insn *bi, uint8_t apart)
{
    for (uint32_t k = bi->uop_first; k < bi->uop_first + bi->uop_count; k++) {
        uop *u = &b->uops[k];
        for (int o = 0; o < u->out_count; o++) {
            uint8_t r = u->out[o].slot;
            if (r > 3 || (apart >> r & 1))
                continue;
            lower_add_out(u, UNIT_HIGH8 + r, u->out[o].latency + b->arch->high8_extract_cycles);
            unit_set_add(&bi->writes, UNIT_HIGH8 + r);
        }
    }
    for (uint8_t r = 0; r < 4; r++) { /* what the renamer writes is there at once */
        bool written = (bi->writes_whole >> r & 1) && (bi->eliminable || !bi->uop_count);
        if (written && bi->kill_count < sizeof bi->kills) {
            bi->kills[bi->kill_count++] = UNIT_HIGH8 + r;
            unit_set_add(&bi->writes, UNIT_HIGH8 + r);
        }
    }
}

void block_write_high_bytes(block *b)
{
    static const uint64_t high_bytes = (uint64_t)0xf << UNIT_HIGH8;
    uint64_t reads = 0;
    uint8_t apart = 0;
    for (uint32_t i = 0; i < b->insn_count; i++)
        reads |= b->insns[i].reads.bits[0];
    b->has_high8_read = b->arch->high8_extract_cycles && (reads & high_bytes);
    for (int pass = 0; b->has_high8_read && pass < 2;
         pass++) /* the second: as the iteration before left it */
        for (uint32_t i = 0; i < b->insn_count; i++) {
            apart = apart_after(&b->insns[i], apart);
            if (pass)
                write_high_bytes(b, &b->insns[i], apart);
        }
}
