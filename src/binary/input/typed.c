/* typed.c - what was typed for each instruction of assembly text that the GNU assembler reads.
 *
 * Each statement that may make an instruction, and each label, gets a number. A label is put before it in the
 * text, with a record of that label's place and the number in a section of its own. So the assembler itself
 * tells where statements lie, also those that a macro or .rept repeats, and nothing else of the code changes.
 * Where the text does not assemble with these additions, it is assembled without them, and instructions are
 * disassembled. */
#include <gelf.h>
#include <libelf.h>

#include "base/mem.h"
#include "binary/input/input.h"

#define SECTION ".tacho_source"
#define HERE    "92337203"

enum {
    MAX_TEXT_BYTES = 16 << 20, /* the records make it several times as long */
    RECORD_BYTES = 12,
    RECORD_NUMBER = 8 /* the number's place in it */
};

typedef struct reader {
    const input *in;
    tacho_str *out;
    const char *original, *original_end; /* the line as typed, with its comment */
    uint64_t line;
    tacho_syntax syntax;
    bool after_prefix; /* the statement before was "lock" or the like alone */
    const char **macros;
    size_t macro_count, macro_capacity;
    bool failed; /* memory ran out */
} reader;

static size_t word_length(const char *text, size_t n)
{
    size_t k = 0;
    while (k < n && input_is_word(text[k]))
        k++;
    return k;
}

char *input_tidy(arena *memory, const char *text, size_t n)
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

static char *tidy(reader *r, const char *text, size_t n)
{
    char *copy = input_tidy(&r->in->out->source, text, n);
    r->failed |= !copy;
    return copy;
}

static tacho_typed *add_statement(reader *r, const char *text, size_t n, bool label)
{
    input_code *code = r->in->out;
    if (tacho_mem_grow(&code->statements, &code->statement_capacity, code->statement_count + 1,
                       sizeof *code->statements)) {
        r->failed = true;
        return NULL;
    }
    /* a macro's argument is not what the processor sees */
    bool argument = memchr(text, '\\', n) != NULL;
    tacho_str_printf(r->out, HERE ":.pushsection " SECTION ";.quad " HERE "b;.long %zu;.popsection;",
                     code->statement_count);
    tacho_typed *t = &code->statements[code->statement_count++];
    *t = (tacho_typed){.line = r->line,
                       .text = argument ? NULL : tidy(r, text, n),
                       .syntax = (uint8_t)r->syntax,
                       .label = label};
    return t;
}

/* The length of a label with its colon; 0: it is none. */
static size_t label_length(const char *text, size_t n)
{
    size_t k = 0;
    while (k < n && (input_is_word(text[k]) || (text[k] && strchr("\\@()", text[k]))))
        k++;
    size_t colon = k;
    while (colon < n && (text[colon] == ' ' || text[colon] == '\t'))
        colon++;
    return k && colon < n && text[colon] == ':' ? colon + 1 : 0;
}

static bool is_one_of(const char *text, size_t n, const char *const *words)
{
    for (; *words; words++)
        if (strlen(*words) == n && tacho_str_same_n(text, *words, n))
            return true;
    return false;
}

/* What assemblers take as a statement of its own before the instruction that it belongs to. */
static bool is_prefix(const char *text, size_t n)
{
    static const char *const prefixes[] = {"lock",   "rep",      "repe",     "repz", "repne",
                                           "repnz",  "xacquire", "xrelease", "bnd",  "notrack",
                                           "data16", "addr32",   "rex64",    NULL};
    return is_one_of(text, n, prefixes);
}

static bool is_macro(const reader *r, const char *text, size_t n)
{
    for (size_t i = 0; i < r->macro_count; i++)
        if (strlen(r->macros[i]) == n && tacho_str_same_n(r->macros[i], text, n))
            return true;
    return false;
}

static void directive(reader *r, const char *text, size_t n)
{
    size_t k = word_length(text, n);
    if (k == 13 && tacho_str_same_n(text, ".intel_syntax", k))
        r->syntax = TACHO_SYNTAX_INTEL;
    else if (k == 11 && tacho_str_same_n(text, ".att_syntax", k))
        r->syntax = TACHO_SYNTAX_ATT;
    if (k != 6 || !tacho_str_same_n(text, ".macro", k))
        return;
    const char *name = text + k;
    size_t rest = n - k;
    tacho_str_trim(&name, &rest);
    char *copy = tidy(r, name, word_length(name, rest));
    if (!copy || tacho_mem_grow(&r->macros, &r->macro_capacity, r->macro_count + 1, sizeof *r->macros)) {
        r->failed = true;
        return;
    }
    r->macros[r->macro_count++] = copy;
}

static bool is_instruction(const reader *r, const char *text, size_t n)
{
    static const char *const none[] = {"local", NULL}; /* .altmacro: it must stand first in a macro */
    size_t k = word_length(text, n), after = k;
    while (after < n && (text[after] == ' ' || text[after] == '\t'))
        after++;
    bool assignment = after < n && text[after] == '=';
    return *text != '"' && !assignment && !is_one_of(text, k, none) && !is_macro(r, text, k);
}

