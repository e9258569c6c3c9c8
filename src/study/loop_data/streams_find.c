/* streams_find.c - which accesses of a loop move on together (model/block/addresses.h), and how many lines
 * that takes; registers are given values for which all streams are apart. */

#include <math.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/search.h"
#include "model/block/addresses.h"
#include "study/loop_data/streams_internal.h"

enum {
    LINE = TACHO_MEMORY_LINE_BYTES,
    PAGE = 4096,
    TRIES = 400
};

/* ---- the code ---- */

typedef struct decoded {
    tacho_insn *insns;
    uint32_t *ends, count;
    address_step *steps;
    uint32_t step_count;
} decoded;

static void release(decoded *d)
{
    tacho_mem_free(d->insns);
    tacho_mem_free(d->ends);
    tacho_mem_free(d->steps);
}

static int decode(decoded *d, const uint8_t *code, size_t size, tacho_error *err)
{
    d->insns = tacho_mem_zalloc(size ? size : 1, sizeof *d->insns); /* one a byte at most */
    d->ends = tacho_mem_zalloc(size ? size : 1, sizeof *d->ends);
    if (!d->insns || !d->ends)
        return tacho_no_memory(err);
    for (size_t at = 0; at < size;) {
        int result = tacho_decode(&d->insns[d->count], code + at, size - at, err);
        if (result)
            return result;
        at += d->insns[d->count].length;
        d->ends[d->count++] = (uint32_t)at;
    }
    return d->count ? 0 : tacho_error_set(err, TACHO_ERR_INPUT, "no code");
}

/* ---- values of registers ---- */

/* Far apart, each at the beginning of a line; below the end of user space also where one of them is scaled by
 * 8. */
static void draw_registers(uint64_t registers[16], uint64_t *random)
{
    for (int i = 0; i < 16; i++) {
        const uint64_t chance = hash_mix((*random)++);
        registers[i] = (chance % 0x3ffff + 16) << 25 | (chance >> 40) % (PAGE / LINE) * LINE;
    }
}

static uint64_t low_end(const address_step *s, uint64_t reach)
{
    return s->step < 0 ? s->first - reach : s->first;
}

/* Whether what the streams reach is apart, where it can be mapped. */
static bool are_apart(const decoded *d)
{
    for (uint32_t i = 0; i < d->step_count; i++) {
        const address_step *a = &d->steps[i];
        if (!a->step)
            continue;
        const uint64_t low = low_end(a, STREAMS_REACH), high = low + STREAMS_REACH;
        if (low < STREAMS_REACH || high > STREAMS_TOP ||
            (low < STREAMS_TAKEN_END && high + STREAMS_REACH > STREAMS_TAKEN))
            return false;
        for (uint32_t k = 0; k < i; k++) {
            const address_step *b = &d->steps[k];
            const uint64_t other = low_end(b, STREAMS_REACH);
            if (b->step && b->array != a->array && low < other + 2 * STREAMS_REACH &&
                other < low + 2 * STREAMS_REACH)
                return false;
        }
    }
    return true;
}

/* Whether arrays begin at places of a page that are apart, as far as that can be asked of so many: a load
 * waits for an older store to the same place of another page, as if it were the same one. */
static bool are_spread(const decoded *d)
{
    uint32_t arrays = 0;
    for (uint32_t i = 0; i < d->step_count; i++)
        arrays += d->steps[i].step && d->steps[i].array == i;
    for (uint32_t i = 0; i < d->step_count; i++)
        for (uint32_t k = 0; k < i; k++) {
            const uint64_t gap = (d->steps[i].first - d->steps[k].first) % PAGE;
            const uint64_t near = gap < PAGE - gap ? gap : PAGE - gap;
            if (d->steps[i].step && d->steps[k].step && d->steps[i].array != d->steps[k].array &&
                near < PAGE / 2 / arrays)
                return false;
        }
    return true;
}

static int find_steps(decoded *d, uint64_t registers[16], tacho_error *err)
{
    const address_block b = {d->insns, d->ends, d->count};
    uint64_t random = 1;
    for (int i = 0; i < TRIES; i++) {
        draw_registers(registers, &random);
        tacho_mem_free(d->steps);
        int result = tacho_address_steps_find(&d->steps, &d->step_count, &b, registers, err);
        if (result || (are_apart(d) && (are_spread(d) || i > TRIES / 2)))
            return result;
    }
    return tacho_error_set(err, TACHO_ERR_LIMIT,
                           "no values of the registers are found for which the loop's streams lie apart");
}

/* ---- streams ---- */

static bool has_access(const decoded *d, const address_step *s, uint8_t access)
{
    return d->insns[s->insn].operands[s->operand].access & access;
}

