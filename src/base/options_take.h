/* options_take.h - the library's side of tacho/options.h: structs of options that callers of other versions
 * made. */
#ifndef TACHO_BASE_OPTIONS_TAKE_H
#define TACHO_BASE_OPTIONS_TAKE_H

#include <tacho/options.h>

/** What tacho_NAME_options_init does; `defaults` has the library's `known` bytes. */
int options_init(void *out, size_t size, const void *defaults, size_t known);
/** Overwrites the `known` bytes of defaults at `out` with as many of `given` (NULL: none) as that has. Only
 *  its size is read before it is known to make sense. @return 0 or TACHO_ERR_USAGE */
int options_take(void *out, size_t known, const void *given, tacho_error *err);

/** Defines tacho_NAME_options_init. */
#define OPTIONS_DEFINE(name, ...)                                                                            \
    int tacho_##name##_options_init(tacho_##name##_options *out, size_t size)                                \
    {                                                                                                        \
        static const tacho_##name##_options defaults = __VA_ARGS__;                                          \
        return options_init(out, size, &defaults, sizeof defaults);                                          \
    }
/** Fills *out, a tacho_NAME_options of our own, with what was given, NULL for the defaults. Structs of
 *  options inside it are parts of it: they do not grow by themselves. @return 0 or TACHO_ERR_USAGE */
#define OPTIONS_TAKE(name, out, given, err)                                                                  \
    (tacho_##name##_options_init((out), sizeof *(out)),                                                      \
     options_take((out), sizeof *(out), 1 ? (given) : (out), (err)))

#endif