/* "lock" in one statement, what it locks in the next: one instruction. */
static void join(reader *r, const char *text, size_t n)
{
    tacho_typed *t = &r->in->out->statements[r->in->out->statement_count - 1];
    char *next = tidy(r, text, n);
    size_t size = (t->text ? strlen(t->text) : 0) + n + 2;
    char *both = arena_alloc_raw(&r->in->out->source, size);
    if (!next || !both) {
        r->failed = true;
        return;
    }
    snprintf(both, size, "%s %s", t->text ? t->text : "", next);
    t->text = memchr(text, '\\', n) ? NULL : both;
}

/* What stands behind the last statement of the line. `n`: of the line without it. */
static const char *comment(reader *r, const char *line, size_t n)
{
    while (n && (line[n - 1] == ' ' || line[n - 1] == '\t' || line[n - 1] == '\r'))
        n--;
    size_t whole = (size_t)(r->original_end - r->original);
    if (whole < n || memcmp(r->original, line, n))
        return NULL;
    const char *rest = r->original + n;
    size_t length = whole - n;
    tacho_str_trim(&rest, &length);
    return length && strchr("#/;", *rest) ? tidy(r, rest, length) : NULL;
}

/* A statement without what is around it. @return what was recorded of it, NULL: nothing */
static tacho_typed *statement(reader *r, const char *text, size_t n)
{
    size_t k;
    tacho_typed *made = NULL;
    tacho_str_trim(&text, &n);
    while ((k = label_length(text, n))) {
        bool marker = n > strlen(INPUT_LABEL) && !memcmp(text, INPUT_LABEL, strlen(INPUT_LABEL));
        if (!marker && !memchr(text, '\\', k))
            add_statement(r, text, k, true);
        tacho_str_append(r->out, text, k);
        tacho_str_putc(r->out, ' ');
        text += k;
        n -= k;
        tacho_str_trim(&text, &n);
    }
    if (n && *text == '.')
        directive(r, text, n);
    else if (n && is_instruction(r, text, n)) {
        if (r->after_prefix && r->in->out->statement_count)
            join(r, text, n);
        else
            made = add_statement(r, text, n, false);
        r->after_prefix = is_prefix(text, n);
    }
    tacho_str_append(r->out, text, n);
    return made;
}

/* The end of a statement: an unquoted semicolon, or the end of the line. */
static size_t statement_length(const char *text, size_t n)
{
    bool quoted = false;
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '"')
            quoted = !quoted;
        else if (text[i] == '\\' && quoted)
            i++;
        else if (text[i] == '\'' && !quoted)
            i += i + 1 < n && text[i + 1] == '\\' ? 2 : 1;
        else if (text[i] == ';' && !quoted)
            return i;
    }
    return n;
}

static void line(reader *r, const char *text, size_t n)
{
    size_t at = 0;
    while (at <= n) {
        size_t k = statement_length(text + at, n - at);
        tacho_typed *t = statement(r, text + at, k);
        at += k + 1;
        if (at <= n)
            tacho_str_putc(r->out, ';');
        else if (t)
            t->comment = comment(r, text, n);
    }
    tacho_str_putc(r->out, '\n');
}

static void number_statements(reader *r, const tacho_str *text)
{
    const char *original = r->in->out->data, *end = original + r->in->out->size;
    for (size_t at = 0; at < text->length && !r->failed; r->line++) {
        const char *start = text->data + at, *newline = memchr(start, '\n', text->length - at);
        size_t n = newline ? (size_t)(newline - start) : text->length - at;
        const char *original_newline = memchr(original, '\n', (size_t)(end - original));
        r->original = original;
        r->original_end = original_newline ? original_newline : end;
        line(r, start, n);
        at += n + 1;
        original = original_newline ? original_newline + 1 : end;
    }
}

int input_run_assembler_on_source(const input *in, const tacho_str *text, bool lines, char **object,
                                  size_t *object_size)
{
    TACHO_FREED tacho_str numbered = {0};
    reader r = {.in = in,
                .out = &numbered,
                .line = 1,
                .syntax = in->options->syntax == TACHO_SYNTAX_INTEL ? TACHO_SYNTAX_INTEL : TACHO_SYNTAX_ATT};
    bool numbers = in->options->keep_source && text->length <= MAX_TEXT_BYTES;
    if (numbers)
        number_statements(&r, text);
    tacho_mem_free(r.macros);
    if (numbered.failed || r.failed)
        return tacho_no_memory(in->err);
    const input quiet = {in->name, in->options, NULL, in->out};
    int result = TACHO_ERR_INPUT;
    if (numbers)
        result = input_run_assembler(&quiet, numbered.data, numbered.length, lines, object, object_size);
    if (result) {
        in->out->statement_count = 0;
        result = input_run_assembler(in, text->data, text->length, lines, object, object_size);
    }
    return result;
}

