/* fuzz_deps.c - machine code executed on made-up numbers, as the body of a loop or as a function: the first
 * four bytes choose the options. Dependencies must lie in the block, come in order, and be shares of what was
 * executed. */
#include <stdlib.h>

#include "fuzz.h"
#include "tacho/deps.h"

enum {
    OPTION_BYTES = 4,
    MAX_BYTES = 600,
    BUDGET = 4000
};

static void check_followed(const tacho_deps *d)
{
    uint64_t executed = 0;
    for (size_t i = 0; i < d->insn_count; i++) {
        executed += d->steps[i].count;
        if (d->steps[i].undetermined > d->steps[i].count)
            abort();
    }
    if (executed != d->executed || d->executed > BUDGET || d->returned > d->iterations)
        abort();
}

static void check(const tacho_deps *d, const tacho_deps_options *o)
{
    for (size_t i = 0; i < d->count; i++) {
        const tacho_dependency *x = &d->dependencies[i], *last = i ? x - 1 : x;
        if (x->source >= d->insn_count || x->target >= d->insn_count || x->target < last->target ||
            (x->target == last->target && x->distance < last->distance) || x->longest < x->distance)
            abort();
        if (!(x->share > 0 && x->share <= 1 + 1e-9) || (!d->steps && !x->distance && x->source >= x->target))
            abort();
        if (x->kind == TACHO_DEPENDENCY_MEMORY && (x->back > o->window || x->bytes > x->load_bytes))
            abort();
    }
    for (size_t i = 0; i < d->access_count; i++)
        if (d->accesses[i].insn >= d->insn_count)
            abort();
    if (d->steps)
        check_followed(d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tacho_deps_options o = TACHO_DEPS_OPTIONS_INIT;
    const uint64_t values[16] = {0, 1, 2, 63, ~(uint64_t)0, 1u << 31, 0x400000, 4096};
    tacho_deps *d;
    tacho_error err;
    if (size <= OPTION_BYTES || size > MAX_BYTES)
        return 0;
    const tacho_alias alias = {data[1] & 15, data[1] >> 4, (int8_t)data[2] * (int64_t)(data[3] & 0x3f)};
    o.init = (tacho_init)(data[0] % 3);
    o.seeds = 1 + data[0] / 3 % 3;
    o.window = 1 + data[2];
    o.share = (1 + data[3] % 4) / 4.0;
    o.budget = BUDGET;
    o.no_alias = data[0] & 0x20;
    o.alias_count = data[0] & 0x40 ? 1 : 0;
    o.aliases = &alias;
    o.known_mask = (uint16_t)(data[3] & 0x80 ? data[2] << 1 | data[2] << 8 : 0);
    o.known_values = o.known_mask ? values : NULL;
    if ((data[0] & 0x80 ? tacho_deps_follow : tacho_deps_find)(&d, data + OPTION_BYTES, size - OPTION_BYTES,
                                                               &o, &err))
        return err.message[0] ? 0 : (abort(), 0);
    check(d, &o);
    tacho_deps_free(d);
    return 0;
}
