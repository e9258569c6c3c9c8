/* typed_code.c - assembly text of a request. The code that is meant: what stands between markers of LLVM-MCA
 * or OSACA; else, of text with several blocks, the first innermost loop, as somebody who pastes a function
 * means it; else all. */
#include "typed_code.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "binary/input/input.h"
#include "tacho/assemble.h"
#include "x86/decode/insn_flow.h"
#include "x86/decode/insn_struct.h"

/* ---- lines ---- */

static const char *line_end(const char *line)
{
    return line + strcspn(line, "\n");
}

/* Where the first marker `word` ("BEGIN", "END") ends, and in *line its line, from 1; NULL: there is none. */
static const char *marker(const char *text, const char *word, uint64_t *line)
{
    static const char *const makers[] = {"LLVM-MCA-", "OSACA-"};
    const char *at = text;
    for (*line = 1;; ++*line) {
        const char *end = line_end(at);
        for (size_t i = 0; i < sizeof makers / sizeof *makers; i++) {
            const char *found = strstr(at, makers[i]);
            size_t n = strlen(makers[i]);
            if (found && found < end && !strncmp(found + n, word, strlen(word)))
                return found + n + strlen(word);
        }
        if (!*end)
            return NULL;
        at = end + 1;
    }
}

/* ---- what was typed ---- */

/* Copies a statement, white space made one space. @return what is behind its end in `out` */
static char *copy_statement(char *out, const char *text, uint32_t length)
{
    bool space = false;
    for (uint32_t i = 0; i < length; i++) {
        if (strchr(" \t\r", text[i])) {
            space = true;
            continue;
        }
        if (space)
            *out++ = ' ';
        space = false;
        *out++ = text[i];
    }
    *out++ = '\0';
    return out;
}

/* The section of the code: the first that can be executed and holds some. */
static uint32_t code_section(const tacho_assembly *a)
{
    for (uint32_t i = 0; i < a->section_count; i++)
        if (a->sections[i].executable && a->sections[i].byte_count)
            return i;
    return TACHO_SECTION_NONE;
}

/* Statements of a section stand in the order of the text, which is that of their places unless .org or
 * .subsection moves about: then what was typed is not shown. */
static int list_typed(request *r, const char *text, uint32_t section)
{
    const tacho_assembly *a = r->assembly;
    size_t size = strlen(text) + a->statement_count + 1, count = 0;
    r->typed = tacho_mem_zalloc(a->statement_count, sizeof *r->typed);
    r->texts = tacho_mem_alloc(size);
    if (!r->typed || !r->texts)
        return tacho_no_memory(&r->err);
    char *out = r->texts;
    const char *line = text;
    uint64_t number = 1;
    for (size_t i = 0; i < a->statement_count; i++) {
        const tacho_statement *s = &a->statements[i];
        for (; number < s->line; number++)
            line = line_end(line) + 1;
        if (s->section != section ||
            (s->kind != TACHO_STATEMENT_INSTRUCTION && s->kind != TACHO_STATEMENT_LABEL))
            continue;
        bool label = s->kind == TACHO_STATEMENT_LABEL;
        r->typed[count++] = (tacho_typed){
            .address = s->offset, .line = s->line, .text = out, .syntax = (uint8_t)s->syntax, .label = label};
        out = copy_statement(out, line + s->column - 1, s->text_length);
    }
    r->listing.as_typed = true;
    r->listing.typed = r->typed;
    r->listing.typed_count = count;
    r->listing.syntax = count ? (tacho_syntax)r->typed[0].syntax : TACHO_SYNTAX_INTEL;
    return 0;
}

/* ---- which code is meant ---- */

static void choose(request *r, uint64_t start, uint64_t end)
{
    const tacho_assembled_section *s = &r->assembly->sections[r->section];
    uint32_t step = s->alignment ? s->alignment : 1;
    r->region = (tacho_region){.bytes = s->bytes + start,
                               .byte_count = (size_t)(end - start),
                               .address = start,
                               .line = 1,
                               .alignment = (uint32_t)(start % 64),
                               .place_step = step < 64 ? step : 64};
    r->listing.address = start;
}

static void choose_marked(request *r, uint64_t begin, uint64_t end)
{
    const tacho_assembly *a = r->assembly;
    uint64_t first = UINT64_MAX, last = 0;
    for (size_t i = 0; i < a->statement_count; i++) {
        const tacho_statement *s = &a->statements[i];
        if (s->section != r->section || s->line <= begin || (end && s->line >= end) || !s->length)
            continue;
        first = s->offset < first ? s->offset : first;
        last = s->offset + s->length;
    }
    choose(r, first < last ? first : 0, first < last ? last : 0);
}

/* The first loop that has no loop in it: the first branch that goes back ends it. */
static bool find_loop(const tacho_assembled_section *s, uint64_t *start, uint64_t *end)
{
    tacho_insn insn;
    for (size_t at = 0; at < s->byte_count && !tacho_decode(&insn, s->bytes + at, s->byte_count - at, NULL);
         at += insn.length) {
        int64_t distance, next = (int64_t)(at + insn.length);
        insn_flow flow = tacho_insn_flow_of(&insn, &distance);
        if ((flow != FLOW_BRANCH && flow != FLOW_JUMP) || next + distance < 0 ||
            next + distance > (int64_t)at)
            continue;
        *start = (uint64_t)(next + distance);
        *end = (uint64_t)next;
        return true;
    }
    return false;
}

