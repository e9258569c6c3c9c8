/* mem.h - the one place through which tacho allocates, so that tests can make the n-th allocation fail. */
#ifndef TACHO_BASE_MEM_H
#define TACHO_BASE_MEM_H

#include "base/std.h"
#include "tacho/error.h"

void *tacho_mem_alloc(size_t size);
/** `count` elements of `size` bytes, zeroed; NULL also when the product overflows. */
void *tacho_mem_zalloc(size_t count, size_t size);
/** Makes *array (of *capacity elements of `size` bytes) hold at least `count`; contents are kept.
 *  @return 0, or -1 with *array as it was. */
int tacho_mem_grow(void *array, size_t *capacity, size_t count, size_t size);
char *tacho_mem_strndup(const char *text, size_t length);
void tacho_mem_free(const void *block);
/** Before the declaration of a pointer, which has a value there: what it points to at the end of its block is
 * freed then, whichever way that is left. */
#define TACHO_MEM_FREED TACHO_ENDS(tacho_mem_free_at)
static inline void tacho_mem_free_at(void *pointer)
{
    tacho_mem_free(*(void **)pointer);
}
/** Several at once. */
void tacho_mem_free_all(const void *const *blocks, size_t count);
#define TACHO_MEM_FREE(...)                                                                                  \
    tacho_mem_free_all((const void *const[]){__VA_ARGS__},                                                   \
                       sizeof((const void *const[]){__VA_ARGS__}) / sizeof(void *))
/** Reports that memory ran out. @return TACHO_ERR_MEMORY */
static inline int tacho_no_memory(tacho_error *err)
{
    return tacho_error_set(err, TACHO_ERR_MEMORY, "out of memory");
}

enum {
    TACHO_MEM_HUGE_PAGE = 2 << 20
};
/** `size` bytes, a multiple of TACHO_MEM_HUGE_PAGE, in pages of that size where the system has them: for much
 *  memory that is read here and there. Given back by tacho_mem_free. */
void *tacho_mem_alloc_huge(size_t size);

/** For tests: the n-th allocation from now on fails (1: the next), and every one after it; 0: none.
 *  Not for use while other threads allocate. */
void tacho_mem_fail_at(unsigned long n);

#endif
