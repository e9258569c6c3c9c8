/* runtime.c - memory, region and checksum of a kernel (kernel.h, polybench.h), and its side towards the
 * program that loads it (hooks.h). Compiled together with each kernel.
 *
 * Compiled without -Dmain=tacho_kernel_main, kernel and runtime are a program of their own, which prints its
 * checksum. */
#include "hooks.h"
#include "kernel.h"
#include "polybench.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINE = 64,
    PAGE = 4096,
    APART = 512, /* what is wanted between two arrays, modulo PAGE */
    REMEMBERED = PAGE / LINE
};

#ifdef main
struct tacho_kernel_hooks tacho_kernel_hooks;
#else
static char own_memory[64 << 20] __attribute__((aligned(PAGE)));
struct tacho_kernel_hooks tacho_kernel_hooks = {.memory = own_memory, .memory_bytes = sizeof own_memory};
#endif
struct tacho_kernel_outcome tacho_kernel_outcome;

static size_t used;                     /* bytes of the memory that are given away, gaps included */
static uintptr_t addresses[REMEMBERED]; /* of the first arrays */

/* The arrays that polybench.h declared, for the checksum. */
static struct {
    const void *values;
    size_t count;
    enum polybench_kind kind;
} typed[REMEMBERED];
static size_t typed_count;

void tacho_kernel_prepare(void)
{
    used = 0;
    typed_count = 0;
    tacho_kernel_outcome = (struct tacho_kernel_outcome){0};
}

static _Noreturn void fail(const char *message)
{
    if (tacho_kernel_hooks.fail)
        tacho_kernel_hooks.fail(tacho_kernel_hooks.payload, message);
    abort();
}

/* Whether an address is so far from all arrays, modulo PAGE. */
static int is_apart(uintptr_t address, unsigned wanted)
{
    size_t count = tacho_kernel_outcome.arrays < REMEMBERED ? tacho_kernel_outcome.arrays : REMEMBERED;
    for (size_t i = 0; i < count; i++) {
        unsigned ahead = (address - addresses[i]) % PAGE;
        if (ahead < wanted || PAGE - ahead < wanted)
            return 0;
    }
    return 1;
}

/* The first address from here on that is far enough from the arrays before. */
static uintptr_t place(uintptr_t from)
{
    from = (from + LINE - 1) / LINE * LINE;
    for (unsigned wanted = APART; wanted >= LINE; wanted /= 2) {
        for (uintptr_t address = from; address < from + PAGE; address += LINE) {
            if (is_apart(address, wanted))
                return address;
        }
    }
    return from;
}

void *kernel_alloc(size_t bytes)
{
    uintptr_t start = (uintptr_t)tacho_kernel_hooks.memory;
    size_t offset = place(start + used) - start;
    if (offset > tacho_kernel_hooks.memory_bytes || bytes > tacho_kernel_hooks.memory_bytes - offset)
        fail("its arrays are larger than the memory for them");
    if (tacho_kernel_outcome.arrays < REMEMBERED)
        addresses[tacho_kernel_outcome.arrays] = start + offset;
    tacho_kernel_outcome.arrays++;
    tacho_kernel_outcome.bytes += bytes;
    used = offset + bytes;
    return (char *)tacho_kernel_hooks.memory + offset;
}

void kernel_start(void)
{
    tacho_kernel_outcome.starts++;
    if (tacho_kernel_hooks.start)
        tacho_kernel_hooks.start(tacho_kernel_hooks.payload);
}

void kernel_stop(void)
{
    if (tacho_kernel_hooks.stop)
        tacho_kernel_hooks.stop(tacho_kernel_hooks.payload);
    tacho_kernel_outcome.stops++;
}

/* A number that depends on seed and index alone: Knuth's multiplicative hashing, its upper half. */
static unsigned scatter(size_t index, unsigned seed)
{
    return ((unsigned)index + 1000 * seed + 1) * 2654435761u >> 16;
}

