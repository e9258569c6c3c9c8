/* replay.c FILE-OR-DIRECTORY... - runs a fuzz target on saved inputs, without libFuzzer. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "util/file.h"
#include "util/mem.h"

static unsigned long count;

static int replay_file(const char *path)
{
    char *data;
    size_t size;
    if (tacho_file_read(path, 1 << 24, &data, &size)) {
        fprintf(stderr, "%s: cannot be read\n", path);
        return 1;
    }
    /* An exact copy, so that a sanitizer sees reads past the end. */
    uint8_t *copy = malloc(size ? size : 1);
    memcpy(copy, data, size);
    LLVMFuzzerTestOneInput(copy, size);
    count++;
    free(copy);
    tacho_mem_free(data);
    return 0;
}

static int replay(const char *path)
{
    DIR *dir = opendir(path);
    if (!dir)
        return replay_file(path);
    int status = 0;
    for (struct dirent *e; (e = readdir(dir));) {
        char name[4096];
        if (e->d_name[0] == '.')
            continue;
        snprintf(name, sizeof name, "%s/%s", path, e->d_name);
        status |= replay_file(name);
    }
    closedir(dir);
    return status;
}

int main(int argc, char **argv)
{
    int status = 0;
    for (int i = 1; i < argc; i++)
        status |= replay(argv[i]);
    printf("%lu inputs\n", count);
    return status || !count;
}
