/* quota.c - CPU quotas, as containers have them: control groups of version 2 (cpu.max) and 1
 * (cpu.cfs_quota_us), of this process's group and of those above it. Files as in the kernel's
 * Documentation/admin-guide/cgroup-v2.rst and Documentation/scheduler/sched-bwc.rst. */
#include "machine/doctor/doctor_internal.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"

/* CPUs that a group may use; 0: without limit. */
static double quota_v2(const char *root, const char *directory)
{
    char path[600], line[DOCTOR_LINE_BYTES];
    double quota, period;
    snprintf(path, sizeof path, "%s/cpu.max", directory);
    if (doctor_read_line(root, path, line) || sscanf(line, "%lf %lf", &quota, &period) != 2 || period <= 0)
        return 0;
    return quota / period;
}

static double quota_v1(const char *root, const char *directory)
{
    char path[600];
    long long quota, period;
    snprintf(path, sizeof path, "%s/cpu.cfs_quota_us", directory);
    if (doctor_read_number(root, path, &quota) || quota <= 0)
        return 0;
    snprintf(path, sizeof path, "%s/cpu.cfs_period_us", directory);
    if (doctor_read_number(root, path, &period) || period <= 0)
        return 0;
    return (double)quota / (double)period;
}

typedef double (*quota_of)(const char *root, const char *directory);

/* The smallest of a group and those above it. */
static double tightest(doctor *d, const char *mount, const char *group, size_t length, quota_of find)
{
    char directory[512];
    double least = 0;
    size_t mount_length = strlen(mount);
    if (mount_length + length >= sizeof directory)
        return 0;
    snprintf(directory, sizeof directory, "%s%.*s", mount, (int)length, group);
    for (;;) {
        double quota = find(d->root, directory);
        if (quota > 0 && (least == 0 || quota < least))
            least = quota;
        char *slash = strrchr(directory, '/');
        if (strlen(directory) <= mount_length || !slash)
            return least;
        *slash = '\0';
    }
}

static bool has_word(const char *list, size_t length, const char *word)
{
    size_t n = strlen(word);
    for (size_t i = 0; i + n <= length; i++)
        if (!strncmp(list + i, word, n) && (!i || list[i - 1] == ',') &&
            (i + n == length || list[i + n] == ','))
            return true;
    return false;
}

/* Of one line of /proc/self/cgroup: "4:cpu,cpuacct:/a/b", in version 2 "0::/a/b". */
static double quota_of_line(doctor *d, const char *line, size_t length)
{
    const char *names = memchr(line, ':', length);
    const char *group = names ? memchr(names + 1, ':', length - (size_t)(names + 1 - line)) : NULL;
    if (!group)
        return 0;
    names++;
    size_t names_length = (size_t)(group - names), group_length = length - (size_t)(group + 1 - line);
    group++;
    if (!names_length) {
        double quota = tightest(d, "/sys/fs/cgroup", group, group_length, quota_v2);
        return quota > 0 ? quota : tightest(d, "/sys/fs/cgroup/unified", group, group_length, quota_v2);
    }
    if (!has_word(names, names_length, "cpu"))
        return 0;
    double quota = tightest(d, "/sys/fs/cgroup/cpu", group, group_length, quota_v1);
    return quota > 0 ? quota : tightest(d, "/sys/fs/cgroup/cpu,cpuacct", group, group_length, quota_v1);
}

static double find_quota(doctor *d, const char *groups)
{
    double least = 0;
    for (const char *line = groups; *line;) {
        size_t length = strcspn(line, "\n");
        double quota = quota_of_line(d, line, length);
        if (quota > 0 && (least == 0 || quota < least))
            least = quota;
        line += length + (line[length] == '\n');
    }
    return least;
}

void doctor_quota(doctor *d, tacho_doctor_finding *f)
{
    static const char path[] = "/proc/self/cgroup";
    char *groups;
    int error = doctor_read_all(d->root, path, &groups);
    if (error) {
        doctor_unknown_file(d, f, path, error);
        return;
    }
    double quota = find_quota(d, groups);
    tacho_mem_free(groups);
    if (quota <= 0) {
        doctor_say(d, f, TACHO_DOCTOR_GOOD, "none visible");
        return;
    }
    /* A process that measures uses one CPU, and the program around it a little. */
    doctor_say(d, f, quota < 1.5 ? TACHO_DOCTOR_BAD : TACHO_DOCTOR_ACCEPTABLE, "%.2f CPUs", quota);
    doctor_figure(f, "quota_cpus", quota, "");
    doctor_advise(f,
                  "start it without a quota (docker run without --cpus, Kubernetes without a CPU limit, "
                  "systemd without CPUQuota=); a choice of CPUs (docker run --cpuset-cpus) does no harm",
                  NULL);
}
