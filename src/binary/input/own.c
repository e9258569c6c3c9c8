/* own.c - assembly text read by the library's own assembler, which is the default; and the GNU assembler for
 * what that refuses: macros, repetitions, conditions, instructions that Zydis does not know. */

#include "base/mem.h"
#include "binary/input/input.h"
#include "x86/assemble/language.h"

/* A statement, and where in the object file it lies. */
typedef struct placed {
    size_t section;
    uint64_t address;
    size_t order;
    tacho_typed typed;
} placed;

/* Labels before the instruction that they stand at. */
ORDER_AS(by_place, placed,
         ORDER(a->section, b->section) ?: ORDER(a->address, b->address) ?: ORDER(b->typed.label, a->typed.label)
             ?: ORDER(a->order, b->order));

/* A line of the text, and of the input as it was given. */
typedef struct line_pair {
    const char *text, *text_end, *original, *original_end;
    uint64_t number;
} line_pair;

/* A copy with one space for each run of white space outside quotes, and nothing that a terminal would act on.
 * NULL: no memory */
static char *tidy(arena *memory, const char *text, size_t n)
{
    char *copy = arena_alloc_raw(memory, n + 1);
    size_t used = 0;
    bool quoted = false;
    for (size_t i = 0; i < n && copy; i++) {
        char c = text[i] == '\t' || text[i] == '\n' ? ' ' : text[i];
        quoted ^= c == '"';
        if (c == ' ' && !quoted && used && copy[used - 1] == ' ')
            continue;
        copy[used++] = (unsigned char)c < ' ' || c == 0x7f ? '?' : c;
    }
    if (copy)
        copy[used] = '\0';
    return copy;
}

static const char *end_of_line(const char *at, const char *end)
{
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    return newline ? newline : end;
}

static void next_line(line_pair *l, const char *text_end, const char *original_end)
{
    l->text = l->text_end < text_end ? l->text_end + 1 : text_end;
    l->text_end = end_of_line(l->text, text_end);
    l->original = l->original_end < original_end ? l->original_end + 1 : original_end;
    l->original_end = end_of_line(l->original, original_end);
    l->number++;
}

/* What stands behind the last statement of the line. */
static const char *comment(const input *in, const line_pair *l, size_t end, bool *failed)
{
    size_t whole = (size_t)(l->original_end - l->original);
    if (end > whole || memcmp(l->original, l->text, end))
        return NULL;
    const char *rest = l->original + end;
    size_t length = whole - end;
    tacho_str_trim(&rest, &length);
    if (!length || !strchr("#/;", *rest) || (*rest == ';' && length == 1))
        return NULL;
    char *copy = tidy(&in->out->source, rest, length);
    *failed |= !copy;
    return copy;
}

static bool is_typed(const tacho_statement *s, const char *text)
{
    if (s->kind == TACHO_STATEMENT_LABEL)
        return !tacho_starts_with(text, INPUT_LABEL);
    return s->kind == TACHO_STATEMENT_INSTRUCTION && s->length;
}

/* The statement as it is shown: "lock; incl x" is one, without its semicolon. */
static const char *statement_text(const input *in, const char *at, size_t n, bool *failed)
{
    char *copy = tidy(&in->out->source, at, n);
    *failed |= !copy;
    char *semicolon = copy ? strchr(copy, ';') : NULL;
    if (semicolon && !strchr(copy, '"')) {
        char *rest = semicolon + 1;
        while (*rest == ' ')
            rest++;
        while (semicolon > copy && semicolon[-1] == ' ')
            semicolon--;
        *semicolon++ = ' ';
        memmove(semicolon, rest, strlen(rest) + 1);
    }
    return copy;
}

