/* records_match.c - which remarks are on a hot place: those on lines that its code is from. A loop that was
 * inlined is remarked on in each function that has it; where records name functions, those of the place's own
 * count. */
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/str.h"
#include "binary/loops/finder.h"
#include "study/records/records.h"

static const char *without_dots(const char *path)
{
    while (!strncmp(path, "./", 2) || !strncmp(path, "../", 3))
        path = strchr(path, '/') + 1;
    return path;
}

/* Whether two names, of which either may have more folders in front, can be of the same file. */
static bool same_file(const char *a, const char *b)
{
    a = without_dots(a);
    b = without_dots(b);
    size_t m = strlen(a), n = strlen(b), shorter = m < n ? m : n;
    const char *longer = m < n ? b : a;
    return !memcmp(a + m - shorter, b + n - shorter, shorter) &&
           (m == n || longer[(m < n ? n : m) - shorter - 1] == '/' ||
            longer[(m < n ? n : m) - shorter] == '/');
}

/* Whether the place has code of that line; of a loop, or of a line between those that have some. */
static bool is_on(const tacho_hot_place *p, const tacho_remark *r)
{
    bool before = false, behind = false;
    for (size_t i = 0; i < p->insn_count; i++) {
        const tacho_hot_insn *insn = &p->insns[i];
        if (!insn->source_file || !insn->source_line || !same_file(insn->source_file, r->file))
            continue;
        if (insn->source_line == r->line)
            return true;
        before |= insn->source_line < r->line;
        behind |= insn->source_line > r->line;
    }
    return before && behind && r->about <= TACHO_ABOUT_UNROLLING;
}

/* "f" of "f(int)", "ns::f<int>(int) const" */
static size_t name_length(const char *name)
{
    return strcspn(name, "(");
}

static bool is_of(const tacho_hot_place *p, const tacho_remark *r)
{
    const char *f = p->loop->function;
    if (!f || !r->function)
        return false;
    if (!strcmp(f, r->function))
        return true;
    size_t m = name_length(f), n = name_length(r->function);
    return m && m == n && !strncmp(f, r->function, m) && (!f[m] || !r->function[n]);
}

static bool same(const tacho_remark *a, const tacho_remark *b)
{
    return a->kind == b->kind && a->about == b->about && a->line == b->line && a->text == b->text &&
           a->file == b->file;
}

static bool is_there(const tacho_remark **list, size_t count, const tacho_remark *r)
{
    for (size_t i = 0; i < count; i++)
        if (same(list[i], r))
            return true;
    return false;
}

typedef struct matching {
    const tacho_remark **out;
    size_t count, most;
} matching;

/* Of one kind and subject: of the place's function, or of any. */
static void match_kind(matching *m, const tacho_opt_records *r, const tacho_hot_place *p,
                       tacho_remark_about about, tacho_remark_kind kind, bool of_function)
{
    for (size_t i = 0; i < r->count; i++) {
        const tacho_remark *x = &r->list[i];
        if (x->about != about || x->kind != kind || (of_function && !is_of(p, x)) || !is_on(p, x))
            continue;
        if (is_there(m->out, m->count < m->most ? m->count : m->most, x))
            continue;
        if (m->count < m->most)
            m->out[m->count] = x;
        m->count++;
    }
}

/* Decisions before their reasons. @return whether there were any */
static bool match(matching *m, const tacho_opt_records *r, const tacho_hot_place *p, tacho_remark_about about,
                  bool of_function)
{
    static const tacho_remark_kind order[] = {TACHO_REMARK_MISSED, TACHO_REMARK_REASON, TACHO_REMARK_DONE};
    size_t before = m->count;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        match_kind(m, r, p, about, order[i], of_function);
    return m->count > before;
}

size_t tacho_opt_records_of(const tacho_opt_records *r, const tacho_hot_place *place,
                            const tacho_remark **out, size_t most)
{
    matching m = {out, 0, most};
    for (int about = 0; about <= TACHO_ABOUT_OTHER; about++)
        if (!match(&m, r, place, (tacho_remark_about)about, true))
            match(&m, r, place, (tacho_remark_about)about, false);
    return m.count;
}

/* remarks that are kept: of passes that decide about loops, calls, memory and registers. */

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
