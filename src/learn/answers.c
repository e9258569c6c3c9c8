/* answers.c - keeps answers, and writes and reads their journal. */
#include "learn/subject.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"

#define HEAD "# answers of a processor to tacho learn, 1: "

enum {
    MOST_BYTES = 1 << 29
};

void answers_free(answers *a)
{
    if (a->journal)
        fclose(a->journal);
    hash_index_free(&a->index);
    tacho_mem_free(a->items);
    *a = (answers){0};
}

const answer *answers_find(const answers *a, const uint64_t key[2])
{
    hash_probe p = hash_find(&a->index, key[0]);
    while (hash_next(&p))
        if (!memcmp(a->items[p.item].key, key, sizeof a->items[p.item].key))
            return &a->items[p.item];
    return NULL;
}

static int cannot_write(const answers *a, tacho_error *err)
{
    return tacho_error_set(err, TACHO_ERR_SYSTEM, "%.400s: cannot be written: %s", a->path, strerror(errno));
}

int answers_add(answers *a, const answer *item, tacho_error *err)
{
    answer *known = (answer *)(uintptr_t)answers_find(a, item->key);
    if (known) {
        *known = *item;
        return 0;
    }
    if (tacho_mem_grow(&a->items, &a->capacity, a->count + 1, sizeof *a->items) ||
        hash_add_item(&a->index, item->key[0], (uint32_t)a->count))
        return tacho_no_memory(err);
    a->items[a->count++] = *item;
    return 0;
}

int answers_keep(answers *a, const answer *item, tacho_error *err)
{
    int failed = answers_add(a, item, err);
    const bool final = item->status != TACHO_MEASURED_UNSTABLE && item->status != TACHO_MEASURED_TIMEOUT;
    if (failed || !a->journal || !final)
        return failed;
    if (fprintf(a->journal, "%016" PRIx64 "%016" PRIx64 " %s %.9g %.3g .\n", item->key[0], item->key[1],
                tacho_measure_status_name(item->status), item->cycles, item->uncertainty) < 0 ||
        fflush(a->journal))
        return cannot_write(a, err);
    return 0;
}

int answers_note(answers *a, const char *text, tacho_error *err)
{
    if (a->journal && (fprintf(a->journal, "# %s\n", text) < 0 || fflush(a->journal)))
        return cannot_write(a, err);
    return 0;
}

/* ---- reading ---- */

static bool take_key(const char *text, uint64_t *out)
{
    char digits[17];
    memcpy(digits, text, 16);
    digits[16] = '\0';
    *out = strtoull(digits, NULL, 16);
    return strspn(digits, "0123456789abcdef") == 16;
}

static bool take_status(const char *word, tacho_measure_status *out)
{
    for (int s = TACHO_MEASURED_OK; s <= TACHO_MEASURED_REJECTED; s++)
        if (!strcmp(word, tacho_measure_status_name((tacho_measure_status)s))) {
            *out = (tacho_measure_status)s;
            return true;
        }
    return false;
}

/* What was measured is a number above 0; the rest has none. */
static bool is_sound(const answer *a)
{
    return a->status == TACHO_MEASURED_OK ? isfinite(a->cycles) && a->cycles > 0 && a->uncertainty >= 0
                                          : isnan(a->cycles);
}

/* KEY STATUS CYCLES UNCERTAINTY . ; in a model that was submitted behind "# " */
static bool parse_line(char *line, answer *out)
{
    char *words[5], *rest, *end;
    *out = (answer){.recorded = false};
    rest = line += 2 * !strncmp(line, "# ", 2);
    for (size_t i = 0; i < 5; i++)
        if (!(words[i] = strtok_r(i ? NULL : line, " ", &rest)))
            return false;
    if (strlen(words[0]) != 32 || strcmp(words[4], ".") || strtok_r(NULL, " ", &rest) ||
        !take_key(words[0], &out->key[0]) || !take_key(words[0] + 16, &out->key[1]) ||
        !take_status(words[1], &out->status))
        return false;
    out->cycles = strtod(words[2], &end);
    if (*end)
        return false;
    out->uncertainty = strtod(words[3], &end);
    return !*end && is_sound(out);
}

char *answers_head(char *text, char *who, size_t size)
{
    char *head = strstr(text, HEAD);
    while (head && head > text && head[-1] != '\n')
        head = strstr(head + 1, HEAD);
    if (head)
        tacho_format_fit(who, size, "%.*s", (int)strcspn(head + strlen(HEAD), "\n"), head + strlen(HEAD));
    return head;
}

static int check_head(const char *line, const char *who, const char *name, tacho_error *err)
{
    if (strncmp(line, HEAD, strlen(HEAD)))
        return tacho_error_set(err, TACHO_ERR_INPUT, "%.300s: no journal of tacho learn", name);
    if (strcmp(line + strlen(HEAD), who))
        return tacho_error_set(err, TACHO_ERR_INPUT,
                               "%.200s: has answers of another processor: %.120s; not %.120s", name,
                               line + strlen(HEAD), who);
    return 0;
}

int answers_parse(answers *a, char *text, const char *who, const char *name, tacho_error *err)
{
    answer item;
    bool head = true;
    int failed = 0;
    for (char *next; *text && !failed; text = next) {
        size_t length = strcspn(text, "\n");
        next = text + length + (text[length] == '\n');
        text[length] = '\0';
        if (head)
            failed = check_head(text, who, name, err);
        else if (*text && parse_line(text, &item))
            failed = answers_add(a, &item, err);
        head = false;
    }
    return failed;
}

/* ---- opening ---- */

/* What is in the file; NULL and 0: nothing yet. */
static int read_all(const answers *a, char **text, tacho_error *err)
{
    size_t size;
    struct stat st;
    *text = NULL;
    if (stat(a->path, &st) || !st.st_size)
        return 0;
    if (tacho_file_read_regular(a->path, MOST_BYTES, text, &size))
        return tacho_error_set(err, TACHO_ERR_INPUT, "%.400s: cannot be read: %s", a->path, strerror(errno));
    return 0;
}

static int lock(answers *a, tacho_error *err)
{
    char why[TACHO_LOCK_WHY_SIZE];
    if (tacho_lock_take(fileno(a->journal), why) == TACHO_LOCK_THEIRS)
        return tacho_error_set(err, TACHO_ERR_INPUT, "%.400s: %s", a->path, why);
    return 0;
}

/* A line that was cut off ends here. */
static int begin(answers *a, const char *who, const char *text, tacho_error *err)
{
    size_t size = text ? strlen(text) : 0;
    if (!size)
        fprintf(a->journal, HEAD "%s\n", who);
    else if (text[size - 1] != '\n')
        fputc('\n', a->journal);
    return fflush(a->journal) ? cannot_write(a, err) : 0;
}

int answers_open(answers *a, const char *path, const char *who, bool resume, tacho_error *err)
{
    char *text = NULL;
    if (strlen(path) >= sizeof a->path)
        return tacho_error_set(err, TACHO_ERR_INPUT, "%.100s...: a longer path than a journal can have",
                               path);
    snprintf(a->path, sizeof a->path, "%s", path);
    a->journal = fopen(path, "ae");
    if (!a->journal)
        return cannot_write(a, err);
    int failed = lock(a, err);
    if (!failed)
        failed = read_all(a, &text, err);
    if (!failed && text && !resume)
        failed = tacho_error_set(err, TACHO_ERR_INPUT, "%.400s: there are answers in it already", path);
    if (!failed)
        failed = begin(a, who, text, err);
    if (!failed && text)
        failed = answers_parse(a, text, who, path, err);
    tacho_mem_free(text);
    return failed;
}
