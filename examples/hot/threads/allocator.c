/* Truth: as many threads as there are processors allocate and free, in churn(), nothing else; all memory is
 * of one arena, whose lock they wait for. (By itself the GNU C library has eight arenas a processor.) */
#define _GNU_SOURCE
#include <malloc.h>
#include <sched.h>

#include "truth.h"

enum {
    MOST_THREADS = 64,
    BLOCKS = 512
};
static double end;

static __attribute__((noinline)) void *churn(void *mine)
{
    unsigned x = *(unsigned *)mine + 1;
    char *blocks[BLOCKS] = {0};
    while (now() < end)
        for (int i = 0; i < 1000; i++) {
            x = x * 1664525u + 1013904223u;
            char **b = &blocks[x >> 16 & (BLOCKS - 1)];
            free(*b);
            *b = malloc(2000 + (x >> 8) % 60000);
            if (*b)
                **b = 1;
        }
    for (int i = 0; i < BLOCKS; i++)
        free(blocks[i]);
    return NULL;
}

int main(int argc, char **argv)
{
    cpu_set_t cpus;
    pthread_t threads[MOST_THREADS];
    unsigned numbers[MOST_THREADS],
        count = sched_getaffinity(0, sizeof cpus, &cpus) ? 2 : (unsigned)CPU_COUNT(&cpus);
    count = count < 2 ? 2 : count > MOST_THREADS ? MOST_THREADS : count;
    mallopt(M_ARENA_MAX, 1);
    end = now() + seconds_of(argc, argv);
    for (unsigned i = 0; i < count; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], NULL, churn, &numbers[i]);
    }
    for (unsigned i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
