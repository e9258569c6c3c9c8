/* Truth: ask() and answer() take turns, so that what either takes less gains its share; background() works
 * beside them, with pauses, and gains nothing. */
#include "place.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static volatile unsigned turn;

static __attribute__((noinline)) void ask(void)
{
    work(__func__, &parts[0], 400);
}

static __attribute__((noinline)) void answer(void)
{
    work(__func__, &parts[16], 600);
}

static __attribute__((noinline)) void background(void)
{
    work(__func__, &parts[32], 500);
}

static void pass_on(unsigned number)
{
    pthread_mutex_lock(&lock);
    turn = !number;
    pthread_cond_broadcast(&changed);
    while (turn != number && !over)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

static void *run(void *mine)
{
    const unsigned number = *(unsigned *)mine;
    while (number == 1 && turn != 1)
        sched_yield();
    while (!over) {
        if (number > 1) {
            background();
            nanosleep(&(struct timespec){0, 500000}, NULL);
            continue;
        }
        if (number) {
            answer();
            progress();
            over = now() > end;
        } else {
            ask();
        }
        pass_on(number);
    }
    pthread_mutex_lock(&lock); /* nobody is about to wait */
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    run_threads(3, run);
    say_rate();
    return parts[0] == 0;
}
