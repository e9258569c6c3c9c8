/* records_match.c - which remarks are on a hot place: those on lines that its code is from. A loop that was
 * inlined is remarked on in each function that has it; where records name functions, those of the place's own
 * count. */
#include <string.h>

#include "base/str.h"
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
