/* Truth: produce() hands on what consume(), which takes twice as long, is the limit for: that the first takes
 * less time gains nothing; the second gains all of it, until both take as long. */
#include "place.h"

enum {
    ROOM = 8
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static unsigned count;

static __attribute__((noinline)) void produce(void)
{
    work(__func__, &parts[0], 500);
}

static __attribute__((noinline)) void consume(void)
{
    work(__func__, &parts[16], 1000);
}

/* Waits while the queue is full (1) or empty (-1), and changes it by so much. */
static void change(int by)
{
    pthread_mutex_lock(&lock);
    while (count == (by > 0 ? ROOM : 0) && !over)
        pthread_cond_wait(&changed, &lock);
    count += (unsigned)by;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static void *run(void *number)
{
    while (!over) {
        if (*(unsigned *)number) {
            produce();
            change(1);
            continue;
        }
        change(-1);
        consume();
        progress();
        over = now() > end;
    }
    pthread_mutex_lock(&lock); /* nobody is about to wait */
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    run_threads(2, run);
    say_rate();
    return parts[0] == 0;
}
