/* learn_submit.c - where a learnt model is kept, and what is handed in of it. */
#include "learn/learn_submit.h"

#include "base/file.h"
#include "base/mem.h"

enum {
    MOST_BYTES = 1 << 29,
    SUBMISSION_PATH_SIZE = 4096
};

static bool read_text(const char *path, char **text, tacho_error *err)
{
    size_t size;
    if (!tacho_file_read_regular(path, MOST_BYTES, text, &size))
        return true;
    *text = NULL;
    return !tacho_error_set(err, TACHO_ERR_INPUT, "%s: cannot be read: %s", path, strerror(errno));
}

/* Only of the machine that the journal is of. */
static void put_clock(tacho_str *out, const char *journal, const tacho_measurer_options *measuring)
{
    char own[160];
    tacho_learn_processor(own, sizeof own);
    tacho_measurer *m = strstr(journal, own) ? tacho_measurer_new(measuring, NULL) : NULL;
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
        const bool remark = tacho_starts_with(journal, "# answers of ") ||
                            tacho_starts_with(journal, "# blocks: "),
                   answer = strspn(journal, "0123456789abcdef") == 32;
        if (remark || answer)
            tacho_str_printf(out, "%s%.*s\n", remark ? "" : "# ", (int)length, journal);
        journal += length + (journal[length] == '\n');
    }
}

bool tacho_learn_submission(tacho_str *out, const char *model, const tacho_measurer_options *measuring,
                            tacho_error *err)
{
    char name[SUBMISSION_PATH_SIZE], *text = NULL, *journal = NULL;
    tacho_arch *arch = NULL;
    tacho_error why;
    snprintf(name, sizeof name, "%s.journal", model);
    bool good = read_text(model, &text, err) && read_text(name, &journal, err);
    if (good && tacho_arch_load(&arch, text, strlen(text), NULL, &why))
        good = !tacho_error_set(err, TACHO_ERR_INPUT, "%s: %s", model, why.message);
    if (good && !tacho_starts_with(journal, "# answers of a processor"))
        good = !tacho_error_set(err, TACHO_ERR_INPUT, "%s: no journal of tacho learn", name);
    if (good) {
        tacho_str_printf(out, "%s\n", text);
        put_clock(out, journal, measuring);
        put_journal(out, journal);
    }
    tacho_arch_free(arch);
    TACHO_MEM_FREE(text, journal);
    return good;
}

/* ---- the cache folder ---- */

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