void kernel_fill_doubles(double *values, size_t count, unsigned seed)
{
    for (size_t i = 0; i < count; i++)
        values[i] = (scatter(i, seed) % 1000 + 1) / 1000.0;
}

void kernel_fill_floats(float *values, size_t count, unsigned seed)
{
    for (size_t i = 0; i < count; i++)
        values[i] = (float)(scatter(i, seed) % 1000 + 1) / 1000.0f;
}

void kernel_fill_ints(int *values, size_t count, unsigned seed)
{
    for (size_t i = 0; i < count; i++)
        values[i] = (int)(scatter(i, seed) % 1000);
}

void kernel_fill_bytes(unsigned char *values, size_t count, unsigned seed)
{
    for (size_t i = 0; i < count; i++)
        values[i] = (unsigned char)scatter(i, seed);
}

/* The weights tell results in another order apart; that of a result goes by its place among all of them. */
static void add_result(double value)
{
    tacho_kernel_outcome.checksum += value * (1 + (double)(tacho_kernel_outcome.values++ % 13) / 16);
}

int kernel_result_doubles(const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        add_result(values[i]);
    return 0;
}

int kernel_result_floats(const float *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        add_result(values[i]);
    return 0;
}

int kernel_result_ints(const int *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        add_result(values[i]);
    return 0;
}

int kernel_result_unsigned(const unsigned *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        add_result(values[i]);
    return 0;
}

int kernel_result_bytes(const unsigned char *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        add_result(values[i]);
    return 0;
}

void *polybench_alloc_data(unsigned long long count, int element_bytes)
{
    size_t bytes;
    if (element_bytes < 0 || __builtin_mul_overflow(count, (size_t)element_bytes, &bytes))
        fail("it asks for an array of impossible size");
    void *values = kernel_alloc(bytes);
    memset(values, 0, bytes);
    return values;
}

void *polybench_alloc_typed(unsigned long long count, int element_bytes, enum polybench_kind kind)
{
    void *values = polybench_alloc_data(count, element_bytes);
    if (typed_count < REMEMBERED) {
        typed[typed_count].values = values;
        typed[typed_count].count = count;
        typed[typed_count++].kind = kind;
    }
    return values;
}

/* Only what was asked for last, and before the region has ended: a helper of the initialisation is not in the
 * working set. All else is given back by tacho_kernel_prepare. */
void polybench_free_data(void *values)
{
    size_t last = tacho_kernel_outcome.arrays - 1; /* without arrays: larger than all */
    if (tacho_kernel_outcome.stops || last >= REMEMBERED || addresses[last] != (uintptr_t)values)
        return;
    size_t offset = (uintptr_t)values - (uintptr_t)tacho_kernel_hooks.memory;
    tacho_kernel_outcome.arrays--;
    tacho_kernel_outcome.bytes -= used - offset;
    used = offset;
    if (typed_count && typed[typed_count - 1].values == values)
        typed_count--;
}

void polybench_stop(void)
{
    kernel_stop();
    for (size_t i = 0; i < typed_count; i++) {
        if (typed[i].kind == POLYBENCH_DOUBLE)
            kernel_result_doubles(typed[i].values, typed[i].count);
        else if (typed[i].kind == POLYBENCH_FLOAT)
            kernel_result_floats(typed[i].values, typed[i].count);
        else if (typed[i].kind == POLYBENCH_INT)
            kernel_result_ints(typed[i].values, typed[i].count);
    }
}

int polybench_never(void)
{
    return 0;
}

#ifndef main
#include <stdio.h>

__attribute__((destructor)) static void print_outcome(void)
{
    printf("checksum %.17g of %zu values; %zu bytes in %zu arrays\n", tacho_kernel_outcome.checksum,
           tacho_kernel_outcome.values, tacho_kernel_outcome.bytes, tacho_kernel_outcome.arrays);
}
#endif
