/* apps.c - lists of applications. */

#include "base/str.h"
#include "tacho/suite.h"

/* Whether the character at `at` ends a name that starts at `start`. A "+" that stands beside another, or at
 * an end, belongs to the name. */
static bool separates(const char *start, const char *at)
{
    if (*at == ';')
        return true;
    return *at == '+' && at > start && at[-1] != '+' && at[1] != '+' && at[1] && at[1] != ';';
}

bool tacho_suite_next_app(const char **rest, const char **name, size_t *length)
{
    while (**rest) {
        const char *start = *rest, *end = start;
        while (*end && !separates(start, end))
            end++;
        *rest = *end ? end + 1 : end;
        *name = start;
        *length = (size_t)(end - start);
        tacho_str_trim(name, length);
        if (*length)
            return true;
    }
    return false;
}
