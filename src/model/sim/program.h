/* program.h - the block as the machine reads it; constant during a run. */
#ifndef TACHO_SIM_PROGRAM_H
#define TACHO_SIM_PROGRAM_H

#include "model/block/dsb_layout.h"

enum {
    OP_FIRST_OF_INSN = 1,
    OP_MEMORY = 2,         /* load or store that addresses matter for */
    OP_THROTTLED = 4,      /* first µop of an instruction with an initiation interval */
    OP_FENCE = 8,          /* of a block with fences */
    OP_NO_PORT = 16,       /* goes as soon as it is ready: uop.needs_no_port */
    OP_PLAIN = 32,         /* nothing of the rare kind: one port and cycle, few operands and results */
    OP_SHARED = 64,        /* writes a unit that may share its physical register */
    OP_CHASE = 128,        /* load that can be faster where its base comes straight from a load */
    OP_WIDE = 256,         /* 256-bit access, where these take two cycles */
    OP_LOAD = 512,         /* load of a block in which some are OP_WIDE */
    OP_SCHEDULER = 1024,   /* has a scheduler of its own kind: schedulers.c */
    OP_STORE_QUEUE = 2048, /* of these, that of vector stores */
    OP_INTEGER = 4096,     /* that of the ALUs or of addresses; else one of vectors */
    OP_VECTOR_LOAD = 8192, /* not to a general register */
    OP_FLOATS = 16384,     /* floating-point arithmetic that can have bypass delays */
    OP_LOGIC = 32768,      /* a vector µop of one cycle that can */
};

enum {
    SLOT_COUNT = TEMP_BASE + TEMP_COUNT,
    RESULT_BY_LOAD = 1,   /* delivered by a 32/64-bit load or pop: fast pointer chasing */
    RESULT_BY_MOVE32 = 2, /* copied by an eliminated 32-bit move */
    RESULT_ZEROED = 4,    /* by a zero idiom */
    RESULT_BY_FLOATS = 8, /* of OP_FLOATS */
    RESULT_BY_LOGIC = 16, /* of OP_LOGIC */
    RESULT_FLAG_BITS = 5,
};

/* What a µop writes; see rat_value. */
typedef struct op_result {
    uint32_t slot : 8;  /* unit or temporary */
    int32_t after : 24; /* latency in cycles, with RESULT_* flags below it */
} op_result;

static inline int32_t op_latency(const op_result *r)
{
    return r->after >> RESULT_FLAG_BITS;
}

/* How the renamer chooses a µop's port. */
typedef enum port_rule {            /* beyond the numbers of ports */
    PORT_BY_SLOT = TACHO_MAX_PORTS, /* by use and issue slot: cores of 6 and 8 ports */
    PORT_OF_FOUR,                   /* the same where there are up to four of the first eight ports */
    PORT_BY_TURN,                   /* by use and how many others want the same: 10 or 12 ports */
    PORT_ANY,                       /* what-if: any of them, equally likely */
    PORT_AT_DISPATCH,               /* the one that is free first */
    PORT_LOADS,                     /* from here on in turn */
    PORT_STORE_DATA,
    PORT_STORE_ADDRESS,
    PORT_TURNS = PORT_STORE_ADDRESS + 1 - PORT_LOADS
} port_rule;

enum {
    SLOT_READY = SLOT_COUNT, /* reads as ready long ago */
    SLOT_NOWHERE,            /* written, never read */
    SLOTS,
    OP_FAST_IN = 4, /* operands and results of a plain µop, padded with these */
    OP_FAST_OUT = 2
};

/* Ports, as bits of their places in spare_first, in each of four cycles: as many are looked at together. */
typedef uint64_t port_places;
enum {
    CYCLES_AT_ONCE = 4,
    PLACE_BITS = 16
};
#define IN_EACH_CYCLE 0x0001000100010001u

/* A µop with a port. */
typedef struct op {
    uint16_t ports;
    uint16_t flags; /* OP_* */
    uint8_t rule;   /* the port if there is only one, else a port_rule */
    uint8_t kind;   /* uop_kind */
    uint8_t in_count, out_count;
    uint8_t in[UOP_MAX_IN];
    op_result out[UOP_MAX_OUT]; /* the last `late_count` ones become visible with the next instruction only */
    int16_t finish;             /* from start to finish, cycles; at least 2 */
    int16_t load_latency;
    uint16_t div_cycles;
    int16_t first_latency; /* of its first result, read or not */
    bool quick;            /* block_is_quick */
    uint16_t insn;
    uint8_t mem : 3, with_load : 1, late_count : 4; /* with_load: as in uop */
    uint8_t number;                                 /* among its instruction's µops */
    /* where the scheduler chooses the port: */
    uint8_t scheduler;         /* that it enters: scheduler, sim.h */
    uint8_t parts;             /* of its scheduler, in which it can wait: scheduler_parts.c */
    uint8_t closes, closed_by; /* bits of port_closer: schedulers.c */
    port_places places;
    uint64_t entry; /* one of that scheduler, if it is known: scheduler_counts */
} op;

typedef struct fused_op {
    uint32_t first; /* of its ops */
    uint16_t count;
    uint16_t stores; /* whose data µop is among them */
} fused_op;

