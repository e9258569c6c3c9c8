/* Truth: four times as many threads compute, in compute(), as there are processors. Nobody waits for another.
 */
#include "truth.h"

static double end;

static __attribute__((noinline)) void *compute(void *mine)
{
    unsigned x = *(unsigned *)mine;
    while (now() < end)
        WORK(x, 100 * MICROSECOND)
    *(unsigned *)mine = x;
    return NULL;
}

int main(int argc, char **argv)
{
    end = now() + seconds_of(argc, argv);
    run_threads(4 * processors(), compute);
    return 0;
}
