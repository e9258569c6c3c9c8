/* parts.c - which part of an assembly text is meant: what stands between markers; of several blocks the
 * innermost loops, as somebody who pastes a function means them; else all. */
#include <stdio.h>
#include <string.h>

#include "base/search.h"
#include "base/str.h"
#include "tacho/assemble.h"
#include "x86/decode/insn_flow.h"

typedef struct search {
    const tacho_assembly *a;
    const char *text, *end;
    tacho_part *parts;
    size_t capacity, count;
} search;

static void set_name(tacho_part *p, const char *name, size_t length)
{
    tacho_str_trim(&name, &length);
    if (length >= sizeof p->name)
        length = sizeof p->name - 1;
    memcpy(p->name, name, length);
    p->name[length] = '\0';
}

/* @return where it is, or NULL: there is no room, and it is only counted */
static tacho_part *add(search *s, tacho_part_kind kind, uint32_t section, uint64_t start, uint64_t end)
{
    if (s->count++ >= s->capacity)
        return NULL;
    tacho_part *p = &s->parts[s->count - 1];
    *p = (tacho_part){.kind = kind, .section = section, .start = start, .end = end};
    return p;
}

/* ---- markers ---- */

typedef struct marker {
    const char *name; /* what stands behind it in its line */
    size_t length;
    uint64_t line;
} marker;

static const char *line_end(const search *s, const char *at)
{
    const char *newline = memchr(at, '\n', (size_t)(s->end - at));
    return newline ? newline : s->end;
}

/* Whether the line has the marker `word` ("BEGIN", "END"); then its name. */
static bool read_marker(const char *line, const char *end, const char *word, marker *m)
{
    static const char *const makers[] = {"LLVM-MCA-", "OSACA-"};
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++) {
        size_t n = strlen(makers[i]), all = n + strlen(word);
        const char *found = memmem(line, (size_t)(end - line), makers[i], n);
        if (!found || (size_t)(end - found) < all || strncmp(found + n, word, all - n) != 0)
            continue;
        m->name = found + all;
        m->length = (size_t)(end - m->name);
        const char *close = memmem(m->name, m->length, "*/", 2);
        m->length = close ? (size_t)(close - m->name) : m->length;
        tacho_str_trim(&m->name, &m->length);
        return true;
    }
    return false;
}

/* The instructions between two lines, of the section that the first of them is in. */
static void fill_marked(const search *s, tacho_part *p, const marker *begin, uint64_t last)
{
    const tacho_statement *t, *first = NULL, *end = s->a->statements + s->a->statement_count;
    size_t at;
    COUNT_BEFORE(at, s->a->statement_count, s->a->statements[at].line <= begin->line);
    for (t = s->a->statements + at; t < end && t->line < last; t++) {
        if (!t->length || (first && t->section != first->section))
            continue;
        if (!first || t->offset < p->start)
            p->start = t->offset;
        first = first ? first : t;
        p->end = t->offset + t->length > p->end ? t->offset + t->length : p->end;
        p->line_last = t->line;
    }
    if (first) {
        p->section = first->section;
        p->line_first = first->line;
    }
}

enum {
    MAX_OPEN = 64 /* regions in one another; those within are not seen */
};

typedef struct open_region {
    marker begin;
    size_t number; /* of the part */
} open_region;

static void close_region(const search *s, const open_region *r, uint64_t last)
{
    if (r->number < s->capacity)
        fill_marked(s, &s->parts[r->number], &r->begin, last);
}

/* Closes the region that was opened last, or the last of that name. */
static void close_named(const search *s, open_region *open, size_t *count, const marker *m)
{
    for (size_t i = *count; i-- > 0;) {
        const marker *b = &open[i].begin;
        if (m->length && (m->length != b->length || memcmp(m->name, b->name, m->length)))
            continue;
        close_region(s, &open[i], m->line);
        memmove(open + i, open + i + 1, (--*count - i) * sizeof *open);
        return;
    }
}

static void find_marked(search *s)
{
    open_region open[MAX_OPEN];
    size_t count = 0;
    marker m = {.line = 0};
    for (const char *at = s->text; at < s->end;) {
        const char *line = at, *end = line_end(s, line);
        at = end < s->end ? end + 1 : end;
        m.line++;
        if (read_marker(line, end, "END", &m)) {
            close_named(s, open, &count, &m);
        } else if (read_marker(line, end, "BEGIN", &m) && count < MAX_OPEN) {
            open[count++] = (open_region){m, s->count};
            tacho_part *p = add(s, TACHO_PART_MARKED, 0, 0, 0);
            if (p) {
                p->marker_line = m.line;
                set_name(p, m.name, m.length);
            }
        }
    }
    while (count)
        close_region(s, &open[--count], UINT64_MAX);
}

/* ---- loops ---- */

