/* Truth: four threads meet at the barrier `step_done`; the one that computes the border, in slow_border(),
 * takes ten times as long as the others, which wait for it. */
#include "truth.h"

enum {
    THREADS = 4
};
static pthread_barrier_t step_done;
static unsigned results[THREADS * 16];
static double end;
static int stop[2]; /* of even and odd steps: the first thread may be a step ahead */

static __attribute__((noinline)) unsigned slow_border(unsigned x)
{
    WORK(x, 3000 * MICROSECOND)
    return x;
}

static __attribute__((noinline)) unsigned inner(unsigned x)
{
    WORK(x, 300 * MICROSECOND)
    return x;
}

static void *run(void *mine)
{
    unsigned number = *(unsigned *)mine, *x = &results[16 * number];
    unsigned step = 0;
    do {
        *x = number ? inner(*x) : slow_border(*x);
        if (!number)
            stop[step & 1] = now() > end;
        TRULY(pthread_barrier_wait(&step_done));
    } while (!stop[step++ & 1]);
    return NULL;
}

int main(int argc, char **argv)
{
    end = now() + seconds_of(argc, argv);
    pthread_barrier_init(&step_done, NULL, THREADS);
    run_threads(THREADS, run);
    SAY_TRUTH("step_done");
    return 0;
}
