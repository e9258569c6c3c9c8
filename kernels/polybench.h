/* polybench.h - the interface that programs of PolyBench/C 4 are written against, on top of tacho's kernel
 * runtime, so that a PolyBench directory is a suite of kernels as it is: no file of it but the kernels and
 * their headers is used.
 *
 * Written from the interface's documentation. Differences: arrays are always on the heap and begin as zeros;
 * nothing flushes the caches; times and hardware counters are not printed (the loader measures the region);
 * the checksum is taken over all arrays of double, float or int. A kernel's data set is chosen with
 * -DMINI_DATASET and so on, by its own header. */
#ifndef POLYBENCH_H
#define POLYBENCH_H

#include <stddef.h>
#include <stdlib.h>

enum polybench_kind {
    POLYBENCH_OTHER,
    POLYBENCH_DOUBLE,
    POLYBENCH_FLOAT,
    POLYBENCH_INT
};

void kernel_start(void);
void *polybench_alloc_data(unsigned long long count, int element_bytes);
void *polybench_alloc_typed(unsigned long long count, int element_bytes, enum polybench_kind kind);
void polybench_free_data(void *values);
void polybench_stop(void);
int polybench_never(void); /* 0, but the compiler does not know */

#define POLYBENCH_KIND(type)                                                                                 \
    _Generic(*(type *)0, double                                                                              \
             : POLYBENCH_DOUBLE, float                                                                       \
             : POLYBENCH_FLOAT, int                                                                          \
             : POLYBENCH_INT, default                                                                        \
             : POLYBENCH_OTHER)

/* Extents and bounds: constants, or (POLYBENCH_USE_C99_PROTO, POLYBENCH_USE_SCALAR_LB) the values in
 * variables. */
#ifndef POLYBENCH_PADDING_FACTOR
#define POLYBENCH_PADDING_FACTOR 0
#endif
#ifdef POLYBENCH_USE_RESTRICT
#define POLYBENCH_RESTRICT restrict
#else
#define POLYBENCH_RESTRICT
#endif
#ifdef POLYBENCH_USE_C99_PROTO
#define POLYBENCH_C99_SELECT(constant, variable) variable
#else
#define POLYBENCH_C99_SELECT(constant, variable) constant
#endif
#ifdef POLYBENCH_USE_SCALAR_LB
#define POLYBENCH_LOOP_BOUND(constant, variable) variable
#else
#define POLYBENCH_LOOP_BOUND(constant, variable) constant
#endif
#define POLYBENCH_EXTENT(constant, variable)                                                                 \
    (POLYBENCH_C99_SELECT(constant, variable) + POLYBENCH_PADDING_FACTOR)

/* An array as a parameter: extents as constants, then as variables. Only here may a bracket say restrict. */
#define POLYBENCH_1D(var, c1, v1) var[POLYBENCH_RESTRICT POLYBENCH_EXTENT(c1, v1)]
#define POLYBENCH_2D(var, c1, c2, v1, v2)                                                                    \
    var[POLYBENCH_RESTRICT POLYBENCH_EXTENT(c1, v1)][POLYBENCH_EXTENT(c2, v2)]
#define POLYBENCH_3D(var, c1, c2, c3, v1, v2, v3)                                                            \
    var[POLYBENCH_RESTRICT POLYBENCH_EXTENT(c1, v1)][POLYBENCH_EXTENT(c2, v2)][POLYBENCH_EXTENT(c3, v3)]
#define POLYBENCH_4D(var, c1, c2, c3, c4, v1, v2, v3, v4)                                                    \
    var[POLYBENCH_RESTRICT POLYBENCH_EXTENT(c1, v1)][POLYBENCH_EXTENT(c2, v2)][POLYBENCH_EXTENT(c3, v3)]     \
       [POLYBENCH_EXTENT(c4, v4)]
#define POLYBENCH_5D(var, c1, c2, c3, c4, c5, v1, v2, v3, v4, v5)                                            \
    var[POLYBENCH_RESTRICT POLYBENCH_EXTENT(c1, v1)][POLYBENCH_EXTENT(c2, v2)][POLYBENCH_EXTENT(c3, v3)]     \
       [POLYBENCH_EXTENT(c4, v4)][POLYBENCH_EXTENT(c5, v5)]

/* An array in main: a pointer to the whole of it. */
#define POLYBENCH_DECL_VAR(var)   (*var)
#define POLYBENCH_ARRAY(var)      *var
#define POLYBENCH_FREE_ARRAY(var) polybench_free_data((void *)(var))

#define POLYBENCH_ALLOC(count, type)       polybench_alloc_typed(count, sizeof(type), POLYBENCH_KIND(type))
#define POLYBENCH_PADDED(extent)           ((unsigned long long)(extent) + POLYBENCH_PADDING_FACTOR)
#define POLYBENCH_ALLOC_1D_ARRAY(d1, type) POLYBENCH_ALLOC(POLYBENCH_PADDED(d1), type)
#define POLYBENCH_ALLOC_2D_ARRAY(d1, d2, type)                                                               \
    POLYBENCH_ALLOC(POLYBENCH_PADDED(d1) * POLYBENCH_PADDED(d2), type)
