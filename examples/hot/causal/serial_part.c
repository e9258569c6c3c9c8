/* Truth: rounds in which one thread alone works in merge(), for a third of the time, and then two in map():
 * what either takes less gains its share. */
#include "place.h"

static pthread_barrier_t meet;

static __attribute__((noinline)) void merge(void)
{
    work(__func__, &parts[0], 1500);
}

static __attribute__((noinline)) void map(unsigned *x)
{
    work(__func__, x, 3000);
}

static void *run(void *mine)
{
    const unsigned number = *(unsigned *)mine;
    for (;;) {
        pthread_barrier_wait(&meet);
        if (over)
            return NULL;
        map(&parts[16 * number]);
        pthread_barrier_wait(&meet);
        if (number)
            continue;
        merge();
        progress();
        over = now() > end;
    }
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    pthread_barrier_init(&meet, NULL, 2);
    run_threads(2, run);
    say_rate();
    return parts[0] == 0;
}
