/* record.c - records of perf_event (perf_event_open(2), "MMAP layout"). Nothing in a record is trusted: a
 * file may be damaged. */
#include <math.h>

#include "base/byte_reader.h"
#include "program/hot/hot_causal_seen.h"
#include "program/hot/hot_threads_seen.h"
#include "program/hot/hot_windows.h"

static uint64_t take8(byte_reader *r)
{
    return bytes_take(r, 8);
}

static uint32_t take4(byte_reader *r)
{
    return (uint32_t)bytes_take(r, 4);
}

record_form record_form_of(const struct perf_event_attr *attr)
{
    return (record_form){attr->sample_type, attr->read_format, attr->branch_sample_type,
                         attr->sample_regs_user, attr->sample_id_all};
}

static size_t words(uint64_t bits)
{
    return 8 * (size_t)__builtin_popcountll(bits);
}

/* What identifies records that are no samples, at their end, in this order: */
static const uint64_t id_fields = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
                                  PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER;

static void read_id(byte_reader *r, uint64_t type, uint64_t *time, uint64_t *id)
{
    if (type & PERF_SAMPLE_TID)
        bytes_pass(r, 8);
    if (type & PERF_SAMPLE_TIME)
        *time = take8(r);
    if (type & PERF_SAMPLE_ID)
        *id = take8(r);
    if (type & PERF_SAMPLE_STREAM_ID)
        bytes_pass(r, 8);
    if (type & PERF_SAMPLE_CPU)
        bytes_pass(r, 8);
    if (type & PERF_SAMPLE_IDENTIFIER)
        *id = take8(r);
}

/* What a sample begins with. */
static void read_sample_start(byte_reader *r, uint64_t type, record *out)
{
    if (type & PERF_SAMPLE_IDENTIFIER)
        out->id = take8(r);
    if (type & PERF_SAMPLE_IP)
        out->address = take8(r);
    if (type & PERF_SAMPLE_TID) {
        out->pid = take4(r);
        out->tid = take4(r);
    }
    if (type & PERF_SAMPLE_TIME)
        out->time = take8(r);
    if (type & PERF_SAMPLE_ADDR)
        bytes_pass(r, 8);
    if (type & PERF_SAMPLE_ID)
        out->id = take8(r);
    if (type & PERF_SAMPLE_STREAM_ID)
        bytes_pass(r, 8);
    if (type & PERF_SAMPLE_CPU)
        bytes_pass(r, 8);
    if (type & PERF_SAMPLE_PERIOD)
        out->period = take8(r);
}

/* The values of the event and, in a group, of its neighbours. */
static void pass_counts(byte_reader *r, uint64_t format)
{
    uint64_t times = format & (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING);
    size_t each = 8 + words(format & (PERF_FORMAT_ID | (uint64_t)1 << 4)); /* 1 << 4: PERF_FORMAT_LOST */
    uint64_t count = format & PERF_FORMAT_GROUP ? take8(r) : 1;
    bytes_pass(r, words(times));
    if (count > (uint64_t)(r->end - r->at) / each)
        r->failed = true;
    else
        bytes_pass(r, count * each);
}

static void read_branches(byte_reader *r, uint64_t branch_type, record *out)
{
    const uint64_t with_index = (uint64_t)1 << 17; /* PERF_SAMPLE_BRANCH_HW_INDEX */
    uint64_t count = take8(r);
    if (branch_type & with_index)
        bytes_pass(r, 8);
    for (uint64_t i = 0; i < count && !r->failed; i++) {
        hot_branch branch = {.from = take8(r), .to = take8(r)};
        branch.cycles = (uint32_t)(take8(r) >> 4 & 0xffff); /* after four flags */
        if (!r->failed && out->branch_count < RECORD_MAX_BRANCHES)
            out->branches[out->branch_count++] = branch;
    }
}

/* In the order of enum perf_event_x86_regs: AX BX CX DX SI DI BP SP, then others, then R8 to R15. */
static void read_registers(byte_reader *r, uint64_t which, record *out)
{
    static const uint8_t numbers[24] = {0, 3, 1, 2, 6, 7, 5, 4, [16] = 8, 9, 10, 11, 12, 13, 14, 15};
    uint64_t abi = take8(r);
    if (abi == PERF_SAMPLE_REGS_ABI_NONE)
        return;
    for (unsigned i = 0; i < 64; i++) {
        uint64_t value = which >> i & 1 ? take8(r) : 0;
        if (RECORD_REGISTERS >> i & 1)
            out->registers[numbers[i]] = value;
        if (RECORD_USER_ADDRESS >> i & 1)
            out->user_address = value;
    }
    out->has_registers =
        !r->failed && abi == PERF_SAMPLE_REGS_ABI_64 && (which & RECORD_REGISTERS) == RECORD_REGISTERS;
}

