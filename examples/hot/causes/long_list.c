/* long_list.c - a list through more memory than the caches near the core hold, in an order by chance. What
 * follows each load waits for it.
 *
 *     cc -O1 -g -o long_list long_list.c && tacho hot -- ./long_list */
#include <stdint.h>
#include <stdlib.h>

struct node {
    struct node *next;
    char rest[56];
};

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 200000000;
    uint32_t count = (argc > 2 ? (uint32_t)atoi(argv[2]) : 16) << 20 >> 6; /* megabytes, nodes */
    struct node *nodes = calloc(count, sizeof *nodes);
    uint64_t x = 1;
    if (!nodes)
        return 1;
    for (uint32_t i = 0; i < count; i++)
        nodes[i].next = &nodes[i];
    for (uint32_t i = count - 1; i > 0; i--) { /* one way through all (Sattolo) */
        x = x * 6364136223846793005u + 1442695040888963407u;
        struct node *a = &nodes[i], *b = &nodes[(x >> 33) % i], *kept = a->next;
        a->next = b->next;
        b->next = kept;
    }
    const struct node *at = nodes;
    for (int r = 0; r < rounds; r++)
        at = at->next; /* here */
    return !at;
}
