/* trial_probe.c - says where things lie in its memory, and works for as many rounds as it is told. */
#include <inttypes.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static volatile uint64_t sink = 3;

static void work(unsigned long rounds)
{
    for (unsigned long i = 0; i < rounds; i++)
        sink = sink * 1234567;
}

int main(int argc, char **argv)
{
    int on_stack = argc;
    const char *pad = getenv("TACHO_PAD");
    void *mapping = mmap(NULL, 1 << 16, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    printf("stack %" PRIuPTR " heap %" PRIuPTR " mapping %" PRIuPTR " pad %zd argument %s cpu %d\n",
           (uintptr_t)&on_stack, (uintptr_t)sbrk(0), (uintptr_t)mapping, pad ? (ssize_t)strlen(pad) : -1,
           argc > 1 ? argv[1] : "-", sched_getcpu());
    fflush(stdout);
    char line[64];
    if (fgets(line, sizeof line, stdin))
        printf("input %s\n", line);
    if (argc > 1)
        work(strtoul(argv[1], NULL, 10));
    if (argc > 2 && !strcmp(argv[2], "crash"))
        abort();
    return argc > 2 ? atoi(argv[2]) : 0;
}
