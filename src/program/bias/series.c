/* series.c - the places of the factors that need nothing but another layout: environment, stack, heap and
 * mappings. */
#include <math.h>

#include "program/bias/bias_internal.h"

int series_reserve(bias *b, bias_series *s, uint32_t count)
{
    s->places = bias_alloc(b, count * sizeof *s->places);
    if (!s->places)
        return TACHO_ERR_MEMORY;
    for (uint32_t i = 0; i < count; i++)
        s->places[i] = (bias_place){.position = NAN, .layout = b->base, .command = b->command};
    s->count = count;
    return 0;
}

int series_reserve_steps(bias *b, bias_series *s, uint32_t span)
{
    const uint32_t step = s->step_bytes;
    int rc = series_reserve(b, s, span > step ? span / step : 1);
    for (uint32_t i = 0; i < s->count && !rc; i++) {
        s->places[i].position = i * step;
        s->places[i].label = bias_text(b, "+%u bytes", i * step);
        rc = s->places[i].label ? 0 : TACHO_ERR_MEMORY;
    }
    return rc;
}

int series_move(bias *b, tacho_bias_kind kind, uint32_t bytes, bias_place *place)
{
    place->position = bytes;
    if (kind == TACHO_BIAS_ENVIRONMENT)
        place->layout.environment_bytes = bytes;
    else if (kind == TACHO_BIAS_STACK)
        place->layout.stack_bytes = bytes;
    else if (kind == TACHO_BIAS_HEAP)
        place->layout.heap_bytes = bytes;
    else if (kind == TACHO_BIAS_MAPPINGS)
        place->layout.mmap_pages = bytes / PLACE_PAGE;
    else if (kind == TACHO_BIAS_BUFFERS)
        return variants_shift_buffers(b, place, bytes);
    return 0;
}

int series_fill(bias *b, bias_series *s, uint32_t span)
{
    int rc = series_reserve_steps(b, s, span);
    for (uint32_t i = 0; i < s->count && !rc; i++)
        rc = series_move(b, s->kind, i * s->step_bytes, &s->places[i]);
    return rc;
}

static int make_shifts(bias *b, bias_series *s)
{
    enum {
        MAPPED_PAGES = 64 /* by default: what the sets of a second-level cache of 256 KB a way repeat after */
    };
    bool mappings = s->kind == TACHO_BIAS_MAPPINGS;
    uint32_t span = b->options.span_bytes;
    if (mappings && span < MAPPED_PAGES * PLACE_PAGE)
        span = MAPPED_PAGES * PLACE_PAGE;
    s->step_bytes = mappings ? PLACE_PAGE : s->step_bytes;
    s->period_bytes = mappings ? NAN : PLACE_PAGE;
    return series_fill(b, s, span);
}

int series_make(bias *b, bias_series *s)
{
    s->period_bytes = NAN;
    switch (s->kind) {
    case TACHO_BIAS_ARGUMENT:
        return variants_argument(b, s);
    case TACHO_BIAS_DIRECTORY:
        return variants_directory(b, s);
    case TACHO_BIAS_ALLOCATOR:
        return variants_allocator(b, s);
    case TACHO_BIAS_BUFFERS:
        return variants_buffers(b, s);
    case TACHO_BIAS_LINK_ORDER:
    case TACHO_BIAS_CODE:
        if (!b->options.link)
            s->out->missing = "needs object files and a link command";
        return !b->options.link ? 0 : s->kind == TACHO_BIAS_CODE ? link_code(b, s) : link_orders(b, s);
    default:
        return make_shifts(b, s);
    }
}
