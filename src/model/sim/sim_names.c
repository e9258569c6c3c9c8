/* sim_names.c - the words for what a prediction says, as in JSON. */
#include "tacho/predict.h"

#include <string.h>

const char *tacho_bound_name(tacho_bound bound)
{
    static const char *const names[] = {"predecode",       "decode",        "dsb",     "lsd",
                                        "issue",           "ports",         "divider", "dependencies",
                                        "start_intervals", "port_conflicts"};
    return (unsigned)bound < TACHO_BOUND_COUNT ? names[bound] : "";
}

const char *tacho_bottleneck_names(uint32_t bottlenecks, const char *separator, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (uint32_t left = bottlenecks; left; left &= left - 1) {
        const char *name = tacho_bound_name((tacho_bound)__builtin_ctz(left));
        size_t before = used ? strlen(separator) : 0, n = strlen(name);
        if (used + before + n >= size)
            break;
        memcpy(out + used, separator, before);
        memcpy(out + used + before, name, n + 1);
        used += before + n;
    }
    return out;
}

const char *tacho_slot_reason_name(tacho_slot_reason reason)
{
    static const char *const names[] = {
        "predecode", "decode",          "ms",  "dsb",       "lsd",         "rename", "ports",
        "divider",   "start_intervals", "rob", "scheduler", "dependencies"};
    return (unsigned)reason < TACHO_SLOT_REASON_COUNT ? names[reason] : "";
}

const char *tacho_uop_source_name(tacho_uop_source source)
{
    static const char *const names[] = {"MITE", "DSB", "LSD", "mixed"};
    return (unsigned)source < 4 ? names[source] : "";
}

const char *tacho_mode_name(tacho_mode mode)
{
    static const char *const names[] = {"auto", "loop", "unroll"};
    return (unsigned)mode < 3 ? names[mode] : "";
}

const char *tacho_work_name(tacho_work work)
{
    static const char *const names[] = {"iteration", "element", "byte"};
    return (unsigned)work < 3 ? names[work] : "";
}
