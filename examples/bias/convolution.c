/* convolution.c - a sliding window over an array, written to another one of the same size.
 *
 * What malloc takes from the system for large arrays begins 16 bytes into a page, so that the two agree
 * modulo 4096: by the low 12 bits of the address, what a round stores is what the next ones load.
 *
 *     cc -O2 -g -o convolution convolution.c
 *     tacho bias --factors buffers,allocator -- ./convolution 65536 200 */
#include <stdlib.h>

static const float weights[5] = {0.1f, 0.2f, 0.4f, 0.2f, 0.1f};

__attribute__((noinline)) static void convolve(int size, const float *from, float *to)
{
    for (int i = 2; i + 2 < size; i++) {
        to[i] = 0;
        for (int j = 0; j < 5; j++)
            to[i] += from[i + j - 2] * weights[j];
    }
}

int main(int argc, char **argv)
{
    int size = argc > 1 ? atoi(argv[1]) : 65536, rounds = argc > 2 ? atoi(argv[2]) : 100;
    size_t count = size > 5 ? (size_t)size : 5;
    float *from = malloc(count * sizeof *from), *to = malloc(count * sizeof *to);
    if (!from || !to)
        return 1;
    for (size_t i = 0; i < count; i++)
        from[i] = (float)(i % 7);
    for (int r = 0; r < rounds; r++)
        convolve((int)count, from, to);
    int status = to[count / 2] < 0;
    free(to);
    free(from);
    return status;
}
