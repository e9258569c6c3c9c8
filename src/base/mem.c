/* mem.c - allocation with a switch for tests. */
#include "base/mem.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

static unsigned long fail_countdown; /* 0: never */

void tacho_mem_fail_at(unsigned long n)
{
    fail_countdown = n;
}

static bool must_fail(void)
{
    if (!fail_countdown)
        return false;
    if (fail_countdown > 1) {
        fail_countdown--;
        return false;
    }
    return true;
}

void *tacho_mem_alloc(size_t size)
{
    return must_fail() ? NULL : malloc(size ? size : 1);
}

void *tacho_mem_alloc_huge(size_t size)
{
    void *p = must_fail() ? NULL : aligned_alloc(TACHO_MEM_HUGE_PAGE, size);
#ifdef MADV_HUGEPAGE
    if (p)
        madvise(p, size, MADV_HUGEPAGE); /* a wish: without, it is as good but slower */
#endif
    return p;
}

void *tacho_mem_zalloc(size_t count, size_t size)
{
    return must_fail() ? NULL : calloc(count ? count : 1, size ? size : 1);
}

int tacho_mem_grow(void *array, size_t *capacity, size_t count, size_t size)
{
    if (count <= *capacity)
        return 0;
    size_t want = *capacity < 8 ? 8 : *capacity;
    while (want < count) {
        if (want > SIZE_MAX / 2)
            return -1;
        want *= 2;
    }
    if (size && want > SIZE_MAX / size)
        return -1;
    void *old;
    memcpy(&old, array, sizeof old);
    void *grown = must_fail() ? NULL : realloc(old, want * size);
    if (!grown)
        return -1;
    memcpy(array, &grown, sizeof grown);
    *capacity = want;
    return 0;
}

char *tacho_mem_strndup(const char *text, size_t length)
{
    char *copy = tacho_mem_alloc(length + 1);
    if (!copy)
        return NULL;
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

void tacho_mem_free(const void *block)
{
    free((void *)block);
}

void tacho_mem_free_all(const void *const *blocks, size_t count)
{
    for (size_t i = 0; i < count; i++)
        tacho_mem_free(blocks[i]);
}
