/* knapsack.c - most valuable choice of things within a weight, each at most once, in ints (dynamic
 * programming).
 *
 *   v_w := max(v_w, v_w-weight + value), for one thing after the other, w downwards
 *
 * Through memory: v_w from one thing to the next; within a thing only reads of what is written later, at a
 * distance that the compiler does not know. */
#include "kernel.h"

#ifndef ITEMS
#define ITEMS 16
#endif
#ifndef W
#define W 1200
#endif

KERNEL void knapsack(int weight[KERNEL_RESTRICT ITEMS], int value[KERNEL_RESTRICT ITEMS],
                     int v[KERNEL_RESTRICT W + 1])
{
    for (int w = 0; w <= W; w++)
        v[w] = 0;
    for (int i = 0; i < ITEMS; i++) {
        for (int w = W; w >= weight[i]; w--) {
            int with = v[w - weight[i]] + value[i];
            v[w] = with > v[w] ? with : v[w];
        }
    }
}

int main(void)
{
    int *weight = kernel_alloc(ITEMS * sizeof *weight);
    int *value = kernel_alloc(ITEMS * sizeof *value);
    int *v = kernel_alloc((W + 1) * sizeof *v);
    kernel_fill(weight, ITEMS, 1);
    kernel_fill(value, ITEMS, 2);
    for (int i = 0; i < ITEMS; i++)
        weight[i] = weight[i] % 300 + 1;
    kernel_start();
    knapsack(weight, value, v);
    kernel_stop();
    return kernel_result(v, W + 1);
}
