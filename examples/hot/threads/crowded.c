/* Truth: four times as many threads compute, in compute(), as there are processors. Nobody waits for another.
 */
#define _GNU_SOURCE
#include <sched.h>

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
    cpu_set_t cpus;
    const int count = sched_getaffinity(0, sizeof cpus, &cpus) ? 4 : 4 * CPU_COUNT(&cpus);
    pthread_t *threads = calloc((size_t)count, sizeof *threads);
    unsigned *numbers = calloc((size_t)count, sizeof *numbers);
    end = now() + seconds_of(argc, argv);
    for (int i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, compute, &numbers[i]);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    free(threads);
    free(numbers);
    return 0;
}
