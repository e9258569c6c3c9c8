/* block_elements.c - how many elements an iteration works on, from how far the addresses of its accesses
 * move; the rule is in doc/JSON.md, under elements.
 *
 * Accesses that move together, each iteration by the same number of bytes, are a stream. Of these bytes it
 * touches some or all: overlapping loads of a stencil count once, gaps of a column of a matrix not at all.
 * How wide an element is, the instructions say: that of the access, or those that the data of a vector come
 * from or go to. What streams disagree on is not known. */

#include "base/search.h"
#include "model/block/addresses.h"
#include "x86/decode/operations.h"
#include "x86/decode/regs.h"

enum {
    MOST_ONE = 8, /* bytes of a scalar */
    MIXED = 0xff  /* elements of several widths */
};

/* ---- the width of an access's elements ---- */

typedef struct subject {
    const block *b;
    const element_widths *widths; /* of each instruction */
} subject;

static uint32_t bit_of(tacho_reg reg)
{
    return reg_is_vector(reg) ? 1u << reg.number : 0;
}

static uint32_t vectors(const tacho_insn *insn, uint8_t access)
{
    uint32_t out = 0;
    for (int i = 0; i < insn->operand_count; i++)
        if (insn->operands[i].kind == TACHO_OPERAND_REG && insn->operands[i].access & access)
            out |= bit_of(insn->operands[i].reg);
    return out;
}

static uint32_t indices(const tacho_insn *insn)
{
    uint32_t out = 0;
    for (int i = 0; i < insn->operand_count; i++)
        if (insn->operands[i].kind == TACHO_OPERAND_MEM)
            out |= bit_of(insn->operands[i].mem.index);
    return out;
}

static void note_width(uint8_t *width, uint8_t one)
{
    if (one)
        *width = *width && *width != one ? MIXED : one;
}

/* What reads the data that instruction `from` loads, up to its next execution. */
static uint8_t width_of_readers(const subject *s, uint32_t from)
{
    const block *b = s->b;
    uint32_t data = vectors(b->insns[from].insn, TACHO_WRITE);
    uint8_t width = 0;
    for (uint32_t k = 1; k < b->insn_count && data; k++) {
        const uint32_t i = (from + k) % b->insn_count;
        const tacho_insn *insn = b->insns[i].insn;
        const element_widths w = s->widths[i];
        const uint32_t as_index = indices(insn), written = vectors(insn, TACHO_WRITE);
        bool reads = (as_index ? as_index : vectors(insn, TACHO_READ)) & data;
        if (reads)
            note_width(&width, w.read);
        data = reads && w.passes ? data | written : data & ~written;
    }
    return width;
}

/* What writes the data that instruction `to` stores, back to its last execution. */
static uint8_t width_of_writers(const subject *s, uint32_t to)
{
    const block *b = s->b;
    uint32_t data = vectors(b->insns[to].insn, TACHO_READ);
    uint8_t width = 0;
    for (uint32_t k = 1; k < b->insn_count && data; k++) {
        const uint32_t i = (to + b->insn_count - k) % b->insn_count;
        const tacho_insn *insn = b->insns[i].insn;
        const element_widths w = s->widths[i];
        const uint32_t written = vectors(insn, TACHO_WRITE);
        if (!(written & data))
            continue;
        note_width(&width, w.written);
        data &= ~written;
        data |= w.passes ? vectors(insn, TACHO_READ) : 0;
    }
    return width;
}

/* 0: not known. */
static uint8_t width_of_access(const subject *s, const address_step *at)
{
    const tacho_insn *insn = s->b->insns[at->insn].insn;
    const element_widths w = s->widths[at->insn];
    const bool loads = insn->operands[at->operand].access & TACHO_READ;
    uint8_t width = loads ? w.read : w.written;
    if (!width && w.passes)
        width = loads ? width_of_readers(s, at->insn) : width_of_writers(s, at->insn);
    if (!width && w.one && at->bytes <= MOST_ONE)
        width = (uint8_t)at->bytes;
    return width;
}

/* ---- streams ---- */

typedef struct stream {
    uint64_t bytes; /* an iteration */
    uint8_t width;  /* of an element; 0 not known, or MIXED */
} stream;

