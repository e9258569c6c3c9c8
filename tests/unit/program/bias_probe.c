/* bias_probe.c - a program whose time depends on where things lie in its memory, on every processor.
 *
 *   bias_probe WHAT ROUNDS [PERCENT]
 *
 * none: it does not. stack, heap, mapped, buffers: a fourth more rounds (or so many percent) where a local
 * variable, an allocation, a mapping, or the second of two large allocations (from the first) lies at one of
 * 32 places, of 128 bytes in a page (of 64 places of a page, for mappings). argument, directory: where the
 * length of its path is one of 8, or that of the current directory's name one of 16, in steps of 16.
 * allocator: where what is allocated is not mapped. aliased: likewise, where a variable on the stack agrees
 * modulo 4096 with another that is stored to before each load (line 1000 and line 2000 of "aliased.c"), at
 * one of 16 places of 16 bytes. crossing: where 8 bytes on the stack lie in two cache lines, at one of 4
 * places; never in two pages, which takes some cores as long as a hundred lines do. thread, process: aliased,
 * in another thread or process. spawn: starts so many processes, one after the other. fail, crash, hang,
 * flaky: as they say. */
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    SLOW_PLACE = 5
};

static volatile uint64_t sink;

static void work(uint64_t rounds)
{
    uint64_t x = 1;
    for (uint64_t i = 0; i < rounds; i++)
        x = x * 6364136223846793005u + i;
    sink = x;
}

/* The name by which the shell, too, knows where it is. It has to be true. */
static const char *current_directory(void)
{
    const char *pwd = getenv("PWD");
    struct stat here, there;
    if (!pwd || stat(".", &here) || stat(pwd, &there) || here.st_ino != there.st_ino)
        abort();
    return pwd;
}

static bool lies_on_heap(const char *block)
{
    extern char end;
    return block > &end && block < (char *)sbrk(0);
}

static uintptr_t place_of(const char *what, const char *path)
{
    char local;
    uintptr_t stack = (uintptr_t)&local;
    __asm__ volatile("" : "+r"(stack));
    if (!strcmp(what, "buffers")) {
        char *first = malloc(1 << 20), *second = malloc(1 << 20);
        uintptr_t apart = ((uintptr_t)second - (uintptr_t)first) % 4096 / 128;
        free(second);
        free(first);
        return apart;
    }
    if (!strcmp(what, "argument"))
        return strlen(path) / 16 % 8;
    if (!strcmp(what, "directory"))
        return strlen(current_directory()) / 16 % 16;
    if (!strcmp(what, "allocator"))
        return lies_on_heap(malloc(16 << 20)) ? SLOW_PLACE : 0;
    if (!strcmp(what, "heap"))
        return (uintptr_t)malloc(100) % 4096 / 128;
    if (!strcmp(what, "mapped"))
        return (uintptr_t)mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) / 4096 % 64;
    return stack % 4096 / 128;
}

static uint64_t percent_more = 25;

static uint64_t more(uint64_t rounds, bool so)
{
    return so ? rounds + rounds * percent_more / 100 : rounds;
}

static void rounds_by_place(const char *what, const char *path, uint64_t rounds)
{
    work(more(rounds, strcmp(what, "none") && place_of(what, path) == SLOW_PLACE));
}

static _Alignas(4096) volatile char page[4096];

struct aliased_work {
    volatile int *local; /* 16-byte aligned, on the first thread's stack */
    uint64_t rounds;
};

__attribute__((noinline)) static void *aliased(void *payload)
{
    enum {
        PLACE = 3 * 16 /* of 256 bytes */
    };
    const struct aliased_work *w = payload;
    volatile int *local = w->local;
    size_t at = (uintptr_t)local % 4096 / 256 * 256 + PLACE;
    uint64_t sum = 0, rounds = more(w->rounds, (uintptr_t)local % 4096 == at);
    for (uint64_t i = 0; i < rounds; i++) {
        int one;
#line 1000 "aliased.c"
        *(volatile int *)&page[at] = (int)i;
#line 2000 "aliased.c"
        one = local[0];
        sum = sum * 7 + (uint64_t)one;
    }
    sink = sum;
    return NULL;
}

__attribute__((noinline)) static void crossing(uint64_t rounds)
{
    _Alignas(16) volatile char local[32] = {1};
    bool ends_page = (uintptr_t)local % 4096 == 4096 - 16;
    volatile uint64_t *eight = (volatile uint64_t *)(uintptr_t)&local[ends_page ? 0 : 12];
    uint64_t sum = 0;
    rounds = more(rounds, (uintptr_t)eight % 64 > 56);
    for (uint64_t i = 0; i < rounds; i++)
        sum = sum * 7 + *eight;
    sink = sum;
}

/* In this thread, another one, or another process. */
static void run_aliased(const char *where, uint64_t rounds)
{
    _Alignas(16) volatile int local[4] = {1};
    struct aliased_work w = {local, rounds};
    pthread_t thread;
    pid_t pid = 0;
    if (!strcmp(where, "thread") && !pthread_create(&thread, NULL, aliased, &w))
        pthread_join(thread, NULL);
    else if (!strcmp(where, "process") && (pid = fork()))
        waitpid(pid, NULL, 0);
    else
        aliased(&w);
}

/* As posix_spawn does: the parent stands until the child has ended. */
__attribute__((noinline)) static void start_one(void)
{
    pid_t pid = vfork();
    if (!pid)
        _exit(0);
    waitpid(pid, NULL, 0);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "none";
    uint64_t rounds = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000000;
    percent_more = argc > 3 ? strtoull(argv[3], NULL, 10) : percent_more;
    struct timespec now;
    if (!strcmp(what, "fail"))
        return 7;
    if (!strcmp(what, "crash"))
        abort();
    while (!strcmp(what, "hang"))
        pause();
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (!strcmp(what, "flaky"))
        return now.tv_nsec / 1000 % 2;
    if (!strcmp(what, "aliased") || !strcmp(what, "thread") || !strcmp(what, "process"))
        run_aliased(what, rounds);
    else if (!strcmp(what, "spawn"))
        for (uint64_t i = 0; i < rounds; i++)
            start_one();
    else if (!strcmp(what, "crossing"))
        crossing(rounds);
    else
        rounds_by_place(what, argv[0], rounds);
    return 0;
}
