/* Truth: as many threads as there are processors allocate and free, in churn(), nothing else; all memory is
 * of one arena, whose lock they wait for. (By itself the GNU C library has eight arenas a processor.) */
#include "truth.h"

#include <malloc.h>

enum {
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
    const unsigned count = processors();
    mallopt(M_ARENA_MAX, 1);
    end = now() + seconds_of(argc, argv);
    run_threads(count < 2 ? 2 : count, churn);
    return 0;
}
