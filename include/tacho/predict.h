/* predict.h - cycles per iteration of a block of machine code: the pipeline simulator and the analytical
 * bounds.
 *
 * A predictor holds the memory that a prediction needs and is reused from block to block; one thread at a
 * time may use it. Everything in a prediction belongs to the predictor and lives until its next use.
 *
 * Core: stable within a major version. */
#ifndef TACHO_PREDICT_H
#define TACHO_PREDICT_H

#include "arch.h"
#include "decode.h"
#include "insndb.h"
#include "options.h"
#include "state.h"
#include "trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Where a loop's µops come from. */
typedef enum tacho_uop_source {
    TACHO_SOURCE_MITE = 0,
    TACHO_SOURCE_DSB,
    TACHO_SOURCE_LSD,
    TACHO_SOURCE_MIXED,
} tacho_uop_source;

typedef enum tacho_bound {
    TACHO_BOUND_PREDECODE = 0,
    TACHO_BOUND_DECODE,
    TACHO_BOUND_DSB,
    TACHO_BOUND_LSD,
    TACHO_BOUND_ISSUE,
    TACHO_BOUND_PORTS,
    TACHO_BOUND_DIVIDER,
    TACHO_BOUND_DEPENDENCIES,
    TACHO_BOUND_START_INTERVALS, /**< instructions that start only every so many cycles (locked ones, cpuid)
                                  */
    TACHO_BOUND_PORT_CONFLICTS,  /**< only of tacho_predict_bounds, and not a limit: what chains of a cycle an
                                    iteration are expected to take, as µops get their ports before it is known
                                    which will be ready together */
    TACHO_BOUND_COUNT,
    TACHO_MAX_BOUNDS = 16 /**< that a prediction has room for */
} tacho_bound;

/** What becomes of instructions that the microarchitecture's table lacks. */
typedef enum tacho_unknown {
    TACHO_UNKNOWN_WARN = 0, /**< one issue slot, no port, results ready at once; a warning */
    TACHO_UNKNOWN_SKIP,     /**< left out, as if the code went on after them; a warning names them */
    TACHO_UNKNOWN_ERROR,    /**< the prediction fails with TACHO_ERR_UNSUPPORTED */
    TACHO_UNKNOWN_LATENCY,  /**< one µop on any port with an adder (for vector and x87 registers: with vector
                                 logic), with unknown_latency cycles from all inputs to all outputs; its loads
                                 and stores have µops of their own */
} tacho_unknown;

/** Limits: longer blocks are refused with TACHO_ERR_LIMIT. */
enum {
    TACHO_MAX_BLOCK_INSNS = 4096,
    TACHO_MAX_BLOCK_BYTES = 61440,
    TACHO_MAX_UNKNOWN_LATENCY = 1000,
    TACHO_MAX_SLOW_LOAD = 2000,
    TACHO_MAX_RUN_ITERATIONS = 1000000
};
/** A piece must be less than this away from the first one, in bytes. */
#define TACHO_MAX_PIECE_DISTANCE ((int64_t)1 << 38)

/** Parts of the machine that can be taken as ideal, to see what they cost; bits. */
enum {
    TACHO_IDEAL_FRONT_END = 1 << 0, /**< the µop queue always holds the µops that come next; the prediction's
                                         source is then LSD */
    TACHO_IDEAL_PORTS = 1 << 1,     /**< any number of µops on each port in a cycle */
    TACHO_IDEAL_DIVIDER = 1 << 2,   /**< a division can start in every cycle */
    TACHO_IDEAL_START_INTERVALS = 1 << 3, /**< other instructions that start only every so many cycles (locked
                                               ones, cpuid ...) are not held back */
    TACHO_IDEAL_LATENCIES = 1 << 4,       /**< each µop's results are ready a cycle after its dispatch */
    TACHO_IDEAL_DEPENDENCIES = 1 << 5, /**< no µop waits for a register, the flags or (with no_memory_deps)
                                            memory */
    TACHO_IDEAL_HIGH8_MERGES = 1 << 6, /**< no µops that merge AH..DH into the whole register */
};

/** The model with a part replaced by a simpler one, to see what that part is worth: the variants of the uiCA
 *  paper's Table 4; bits. */
