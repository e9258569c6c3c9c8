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

#endif
