/* typed_code.c - assembly text of a request. The code that is meant is one of its parts (parts.c): the first,
 * unless the request says which. */
#include "typed_code.h"

#include <stdio.h>
#include <string.h>

#include "base/records.h"
#include "base/mem.h"
#include "binary/input/input.h"
#include "tacho/assemble.h"
#include "x86/decode/insn_struct.h"

/* ---- lines ---- */

static const char *line_end(const char *line)
{
    return line + strcspn(line, "\n");
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
        r->typed[count++] = (tacho_typed){.address = a->sections[section].place + s->offset,
                                          .line = s->line,
                                          .text = out,
                                          .syntax = (uint8_t)s->syntax,
                                          .label = label};
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
                               .address = s->place + start,
                               .line = 1,
                               .alignment = (uint32_t)((s->place + start) % 64),
                               .place_step = step < 64 ? step : 64};
    r->listing.address = r->region.address;
}

static int name_region(request *r, const char *name)
{
    r->region.name = *name ? tacho_mem_strndup(name, strlen(name)) : NULL;
    return *name && !r->region.name ? tacho_no_memory(&r->err) : 0;
}

static int choose_code(request *r, size_t which)
{
    const tacho_part *part = &r->parts->parts[which];
    choose(r, part->start, part->end);
    if (!r->part)
        tacho_parts_note(r->parts, which, r->warning, sizeof r->warning);
    if (part->kind == TACHO_PART_LOOP) { /* along its path */
        r->region.bytes = part->code;
        r->region.byte_count = part->code_bytes;
        r->region.address = r->listing.address = part->pieces[0].address;
        r->region.alignment = part->alignment;
        r->listing.pieces = part->pieces;
        r->listing.piece_count = part->piece_count;
    }
    if (part->kind == TACHO_PART_MARKED) {
        r->region.line = part->marker_line;
        return name_region(r, part->name);
    }
    return 0;
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
    size_t which = r->part ? r->part - 1 : 0;
    if (assemble(r, text) || tacho_assembly_parts(&r->parts, r->assembly, text, strlen(text), &r->err))
        return r->err.code;
    if (which >= r->parts->count)
        return tacho_error_set(&r->err, TACHO_ERR_USAGE, "there is no part %u: the text has %zu", r->part,
                               r->parts->count);
    const tacho_part *part = &r->parts->parts[which];
    if (!part->code)
        return tacho_error_set(&r->err, TACHO_ERR_INPUT,
                               part->kind == TACHO_PART_LOOP
                                   ? "no path through the loop was found"
                                   : "the block is empty: there is nothing to analyse");
    r->section = part->section;
    int result = list_typed(r, text, r->section);
    return result ? result : choose_code(r, which);
}

json_t *parts_json(request *r, const char *text)
{
    static const char *const kinds[] = {"all", "marked", "loop", "straight"};
    if (assemble(r, text) || tacho_assembly_parts(&r->parts, r->assembly, text, strlen(text), &r->err))
        return NULL;
    json_t *list = json_array();
    for (size_t i = 0; i < r->parts->count; i++) {
        const tacho_part *p = &r->parts->parts[i];
        json_array_append_new(list,
                              json_pack("{s:s, s:o, s:I, s:I}", "kind", kinds[p->kind & 3], "name",
                                        report_json_string(p->name), "line_first", (json_int_t)p->line_first,
                                        "line_last", (json_int_t)p->line_last));
    }
    return list;
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
    tacho_parts_free(r->parts);
    tacho_assembly_free(r->assembly);
    TACHO_MEM_FREE(r->typed, r->texts, r->region.name);
    json_decref(r->problems);
}
