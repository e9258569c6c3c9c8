/* fuzz_hot.c - perf.data files. Sums must be those of the parts, and places in order. */
#include <stdlib.h>

#include "fuzz.h"
#include "program/hot/hot_internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tacho_hot_profile *p;
    tacho_error err;
    if (hot_read_data(&p, "fuzz", data, size, &err))
        return err.message[0] ? 0 : (abort(), 0);
    uint64_t in_objects = 0, in_places = 0;
    for (size_t i = 0; i < p->object_count; i++)
        in_objects += p->objects[i].samples;
    for (size_t i = 0; i < p->place_count; i++) {
        const tacho_hot_sample *s = &p->places[i], *last = i ? s - 1 : s;
        in_places += s->samples;
        if (s->object >= p->object_count || s->object < last->object ||
            (i && s->object == last->object && s->offset <= last->offset))
            abort();
    }
    if (in_objects != p->samples || in_places != p->samples)
        abort();
    tacho_hot_profile_free(p);
    return 0;
}
