/* preload.c - a library put before a program's own (LD_PRELOAD). Every second large allocation begins later,
 * by the number of bytes in the variable TACHO_SHIFT. Nothing else changes: the C library's allocator is
 * asked for the same sizes whatever the shift is.
 *
 * Allocations that were moved are remembered, since what must be freed is where they began. */
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The C library's allocator by the names that are not replaced. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void __libc_free(void *block);

enum {
    LARGE_BYTES = 8192,
    SLACK_BYTES = 3 * 4096, /* shifts are up to so much */
    TABLE_SIZE = 1 << 15    /* allocations moved at a time; further ones stay */
};

static struct moved {
    _Atomic(uintptr_t) at; /* what the program has; 0: free */
    uintptr_t began;
} table[TABLE_SIZE];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_size_t moved_count, large_count;
static atomic_uint shift_plus_1;

static size_t shift_bytes(void)
{
    unsigned known = atomic_load_explicit(&shift_plus_1, memory_order_relaxed);
    if (!known) {
        const char *text = getenv("TACHO_SHIFT");
        unsigned n = 0;
        for (; text && *text >= '0' && *text <= '9' && n < SLACK_BYTES; text++)
            n = n * 10 + (unsigned)(*text - '0');
        known = (n > SLACK_BYTES ? SLACK_BYTES : n / 16 * 16) + 1;
        atomic_store(&shift_plus_1, known);
    }
    return known - 1;
}

static size_t slot_of(uintptr_t at)
{
    return (at >> 4) * 0x9e3779b97f4a7c15u >> 49;
}

/* Where the place is in the table; the lock is held. NULL: it is not. */
static struct moved *find(uintptr_t at)
{
    for (size_t i = slot_of(at), n = 0; n < TABLE_SIZE; i = (i + 1) % TABLE_SIZE, n++)
        if (table[i].at == at)
            return &table[i];
        else if (!table[i].began) /* never used */
            return NULL;
    return NULL;
}

static bool remember(uintptr_t at, uintptr_t began)
{
    bool kept = false;
    pthread_mutex_lock(&lock);
    for (size_t i = slot_of(at), n = 0; moved_count < TABLE_SIZE / 2 && n < TABLE_SIZE && !kept;
         i = (i + 1) % TABLE_SIZE, n++)
        if (!table[i].at) {
            table[i].began = began;
            table[i].at = at;
            moved_count++;
            kept = true;
        }
    pthread_mutex_unlock(&lock);
    return kept;
}

/* Where an allocation began; NULL: it was not moved. `forget`: it is no more. */
static void *began(void *block, bool forget)
{
    if (!block || !atomic_load_explicit(&moved_count, memory_order_relaxed))
        return NULL;
    pthread_mutex_lock(&lock);
    struct moved *m = find((uintptr_t)block);
    void *out = m ? (void *)m->began : NULL;
    if (m && forget) {
        m->at = 0;
        moved_count--;
    }
    pthread_mutex_unlock(&lock);
    return out;
}

/* A large allocation, which is `bytes` larger than it was asked for. */
static void *place(void *block)
{
    bool second = block && atomic_fetch_add(&large_count, 1) % 2;
    size_t bytes = shift_bytes();
    if (!second || !bytes || !remember((uintptr_t)block + bytes, (uintptr_t)block))
        return block;
    return (char *)block + bytes;
}

static bool is_large(size_t size)
{
    return size >= LARGE_BYTES && size <= SIZE_MAX / 2;
}

__attribute__((visibility("default"))) void *malloc(size_t size)
{
    return is_large(size) ? place(__libc_malloc(size + SLACK_BYTES)) : __libc_malloc(size);
}

__attribute__((visibility("default"))) void *calloc(size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || !is_large(bytes))
        return __libc_calloc(count, size);
    return place(__libc_calloc(1, bytes + SLACK_BYTES));
}

__attribute__((visibility("default"))) void free(void *block)
{
    int kept = errno;
    void *first = began(block, true);
    __libc_free(first ? first : block);
    errno = kept;
}

/* One that was moved stays as far from where it begins. */
__attribute__((visibility("default"))) void *realloc(void *block, size_t size)
{
    void *first = began(block, false);
    if (!first)
        return is_large(size) && !block ? malloc(size) : __libc_realloc(block, size);
    size_t bytes = (size_t)((char *)block - (char *)first);
    if (!size || size > SIZE_MAX / 2) {
        if (!size)
            free(block);
        else
            errno = ENOMEM;
        return NULL;
    }
    char *moved = __libc_realloc(first, size + SLACK_BYTES);
    if (!moved)
        return NULL;
    began(block, true);
    if (remember((uintptr_t)moved + bytes, (uintptr_t)moved))
        return moved + bytes;
    memmove(moved, moved + bytes, size);
    return moved;
}

__attribute__((visibility("default"))) void *reallocarray(void *block, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(block, bytes);
}

/* Of one that was moved, what is left of the room that was asked for besides. */
__attribute__((visibility("default"))) size_t malloc_usable_size(void *block)
{
    /* The chunk's size stands before it, with three bits of flags, and two words of it are not the
     * program's (one in a chunk that is not mapped). */
    void *first = began(block, false);
    const size_t *chunk = (const size_t *)(first ? first : block);
    if (!chunk)
        return 0;
    size_t size = (chunk[-1] & ~(size_t)7) - (chunk[-1] & 2 ? 2 : 1) * sizeof(size_t);
    return size - (size_t)((char *)block - (const char *)chunk);
}
