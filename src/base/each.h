/* each.h - a row of a table for each of some names that share a value. */
#ifndef TACHO_BASE_EACH_H
#define TACHO_BASE_EACH_H

/* row(value, name) for each name, with commas between them; up to some 250 of them. A row has no EACH in it.
 */
#define EACH(row, value, ...) EACH_256_(EACH_NEXT_(row, value, __VA_ARGS__))
#define EACH_NEXT_(row, value, name, ...)                                                                    \
    row(value, name) __VA_OPT__(, EACH_LATER_ EACH_NONE_()(row, value, __VA_ARGS__))
#define EACH_LATER_() EACH_NEXT_
#define EACH_NONE_()  ()
/* The preprocessor goes over its argument again and again. */
#define EACH_256_(...) EACH_64_(EACH_64_(EACH_64_(EACH_64_(__VA_ARGS__))))
#define EACH_64_(...)  EACH_16_(EACH_16_(EACH_16_(EACH_16_(__VA_ARGS__))))
#define EACH_16_(...)  EACH_4_(EACH_4_(EACH_4_(EACH_4_(__VA_ARGS__))))
#define EACH_4_(...)   EACH_1_(EACH_1_(EACH_1_(EACH_1_(__VA_ARGS__))))
#define EACH_1_(...)   __VA_ARGS__

#endif
