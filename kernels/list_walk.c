/* list_walk.c - sum over a linked list in the order of its links, in ints (data structures).
 *
 *   s := s + v_i,   i := next_i, until the list is through; T times, the sum so far kept in each element
 *
 * Through memory: nothing within a walk; each step waits for the load of the one before. */
#include "kernel.h"

#ifndef N
#define N 1800
#endif
#ifndef T
#define T 3
#endif

struct element {
    int next; /* -1: none */
    int value;
    int sum;
};

KERNEL void list_walk(struct element list[KERNEL_RESTRICT N])
{
    for (int t = 0; t < T; t++) {
        int sum = 0;
        for (int i = 0; i >= 0; i = list[i].next) {
            sum += list[i].value;
            list[i].sum = sum;
        }
    }
}

/* In the order 0, 7, 14, ... modulo N, which 7 does not divide: every element once. */
int main(void)
{
    struct element *list = kernel_alloc(N * sizeof *list);
    for (int i = 0; i < N; i++)
        list[i] = (struct element){.next = (i + 7) % N, .value = i % 100, .sum = 0};
    list[N - 7].next = -1;
    kernel_start();
    list_walk(list);
    kernel_stop();
    return kernel_result(&list[0].next, 3 * N);
}
