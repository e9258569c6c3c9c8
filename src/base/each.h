/* each.h - a row of a table for each of up to 24 names that share a value. */
#ifndef TACHO_BASE_EACH_H
#define TACHO_BASE_EACH_H

/* row(value, name) for each name, with commas between them. */
#define EACH(row, value, ...)                                                                                \
    EACH_PICK_(__VA_ARGS__, EACH_24_, EACH_23_, EACH_22_, EACH_21_, EACH_20_, EACH_19_, EACH_18_, EACH_17_,  \
               EACH_16_, EACH_15_, EACH_14_, EACH_13_, EACH_12_, EACH_11_, EACH_10_, EACH_9_, EACH_8_,       \
               EACH_7_, EACH_6_, EACH_5_, EACH_4_, EACH_3_, EACH_2_, EACH_1_, 0)                             \
    (row, value, __VA_ARGS__)

#define EACH_PICK_(n1, n2, n3, n4, n5, n6, n7, n8, n9, n10, n11, n12, n13, n14, n15, n16, n17, n18, n19,     \
                   n20, n21, n22, n23, n24, which, ...)                                                      \
    which
#define EACH_1_(row, value, name)       row(value, name)
#define EACH_2_(row, value, name, ...)  row(value, name), EACH_1_(row, value, __VA_ARGS__)
#define EACH_3_(row, value, name, ...)  row(value, name), EACH_2_(row, value, __VA_ARGS__)
#define EACH_4_(row, value, name, ...)  row(value, name), EACH_3_(row, value, __VA_ARGS__)
#define EACH_5_(row, value, name, ...)  row(value, name), EACH_4_(row, value, __VA_ARGS__)
#define EACH_6_(row, value, name, ...)  row(value, name), EACH_5_(row, value, __VA_ARGS__)
#define EACH_7_(row, value, name, ...)  row(value, name), EACH_6_(row, value, __VA_ARGS__)
#define EACH_8_(row, value, name, ...)  row(value, name), EACH_7_(row, value, __VA_ARGS__)
#define EACH_9_(row, value, name, ...)  row(value, name), EACH_8_(row, value, __VA_ARGS__)
#define EACH_10_(row, value, name, ...) row(value, name), EACH_9_(row, value, __VA_ARGS__)
#define EACH_11_(row, value, name, ...) row(value, name), EACH_10_(row, value, __VA_ARGS__)
#define EACH_12_(row, value, name, ...) row(value, name), EACH_11_(row, value, __VA_ARGS__)
#define EACH_13_(row, value, name, ...) row(value, name), EACH_12_(row, value, __VA_ARGS__)
#define EACH_14_(row, value, name, ...) row(value, name), EACH_13_(row, value, __VA_ARGS__)
#define EACH_15_(row, value, name, ...) row(value, name), EACH_14_(row, value, __VA_ARGS__)
#define EACH_16_(row, value, name, ...) row(value, name), EACH_15_(row, value, __VA_ARGS__)
#define EACH_17_(row, value, name, ...) row(value, name), EACH_16_(row, value, __VA_ARGS__)
#define EACH_18_(row, value, name, ...) row(value, name), EACH_17_(row, value, __VA_ARGS__)
#define EACH_19_(row, value, name, ...) row(value, name), EACH_18_(row, value, __VA_ARGS__)
#define EACH_20_(row, value, name, ...) row(value, name), EACH_19_(row, value, __VA_ARGS__)
#define EACH_21_(row, value, name, ...) row(value, name), EACH_20_(row, value, __VA_ARGS__)
#define EACH_22_(row, value, name, ...) row(value, name), EACH_21_(row, value, __VA_ARGS__)
#define EACH_23_(row, value, name, ...) row(value, name), EACH_22_(row, value, __VA_ARGS__)
#define EACH_24_(row, value, name, ...) row(value, name), EACH_23_(row, value, __VA_ARGS__)

#endif
