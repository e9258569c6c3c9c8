/* suite.h - suites of basic blocks: what is done with each block when a suite is put together.
 *
 * A suite is a CSV file with columns by name: `hex` (the block's bytes), `app` (applications that contain it,
 * separated by ";"), `address`, `count` (how often it was executed); others are kept. `tacho suite` works on
 * such files with the functions below.
 *
 * Tools: may change with each minor version. */
#ifndef TACHO_SUITE_H
#define TACHO_SUITE_H

#include <stdbool.h>
#include "error.h"
#include "options.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A number in 0 .. 2^64 - 1 made of a block's bytes and a seed, the same on every machine and in every
 *  version of tacho. The numbers for two seeds are independent of each other. Choosing blocks by them depends
 *  neither on the order of the blocks nor on which others there are. It is no cryptographic hash. */
TACHO_API uint64_t tacho_suite_key(const uint8_t *code, size_t size, uint64_t seed);

/** The next name in a list of applications. Names are separated by ";", or by a "+" between characters that
 *  are no "+" ("redis+sqlite", but "g++" is one name); white space around them does not belong to them, and
 *  empty ones are passed over.
 *  @param rest where to look; moved behind the name
 *  @return false at the end; else *name (not terminated, in the list) and *length */
TACHO_API bool tacho_suite_next_app(const char **rest, const char **name, size_t *length);

enum {
    TACHO_LOOP_MIN_INSTRUCTIONS = 5, /**< blocks with fewer are unrolled until they have so many */
    TACHO_LOOP_EXTRA_BYTES = 80      /**< that a loop variant takes at most beyond its block */
};

/** How a block was made a loop. */
typedef struct tacho_loop_variant {
    size_t size;           /**< bytes of the loop */
    uint32_t instructions; /**< of the block itself */
    uint32_t unroll;       /**< copies of the block in the loop's body, at least 1 */
    uint8_t counter;       /**< number of the general register that counts (RAX 0 ... R15 15); never RSP */
} tacho_loop_variant;

/** Makes a block a loop as the uiCA paper's BHive_L has it (section 5.2): the block, `dec Rx` (64 bits),
 *  `jnz` to its start, where Rx is a general register of which the block uses no part, not even implicitly.
 *  With `unroll_short` a block of fewer than five instructions is repeated until the loop has at least five
 *  besides `dec` and `jnz`. The block's bytes stay as they are, so that displacements relative to RIP lead
 *  elsewhere in each copy.
 *  @param code  the bytes of at least one instruction, without branches, calls, returns and system calls
 *  @param out   room for size + TACHO_LOOP_EXTRA_BYTES bytes
 *  @return 0; TACHO_ERR_INPUT (bytes that are no instruction, an instruction that goes elsewhere: err->offset
 *  says where); TACHO_ERR_UNSUPPORTED when the block uses all general registers; TACHO_ERR_LIMIT over 1 GiB
 */
TACHO_API int tacho_suite_loop(uint8_t *out, tacho_loop_variant *variant, const uint8_t *code, size_t size,
                               bool unroll_short, tacho_error *err);

/** Why a block does not fit the assumptions under which throughput predictors are judged (uiCA paper, section
 *  5.1; BHive, section III): that it can be repeated, on that core, with a time that nothing decides but the
 *  block. Numbers of bits. */
typedef enum tacho_suite_reason {
    TACHO_REASON_UNDECODABLE = 0, /**< bytes that are no instruction, or none; the other reasons are not
                                       looked for then */
    TACHO_REASON_TOO_LONG,        /**< more instructions or bytes than the options allow; with more bytes, the
                                     other reasons are not looked for */
    TACHO_REASON_TOO_MANY_ACCESSES, /**< more memory operands than the options allow */
    TACHO_REASON_SYSTEM,            /**< privileged, or changes what does not belong to the block */
    TACHO_REASON_CONTROL_FLOW, /**< after an instruction another one than the next follows: calls, returns,
                                    system calls, branches; but a direct branch may be the last one */
    TACHO_REASON_UNSUPPORTED,  /**< the core does not have the instruction, or takes it for another one */
    TACHO_REASON_X87,          /**< repeated, the x87 stack over- or underflows */
    TACHO_REASON_TIMING,   /**< the time depends on values or on the machine's state: division, square root,
                                transcendental functions, repeated string instructions, CPUID ... */
    TACHO_REASON_ALIASING, /**< whether a load reads what the block stores depends on the initial values of
                                registers and memory */
    TACHO_REASON_BANK_CONFLICT, /**< so does whether loads conflict (tacho_arch.load_bank_conflicts) */
    TACHO_REASON_STORE_PAIRING, /**< so does whether stores leave in pairs
                                   (tacho_arch.paired_stores_same_line) */
    TACHO_REASON_COUNT
} tacho_suite_reason;

/** "aliasing"; static storage. */
TACHO_API const char *tacho_suite_reason_name(tacho_suite_reason reason);
/** What it means, in a few words; static storage. */
TACHO_API const char *tacho_suite_reason_text(tacho_suite_reason reason);

struct tacho_arch;

/** What to look for. Initialise with TACHO_SUITE_FILTER_OPTIONS_INIT. */
typedef struct tacho_suite_filter_options {
    size_t size;
    const struct tacho_arch *const *archs; /**< for UNSUPPORTED, BANK_CONFLICT and STORE_PAIRING, which are
                                                there if one of them has them; borrowed, NULL */
    size_t arch_count;                     /**< 0: these reasons are not looked for */
    uint32_t reasons;                      /**< bits; all */
    uint32_t max_instructions, max_bytes, max_accesses; /**< 4096; 16384; any number */
} tacho_suite_filter_options;
#define TACHO_SUITE_FILTER_OPTIONS_INIT                                                                      \
    TACHO_OPTIONS_INIT(suite_filter, .reasons = (1u << TACHO_REASON_COUNT) - 1, .max_instructions = 4096,    \
                       .max_bytes = 16 << 10, .max_accesses = UINT32_MAX)
TACHO_OPTIONS(suite_filter);

typedef struct tacho_suite_verdict {
    uint32_t reasons;                   /**< bits; 0: the block is fit */
    int64_t offset[TACHO_REASON_COUNT]; /**< of the first instruction that the reason is about, in bytes; -1
                                             where it is about none, or there is no such reason */
} tacho_suite_verdict;

/** Finds all reasons that there are. Addresses are followed through moves, additions, lea, shifts, logic,
 * push and pop of 32 and 64 bits; what else writes a register gives a value that depends on the initial ones
 * in an unknown way. Where two addresses keep their distance whatever the initial values are, nothing depends
 * on these; for BANK_CONFLICT and STORE_PAIRING, registers are taken to hold multiples of 64. Thread-safe.
 * @return 0, TACHO_ERR_MEMORY, TACHO_ERR_USAGE */
TACHO_API int tacho_suite_filter(tacho_suite_verdict *out, const uint8_t *code, size_t size,
                                 const tacho_suite_filter_options *options, tacho_error *err);

#ifdef __cplusplus
}
#endif
#endif
