/* nops.c - the NOPs with which the GNU assembler fills code. */
#include "x86/assemble/assembling.h"

enum {
    LONGEST = 11,
    MOST = 7, /* of the longest; more is jumped over */
};

static const uint8_t patterns[LONGEST + 1][LONGEST] = {
    {0},
    {0x90},
    {0x66, 0x90},
    {0x0f, 0x1f, 0x00},
    {0x0f, 0x1f, 0x40, 0x00},
    {0x0f, 0x1f, 0x44, 0x00, 0x00},
    {0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00},
    {0x0f, 0x1f, 0x80, 0, 0, 0, 0},
    {0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0},
    {0x66, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0},
    {0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0},
    {0x66, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0},
};

void tacho_nops(uint8_t *out, size_t count)
{
    if (count / LONGEST > MOST) {
        size_t rest = count - 2;
        if (rest < 128) {
            out[0] = 0xeb;
            out[1] = (uint8_t)rest;
            out += 2;
        } else {
            rest = count - 5;
            out[0] = 0xe9;
            for (int i = 0; i < 4; i++)
                out[1 + i] = (uint8_t)(rest >> 8 * i);
            out += 5;
        }
        count = rest;
    }
    for (; count >= LONGEST; count -= LONGEST, out += LONGEST)
        memcpy(out, patterns[LONGEST], LONGEST);
    if (count)
        memcpy(out, patterns[count], count);
}
