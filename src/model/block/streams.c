/* streams.c - see streams.h.
 *
 * Two iterations, one after the other, are followed side by side. If registers and addresses have moved by as
 * much at the end of both as at their start, and instructions that do more than add find the same in both,
 * then so it is in the next iteration, and in all: what adds passes the same differences on, everything else
 * computes the same again. */
#include "model/block/streams.h"

#include "model/block/registers.h"

#define MOST_STEP ((int64_t)1 << 32) /* bytes */

enum {
    ITERATIONS = 3,     /* that are compared with the next ones */
    MOST_PAIRS = 4096,  /* of a load and a store */
    MOST_RUN = 1 << 24, /* iterations of a run */
    PART_OF_WORD = 4,   /* a load of fewer bytes can depend on its whole word: registers.c */
    WORD_REST = WORD_BYTES - 1
};

/* Whether the instruction passes on the differences between what it finds, as far as `needed` registers go.
 */
static bool is_sum(const block_insn *bi, uint16_t needed)
{
    const bool from_register = bi->value_source < 16,
               whole = bi->value_width == 8 && (!from_register || bi->value_source_width == 8);
    switch (bi->value_op) {
    case VALUE_LEA:
    case VALUE_EXCHANGE:
        return bi->value_width == 8;
    case VALUE_ONE:
        return whole && from_register &&
               (bi->value_kind == OP_MOVE || bi->value_kind == OP_INC || bi->value_kind == OP_DEC);
    case VALUE_TWO:
        if (bi->value_kind == OP_XOR && bi->value_first == bi->value_source)
            return true;
        return whole && (bi->value_kind == OP_ADD || bi->value_kind == OP_SUB) &&
               (from_register || !bi->mem_count);
    case VALUE_POP:
        return bi->value_target >= 16 || !(needed >> bi->value_target & 1);
    default:
        return true; /* it only moves RSP, or leaves another number each time */
    }
}

/* What other instructions compute with. */
static uint16_t found_by(const block_insn *bi, const tacho_arch *arch)
{
    return bi->value_op == VALUE_POP ? 1u << UNIT_RSP : registers_sources(bi, arch, 0);
}

static bool are_same(const register_values *v, const register_values *next, uint16_t registers)
{
    for (uint32_t left = registers; left; left &= left - 1)
        if (v->r[__builtin_ctz(left)] != next->r[__builtin_ctz(left)])
            return false;
    return !((v->constant ^ next->constant) & registers);
}

/* The addresses of one instruction's accesses, in iteration n and the next. */
static bool follow_accesses(access_stream *out, const block_insn *bi, const register_values *v,
                            const register_values *next, uint32_t n)
{
    for (int k = 0; k < bi->mem_count; k++) {
        const mem_access *m = &bi->mem[k];
        const uint64_t at = registers_store_address(v, bi, m), then = registers_store_address(next, bi, m);
        if (m->unknown_address)
            continue;
        if (n == 0)
            out[k] = (access_stream){at, then - at};
        if (at != out[k].first + n * out[k].step || then - at != out[k].step)
            return false;
        /* of an access that reads and writes the stack, each half would have its own */
        if (m->read && m->write && m->implicit_stack && bi->stack_delta)
            return false;
    }
    return true;
}

static bool follow_iteration(access_stream (*out)[INSN_MAX_MEM], const block *b, register_values *v,
                             register_values *next, uint16_t needed, uint32_t n)
{
    for (uint32_t i = 0; i < b->insn_count; i++) {
        const block_insn *bi = &b->insns[i];
        if (!follow_accesses(out[i], bi, v, next, n))
            return false;
        if (!registers_matter(bi, needed))
            continue;
        if (n + 1 == ITERATIONS && !is_sum(bi, needed) && !are_same(v, next, found_by(bi, b->arch)))
            return false;
        registers_step(v, bi, registers_no_word, NULL);
        registers_step(next, bi, registers_no_word, NULL);
    }
    registers_advance(v, b);
    registers_advance(next, b);
    return true;
}

bool streams_find(access_stream (*out)[INSN_MAX_MEM], const block *b, const tacho_predict_options *options)
{
    const uint16_t needed = registers_needed(b);
    register_values v, next, before, before_next;
    registers_init(&v, b->arch, options);
    next = v;
    for (uint32_t i = 0; i < b->insn_count; i++)
        if (registers_matter(&b->insns[i], needed))
            registers_step(&next, &b->insns[i], registers_no_word, NULL);
    registers_advance(&next, b);
    for (uint32_t n = 0; n < ITERATIONS; n++) {
        before = v;
        before_next = next;
        if (!follow_iteration(out, b, &v, &next, needed, n))
            return false;
    }
    for (uint32_t left = needed; left; left &= left - 1) {
        const int k = __builtin_ctz(left);
        if (next.r[k] - v.r[k] != before_next.r[k] - before.r[k])
            return false;
    }
    return !((next.constant ^ v.constant) & needed);
}

/* Whether `distance` + n * `step` lies between -`before` and `after` for some n from `from` to MOST_RUN. */
static bool comes_near(__int128 distance, int64_t step, int64_t before, int64_t after, int64_t from)
{
    if (step < 0)
        return comes_near(-distance, -step, after, before, from);
    __int128 n = from;
    if (step && distance + n * step <= -before)
        n = (-before - distance) / step + 1;
    return n <= MOST_RUN && distance + n * step > -before && distance + n * step < after;
}

/* Whether the load, in some iteration, reads what the store wrote in that one or `from` or more before it. */
static bool meet(const access_stream *load, const access_stream *store, int64_t load_bytes,
                 int64_t store_bytes, int64_t from)
{
    const int64_t distance = (int64_t)(load->first - store->first), one = (int64_t)load->step,
                  other = (int64_t)store->step;
    if (one < -MOST_STEP || one > MOST_STEP || other < -MOST_STEP || other > MOST_STEP)
        return true;
    if (one == other)
        return comes_near(distance, one, load_bytes, store_bytes, from);
    const int64_t most = 2 * MOST_RUN * MOST_STEP;
    return distance > -most && distance < most;
}

static bool load_meets(const access_stream (*streams)[INSN_MAX_MEM], const block *b, uint32_t insn,
                       int access)
{
    const mem_access *m = &b->insns[insn].mem[access];
    const int64_t bytes = registers_access_bytes(m) + (m->bytes && m->bytes < PART_OF_WORD ? WORD_REST : 0);
    for (uint32_t i = 0; i < b->insn_count; i++)
        for (int k = 0; k < b->insns[i].mem_count; k++) {
            const mem_access *store = &b->insns[i].mem[k];
            if (store->write && !store->unknown_address &&
                meet(&streams[insn][access], &streams[i][k], bytes,
                     registers_access_bytes(store) + bytes - registers_access_bytes(m), i >= insn))
                return true;
        }
    return false;
}

bool streams_meet(const access_stream (*streams)[INSN_MAX_MEM], const block *b)
{
    uint32_t loads = 0, stores = 0;
    for (uint32_t i = 0; i < b->insn_count; i++)
        for (int k = 0; k < b->insns[i].mem_count; k++) {
            loads += b->insns[i].mem[k].read;
            stores += b->insns[i].mem[k].write;
        }
    if (loads * stores > MOST_PAIRS)
        return true;
    for (uint32_t i = 0; i < b->insn_count; i++)
        for (int k = 0; k < b->insns[i].mem_count; k++)
            if (b->insns[i].mem[k].read && !b->insns[i].mem[k].unknown_address &&
                load_meets(streams, b, i, k))
                return true;
    return false;
}