enum {
    TACHO_VARIANT_SIMPLE_FRONT_END = 1 << 0, /**< the same as TACHO_IDEAL_FRONT_END */
    TACHO_VARIANT_SIMPLE_PORT_ASSIGNMENT =
        1 << 1, /**< each of the ports that a µop can use is as likely as the others (pseudo-random, the same
                     in every run); there is no exact steady state then */
    TACHO_VARIANT_NO_MICRO_FUSION = 1 << 2, /**< each µop takes a slot of its own, from the decoders on; more
                                                 than four come from the microcode sequencer */
    TACHO_VARIANT_NO_MACRO_FUSION = 1 << 3,
    TACHO_VARIANT_NO_LSD_UNROLLING = 1 << 4,
    TACHO_VARIANT_NO_MOVE_ELIMINATION = 1 << 5, /**< not together with the next one */
    TACHO_VARIANT_FULL_MOVE_ELIMINATION = 1
                                          << 6, /**< every move that the instruction table calls eliminable */
    TACHO_VARIANT_SIMPLE_MEMORY = 1 << 7, /**< a load reads from a store to where it begins, whatever their
                                               sizes, and always gets it forwarded; a pointer loaded from
                                               memory is another one each time; no bypass delays */
    TACHO_VARIANT_COUNT = 8
};

/** What to predict. Initialise with TACHO_PREDICT_OPTIONS_INIT, then change. */
typedef struct tacho_predict_options {
    size_t size;
    tacho_mode mode;
    tacho_init init;
    uint32_t alignment;      /**< offset of the first byte from a 64-byte boundary, 0..63 */
    uint32_t min_cycles;     /**< without a steady state, simulate at least so many cycles; 500
                                  (uiCA paper, section 4.3) */
    uint32_t min_iterations; /**< and iterations; 10 */
    bool no_memory_deps;     /**< ignore dependencies from stores to loads */
    bool bounds;             /**< compute bounds[] and bottlenecks, with details the critical cycle; true */
    bool details; /**< fill instructions[] with simulated port usage, find the critical cycle, and write
                     warnings[]; true */
    /** Initial values of general registers: known_values[n] is that of register number n (RAX 0 ... R15 15)
     *  if bit n of known_mask is set. NULL: none is known. Borrowed. */
    const uint64_t *known_values;
    uint16_t known_mask;
    uint32_t ideal;          /**< TACHO_IDEAL_* bits; 0 */
    uint16_t ideal_port_set; /**< µops that can use exactly these ports (bit n: port n) never wait for one; 0:
                                  none */
    int32_t ideal_latency_insn; /**< number of an instruction whose µops' results are ready a cycle after
                                     dispatch (not 0 cycles: whoever waits for a result cannot start earlier);
                                     -1: none */
    tacho_unknown unknown;
    uint32_t unknown_latency; /**< for TACHO_UNKNOWN_LATENCY: cycles, 1..TACHO_MAX_UNKNOWN_LATENCY */
    /** The code is the path of a loop through parts of a program, in the order of execution: each piece ends
     *  with a taken branch, that of the last one goes to the first. Branches inside a piece are not taken.
     *  The first piece has code_offset 0 and is placed by `alignment`, the others relative to it, less than
     *  TACHO_MAX_PIECE_DISTANCE bytes away. NULL: the code is contiguous. Borrowed. Not for mode UNROLL. */
    const tacho_piece *pieces;
    size_t piece_count;
    uint32_t variants;                 /**< TACHO_VARIANT_* bits; 0 */
    const tacho_trace_listener *trace; /**< told what happened to each µop, or NULL; see trace.h */
    const tacho_alias *aliases; /**< pointers that are known by others before the first iteration, whatever
                                     init and known_values say; borrowed */
    size_t alias_count;         /**< 0..TACHO_MAX_ALIASES */
    bool no_alias; /**< all registers and all words in memory point to different places, whatever init and
                        known_values say; only `aliases` may say otherwise */
    /** Numbers of branches of the code (instructions count from 0) whose outcome is not foreseen, each time
     *  that they are executed; ascending. Nothing after such a branch is issued before what follows on the
     *  right path can be, arch.mispredict_cycles after the branch is executed. NULL: all are foreseen.
     *  Borrowed. The bounds do not look at them. */
    const uint32_t *mispredicted;
    size_t mispredicted_count;
    /** The code is a stretch of a longer run, not a loop: it is executed once. `cycles` begin when its first
     *  `warm_up` instructions, which fill the machine, have retired (0: with the first retirement), and end
     *  with the last retirement. There are no bounds then. Not for mode UNROLL, nor with details (which are
     * on by default) or a trace. Its `pieces` lie at their addresses whatever `alignment` says, and
     * RIP-relative data where these lead to. */
    bool once;
    uint32_t warm_up; /**< 0 .. instructions of the code, exclusive */
    bool ignore_isa;  /**< predict code with instructions that the microarchitecture cannot execute (see
                           tacho_arch_lacks) as if it could */
    uint32_t run_iterations; /**< also say how long so many iterations take from an empty pipeline on (caches
                                  and branch predictors know the code), 0..TACHO_MAX_RUN_ITERATIONS; 0: do
                                  not. Not with once */
    /** For code that no branch closes and that is not in pieces, so that its repetition is an assumption:
     *  after each iteration, general registers (but RSP) that occur in its addresses and that it never writes
     *  advance by the number of bytes that it accesses through them, as if code elsewhere incremented them.
     *  No iteration then reads what an earlier one wrote through them. No effect on other code, nor on
     *  addresses of RSP or RIP alone. */
    bool advance;
    const tacho_listing *listing; /**< how warnings and advice write instructions; NULL: Intel syntax */
    uint32_t elements;            /**< how many an iteration works on, where the caller knows; 0: as found */
    /** Numbers of instructions whose loads take slow_load_cycles (1..TACHO_MAX_SLOW_LOAD) more, as where
     * their data are in no near cache; ascending. NULL: none. Borrowed. The bounds look at them, too. */
    const uint32_t *slow_loads;
    size_t slow_load_count;
    uint32_t slow_load_cycles;
} tacho_predict_options;
#define TACHO_PREDICT_OPTIONS_INIT                                                                           \
    TACHO_OPTIONS_INIT(predict, .min_cycles = 500, .min_iterations = 10, .bounds = true, .details = true,    \
                       .ideal_latency_insn = -1)
