/* cache_sets.c - the sum of 16 arrays, element by element. From malloc, arrays that are mapped begin at the
 * same place of a page, so that their elements share a set of a first-level cache of 4096 bytes a way. Sets
 * have 8 or 12 ways.
 *
 *     cc -O2 -o cache_sets cache_sets.c
 *     tacho bias --factors buffers,allocator -- ./cache_sets 2000 */
#include <stdio.h>
#include <stdlib.h>

enum {
    ARRAYS = 16,
    ELEMENTS = 1 << 15 /* 128 KB each: mapped */
};

/* Each element depends on that of the array before, so that its time is seen. */
static unsigned walk(unsigned *const *arrays, unsigned first, unsigned last)
{
    unsigned at = 0, sum = 0;
    for (unsigned i = first; i < last; i++)
        for (unsigned k = 0; k < ARRAYS; k++) {
            at = arrays[k][i + at];
            sum += at + k;
        }
    return sum;
}

int main(int argc, char **argv)
{
    unsigned *arrays[ARRAYS], rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 2000, sum = 0;
    for (unsigned k = 0; k < ARRAYS; k++)
        if (!(arrays[k] = calloc(ELEMENTS, sizeof **arrays)))
            return 1;
    for (unsigned r = 0; r < rounds; r++)
        sum += walk(arrays, 0, 64);
    printf("%u\n", sum);
    return 0;
}
