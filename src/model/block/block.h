/* block.h - a block of code ready for simulation: instructions with their figures, lowered to µops.
 *
 * From bytes to µops there are four stages, each with one input and one output:
 *
 *   decode     bytes -> tacho_insn                          x86/decode/decode.c
 *   match      tacho_insn -> form -> insn_facts             x86/insndb/insndb.c, variant.c
 *   describe   tacho_insn, insn_facts -> block_insn         block_describe.c, values.c
 *   lower      block_insn, lower_context -> uop, uop_group  lower.c, operands.c, compute.c, group.c
 *
 * The first three look at one instruction alone. Then block.c, which has the order, chooses those that count,
 * and finds where they lie and which pairs are fused: of that, lower_context is what the last stage sees. No
 * stage calls another one. The memory of instructions met before (cache.h) stands between block.c and the
 * stages: it gives what a stage gave for the same instruction, or runs the stage and keeps that. No stage
 * knows of it.
 *
 * Three views of the same work, as the pipeline has them (uiCA paper, section 4.1.6):
 *   laminated µops   what the decoders, the DSB and the µop queue hold (micro-fused pairs count once)
 *   fused µops       what the renamer issues and the reorder buffer holds (after unlamination)
 *   µops             what the scheduler dispatches to ports */
#ifndef TACHO_BLOCK_H
#define TACHO_BLOCK_H

#include <stdint.h>

#include "base/arena.h"
#include "base/private.h"
#include "tacho/extension.h"
#include "tacho/predict.h"
#include "x86/arch/arch_struct.h"
#include "x86/decode/insn_struct.h"
#include "x86/decode/ops.h"

/* What can carry a value from one µop to another: architectural registers, numbered as units, and temporaries
 * inside one instruction. Parts of a register are one unit, except AH..BH where they are renamed apart. */
enum {
    UNIT_GPR = 0,
    UNIT_HIGH8 = 16, /* AH CH DH BH, where renamed apart */
    UNIT_VECTOR = 20,
    UNIT_K = 52,
    UNIT_X87 = 60, /* MM and ST */
    UNIT_FLAG_C = 68,
    UNIT_FLAG_SPAZO = 69,
    UNIT_SEG = 70,
    UNIT_OTHER = 76,
    UNIT_BND = 96,
    UNIT_TMM = 100,
    UNIT_EARLY = 108, /* vector registers 0 to 15 as additions see each other's sums: vector_makers.c */
    UNIT_EARLY_COUNT = 16,
    UNIT_COUNT = 124,
    UNIT_NONE = 0xff,
    TEMP_BASE = 128, /* slot numbers from here on are temporaries */
    TEMP_COUNT = 96,
    UNIT_RSP = 4,
};

enum {
    FAST_DISPLACEMENT_END = 2048 /* from 0 up to here, a load that follows a pointer can be fast */
};

enum {
    SUM_FLAGS_CYCLES = 1, /* from a register to the flags of an addition at rename */
    UOP_MAX_IN = 12,
    UOP_MAX_OUT = 8,
    INSN_MAX_MEM = 3
};

typedef enum uop_kind {
    UOP_COMPUTE,
    UOP_LOAD,
    UOP_STORE_ADDRESS,
    UOP_STORE_DATA
} uop_kind;

typedef struct uop_out {
    uint8_t slot; /* unit or temporary */
    int16_t latency;
} uop_out;

typedef struct uop {
    uint16_t ports; /* 0: executed by the renamer */
    uint8_t kind;
    uint8_t mem; /* LOAD and STORE_*: which of the instruction's accesses */
    uint8_t in_count, out_count;
    uint8_t in[UOP_MAX_IN];
    uop_out out[UOP_MAX_OUT];
    int16_t max_latency;
    int16_t load_latency; /* LOAD: what the load itself takes */
    uint16_t div_cycles;
    uint16_t insn;
    bool first_of_insn;
    bool needs_no_port; /* dispatched as soon as it is ready: stores_own_results, or what-if */
    bool vector_load;   /* LOAD: not to a general register */
    bool with_load;     /* STORE_ADDRESS: of what the instruction has loaded: stores_at_load_unit */
} uop;

/* `count` consecutive members of the next lower view. */
typedef struct uop_group {
    uint32_t first;
    uint16_t count;
} uop_group;

