/* assemble_text.c - assembly text to machine code, from end to end: the files of this folder in their order.
 */

#include "base/options_take.h"
#include "base/search.h"
#include "x86/assemble/assembling.h"
#include "x86/assemble/language.h"

OPTIONS_DEFINE(assemble, TACHO_ASSEMBLE_OPTIONS_INIT)

/* What a caller holds, and what it points into. */
typedef struct owned {
    tacho_assembly out; /* first: the public pointer is to this */
    arena memory;
} owned;

void *as_need(as_state *s, const void *memory)
{
    if (!memory && s->failed != TACHO_ERR_MEMORY)
        s->failed = tacho_no_memory(s->err);
    return (void *)memory;
}

bool as_grow(as_state *s, void *array, size_t *capacity, size_t count, size_t size)
{
    return as_need(s, tacho_mem_grow(array, capacity, count, size) ? NULL : array) != NULL;
}

void as_problem(as_state *s, int code, const char *at, size_t length, const char *format, ...)
{
    va_list args;
    if (s->failed || s->problem_count >= TACHO_ASSEMBLE_MAX_PROBLEMS)
        return;
    va_start(args, format);
    const char *message = as_need(s, arena_vformat(&s->memory, format, args));
    va_end(args);
    if (!message ||
        !as_grow(s, &s->problems, &s->problem_capacity, s->problem_count + 1, sizeof *s->problems))
        return;
    bool inside = at >= s->line_start && at <= s->end;
    s->problems[s->problem_count++] =
        (tacho_problem){.line = s->line,
                        .column = inside ? (uint32_t)(at - s->line_start + 1) : 1,
                        .length = length ? (uint32_t)length : 1,
                        .code = code,
                        .message = message};
}

/* ---- results ---- */

static const char *shown_name(as_state *s, const as_symbol *y)
{
    if (!y->name)
        return ".";
    const char *mark = strchr(y->name, '\001');
    return mark ? as_need(s, arena_text_n(&s->memory, y->name, (size_t)(mark - y->name))) : y->name;
}

static bool is_shown(const as_symbol *y)
{
    return y->name && !strchr(y->name, '\001') &&
           (y->kind != AS_SYMBOL_UNKNOWN || y->used || y->global || y->weak);
}

static tacho_assembled_symbol public_symbol(as_state *s, as_symbol *y)
{
    tacho_assembled_symbol out = {.name = shown_name(s, y),
                                  .section = TACHO_SECTION_NONE,
                                  .global = y->global || y->kind == AS_SYMBOL_UNKNOWN,
                                  .weak = y->weak,
                                  .function = y->function,
                                  .object = y->object};
    as_value v = y->value;
    if (y->kind == AS_SYMBOL_PLACE) {
        out.section = y->place.section;
        out.value = as_address(s, y->place);
    } else if (y->kind == AS_SYMBOL_VALUE && as_resolve(s, &v)) {
        const as_symbol *of = v.symbol != AS_NONE && v.minus == AS_NONE ? &s->symbols[v.symbol] : NULL;
        if (of && of->kind == AS_SYMBOL_PLACE) {
            out.section = of->place.section;
            out.value = as_address(s, of->place) + (uint64_t)v.number;
        } else if (v.symbol == AS_NONE && v.minus == AS_NONE) {
            out.section = TACHO_SECTION_ABSOLUTE;
            out.value = (uint64_t)v.number;
        }
    }
    as_value size = y->size;
    if (y->sized && as_resolve(s, &size)) {
        const as_symbol *a = size.symbol != AS_NONE ? &s->symbols[size.symbol] : NULL;
        const as_symbol *b = size.minus != AS_NONE ? &s->symbols[size.minus] : NULL;
        if (a && b && a->kind == AS_SYMBOL_PLACE && b->kind == AS_SYMBOL_PLACE)
            size.number += (int64_t)(as_address(s, a->place) - as_address(s, b->place));
        if (!a == !b && size.number > 0)
            out.size = (uint64_t)size.number;
    }
    return out;
}

