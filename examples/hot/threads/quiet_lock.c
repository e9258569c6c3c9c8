/* Truth: two threads compute; now and then both count in `statistics`, whose lock `statistics_lock` is held
 * for a moment only. Nothing is to be gained there. */
#include "truth.h"

static pthread_mutex_t statistics_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned statistics;
static double end;

static __attribute__((noinline)) void note(unsigned x)
{
    TRULY(pthread_mutex_lock(&statistics_lock));
    WORK(x, 5 * MICROSECOND)
    statistics += x;
    pthread_mutex_unlock(&statistics_lock);
}

static __attribute__((noinline)) void *compute(void *mine)
{
    unsigned x = *(unsigned *)mine;
    while (now() < end) {
        WORK(x, 500 * MICROSECOND)
        note(x);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t other;
    unsigned numbers[2] = {0, 1};
    end = now() + seconds_of(argc, argv);
    pthread_create(&other, NULL, compute, &numbers[1]);
    compute(&numbers[0]);
    pthread_join(other, NULL);
    SAY_TRUTH("statistics_lock");
    return 0;
}
