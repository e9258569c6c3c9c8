/* trace.h - what happened to each µop in each cycle of a simulation, told to a listener.
 *
 * tacho_predict makes one more run, identical to the one that it averages, when options->trace is set;
 * without it nothing is spent on tracing. The stages are those of the uiCA paper, section 4.
 *
 * Core: stable within a major version. */
#ifndef TACHO_TRACE_H
#define TACHO_TRACE_H

#include "decode.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What a µop does, or why it needs no port. */
typedef enum tacho_trace_kind {
    TACHO_TRACE_COMPUTE = 0,
    TACHO_TRACE_LOAD,
    TACHO_TRACE_STORE_ADDRESS,
    TACHO_TRACE_STORE_DATA,
    TACHO_TRACE_STACK_SYNC,  /**< inserted before its instruction: adds the stack engine's offset to RSP */
    TACHO_TRACE_HIGH8_MERGE, /**< inserted before its instruction: merges AH, BH, CH or DH */
    /* The rest end at rename: no port, never ready, dispatched or executed. */
    TACHO_TRACE_ELIMINATED, /**< a move that the renamer executes */
    TACHO_TRACE_ZERO_IDIOM,
    TACHO_TRACE_NOP,
    TACHO_TRACE_RENAMED, /**< takes an issue slot and nothing more, for another reason */
    TACHO_TRACE_UNKNOWN, /**< of an instruction without figures */
    TACHO_TRACE_KIND_COUNT
} tacho_trace_kind;

/** Who put a µop into the µop queue. */
typedef enum tacho_trace_source {
    TACHO_TRACE_FROM_MITE = 0, /**< the decoders */
    TACHO_TRACE_FROM_MS,       /**< the microcode sequencer */
    TACHO_TRACE_FROM_DSB,
    TACHO_TRACE_FROM_LSD,
    TACHO_TRACE_FROM_RENAMER, /**< never was in the queue (HIGH8_MERGE) */
} tacho_trace_source;

typedef enum tacho_trace_carrier {
    TACHO_TRACE_REGISTER = 0,
    TACHO_TRACE_FLAGS,
    TACHO_TRACE_MEMORY,   /**< a load waits for an earlier store of the same address */
    TACHO_TRACE_INTERNAL, /**< between µops of one instruction */
    TACHO_TRACE_ORDER,    /**< a fence, or an access that a fence waits for */
} tacho_trace_carrier;

/** A µop needs a result of an earlier one. Only producers that were still in flight or recently retired when
 * the consumer was issued are named. */
typedef struct tacho_trace_edge {
    uint64_t producer;           /**< its number */
    uint32_t instruction;        /**< the producer's */
    uint32_t iteration;          /**< the producer's */
    int64_t through;             /**< number of the eliminated move that passed the value on; -1: none */
    tacho_trace_carrier carrier; /**< what passes the result on */
    tacho_reg reg;               /**< REGISTER and FLAGS: what carries it, as the consumer names it (a whole
                                      register: rax, zmm1; flags: a tacho_flag_group); else class NONE */
    int32_t ready;   /**< cycle in which a consumer can use it; MEMORY: in which the load can deliver it */
    int32_t latency; /**< cycles from the producer's dispatch to `ready` */
} tacho_trace_edge;

/** A µop. An issue slot (fused domain) has one of these for each of its µops, or a single one where none of
 *  them needs a port. Cycles count from 0, the first of the run; -1: it did not happen to this µop. */
typedef struct tacho_trace_uop {
    uint64_t number;      /**< in program order, from 0 */
    uint32_t instruction; /**< of the block, 0-based; for inserted µops the one that they are for */
    uint32_t iteration;
    uint32_t uop;  /**< which of the instruction's µops, 0-based */
    uint64_t slot; /**< issue slot, from 0: µops that are micro-fused share one */
    tacho_trace_kind kind;
    tacho_trace_source source;
    uint16_t ports;     /**< bit n: could use port n */
    int8_t port;        /**< chosen at issue; -1: none */
    int32_t predecoded; /**< only of those that the decoders made, and of their microcode */
    int32_t queued;     /**< entered the µop queue */
    int32_t issued;     /**< renamed, allocated and sent to the scheduler */
    int32_t ready;      /**< all operands there, and allowed to start */
    int32_t dispatched; /**< to its port */
    int32_t executed;   /**< finished */
    int32_t retired;
    const tacho_trace_edge *edges; /**< lives until the callback returns */
    uint32_t edge_count;
    int32_t waited_for; /**< index in edges of the operand that came last and later than the µop could have
                           been dispatched, or of the store that made a load take longer; -1: none */
} tacho_trace_uop;

/** The machine at the end of a cycle. */
typedef struct tacho_trace_cycle {
    int32_t cycle;
    uint32_t iq;         /**< instructions in the instruction queue */
    uint32_t idq;        /**< µops in the µop queue */
    uint32_t rob;        /**< fused µops in the reorder buffer */
    uint32_t scheduler;  /**< µops */
    uint32_t issued;     /**< fused µops issued in this cycle */
    uint32_t retired;    /**< fused µops retired in this cycle */
    uint32_t iterations; /**< retired up to now */
} tacho_trace_cycle;

/** Callbacks return 0; anything else ends the prediction, and tacho_predict returns it (without a message).
 */
typedef struct tacho_trace_listener {
    /** A µop was retired; in program order. May be NULL. */
    int (*uop)(const tacho_trace_uop *uop, void *payload);
    /** A cycle is over; its retirements were reported before. May be NULL. */
    int (*cycle)(const tacho_trace_cycle *cycle, void *payload);
    void *payload;
    uint32_t max_iterations; /**< retired iterations after which to stop, up to 1000000; 0: where the averaged
                                  part ends */
    uint32_t max_cycles;     /**< cycles after which to stop; 0: no limit of its own */
} tacho_trace_listener;

/** "compute", "load", "store-address", "store-data", "stack-sync", "high8-merge", "eliminated", "zero-idiom",
 *  "nop", "renamed", "unknown". */
TACHO_API const char *tacho_trace_kind_name(tacho_trace_kind kind);
/** "MITE", "MS", "DSB", "LSD", "renamer". */
TACHO_API const char *tacho_trace_source_name(tacho_trace_source source);
/** "register", "flags", "memory", "internal", "order". */
TACHO_API const char *tacho_trace_carrier_name(tacho_trace_carrier carrier);

#ifdef __cplusplus
}
#endif
#endif
