/* proc.c - files of /proc. */
#include "base/proc.h"

#include <inttypes.h>
#include <string.h>

bool proc_parse_map(const char *line, proc_map *out)
{
    char rights[5] = "";
    *out->path = '\0';
    int found = sscanf(
        line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %" SCNx64 ":%" SCNx64 " %" SCNu64 " %4199[^\n]",
        &out->start, &out->end, rights, &out->offset, &out->major, &out->minor, &out->inode, out->path);
    if (found < 7 || strlen(rights) != 4 || out->start >= out->end)
        return false;
    out->write = rights[1] == 'w';
    out->execute = rights[2] == 'x';
    out->is_private = rights[3] == 'p';
    return true;
}

FILE *proc_open_maps(pid_t pid)
{
    char path[40];
    snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
    return fopen(path, "re");
}

bool proc_next_code(FILE *maps, proc_map *out)
{
    char line[PROC_PATH_BYTES + 200];
    while (maps && fgets(line, sizeof line, maps))
        if (proc_parse_map(line, out) && out->execute)
            return true;
    return false;
}

bool proc_is_memory(const char *path)
{
    static const char *const memory[] = {"//anon", "/memfd:", "/dev/zero", "/SYSV", "/dev/shm/"};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
        if (!strncmp(path, memory[i], strlen(memory[i])))
            return true;
    return *path != '/' && strncmp(path, "[vdso", 5) != 0;
}

bool proc_is_running(pid_t tid)
{
    char path[40], text[512];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)tid);
    FILE *f = fopen(path, "re");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f)
        fclose(f);
    text[n] = '\0';
    const char *name_end = strrchr(text, ')');
    return name_end && !strncmp(name_end, ") R", 3);
}