typedef struct span {
    uint64_t from, to;
} span;

ORDER_BY(by_start, span, from);

/* How many of the bytes 0 .. step - 1 are in one of these. */
static uint64_t covered(span *spans, uint32_t count)
{
    uint64_t bytes = 0, end = 0;
    tacho_sort(spans, count, sizeof *spans, by_start);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t from = spans[i].from > end ? spans[i].from : end;
        if (spans[i].to > from) {
            bytes += spans[i].to - from;
            end = spans[i].to;
        }
    }
    return bytes;
}

/* That of the accesses of an array. The bytes of an iteration are those of the next one, so many bytes on. */
static stream stream_of(const subject *s, const address_step *steps, uint32_t count, uint32_t array,
                        span *spans)
{
    const int64_t by = steps[array].step;
    const uint64_t step = by < 0 ? -(uint64_t)by : (uint64_t)by;
    if (step > INT64_MAX)
        return (stream){0};
    uint32_t n = 0;
    stream out = {.width = 0};
    for (uint32_t i = array; i < count; i++) {
        if (steps[i].array != array || !steps[i].step)
            continue;
        int64_t rest = steps[i].offset % (int64_t)step;
        uint64_t from = (uint64_t)(rest < 0 ? rest + (int64_t)step : rest), to = from + steps[i].bytes;
        spans[n++] = (span){from, to < step ? to : step};
        if (to > step)
            spans[n++] = (span){0, to - step < step ? to - step : step};
        note_width(&out.width, width_of_access(s, &steps[i]));
    }
    out.bytes = covered(spans, n);
    return out;
}

/* ---- all together ---- */

/* Adds a stream whose elements have a width, or finds that there is no one number. */
static bool add_elements(tacho_elements *out, const stream *s)
{
    if (s->width == MIXED || s->bytes % s->width || s->bytes / s->width > UINT32_MAX)
        return false;
    const uint32_t count = (uint32_t)(s->bytes / s->width);
    if (out->count && out->count != count)
        return false;
    out->smallest_bytes = !out->count || s->width < out->smallest_bytes ? s->width : out->smallest_bytes;
    out->largest_bytes = s->width > out->largest_bytes ? s->width : out->largest_bytes;
    out->count = count;
    return true;
}

/* Whether what has no width can have that of others. */
static bool fits(const tacho_elements *e, const stream *s)
{
    return s->bytes == (uint64_t)e->count * e->smallest_bytes ||
           s->bytes == (uint64_t)e->count * e->largest_bytes;
}

static void conclude(tacho_elements *out, const stream *streams, uint32_t count)
{
    bool agree = count, same_bytes = count;
    for (uint32_t i = 0; i < count; i++) {
        same_bytes &= streams[i].bytes == streams[0].bytes;
        agree = agree && (!streams[i].width || add_elements(out, &streams[i]));
    }
    for (uint32_t i = 0; i < count; i++)
        agree = agree && (streams[i].width || !out->count || fits(out, &streams[i]));
    if (!agree)
        *out = (tacho_elements){.count = 0};
    if (same_bytes && streams[0].bytes <= UINT32_MAX)
        out->stream_bytes = (uint32_t)streams[0].bytes;
}

int elements_find(tacho_elements *out, const block *b, arena *a)
{
    uint32_t count, found = 0;
    *out = (tacho_elements){.count = 0};
    const address_step *steps = address_steps_find(&count, b, a);
    stream *streams = steps ? arena_alloc(a, (count + 1) * sizeof *streams) : NULL;
    span *spans = streams ? arena_alloc(a, (2 * (size_t)count + 1) * sizeof *spans) : NULL;
    element_widths *widths = spans ? arena_alloc(a, b->insn_count * sizeof *widths) : NULL;
    if (!widths)
        return TACHO_ERR_MEMORY;
    const subject s = {b, widths};
    for (uint32_t i = 0; i < b->insn_count && count; i++)
        widths[i] = insn_element_widths(b->insns[i].insn);
    for (uint32_t i = 0; i < count; i++)
        if (steps[i].array == i && steps[i].step)
            streams[found++] = stream_of(&s, steps, count, i, spans);
    conclude(out, streams, found);
    return 0;
}
