/* replay.c FILE-OR-DIRECTORY... - runs a fuzz target on saved inputs, without libFuzzer. */
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

static unsigned long count;

/* Not by the library's functions, which targets have others for. The copy is exact, so that a sanitizer sees
 * reads past the end. */
static int replay_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    long size = f && !fseek(f, 0, SEEK_END) ? ftell(f) : -1;
    uint8_t *data = size >= 0 ? malloc(size ? (size_t)size : 1) : NULL;
    bool good = data && !fseek(f, 0, SEEK_SET) && fread(data, 1, (size_t)size, f) == (size_t)size;
    if (f)
        fclose(f);
    if (good)
        LLVMFuzzerTestOneInput(data, (size_t)size);
    else
        fprintf(stderr, "%s: cannot be read\n", path);
    free(data);
    count += good;
    return !good;
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
