/* deps_internal.h - the machine on which a block is followed: registers and memory hold either a number or an
 * unknown value (the bottom of staticdeps, section 3.3). */
#ifndef TACHO_DEPS_DEPS_H
#define TACHO_DEPS_DEPS_H

#include "base/hash_index.h"
#include "tacho/deps.h"
#include "x86/decode/insn_struct.h"
#include "x86/decode/ops.h"

/** 64 bits of which all are known, or none. */
typedef struct value {
    uint64_t bits;
    bool known;
} value;
#define UNKNOWN ((value){0, false})
static inline value known(uint64_t bits)
{
    return (value){bits, true};
}

/** A store that was executed. */
typedef struct store {
    uint64_t address;
    uint32_t insn, iteration;
    uint32_t bytes;
    uint32_t time; /* machine.time when it was */
} store;

/** 8 bytes of memory, aligned, of which a store wrote some. */
typedef struct memory_word {
    uint64_t number; /* the address / 8 */
    uint64_t bits;
    uint32_t store[8]; /* that wrote each byte */
    uint8_t written;   /* bit n: byte n was written; 0: a free slot */
    uint8_t known;     /* bit n: what was written is known */
} memory_word;

/** The flags that instructions leave, for branches and the like. */
enum {
    FLAG_CARRY = 1,
    FLAG_PARITY = 2,
    FLAG_ZERO = 4,
    FLAG_SIGN = 8,
    FLAG_OVERFLOW = 16,
    FLAGS_ALL = 31
};
typedef struct flag_values {
    uint8_t known, bits; /* FLAG_* */
    uint64_t result;     /* the number that they are flags of: of a comparison, the difference */
} flag_values;

enum {
    VECTOR_REGISTERS = 32,
    LANES = 8,                  /* of 64 bits */
    MACHINE_MAX_ACCESS = 4096,  /* bytes that an instruction reads or writes, if it is followed */
    DEPS_MAX_BYTES = 2047 << 20 /* of memory that all machines together may take for stores and words */
};

typedef struct machine {
    const tacho_deps_options *options;
    value general[16];
    value vector[VECTOR_REGISTERS][LANES];
    uint64_t seed;
    uint64_t fresh;     /* numbers given out */
    bool backwards;     /* the direction flag */
    uint64_t next_insn; /* the address after the instruction that is executed */
    bool follows_flags; /* else they stay unknown */
    bool small_numbers; /* memory first holds small numbers, except where 8 bytes or more are read at once */
    flag_values flags;
    uint32_t time;       /* the caller's */
    memory_word *memory; /* open addressing */
    size_t memory_slots, memory_used;
    store *stores;
    size_t store_count, store_capacity;
    /* What an instruction writes to memory, until it is done. */
    struct {
        uint64_t address;
        value bits;
        uint8_t bytes;
    } pending[4 * LANES];
    size_t pending_count;
    size_t most_bytes; /* of stores and memory; 0: no limit */
    bool failed;       /* memory has run out, or... */
    bool full;         /* ... most_bytes */
} machine;

/** Fresh registers and memory. The machine begins as {0}, and keeps what it has allocated. */
void machine_start(machine *m, const tacho_deps_options *options, uint64_t seed);
void machine_free(machine *m);

/** A number that nothing else has. */
value machine_fresh(machine *m);
/** Registers. Reading takes the width's bits; writing 8 and 16 bits keeps the others, 32 clears the upper
 * half. */
value machine_read_general(const machine *m, tacho_reg r);
/** The register that LOOP, JRCXZ and the like count with: RCX, or with a prefix ECX. */
tacho_reg counting_register(const tacho_insn *insn);
void machine_write_general(machine *m, tacho_reg r, value v);

/** The address of a memory operand, as the registers are now. */
value machine_address(const machine *m, const tacho_mem *mem);
/** What lies in memory; at most 8 bytes. */
value machine_load(const machine *m, uint64_t address, unsigned bytes);
/** The store that wrote a byte last; NULL: none. */
const store *machine_writer(const machine *m, uint64_t address);
/** What an instruction writes, at most 8 bytes; it is in memory once machine_end_insn was called. */
void machine_store_bits(machine *m, uint64_t address, unsigned bytes, value v);
/** Notes a store; its bytes are unknown but for what machine_end_insn puts there. */
void machine_store(machine *m, uint64_t address, uint32_t bytes, uint32_t insn, uint32_t iteration);
void machine_end_insn(machine *m);

/** Addresses of the memory operands of an instruction, before it is executed. */
typedef struct addresses {
    value of[TACHO_MAX_OPERANDS];
    uint32_t repeats; /* accesses of a string instruction, one after the other; 1 of all else */
} addresses;
/** With what push, pop and the like do to RSP first. Of a string instruction, the lowest ones. */
void machine_addresses(const machine *m, const tacho_insn *insn, addresses *out);
/** Executes an instruction: registers, and the bits of what it stores. Then come machine_store for each
 * store, and machine_end_insn. */