static bool is_code(const tacho_assembled_section *s)
{
    return s->executable && s->byte_count;
}

/* Each branch to what is before it ends a loop, which is innermost where no loop lies in it that was found
 * before.
 * @return false where the section has bytes that are no instruction, or no loop */
static bool find_loops(search *s, uint32_t section)
{
    const tacho_assembled_section *c = &s->a->sections[section];
    const size_t before = s->count;
    int64_t last_start = -1;
    tacho_insn insn;
    for (size_t at = 0; at < c->byte_count && !tacho_decode(&insn, c->bytes + at, c->byte_count - at, NULL);
         at += insn.length) {
        int64_t distance, next = (int64_t)(at + insn.length);
        insn_flow flow = tacho_insn_flow_of(&insn, &distance);
        int64_t target = next + distance;
        if ((flow != FLOW_BRANCH && flow != FLOW_JUMP) || target < 0 || target > (int64_t)at ||
            target <= last_start)
            continue;
        last_start = target;
        add(s, TACHO_PART_LOOP, section, (uint64_t)target, (uint64_t)next);
    }
    return s->count > before;
}

/* The part that the instruction is in, of parts that are in the order of their places. */
static tacho_part *part_of(const search *s, const tacho_statement *t)
{
    size_t n, count = s->count < s->capacity ? s->count : s->capacity;
    COUNT_BEFORE(n, count,
                 s->parts[n].section < t->section ||
                     (s->parts[n].section == t->section && s->parts[n].start <= t->offset));
    tacho_part *p = n ? &s->parts[n - 1] : NULL;
    return p && p->section == t->section && t->offset < p->end ? p : NULL;
}

/* Lines, and names: those of the last label that is no local one. */
static void describe(const search *s)
{
    const char *line = s->text, *label = NULL;
    size_t label_length = 0;
    uint64_t number = 1;
    for (size_t i = 0; i < s->a->statement_count; i++) {
        const tacho_statement *t = &s->a->statements[i];
        for (; number < t->line && line < s->end; number++)
            line = line_end(s, line) + 1;
        if (t->kind == TACHO_STATEMENT_LABEL && line + t->column - 1 < s->end &&
            !strchr(".0123456789", line[t->column - 1])) {
            label = line + t->column - 1;
            label_length = t->text_length;
            while (label_length > 1 && strchr(": \t", label[label_length - 1]))
                label_length--;
        }
        tacho_part *p = t->length ? part_of(s, t) : NULL;
        if (!p)
            continue;
        if (!p->line_first && label)
            set_name(p, label, label_length);
        if (!p->line_first || t->line < p->line_first)
            p->line_first = t->line;
        if (t->line > p->line_last)
            p->line_last = t->line;
    }
}

static bool has_several_blocks(const tacho_assembled_section *c)
{
    return tacho_has_several_blocks(c->bytes, c->byte_count);
}

size_t tacho_assembly_parts(const tacho_assembly *assembly, const char *text, size_t size, tacho_part *parts,
                            size_t capacity)
{
    search s = {assembly, text, text + size, parts, capacity, 0};
    bool several = false;
    uint32_t with_code = 0;
    find_marked(&s);
    if (s.count)
        return s.count;
    for (uint32_t i = 0; i < assembly->section_count; i++) {
        with_code += is_code(&assembly->sections[i]);
        several |= is_code(&assembly->sections[i]) && has_several_blocks(&assembly->sections[i]);
    }
    for (uint32_t i = 0; i < assembly->section_count && (several || with_code > 1); i++)
        if (is_code(&assembly->sections[i]))
            find_loops(&s, i);
    for (uint32_t i = 0; i < assembly->section_count && !s.count; i++)
        if (is_code(&assembly->sections[i])) {
            add(&s, TACHO_PART_ALL, i, 0, assembly->sections[i].byte_count);
            break;
        }
    describe(&s);
    return s.count;
}

void tacho_part_note(const tacho_part *part, size_t count, char *out, size_t size)
{
    char number[60] = "its innermost loop", place[100] = "";
    *out = '\0';
    if (part->kind == TACHO_PART_ALL || (part->kind == TACHO_PART_MARKED && count == 1))
        return;
    if (part->kind == TACHO_PART_MARKED) {
        snprintf(out, size, "this is the first of %zu regions between markers%s%s", count,
                 *part->name ? ": " : "", part->name);
        return;
    }
    if (count > 1)
        snprintf(number, sizeof number, "the first of its %zu innermost loops", count);
    if (*part->name)
        snprintf(place, sizeof place, " in %s,", part->name);
    snprintf(out, size,
             "the code has several blocks: this is %s,%s lines %llu to %llu; markers (# LLVM-MCA-BEGIN, # "
             "LLVM-MCA-END) choose another part",
             number, place, (unsigned long long)part->line_first, (unsigned long long)part->line_last);
}
