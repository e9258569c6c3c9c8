/* arrays.c - a kernel whose result is that its arrays lie where kernel.h says. */
#include "../../kernels/kernel.h"
#include <stdint.h>

enum {
    ARRAYS = 40
};

KERNEL void nothing(int *x)
{
    *x = 1;
}

/* Sizes at which arrays one behind the other would begin at the same place of a page. */
static int is_well_placed(void)
{
    uintptr_t starts[ARRAYS], end = 0;
    for (int i = 0; i < ARRAYS; i++) {
        size_t bytes = i % 2 ? 4096 : 100;
        starts[i] = (uintptr_t)kernel_alloc(bytes);
        if (starts[i] % 64 || starts[i] < end)
            return 0;
        end = starts[i] + bytes;
        uintptr_t wanted = i < 5 ? 512 : 64;
        for (int k = 0; k < i; k++) {
            uintptr_t ahead = (starts[i] - starts[k]) % 4096;
            if (ahead < wanted || 4096 - ahead < wanted)
                return 0;
        }
    }
    return 1;
}

int main(void)
{
    int well = is_well_placed();
    int *x = kernel_alloc(sizeof *x);
    kernel_start();
    nothing(x);
    kernel_stop();
    kernel_result(x, 1);
    return !well;
}
