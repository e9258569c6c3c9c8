/* child.h - the sandboxed process in which a block runs, seen from outside. */
#ifndef TACHO_MEASURE_CHILD_H
#define TACHO_MEASURE_CHILD_H

#include <stdbool.h>

#include "measure/protocol.h"
#include "tacho/error.h"

/** What children of one measurer share: the plan, the code, the block's memory. Start with CHILD_HOST_INIT.
 */
typedef struct child_host {
    runner_control *control; /**< shared with the child, which may write anything to it */
    uint8_t *code;           /**< RUNNER_PLACES times RUNNER_CODE_BYTES */
    int control_fd, data_fd, image_fd;
    int cpu; /**< children run on this processor */
    uint32_t place;
    uint32_t filter_length;
    uint64_t filter[RUNNER_FILTER_MAX];
} child_host;
#define CHILD_HOST_INIT                                                                                      \
    {                                                                                                        \
        NULL, NULL, -1, -1, -1, -1, 0, 0,                                                                    \
        {                                                                                                    \
            0                                                                                                \
        }                                                                                                    \
    }

typedef enum child_end {
    CHILD_EXITED,  /**< by itself; control->stage and ->failure say how far it came */
    CHILD_KILLED,  /**< by a signal that it could not handle */
    CHILD_TIMEOUT, /**< at its deadline */
} child_end;

/** @return 0, or TACHO_ERR_SYSTEM. Close also after a failure. */
int child_host_open(child_host *h, int cpu, tacho_error *err);
void child_host_close(child_host *h);

/** Where the plan's code goes from now on: each call gives it and the data other physical pages. @return
 * RUNNER_CODE_BYTES */
uint8_t *child_next_place(child_host *h);

/** Runs the plan in host->control in a new process, for at most `seconds` of real time.
 *  @return 0 with *end and, for CHILD_KILLED, *signal; TACHO_ERR_SYSTEM when no process could be started */
int child_run(child_host *h, double seconds, child_end *end, int *signal, tacho_error *err);

#endif
