/* cpus.c - the logical processors that this process may use. */
#include "base/cpus.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

int cpus_allowed(cpus *out, tacho_error *err)
{
    *out = (cpus){{0}};
    if (sched_getaffinity(0, sizeof *out, (cpu_set_t *)out->bits) == 0)
        return TACHO_OK;
    return tacho_error_set(err, TACHO_ERR_SYSTEM, "cannot find out which CPUs this process may use: %s",
                           strerror(errno));
}

bool cpus_have(const cpus *c, int cpu)
{
    return cpu >= 0 && cpu < CPUS_MOST && CPU_ISSET_S(cpu, sizeof *c, (const cpu_set_t *)c->bits);
}

unsigned cpus_count(const cpus *c)
{
    return (unsigned)CPU_COUNT_S(sizeof *c, (const cpu_set_t *)c->bits);
}

int cpus_choose(int wanted, int *cpu, tacho_error *err)
{
    cpus all;
    int failed = cpus_allowed(&all, err);
    if (failed)
        return failed;
    *cpu = wanted;
    for (int i = 0; wanted < 0 && i < CPUS_MOST; i++)
        if (cpus_have(&all, i))
            *cpu = i;
    if (cpus_have(&all, *cpu))
        return TACHO_OK;
    return tacho_error_set(
        err, TACHO_ERR_USAGE,
        "this process may not use CPU %d, or there is none ('taskset -p $$' shows which it may)", *cpu);
}

int cpus_stay_on(int cpu, tacho_error *err)
{
    cpus one = {{0}};
    CPU_SET_S(cpu, sizeof one, (cpu_set_t *)one.bits);
    if (!sched_setaffinity(0, sizeof one, (cpu_set_t *)one.bits))
        return TACHO_OK;
    return tacho_error_set(err, TACHO_ERR_SYSTEM, "cannot stay on CPU %d: %s", cpu, strerror(errno));
}

void cpus_return_to(const cpus *before)
{
    sched_setaffinity(0, sizeof *before, (const cpu_set_t *)before->bits);
}
