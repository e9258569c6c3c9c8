/* text_pattern.c - the C library copies what is repeated: 'a+' is 'aa*', and with each '+' behind another one
 * what there is doubles. So the copies are counted before it is asked. */
#include "base/text_pattern.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_COPIES = 100000, /* of single characters; a few megabytes */
    MAX_DEPTH = 100      /* of groups in groups */
};

/* Behind the bracket expression that begins at `at`. */
static const char *behind_bracket(const char *at)
{
    at += at[1] == '^' ? 2 : 1;
    at += *at == ']';
    while (*at && *at != ']') {
        const char kind = at[0] == '[' && at[1] && strchr(".:=", at[1]) ? at[1] : 0;
        const char ending[] = {kind, ']', 0};
        const char *end = kind ? strstr(at + 2, ending) : NULL;
        at = end ? end + 2 : at + 1;
    }
    return *at ? at + 1 : at;
}

/* How often what stands before `at` is there after compiling, at most: '+' or '{2,5}'. */
static double copies_of(const char *at)
{
    if (*at == '+')
        return 2;
    if (*at != '{')
        return 1;
    char *end;
    const double least = (double)strtoul(at + 1, &end, 10),
                 most = *end == ',' ? (double)strtoul(end + 1, NULL, 10) : 0;
    return least + 1 > most ? least + 1 : most;
}

static bool is_too_large(const char *pattern)
{
    double total[MAX_DEPTH] = {0}, last = 0; /* characters of each open group; of what a repetition is of */
    unsigned depth = 0;
    for (const char *at = pattern; *at;) {
        const char c = *at;
        if (strchr("*+?{", c)) {
            const double copies = copies_of(at);
            total[depth] += last * (copies - 1);
            last *= copies;
            at += c == '{' ? strcspn(at, "}") : 0;
            at += *at != 0;
            if (total[depth] > MAX_COPIES)
                return true;
            continue;
        }
        last = 1;
        if (c == '(') {
            if (++depth == MAX_DEPTH)
                return true;
            total[depth] = 0;
        } else if (c == ')' && depth) {
            last += total[depth--];
        }
        total[depth] += c == '(' ? 0 : last;
        at = c == '[' ? behind_bracket(at) : at + (c == '\\' && at[1] ? 2 : 1);
    }
    return false;
}

const char *tacho_regex_compile(regex_t *out, const char *pattern, char *why, size_t size)
{
    if (is_too_large(pattern))
        return "repeats what is repeated too often";
    const int code = regcomp(out, pattern, REG_EXTENDED | REG_NEWLINE);
    if (code) {
        int n = snprintf(why, size, "is no extended regular expression: ");
        if (n > 0 && (size_t)n < size)
            regerror(code, out, why + n, size - (size_t)n);
        return why;
    }
    if (out->re_nsub)
        return NULL;
    regfree(out);
    return "has no group: (...) around what is wanted";
}
