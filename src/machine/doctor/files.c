/* files.c - reading small files of /proc and /sys, under a root that tests can choose. */
#include "machine/doctor/doctor_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"

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

bool doctor_file_exists(const char *root, const char *path)
{
    char full[PATH_BYTES];
    return full_path(full, root, path) && !access(full, F_OK);
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
        if (first >= 0 && last >= first && last < DOCTOR_MAX_CPUS)
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
