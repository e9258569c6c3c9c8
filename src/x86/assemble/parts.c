/* parts.c - which part of an assembly text is meant: what stands between markers; of several blocks the
 * innermost loops, as somebody who pastes a function means them; else all. */
#include <stdio.h>
#include <string.h>

#include "base/search.h"
#include "base/str.h"
#include "tacho/assemble.h"
#include "x86/assemble/region_markers.h"
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

static const char *line_end(const search *s, const char *at)
{
    const char *newline = memchr(at, '\n', (size_t)(s->end - at));
    return newline ? newline : s->end;
}

/* The marker in a comment of the line. */
static bool line_marker(const char *line, const char *end, region_marker *m)
{
    for (const char *c = line; c < end; c++)
        if (strchr("#/*;", *c) && tacho_region_marker(c + 1, end, m))
            return true;
    return false;
}

/* The instructions between two lines, of the section that the first of them is in. */
static void fill_marked(const search *s, tacho_part *p, uint64_t last)
{
    const tacho_statement *t, *first = NULL, *end = s->a->statements + s->a->statement_count;
    size_t at;
    COUNT_BEFORE(at, s->a->statement_count, s->a->statements[at].line <= p->marker_line);
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

/* What a marker in line `number` does. */
static int take_marker(search *s, region_list *list, const region_marker *m, uint64_t number,
                       tacho_error *err)
{
    tacho_error wrong = {.message = ""};
    size_t which = 0;
    region_step step = tacho_region_step(list, m, &which, &wrong);
    if (step == REGION_WRONG)
        return tacho_error_set(err, wrong.code, "line %llu: %s", (unsigned long long)number, wrong.message);
    tacho_part *p = step == REGION_ENDS ? NULL : add(s, TACHO_PART_MARKED, 0, 0, 0);
    if (p && step == REGION_BEGINS) {
        p->marker_line = number;
        set_name(p, m->name, m->length);
    }
    if (step != REGION_BEGINS && which < s->capacity)
        fill_marked(s, &s->parts[which], number);
    return 0;
}

static int find_marked(search *s, tacho_error *err)
{
    region_list list = {.count = 0};
    region_marker m;
    uint64_t number = 1;
    for (const char *at = s->text; at < s->end; number++) {
        const char *line = at, *end = line_end(s, line);
        at = end < s->end ? end + 1 : end;
        int rc = line_marker(line, end, &m) ? take_marker(s, &list, &m, number, err) : 0;
        if (rc)
            return rc;
    }
    for (size_t i = 0; i < list.open_count; i++)
        if (list.open[i].number < s->capacity)
            fill_marked(s, &s->parts[list.open[i].number], UINT64_MAX);
    return 0;
}

/* ---- loops ---- */

static bool is_code(const tacho_assembled_section *s)
{
    return s->executable && s->byte_count;
}

/* Each branch to what is before it ends a loop, which is innermost where no loop lies in it that was found
 * before. */
static void find_loops(search *s, uint32_t section)
{
    const tacho_assembled_section *c = &s->a->sections[section];
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
            line = line_end(s, line) < s->end ? line_end(s, line) + 1 : s->end;
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

int tacho_assembly_parts(const tacho_assembly *assembly, const char *text, size_t size, tacho_part *parts,
                         size_t capacity, size_t *count, tacho_error *err)
{
    search s = {assembly, text, text + size, parts, capacity, 0};
    const tacho_assembled_section *sections = assembly->sections;
    uint32_t first = TACHO_SECTION_NONE;
    bool several = false;
    int rc = find_marked(&s, err);
    *count = s.count;
    if (rc || s.count)
        return rc;
    for (uint32_t i = (uint32_t)assembly->section_count; i-- > 0;)
        if (is_code(&sections[i])) {
            several |= first != TACHO_SECTION_NONE ||
                       tacho_has_several_blocks(sections[i].bytes, sections[i].byte_count);
            first = i;
        }
    if (first == TACHO_SECTION_NONE)
        return tacho_error_set(err, TACHO_ERR_INPUT, "the text has no instructions");
    for (uint32_t i = first; several && i < assembly->section_count; i++)
        if (is_code(&sections[i]))
            find_loops(&s, i);
    if (!s.count)
        add(&s, several ? TACHO_PART_STRAIGHT : TACHO_PART_ALL, first, 0, sections[first].byte_count);
    describe(&s);
    *count = s.count;
    return 0;
}

void tacho_parts_note(const tacho_part *first, size_t count, char *out, size_t size)
{
    char which[60] = "its innermost loop", place[100] = "";
    *out = '\0';
    if (first->kind == TACHO_PART_MARKED && count > 1)
        snprintf(out, size, "this is the first of %zu regions between markers%s%s", count,
                 *first->name ? ": " : "", first->name);
    if (first->kind == TACHO_PART_STRAIGHT)
        snprintf(out, size,
                 "there are several blocks but no loop: all of it is treated as one straight block that is "
                 "repeated");
    if (first->kind != TACHO_PART_LOOP)
        return;
    if (count > 1)
        snprintf(which, sizeof which, "the first of its %zu innermost loops", count);
    if (*first->name)
        snprintf(place, sizeof place, " in %s,", first->name);
    snprintf(out, size,
             "the code has several blocks: this is %s,%s lines %llu to %llu; markers (# LLVM-MCA-BEGIN, # "
             "LLVM-MCA-END) choose another part",
             which, place, (unsigned long long)first->line_first, (unsigned long long)first->line_last);
}