enum {
    LAM_FIRST = 1, /* of its instruction */
    LAM_LAST = 2,
    LAM_ITERATION_END = 4,  /* the last one of an iteration */
    LAM_WAITS = 8,          /* may have to wait to be issued */
    LAM_ELIMINABLE = 16,    /* a move that the renamer may execute */
    LAM_COMPLETES = 32,     /* its instruction has more to do at its end */
    LAM_SYNTHETIC = 64,     /* stack synchronisation, high-byte merge */
    LAM_SIMPLE = 128,       /* one fused µop of plain ones, or LAM_ELIMINABLE; never waits */
    LAM_STORES = 256,       /* has store data */
    LAM_JOINED = 1024,      /* a move that the next instruction takes along: no slot, no place in the
                               reorder buffer */
    LAM_MISPREDICTED = 512, /* the last one of a branch that is not foreseen */
    LAM_FOLLOWS = 2048      /* LAM_SIMPLE; whatever came before it in its cycle */
};

/* Where the renamer sends plain µops. */
typedef enum issue_way {
    ISSUE_TO_PORTS, /* chooses these, too */
    ISSUE_TO_SCHEDULERS,
    ISSUE_TO_PARTS /* these, of which that of the ALUs is in parts */
} issue_way;

/* A laminated µop: what the µop queue holds. */
typedef struct lam_op {
    uint32_t fused_first;
    uint16_t insn;
    uint16_t flags; /* LAM_* */
    uint16_t fused_count;
    uint8_t room;      /* slots that must be left in a group for it */
    uint8_t constants; /* of its instruction, in the first of its µops */
    uint8_t alus;      /* µops that go to ALUs; only where a cycle takes but some */
    /* where µops are sent to schedulers by groups (scheduler_parts.c): */
    uint8_t accesses;   /* µops that are bound to an address unit */
    uint8_t others;     /* those for ALUs where it has none of these */
    uint8_t bound_alus; /* those that are bound to an ALU */
    bool integer;       /* it has some of general registers */
    uint32_t op_count;  /* of all its fused µops */
    const op *ops;
} lam_op;

/* An instruction as the front end sees it. */
typedef struct front_insn {
    uint32_t lam_first;
    uint16_t lam_count;
    uint16_t lam_decoded; /* of these, delivered by the decoders; the rest by the sequencer */
    uint16_t uops_ms;
    uint16_t following;    /* instruction after it; the last one is followed by the first */
    uint16_t fetched_next; /* after which the predecoder goes on with this one */
    int16_t stack_delta;
    bool leaves; /* a taken branch, or one after which the DSB takes over */
    uint8_t length, opcode_offset, simple_decoders;
    bool lcp, complex_decoder, fusible, fused_with_next, branch, uses_rsp, always_syncs, resets_stack;
    bool has_stack; /* any of these, or stack_delta */
    bool to_dsb;    /* after it, the DSB takes over from the decoders */
} front_insn;

/* What the predecoder finds in a block of code. */
enum {
    FETCHED_BEFORE = 16, /* bytes that the first instruction can begin before the block */
    FETCHED_INSNS = 64   /* longer code is gone through each time */
};
typedef struct fetched_block {
    uint16_t next; /* instruction after it, and its offset, from the same block unless it was left */
    int8_t offset;
    uint8_t count; /* instructions that end in it */
    uint8_t lcps;  /* slow prefixes */
    bool left, known;
} fetched_block;

/* What the decoders take in a cycle. */
typedef struct decode_group {
    uint16_t next;  /* instruction after them */
    uint16_t last;  /* the last one that was decoded */
    uint16_t uops;  /* laminated */
    uint8_t insns;  /* taken from the instruction queue */
    bool microcode; /* the last one's, for the sequencer */
    bool has_stack; /* of some instruction */
    bool ends_here; /* another unit may take over */
    bool known;
} decode_group;

/* What the DSB gives in a cycle. */
typedef struct dsb_cycle {
    dsb_group group;
    bool known;
    bool has_stack; /* of some instruction that begins in it */
} dsb_cycle;

enum {
    LAM_RUN = 8 /* µops that a unit of the front end delivers in a cycle; rarely more */
};

typedef struct program {
    /* filled as they are met; NULL: not kept */
    fetched_block *fetched; /* [insn][offset of its first byte, from -FETCHED_BEFORE on] */
    decode_group *decoded;  /* [insn][visible ones: none to one more than there are decoders] */
    dsb_cycle *dsb_cycles;  /* [entry][delayed] */
    front_insn *insns;
    lam_op *lams; /* the block's, then the synthetic ones */
    fused_op *fused;
    op *ops;
    uint32_t op_count;            /* of the block */
    uint16_t *written;            /* [fused µops + 1]: schedulers.c */
    uint16_t address_registers;   /* that addresses come from, if values are followed */
    uint32_t fused_count;         /* 0: not made */
    uint32_t lam_count;           /* of the block */
    uint32_t *run;                /* [lam_count + LAM_RUN] their numbers, over and over */
    uint32_t lam_sync, lam_merge; /* synthetic: the stack's, and the first of four */
    uint8_t units[UNIT_COUNT];    /* that the block writes */
    uint32_t unit_count;
    uint8_t spare_first[TACHO_MAX_PORTS];       /* ports, where the scheduler chooses among them those first
                                                   that the block's µops need least; known by places in it */
    uint16_t ranked[TACHO_MAX_PORTS / 4][16];   /* these, by four ports at a time */
    port_places second_places;                  /* of the second scheduler of vectors */
    uint8_t in_turn[PORT_TURNS];                /* the first of the ports that are taken in turn, */
    uint8_t after[PORT_TURNS][TACHO_MAX_PORTS]; /* and the one after each */
} program;

#endif
