/* usage.c - what the kernel has counted for one CPU: the time that the hypervisor gave to others (/proc/stat,
 * see proc(5)), and interrupts (/proc/interrupts). */
#include "machine/doctor/doctor_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

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
