/* judge_memory.c - where things lie in memory: address randomisation, NUMA balancing, huge pages. Settings as
 * in the kernel's Documentation/admin-guide/sysctl/kernel.rst and Documentation/admin-guide/mm/transhuge.rst.
 */
#include "machine/doctor/doctor_internal.h"

#include <errno.h>
#include <string.h>

static void judge_aslr(doctor *d)
{
    long long level;
    if (!doctor_setting(d, DOCTOR_ASLR, "/proc/sys/kernel/randomize_va_space", &level))
        return;
    tacho_doctor_finding *f = doctor_say(d, DOCTOR_ASLR, doctor_good_if(!level), "%s",
                                         !level       ? "off"
                                         : level == 1 ? "on, without the heap"
                                                      : "on");
    doctor_figure(f, "level", (double)level, "");
    doctor_advise(f, "to compare runs of whole programs, start them without it, or average over many runs",
                  "setarch -R COMMAND");
}

static void judge_numa(doctor *d)
{
    static const char path[] = "/proc/sys/kernel/numa_balancing";
    char nodes[DOCTOR_LINE_BYTES];
    long long on = 0;
    int error = doctor_read_number(d->root, path, &on);
    if (error && error != ENOENT) {
        doctor_unknown_file(d, DOCTOR_NUMA_BALANCING, path, error);
        return;
    }
    if (doctor_read_line(d->root, "/sys/devices/system/node/online", nodes))
        strcpy(nodes, "0");
    size_t count = doctor_list_count(nodes);
    tacho_doctor_finding *f =
        doctor_say(d, DOCTOR_NUMA_BALANCING, doctor_good_if(!on || count <= 1), "%s, %zu node%s",
                   error ? "not in this kernel"
                   : on  ? "on"
                         : "off",
                   count, count == 1 ? "" : "s");
    doctor_figure(f, "nodes", (double)count, "");
    doctor_advise(f, "turn it off while measuring", "sudo sysctl kernel.numa_balancing=0");
}

/* "always [madvise] never" */
static void judge_huge_pages(doctor *d)
{
    static const char path[] = "/sys/kernel/mm/transparent_hugepage/enabled";
    char line[DOCTOR_LINE_BYTES];
    int error = doctor_read_line(d->root, path, line);
    if (error == ENOENT) {
        doctor_say(d, DOCTOR_HUGE_PAGES, TACHO_DOCTOR_GOOD, "not in this kernel");
        return;
    }
    char *word = strchr(line, '['), *end = word ? strchr(word, ']') : NULL;
    if (error || !end) {
        doctor_unknown_file(d, DOCTOR_HUGE_PAGES, path, error ? error : EINVAL);
        return;
    }
    *end = '\0';
    tacho_doctor_finding *f =
        doctor_say(d, DOCTOR_HUGE_PAGES, doctor_good_if(strcmp(word + 1, "always") != 0), "%s", word + 1);
    doctor_advise(f, "to compare runs of whole programs, give huge pages only to those that ask",
                  "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled");
}

void doctor_judge_memory(doctor *d)
{
    judge_aslr(d);
    judge_numa(d);
    judge_huge_pages(d);
}
