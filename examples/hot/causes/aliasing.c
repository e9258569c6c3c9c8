/* aliasing.c - a load that follows a store to the same place of another page: some cores take it for a load
 * of what was stored, as they compare the lower 12 bits of addresses at first.
 *
 *     cc -O1 -g -o aliasing aliasing.c && tacho hot -- ./aliasing */
#include <stdlib.h>

static volatile long room[4096] __attribute__((aligned(4096)));

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 2000000000;
    long at = 0;
    for (int r = 0; r < rounds; r++) {
        room[0] = at;            /* there */
        at = room[512 + at] & 0; /* here */
    }
    return (int)at;
}
