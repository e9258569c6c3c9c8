/* sharing.c - two threads, each with a counter of its own, and both counters in one cache line.
 *
 *     cc -O1 -g -pthread -o sharing sharing.c && tacho hot -- ./sharing
 *     tacho hot -- ./sharing 2000000000 apart    (in two lines) */
#include <pthread.h>
#include <stdlib.h>

static volatile long counters[64] __attribute__((aligned(64)));
static int rounds, second = 1;

static void *count_other(void *unused)
{
    for (int r = 0; r < rounds; r++)
        counters[second]++; /* there */
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    rounds = argc > 1 ? atoi(argv[1]) : 2000000000;
    second = argc > 2 ? 32 : 1;
    if (pthread_create(&thread, NULL, count_other, NULL))
        return 1;
    for (int r = 0; r < rounds; r++)
        counters[0]++; /* here */
    pthread_join(thread, NULL);
    return counters[0] != counters[second];
}
