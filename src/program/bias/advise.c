/* advise.c - what would help against a cause, tried: the layout nearest to the slow one that carries the
 * advice out is run against it. */
#include <math.h>

#include "program/bias/bias_internal.h"
#include "tacho/stats.h"

enum {
    ROUNDS = 25
};

/* Whether places of the factor are distances, so that something can be moved on by some bytes. */
static bool is_distance(tacho_bias_kind kind)
{
    return kind == TACHO_BIAS_ENVIRONMENT || kind == TACHO_BIAS_STACK || kind == TACHO_BIAS_HEAP ||
           kind == TACHO_BIAS_BUFFERS;
}

/* The distance in bytes from the slow place at which the program is as fast as usual: 64, 128 ..., as the
 * optimisation manual recommends for lines of the second-level cache (rule 9 in seeds: bias-thesis, section
 * 4.1). 0: there is none. */
static uint32_t find_padding(const bias_series *s, double threshold)
{
    for (uint32_t bytes = 64; s->step_bytes && bytes <= 1024; bytes *= 2) {
        uint32_t at = ((uint32_t)(s->slow_side - s->places) + bytes / s->step_bytes) % s->count;
        if (bytes % s->step_bytes == 0 && s->medians[at] - s->centre < threshold)
            return bytes;
    }
    return 0;
}

static const char *what_to_pad(tacho_bias_kind kind)
{
    return kind == TACHO_BIAS_BUFFERS || kind == TACHO_BIAS_ALLOCATOR
               ? "allocate one of the two arrays with %u bytes of padding before what is used of it"
           : kind == TACHO_BIAS_HEAP
               ? "put %u bytes between the two: pad the allocation, or align it otherwise"
               : "move the variable on the stack by %u bytes: pad the frame or the structure, or "
                 "keep the value in a register";
}

static int try_it(bias *b, bias_series *s, const bias_place *place, const bias_place *slow)
{
    tacho_bias_advice *a = &s->out->advice;
    tacho_estimate e;
    bias_begin(b, s->kind, TACHO_BIAS_ADVISING, 2 * ROUNDS);
    int rc = confirm_pairs(b, place, slow, ROUNDS, &e);
    /* Where that says nothing either way, others say more. */
    if (!rc && !b->stopped && !(e.high < 1 || e.low > 1) && !(e.high - e.low < b->options.threshold)) {
        bias_begin(b, s->kind, TACHO_BIAS_ADVISING, 2 * PAIR_ROUNDS);
        rc = confirm_pairs(b, place, slow, PAIR_ROUNDS, &e);
    }
    if (rc || b->stopped)
        return rc;
    a->tried = place->label;
    a->ratio = e.value;
    a->low = e.low;
    a->high = e.high;
    a->helps = e.high < 1 && e.value <= 1 - b->options.threshold;
    return 0;
}

/* Padding by moving the whole factor on. */
static int advise_moving(bias *b, bias_series *s)
{
    tacho_bias_advice *a = &s->out->advice;
    uint32_t bytes = find_padding(s, log1p(b->options.threshold));
    bias_place place = *s->slow_side;
    if (!bytes)
        return 0;
    double to = place.position + bytes;
    int rc = series_move(b, s->kind, (uint32_t)to, &place);
    place.label = bias_text(b, "+%.0f bytes", to);
    const char *what = what_to_pad(s->kind);
    a->sentence = bias_text(b, what, bytes);
    return rc ? rc : !place.label || !a->sentence ? TACHO_ERR_MEMORY : try_it(b, s, &place, s->slow_side);
}

/* Of an allocator whose arrays agree: with padding, by the library that moves every other one, and which is
 * there on both sides. */
static int advise_padding(bias *b, bias_series *s)
{
    enum {
        BYTES = 256
    };
    bias_place place = *s->slow_side, slow = place;
    if (!variants_are_glibc(&place) || !variants_can_shift(b))
        return b->err->code;
    int rc = variants_shift_buffers(b, &place, BYTES);
    rc = rc ? rc : variants_shift_buffers(b, &slow, 0);
    place.label = bias_text(b, "%s, every other large allocation %d bytes later", place.label, BYTES);
    s->out->advice.sentence = bias_text(b, what_to_pad(s->kind), BYTES);
    return rc                                         ? rc
           : !place.label || !s->out->advice.sentence ? TACHO_ERR_MEMORY
                                                      : try_it(b, s, &place, &slow);
}

static int advise_fastest(bias *b, bias_series *s, const char *sentence)
{
    s->out->advice.sentence = sentence;
    return try_it(b, s, &s->places[s->out->fast], s->slow_side);
}

int advise(bias *b, bias_series *s)
{
    bool linked = s->kind == TACHO_BIAS_LINK_ORDER || s->kind == TACHO_BIAS_CODE;
    switch (s->out->cause) {
    case TACHO_BIAS_ALIASING:
        return is_distance(s->kind)              ? advise_moving(b, s)
               : s->kind == TACHO_BIAS_ALLOCATOR ? advise_padding(b, s)
                                                 : 0;
    case TACHO_BIAS_LINE_CROSSING:
    case TACHO_BIAS_PAGE_CROSSING:
        return advise_fastest(
            b, s, "align the data to 64 bytes (aligned_alloc, _Alignas), or its rows to a multiple of it");
    case TACHO_BIAS_PAGE_FAULTS:
        return advise_fastest(b, s,
                              "keep memory instead of giving it back and asking for it again: buffers that "
                              "are used again, higher thresholds for mapping and trimming (mallopt, "
                              "GLIBC_TUNABLES), or another allocator");
    case TACHO_BIAS_SET_CONFLICTS:
        return advise_fastest(b, s,
                              "give the arrays distances that are no multiples of 4096: pad each by 64 bytes "
                              "more than the one before it, or the rows of a matrix by a line");
    case TACHO_BIAS_TLB:
        return advise_fastest(b, s,
                              "have what is used together lie in few pages: align it to pages, or take huge "
                              "pages (madvise, GLIBC_TUNABLES=glibc.malloc.hugetlb=1)");
    case TACHO_BIAS_CODE_ALIGNMENT:
        return advise_fastest(
            b, s,
            "align the loop (gcc: -falign-loops=64, clang: -falign-loops=64), so that its place does "
            "not depend on what comes before it");
    default:
        return linked && s->out->cause == TACHO_BIAS_UNKNOWN
                   ? advise_fastest(b, s,
                                    "link in this order, or align functions and loops (-falign-functions=64 "
                                    "-falign-loops=64), so that places do not depend on the order")
                   : 0;
    }
}
