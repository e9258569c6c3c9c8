/* environment.c - three variables that do not move and two on the stack, in one loop.
 *
 * Without optimisation each round stores to the first and soon loads from the second. Where the environment's
 * size puts `count` or `step` at the same place of a page as `a`, `b` or `c`, an Intel core takes the load
 * for one of what was stored just before. After the program in T. Mytkowicz et al., "We have it easy, but do
 * we have it right?", 2008.
 *
 *     cc -O0 -g -o environment environment.c && tacho bias --factors environment -- ./environment 3000000 */
#include <stdlib.h>

static int a, b, c;

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 1000000;
    int count = 0, step = 1;
    for (; count < rounds; count++) {
        a += step;
        b += step;
        c += step;
    }
    return a == b && b == c ? 0 : 1;
}
