/* alias.c - see alias.h. */
#include "model/block/alias.h"

int alias_check(const tacho_alias *aliases, size_t count, tacho_error *err)
{
    if (count > TACHO_MAX_ALIASES)
        return tacho_error_set(err, TACHO_ERR_USAGE, "%zu aliases; at most %d", count, TACHO_MAX_ALIASES);
    for (size_t i = 0; i < count; i++) {
        const tacho_alias *a = &aliases[i];
        if (a->reg > 15 || a->base > 15 || a->reg == a->base)
            return tacho_error_set(err, TACHO_ERR_USAGE, "alias %zu: not two general registers", i);
        for (size_t k = 0; k < count; k++)
            if (aliases[k].reg == a->base || (k != i && aliases[k].reg == a->reg))
                return tacho_error_set(
                    err, TACHO_ERR_USAGE,
                    "alias %zu: a register is given once, by another one that is not itself given so", i);
    }
    return 0;
}