#define POLYBENCH_ALLOC_3D_ARRAY(d1, d2, d3, type)                                                           \
    POLYBENCH_ALLOC(POLYBENCH_PADDED(d1) * POLYBENCH_PADDED(d2) * POLYBENCH_PADDED(d3), type)
#define POLYBENCH_ALLOC_4D_ARRAY(d1, d2, d3, d4, type)                                                       \
    POLYBENCH_ALLOC(                                                                                         \
        POLYBENCH_PADDED(d1) * POLYBENCH_PADDED(d2) * POLYBENCH_PADDED(d3) * POLYBENCH_PADDED(d4), type)
#define POLYBENCH_ALLOC_5D_ARRAY(d1, d2, d3, d4, d5, type)                                                   \
    POLYBENCH_ALLOC(POLYBENCH_PADDED(d1) * POLYBENCH_PADDED(d2) * POLYBENCH_PADDED(d3) *                     \
                        POLYBENCH_PADDED(d4) * POLYBENCH_PADDED(d5),                                         \
                    type)

#define POLYBENCH_1D_ARRAY_DECL(var, type, c1, v1)                                                           \
    type(*var)[POLYBENCH_EXTENT(c1, v1)] = POLYBENCH_ALLOC_1D_ARRAY(POLYBENCH_C99_SELECT(c1, v1), type)
#define POLYBENCH_2D_ARRAY_DECL(var, type, c1, c2, v1, v2)                                                   \
    type(*var)[POLYBENCH_EXTENT(c1, v1)][POLYBENCH_EXTENT(c2, v2)] =                                         \
        POLYBENCH_ALLOC_2D_ARRAY(POLYBENCH_C99_SELECT(c1, v1), POLYBENCH_C99_SELECT(c2, v2), type)
#define POLYBENCH_3D_ARRAY_DECL(var, type, c1, c2, c3, v1, v2, v3)                                           \
    type(*var)[POLYBENCH_EXTENT(c1, v1)][POLYBENCH_EXTENT(c2, v2)][POLYBENCH_EXTENT(c3, v3)] =               \
        POLYBENCH_ALLOC_3D_ARRAY(POLYBENCH_C99_SELECT(c1, v1), POLYBENCH_C99_SELECT(c2, v2),                 \
                                 POLYBENCH_C99_SELECT(c3, v3), type)
#define POLYBENCH_4D_ARRAY_DECL(var, type, c1, c2, c3, c4, v1, v2, v3, v4)                                   \
    type(*var)[POLYBENCH_EXTENT(c1, v1)][POLYBENCH_EXTENT(c2, v2)][POLYBENCH_EXTENT(c3, v3)]                 \
              [POLYBENCH_EXTENT(c4, v4)] =                                                                   \
                  POLYBENCH_ALLOC_4D_ARRAY(POLYBENCH_C99_SELECT(c1, v1), POLYBENCH_C99_SELECT(c2, v2),       \
                                           POLYBENCH_C99_SELECT(c3, v3), POLYBENCH_C99_SELECT(c4, v4), type)
#define POLYBENCH_5D_ARRAY_DECL(var, type, c1, c2, c3, c4, c5, v1, v2, v3, v4, v5)                           \
    type(*var)[POLYBENCH_EXTENT(c1, v1)][POLYBENCH_EXTENT(c2, v2)][POLYBENCH_EXTENT(c3, v3)]                 \
              [POLYBENCH_EXTENT(c4, v4)][POLYBENCH_EXTENT(c5, v5)] =                                         \
                  POLYBENCH_ALLOC_5D_ARRAY(POLYBENCH_C99_SELECT(c1, v1), POLYBENCH_C99_SELECT(c2, v2),       \
                                           POLYBENCH_C99_SELECT(c3, v3), POLYBENCH_C99_SELECT(c4, v4),       \
                                           POLYBENCH_C99_SELECT(c5, v5), type)

/* The region, and what stands after it. */
#define polybench_prepare_instruments() ((void)0)
#define polybench_start_instruments     kernel_start()
#define polybench_stop_instruments      polybench_stop()
#define polybench_print_instruments     ((void)0)

/* Results are in the checksum; they are printed only for -DPOLYBENCH_DUMP_ARRAYS. */
#ifdef POLYBENCH_DUMP_ARRAYS
#define polybench_prevent_dce(call) call
#else
#define polybench_prevent_dce(call)                                                                          \
    do {                                                                                                     \
        if (polybench_never())                                                                               \
            call;                                                                                            \
    } while (0)
#endif
#ifndef POLYBENCH_DUMP_TARGET
#define POLYBENCH_DUMP_TARGET stderr
#endif
#define POLYBENCH_DUMP_START       fprintf(POLYBENCH_DUMP_TARGET, "==BEGIN DUMP_ARRAYS==\n")
#define POLYBENCH_DUMP_FINISH      fprintf(POLYBENCH_DUMP_TARGET, "==END   DUMP_ARRAYS==\n")
#define POLYBENCH_DUMP_BEGIN(name) fprintf(POLYBENCH_DUMP_TARGET, "begin dump: %s", name)
#define POLYBENCH_DUMP_END(name)   fprintf(POLYBENCH_DUMP_TARGET, "\nend   dump: %s\n", name)

#endif
