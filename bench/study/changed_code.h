/* changed_code.h - code that must take as long as other code, made from it: what metamorphic.c compares. */
#ifndef BENCH_CHANGED_CODE_H
#define BENCH_CHANGED_CODE_H

#include "x86/decode/insn_struct.h"

enum {
    CODE_MOST_INSNS = 256,
    CODE_MOST_BYTES = 2 * CODE_MOST_INSNS * TACHO_MAX_INSN_BYTES
};

/* Straight code without branches. */
typedef struct code {
    tacho_insn insns[CODE_MOST_INSNS];
    size_t count;
} code;

/* What is done to it. */
typedef enum change {
    CHANGE_DOUBLED,     /* twice the code: twice the cycles */
    CHANGE_EXCHANGED,   /* two neighbours that do not depend on each other */
    CHANGE_RENAMED,     /* registers, those that take encodings of the same kind and length */
    CHANGE_NOP_ADDED,   /* of 1 to 11 bytes, anywhere */
    CHANGE_NOP_REMOVED, /* one that is there */
    CHANGE_MOVED,       /* addresses, by a multiple of 4096 bytes, all that could meet */
    CHANGE_COUNT
} change;

/* @return false where it is no such code: undecodable, too long, with branches */
bool code_read(code *out, const uint8_t *bytes, size_t size);
/* `out` is `in` changed; what is chosen follows from *random, which moves on.
 * @return false where nothing can be changed in that way */
bool code_change(code *out, const code *in, change how, uint64_t *random);
/* Its bytes; in a loop, behind them the decrement of a register that it leaves alone, and a branch to its
 * begin. @return how many; 0 where no register is free */
size_t code_write(const code *c, bool loop, uint8_t out[CODE_MOST_BYTES]);

#endif
