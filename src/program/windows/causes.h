/* causes.h - what no static model sees of a loop, seen in windows: subnormal numbers, accesses that cross
 * lines, stores that cannot be forwarded, branches that cannot be foreseen, data that do not fit a cache,
 * lines that two threads use in turn.
 *
 * An observer keeps a log of all steps, with what was seen of each (causes_log.c, and a file for each kind).
 * It is judged at the end, for the instructions of one place at a time (causes_find.c). Nothing here knows
 * ptrace, files or reports. */
#ifndef TACHO_WINDOWS_CAUSES_H
#define TACHO_WINDOWS_CAUSES_H

#include "program/windows/step.h"
#include "x86/decode/insn_struct.h"

typedef enum cause_kind {
    CAUSE_SUBNORMAL = 0, /* an operand or the result of floating-point arithmetic */
    CAUSE_LINE_CROSSING, /* an access lies in two cache lines ... */
    CAUSE_PAGE_CROSSING, /* ... in two pages */
    CAUSE_FORWARDING,    /* a load needs bytes that no single store in flight has */
    CAUSE_ALIAS_4K,      /* a load behind a store to the same place of another page */
    CAUSE_MISPREDICTION, /* a conditional branch that its history does not predict */
    CAUSE_CACHE,         /* data that do not fit a level of the caches */
    CAUSE_FALSE_SHARING, /* two threads use different bytes of a line in turn, at least one of them writes ...
                          */
    CAUSE_TRUE_SHARING,  /* ... the same bytes */
    CAUSE_KINDS
} cause_kind;

enum {
    CAUSES_NONE = UINT32_MAX
};

/* How a loop walks through memory. */
typedef enum cause_walk {
    CAUSE_WALK_NONE = 0,
    CAUSE_WALK_STRIDE, /* by the same number of bytes each time, nearly always */
    CAUSE_WALK_OTHER,
} cause_walk;

/** Of one instruction in a place. */
typedef struct cause {
    cause_kind kind;
    uint32_t site;  /* the instruction, see causes_site_at */
    uint32_t other; /* that of the store (FORWARDING, ALIAS_4K), of the other thread (SHARING); CAUSES_NONE */
    uint64_t executions, times; /* looked at, and how often it happened. MISPREDICTION: to an ideal predictor
                                   that remembers what the windows show */
    uint64_t windows;           /* in which the instruction was executed */
    double share, low, high;    /* times of executions; 95 % interval, for windows as units */
    bool is_store;              /* the access: LINE_CROSSING, PAGE_CROSSING, CACHE, SHARING */
    bool one_way;    /* SHARING: one of the two only reads. Shares are then of what can have made the line go
                        over: times, but no more than the other thread's accesses */
    double taken;    /* MISPREDICTION: share of the executions */
    cause_walk walk; /* CACHE */
    int64_t stride;  /* CACHE, of WALK_STRIDE: bytes */
    uint64_t least_bytes; /* CACHE: the data are at least so many, with 97.5 % */
    double reach_seconds; /* CACHE: the windows that tell this lie at least so far apart */
    bool dependent;       /* loads: the address was loaded by a former execution (a linked list) */
    uint64_t data;        /* SHARING: the first byte that this thread uses there ... */
    uint64_t process, other_thread;
} cause;

typedef struct causes causes;

/** @return NULL: memory ran out */
causes *causes_new(void);
void causes_free(causes *c);
/** Lives as long as `c`. */
step_observer causes_observer(causes *c);
bool causes_failed(const causes *c);

/** Instructions that were executed, by number. */
typedef struct cause_site {
    uint32_t object; /* as steps have it */
    uint64_t offset;
    tacho_insn insn; /* of length 0: not decoded */
    uint64_t executions;
    uint64_t process, address; /* of the first */
} cause_site;
size_t causes_site_count(const causes *c);
/** The addresses that an instruction loaded from (stored to), in the order of steps. @return how many: at
 * most `most` */
size_t causes_addresses(const causes *c, uint32_t site, bool store, uint64_t *out, size_t most);
const cause_site *causes_site_at(const causes *c, uint32_t number);

/** All that happened to instructions, worked out once, after the last window: those of one instruction one
 * after the other. *out lives as long as `c`. @return how many; 0 also where memory ran out (causes_failed)
 */
size_t causes_find(causes *c, const cause **out);

#endif
