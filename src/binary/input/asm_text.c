/* asm_text.c - comment markers in assembly text: "# LLVM-MCA-BEGIN name", "# OSACA-BEGIN" and their ends.
 *
 * Each marker becomes a label in its place, so that assembling once tells the offsets of all regions, and
 * the line numbers of the assembler's messages stay those of the user's text. The rules about names and
 * overlaps are llvm-mca's. Comments are left out, and with them whatever bytes are in them: clang -g writes
 * zero bytes there. Directives that would make the assembler read files are refused; those that a
 * macro hides are caught by the limit on open files under which the assembler runs. */

#include "base/mem.h"
#include "binary/input/input.h"
#include "x86/assemble/language.h"
#include "x86/assemble/region_markers.h"

typedef struct scanner {
    const input *in;
    input_text *out;
    const char *start, *at, *end;
    uint64_t line;
    bool line_empty; /* nothing but white space so far on this line */
    bool listing;    /* block comments end with their line, as source code is shown in part */
    region_list list;
} scanner;

static const char *line_end(const scanner *s)
{
    const char *newline = memchr(s->at, '\n', (size_t)(s->end - s->at));
    return newline ? newline : s->end;
}

static int add_region(scanner *s, const region_marker *m, uint64_t line, int begin)
{
    input_text *t = s->out;
    if (t->region_count >= TACHO_MAX_REGIONS)
        return input_fail(s->in, TACHO_ERR_LIMIT, s->line, -1, "more than %d regions",
                          (int)TACHO_MAX_REGIONS);
    if (tacho_mem_grow(&t->regions, &t->region_capacity, t->region_count + 1, sizeof *t->regions))
        return tacho_no_memory(s->in->err);
    char *copy = tacho_mem_strndup(m->name, m->length);
    if (!copy)
        return tacho_no_memory(s->in->err);
    t->regions[t->region_count++] = (input_marked){copy, line, begin, -1};
    return 0;
}

/* Handles the marker of a comment and puts a label in its place. */
static int put_marker(scanner *s, const region_marker *m)
{
    tacho_error err = {.message = ""};
    size_t number = 0;
    region_step step = tacho_region_step(&s->list, m, &number, &err);
    int result = 0;
    if (step == REGION_WRONG)
        return input_fail(s->in, err.code, s->line, -1, "%s", err.message);
    if (step != REGION_ENDS)
        result =
            step == REGION_BEGINS ? add_region(s, m, s->line, s->out->label_count) : add_region(s, m, 1, -1);
    if (!result && step == REGION_ENDS_FIRST &&
        input_warn(s->in,
                   "the end marker on line %llu has no begin marker; its region is all that comes before",
                   (unsigned long long)s->line))
        result = TACHO_ERR_MEMORY;
    if (result)
        return result;
    if (step != REGION_BEGINS)
        s->out->regions[number].end = s->out->label_count;
    tacho_str_printf(&s->out->text, ";" INPUT_LABEL "%d:;", s->out->label_count++);
    return 0;
}

/* A comment up to the end of the line: only a marker in it matters. */
static int line_comment(scanner *s, size_t introducer)
{
    region_marker m;
    int result = tacho_region_marker(s->at + introducer, s->end, &m) ? put_marker(s, &m) : 0;
    s->at = line_end(s);
    return result;
}

static int block_comment(scanner *s)
{
    region_marker m;
    int result = tacho_region_marker(s->at + 2, s->end, &m) ? put_marker(s, &m) : 0;
    const char *end = s->listing ? line_end(s) : s->end;
    const char *close = memmem(s->at + 2, (size_t)(end - s->at - 2), "*/", 2);
    const char *stop = close ? close + 2 : end;
    tacho_str_putc(&s->out->text, ' ');
    for (; s->at < stop; s->at++)
        if (*s->at == '\n') {
            tacho_str_putc(&s->out->text, '\n');
            s->line++;
        }
    return result;
}

static bool ends_quoted(char c)
{
    return c == '\n' || !c;
}

/* "..." and 'c: copied as they are, up to the end of the line, or a zero byte, at most. */
static void quoted(scanner *s)
{
    const char *c = s->at + 1;
    if (*s->at == '"') {
        while (c < s->end && *c != '"' && !ends_quoted(*c))
            c += *c == '\\' && c + 1 < s->end && !ends_quoted(c[1]) ? 2 : 1;
        if (c < s->end && *c == '"')
            c++;
    } else if (c < s->end && !ends_quoted(*c)) {
        c += *c == '\\' && c + 1 < s->end && !ends_quoted(c[1]) ? 2 : 1;
        if (c < s->end && *c == '\'')
            c++;
    }
    tacho_str_append(&s->out->text, s->at, (size_t)(c - s->at));
    s->at = c;
}