static int keep_typed(const input *in, const tacho_str *text, const tacho_assembly *a)
{
    input_code *code = in->out;
    const char *text_end = text->data + text->length, *original_end = code->data + code->size;
    TACHO_MEM_FREED placed *list = tacho_mem_zalloc(a->statement_count + 1, sizeof *list);
    size_t count = 0;
    bool failed = !list;
    line_pair l = {text->data, end_of_line(text->data, text_end), code->data,
                   end_of_line(code->data, original_end), 1};
    for (size_t i = 0; i < a->statement_count && !failed; i++) {
        const tacho_statement *s = &a->statements[i];
        while (l.number < s->line && l.text < text_end)
            next_line(&l, text_end, original_end);
        size_t start = s->column - 1u, end = start + s->text_length;
        if (s->line != l.number || end > (size_t)(text_end - l.text) || s->section >= a->section_count ||
            !is_typed(s, l.text + start))
            continue;
        bool last = i + 1 == a->statement_count || a->statements[i + 1].line != s->line;
        list[count] = (placed){.section = s->section, .address = s->offset, .order = i};
        list[count++].typed = (tacho_typed){
            .address = a->sections[s->section].place + s->offset,
            .line = s->line,
            .text = statement_text(in, l.text + start, s->text_length, &failed),
            .comment = last && s->kind == TACHO_STATEMENT_INSTRUCTION ? comment(in, &l, end, &failed) : NULL,
            .syntax = (uint8_t)s->syntax,
            .label = s->kind == TACHO_STATEMENT_LABEL};
    }
    code->typed = failed ? NULL : arena_alloc_raw(&code->source, (count + 1) * sizeof *code->typed);
    code->typed_in =
        failed ? NULL : arena_alloc(&code->source, (a->section_count + 1) * sizeof *code->typed_in);
    failed |= !code->typed || !code->typed_in;
    for (size_t i = 0; i < a->section_count && !failed; i++) {
        code->typed_in[i].section = arena_text(&code->source, a->sections[i].name);
        failed |= !code->typed_in[i].section;
    }
    if (!failed) {
        code->typed_in_count = a->section_count;
        tacho_sort(list, count, sizeof *list, by_place);
    }
    for (size_t i = 0; i < count && !failed; i++) {
        input_typed *in_section = &code->typed_in[list[i].section];
        in_section->first = in_section->count ? in_section->first : i;
        in_section->count++;
        code->typed[i] = list[i].typed;
    }
    return failed ? tacho_no_memory(in->err) : 0;
}

/* By its name; the assembler that made the image may have numbered it otherwise. */
const tacho_typed *input_source_of(const input *in, const input_section *section, size_t *count)
{
    const input_code *code = in->out;
    const size_t usual = section->index - 1;
    size_t at = 0;
    *count = code->typed && !code->typed_in_count;
    if (*count)
        return code->typed;
    if (usual < code->typed_in_count && !strcmp(code->typed_in[usual].section, section->name))
        at = usual;
    while (at < code->typed_in_count && strcmp(code->typed_in[at].section, section->name))
        at++;
    if (at == code->typed_in_count)
        return NULL;
    *count = code->typed_in[at].count;
    return *count ? code->typed + code->typed_in[at].first : NULL;
}

/* Statements around region markers are separated by what is no comment in any syntax. */
static char *with_separators(const tacho_str *text)
{
    char *copy = tacho_mem_strndup(text->data ? text->data : "", text->length);
    size_t n = strlen(";" INPUT_LABEL);
    for (char *at = copy; at && (at = memmem(at, text->length - (size_t)(at - copy), ";" INPUT_LABEL, n));) {
        *at = '\f';
        at += n;
        while (*at && *at != ';' && *at != '\n')
            at++;
        if (*at == ';')
            *at = '\f';
    }
    return copy;
}

static int keep_places(const input *in, const tacho_assembly *a)
{
    input_code *code = in->out;
    code->places = arena_alloc(&code->source, a->section_count + 1);
    if (!code->places)
        return tacho_no_memory(in->err);
    code->place_count = a->section_count + 1;
    for (size_t i = 0; i < a->section_count; i++)
        code->places[i + 1] = a->sections[i].place;
    return 0;
}

static int take(const input *in, const tacho_str *text, const tacho_assembly *a, bool lines, unsigned what,
                char **object, size_t *object_size)
{
    const bool keeps = what & INPUT_KEEPS_TYPED && in->options->keep_source;
    int result = (keeps ? keep_typed(in, text, a) : 0) ?: keep_places(in, a);
    if (!result && what & INPUT_WARNS && a->note)
        result = input_warn(in, "%s", a->note);
    return result ? result : input_write_object(in, a, lines, object, object_size);
}

bool input_describe_source(const input *in, const char *text, size_t size, char *out, size_t out_size)
{
    const language *l = tacho_language_of_name(in->name);
    bool file = strcmp(in->name, "standard input") != 0;
    const char *to_text;
    if (!l)
        l = tacho_language_of_text(text, size);
    if (!l)
        return false;
    if (!l->command)
        snprintf(out, out_size, "this is %s; build it, and give the executable, with --symbol or --loops",
                 l->name);
    else if (file && (to_text = strstr(l->command, " -S -o -")))
        snprintf(out, out_size, "this is %s; compile it: tacho predict --cc '%.*s' %.100s", l->name,
                 (int)(to_text - l->command), l->command, in->name);
    else
        snprintf(out, out_size, "this is %s; compile it: %s %s%.100s | tacho predict -", l->name, l->command,
                 file ? "" : l->from_input, file ? in->name : "-");
    return true;
}

