/* Truth: eight threads take places in one of two pools, which lie on the heap, and wait for its lock in
 * take(): that of the pool which open_files() has made. It has no name; pool_new() has initialised both. */
#include "truth.h"

typedef struct pool {
    unsigned taken, state;
    pthread_mutex_t lock;
} pool;

enum {
    THREADS = 8
};
static pool *files, *users;
static double end;

static __attribute__((noinline)) pool *pool_new(unsigned state)
{
    pool *p = calloc(1, sizeof *p);
    p->state = state;
    pthread_mutex_init(&p->lock, NULL);
    return p;
}

static __attribute__((noinline)) void open_users(void)
{
    users = pool_new(1);
}

static __attribute__((noinline)) void open_files(void)
{
    files = pool_new(2);
}

static __attribute__((noinline)) void search(pool *p)
{
    WORK(p->state, 300 * MICROSECOND)
    p->taken++;
}

static __attribute__((noinline)) void take(pool *p)
{
    TRULY(pthread_mutex_lock(&p->lock));
    search(p);
    pthread_mutex_unlock(&p->lock);
}

static void *run(void *mine)
{
    unsigned x = *(unsigned *)mine;
    while (now() < end) {
        WORK(x, 30 * MICROSECOND)
        take(files);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    end = now() + seconds_of(argc, argv);
    open_users();
    open_files();
    take(users);
    run_threads(THREADS, run);
    SAY_TRUTH("lock");
    return !files->taken;
}
