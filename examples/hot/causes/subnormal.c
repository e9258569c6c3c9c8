/* subnormal.c - divisions of numbers so small that they are subnormal (below 2.2e-308 for a double): most
 * processors take longer for them. A filter whose input has become silent ends like this.
 *
 *     cc -O1 -g -o subnormal subnormal.c && tacho hot -- ./subnormal */
#include <stdlib.h>

static double small[1000];

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 10000000;
    volatile double start = 3e-310, by = 1.5;
    double sum = 0;
    for (int i = 0; i < 1000; i++)
        small[i] = start;
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < 1000; i++)
            sum += small[i] / by; /* here */
    return sum > 1;
}
