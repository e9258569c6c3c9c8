/* Truth: four threads allocate and free, in churn(), nothing else; all memory is of one arena, whose lock
 * they wait for. (By itself the GNU C library has eight arenas a processor.) */
#include <malloc.h>
#include <string.h>

#include "truth.h"

enum {
    THREADS = 4,
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
            TRULY(free(*b));
            TRULY(*b = malloc(2000 + (x >> 8) % 60000));
            if (*b)
                **b = 1;
        }
    for (int i = 0; i < BLOCKS; i++)
        free(blocks[i]);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    unsigned numbers[THREADS];
    mallopt(M_ARENA_MAX, 1);
    end = now() + seconds_of(argc, argv);
    for (unsigned i = 0; i < THREADS; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], NULL, churn, &numbers[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
