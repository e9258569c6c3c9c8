/* sharing.c - two threads, each with a counter of its own, and both counters in one cache line; or one that
 * counts, and one that looks at the counter.
 *
 *     cc -O1 -g -pthread -o sharing sharing.c && tacho hot -- ./sharing
 *     tacho hot -- ./sharing 2000000000 apart    (in two lines)
 *     tacho hot -- ./sharing 2000000000 reads */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static volatile long counters[64] __attribute__((aligned(64)));
static int rounds, second = 1;

static void *count_other(void *unused)
{
    for (int r = 0; r < rounds; r++)
        counters[second]++; /* there */
    return unused;
}

static void *look_at_first(void *unused)
{
    long sum = 0;
    for (int r = 0; r < rounds; r++)
        sum += counters[0]; /* looks */
    counters[32] = sum;
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    rounds = argc > 1 ? atoi(argv[1]) : 2000000000;
    second = argc > 2 ? 32 : 1;
    const int reads = argc > 2 && !strcmp(argv[2], "reads");
    if (pthread_create(&thread, NULL, reads ? look_at_first : count_other, NULL))
        return 1;
    for (int r = 0; r < rounds; r++)
        counters[0]++; /* here */
    pthread_join(thread, NULL);
    return !reads && counters[0] != counters[second];
}