static int warn_of_loop(request *r)
{
    uint64_t first = 0, last = 0;
    for (size_t i = 0; i < r->listing.typed_count; i++) {
        const tacho_typed *t = &r->typed[i];
        if (t->label || t->address < r->region.address ||
            t->address >= r->region.address + r->region.byte_count)
            continue;
        first = first ? first : t->line;
        last = t->line;
    }
    snprintf(r->warning, sizeof r->warning,
             "the code has several blocks: this is its first innermost loop, lines %llu to %llu; markers (# "
             "LLVM-MCA-BEGIN, # LLVM-MCA-END) choose another part",
             (unsigned long long)first, (unsigned long long)last);
    return 0;
}

static int name_region(request *r, const char *name, const char *end)
{
    size_t length = (size_t)(end - name);
    tacho_str_trim(&name, &length);
    if (!length)
        return 0;
    r->region.name = tacho_mem_strndup(name, length);
    return r->region.name ? 0 : tacho_no_memory(&r->err);
}

static int choose_code(request *r, const char *text)
{
    const tacho_assembled_section *s = &r->assembly->sections[r->section];
    uint64_t line, last, start, end;
    const char *begin = marker(text, "BEGIN", &line);
    if (begin) {
        choose_marked(r, line, marker(text, "END", &last) ? last : 0);
        r->region.line = line;
        return name_region(r, begin, line_end(begin));
    }
    choose(r, 0, s->byte_count);
    if (!input_has_several_blocks(s->bytes, s->byte_count) || !find_loop(s, &start, &end))
        return 0;
    choose(r, start, end);
    return warn_of_loop(r);
}

/* ---- assembling ---- */

static void take_problems(request *r)
{
    r->problems = json_array();
    for (size_t i = 0; r->assembly && i < r->assembly->problem_count; i++) {
        const tacho_problem *p = &r->assembly->problems[i];
        json_t *o = json_pack("{s:I, s:i, s:i}", "line", (json_int_t)p->line, "column", (int)p->column,
                              "length", (int)p->length);
        json_object_set_new(o, "message", json_string(p->message));
        json_array_append_new(r->problems, o);
    }
}

static int assemble(request *r, const char *text)
{
    static const char *const words[] = {"auto", "intel", "att"};
    tacho_assemble_options options = TACHO_ASSEMBLE_OPTIONS_INIT;
    const char *syntax = request_text(r, "syntax", words[0]);
    size_t i = 0;
    while (i < 3 && strcmp(syntax, words[i]))
        i++;
    if (i == 3)
        return tacho_error_set(&r->err, TACHO_ERR_USAGE, "syntax is \"auto\", \"intel\" or \"att\"");
    options.syntax = (tacho_syntax)i;
    if (tacho_assemble(&r->assembly, text, strlen(text), &options, &r->err)) {
        take_problems(r);
        return r->err.code;
    }
    return 0;
}

int assembly_code(request *r, const char *text)
{
    if (assemble(r, text))
        return r->err.code;
    r->section = code_section(r->assembly);
    if (r->section == TACHO_SECTION_NONE)
        return tacho_error_set(&r->err, TACHO_ERR_INPUT, "the text has no instructions");
    int result = list_typed(r, text, r->section);
    return result ? result : choose_code(r, text);
}

json_t *assembly_json(request *r, const char *text)
{
    static const char *const kinds[] = {"instruction", "label", "data", "align"};
    tacho_str hex = {0};
    if (assemble(r, text))
        return NULL;
    const tacho_assembly *a = r->assembly;
    uint32_t section = code_section(a);
    if (section != TACHO_SECTION_NONE)
        tacho_str_hex(&hex, a->sections[section].bytes, a->sections[section].byte_count);
    json_t *list = json_array();
    for (size_t i = 0; i < a->statement_count; i++) {
        const tacho_statement *s = &a->statements[i];
        if (s->section == section)
            json_array_append_new(list, json_pack("{s:s, s:I, s:i, s:i, s:I, s:i}", "kind",
                                                  kinds[s->kind & 3], "line", (json_int_t)s->line, "column",
                                                  (int)s->column, "length", (int)s->text_length, "offset",
                                                  (json_int_t)s->offset, "bytes", (int)s->length));
    }
    json_t *o = json_pack("{s:s, s:s, s:o}", "syntax", a->syntax == TACHO_SYNTAX_ATT ? "att" : "intel", "hex",
                          hex.data ? hex.data : "", "statements", list);
    tacho_str_free(&hex);
    return o;
}

void assembly_free(request *r)
{
    tacho_assembly_free(r->assembly);
    TACHO_MEM_FREE(r->typed, r->texts, r->region.name);
    json_decref(r->problems);
}