/* The copy's size, the copy, and how much of it is filled. */
static void read_stack(byte_reader *r, record *out)
{
    const uint64_t size = take8(r);
    out->stack = size ? r->at : NULL;
    bytes_pass(r, size);
    const uint64_t filled = size ? take8(r) : 0;
    out->stack_bytes = !r->failed && filled <= size ? filled : 0;
}

static void read_sample(byte_reader *r, const record_form *form, record *out)
{
    read_sample_start(r, form->sample_type, out);
    if (form->sample_type & PERF_SAMPLE_READ)
        pass_counts(r, form->read_format);
    if (form->sample_type & PERF_SAMPLE_CALLCHAIN) {
        uint64_t count = take8(r);
        if (count > (uint64_t)(r->end - r->at) / 8)
            r->failed = true;
        else
            bytes_pass(r, 8 * count);
    }
    if (form->sample_type & PERF_SAMPLE_RAW)
        bytes_pass(r, take4(r));
    if (form->sample_type & PERF_SAMPLE_BRANCH_STACK)
        read_branches(r, form->branch_type, out);
    if (form->sample_type & PERF_SAMPLE_REGS_USER)
        read_registers(r, form->registers, out);
    if (form->sample_type & PERF_SAMPLE_STACK_USER)
        read_stack(r, out);
}

static void read_mapping(byte_reader *r, record *out)
{
    const uint16_t with_build_id = 1 << 14; /* PERF_RECORD_MISC_MMAP_BUILD_ID */
    out->pid = take4(r);
    out->tid = take4(r);
    out->address = take8(r);
    out->length = take8(r);
    out->offset = take8(r);
    out->executable = !(out->misc & PERF_RECORD_MISC_MMAP_DATA);
    if (out->type == PERF_RECORD_MMAP2 && out->misc & with_build_id) {
        uint32_t bytes = (uint32_t)bytes_take(r, 1);
        bytes_pass(r, 3);
        const uint8_t *id = r->at;
        bytes_pass(r, TACHO_HOT_BUILD_ID_BYTES);
        if (!r->failed && bytes <= TACHO_HOT_BUILD_ID_BYTES) {
            memcpy(out->file.build_id, id, bytes);
            out->file.build_id_bytes = bytes;
        }
    } else if (out->type == PERF_RECORD_MMAP2) {
        out->file.major = take4(r);
        out->file.minor = take4(r);
        out->file.inode = take8(r);
        bytes_pass(r, 8);
    }
    if (out->type == PERF_RECORD_MMAP2) {
        const uint32_t may_execute = 4; /* PROT_EXEC */
        out->executable = take4(r) & may_execute;
        bytes_pass(r, 4);
    }
    out->path = (const char *)r->at;
    if (r->failed || !memchr(r->at, 0, (size_t)(r->end - r->at)))
        r->failed = true;
}

static void read_task(byte_reader *r, record *out)
{
    out->pid = take4(r);
    if (out->type == PERF_RECORD_COMM) {
        const uint16_t by_exec = 1 << 13; /* PERF_RECORD_MISC_COMM_EXEC */
        out->tid = take4(r);
        out->exec = out->misc & by_exec;
        return;
    }
    out->parent = take4(r);
    out->tid = take4(r);
    out->parent_tid = take4(r);
    out->time = take8(r);
}

/* All that it says is what identifies it. */
static void read_switch(byte_reader *r, const record_form *form, record *out)
{
    const uint64_t needed = PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
    r->failed |= !form->ids || (form->sample_type & needed) != needed;
    out->pid = take4(r);
    out->tid = take4(r);
    out->time = take8(r);
}

static bool read_header(byte_reader *r, record *out, const uint8_t *bytes, size_t size)
{
    *r = (byte_reader){bytes, bytes + size, false};
    out->type = take4(r);
    out->misc = (uint16_t)bytes_take(r, 2);
    return size >= RECORD_HEADER_BYTES && bytes_take(r, 2) == size && !r->failed;
}