/* Numbers of the symbols that are given out, by theirs. */
static uint32_t *give_symbols(as_state *s, owned *o, const tacho_assembled_fixup *fixups, size_t count)
{
    uint32_t *numbers = as_need(s, arena_alloc_raw(&s->memory, (s->symbol_count + 1) * sizeof *numbers));
    tacho_assembled_symbol *list = as_need(s, arena_alloc(&s->memory, (s->symbol_count + 1) * sizeof *list));
    if (!numbers || !list)
        return NULL;
    for (size_t i = 0; i < s->symbol_count; i++)
        numbers[i] = is_shown(&s->symbols[i]) ? 0 : AS_NONE;
    for (size_t i = 0; i < count; i++)
        if (fixups[i].symbol != AS_ABSOLUTE)
            numbers[fixups[i].symbol] = 0;
    size_t n = 0;
    for (size_t i = 0; i < s->symbol_count; i++)
        if (!numbers[i]) {
            list[n] = public_symbol(s, &s->symbols[i]);
            if (!list[n].name)
                return NULL;
            numbers[i] = (uint32_t)n++;
        }
    o->out.symbols = list;
    o->out.symbol_count = n;
    return numbers;
}

ORDER_BY_TWO(by_place, tacho_assembled_fixup, section, offset);

static void give_fixups(as_state *s, owned *o)
{
    tacho_assembled_fixup *list = as_need(s, arena_alloc(&s->memory, (s->fix_count + 1) * sizeof *list));
    size_t n = 0;
    if (!list)
        return;
    for (size_t i = 0; i < s->fix_count; i++)
        n += as_resolve_fix(s, &s->fixes[i], &list[n]) == 1;
    if (s->problem_count || s->failed)
        return;
    tacho_sort(list, n, sizeof *list, by_place);
    uint32_t *numbers = give_symbols(s, o, list, n);
    for (size_t i = 0; i < n && numbers; i++)
        if (list[i].symbol != AS_ABSOLUTE)
            list[i].symbol = numbers[list[i].symbol];
    o->out.fixups = list;
    o->out.fixup_count = n;
}

static void give_sections(as_state *s, owned *o)
{
    tacho_assembled_section *list = as_need(s, arena_alloc(&s->memory, s->section_count * sizeof *list));
    if (!list)
        return;
    for (size_t i = 0; i < s->section_count; i++) {
        as_section *from = &s->sections[i];
        list[i] = (tacho_assembled_section){.name = from->name,
                                            .bytes = from->bytes, /* which the result owns from now on */
                                            .byte_count = from->size,
                                            .alignment = 1u << from->power,
                                            .place = from->place,
                                            .executable = from->executable,
                                            .writable = from->writable,
                                            .zeros = from->zeros};
        from->bytes = NULL;
    }
    o->out.sections = list;
    o->out.section_count = s->section_count;
}

static void give_statements(as_state *s, owned *o)
{
    tacho_statement *list = as_need(s, arena_alloc_raw(&s->memory, (s->record_count + 1) * sizeof *list));
    if (!list)
        return;
    for (size_t i = 0; i < s->record_count; i++) {
        as_record *r = &s->records[i];
        list[i] = r->out;
        list[i].offset = as_address(s, r->start);
        list[i].length =
            r->end.section == r->start.section ? (uint32_t)(as_address(s, r->end) - list[i].offset) : 0;
    }
    o->out.statements = list;
    o->out.statement_count = s->record_count;
}

/* What there is to say of a listing that was not read in full. */
static void give_note(as_state *s, owned *o)
{
    char several[60] = "";
    if (!s->unread_count)
        return;
    if (s->unread_count > 1)
        snprintf(several, sizeof several, ", the first of %llu,", (unsigned long long)s->unread_count);
    o->out.note =
        as_need(s, arena_format(&s->memory,
                                "line %llu of the listing%s cannot be read and is left out; INT3 stands for "
                                "bytes that are missing",
                                (unsigned long long)s->unread_line, several));
}

