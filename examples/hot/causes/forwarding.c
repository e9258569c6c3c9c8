/* forwarding.c - bytes that are stored one by one and read as one word at once: no single store has all of
 * them, so that the load waits until the stores are in the cache.
 *
 *     cc -O1 -g -o forwarding forwarding.c && tacho hot -- ./forwarding */
#include <stdint.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 2000000000;
    volatile union {
        uint8_t bytes[8];
        uint64_t word;
    } both = {{0}};
    uint64_t sum = 1;
    for (int r = 0; r < rounds; r++) {
        both.bytes[3] = (uint8_t)sum; /* there */
        sum += both.word;             /* here */
    }
    return sum == 0;
}
