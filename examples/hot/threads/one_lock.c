/* Truth: eight threads share `table_lock`, which each holds for nearly all of its time, in rehash(): about
 * one runs at a time, and the others wait in insert(). */
#include "truth.h"

enum {
    THREADS = 8
};
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned table = 1;
static double end;

static __attribute__((noinline)) void rehash(void)
{
    WORK(table, 400 * MICROSECOND)
}

static __attribute__((noinline)) void insert(void)
{
    TRULY(pthread_mutex_lock(&table_lock));
    rehash();
    pthread_mutex_unlock(&table_lock);
}

static void *run(void *mine)
{
    unsigned x = *(unsigned *)mine;
    while (now() < end) {
        insert();
        WORK(x, 20 * MICROSECOND)
    }
    return NULL;
}

int main(int argc, char **argv)
{
    end = now() + seconds_of(argc, argv);
    run_threads(THREADS, run);
    SAY_TRUTH("table_lock");
    return table == 0;
}
