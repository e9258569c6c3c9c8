/* files.c - small files of /proc and /sys, under a root that tests can choose: their lines and lists, and
 * what the kernel has counted for a CPU. */
#include <unistd.h>

#include "base/cpus.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "machine/doctor/doctor_internal.h"

enum {
    PATH_BYTES = 1024,
    MOST_BYTES = 16 << 20 /* /proc/interrupts of the largest machines */
};

static bool full_path(char out[PATH_BYTES], const char *root, const char *path)
{
    return snprintf(out, PATH_BYTES, "%s%s", root, path) < PATH_BYTES;
}

int doctor_read_line(const char *root, const char *path, char out[DOCTOR_LINE_BYTES])
{
    char *text;
    int error = doctor_read_all(root, path, &text);
    const char *line = error ? "" : text;
    size_t length = strcspn(line, "\n");
    tacho_str_trim(&line, &length);
    snprintf(out, DOCTOR_LINE_BYTES, "%.*s", (int)length, line);
    tacho_mem_free(text);
    return error;
}

int doctor_read_number(const char *root, const char *path, long long *out)
{
    char line[DOCTOR_LINE_BYTES], *end;
    int error = doctor_read_line(root, path, line);
    if (error)
        return error;
    errno = 0;
    *out = strtoll(line, &end, 10);
    return errno || end == line || *end ? EINVAL : 0;
}

int doctor_read_all(const char *root, const char *path, char **out)
{
    char full[PATH_BYTES];
    size_t size;
    *out = NULL;
    if (!full_path(full, root, path))
        return ENAMETOOLONG;
    return tacho_file_read(full, MOST_BYTES, out, &size) ? errno : 0;
}

/* The next range of a list; what is no range ends it. @return what follows, NULL at the end */
static const char *next_range(const char *list, long *first, long *last)
{
    char *end;
    list += strspn(list, ", \t");
    *first = *last = strtol(list, &end, 10);
    if (end == list)
        return NULL;
    if (*end == '-') {
        const char *from = end + 1;
        *last = strtol(from, &end, 10);
        if (end == from)
            return NULL;
    }
    return end;
}

bool doctor_list_has(const char *list, int cpu)
{
    long first, last;
    while ((list = next_range(list, &first, &last)))
        if (cpu >= first && cpu <= last)
            return true;
    return false;
}

size_t doctor_list_count(const char *list)
{
    size_t count = 0;
    long first, last;
    while ((list = next_range(list, &first, &last)))
        if (first >= 0 && last >= first && last < CPUS_MOST)
            count += (size_t)(last - first) + 1;
    return count;
}

const char *doctor_find_line(const char *text, const char *key)
{
    size_t n = strlen(key);
    while (text && *text) {
        if (!strncmp(text, key, n))
            return text + n;
        text = strchr(text, '\n');
        text = text ? text + 1 : NULL;
    }
    return NULL;
}

/* What the kernel has counted for one CPU: the time that the hypervisor gave to others (/proc/stat,
 * see proc(5)), and interrupts (/proc/interrupts). */

static void read_times(const char *root, int cpu, doctor_usage *out)
{
    char *text, key[16];
    uint64_t t[8];
    if (doctor_read_all(root, "/proc/stat", &text))
        return;
    snprintf(key, sizeof key, "cpu%d ", cpu);
    const char *line = doctor_find_line(text, key);
    if (line &&
        sscanf(line, "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64,
               &t[0], &t[1], &t[2], &t[3], &t[4], &t[5], &t[6], &t[7]) == 8) {
        out->has_times = true;
        out->steal = t[7];
        for (int i = 0; i < 8; i++)
            out->all += t[i];
    }
    tacho_mem_free(text);
}

/* Which column of the table is this CPU's (only those online have one); -1: none. */
static int find_column(const char *head, int cpu)
{
    char name[16];
    int column = 0, length;
    while (sscanf(head, " %15[^ \n]%n", name, &length) == 1 && !strncmp(name, "CPU", 3)) {
        if (atoi(name + 3) == cpu)
            return column;
        head += length;
        column++;
    }
    return -1;
}

/* The number in a column of a line "  24:   1   0  IO-APIC"; 0 where the line is shorter. */
static uint64_t number_in(const char *line, int column)
{
    char *end = NULL;
    uint64_t value = 0;
    for (int i = 0; i <= column; i++) {
        line += strspn(line, " ");
        value = strtoull(line, &end, 10);
        if (end == line || !strchr(" \n", *end))
            return 0;
        line = end;
    }
    return value;
}

static void read_interrupts(const char *root, int cpu, doctor_usage *out)
{
    char *text;
    if (doctor_read_all(root, "/proc/interrupts", &text))
        return;
    int column = find_column(text, cpu);
    out->has_interrupts = column >= 0;
    for (char *line = strchr(text, '\n'); line && column >= 0; line = strchr(line, '\n')) {
        line++;
        size_t name = strcspn(line, ":\n");
        if (line[name] == ':')
            out->interrupts += number_in(line + name + 1, column);
    }
    tacho_mem_free(text);
}

void doctor_read_usage(const char *root, int cpu, doctor_usage *out)
{
    *out = (doctor_usage){0};
    read_times(root, cpu, out);
    read_interrupts(root, cpu, out);
}

/* ---- CPU quotas ---- */

/* CPU quotas, as containers have them: control groups of version 2 (cpu.max) and 1 (cpu.cfs_quota_us), of
 * this process's group and of those above it. Files as in the kernel's
 * Documentation/admin-guide/cgroup-v2.rst and Documentation/scheduler/sched-bwc.rst. */

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
