/* learnt_path.c - see learnt_path.h. */
#include "learn/learnt_path.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "tacho/learn.h"

/* "AuthenticAMD-family-0x1A-model-0x11-stepping-0-microcode-0x1000065": what stands before the name in
 * brackets, without what a file's name should not have. */
static void file_name(char out[160])
{
    tacho_learn_processor(out, 160);
    out[strcspn(out, "(")] = '\0';
    char *to = out;
    for (const char *from = out; *from; from++) {
        bool plain = (*from >= '0' && *from <= '9') || (*from >= 'A' && *from <= 'Z') ||
                     (*from >= 'a' && *from <= 'z');
        if (plain)
            *to++ = *from;
        else if (to > out && to[-1] != '-')
            *to++ = '-';
    }
    while (to > out && to[-1] == '-')
        to--;
    *to = '\0';
}

bool tacho_learnt_path(char *out, size_t size)
{
    char name[160], inside[200];
    file_name(name);
    snprintf(inside, sizeof inside, "learnt/%s.tacho", name);
    return cache_path(out, size, inside);
}
