/* characterise.h - latencies and throughput of an instruction form, measured on this machine.
 *
 * For each pair of a source and a target operand a loop is built in which the instruction's result becomes
 * its next source; what leads from the one to the other, where it cannot be one register, is measured in a
 * loop of its own and subtracted. For the throughput, independent instances. Method: A. Abel, J. Reineke,
 * "uops.info", ASPLOS 2019, section 5; doc/CHARACTERISE.md says how each figure is got.
 *
 * Tools: may change with each minor version. */
#ifndef TACHO_CHARACTERISE_H
#define TACHO_CHARACTERISE_H

#include "insndb.h"
#include "measure.h"
#include "options.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What of the source operand the latency is from: the members of tacho_latency. */
typedef enum tacho_path {
    TACHO_PATH_REGISTER = 0,  /**< a register or the flags */
    TACHO_PATH_ADDRESS,       /**< the base register of a memory operand */
    TACHO_PATH_ADDRESS_INDEX, /**< its index register */
    TACHO_PATH_MEMORY,        /**< the data in memory */
    TACHO_PATH_SAME_REGISTER, /**< all register operands are one register */
} tacho_path;

typedef enum tacho_latency_status {
    TACHO_LATENCY_OK = 0,
    TACHO_LATENCY_AT_MOST,      /**< an upper bound: see `why` */
    TACHO_LATENCY_ROUND_TRIP,   /**< through memory: a store and a load together */
    TACHO_LATENCY_INDEPENDENT,  /**< the loop is no slower than its links: on this core the target does not
                                   wait for the source */
    TACHO_LATENCY_NO_CHAIN,     /**< no loop can be built for this pair: see `why` */
    TACHO_LATENCY_NOT_MEASURED, /**< the loop has no stable time: see `measurement` and `why` */
} tacho_latency_status;

typedef struct tacho_measured_latency {
    uint8_t source, target; /**< operands of the form */
    tacho_path path;
    tacho_latency_status status;
    double cycles;       /**< NaN with INDEPENDENT, NO_CHAIN and NOT_MEASURED. Below 0.9: see `why` */
    double uncertainty;  /**< cycles, from the passes of the loop and of its links; NaN as `cycles` */
    double chain_cycles; /**< an iteration of the loop; NaN where it has no time */
    double subtracted;   /**< cycles of the links in it */
    unsigned divided_by; /**< how often an iteration passes through the pair */
    tacho_measure_status measurement;
    char chain[400]; /**< the loop, in Intel syntax; "" with NO_CHAIN */
    char why[200];
} tacho_measured_latency;

typedef struct tacho_measured_throughput {
    double cycles; /**< cycles an instance, in the fastest stable loop; NaN where none is */
    double uncertainty;
    tacho_mode mode;    /**< in which it was fastest; never AUTO */
    unsigned instances; /**< in the loop */
    bool at_most;       /**< an upper bound: see `breaks` and `why` */
    tacho_measure_status measurement;
    char breaks[200]; /**< instructions that end dependencies, an instance; "" none */
    char code[400];
    char why[200];
} tacho_measured_throughput;

enum {
    TACHO_MAX_MEASURED_LATENCIES = 64
};

/** A plain value of some 50 kB. */
typedef struct tacho_characterisation {
    uint32_t form;
    bool runs;     /**< this machine runs such an instruction; else see `why` */
    char why[200]; /**< why not */
    tacho_measured_throughput throughput;
    tacho_measured_latency latencies[TACHO_MAX_MEASURED_LATENCIES];
    unsigned latency_count;
    uint32_t notes;   /**< TACHO_MEASURE_* bits of all loops */
    char values[160]; /**< for which values, where the time depends on them; else "" */
} tacho_characterisation;

/** Initialise with TACHO_CHARACTERISE_OPTIONS_INIT. */
typedef struct tacho_characterise_options {
    size_t size;
    tacho_quality quality;
    unsigned attempts; /**< measurements of a loop that is not stable, 1..20; 0: 6, or 2 when quick */
} tacho_characterise_options;
#define TACHO_CHARACTERISE_OPTIONS_INIT TACHO_OPTIONS_INIT(characterise, .quality = TACHO_QUALITY_DEFAULT)
TACHO_OPTIONS(characterise);

/** Measures a form. That it cannot be measured is not an error: `runs` and the statuses say so.
 *  @return 0, TACHO_ERR_USAGE (no such form), TACHO_ERR_MEMORY, TACHO_ERR_SYSTEM */
TACHO_API int tacho_characterise(tacho_measurer *m, uint32_t form, const tacho_characterise_options *options,
                                 tacho_characterisation *out, tacho_error *err);

/** A way to time blocks: fills in the results of all jobs. @return as tacho_measure_many */
typedef int tacho_time_blocks(void *payload, tacho_measure_job *jobs, size_t count,
                              const tacho_measure_options *options, tacho_error *err);
/** The same with the loops timed in another way than by a measurer. @return also what `time` returns */
TACHO_API int tacho_characterise_by(tacho_time_blocks *time, void *payload, uint32_t form,
                                    const tacho_characterise_options *options, tacho_characterisation *out,
                                    tacho_error *err);
/** The same loops in the simulator, on any microarchitecture: what its table and its model make of the form.
 *  `clock` and the like of the measurements are 0. @return as tacho_characterise */
TACHO_API int tacho_characterise_predicted(const struct tacho_arch *arch, uint32_t form,
                                           tacho_characterisation *out, tacho_error *err);

typedef enum tacho_agreement {
    TACHO_NOT_COMPARED = 0, /**< there is no such figure, or no such measurement */
    TACHO_AGREES,
    TACHO_DIFFERS,
    TACHO_WITHIN_BOUND, /**< what was measured is an upper bound, and the table's figure is below it */
} tacho_agreement;

/** The table's latency for measured latency number `n`, and whether it agrees: to within half a cycle. Round
 *  trips are not compared: tables split them differently. *figure is NaN where the table has none,
 *  and without `arch`. */
TACHO_API tacho_agreement tacho_compare_latency(const struct tacho_arch *arch,
                                                const tacho_characterisation *c, unsigned n, double *figure);

/** The same for the throughput: the table's is the bound of ports, issue slots and divider. It agrees to
 *  within 10 % or 0.1 cycles. */
TACHO_API tacho_agreement tacho_compare_throughput(const struct tacho_arch *arch,
                                                   const tacho_characterisation *c, double *figure);

/** "ok", "at-most", "round-trip", "independent", "no-chain", "not-measured"; static storage. */
TACHO_API const char *tacho_latency_status_name(tacho_latency_status status);
/** "register", "address", "address-index", "memory", "same-register"; static storage. */
TACHO_API const char *tacho_path_name(tacho_path path);

/** Forms worth checking on any machine: number `n` from 0; NULL at the end. Names for tacho_form_find. */
TACHO_API const char *tacho_check_form(size_t n);

#ifdef __cplusplus
}
#endif
#endif
