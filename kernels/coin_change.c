/* coin_change.c - in how many ways coins make up each sum, modulo 2^32 (dynamic programming).
 *
 *   w_s := w_s + w_s-coin, for one coin after the other, s upwards
 *
 * Through memory: w_s-coin, coin iterations back: 1, 2, 5, 10, 20, 50, 100, 200. */
#include "kernel.h"

#ifndef S
#define S 2500
#endif
#define COINS 8

KERNEL void coin_change(int coin[KERNEL_RESTRICT COINS], unsigned w[KERNEL_RESTRICT S + 1])
{
    w[0] = 1;
    for (int s = 1; s <= S; s++)
        w[s] = 0;
    for (int c = 0; c < COINS; c++) {
        for (int s = coin[c]; s <= S; s++)
            w[s] += w[s - coin[c]];
    }
}

int main(void)
{
    static const int coins[COINS] = {1, 2, 5, 10, 20, 50, 100, 200};
    int *coin = kernel_alloc(COINS * sizeof *coin);
    unsigned *w = kernel_alloc((S + 1) * sizeof *w);
    for (int c = 0; c < COINS; c++)
        coin[c] = coins[c];
    kernel_start();
    coin_change(coin, w);
    kernel_stop();
    return kernel_result(w, S + 1);
}
