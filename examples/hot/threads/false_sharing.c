/* Truth: two threads count in `counters`, each in its own, but both are in one cache line. No thread waits.
 */
#include "truth.h"

static struct {
    volatile unsigned long long value;
} counters[2] __attribute__((aligned(64)));
static double end;

static __attribute__((noinline)) void *count(void *number)
{
    const unsigned n = *(unsigned *)number;
    while (now() < end)
        for (int i = 0; i < 100000; i++)
            counters[n].value += n + 1;
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t other;
    unsigned numbers[2] = {0, 1};
    end = now() + seconds_of(argc, argv);
    pthread_create(&other, NULL, count, &numbers[1]);
    count(&numbers[0]);
    pthread_join(other, NULL);
    return counters[0].value == 0;
}
