/* gen_text.c - what the build-time tools share. */
#include "gen_text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Noreturn void die(const char *what)
{
    fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, strerror(errno));
    exit(1);
}

size_t split(char *line, char separator, char **fields, size_t max)
{
    size_t n = 0;
    for (char *p = line; p && n < max; n++) {
        fields[n] = p;
        p = strchr(p, separator);
        if (p)
            *p++ = '\0';
    }
    return n;
}

char *copy(const char *s)
{
    char *c = strdup(s);
    if (!c)
        die("memory");
    return c;
}