TACHO_OPTIONS(predict);

/** Notes on an instruction, bits. */
enum {
    TACHO_NOTE_MACRO_FUSED = 1 << 0,     /**< fused with the next instruction */
    TACHO_NOTE_FUSED_INTO_PREV = 1 << 1, /**< the second of a fused pair */
    TACHO_NOTE_MICRO_FUSED = 1 << 2,
    TACHO_NOTE_UNLAMINATED = 1 << 3,
    TACHO_NOTE_ELIMINATED = 1 << 4, /**< a move that the renamer executes (at least sometimes) */
    TACHO_NOTE_ZERO_IDIOM = 1 << 5,
    TACHO_NOTE_NOP = 1 << 6,
    TACHO_NOTE_UNKNOWN = 1 << 7,   /**< no figures: modelled as documented */
    TACHO_NOTE_ESTIMATED = 1 << 8, /**< figures carried over or estimated */
    TACHO_NOTE_LCP = 1 << 9,
    TACHO_NOTE_JCC_ERRATUM = 1 << 10,
    TACHO_NOTE_MICROCODED = 1 << 11,
    TACHO_NOTE_COMPLEX_DECODER = 1 << 12,
    TACHO_NOTE_STACK_SYNC = 1 << 13, /**< a stack synchronisation µop is inserted before it */
    TACHO_NOTE_HIGH8_MERGE = 1 << 14,
    TACHO_NOTE_CRITICAL = 1 << 15,      /**< on the critical dependency cycle */
    TACHO_NOTE_STORE_FORWARD = 1 << 16, /**< loads what an earlier store of the block wrote */
    TACHO_NOTE_DIVIDER = 1 << 17,
    TACHO_NOTE_SERIALIZING = 1 << 18,
    TACHO_NOTE_SAME_CORE = 1 << 19,     /**< figures measured on another product with the same core */
    TACHO_NOTE_STORE_BLOCKED = 1 << 20, /**< loads bytes that an earlier store of the block wrote in part, or
                                             that several did: it waits until these are in the cache */
    TACHO_NOTE_ALIAS_4K = 1 << 21, /**< loads from a multiple of 4096 bytes away from what an earlier store
                                      of the block writes: taken for a dependency at first */
};

