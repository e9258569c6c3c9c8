/* learnt.c - what was learnt of this processor, in the user's cache folder. */
#include "app/cli/learnt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "learn/learnt_path.h"

static bool is_switched_off(void)
{
    const char *off = getenv("TACHO_NO_LEARNT");
    return off && *off;
}

bool learnt_in_force(char *out, size_t size)
{
    return !is_switched_off() && tacho_learnt_path(out, size) && !access(out, R_OK);
}

/* ---- what there is ---- */

enum {
    MOST_BYTES = 1 << 29,
    DAY = 24 * 60 * 60
};

/* A model in the cache folder. */
typedef struct kept {
    char path[LEARNT_PATH_SIZE];
    char *text;
    double days;
} kept;

static bool find_kept(kept *k)
{
    struct stat st;
    size_t size;
    if (!learnt_in_force(k->path, sizeof k->path) || stat(k->path, &st) ||
        tacho_file_read_regular(k->path, MOST_BYTES, &k->text, &size))
        return false;
    k->days = difftime(time(NULL), st.st_mtime) / DAY;
    return true;
}

/* The next of the comments at its head that say what it is, from `at` on. */
static bool next_remark(const char **at, const char **line, size_t *length)
{
    static const char *const wanted[] = {"# differs ", "# loops, ", "# unrolled, "};
    while (**at == '#' || !strncmp(*at, "tacho model", 11)) {
        *line = *at;
        *length = strcspn(*at, "\n");
        *at += *length + ((*at)[*length] == '\n');
        for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
            if (!strncmp(*line, wanted[i], strlen(wanted[i]))) {
                *line += 2;
                *length -= 2;
                return true;
            }
    }
    return false;
}

void learnt_text(tacho_str *out)
{
    kept k;
    const char *line;
    size_t length;
    if (!find_kept(&k))
        return;
    tacho_str_printf(
        out, "\nWhat tacho learn found of this processor is what '-a native' means; %.0f day%s old:\n",
        k.days, tacho_plural((unsigned long long)(k.days + 0.5)));
    tacho_str_printf(out, "  %s\n", k.path);
    for (const char *at = k.text; next_remark(&at, &line, &length);)
        tacho_str_printf(out, "  %.*s\n", (int)length, line);
    tacho_mem_free(k.text);
}

json_t *learnt_json(void)
{
    kept k = {.text = NULL};
    const char *line;
    size_t length;
    if (is_switched_off() || !tacho_learnt_path(k.path, sizeof k.path))
        return json_null();
    bool found = find_kept(&k);
    json_t *says = json_array();
    for (const char *at = found ? k.text : ""; next_remark(&at, &line, &length);)
        json_array_append_new(says, json_stringn_nocheck(line, length));
    tacho_mem_free(k.text);
    return json_pack("{s:s, s:o, s:o}", "file", k.path, "days", found ? json_real(k.days) : json_null(),
                     "says", says);
}
