/* streams_measure.c - a loop over real arrays: one for each stream, where the streams lie apart. */
#include <math.h>

#include "study/loop_data/streams_internal.h"

enum {
    HUGE_PAGE = 2 << 20
};

/* Sets *iterations so that all streams together have `bytes`: those that follow another one in its lines have
 * none of their own. */
static int count_iterations(uint64_t *iterations, const tacho_streams *s, uint64_t bytes, tacho_error *err)
{
    const double least = 250, most = (double)STREAMS_REACH / 2;
    double step = 0;
    if (!s->count)
        return tacho_error_set(err, TACHO_ERR_UNSUPPORTED,
                               "the loop walks through no array: no address moves by as many bytes in each "
                               "iteration");
    for (uint32_t i = 0; i < s->count; i++)
        step = fmax(step, fabs((double)s->list[i].step));
    const double n = floor((double)bytes / s->bytes);
    if (n < least)
        return tacho_error_set(err, TACHO_ERR_UNSUPPORTED,
                               "a footprint of %llu bytes is too little to measure: %.0f iterations walk "
                               "through %.0f bytes",
                               (unsigned long long)bytes, least, least * s->bytes);
    if (n * step > most)
        return tacho_error_set(err, TACHO_ERR_UNSUPPORTED, "a footprint of %llu bytes is too much to measure",
                               (unsigned long long)bytes);
    *iterations = (uint64_t)n;
    return 0;
}

/* What a stream touches in so many iterations, in whole huge pages, with a line more on both sides. */
static tacho_measure_array array_of(const tacho_stream *s, uint64_t iterations)
{
    const uint64_t way = (s->step < 0 ? 0 - (uint64_t)s->step : (uint64_t)s->step) * iterations,
                   huge = HUGE_PAGE;
    const uint64_t from = (s->step < 0 ? s->first - way : s->first) - TACHO_MEMORY_LINE_BYTES;
    const uint64_t to = (s->step < 0 ? s->first : s->first + way) + s->span + TACHO_MEMORY_LINE_BYTES;
    const uint64_t low = from & ~(huge - 1);
    return (tacho_measure_array){low, ((to + huge - 1) & ~(huge - 1)) - low};
}

/* Adds it, or makes another one larger that it meets. */
static uint32_t add_array(tacho_measure_array *list, uint32_t count, tacho_measure_array a)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t end = list[i].address + list[i].bytes, other = a.address + a.bytes;
        if (a.address > end || other < list[i].address)
            continue;
        a.address = a.address < list[i].address ? a.address : list[i].address;
        a.bytes = (end > other ? end : other) - a.address;
        list[i] = list[count - 1];
        return add_array(list, count - 1, a);
    }
    list[count] = a;
    return count + 1;
}

int tacho_streams_measure(tacho_measurement *out, uint64_t *iterations, tacho_measurer *m,
                          const tacho_streams *s, const uint8_t *code, size_t size, uint64_t bytes,
                          bool huge_pages, const tacho_measure_options *options, tacho_error *err)
{
    tacho_measure_array arrays[TACHO_MAX_STREAMS];
    tacho_measure_options o = TACHO_MEASURE_OPTIONS_INIT;
    uint32_t count = 0;
    int result = count_iterations(iterations, s, bytes, err);
    if (result)
        return result;
    for (uint32_t i = 0; i < s->count; i++)
        count = add_array(arrays, count, array_of(&s->list[i], *iterations));
    if (options)
        o = *options;
    o.init = TACHO_INIT_DISTINCT;
    o.known_values = s->registers;
    o.known_mask = UINT16_MAX & ~(1 << 4); /* but RSP */
    const tacho_measure_sweep sweep = {arrays, count, *iterations, huge_pages};
    return tacho_measure_sweep_run(m, code, size, &o, &sweep, out, err);
}