/* ---- a run ---- */

static bool start(as_state *s, const char *text, size_t size)
{
    static const char name[] = ".text";
    char *copy = as_need(s, arena_text_n(&s->memory, text, size));
    if (!copy)
        return false;
    s->text = copy;
    s->line_start = copy;
    s->line = 1;
    s->end = copy + size;
    const char *zero = memchr(copy, '\0', size);
    if (zero) {
        for (const char *c = copy; c < zero; c++)
            if (*c == '\n') {
                s->line++;
                s->line_start = c + 1;
            }
        return as_refuse(s, TACHO_ERR_INPUT, zero, 1, "a zero byte; this is no text");
    }
    bool intel = s->syntax == TACHO_SYNTAX_INTEL || memmem(copy, size, ".intel_syntax", 13);
    s->dialect = s->options->dialect;
    if (!s->dialect)
        s->dialect = intel && !s->listing ? as_find_dialect(copy, size) : TACHO_DIALECT_GNU;
    bool semicolons = s->dialect >= TACHO_DIALECT_NASM ||
                      (intel && !s->listing && s->options->dialect == TACHO_DIALECT_AUTO &&
                       as_semicolon_comments(copy, size));
    as_blank_comments(copy, size, semicolons, s->listing);
    as_section_named(s, name, 5);
    if (s->failed)
        return false;
    s->sections[0].executable = true;
    return true;
}

/* A list that grew, in the result's memory. */
static void *given(as_state *s, const void *list, size_t bytes)
{
    return as_need(s, arena_grow(&s->memory, list, bytes, bytes + 1));
}

static void finish(as_state *s, owned *o)
{
    static void (*const steps[])(as_state *, owned *) = {give_fixups, give_sections, give_statements,
                                                         give_note};
    if (!s->failed && !s->problem_count)
        as_layout(s);
    for (size_t i = 0; i < sizeof steps / sizeof *steps && !s->failed && !s->problem_count; i++)
        steps[i](s, o);
    if (s->failed)
        return;
    if (s->problem_count)
        o->out = (tacho_assembly){.problems = given(s, s->problems, s->problem_count * sizeof *s->problems),
                                  .problem_count = s->problem_count};
    o->out.source_files = given(s, s->files, s->file_count * sizeof *s->files);
    o->out.source_file_count = s->file_count;
    o->out.syntax = s->first_syntax;
    o->out.dialect = s->dialect;
}

static void free_state(as_state *s)
{
    for (size_t i = 0; i < s->section_count; i++)
        TACHO_MEM_FREE(s->sections[i].bytes, s->sections[i].frags);
    TACHO_MEM_FREE(s->sections, s->symbols, s->fixes, s->records, s->problems, s->files);
    hash_index_free(&s->symbol_index);
}

/* @return 0 with *out, also where it has problems; negative without */
static int run(owned **out, const char *text, size_t size, const tacho_assemble_options *options,
               tacho_syntax syntax, bool listing, tacho_error *err)
{
    as_state s = {
        .options = options, .err = err, .syntax = syntax, .first_syntax = syntax, .listing = listing};
    owned *o = tacho_mem_zalloc(1, sizeof *o);
    *out = NULL;
    if (!o)
        return tacho_no_memory(err);
    if (start(&s, text, size))
        as_read(&s);
    finish(&s, o);
    o->memory = s.memory;
    free_state(&s);
    if (s.failed) {
        tacho_assembly_free(&o->out);
        return s.failed;
    }
    *out = o;
    return 0;
}

