/* kernel.h - what every kernel of the suite includes: where its arrays come from, what the region is that
 * counts, and how its results become a checksum. runtime.c has the functions.
 *
 * A kernel is a C program: main asks for arrays, fills them, calls kernel_start, the function marked KERNEL,
 * kernel_stop, and returns kernel_result of what was computed. */
#ifndef TACHO_KERNEL_H
#define TACHO_KERNEL_H

#include <stddef.h>

/* The function that holds the loop nest. It is compiled for itself: the compiler sees neither where its
 * arrays lie nor what values its arguments have. */
#if defined(__has_attribute) && __has_attribute(noipa)
#define KERNEL __attribute__((noinline, noipa, visibility("hidden")))
#else
#define KERNEL __attribute__((noinline, visibility("hidden")))
#endif

/* Stands at every pointer of which it is true that it reaches its array alone. Empty unless a variant says
 * -DKERNEL_RESTRICT=restrict: by default a compiler must find out. */
#ifndef KERNEL_RESTRICT
#define KERNEL_RESTRICT
#endif

/* An array of so many bytes, of unknown content. Its address is a multiple of 64, the same in every run in
 * the same memory, and modulo 4096 at least 512 bytes (256, 128, 64 where there are too many arrays for that)
 * from those of the arrays before it: loops that take the same index of several arrays do not meet 4K
 * aliasing by accident. Lives until the next call of the kernel. */
void *kernel_alloc(size_t bytes);

/* Around the region that counts; once a call of the kernel. */
void kernel_start(void);
void kernel_stop(void);

/* Fills an array of doubles, floats, ints or bytes with the sequence that belongs to a seed: steps of 1/1000
 * in (0, 1], for ints 0 to 999, for bytes 0 to 255. */
#define kernel_fill(values, count, seed)                                                                     \
    _Generic((values),                                                                                       \
        double *: kernel_fill_doubles,                                                                       \
        float *: kernel_fill_floats,                                                                         \
        int *: kernel_fill_ints,                                                                             \
        unsigned char *: kernel_fill_bytes)(values, count, seed)

void kernel_fill_doubles(double *values, size_t count, unsigned seed);
void kernel_fill_floats(float *values, size_t count, unsigned seed);
void kernel_fill_ints(int *values, size_t count, unsigned seed);
void kernel_fill_bytes(unsigned char *values, size_t count, unsigned seed);

/* Adds an array of results to the checksum. Returns 0, for main to return. */
#define kernel_result(values, count)                                                                         \
    _Generic((values),                                                                                       \
        double *: kernel_result_doubles,                                                                     \
        float *: kernel_result_floats,                                                                       \
        int *: kernel_result_ints,                                                                         \
        unsigned *: kernel_result_unsigned, \
        unsigned char *: kernel_result_bytes)(values, count)

int kernel_result_doubles(const double *values, size_t count);
int kernel_result_floats(const float *values, size_t count);
int kernel_result_ints(const int *values, size_t count);
int kernel_result_unsigned(const unsigned *values, size_t count);
int kernel_result_bytes(const unsigned char *values, size_t count);

#endif
