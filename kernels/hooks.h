/* hooks.h - what a kernel, compiled as a shared object with runtime.c, and the program that loads it know of
 * each other.
 *
 * The loader finds four symbols: tacho_kernel_hooks (fills it in, once), tacho_kernel_prepare (calls it
 * before every call of the kernel), tacho_kernel_main (the kernel: main, renamed by -Dmain=tacho_kernel_main)
 * and tacho_kernel_outcome (reads it afterwards). */
#ifndef TACHO_KERNEL_HOOKS_H
#define TACHO_KERNEL_HOOKS_H

#include <stddef.h>

struct tacho_kernel_hooks {
    void (*start)(void *payload);                     /* the region begins; NULL: nobody wants to know */
    void (*stop)(void *payload);                      /* it ends */
    void (*fail)(void *payload, const char *message); /* the kernel cannot go on; must not return */
    void *payload;                                    /* for these three */
    void *memory;                                     /* for the kernel's arrays, aligned to 4,096 bytes */
    size_t memory_bytes;
};

/* Of the last call of the kernel. */
struct tacho_kernel_outcome {
    double checksum; /* of what it computed: sum over all results of value i times 1 + (i mod 13) / 16 */
    size_t values;   /* how many results are in the checksum; 0: it has none */
    size_t bytes;    /* of all arrays that it asked for: the working set */
    size_t arrays;
    size_t starts; /* regions that began and ended; 1 and 1 when all is well */
    size_t stops;
};

#define KERNEL_EXPORT __attribute__((visibility("default")))

extern KERNEL_EXPORT struct tacho_kernel_hooks tacho_kernel_hooks;
extern KERNEL_EXPORT struct tacho_kernel_outcome tacho_kernel_outcome;

/* Gives back all arrays and clears the outcome. */
KERNEL_EXPORT void tacho_kernel_prepare(void);

/* What main(int, char **) was. */
KERNEL_EXPORT int tacho_kernel_main(int argc, char **argv);

#endif