void machine_execute(machine *m, const tacho_insn *insn, const addresses *a);
/** Whether its result is the same whatever the registers hold, and it does not wait for them, as Skylake
 * knows it (uops.info): a register less itself, compared with itself, and the like. Of general registers it
 * is 0. */
bool insn_waits_for_nothing(const tacho_insn *insn);

/** The flags after an instruction; to be asked before it is executed. */
flag_values flags_after(const machine *m, const tacho_insn *insn, const addresses *a);
/** Whether the condition `code` (the low four bits of the opcodes of Jcc, SETcc, CMOVcc) holds: 1, 0; -1:
 * unknown. */
int flags_condition(const flag_values *f, unsigned code);

/** What a function that is called may change, but for memory, is not known afterwards; if flags are followed,
 * it is numbers that nothing else has. */
void machine_forget_call(machine *m);

/** Of vector registers; false where it is not understood. */
bool vector_execute(machine *m, unsigned op, const tacho_insn *insn, const addresses *a);

/** Dependencies as they are found in one run after the other. */
typedef struct found {
    tacho_dependency d;
    uint32_t last_iteration; /* one more than the last in which it was seen in this run */
    uint32_t count;          /* iterations of this run */
    uint32_t runs;           /* in which it was in enough of them */
    /* of a followed function */
    uint64_t seeds[2]; /* bits: those that have shown it */
    uint64_t last;     /* the moment when it was seen last */
    uint64_t times;    /* with all seeds together */
} found;

typedef struct findings {
    found *list;
    size_t count, capacity;
    hash_index by_hash;
    bool failed;
    bool followed;     /* of a function: one finding for all distances */
    uint64_t seeds[2]; /* bits: which seeds show what is noted now */
    uint32_t weight;   /* how many seeds show it */
    uint64_t moment;   /* other than 0, and other for each execution of an instruction and each seed */
} findings;

/** Notes that `d` is there in this iteration. */
void findings_note(findings *f, const tacho_dependency *d, uint32_t iteration);
void findings_free(findings *f);

/** Who wrote the registers and flags last. */
enum {
    REGISTER_PARTS = 208
};
typedef struct writers {
    struct {
        uint32_t insn; /* one more than its number; 0: nobody */
        uint32_t iteration;
        uint32_t time;
    } of[REGISTER_PARTS], flags[2];
    const uint32_t *counts; /* of a followed function: executions of each instruction so far; else NULL */
    uint32_t time;
    unsigned x87_top;
} writers;
void writers_note(writers *w, findings *f, const tacho_deps_options *o, const tacho_insn *insn,
                  uint32_t number, uint32_t iteration);

/* What searches for dependencies are made of. */

/** What is given out, with what it stands in. */
typedef struct found_deps {
    tacho_deps out; /* first: the public pointer is to this */
    tacho_insn *insns;
    tacho_dependency *dependencies;
    tacho_deps_access *accesses;
    tacho_deps_step *steps;
} found_deps;

/** Finds the dependencies of the instructions in *r. @return 0 or a negative code */
typedef int deps_search(found_deps *r, const tacho_deps_options *o, tacho_error *err);
/** What both public functions do: options checked, instructions decoded, accesses listed, and then `search`.
 */
int deps_result_make(tacho_deps **out, const uint8_t *code, size_t size, const tacho_deps_options *options,
                     deps_search *search, tacho_error *err);
/** Takes the findings that `keep` wants. @return -1: memory ran out */
int deps_result_collect(found_deps *r, const findings *f, bool (*keep)(const found *it, const void *payload),
                        const void *payload);

/** An instruction that is being executed. */
typedef struct moment {
    const tacho_deps_options *options;
    const found_deps *r;
    findings *findings;
    uint32_t number;        /* of the instruction */
    uint32_t iteration;     /* of a followed function: which execution of the instruction, from 1 */
    const uint32_t *counts; /* of a followed function: executions of each instruction so far; else NULL */
    size_t first_access;    /* of the instruction, among the accesses */
} moment;

/** With TACHO_READ, before the instruction is executed: notes which stores its loads read from. With
 * TACHO_WRITE, after it: notes its stores. */
void loads_note(const moment *now, machine *m, const addresses *a, unsigned access);

/* The pieces of which executing an instruction is made. `op` is one of ops.h. */

/* execute.c: operands. What is no general register, immediate number or memory of at most 8 bytes is unknown
 * when read; a vector register that is written becomes unknown, whatever the value. */
value operand_read(const machine *m, const tacho_insn *insn, int i, const addresses *a);
void operand_write(machine *m, const tacho_insn *insn, int i, const addresses *a, value v);

/* execute.c: what moves RSP (OP_FIRST_STACK to OP_LAST_STACK). */

/* string.c: OP_STRING, OP_SCAN. */
/** With a repeat prefix, and where the direction is backwards: where the accesses begin, and how many there
 *  are. */
void string_addresses(const machine *m, unsigned op, const tacho_insn *insn, addresses *a);
void string_execute(machine *m, unsigned op, const tacho_insn *insn, const addresses *a);

#endif
