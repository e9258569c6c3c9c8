/* records_list.c - remarks that are kept: of passes that decide about loops, calls, memory and registers. */
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "binary/loops/finder.h"
#include "study/records/records.h"

const char *tacho_remark_kind_name(tacho_remark_kind kind)
{
    static const char *const names[] = {"done", "missed", "reason"};
    return (unsigned)kind < sizeof names / sizeof *names ? names[kind] : "";
}

const char *tacho_remark_about_name(tacho_remark_about about)
{
    static const char *const names[] = {"vectorisation", "unrolling", "inlining",
                                        "memory",        "registers", "other"};
    return (unsigned)about < sizeof names / sizeof *names ? names[about] : "";
}

/* ---- what they are about ---- */

typedef struct topic {
    const char *word;
    int about;
} topic;

/* By how the names of clang's and gcc's passes begin. */
static const topic passes[] = {{"loop-vectorize", TACHO_ABOUT_VECTORISATION},
                               {"vect", TACHO_ABOUT_VECTORISATION},
                               {"slp", TACHO_ABOUT_VECTORISATION},
                               {"transform-warning", TACHO_ABOUT_VECTORISATION},
                               {"loop-unroll", TACHO_ABOUT_UNROLLING},
                               {"loop-peel", TACHO_ABOUT_UNROLLING},
                               {"TTI", TACHO_ABOUT_UNROLLING},
                               {"cunroll", TACHO_ABOUT_UNROLLING},
                               {"unrolljam", TACHO_ABOUT_UNROLLING},
                               {"loop2_unroll", TACHO_ABOUT_UNROLLING},
                               {"inline", TACHO_ABOUT_INLINING},
                               {"always-inline", TACHO_ABOUT_INLINING},
                               {"partial-inlining", TACHO_ABOUT_INLINING},
                               {"einline", TACHO_ABOUT_INLINING},
                               {"gvn", TACHO_ABOUT_MEMORY},
                               {"licm", TACHO_ABOUT_MEMORY},
                               {"lim", TACHO_ABOUT_MEMORY},
                               {"loop-load-elim", TACHO_ABOUT_MEMORY},
                               {"regalloc", TACHO_ABOUT_REGISTERS},
                               {"loop-", TACHO_ABOUT_OTHER},
                               {"ldist", TACHO_ABOUT_OTHER},
                               {"linterchange", TACHO_ABOUT_OTHER},
                               {"pcom", TACHO_ABOUT_OTHER}};

int records_about(const char *pass)
{
    for (size_t i = 0; i < sizeof passes / sizeof *passes; i++)
        if (!strncmp(pass, passes[i].word, strlen(passes[i].word)))
            return passes[i].about;
    return -1;
}

int records_about_text(const char *text)
{
    static const topic words[] = {{"vectoriz", TACHO_ABOUT_VECTORISATION}, {"nroll", TACHO_ABOUT_UNROLLING},
                                  {"peel", TACHO_ABOUT_UNROLLING},         {"nlin", TACHO_ABOUT_INLINING},
                                  {"distribut", TACHO_ABOUT_OTHER},        {"interchang", TACHO_ABOUT_OTHER}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(text, words[i].word))
            return words[i].about;
    return -1;
}

/* ---- keeping them ---- */

/* The one copy of a text; NULL stays NULL. @return -1: no memory */
static int keep(records *r, const char **text)
{
    if (!*text)
        return 0;
    uint64_t hash = hash_bytes(*text, strlen(*text));
    for (hash_probe p = hash_find(&r->texts, hash); hash_next(&p);)
        if (!strcmp(r->kept[p.item], *text)) {
            *text = r->kept[p.item];
            return 0;
        }
    const char *copy = arena_text(&r->memory, *text);
    if (!copy || tacho_mem_grow(&r->kept, &r->kept_capacity, r->kept_count + 1, sizeof *r->kept) ||
        hash_add_item(&r->texts, hash, (uint32_t)r->kept_count))
        return -1;
    *text = r->kept[r->kept_count++] = copy;
    return 0;
}

int records_add(records *r, const tacho_remark *remark)
{
    char readable[SYMBOL_MAX_READABLE];
    tacho_remark x = *remark;
    if (!x.file || !x.line || !x.text || !*x.text)
        return 0;
    if (x.function && symbol_read(x.function, readable, sizeof readable))
        x.function = readable;
    if (keep(r, &x.file) || keep(r, &x.function) || keep(r, &x.pass) || keep(r, &x.text) ||
        tacho_mem_grow(&r->list, &r->capacity, r->count + 1, sizeof *r->list))
        return -1;
    r->list[r->count++] = x;
    return 0;
}