/* ---- what the assembler made of the records ---- */

typedef struct placed {
    size_t section;
    uint64_t address;
    size_t order;
    const tacho_typed *statement;
} placed;

/* Labels before the instruction that they stand at. */
ORDER_AS(by_place, placed,
         ORDER(a->section, b->section) ?: ORDER(a->address, b->address)
             ?: ORDER(b->statement->label, a->statement->label) ?: ORDER(a->order, b->order));

/* Of statements at one place the last one made the instruction; those before it made nothing. */
static bool is_overridden(const placed *p, const placed *next)
{
    return next && !p->statement->label && next->section == p->section && next->address == p->address;
}

static Elf_Scn *find_records(Elf *elf, Elf_Data **data)
{
    size_t names;
    GElf_Shdr h;
    if (elf_getshdrstrndx(elf, &names))
        return NULL;
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
        const char *name = gelf_getshdr(scn, &h) ? elf_strptr(elf, names, h.sh_name) : NULL;
        if (name && !strcmp(name, SECTION) && (*data = elf_getdata(scn, NULL)) && (*data)->d_buf)
            return scn;
    }
    return NULL;
}

static Elf_Data *find_relocations(Elf *elf, size_t section, size_t *symbols)
{
    GElf_Shdr h;
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));)
        if (gelf_getshdr(scn, &h) && h.sh_type == SHT_RELA && h.sh_info == section) {
            *symbols = h.sh_link;
            return elf_getdata(scn, NULL);
        }
    return NULL;
}

/* The i-th record's section, place and statement. @return whether it has them */
static bool place(const input *in, const input_image *image, Elf_Data *records, Elf_Data *relocations,
                  Elf_Data *symbols, size_t i, placed *out)
{
    GElf_Rela rela;
    GElf_Sym symbol;
    uint32_t number;
    if (!gelf_getrela(relocations, (int)i, &rela) || rela.r_offset > records->d_size ||
        records->d_size - rela.r_offset < RECORD_BYTES ||
        !gelf_getsym(symbols, (int)GELF_R_SYM(rela.r_info), &symbol))
        return false;
    memcpy(&number, (const char *)records->d_buf + rela.r_offset + RECORD_NUMBER, sizeof number);
    const input_section *section = input_find_section(image, symbol.st_shndx);
    if (!section || number >= in->out->statement_count)
        return false;
    *out = (placed){section->index, section->address + symbol.st_value + (uint64_t)rela.r_addend,
                    rela.r_offset, &in->out->statements[number]};
    return true;
}

static int keep(const input *in, const placed *list, size_t count)
{
    input_code *code = in->out;
    code->typed = arena_alloc_raw(&code->source, (count + 1) * sizeof *code->typed);
    code->typed_sections = arena_alloc_raw(&code->source, (count + 1) * sizeof *code->typed_sections);
    if (!code->typed || !code->typed_sections)
        return tacho_no_memory(in->err);
    for (size_t i = 0; i < count; i++) {
        if (is_overridden(&list[i], i + 1 < count ? &list[i + 1] : NULL))
            continue;
        code->typed[code->typed_count] = *list[i].statement;
        code->typed[code->typed_count].address = list[i].address;
        code->typed_sections[code->typed_count++] = list[i].section;
    }
    return 0;
}

int input_read_source(const input *in, const input_image *image)
{
    Elf_Data *records = NULL, *relocations = NULL, *symbols = NULL;
    size_t link = 0, count = 0;
    if (!in->out->statement_count)
        return 0;
    Elf_Scn *scn = find_records(image->elf, &records);
    if (scn)
        relocations = find_relocations(image->elf, elf_ndxscn(scn), &link);
    if (relocations)
        symbols = elf_getdata(elf_getscn(image->elf, link), NULL);
    if (!symbols)
        return 0;
    size_t all = relocations->d_size / gelf_fsize(image->elf, ELF_T_RELA, 1, EV_CURRENT);
    TACHO_MEM_FREED placed *list = tacho_mem_zalloc(all + 1, sizeof *list);
    if (!list)
        return tacho_no_memory(in->err);
    for (size_t i = 0; i < all; i++)
        count += place(in, image, records, relocations, symbols, i, &list[count]);
    tacho_sort(list, count, sizeof *list, by_place);
    return keep(in, list, count);
}

/* How many of them belong to sections before this one. */
static size_t count_before(const input_code *code, size_t section)
{
    size_t at;
    COUNT_BEFORE(at, code->typed_count, code->typed_sections[at] < section);
    return at;
}

const tacho_typed *input_source_of(const input *in, size_t section, size_t *count)
{
    size_t first = count_before(in->out, section);
    *count = count_before(in->out, section + 1) - first;
    return *count ? in->out->typed + first : NULL;
}
