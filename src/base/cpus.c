/* cpus.c - the logical processors that this process may use. */
#include "base/cpus.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

int cpus_choose(int wanted, int *cpu, tacho_error *err)
{
    enum {
        MOST = 8192 /* that Linux can be built for */
    };
    static const size_t bytes = CPU_ALLOC_SIZE(MOST);
    unsigned long words[CPU_ALLOC_SIZE(MOST) / sizeof(unsigned long)] = {0};
    cpu_set_t *set = (cpu_set_t *)words;
    if (sched_getaffinity(0, bytes, set))
        return tacho_error_set(err, TACHO_ERR_SYSTEM, "cannot find out which CPUs this process may use: %s",
                               strerror(errno));
    *cpu = wanted;
    for (int i = 0; wanted < 0 && i < MOST; i++)
        if (CPU_ISSET_S(i, bytes, set))
            *cpu = i;
    if (*cpu >= 0 && *cpu < MOST && CPU_ISSET_S(*cpu, bytes, set))
        return TACHO_OK;
    return tacho_error_set(
        err, TACHO_ERR_USAGE,
        "this process may not use CPU %d, or there is none ('taskset -p $$' shows which it "
        "may)",
        *cpu);
}
