/* Truth: two threads share a lock, which each holds for two thirds of its time, in inside(): that takes less
 * time gains all of it, until there is as much work outside; what is done outside() gains nothing. */
#include "place.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static __attribute__((noinline)) void inside(void)
{
    work(__func__, &parts[0], 1600);
}

static __attribute__((noinline)) void outside(unsigned *x)
{
    work(__func__, x, 800);
}

static void *run(void *number)
{
    while (!over) {
        pthread_mutex_lock(&lock);
        inside();
        progress();
        over |= now() > end;
        pthread_mutex_unlock(&lock);
        outside(&parts[16 + 16 * *(unsigned *)number]);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    run_threads(2, run);
    say_rate();
    return parts[0] == 0;
}
