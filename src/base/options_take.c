/* options_take.c - structs of options of other versions: what they lack has our default, what they have more
 * must be 0. */
#include "base/options_take.h"

#include <stdbool.h>
#include <string.h>

/* What was never initialised has mostly a size that no struct of options will ever have. */
enum {
    MAX_BYTES = 4096
};

static bool makes_sense(size_t size)
{
    return size && size <= MAX_BYTES && !(size % sizeof size);
}

int options_init(void *out, size_t size, const void *defaults, size_t known)
{
    if (!makes_sense(size))
        return TACHO_ERR_USAGE;
    memcpy(out, defaults, size < known ? size : known);
    if (size > known)
        memset((char *)out + known, 0, size - known);
    memcpy(out, &size, sizeof size);
    return 0;
}

int options_take(void *out, size_t known, const void *given, tacho_error *err)
{
    const uint8_t *theirs = given;
    size_t size;
    if (!given)
        return 0;
    memcpy(&size, given, sizeof size);
    if (!makes_sense(size))
        return tacho_error_set(err, TACHO_ERR_USAGE, "the options were not initialised (size %zu)", size);
    for (size_t i = known; i < size; i++)
        if (theirs[i])
            return tacho_error_set(err, TACHO_ERR_USAGE,
                                   "the options ask for what this version of libtacho does not know");
    memcpy(out, given, size < known ? size : known);
    memcpy(out, &known, sizeof known);
    return 0;
}
