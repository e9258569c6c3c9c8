/* record.h - what perf_event tells, in a ring buffer or in a file: single records. The format is that of
 * perf_event_open(2) and linux/perf_event.h. */
#ifndef TACHO_HOT_RECORD_H
#define TACHO_HOT_RECORD_H

#include <asm/perf_regs.h>
#include <linux/perf_event.h>

#include "program/hot/hot_internal.h"

/** How an event's records are laid out, as its attributes say. */
typedef struct record_form {
    uint64_t sample_type, read_format, branch_type;
    uint64_t registers; /* a bit for each that a sample has */
    bool ids;           /* other records than samples end in an identification, too */
} record_form;

record_form record_form_of(const struct perf_event_attr *attr);

enum {
    RECORD_HEADER_BYTES = 8,
    RECORD_MAX_BRANCHES = 64
};
/** The general registers, as bits of sample_regs_user. */
#define RECORD_REGISTERS    0xff00ffull
#define RECORD_USER_ADDRESS (1ull << PERF_REG_X86_IP)

/** What is of interest in a record. Fields that its kind does not have are 0. */
typedef struct record {
    uint32_t type;
    uint16_t misc;
    uint32_t pid, tid, parent, parent_tid;
    uint64_t time, id, period;
    uint64_t address; /* of a sample's instruction, or where a mapping begins */
    uint64_t length, offset;
    uint64_t lost;
    bool executable, exec; /* a mapping of code; COMM: by exec */
    hot_file_id file;
    const char *path; /* of a mapping; points into the record */
    hot_branch branches[RECORD_MAX_BRANCHES];
    size_t branch_count;
    bool has_registers; /* of the sample, of 64-bit code */
    uint64_t registers[PAIRS_REGISTERS];
    uint64_t user_address; /* of a sample in the kernel: where it was called; 0: not known */
    const uint8_t *stack;  /* from the stack pointer on; points into the record. NULL: it has none */
    size_t stack_bytes;
} record;

/** Reads the record of `size` bytes, its header included. @return 0; -1: it is damaged; 1: of no interest */
int perf_record_read(record *out, const uint8_t *bytes, size_t size, const record_form *form);
/** Only when and (where records say so) of which event; 0 where they do not. @return 0, or -1: damaged */
int record_when(uint64_t *time, uint64_t *id, const uint8_t *bytes, size_t size, const record_form *form);
/** Puts a record down. @return as tally.c; records that say nothing new do nothing */
int record_apply(hot_tally *b, const record *r);

#endif