typedef struct mem_access {
    uint8_t base, index; /* units, UNIT_NONE if absent; a vector index does not count as address */
    uint8_t scale;
    uint8_t bytes; /* 0 unknown or more than 64 */
    bool read, write;
    bool implicit_stack;  /* push, pop, call, ret: relative to RSP as the stack engine knows it */
    bool unknown_address; /* gather/scatter: no single address */
    int64_t disp;
} mem_access;

/* What the value tracker does with an instruction's result; see registers.c. */
typedef enum value_op {
    VALUE_UNKNOWN = 0, /* written registers get fresh values */
    VALUE_NONE,        /* writes no tracked register */
    VALUE_ONE,         /* the target becomes what value_kind makes of the source */
    VALUE_TWO,         /* ... of the first source and the other */
    VALUE_LEA,
    VALUE_EXCHANGE,
    VALUE_MODIFY, /* memory becomes what value_kind makes of it, and of the source if it takes one */
    VALUE_PUSH,
    VALUE_POP,
} value_op;

static inline bool unit_is_vector(uint8_t unit)
{
    return unit >= UNIT_VECTOR && unit < UNIT_K;
}

typedef struct unit_set {
    uint64_t bits[2];
} unit_set;

/* What is no unit (a temporary, UNIT_NONE) is never in a set. */
static inline void unit_set_add(unit_set *set, uint8_t unit)
{
    if (unit < UNIT_COUNT)
        set->bits[unit / 64] |= (uint64_t)1 << unit % 64;
}

static inline bool unit_set_has(const unit_set *set, uint8_t unit)
{
    return unit < UNIT_COUNT && (set->bits[unit / 64] >> unit % 64 & 1);
}

/* What the table has of an instruction's form; many instructions share it. */
typedef struct insn_facts {
    tacho_form form;
    tacho_figures figures;
    uint8_t same_core_fields, other_core_fields; /* tacho_arch_source_fields from there on */
} insn_facts;

typedef struct block_insn {
    /* What depends on the block, and on the numbers in the code. */
    const tacho_insn *insn;  /* without block.whole_insns, its displacement, immediate and bytes can be those
                                of another one */
    uint64_t address;        /* of its first byte, counted from a multiple of 64 */
    uint32_t offset;         /* in the code */
    uint32_t throttle_owner; /* first instruction of the same form: they share tp_cycles */
    int64_t value_disp;      /* of the address that LEA computes */
    bool jumps;   /* the next instruction is reached by a taken branch, or begins the next iteration */
    bool fusible; /* macro-fusible with some branch: the decoder must see the next instruction */
    bool fused_with_next, fused_into_previous;
    bool joined;               /* a move that the instruction after it takes along */
    bool mispredicted;         /* a branch that is not foreseen */
    struct insn_template *met; /* in the memory of instructions (cache.h); NULL: it is not kept */

    /* What is known of it alone. */
    const insn_facts *facts;       /* empty ones without a form */
    const tacho_variant *variant;  /* of the figures, or made for want of them */
    int64_t value_imm;             /* the immediate; but this too is a number in the code */
    uint8_t length, opcode_offset; /* bytes */
    bool lcp;                      /* decoded slowly by the predecoder */
    bool has_form;
    uint8_t lacks; /* a tacho_extension: the one for want of which the core cannot execute it */

    uint16_t uops_mite, uops_ms;
    bool complex_decoder;
    uint8_t simple_decoders; /* still usable in the cycle */
    uint16_t tp_cycles;
    bool is_branch, is_conditional, serializing;
    bool is_transfer;        /* a branch, call or return */
    bool same_register_kill; /* dependency-breaking although executed */
    bool load_fence, store_fence;
    bool gpr_load; /* a 32/64-bit register loaded as it is: its value can be a fast pointer */

    /* move elimination */
    bool eliminable;
    bool move_gpr, move_width32;
    bool adds_constant; /* and the renamer may add it: an addition to a 64-bit register */
    uint8_t move_source, move_target;
    uint8_t sum_flags[2]; /* the units that it writes besides, UNIT_NONE if fewer */

    /* stack engine and high-8 merging */
    int16_t stack_delta;
    bool uses_rsp;        /* explicitly: needs a synchronised RSP */
    bool always_syncs;    /* ... whether or not it has moved */
    bool resets_stack;    /* writes RSP without reading it */
    uint8_t merges_high8; /* bit n: reads register n whole, with its high byte */
    uint8_t writes_high8; /* bit n: writes the high byte alone */
    uint8_t writes_whole; /* bit n (0..3): writes the whole register */

    bool pop_rsp_complex;
    uint8_t derived_fields; /* bits of tacho_figure_field: from another core, or estimated */
    bool has_zmm;           /* a 512-bit register among its operands */

    /* values */
    uint8_t value_op, value_kind;                    /* the second one of x86/decode/ops.h */
    uint8_t value_width, value_source_width;         /* bytes, of the target and of the last source */
    uint8_t value_target, value_first, value_source; /* GPR units, UNIT_NONE if not a register */
    uint16_t written_gprs;                           /* mask of GPRs written (those that become unknown) */

    /* What lowering makes: where its µops are, ... */
    uint32_t notes;
    uint32_t uop_first, fused_first, laminated_first;
    uint32_t uneliminated_first; /* its µop when the elimination does not happen */
    /* ... and what does not depend on that. */
    uint16_t uop_count, fused_count, laminated_count;
    uint8_t kill_count;
    uint8_t kills[12]; /* units written by the renamer itself: ready at once */
    bool extra_slot;   /* its immediate takes a DSB slot of its own */
    uint8_t constants; /* displacements and immediates, those of 64 bits twice, or where a branch goes; 0
                          where nothing of the core has room for so many */
    uint8_t mem_count;
    uint8_t renamed; /* by memory renaming: bit 2 n: loads may have what access n stores; bit 2 n + 1: what it
                        loads may come so */
    unit_set reads, writes; /* of its µops, of a move as if it were eliminated */
    mem_access mem[INSN_MAX_MEM];
} block_insn;

