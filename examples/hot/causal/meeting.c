/* Truth: two threads meet at a barrier; border() takes twice as long as inner(), so that it alone is worth
 * anything, until it takes as long as that. */
#include "place.h"

static pthread_barrier_t meet;

static __attribute__((noinline)) void border(void)
{
    work(__func__, &parts[0], 2000);
}

static __attribute__((noinline)) void inner(void)
{
    work(__func__, &parts[16], 1000);
}

static void *run(void *mine)
{
    const unsigned number = *(unsigned *)mine;
    for (;;) {
        pthread_barrier_wait(&meet);
        if (over)
            return NULL;
        if (number)
            inner();
        else
            border();
        pthread_barrier_wait(&meet);
        if (number)
            continue;
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
