/* cfg.h - the control-flow graph of a piece of code, and the loops in it. Offsets are from the piece's start.
 */
#ifndef TACHO_FLOW_CFG_H
#define TACHO_FLOW_CFG_H

#include <stdint.h>

#include "base/arena.h"
#include "base/private.h"
#include "x86/decode/insn_struct.h"

enum {
    CFG_MAX_BYTES = 32 << 20, /* longer functions are not looked at */
    CFG_NONE = UINT32_MAX     /* no block, or a target that is not in the code */
};

typedef struct cfg_insn {
    uint32_t offset;
    uint32_t target; /* JUMP, BRANCH: offset, or CFG_NONE where it leads out */
    uint8_t length;
    uint8_t flow;              /* a insn_flow */
    bool waits;                /* PAUSE, SYSCALL or serialising */
    bool compares;             /* two values, or one with zero */
    bool if_equal, if_unequal; /* a branch that is taken then */
} cfg_insn;

typedef struct cfg_block {
    uint32_t first, count; /* instructions */
    uint32_t start, end;   /* offsets */
    uint32_t next, taken;  /* successors, CFG_NONE if none */
    uint32_t calls;
    bool indirect;   /* ends in an indirect jump; the successors are cases[] */
    bool unresolved; /* ... not all of which are known */
    bool into_bad;   /* leads to bytes that are no instruction */
    uint32_t first_case, case_count;
    /* loops (nest.c) */
    uint32_t preorder, postorder, tree;
    uint32_t header; /* of the innermost loop around it, itself excluded; CFG_NONE outside */
    uint32_t depth;  /* of the loop that it heads */
    bool is_header, has_inner, irreducible;
} cfg_block;

/* What an instruction that names a place refers to, where the displacement itself does not say (relocations).
 * Returns false where there is nothing to say; else *target is an offset in the code or CFG_NONE. */
typedef bool (*cfg_resolver)(uint32_t offset, uint32_t length, uint32_t *target, void *payload);
struct cfg;

typedef struct cfg_code {
    const uint8_t *bytes;
    uint32_t size;
    const uint32_t *entries; /* offsets; the first one is where decoding begins */
    size_t entry_count;
    bool reached_only;    /* code that no entry leads to is left out: no sweep */
    cfg_resolver resolve; /* or NULL */
    /* Adds the targets of the indirect jump at `offset` with cfg_add_case; returns whether these are all.
     * NULL: none is known. What comes before the jump is decoded by then. */
    bool (*cases)(struct cfg *g, uint32_t offset, void *payload);
    bool (*returns)(struct cfg *g, const cfg_insn *call, void *payload); /* NULL: all calls do */
    void *payload;
} cfg_code;

typedef struct cfg_jump { /* an indirect one */
    uint32_t offset, first_case, case_count;
    bool resolved;
} cfg_jump;

typedef struct cfg {
    arena *memory;
    const cfg_code *code;
    cfg_insn *insns; /* in order of their offsets, once built */
    uint32_t insn_count, insn_capacity;
    uint32_t *at; /* by offset: instruction number + 1, or UINT32_MAX inside one, or 0 */
    uint32_t *roots;
    uint32_t root_count, root_capacity;
    uint32_t *todo;
    uint32_t todo_count, todo_capacity;
    uint32_t *case_targets; /* offsets, then blocks */
    uint32_t case_count, case_capacity;
    cfg_jump *jumps;
    uint32_t jump_count, jump_capacity;
    cfg_block *blocks;
    uint32_t block_count;
    bool failed; /* memory ran out */
} cfg;

/* cfg.c. Everything is allocated from `memory`. Returns 0, TACHO_ERR_MEMORY or TACHO_ERR_LIMIT. */
int tacho_cfg_build(cfg *g, arena *memory, const cfg_code *code);
void cfg_add_case(cfg *g, uint32_t offset);
/* The number of the instruction before the one at `offset`, as the bytes lie; CFG_NONE if none is known. */
uint32_t cfg_previous(const cfg *g, uint32_t offset);
/* The block that begins at `offset`, CFG_NONE if none does. */
uint32_t tacho_cfg_block_at(const cfg *g, uint32_t offset);
/* The k-th successor of a block; CFG_NONE after the last. */
TACHO_PRIVATE uint32_t tacho_cfg_successor(const cfg *g, const cfg_block *b, uint32_t k);

/* nest.c: the loops. Fills the members of cfg_block from preorder on. Returns 0, TACHO_ERR_MEMORY or
 * TACHO_ERR_LIMIT. */
TACHO_PRIVATE int tacho_cfg_find_loops(cfg *g);
/* Calls `each` with the header of each innermost loop, in order, and the other blocks in it; not 0 ends that.
 */
typedef int cfg_each_loop(const cfg *g, uint32_t header, const uint32_t *members, uint32_t count,
                          void *payload);
TACHO_PRIVATE int tacho_cfg_each_loop(const cfg *g, arena *memory, cfg_each_loop *each, void *payload);

#endif