int record_when(uint64_t *time, uint64_t *id, const uint8_t *bytes, size_t size, const record_form *form)
{
    byte_reader r;
    record head;
    *time = *id = 0;
    head.id = head.time = 0;
    if (!read_header(&r, &head, bytes, size))
        return -1;
    if (head.type == PERF_RECORD_SAMPLE) {
        read_sample_start(&r, form->sample_type, &head);
        *time = head.time;
        *id = head.id;
        return r.failed ? -1 : 0;
    }
    size_t tail = words(form->sample_type & id_fields);
    if (!form->ids || head.type >= 64) /* 64 and above: perf's own, in files */
        return 0;
    if (size < RECORD_HEADER_BYTES + tail)
        return -1;
    r.at = r.end - tail;
    read_id(&r, form->sample_type, time, id);
    return r.failed ? -1 : 0;
}

int perf_record_read(record *out, const uint8_t *bytes, size_t size, const record_form *form)
{
    byte_reader r;
    *out = (record){.type = 0};
    if (!read_header(&r, out, bytes, size))
        return -1;
    switch (out->type) {
    case PERF_RECORD_SAMPLE:
        read_sample(&r, form, out);
        break;
    case PERF_RECORD_MMAP:
    case PERF_RECORD_MMAP2:
        read_mapping(&r, out);
        break;
    case PERF_RECORD_COMM:
    case PERF_RECORD_FORK:
    case PERF_RECORD_EXIT:
        read_task(&r, out);
        break;
    case PERF_RECORD_SWITCH:
        read_switch(&r, form, out);
        break;
    case PERF_RECORD_LOST:
        bytes_pass(&r, 8);
        out->lost = take8(&r);
        break;
    case PERF_RECORD_LOST_SAMPLES:
        out->lost = take8(&r);
        break;
    case PERF_RECORD_THROTTLE:
        break;
    default:
        return 1;
    }
    return r.failed ? -1 : 0;
}

static int apply_sample(hot_tally *b, const record *r)
{
    unsigned mode = r->misc & PERF_RECORD_MISC_CPUMODE_MASK;
    if (mode != PERF_RECORD_MISC_USER) {
        b->profile.kernel++;
        hot_threads_sampled(b, r);
        return 0;
    }
    hot_windows_sampled(b->windows, r->pid, r->tid);
    if (hot_threads_sampled(b, r) || hot_causal_sampled(b, r))
        return 0;
    int rc = tally_sample(b, r->pid, r->address, r->period ? (double)r->period : 1);
    if (!rc && r->has_registers && (b->profile.via == TACHO_HOT_CLOCK || b->profile.via == TACHO_HOT_CYCLES))
        rc = pairs_add(b,
                       &(pairs_sample){.process = r->pid,
                                       .thread = r->tid,
                                       .address = r->address,
                                       .time = (double)r->time * 1e-9,
                                       .period = b->profile.via == TACHO_HOT_CLOCK ? (double)r->period * 1e-9
                                                                                   : (double)r->period,
                                       .cycles = b->profile.via == TACHO_HOT_CYCLES,
                                       .registers = r->registers});
    return rc || !r->branch_count ? rc : tally_branches(b, r->pid, r->branches, r->branch_count);
}

int record_apply(hot_tally *b, const record *r)
{
    hot_causal_told(b, r);
    switch (r->type) {
    case PERF_RECORD_SWITCH:
        return 0;
    case PERF_RECORD_SAMPLE:
        return apply_sample(b, r);
    case PERF_RECORD_MMAP:
    case PERF_RECORD_MMAP2:
        return r->pid == UINT32_MAX ? 0
               : r->executable ? tally_map(b, r->pid, r->address, r->length, r->offset, r->path, &r->file)
                               : areas_add(&b->pairs, r->pid, r->address, r->address + r->length, NAN);
    case PERF_RECORD_COMM:
        if (r->exec)
            threads_exec(b->threads, (pid_t)r->pid);
        return r->exec ? tally_exec(b, r->pid) : 0;
    case PERF_RECORD_FORK:
        threads_begins(b->threads);
        if (r->pid == r->parent)
            return tally_thread(b, r->pid);
        threads_add(b->threads, (pid_t)r->pid, false);
        return tally_fork(b, r->parent, r->pid);
    case PERF_RECORD_EXIT:
        tally_exit(b, r->pid);
        return 0;
    case PERF_RECORD_THROTTLE:
        b->profile.throttled++;
        return 0;
    default:
        b->profile.lost += r->lost;
        return 0;
    }
}
