/* random_branch.c - a branch on a bit that nobody can foretell.
 *
 *     cc -O1 -g -o random_branch random_branch.c && tacho hot -- ./random_branch */
#include <stdint.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 2000000000;
    uint64_t x = 88172645463325252u, ones = 0;
    for (int r = 0; r < rounds; r++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        if (x & 1024) { /* here */
            ones++;
            __asm__ volatile(""); /* a branch, whatever the compiler thinks of it */
        }
    }
    return ones == 0;
}