/** What the simulation saw of one instruction, per iteration in the averaged part. */
typedef struct tacho_insn_report {
    const tacho_insn *insn;
    uint32_t code_offset; /**< of the instruction in the block, bytes */
    bool has_form;
    tacho_form form; /**< valid when has_form */
    uint16_t source; /**< of its figures, see tacho_arch_source_text; valid when has_form */
    uint32_t notes;  /**< TACHO_NOTE_* */
    double uops_mite, uops_ms, uops_dsb, uops_lsd; /**< fused µops delivered, by source */
    double uops_issued;                            /**< fused µops, after unlamination */
    double uops_executed;                          /**< unfused µops dispatched to a port */
    double ports[TACHO_MAX_PORTS];                 /**< µops dispatched to each port */
    int32_t blocked_by; /**< NOTE_STORE_BLOCKED: number of the instruction with the store that it waited for
                             last; else -1 */
    int32_t aliased_by; /**< NOTE_ALIAS_4K: number of the instruction with that store; else -1 */
    double critical_latency; /**< cycles it adds to the critical dependency cycle; NaN when it is not on it */
    double latency;          /**< of the instruction alone: tacho_form_latency; NaN where unknown */
    double reciprocal_throughput; /**< the same: tacho_form_throughput; NaN where unknown */
} tacho_insn_report;

/** Why an issue slot stayed empty: one reason for each (Yasin's top-down method, ISPASS 2014). The first five
 *  are the front end: the µop queue was empty, and this unit had delivered too little. */
typedef enum tacho_slot_reason {
    TACHO_SLOT_PREDECODE = 0, /**< the decoders had nothing to take; also after a change to them */
    TACHO_SLOT_DECODE,
    TACHO_SLOT_MS, /**< the microcode sequencer, and the stalls around it */
    TACHO_SLOT_DSB,
    TACHO_SLOT_LSD,    /**< with the end of the loop, after which no µop is issued in the same cycle */
    TACHO_SLOT_RENAME, /**< the next µop did not fit the group, or had to wait (unlaminated pairs, high-byte
                            merges, serialising instructions, mispredicted branches before it) */
    /* back end full: what most of the µops in the scheduler (or the oldest in the reorder buffer, when that
       is what is full) finally wait for, through the results that they need */
    TACHO_SLOT_PORTS, /**< ready, but others have the port */
    TACHO_SLOT_DIVIDER,
    TACHO_SLOT_START_INTERVALS, /**< of a kind that starts only every so many cycles */
    TACHO_SLOT_ROB,             /**< nothing: the oldest µop in the reorder buffer is done */
    TACHO_SLOT_SCHEDULER,       /**< nothing: the µops in the scheduler have just been issued */
    TACHO_SLOT_DEPENDENCIES,    /**< results that are being computed */
    TACHO_SLOT_REASON_COUNT,
    TACHO_MAX_SLOT_REASONS = 16 /**< that a prediction has room for */
} tacho_slot_reason;

/** Shares of issue slots over the averaged part. The first four sum to 1, and so do retiring and lost[].
 *  frontend is the sum of the reasons up to TACHO_SLOT_LSD, backend_core of those between. NaN when not
 *  simulated. */
typedef struct tacho_topdown {
    double retiring, frontend, backend_core, backend_dependencies;
    double lost[TACHO_MAX_SLOT_REASONS];  /**< by tacho_slot_reason; NaN behind the last */
    double lost_to_port[TACHO_MAX_PORTS]; /**< sum: lost[TACHO_SLOT_PORTS] */
} tacho_topdown;

/** How much data an iteration works on: what its loads and stores touch, counting once what several touch, of
 *  each run of addresses that moves on by the same number of bytes in every iteration. Where addresses do not
 *  move so (lists, no memory), or the runs of addresses disagree, it is not known. The rule is in
 * doc/JSON.md. */
typedef struct tacho_elements {
    uint32_t count;                         /**< elements an iteration; 0: not known */
    uint32_t smallest_bytes, largest_bytes; /**< of an element; they differ where it is converted, and are 0
                                                 where `count` is not known, or was given */
    uint32_t stream_bytes; /**< bytes an iteration, the same in each run of addresses; 0: not known */
} tacho_elements;

/** By what two pieces of code are compared. */
typedef enum tacho_work {
    TACHO_WORK_ITERATION = 0, /**< as far as is known, both do as much in one */
    TACHO_WORK_ELEMENT,
    TACHO_WORK_BYTE,
} tacho_work;