/* What its constants take of a row, or of what is issued in a cycle: two of them, one of 64 bits or where a
 * branch goes as much as four (dsb_rows.c). */
static inline unsigned block_constant_room(const block_insn *bi)
{
    return bi->is_branch || bi->constants > 1 ? 4 : bi->constants;
}

typedef struct block {
    const tacho_arch *arch;
    tacho_mode mode;
    const uint8_t *bytes;
    uint32_t size;
    uint32_t alignment;
    uint32_t variants; /* TACHO_VARIANT_* bits */
    const tacho_insn **decoded;
    uint32_t decoded_count;
    bool whole_insns; /* for those who show them */
    block_insn *insns;
    uint32_t insn_count; /* less than decoded_count where unknown ones are left out */
    tacho_unknown unknown;
    uint32_t unknown_latency;
    const tacho_listing *listing; /* for messages */
    uop *uops;
    uop_group *fused, *laminated;
    uint32_t uop_count, uop_capacity, fused_count, fused_capacity, laminated_count, laminated_capacity;
    uint16_t *same_code; /* [insn] the first one that is the same one; NULL where it does not matter */
    uint16_t advancing;  /* general registers that move on after each iteration, by... */
    uint32_t advance_bytes;
    uint32_t lacking_count; /* instructions that the core cannot execute, left out or not */
    uint32_t issue_slots;   /* fused µops per iteration, as issued */
    bool has_zmm, has_stack, has_high8_write, has_high8_read, has_microcode;
    bool has_load, has_store;
    bool in_pieces; /* its path is made of several places, or of one several times */
} block;

/* What of the rest of the block changes how an instruction is lowered. */
typedef uint32_t lower_context;
enum {
    LOWER_BRANCH_PORTS = 0xffff, /* with the next one: those of the branch that is fused with it */
    LOWER_WITH_BRANCH = 1 << 16,
    LOWER_NOT_TAKEN = 1 << 17, /* it is, or is fused with, a conditional branch inside a loop */
    LOWER_BESIDE_ZMM = 1 << 18 /* 512-bit registers are in use, for which the core closes ports to vectors */
};

struct insn_cache; /* cache.h */

/* Decodes and lowers `size` bytes. Everything is allocated from `arena`. `cache`: of instructions, which has
 * taken in the code (cache.h), or NULL. Returns 0, TACHO_ERR_INPUT, TACHO_ERR_LIMIT or TACHO_ERR_MEMORY. */
