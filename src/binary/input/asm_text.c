/* asm_text.c - comment markers in assembly text: "# LLVM-MCA-BEGIN name", "# OSACA-BEGIN" and their ends.
 *
 * Each marker becomes a label in its place, so that assembling once tells the offsets of all regions, and
 * the line numbers of the assembler's messages stay those of the user's text. The rules about names and
 * overlaps are llvm-mca's. Comments are left out, and with them whatever bytes are in them: clang -g writes
 * zero bytes there. Directives that would make the assembler read files are refused; those that a
 * macro hides are caught by the limit on open files under which the assembler runs. */
#include <string.h>

#include "base/mem.h"
#include "binary/input/input.h"

typedef struct scanner {
    const input *in;
    input_text *out;
    const char *start, *at, *end;
    uint64_t line;
    bool line_empty; /* nothing but white space so far on this line */
    int open;        /* the regions not closed yet: head of a list, -1 none */
    int open_count;
} scanner;

enum {
    MAX_OPEN = 1000
};

static const struct {
    const char *word;
    bool begin;
} words[] = {{"LLVM-MCA-BEGIN", true}, {"LLVM-MCA-END", false}, {"OSACA-BEGIN", true}, {"OSACA-END", false}};

static const char *line_end(const scanner *s)
{
    const char *newline = memchr(s->at, '\n', (size_t)(s->end - s->at));
    return newline ? newline : s->end;
}

/* Whether the comment text at `c` starts with a marker word; then its kind and name. */
static bool marker_at(const scanner *s, const char *c, bool *begin, const char **name, size_t *name_length)
{
    const char *end = memchr(c, '\n', (size_t)(s->end - c));
    if (!end)
        end = s->end;
    while (c < end && (*c == ' ' || *c == '\t'))
        c++;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t n = strlen(words[i].word);
        if ((size_t)(end - c) < n || !tacho_str_same_n(c, words[i].word, n) ||
            (c + n < end && input_is_word(c[n])))
            continue;
        *begin = words[i].begin;
        *name = c + n;
        *name_length = (size_t)(end - *name);
        const char *close = memmem(*name, *name_length, "*/", 2);
        if (close)
            *name_length = (size_t)(close - *name);
        tacho_str_trim(name, name_length);
        return true;
    }
    return false;
}

/* The open region of that name ("" for the anonymous one): where the list of open regions refers to it. */
static int *open_region(scanner *s, const char *name, size_t length)
{
    int *link = &s->open;
    while (*link >= 0) {
        input_marked *r = &s->out->regions[*link];
        if (strlen(r->name) == length && !memcmp(r->name, name, length))
            return link;
        link = &r->next_open;
    }
    return NULL;
}

static int begin_region(scanner *s, const char *name, size_t length)
{
    input_text *t = s->out;
    if (s->open_count == MAX_OPEN || t->region_count >= TACHO_MAX_REGIONS)
        return input_fail(s->in, TACHO_ERR_LIMIT, s->line, -1, "more than %d regions%s",
                          s->open_count == MAX_OPEN ? (int)MAX_OPEN : (int)TACHO_MAX_REGIONS,
                          s->open_count == MAX_OPEN ? " are open" : "");
    if (tacho_mem_grow(&t->regions, &t->region_capacity, t->region_count + 1, sizeof *t->regions))
        return tacho_no_memory(s->in->err);
    char *copy = tacho_mem_strndup(name, length);
    if (!copy)
        return tacho_no_memory(s->in->err);
    t->regions[t->region_count] = (input_marked){copy, s->line, t->label_count, -1, s->open};
    s->open = (int)t->region_count++;
    s->open_count++;
    return 0;
}

static int end_region(scanner *s, const char *name, size_t length, int *link)
{
    input_text *t = s->out;
    if (!link && !length && s->open_count == 1) /* an end without a name closes the only open region */
        link = &s->open;
    if (!link && !length && !t->region_count) { /* an end alone: from the start of the text */
        int result = begin_region(s, "", 0);
        if (result)
            return result;
        t->regions[0].begin = -1;
        t->regions[0].line = 1;
        link = &s->open;
        if (input_warn(s->in,
                       "the end marker on line %llu has no begin marker; its region is all that comes before",
                       (unsigned long long)s->line))
            return TACHO_ERR_MEMORY;
    }
    if (!link && length)
        return input_fail(s->in, TACHO_ERR_INPUT, s->line, -1,
                          "this end marker closes no open region named '%.*s'",
                          (int)(length < 80 ? length : 80), name);
    if (!link)
        return input_fail(s->in, TACHO_ERR_INPUT, s->line, -1,
                          s->open_count
                              ? "several regions are open: the end marker must name the one that ends"
                              : "this end marker has no begin marker");
    t->regions[*link].end = t->label_count;
    *link = t->regions[*link].next_open;
    s->open_count--;
    return 0;
}

/* Handles the marker of a comment and puts a label in its place. */
static int put_marker(scanner *s, bool begin, const char *name, size_t length)
{
    int *link = open_region(s, name, length);
    if (begin && link)
        return input_fail(s->in, TACHO_ERR_INPUT, s->line, -1,
                          length ? "a region of this name is already open"
                                 : "regions that overlap must have names, and this one has none");
    int result = begin ? begin_region(s, name, length) : end_region(s, name, length, link);
    if (!result)
        tacho_str_printf(&s->out->text, ";" INPUT_LABEL "%d:;", s->out->label_count++);
    return result;
}

/* A comment up to the end of the line: only a marker in it matters. */
static int line_comment(scanner *s, size_t introducer)
{
    bool begin;
    const char *name;
    size_t length;
    int result = 0;
    if (marker_at(s, s->at + introducer, &begin, &name, &length))
        result = put_marker(s, begin, name, length);
    s->at = line_end(s);
    return result;
}

static int block_comment(scanner *s)
{
    bool begin;
    const char *name;
    size_t length;
    int result = 0;
    if (marker_at(s, s->at + 2, &begin, &name, &length))
        result = put_marker(s, begin, name, length);
    const char *close = memmem(s->at + 2, (size_t)(s->end - s->at - 2), "*/", 2);
    const char *stop = close ? close + 2 : s->end;
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
    bool begin;
    const char *name;
    size_t length, rest = (size_t)(s->end - s->at);
    *introducer = *s->at == ';' ? 1 : 2;
    if (*s->at == '/' && (rest < 2 || s->at[1] != '/'))
        return false;
    return (*s->at == '/' && s->line_empty) || marker_at(s, s->at + *introducer, &begin, &name, &length);
}

/* "#1}" in a name that a demangler wrote: {lambda()#1} */
static bool is_in_name(const scanner *s)
{
    const char *c = s->at + 1;
    while (c < s->end && *c >= '0' && *c <= '9')
        c++;
    return c > s->at + 1 && c < s->end && *c == '}';
}

static int step(scanner *s)
{
    char c = *s->at;
    size_t introducer;
    if (c == '#' && !is_in_name(s))
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
    scanner s = {in, out, text, text, text + size, 1, true, -1, 0};
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