/* Directives of clang's own that the GNU assembler does not know; they make no code. */
static bool is_left_out(const char *word, size_t length)
{
    static const char *const unknown[] = {".addrsig", ".addrsig_sym"};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        if (length == strlen(unknown[i]) && tacho_str_same_n(word, unknown[i], length))
            return true;
    return false;
}

/* Directives that no assembler is to follow. */
static const char *why_refused(const char *word, size_t length)
{
    static const struct {
        const char *name, *why;
    } list[] = {{".incbin",
                 ".incbin is refused: an input may not read other files; put the bytes in .byte directives"},
                {".include", ".include is refused: an input may not read other files; paste the text in"},
                {".code32", ".code32: only 64-bit code is read"},
                {".code16", ".code16: only 64-bit code is read"},
                {".code16gcc", ".code16gcc: only 64-bit code is read"}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (length == strlen(list[i].name) && tacho_str_same_n(word, list[i].name, length))
            return list[i].why;
    return NULL;
}

/* A word: copied, unless it is a directive that is refused. */
static int word(scanner *s)
{
    const char *c = s->at;
    while (c < s->end && input_is_word(*c))
        c++;
    size_t n = (size_t)(c - s->at);
    const char *why = why_refused(s->at, n);
    if (why)
        return input_fail(s->in, TACHO_ERR_INPUT, s->line, -1, "%s", why);
    if (is_left_out(s->at, n)) {
        s->at = line_end(s);
        return 0;
    }
    tacho_str_append(&s->out->text, s->at, n);
    s->at = c;
    s->line_empty = false;
    return 0;
}

/* "//" starts a comment at the start of a line; ";" and a later "//" only before a marker word. */
static bool at_marker_comment(const scanner *s, size_t *introducer)
{
    region_marker m;
    size_t rest = (size_t)(s->end - s->at);
    *introducer = *s->at == ';' ? 1 : 2;
    if (*s->at == '/' && (rest < 2 || s->at[1] != '/'))
        return false;
    return (*s->at == '/' && s->line_empty) || tacho_region_marker(s->at + *introducer, s->end, &m);
}

static int step(scanner *s)
{
    char c = *s->at;
    size_t introducer;
    if (c == '#' && !tacho_is_in_name(s->at, s->end))
        return line_comment(s, 1);
    if ((c == '/' || c == ';') && at_marker_comment(s, &introducer))
        return line_comment(s, introducer);
    if (c == '/' && s->end - s->at >= 2 && s->at[1] == '*')
        return block_comment(s);
    if (input_is_word(c))
        return word(s);
    if (c == '"' || c == '\'') {
        s->line_empty = false;
        quoted(s);
        return 0;
    }
    if (!c)
        return input_fail(s->in, TACHO_ERR_INPUT, 0, s->at - s->start,
                          "neither an ELF file nor text: a zero byte; machine code is read with --raw");
    if (c == '\n') {
        s->line++;
        s->line_empty = true;
    } else if (c != ' ' && c != '\t') {
        s->line_empty = false;
    }
    tacho_str_putc(&s->out->text, c);
    s->at++;
    return 0;
}

int input_scan_text(const input *in, const char *text, size_t size, input_text *out)
{
    scanner s = {.in = in,
                 .out = out,
                 .start = text,
                 .at = text,
                 .end = text + size,
                 .line = 1,
                 .line_empty = true,
                 .listing = tacho_is_listing(text, size)};
    while (s.at < s.end) {
        int result = step(&s);
        if (result)
            return result;
    }
    tacho_str_putc(&out->text, '\n');
    for (size_t i = 0; i < out->region_count; i++)
        if (out->regions[i].end == -1 &&
            input_warn(in, "the region that begins on line %llu is not closed; it runs to the end",
                       (unsigned long long)out->regions[i].line))
            return TACHO_ERR_MEMORY;
    return out->text.failed ? tacho_no_memory(in->err) : 0;
}

void input_text_free(input_text *text)
{
    for (size_t i = 0; i < text->region_count; i++)
        tacho_mem_free(text->regions[i].name);
    tacho_mem_free(text->regions);
    tacho_str_free(&text->text);
    *text = (input_text){0};
}