TACHO_PRIVATE int tacho_block_build(block *b, arena *a, struct insn_cache *cache, const tacho_arch *arch,
                                    const uint8_t *bytes, size_t size, const tacho_predict_options *options,
                                    tacho_error *err);

/* The constant that an addition at rename adds. */
static inline int64_t block_constant(const block_insn *bi)
{
    return bi->value_kind == OP_LEA   ? bi->value_disp
           : bi->value_kind == OP_INC ? 1
           : bi->value_kind == OP_DEC ? -1
           : bi->value_kind == OP_SUB ? -bi->value_imm
                                      : bi->value_imm;
}

/* Whether a number has at most so many bits, with its sign. */
static inline bool block_fits_bits(int64_t value, uint32_t bits)
{
    return bits && value >= -((int64_t)1 << (bits - 1)) && value < (int64_t)1 << (bits - 1);
}

/* Whether the renamer can execute the move or the addition, as far as the instruction alone says. */
static inline bool block_ends_at_rename(const tacho_arch *arch, const block_insn *bi)
{
    if (bi->adds_constant)
        return bi->eliminable && block_fits_bits(block_constant(bi), arch->immediate_sum_bits);
    return bi->eliminable && (bi->move_gpr ? arch->move_elim_slots_gpr : arch->move_elim_slots_simd) > 0;
}

/* Whether memory renaming can have part in what the access loads, or stores. */
static inline bool block_may_rename(const block_insn *bi, uint32_t access, bool loads)
{
    return bi->renamed >> (2 * access + loads) & 1;
}

static inline bool block_is_stack(const mem_access *m)
{
    return m->base == UNIT_RSP && m->index == UNIT_NONE;
}

/* Whether loads by such an address are renamed where the code is no loop. */
static inline bool block_renames_base(const block *b, const mem_access *m)
{
    return b->mode == TACHO_MODE_LOOP || b->arch->renames_any_base || block_is_stack(m);
}

/* Whether the µop loads to, or stores from, a general register. */
static inline bool block_moves_general(const tacho_arch *arch, uop_kind kind, uint16_t ports)
{
    return kind == UOP_LOAD ? ports == arch->load_ports : ports != arch->store_data_ports;
}

/* How long the µop holds its port. */
static inline uint32_t block_port_cycles(const tacho_arch *arch, const block_insn *bi, const uop *u)
{
    if (!bi->has_zmm || !(u->ports & (uint16_t)~arch->from_general_ports) ||
        (u->ports & (uint16_t)~arch->zmm_two_cycle_ports))
        return 1;
    return u->kind == UOP_COMPUTE || bi->mem[u->mem].bytes == 64 ? 2 : 1;
}

/* A computing or store-data µop of the vector units. */
static inline bool block_is_vector(const tacho_arch *arch, const uop *u)
{
    return (u->kind == UOP_COMPUTE || u->kind == UOP_STORE_DATA) &&
           !(u->ports & (arch->alu_ports | arch->store_data_alu_ports));
}

/* Both its fused µops are issued in one cycle. */
static inline bool block_is_whole_pair(const tacho_arch *arch, const block_insn *bi)
{
    return arch->issues_pairs_whole && bi->fused_count == 2;
}

/* Slots that must be left in a cycle for a laminated µop of the instruction to be issued. */
uint32_t block_issue_room(const block *b, const block_insn *bi, uint32_t laminated);

/* Whether the load can have what was stored as soon as it is there: not to a vector, nor from the middle of
 * the store, where that makes a difference. */
static inline bool block_forwards_at_once(bool vector_load, bool same_start)
{
    return !vector_load && same_start;
}

/* Computes vectors, but not masks, in one cycle, or in two where many wait: vector_quick_places. */
static inline bool block_is_quick(const tacho_arch *arch, const uop *u)
{
    return arch->vector_quick_places && u->kind == UOP_COMPUTE && u->out_count && u->out[0].latency == 1 &&
           block_is_vector(arch, u) && !(u->out[0].slot >= UNIT_K && u->out[0].slot < UNIT_X87);
}

