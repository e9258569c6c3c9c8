/* tlb_pages.c - 60 objects, of which two places are read in turn. They are in one page where the array begins
 * at a page, and in two where it begins half a page later: then there are 120 pages, and the first-level TLB
 * has 64 to 96 entries.
 *
 *     cc -O2 -o tlb_pages tlb_pages.c
 *     tacho bias --factors buffers -- ./tlb_pages 20000 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    OBJECTS = 60,
    DISTANCE = 3 * 4096, /* of one from the next, in bytes */
    SECOND = 2048,       /* the second place, from the first */
    SLOTS = 28           /* first places are spread over so many lines of a page */
};

int main(int argc, char **argv)
{
    unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 20000;
    char *before = malloc(1 << 16); /* of two allocations one is moved */
    char *data = malloc(OBJECTS * DISTANCE + 4096);
    if (!before || !data)
        return 1;
    /* Each place holds the address of the next one. */
    void **first = NULL, **last = NULL;
    for (unsigned i = 0; i < 2 * OBJECTS; i++) {
        void **place = (void **)(void *)(data + i / 2 * DISTANCE + i / 2 % SLOTS * 64 + i % 2 * SECOND);
        if (last)
            *last = place;
        first = first ? first : place;
        last = place;
    }
    *last = first;
    void **at = first;
    for (unsigned r = 0; r < rounds; r++)
        for (unsigned i = 0; i < 2 * OBJECTS; i++)
            at = *at;
    printf("%d\n", at == first);
    free(before);
    free(data);
    return 0;
}
