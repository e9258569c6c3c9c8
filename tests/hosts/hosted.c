/* hosted.c - in the tests' own program, which is never installed: this machine's processor is the one of the
 * file that TACHO_TEST_HOST names, as record_host.c writes it. A run that asked for it leaves
 * the file that TACHO_TEST_ASKED names: what it says may depend on the host. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/ask_cpuid.h"

enum {
    MOST = 512
};

static struct answer {
    uint32_t leaf, subleaf, r[4];
} answers[MOST];
static size_t count;

static void note_asked(void)
{
    const char *path = getenv("TACHO_TEST_ASKED");
    static int noted;
    if (path && !noted++)
        close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0666));
}

static bool recorded(uint32_t leaf, uint32_t subleaf, uint32_t out[4])
{
    bool has_leaf = false;
    note_asked();
    for (size_t i = 0; i < count; i++) {
        has_leaf |= answers[i].leaf == leaf;
        if (answers[i].leaf == leaf && answers[i].subleaf == subleaf)
            memcpy(out, answers[i].r, sizeof answers[i].r);
    }
    return has_leaf;
}

static _Noreturn void refuse(const char *path, int line)
{
    fprintf(stderr, "TACHO_TEST_HOST=%s: line %d cannot be read\n", path, line);
    exit(2);
}

__attribute__((constructor)) static void take_host(void)
{
    const char *path = getenv("TACHO_TEST_HOST");
    char line[200];
    FILE *file = path ? fopen(path, "r") : NULL;
    if (!path)
        return;
    if (!file)
        refuse(path, 0);
    for (int number = 1; fgets(line, sizeof line, file); number++) {
        struct answer *a = &answers[count];
        if (*line == '#')
            continue;
        if (count == MOST || sscanf(line, "%" SCNx32 "%" SCNu32 "%" SCNx32 "%" SCNx32 "%" SCNx32 "%" SCNx32,
                                    &a->leaf, &a->subleaf, &a->r[0], &a->r[1], &a->r[2], &a->r[3]) != 6)
            refuse(path, number);
        count++;
    }
    fclose(file);
    cpuid_pretend(recorded);
}
