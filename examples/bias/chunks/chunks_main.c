/* chunks_main.c - a loop whose code is as long as the buffers that a processor may hold a loop in, and others
 * around it: where it begins depends on the order in which the files are linked.
 *
 *     for f in main loop other; do cc -O2 -c $f.c; done
 *     tacho bias --link 'cc -o {out} {objects}' --objects chunks_main.o chunks_loop.o other.o -- chunks */
#include <stdlib.h>

int loop(int rounds);
int other(int n);

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 2000000;
    return loop(rounds) == other(rounds);
}
