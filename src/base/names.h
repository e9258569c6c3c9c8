/* names.h - the names of an enumeration's values; members that others get by functions. */
#ifndef TACHO_BASE_NAMES_H
#define TACHO_BASE_NAMES_H

/** Defines the function that names the values of a type, which begin with 0: `...` in their order,
 * `otherwise` for what is no value. */
#define NAMES_OF(function, type, otherwise, ...)                                                             \
    const char *function(type number)                                                                        \
    {                                                                                                        \
        static const char *const names[] = {__VA_ARGS__};                                                    \
        return (unsigned)number < sizeof names / sizeof *names ? names[number] : (otherwise);                \
    }

/** Defines the function that gives a member. */
#define GIVES(type, function, of, member)                                                                    \
    type function(const of *it)                                                                              \
    {                                                                                                        \
        return (type)it->member;                                                                             \
    }

#endif
