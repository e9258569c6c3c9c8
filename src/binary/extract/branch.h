/* branch.h - what ends a piece of straight-line code, and doing in its place what it would do. */
#ifndef TACHO_EXTRACT_BRANCH_H
#define TACHO_EXTRACT_BRANCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/user.h>

#include "x86/decode/regs.h"

typedef enum branch_kind {
    BRANCH_OTHER = 0, /* only the processor can do it */
    BRANCH_SYSCALL,   /* the kernel reports it */
    BRANCH_JUMP,
    BRANCH_IF,    /* on flags */
    BRANCH_COUNT, /* LOOP, LOOPE, LOOPNE, JRCXZ */
    BRANCH_CALL,
    BRANCH_RETURN,
} branch_kind;

typedef struct branch {
    uint8_t kind;      /* a branch_kind */
    uint8_t length;    /* bytes */
    uint8_t condition; /* IF: the low four bits of the opcode; COUNT: the opcode */
    bool direct;
    int64_t distance;     /* direct: from its end; RETURN: bytes to take off the stack beside the address */
    tacho_operand target; /* JUMP, CALL: a register or memory */
} branch;

/** How the memory of the program is reached; both return false where there is none. */
typedef struct branch_memory {
    bool (*read)(uint64_t address, uint64_t *value, void *payload);
    bool (*write)(uint64_t address, uint64_t value, void *payload);
    void *payload;
} branch_memory;

branch branch_of(const tacho_insn *insn);
/** What addresses are made of in a thread that is about to execute what lies before `next`. */
address_registers branch_registers(const struct user_regs_struct *regs, uint64_t next);
/** Does what the branch at `address` does to the registers (and to the stack: a call). @return false, with
 *  nothing changed, where it would fault or is BRANCH_OTHER or BRANCH_SYSCALL */
bool branch_take(const branch *b, uint64_t address, struct user_regs_struct *regs,
                 const branch_memory *memory);

#endif