/* Cycles from where a store's address and data are known to the data of a load with these ports. */
static inline int32_t block_forward_cycles(const tacho_arch *arch, uint16_t load_ports, bool vector_load)
{
    bool general =
        arch->store_data_alu_ports ? block_moves_general(arch, UOP_LOAD, load_ports) : !vector_load;
    return general ? arch->store_forward_cycles : arch->store_forward_vector_cycles;
}

/* Additions read the sums of others where these are there early. @return 0, TACHO_ERR_MEMORY */
int block_forward_sums(block *b, arena *a);
/* Third sources that a vector instruction of the block computes need no port. */
void block_bypass_third_sources(block *b);

/* High bytes come from registers that are written whole. */
void block_write_high_bytes(block *b);

/* Whether it matters which accesses cross a line: only where values of registers are given. */
static inline bool block_notices_splits(const block *b, const tacho_predict_options *options)
{
    return b->arch->split_access_cycles > 1 && (b->has_load || b->has_store) && !options->no_alias &&
           (options->init == TACHO_INIT_SAME || options->known_mask) &&
           !(options->variants & TACHO_VARIANT_SIMPLE_MEMORY);
}

/* Whether it matters where loads and stores go: else no displacement and no value of a register does. */
static inline bool block_compares_addresses(const block *b, const tacho_predict_options *options)
{
    return b->has_store && (b->arch->paired_stores_same_line || (b->has_load && !options->no_memory_deps));
}

/* The stages. match: what the table has of a form. @return 0, or TACHO_ERR_UNSUPPORTED where it has none */
int block_match(insn_facts *out, const block *b, uint32_t form);
/* describe: what the instruction is to the pipeline, taken alone; `facts` NULL: without timing. */
void block_describe(block_insn *out, const tacho_insn *insn, const insn_facts *facts, const tacho_arch *arch);
/* lower: the µops of the instruction, which become the block's next ones. @return 0 or TACHO_ERR_MEMORY */
int block_lower_insn(block *b, arena *a, uint32_t index, lower_context context);

/* Whether the instruction without figures is left out; negative where it is an error. */
int block_skips(const block *b, const block_insn *bi, tacho_error *err);
/* Whether the immediate takes a DSB slot of its own; `disp`: displacement beside it, 0 if it is to RIP. */
bool block_takes_extra_slot(const block *b, const block_insn *bi, int64_t imm, int64_t disp);
/* Makes room for so many more. @return 0 or TACHO_ERR_MEMORY */
int block_reserve(block *b, arena *a, uint32_t uops, uint32_t fused, uint32_t laminated);
/* The displacement of an access as addresses are compared: of RIP-relative ones, where it leads. */
int64_t block_displacement(const block_insn *bi, bool rip_relative, int64_t disp);
/* The unit of a register; UNIT_NONE for those that carry no tracked value (RIP). */
uint8_t block_unit(const tacho_arch *arch, tacho_reg reg);
/* The figures and parameters that the variants (TACHO_VARIANT_*) ask for; `arch` itself or `copy`
 */
const tacho_arch *block_variant_arch(tacho_arch *copy, const tacho_arch *arch, uint32_t variants);
/* How the instruction (bi->insn) moves RSP: stack_delta, uses_rsp, resets_stack. */
void block_stack_effects(block_insn *bi);
/* What it computes of the values that are known; after block_stack_effects. */
void block_value_semantics(block_insn *bi);
/* The operand that is the immediate which the instruction computes with; NULL if there is none. */
const tacho_operand *block_value_immediate(const tacho_insn *insn);

/* Bypass delays: what kind of results a µop makes, and takes late from the other kind. */
typedef enum bypass_kind {
    BYPASS_NONE,
    BYPASS_LOGIC,
    BYPASS_FLOATS,
    BYPASS_INTEGERS /* multiplies them */
} bypass_kind;
bypass_kind block_bypass_kind(const block *b, const uop *u);
/* Whether a µop reads what one with a bypass delay to it may have written. */
bool block_has_bypass(const block *b);
/* Makes ideal what the options ask for; of a block that is complete. */
void block_make_ideal(block *b, const tacho_predict_options *options);
void block_make_ideal_uop(uop *u, const tacho_predict_options *options);

/* How many elements an iteration of a block with whole_insns works on; see tacho_elements. @return 0 or
 * TACHO_ERR_MEMORY */
int elements_find(tacho_elements *out, const block *b, arena *a);

#endif
