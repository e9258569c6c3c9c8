/* options.h - structs of options: how they get their defaults, and how they can grow.
 *
 * Each begins with `size`, its size as the caller knows it. A library that knows more members takes the
 * defaults for those which the caller's struct lacks; one that knows fewer accepts the rest if it is 0. A
 * member that is added has the default 0, stands at the end, and not in what was padding.
 *
 * Core: stable within a major version. */
#ifndef TACHO_OPTIONS_H
#define TACHO_OPTIONS_H

#include "error.h"

/** Declares tacho_NAME_options_init, which fills in the struct of `size` bytes at `out`: its size, the
 *  defaults, and 0 for what the library does not know.
 *  @return 0, or TACHO_ERR_USAGE for a size that no such struct has */
#define TACHO_OPTIONS(name)                                                                                  \
    TACHO_API int tacho_##name##_options_init(tacho_##name##_options *out, size_t size)

/** TACHO_NAME_OPTIONS_INIT, the same for callers in C and C++; the arguments are the defaults other than 0.
 */
#ifdef __cplusplus
template <typename options> inline options tacho_options_of(int (*init)(options *, size_t))
{
    options o;
    init(&o, sizeof o);
    return o;
}
#define TACHO_OPTIONS_INIT(name, ...) tacho_options_of(tacho_##name##_options_init)
#else
#define TACHO_OPTIONS_INIT(name, ...)                                                                        \
    {                                                                                                        \
        .size = sizeof(tacho_##name##_options), __VA_ARGS__                                                  \
    }
#endif

#endif
