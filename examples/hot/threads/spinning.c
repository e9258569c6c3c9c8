/* Truth: one thread prepares in prepare(), the other one looks in await() whether it has, again and again. */
#include <stdatomic.h>

#include "truth.h"

static atomic_int ready;
static double end;
static unsigned prepared = 1;

static __attribute__((noinline)) void await(void)
{
    while (!atomic_load_explicit(&ready, memory_order_acquire))
        __builtin_ia32_pause();
}

static __attribute__((noinline)) void prepare(void)
{
    WORK(prepared, 2000 * MICROSECOND)
}

static void *consume(void *unused)
{
    (void)unused;
    int state = 0;
    while (state != 2) {
        TRULY(await());
        state = atomic_load(&ready);
        if (state != 2)
            atomic_store(&ready, 0);
        WORK(prepared, 50 * MICROSECOND)
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    end = now() + seconds_of(argc, argv);
    pthread_create(&thread, NULL, consume, NULL);
    while (now() < end) {
        prepare();
        atomic_store(&ready, 1);
        while (atomic_load(&ready))
            __builtin_ia32_pause();
    }
    atomic_store(&ready, 2);
    pthread_join(thread, NULL);
    SAY_TRUTH("spin");
    return prepared == 0;
}