/* A text that is none of an assembler has one problem: that. What another assembler may read is none. */
static int not_assembly(owned *o, const char *text, size_t size, tacho_error *err)
{
    bool other = o->out.problems[0].code == TACHO_ERR_UNSUPPORTED;
    const language *l = other ? NULL : tacho_language_of_text(text, size);
    if (!l)
        return 0;
    tacho_problem *p = arena_alloc(&o->memory, sizeof *p);
    const char *message =
        arena_format(&o->memory, "this is %s, and no assembly: compile it first%s%s%s", l->name,
                     l->command ? " (" : "", l->command ? l->command : "", l->command ? " FILE)" : "");
    if (!p || !message)
        return tacho_no_memory(err);
    *p = (tacho_problem){.line = 1, .column = 1, .length = 1, .code = TACHO_ERR_INPUT, .message = message};
    o->out.problems = p;
    o->out.problem_count = 1;
    return tacho_error_set(err, TACHO_ERR_INPUT, "%s", message);
}

static int first_problem(owned *o, const char *text, size_t size, tacho_error *err)
{
    const tacho_assembly *a = &o->out;
    const tacho_problem *p = &a->problems[0];
    int other = not_assembly(o, text, size, err);
    if (other)
        return other;
    tacho_error_set(err, p->code, "line %llu: column %u: %s", (unsigned long long)p->line, p->column,
                    p->message);
    if (err)
        err->line = p->line;
    return p->code;
}

/* A register without '%' is read as a place of that name, which nothing defines: "pop rax". */
static bool takes_registers_for_symbols(const tacho_assembly *a)
{
    for (size_t i = 0; i < a->symbol_count; i++) {
        const tacho_assembled_symbol *y = &a->symbols[i];
        if (y->section == TACHO_SECTION_NONE && as_register(y->name, strlen(y->name)))
            return true;
    }
    return false;
}

int tacho_assemble(tacho_assembly **out, const char *text, size_t size, const tacho_assemble_options *options,
                   tacho_error *err)
{
    tacho_assemble_options o;
    owned *made = NULL, *other = NULL;
    *out = NULL;
    int result = OPTIONS_TAKE(assemble, &o, options, err);
    if (result)
        return result;
    if (o.syntax > TACHO_SYNTAX_ATT || o.dialect > TACHO_DIALECT_MSVC)
        return tacho_error_set(err, TACHO_ERR_USAGE, "no such syntax");
    if (size > TACHO_ASSEMBLE_MAX_TEXT)
        return tacho_error_set(err, TACHO_ERR_LIMIT, "more than %d MB of assembly text",
                               TACHO_ASSEMBLE_MAX_TEXT >> 20);
    bool bare = o.syntax == TACHO_SYNTAX_AUTO && !memchr(text, '%', size);
    bool listing = tacho_is_listing(text, size);
    bool intel = o.syntax == TACHO_SYNTAX_INTEL || (bare && listing);
    tacho_syntax first = intel ? TACHO_SYNTAX_INTEL : TACHO_SYNTAX_ATT;
    result = run(&made, text, size, &o, first, listing, err);
    if (result)
        return result;
    /* Intel syntax that nothing announces: no register has its '%' */
    if (bare && !intel && !memmem(text, size, "_syntax", 7) &&
        (made->out.problem_count || takes_registers_for_symbols(&made->out))) {
        result = run(&other, text, size, &o, TACHO_SYNTAX_INTEL, listing, err);
        if (result) {
            tacho_assembly_free(&made->out);
            return result;
        }
        bool better = other->out.problem_count <= made->out.problem_count;
        tacho_assembly_free(better ? &made->out : &other->out);
        made = better ? other : made;
    }
    *out = &made->out;
    if (!made->out.problem_count)
        return 0;
    result = first_problem(made, text, size, err);
    if (result == TACHO_ERR_MEMORY) {
        tacho_assembly_free(&made->out);
        *out = NULL;
    }
    return result;
}

void tacho_assembly_free(tacho_assembly *assembly)
{
    owned *o = (owned *)assembly;
    if (!o)
        return;
    for (size_t i = 0; i < o->out.section_count; i++)
        tacho_mem_free(o->out.sections[i].bytes);
    arena memory = o->memory;
    arena_free(&memory);
    tacho_mem_free(o);
}
