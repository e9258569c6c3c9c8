/* Truth: four threads produce for a queue of four places, and one consumes, in consume(), which takes more
 * time than producing does: producers wait for `not_full` in put(). */
#include "truth.h"

enum {
    PRODUCERS = 4,
    PLACES = 4
};
static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
static unsigned places[PLACES], count, sum;
static double end;

static __attribute__((noinline)) void put(unsigned x)
{
    pthread_mutex_lock(&queue_lock);
    while (count == PLACES)
        TRULY(pthread_cond_wait(&not_full, &queue_lock));
    places[count++] = x;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&queue_lock);
}

static __attribute__((noinline)) unsigned take(void)
{
    pthread_mutex_lock(&queue_lock);
    while (!count)
        pthread_cond_wait(&not_empty, &queue_lock);
    const unsigned x = places[--count];
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&queue_lock);
    return x;
}

static __attribute__((noinline)) void consume(unsigned x)
{
    WORK(x, 500 * MICROSECOND)
    sum += x;
}

static void *produce(void *mine)
{
    unsigned x = *(unsigned *)mine;
    do {
        WORK(x, 100 * MICROSECOND)
        put(x | 1);
    } while (now() < end);
    put(0);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[PRODUCERS];
    unsigned numbers[PRODUCERS];
    end = now() + seconds_of(argc, argv);
    for (unsigned i = 0; i < PRODUCERS; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], NULL, produce, &numbers[i]);
    }
    for (int ended = 0; ended < PRODUCERS;) {
        const unsigned x = take();
        if (x)
            consume(x);
        else
            ended++;
    }
    for (int i = 0; i < PRODUCERS; i++)
        pthread_join(threads[i], NULL);
    SAY_TRUTH("not_full");
    return sum == 0;
}
