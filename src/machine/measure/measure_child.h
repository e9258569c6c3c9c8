/* measure_child.h - the sandboxed process in which a block runs, seen from outside. */
#ifndef TACHO_MEASURE_CHILD_H
#define TACHO_MEASURE_CHILD_H

#include <stdbool.h>

#include "machine/measure/protocol.h"
#include "tacho/error.h"

/** What children of one measurer share: the plan, the code, the block's memory. Start with CHILD_HOST_INIT.
 */
typedef struct child_host {
    runner_plan *plan;           /**< what the child is to do */
    const runner_report *report; /**< what it did: read-only, and checked by child_run */
    uint8_t *code;               /**< RUNNER_PLACES times RUNNER_CODE_BYTES */
    int plan_fd, data_fd, report_fd, image_fd;
    int cpu; /**< children run on this processor */
    uint32_t place;
} child_host;
#define CHILD_HOST_INIT                                                                                      \
    {                                                                                                        \
        NULL, NULL, NULL, -1, -1, -1, -1, -1, 0                                                              \
    }

typedef enum child_end {
    CHILD_EXITED,  /**< by itself; report->stage and ->failure say how far it came */
    CHILD_KILLED,  /**< by a signal that it could not handle */
    CHILD_TIMEOUT, /**< at its deadline */
    CHILD_NONSENSE /**< by itself, and its report cannot be true */
} child_end;

/** @return 0, or TACHO_ERR_SYSTEM. Close also after a failure. */
int child_host_open(child_host *h, int cpu, tacho_error *err);
void child_host_close(child_host *h);

/** Where the plan's code goes from now on: each call gives it and the data other physical pages. @return
 * RUNNER_CODE_BYTES */
uint8_t *child_next_place(child_host *h);

/** Whether the report can be that of the plan: its counts are within limits, its stage and failure fit. What
 * else is in it may be anything. */
bool child_report_is_possible(const runner_plan *plan, const runner_report *r);

/** Where generated code goes at its end (codegen_block.return_address). */
uint64_t child_return_address(void);

/** Runs host->plan in a new process, for at most `seconds` of real time.
 *  @return 0 with *end and, for CHILD_KILLED, *signal; TACHO_ERR_SYSTEM when no process could be started */
int child_run(child_host *h, double seconds, child_end *end, int *signal, tacho_error *err);

#endif