/** Grows at its end only, as tacho_insn_report does: what a program knows of it stays where it is. */
typedef struct tacho_prediction {
    double cycles;                  /**< per iteration */
    int64_t cycles_num, cycles_den; /**< exact fraction; 0/0 where the steady state was not found */
    uint32_t period_iterations;     /**< of the steady state; 0 where not found */
    uint32_t simulated_cycles, simulated_iterations;
    bool bounds_only; /**< nothing was simulated: `cycles` is the highest bound, and no fraction is given */
    uint32_t averaged_from, averaged_to; /**< the result is that of the iterations [from, to), 0-based; with
                                            details or a trace, of those with a full scheduler if it fills */
    tacho_mode mode;                     /**< LOOP or UNROLL */
    const tacho_arch *arch;
    uint32_t variants; /**< TACHO_VARIANT_* bits, as asked for */
    tacho_uop_source source;
    double bounds[TACHO_MAX_BOUNDS]; /**< cycles per iteration of each component alone, by tacho_bound; NaN:
                                          does not apply */
    uint32_t bottlenecks;            /**< bits 1 << tacho_bound; 0: no single component explains the result */
    tacho_topdown topdown;
    const tacho_insn_report *const *instructions; /**< one for each, in the order of the code; with details */
    size_t instruction_count;
    const uint16_t *port_sets; /**< with details: the different sets of ports (bit n: port n) that µops of the
                                    block can use */
    size_t port_set_count;
    const uint32_t *critical_cycle;   /**< instruction numbers along the critical dependency cycle */
    const double *critical_latencies; /**< cycles that each of them adds there */
    size_t critical_cycle_length;
    double critical_cycle_iterations; /**< iterations that the cycle spans */
    uint32_t unknown_count;           /**< instructions without figures, left out or not */
    uint32_t skipped_count;           /**< of these, those left out (TACHO_UNKNOWN_SKIP) */
    uint32_t advance_bytes;           /**< with options.advance: by which addresses move on; 0: none does */
    uint32_t lacking_count; /**< with ignore_isa: instructions that the microarchitecture cannot execute */
    uint32_t derived_count; /**< instructions whose figures are carried over or estimated */
    bool is_path;           /**< options.pieces were given: branches are followed as they say */
    const char *const *warnings; /**< sentences for people */
    size_t warning_count;
    tacho_unknown unknown;    /**< what became of those without figures, as asked for */
    uint32_t unknown_latency; /**< with TACHO_UNKNOWN_LATENCY, what each of them was taken to need; else 0 */
    uint32_t run_iterations;  /**< options.run_iterations; 0 where nothing was simulated */
    uint32_t run_cycles;    /**< that so many iterations take, from the first fetch to the last retirement */
    uint16_t busiest_ports; /**< with bounds: the ports (bit n: port n) that the bound of ports comes from; 0:
                                 none, or it is that of stores on their way to the cache */
    const uint32_t
        *busiest_cycles;     /**< for each instruction: cycles of busiest_ports that its µops hold, as
                                  they can go nowhere else; NULL without details, and where busiest_ports is 0 */
    size_t derived_warning;  /**< number of the one of `warnings` that says which figures are carried over or
                                  estimated; warning_count: none does */
    tacho_elements elements; /**< with details */
} tacho_prediction;

/** Whether `cycles` is only a lower bound, because instructions without figures are in it with no time of
 *  their own, or left out: the real number may be higher. Not where they were given a latency
 *  (TACHO_UNKNOWN_LATENCY): the result then is as good as that guess. Says nothing about
 *  tacho_predict_bounds, all of whose results are lower limits. */
TACHO_API bool tacho_prediction_is_lower_bound(const tacho_prediction *prediction);
/** Whether µops come the way that `bound` speaks of, all or some: the decoders do not limit a loop that the
 *  DSB serves. Where they come in several ways, not a bound above the result: too few came this way. */
TACHO_API bool tacho_prediction_uses_bound(const tacho_prediction *prediction, tacho_bound bound);
/** The highest bound that is in use, not above the result, and no bottleneck: what limits the code next, or,
 *  where there is no bottleneck, what is nearest to one. @return a tacho_bound, or -1 where none was computed
 */