/* The first problem, as the message of a failure; what would have been right, where that can be guessed. */
static int report(const input *in, const tacho_assembly *a, const tacho_str *text)
{
    const tacho_problem *p = &a->problems[0];
    char source[300];
    int code = p->code == TACHO_ERR_UNSUPPORTED ? TACHO_ERR_INPUT : p->code;
    if (strstr(p->message, INPUT_LABEL))
        return input_fail(in, TACHO_ERR_INPUT, p->line, -1,
                          "a region marker stands in the middle of a statement");
    if (p->code != TACHO_ERR_UNSUPPORTED &&
        input_describe_source(in, in->out->data, in->out->size, source, sizeof source))
        return input_fail(in, TACHO_ERR_INPUT, 0, -1, "%s", source);
    const char *hint =
        p->code == TACHO_ERR_INPUT ? input_assembly_hint(in, text->data, text->length, true) : "";
    return input_fail(in, code, p->line, -1, "column %u: %s%s", p->column, p->message, hint);
}

/* For who reads regions it is a note of its own, else a warning among others. */
static int say_who(const input *in, const tacho_problem *p, bool regions)
{
    static const char format[] = "line %llu: %s; the GNU assembler reads this text instead";
    unsigned long long line = p->line;
    if (!regions)
        return input_warn(in, format, line, p->message);
    size_t size = strlen(p->message) + sizeof format + 24;
    char *note = arena_alloc_raw(&in->out->source, size);
    if (!note)
        return tacho_no_memory(in->err);
    snprintf(note, size, format, line, p->message);
    in->out->code.assembler_note = note;
    return 0;
}

/* Of text that the GNU assembler has read nothing is kept but its syntax, in which the code is shown: a
 * statement behind all instructions. */
static int keep_syntax(const input *in, const tacho_str *text)
{
    const tacho_syntax asked = in->options->syntax;
    const bool intel = memmem(text->data, text->length, ".intel_syntax", strlen(".intel_syntax")) != NULL;
    in->out->typed = arena_alloc(&in->out->source, sizeof *in->out->typed);
    if (!in->out->typed)
        return tacho_no_memory(in->err);
    in->out->typed->address = UINT64_MAX;
    in->out->typed->syntax = (uint8_t)(asked ? asked : intel ? TACHO_SYNTAX_INTEL : TACHO_SYNTAX_ATT);
    return 0;
}

static int by_gnu(const input *in, const tacho_str *text, bool lines, unsigned what, char **object,
                  size_t *object_size)
{
    if (what & INPUT_KEEPS_TYPED && in->options->keep_source && keep_syntax(in, text))
        return TACHO_ERR_MEMORY;
    return input_run_assembler(in, text->data, text->length, lines, object, object_size);
}

/* What the library refuses the GNU assembler may take: then it says so. */
static int refused(const input *in, const tacho_assembly *a, const tacho_str *text, bool lines, unsigned what,
                   bool regions, char **object, size_t *object_size)
{
    tacho_error err = {.message = ""};
    const input other = {in->name, in->options, &err, in->out};
    const tacho_problem *p = &a->problems[0];
    if (in->options->assembler == TACHO_ASSEMBLER_OWN || !input_has_assembler())
        return report(in, a, text);
    int result = by_gnu(&other, text, lines, what, object, object_size);
    if (!result && what & INPUT_WARNS && say_who(in, p, regions)) {
        tacho_mem_free(*object);
        *object = NULL;
        return TACHO_ERR_MEMORY;
    }
    if (!result)
        return 0;
    /* of a macro, what is wrong is what the other says */
    if (result == TACHO_ERR_MEMORY || result == TACHO_ERR_LIMIT || p->code == TACHO_ERR_UNSUPPORTED) {
        if (in->err)
            *in->err = err;
        return result;
    }
    return report(in, a, text);
}

int input_assemble(const input *in, const tacho_str *text, input_lines lines, unsigned what, char **object,
                   size_t *object_size)
{
    tacho_assemble_options o = TACHO_ASSEMBLE_OPTIONS_INIT;
    tacho_assembly *a = NULL;
    tacho_error err = {.message = ""};
    bool of_text = lines == INPUT_LINES_OF_TEXT;
    tacho_assembler by = in->options->assembler;
    /* the debug information of compilers says more than lines: calls that were inlined */
    if (by == TACHO_ASSEMBLER_GNU ||
        (by == TACHO_ASSEMBLER_AUTO && lines == INPUT_LINES_OF_SOURCE && input_has_assembler()))
        return by_gnu(in, text, of_text, what, object, object_size);
    o.syntax = in->options->syntax;
    TACHO_MEM_FREED char *copy = with_separators(text);
    if (!copy)
        return tacho_no_memory(in->err);
    int result = tacho_assemble(&a, copy, text->length, &o, &err);
    if (!result)
        result = take(in, text, a, of_text, what, object, object_size);
    else if (a)
        result = refused(in, a, text, of_text, what, lines == INPUT_NO_LINES, object, object_size);
    else if (result == TACHO_ERR_MEMORY)
        result = tacho_no_memory(in->err);
    else
        result = input_fail(in, result, 0, -1, "%s", err.message);
    tacho_assembly_free(a);
    return result;
}
