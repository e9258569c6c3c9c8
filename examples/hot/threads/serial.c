/* Truth: rounds of work, of which 30 % is done by one thread, in merge(), and the rest by four in equal
 * parts, in map(): by Amdahl's law at most 3.3 times as fast as by one thread. */
#include "truth.h"

enum {
    THREADS = 4,
    ROUND = 100000 /* microseconds of work */
};

static __attribute__((noinline)) unsigned merge(unsigned x)
{
    WORK(x, 3 * ROUND / 10 * MICROSECOND)
    return x;
}

static __attribute__((noinline)) void *map(void *mine)
{
    unsigned *x = mine;
    WORK(*x, 7 * ROUND / 10 / THREADS * MICROSECOND)
    return NULL;
}

int main(int argc, char **argv)
{
    const double end = now() + seconds_of(argc, argv);
    unsigned parts[THREADS] = {1, 2, 3, 4}, x = 1;
    while (now() < end) {
        pthread_t threads[THREADS];
        x = merge(x + parts[0]);
        for (int i = 0; i < THREADS; i++)
            pthread_create(&threads[i], NULL, map, &parts[i]);
        for (int i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
    }
    return x == 0;
}