TACHO_API int tacho_prediction_next_limit(const tacho_prediction *prediction);
/** Instructions a cycle; an upper bound where `cycles` is a lower one. NaN: not known. */
TACHO_API double tacho_prediction_ipc(const tacho_prediction *prediction);
/** How many elements, or bytes of a stream, an iteration works on; 0: not known. Of an iteration 1. */
TACHO_API uint32_t tacho_prediction_work(const tacho_prediction *prediction, tacho_work work);
/** Cycles per iteration, element, or byte of a stream; NaN where not known. */
TACHO_API double tacho_prediction_cycles_per(const tacho_prediction *prediction, tacho_work work);
/** By what two predictions are to be compared: by element, if how many there are is known of both, they
 * differ, and elements are as wide in both (or their number was given); else by byte of a stream, if bytes
 * are known and differ; else by iteration. */
TACHO_API tacho_work tacho_prediction_common_work(const tacho_prediction *a, const tacho_prediction *b);
/** Fused µops issued a cycle; NaN without details or simulation, and where `cycles` is a lower bound. */
TACHO_API double tacho_prediction_uops_per_cycle(const tacho_prediction *prediction);

typedef struct tacho_predictor tacho_predictor;

/** @return NULL when memory runs out. */
TACHO_API tacho_predictor *tacho_predictor_new(void);
TACHO_API void tacho_predictor_free(tacho_predictor *predictor);

/** Predicts the throughput of `size` bytes at `code` on `arch` (which must outlive the result).
 *  @return 0 and *out; TACHO_ERR_INPUT (undecodable bytes, err->offset says where; empty block),
 *  TACHO_ERR_UNSUPPORTED (an instruction that `arch` cannot execute, err->offset says where; one without
 * figures, where options.unknown says so), TACHO_ERR_LIMIT
 * (longer than TACHO_MAX_BLOCK_*), TACHO_ERR_MEMORY, TACHO_ERR_USAGE. */
TACHO_API int tacho_predict(tacho_predictor *predictor, const tacho_arch *arch, const uint8_t *code,
                            size_t size, const tacho_predict_options *options, const tacho_prediction **out,
                            tacho_error *err);

/** The same by the highest of the bounds that apply, without simulating: a lower limit, in a small part of
 *  the time. What only a simulation can say is NaN or 0. There are no bounds of a stretch of a run
 *  (options.once), and no trace or run_iterations: TACHO_ERR_USAGE. */
TACHO_API int tacho_predict_bounds(tacho_predictor *predictor, const tacho_arch *arch, const uint8_t *code,
                                   size_t size, const tacho_predict_options *options,
                                   const tacho_prediction **out, tacho_error *err);

/** Whether µops from `source` go through the component of `bound`: only then is it a lower limit. */
TACHO_API bool tacho_bound_applies(tacho_bound bound, tacho_uop_source source);
/** Short name as in JSON: "predecode", "decode", "dsb", "lsd", "issue", "ports", "divider", "dependencies",
 *  "start_intervals", "port_conflicts". */
TACHO_API const char *tacho_bound_name(tacho_bound bound);
/** The names of `bottlenecks` (bits 1 << tacho_bound) with `separator` between them, as many as fit; "" when
 *  there is none. @return out */
TACHO_API const char *tacho_bottleneck_names(uint32_t bottlenecks, const char *separator, char *out,
                                             size_t size);
/** "iteration", "element", "byte". */
TACHO_API const char *tacho_work_name(tacho_work work);
/** Short name of the variant with bit `number`, as in JSON: "simple_front_end", "simple_port_assignment",
 *  "no_micro_fusion", "no_macro_fusion", "no_lsd_unrolling", "no_move_elimination", "full_move_elimination",
 *  "simple_memory"; "" for other numbers. */
TACHO_API const char *tacho_variant_name(unsigned number);
/** Short name as in JSON: "predecode", "decode", "ms", "dsb", "lsd", "rename", "ports", "divider",
 *  "start_intervals", "rob", "scheduler", "dependencies". */
TACHO_API const char *tacho_slot_reason_name(tacho_slot_reason reason);
/** "MITE", "DSB", "LSD", "mixed". */
TACHO_API const char *tacho_uop_source_name(tacho_uop_source source);
/** "loop", "unroll" or "auto". */
TACHO_API const char *tacho_mode_name(tacho_mode mode);

#ifdef __cplusplus
}
#endif
#endif
