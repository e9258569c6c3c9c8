/* streams_internal.h - where streams may lie, so that they can be measured. */
#ifndef TACHO_STREAMS_INTERNAL_H
#define TACHO_STREAMS_INTERNAL_H

#include "machine/measure/protocol.h"
#include "tacho/loop_data.h"

/* Bytes that each stream may go on for, and that are between two of them. */
#define STREAMS_REACH ((uint64_t)1 << 30)
#define STREAMS_TOP   RUNNER_TOP
/* The sandbox's own, with what RIP-relative operands are moved to. */
#define STREAMS_TAKEN     (RUNNER_BASE - ((uint64_t)1 << 32))
#define STREAMS_TAKEN_END (RUNNER_RIP_DATA + ((uint64_t)1 << 32))

/* Lines that cross from a level to the one before: read and not written, and written; and from the core to
 * memory, past the caches. */
typedef struct data_lines {
    double read, written, past;
} data_lines;

/* Whether the description says what streams from all its levels take, as far as the core's model asks.
 * @return 0, UNSUPPORTED */
int data_check_streams(const tacho_memory *memory, const tacho_arch *arch, tacho_error *err);
/* Cycles that all transfers take, one after the other or at once: lines[i] cross from level `i`, of levels 1
 * to `last`. */
double data_transfer_cycles(const tacho_memory *memory, const tacho_arch *arch,
                            const data_lines lines[TACHO_MEMORY_LEVELS], uint32_t last);
/* Cycles of loads and stores that no transfer overlaps; 0 where all overlap. */
double data_exposed_cycles(const tacho_arch *arch, double loads, double stores);

#endif
