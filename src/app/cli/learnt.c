/* learnt.c - the user's cache folder, by the XDG Base Directory Specification. */
#include "app/cli/learnt.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "app/cli/cli.h"
#include "app/cli/output.h"
#include "base/file.h"
#include "base/mem.h"

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

bool learnt_path(char *out, size_t size)
{
    char name[160];
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    file_name(name);
    int length = cache && *cache == '/' ? snprintf(out, size, "%s/tacho/learnt/%s.tacho", cache, name)
                 : home && *home == '/' ? snprintf(out, size, "%s/.cache/tacho/learnt/%s.tacho", home, name)
                                        : -1;
    return length > 0 && (size_t)length < size;
}

bool learnt_make_folder(char *out, size_t size)
{
    if (!learnt_path(out, size))
        return cli_error("there is no place to keep the result: HOME is not set; give one with -o FILE");
    for (char *slash = strchr(out + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        bool failed = mkdir(out, 0700) && errno != EEXIST;
        if (failed)
            return cli_error("%s: cannot be made: %s", out, strerror(errno));
        *slash = '/';
    }
    return true;
}

static bool is_switched_off(void)
{
    const char *off = getenv("TACHO_NO_LEARNT");
    return off && *off;
}

bool learnt_in_force(char *out, size_t size)
{
    return !is_switched_off() && learnt_path(out, size) && !access(out, R_OK);
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
    if (is_switched_off() || !learnt_path(k.path, sizeof k.path))
        return json_null();
    bool found = find_kept(&k);
    json_t *says = json_array();
    for (const char *at = found ? k.text : ""; next_remark(&at, &line, &length);)
        json_array_append_new(says, json_stringn_nocheck(line, length));
    tacho_mem_free(k.text);
    return json_pack("{s:s, s:o, s:o}", "file", k.path, "days", found ? json_real(k.days) : json_null(),
                     "says", says);
}

/* ---- what is handed in ---- */

static bool read_text(const char *path, char **text)
{
    size_t size;
    if (!tacho_file_read_regular(path, MOST_BYTES, text, &size))
        return true;
    *text = NULL;
    return cli_error("%s: cannot be read: %s", path, strerror(errno));
}

/* Only of the machine that the journal is of. */
static void put_clock(tacho_str *out, const char *journal, const tacho_measurer_options *measuring)
{
    char own[160];
    tacho_error err;
    tacho_learn_processor(own, sizeof own);
    tacho_measurer *m = strstr(journal, own) ? tacho_measurer_new(measuring, &err) : NULL;
    const tacho_measure_clock *c = m ? tacho_measurer_clock(m) : NULL;
    if (c)
        tacho_str_printf(out, "# clock: time stamp counter %.0f MHz, core clock %.4f times that\n",
                         c->tsc_hz / 1e6, c->core_clock);
    else
        tacho_str_puts(out, "# clock: not known: it was learnt elsewhere\n");
    tacho_measurer_free(m);
}

/* Behind "# ", what the model's grammar passes over; nothing but answers and what became of proposals. */
static void put_journal(tacho_str *out, const char *journal)
{
    while (*journal) {
        const size_t length = strcspn(journal, "\n");
        const bool remark = !strncmp(journal, "# answers of ", 13) || !strncmp(journal, "# blocks: ", 10),
                   answer = strspn(journal, "0123456789abcdef") == 32;
        if (remark || answer)
            tacho_str_printf(out, "%s%.*s\n", remark ? "" : "# ", (int)length, journal);
        journal += length + (journal[length] == '\n');
    }
}

bool learnt_submit(const char *model, const char *path, const tacho_measurer_options *measuring)
{
    char name[LEARNT_PATH_SIZE + 8], *text = NULL, *journal = NULL;
    tacho_arch *arch = NULL;
    tacho_str out = {0};
    tacho_error err;
    snprintf(name, sizeof name, "%s.journal", model);
    bool good = read_text(model, &text) && read_text(name, &journal);
    if (good && tacho_arch_load(&arch, text, strlen(text), NULL, &err))
        good = cli_error("%s: %s", model, err.message);
    if (good && strncmp(journal, "# answers of a processor", 24))
        good = cli_error("%s: no journal of tacho learn", name);
    if (good) {
        tacho_str_printf(&out, "%s\n", text);
        put_clock(&out, journal, measuring);
        put_journal(&out, journal);
        good = cli_output_text(path, &out);
    }
    tacho_arch_free(arch);
    TACHO_MEM_FREE(text, journal);
    return good;
}
