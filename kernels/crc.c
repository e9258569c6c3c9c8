/* crc.c - cyclic redundancy check of a text by a table of 256 remainders (coding).
 *
 *   r := table_(r xor x_i) mod 256 xor floor(r / 256)
 *
 * Through memory: nothing; the remainder goes through a register and the address of a load. */
#include "kernel.h"

#ifndef N
#define N 8000
#endif

KERNEL void crc(unsigned table[KERNEL_RESTRICT 256], unsigned char x[KERNEL_RESTRICT N],
                unsigned r[KERNEL_RESTRICT 1])
{
    unsigned remainder = ~0u;
    for (int i = 0; i < N; i++)
        remainder = table[(remainder ^ x[i]) & 255] ^ remainder >> 8;
    r[0] = ~remainder;
}

/* The polynomial of IEEE 802.3, low powers in the high bits. */
int main(void)
{
    unsigned *table = kernel_alloc(256 * sizeof *table);
    unsigned char *x = kernel_alloc(N);
    unsigned *r = kernel_alloc(sizeof *r);
    for (unsigned b = 0; b < 256; b++) {
        table[b] = b;
        for (int bit = 0; bit < 8; bit++)
            table[b] = table[b] >> 1 ^ (table[b] & 1 ? 0xedb88320u : 0);
    }
    kernel_fill(x, N, 1);
    kernel_start();
    crc(table, x, r);
    kernel_stop();
    return kernel_result(r, 1);
}
