/* crossing.c - a list whose nodes are packed, so that the pointer to the next one lies in two cache lines.
 *
 *     cc -O1 -g -o crossing crossing.c && tacho hot -- ./crossing
 *     tacho hot -- ./crossing 2000000000 page    (in two pages) */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct __attribute__((packed)) node {
    char name[4];
    struct node *next;
};

int main(int argc, char **argv)
{
    static char room[16384] __attribute__((aligned(4096)));
    int rounds = argc > 1 ? atoi(argv[1]) : 2000000000, page = argc > 2;
    struct node *first = (void *)(room + (page ? 4096 : 1024) - 8), *second = (void *)((char *)first + 4096);
    memcpy(&first->next, &second, sizeof second);
    memcpy(&second->next, &first, sizeof first);
    const struct node *at = first;
    for (int r = 0; r < rounds; r++)
        at = at->next; /* here */
    return at != first && at != second;
}