/* In the direction in which the addresses move, the first ones first: these meet new lines. */
static int by_lead(const void *a_, const void *b_)
{
    const address_step *a = *(const address_step *const *)a_, *b = *(const address_step *const *)b_;
    const bool falling = a->step < 0;
    const uint64_t x = falling ? a->first : 0 - (a->first + a->bytes);
    const uint64_t y = falling ? b->first : 0 - (b->first + b->bytes);
    return ORDER(a->array, b->array) ?: ORDER((int64_t)(x - y), 0);
}

/* Lines that accesses of these bytes, `step` on in each iteration, meet for the first time. */
static double lines_of(uint64_t touched, uint64_t step)
{
    return step <= LINE ? (double)step / LINE : (double)((touched + LINE - 1) / LINE);
}

static int start_stream(tacho_streams *out, const address_step *a, tacho_error *err)
{
    if (out->count == TACHO_MAX_STREAMS)
        return tacho_error_set(err, TACHO_ERR_LIMIT, "the loop walks through more than %d arrays",
                               TACHO_MAX_STREAMS);
    out->list[out->count++] =
        (tacho_stream){.insn = a->insn, .step = a->step, .first = a->first, .span = a->bytes};
    return 0;
}

/* One more access, if it is near. @return how many bytes it lies behind the stream */
static uint64_t distance_behind(const tacho_stream *s, const address_step *a)
{
    const int64_t gap = s->step < 0 ? (int64_t)(a->first - (s->first + s->span))
                                    : (int64_t)(s->first - (a->first + a->bytes));
    return gap < 0 ? 0 : (uint64_t)gap;
}

static void add_access(tacho_stream *s, const address_step *a)
{
    const uint64_t low = a->first < s->first ? a->first : s->first;
    const uint64_t end = s->first + s->span, other = a->first + a->bytes;
    s->span = (end > other ? end : other) - low;
    s->first = low;
    s->insn = a->insn < s->insn ? a->insn : s->insn;
}

static uint64_t size_of(int64_t step)
{
    return step < 0 ? 0 - (uint64_t)step : (uint64_t)step;
}

/* Accesses of one array that are near each other, one stream; a gap that a line more than an iteration's step
 * does not fill begins another one, which comes behind. */
static int add_streams(tacho_streams *out, const decoded *d, const address_step **sorted, uint32_t count,
                       tacho_error *err)
{
    const address_step *last = NULL;
    for (uint32_t i = 0; i < count; i++) {
        const address_step *a = sorted[i];
        tacho_stream *s = out->count ? &out->list[out->count - 1] : NULL;
        const bool same = last && last->array == a->array;
        const uint64_t gap = same ? distance_behind(s, a) : 0, step = size_of(a->step);
        if (!same || gap > (step > LINE ? step : LINE)) {
            int result = start_stream(out, a, err);
            if (result)
                return result;
            s = &out->list[out->count - 1];
            s->behind = same ? gap + s[-1].span : 0;
        }
        add_access(s, a);
        s->read |= has_access(d, a, TACHO_READ);
        s->write |= has_access(d, a, TACHO_WRITE);
        last = a;
    }
    for (uint32_t i = 0; i < out->count; i++) {
        tacho_stream *s = &out->list[i];
        const uint64_t step = size_of(s->step);
        s->lines = lines_of(s->span < step ? s->span : step, step);
        out->bytes += s->behind ? 0 : s->lines * LINE;
    }
    return 0;
}

static int collect(tacho_streams *out, const decoded *d, tacho_error *err)
{
    uint32_t count = 0;
    TACHO_MEM_FREED const address_step **sorted = tacho_mem_zalloc(d->step_count + 1, sizeof *sorted);
    if (!sorted)
        return tacho_no_memory(err);
    for (uint32_t i = 0; i < d->step_count; i++) {
        const address_step *a = &d->steps[i];
        out->loads += has_access(d, a, TACHO_READ);
        out->stores += has_access(d, a, TACHO_WRITE);
        if (a->step)
            sorted[count++] = a;
        if (!a->irregular)
            continue;
        out->scattered_loads += has_access(d, a, TACHO_READ);
        out->scattered_stores += has_access(d, a, TACHO_WRITE) && !has_access(d, a, TACHO_READ);
        if (has_access(d, a, TACHO_READ) && out->scattered_count < TACHO_MAX_STREAMS &&
            (!out->scattered_count || out->scattered[out->scattered_count - 1] != a->insn))
            out->scattered[out->scattered_count++] = a->insn;
    }
    tacho_sort(sorted, count, sizeof *sorted, by_lead);
    return add_streams(out, d, sorted, count, err);
}

int tacho_streams_find(tacho_streams *out, const uint8_t *code, size_t size, tacho_error *err)
{
    decoded d = {.count = 0};
    *out = (tacho_streams){.count = 0};
    int result = decode(&d, code, size, err) ?: find_steps(&d, out->registers, err) ?: collect(out, &d, err);
    release(&d);
    return result;
}
