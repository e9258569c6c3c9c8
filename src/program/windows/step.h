/* step.h - what is told of a window: instructions of a running program that are executed one by one.
 *
 * The engine (which stops and steps threads) tells observers; observers know neither ptrace nor where the
 * steps come from, so that tests can make streams up. */
#ifndef TACHO_WINDOWS_STEP_H
#define TACHO_WINDOWS_STEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/user.h>

#include "tacho/decode.h"

enum {
    STEP_MAX_ACCESSES = 8
};

/** Memory that an instruction is about to access; gathers' and scatters' elements are not among them. */
typedef struct step_access {
    uint64_t address; /* virtual, in its process */
    uint32_t bytes;
    bool store;
} step_access;

static inline bool step_crosses(const step_access *a, uint64_t unit)
{
    return a->address / unit != (a->address + a->bytes - 1) / unit;
}

static inline bool step_overlap(const step_access *a, const step_access *b)
{
    return a->address < b->address + b->bytes && b->address < a->address + a->bytes;
}

/** As if only the low 12 bits were known. */
static inline bool step_overlap_in_page(const step_access *a, const step_access *b)
{
    uint64_t forth = (b->address - a->address) % 4096, back = (a->address - b->address) % 4096;
    return forth < a->bytes || back < b->bytes;
}

/** Values of the thread that stands before the instruction, asked for only where they are needed (each is a
 *  system call). All return false where the value cannot be had. */
typedef struct step_values {
    bool (*vector)(void *payload, unsigned number,
                   uint8_t out[64]); /* ZMM, wider than what is valid: zeros */
    bool (*mxcsr)(void *payload, uint32_t *out);
    bool (*memory)(void *payload, uint64_t address, void *out, size_t bytes);
    void *payload;
} step_values;

/** An instruction that is about to be executed. Valid during the call only, but for `insn`, which is the same
 *  pointer each time that this code is executed and lives as long as the windows. */
typedef struct step {
    uint64_t process, thread;
    uint64_t address;              /* of the instruction, virtual */
    uint64_t index;                /* of the step in its window, from 0 */
    const struct tacho_insn *insn; /* NULL: not decoded */
    const struct user_regs_struct *registers;
    const step_access *accesses; /* loads first */
    size_t access_count;
    const step_values *values;
    uint32_t object; /* what the code lies in: a number of the windows' (windows_object_at) */
    uint64_t offset; /* of the instruction in that file; in memory its address */
} step;

/** Who is told. Steps of a window are consecutive in one thread; windows of several threads take turns. */
typedef struct step_observer {
    void (*begin)(void *payload, uint64_t process, uint64_t thread, double seconds); /* since the run began */
    void (*step)(void *payload, const step *s);
    void (*end)(void *payload, double taken); /* seconds, of the window */
    void *payload;
} step_observer;

#endif
