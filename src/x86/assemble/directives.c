/* directives.c - what begins with a dot: sections, data, alignment, names. What only matters to linkers,
 * debuggers and unwinders is passed over. Also what MSVC and NASM write in their place. */

#include "base/each.h"
#include "base/suggest.h"
#include "x86/assemble/assembling.h"

typedef struct directive directive;
typedef void directive_reader(as_state *s, const directive *d, as_cursor *c);
struct directive {
    const char *name;
    directive_reader *read;
    uint8_t value;
};

static bool take_comma(as_cursor *c)
{
    bool is = as_take(c, ',');
    as_skip_space(c);
    return is;
}

static bool at_end(as_cursor *c)
{
    as_skip_space(c);
    return c->at >= c->end;
}

/* A number that is known already. */
static bool read_constant(as_state *s, as_cursor *c, int64_t *out)
{
    as_value v;
    as_skip_space(c);
    const char *at = c->at;
    if (!as_expression(s, c, &v))
        return false;
    if (!as_is_number(s, &v) || v.first != ZYDIS_REGISTER_NONE)
        return as_refuse(s, TACHO_ERR_UNSUPPORTED, at, (size_t)(c->at - at),
                         "a number is expected that is known here");
    *out = v.number;
    return true;
}

/* A name, or one in quotes. */
static size_t read_word(as_cursor *c, const char **out)
{
    as_skip_space(c);
    const char *at = c->at;
    if (at < c->end && *at == '"') {
        const char *close = memchr(at + 1, '"', (size_t)(c->end - at - 1));
        *out = at + 1;
        c->at = close ? close + 1 : c->end;
        return (size_t)((close ? close : c->end) - at - 1);
    }
    while (c->at < c->end && *c->at != ',' && *c->at != ' ' && *c->at != '\t' && *c->at != '=')
        c->at++;
    *out = at;
    return (size_t)(c->at - at);
}

/* ---- sections ---- */

static void enter(as_state *s, uint32_t section)
{
    s->previous = s->section;
    s->section = section;
}

static bool begins(const char *name, size_t length, const char *with)
{
    size_t n = strlen(with);
    return length >= n && !memcmp(name, with, n) && (length == n || name[n] == '.' || name[n - 1] == '_');
}

/* What sections of these names are, where nothing is said. */
static void set_kind(as_section *section, const char *name, size_t n)
{
    section->executable = begins(name, n, ".text") || begins(name, n, ".init") || begins(name, n, ".fini") ||
                          begins(name, n, ".plt") || begins(name, n, ".gnu.linkonce.t");
    section->executable &= !begins(name, n, ".init_array") && !begins(name, n, ".fini_array");
    section->zeros = begins(name, n, ".bss") || begins(name, n, ".tbss") || begins(name, n, ".lbss");
    section->writable = section->zeros || begins(name, n, ".data") || begins(name, n, ".tdata") ||
                        begins(name, n, ".init_array") || begins(name, n, ".fini_array");
    section->passed_over = !section->executable && !section->writable && !begins(name, n, ".rodata") &&
                           !begins(name, n, ".eh_frame") && !begins(name, n, ".gcc_except_table");
}

static uint32_t open_section(as_state *s, const char *name, size_t n)
{
    size_t before = s->section_count;
    uint32_t section = as_section_named(s, name, n);
    if (s->section_count > before)
        set_kind(&s->sections[section], name, n);
    return section;
}

static void read_standard(as_state *s, const directive *d, as_cursor *c)
{
    int64_t part = 0;
    if (!at_end(c) && !read_constant(s, c, &part))
        return;
    if (part) {
        as_problem(s, TACHO_ERR_UNSUPPORTED, c->at - 1, 1, "subsections are not read");
        return;
    }
    enter(s, open_section(s, d->name, strlen(d->name)));
}

static bool push(as_state *s, const char *at)
{
    if (s->stacked == TACHO_ASSEMBLE_MAX_NESTING)
        return as_refuse(s, TACHO_ERR_LIMIT, at, 1, "more than %d sections pushed",
                         TACHO_ASSEMBLE_MAX_NESTING);
    s->stack[s->stacked][0] = s->section;
    s->stack[s->stacked++][1] = s->previous;
    return true;
}

/* value 1: .pushsection */
static void read_section(as_state *s, const directive *d, as_cursor *c)
{
    const char *name, *flags;
    const char *at = c->at;
    size_t n = read_word(c, &name), flag_count = 0;
    if (!n) {
        as_problem(s, TACHO_ERR_INPUT, at < s->end ? at : at - 1, 1, "the name of a section is missing");
        return;
    }
    if (d->value == 1 && !push(s, at))
        return;
    size_t before = s->section_count;
    uint32_t number = open_section(s, name, n);
    as_section *section = &s->sections[number];
    bool quoted = take_comma(c) && as_at(c, '"');
    if (quoted) {
        flag_count = read_word(c, &flags);
        if (s->section_count > before && flag_count < 20) {
            section->executable = memchr(flags, 'x', flag_count) != NULL;
            section->writable = memchr(flags, 'w', flag_count) != NULL;
            section->passed_over = memchr(flags, 'a', flag_count) == NULL || memchr(flags, 'e', flag_count);
        }
        if (take_comma(c) && c->end - c->at >= 7 && !memcmp(c->at + 1, "nobits", 6))
            section->zeros = true;
    }
    enter(s, number);
}

static void read_pop(as_state *s, const directive *d, as_cursor *c)
{
    if (!s->stacked) {
        as_problem(s, TACHO_ERR_INPUT, c->at, 1, ".popsection without .pushsection");
        return;
    }
    s->stacked--;
    s->section = s->stack[s->stacked][0];
    s->previous = s->stack[s->stacked][1];
}

static void read_previous(as_state *s, const directive *d, as_cursor *c)
{
    uint32_t now = s->section;
    s->section = s->previous;
    s->previous = now;
}

/* ---- data ---- */

/* value: bytes of each */
static void read_data(as_state *s, const directive *d, as_cursor *c)
{
    if (at_end(c))
        return;
    do {
        as_value v;
        const char *at = c->at;
        as_skip_space(c);
        if (d->value == 1 && as_at(c, '"')) {
            as_problem(s, TACHO_ERR_INPUT, at, 1, "a number is expected; text is for .ascii");
            return;
        }
        at = c->at;
        if (!as_expression(s, c, &v))
            return;
        if (v.first != ZYDIS_REGISTER_NONE || v.memory) {
            as_problem(s, TACHO_ERR_INPUT, at, (size_t)(c->at - at), "a register is no data");
            return;
        }
        uint8_t bytes[8];
        bool number = as_is_number(s, &v);
        for (unsigned i = 0; i < d->value; i++)
            bytes[i] = number ? (uint8_t)((uint64_t)v.number >> 8 * i) : 0;
        if (!number)
            as_add_fix(s, (as_fix){.place = as_here(s),
                                   .value = v,
                                   .column = (uint32_t)(at - s->line_start + 1),
                                   .size = d->value});
        as_emit(s, bytes, d->value);
    } while (!s->failed && take_comma(c));
}

static int escape(as_cursor *c)
{
    static const char names[] = "bfnrtv", values[] = "\b\f\n\r\t\v";
    char ch = *c->at;
    if (ch >= '0' && ch <= '7') {
        int value = 0;
        for (int i = 0; i < 3 && c->at < c->end && *c->at >= '0' && *c->at <= '7'; i++)
            value = value * 8 + *c->at++ - '0';
        return value & 0xff;
    }
    if (ch == 'x') {
        int value = 0;
        for (c->at++; c->at < c->end && strchr("0123456789abcdefABCDEF", *c->at) && *c->at; c->at++)
            value = (value * 16 + (*c->at <= '9' ? *c->at - '0' : tacho_lower(*c->at) - 'a' + 10)) & 0xff;
        return value;
    }
    c->at++;
    const char *known = strchr(names, ch);
    return known && ch ? values[known - names] : (unsigned char)ch;
}

/* value: 1: a zero byte behind each */
static void read_text(as_state *s, const directive *d, as_cursor *c)
{
    if (at_end(c))
        return;
    do {
        if (!as_at(c, '"')) {
            as_problem(s, TACHO_ERR_INPUT, c->at < c->end ? c->at : c->at - 1, 1,
                       "text in quotes is expected");
            return;
        }
        const char *open = c->at++;
        while (c->at < c->end && *c->at != '"') {
            uint8_t byte;
            if (*c->at == '\\' && c->at + 1 < c->end) {
                c->at++;
                byte = (uint8_t)escape(c);
            } else {
                byte = (uint8_t)*c->at++;
            }
            as_emit(s, &byte, 1);
        }
        if (c->at >= c->end) {
            as_problem(s, TACHO_ERR_INPUT, open, 1, "this text is not closed");
            return;
        }
        c->at++;
        if (d->value)
            as_emit_zeros(s, 1);
    } while (!s->failed && take_comma(c));
}

/* .zero, .skip: a count, and what it is filled with */
static void read_space(as_state *s, const directive *d, as_cursor *c)
{
    int64_t count, fill = 0;
    if (!read_constant(s, c, &count) || (take_comma(c) && !read_constant(s, c, &fill)))
        return;
    if (count < 0)
        count = 0;
    if (count > TACHO_ASSEMBLE_MAX_CODE) {
        as_problem(s, TACHO_ERR_LIMIT, c->at - 1, 1, "more than %d MB", TACHO_ASSEMBLE_MAX_CODE >> 20);
        return;
    }
    as_section *now = as_section_now(s);
    size_t before = now->size;
    as_emit_zeros(s, (size_t)count);
    if (fill && now->size == before + (size_t)count)
        memset(now->bytes + before, (int)fill, (size_t)count);
}

/* .fill count, size, value */
static void read_fill(as_state *s, const directive *d, as_cursor *c)
{
    int64_t count, size = 1, value = 0;
    if (!read_constant(s, c, &count) || (take_comma(c) && !as_at(c, ',') && !read_constant(s, c, &size)) ||
        (take_comma(c) && !read_constant(s, c, &value)))
        return;
    if (count < 0)
        count = 0;
    if (size < 0 || count > TACHO_ASSEMBLE_MAX_CODE) {
        as_problem(s, TACHO_ERR_INPUT, c->at - 1, 1, "the count or the size is out of range");
        return;
    }
    size = size > 8 ? 8 : size;
    uint8_t bytes[8] = {0};
    for (int i = 0; i < 4 && i < size; i++)
        bytes[i] = (uint8_t)((uint64_t)value >> 8 * i);
    for (int64_t i = 0; i < count && !s->failed; i++)
        as_emit(s, bytes, (size_t)size);
}

static void read_float(as_state *s, const directive *d, as_cursor *c)
{
    if (at_end(c))
        return;
    do {
        char text[64];
        const char *at;
        size_t n = read_word(c, &at);
        char *end;
        if (n > 2 && at[0] == '0' && strchr("fdeFDE", at[1])) { /* 0f1.5 */
            at += 2;
            n -= 2;
        }
        if (!n || n >= sizeof text) {
            as_problem(s, TACHO_ERR_INPUT, at < c->end ? at : at - 1, 1, "a number with a point is expected");
            return;
        }
        memcpy(text, at, n);
        text[n] = '\0';
        double value = strtod(text, &end);
        float single = (float)value;
        if (*end) {
            as_problem(s, TACHO_ERR_INPUT, at, n, "'%s' is no number", text);
            return;
        }
        as_emit(s, d->value == 4 ? (const void *)&single : (const void *)&value, d->value);
    } while (!s->failed && take_comma(c));
}

/* value: 1: signed */
static void read_leb(as_state *s, const directive *d, as_cursor *c)
{
    do {
        int64_t v;
        if (!read_constant(s, c, &v))
            return;
        for (bool more = true; more;) {
            uint8_t byte = v & 0x7f;
            bool sign = byte & 0x40;
            v = d->value ? v >> 7 : (int64_t)((uint64_t)v >> 7);
            more = d->value ? !((v == 0 && !sign) || (v == -1 && sign)) : v != 0;
            byte |= more ? 0x80 : 0;
            as_emit(s, &byte, 1);
        }
    } while (!s->failed && take_comma(c));
}

/* ---- places ---- */

enum {
    ALIGN_BYTES = 0,
    ALIGN_POWER = 1,
};

static bool power_of(int64_t bytes, unsigned *out)
{
    for (*out = 0; *out < 16; ++*out)
        if (bytes == (int64_t)1 << *out)
            return true;
    return !bytes;
}

/* value: 0 bytes, 1 power of 2; +2, +4: fill of so many bytes */
static void read_align(as_state *s, const directive *d, as_cursor *c)
{
    int64_t amount = 0, fill = 0, limit = 0;
    bool filled = false;
    unsigned power = 0;
    const char *at = c->at;
    if (!at_end(c) && !as_at(c, ',') && !read_constant(s, c, &amount))
        return;
    if (take_comma(c)) {
        filled = !at_end(c) && !as_at(c, ',');
        if (filled && !read_constant(s, c, &fill))
            return;
        if (take_comma(c) && !at_end(c) && !read_constant(s, c, &limit))
            return;
    }
    if ((d->value & ALIGN_POWER) && amount >= 0 && amount < 16)
        power = (unsigned)amount;
    else if ((d->value & ALIGN_POWER) || !power_of(amount, &power)) {
        as_problem(s, TACHO_ERR_INPUT, at < c->end ? at : at - 1, 1,
                   d->value & ALIGN_POWER ? "the alignment must be 0 to 15, a power of 2"
                                          : "the alignment must be a power of 2, at most 32768");
        return;
    }
    as_section *now = as_section_now(s);
    unsigned size = d->value & ~1u;
    if (now->passed_over)
        return;
    if (power > now->power)
        now->power = (uint8_t)power;
    if (!power)
        return;
    as_frag *f = as_add_frag(s, AS_FRAG_ALIGN, 0);
    if (!f)
        return;
    f->power = (uint8_t)power;
    f->limit = limit > 0 ? (uint64_t)limit : 0;
    f->code = now->executable && (!filled || (fill == 0x90 && !size));
    f->fill = (uint64_t)fill;
    f->fill_size = (uint16_t)(size ? size : 1);
    s->total += ((uint64_t)1 << power) - 1;
}

static void read_org(as_state *s, const directive *d, as_cursor *c)
{
    as_value v;
    int64_t fill = 0;
    if (!as_expression(s, c, &v) || (take_comma(c) && !read_constant(s, c, &fill)))
        return;
    as_frag *f = as_add_frag(s, AS_FRAG_SPACE, 0);
    if (!f)
        return;
    f->org = true;
    f->target = v;
    f->fill = (uint64_t)fill;
}

static void read_nops(as_state *s, const directive *d, as_cursor *c)
{
    int64_t count;
    if (!read_constant(s, c, &count))
        return;
    if (count < 0 || count > 1 << 20 || !at_end(c)) {
        as_problem(s, TACHO_ERR_UNSUPPORTED, c->at - 1, 1,
                   ".nops with more than a number, or too large a one");
        return;
    }
    for (; count > 0 && !s->failed; count -= 11) {
        uint8_t bytes[11];
        size_t n = count < 11 ? (size_t)count : 11;
        tacho_nops(bytes, n);
        as_emit(s, bytes, n);
    }
}

/* ---- names ---- */

enum {
    MARK_GLOBAL,
    MARK_WEAK
};

/* AS_NONE: there is none, or no memory */
static uint32_t read_symbol(as_state *s, as_cursor *c)
{
    const char *name;
    size_t n = read_word(c, &name);
    return n ? as_symbol_named(s, name, n) : AS_NONE;
}

static void read_marks(as_state *s, const directive *d, as_cursor *c)
{
    do {
        uint32_t symbol = read_symbol(s, c);
        if (symbol == AS_NONE)
            return;
        s->symbols[symbol].global = true;
        s->symbols[symbol].weak |= d->value == MARK_WEAK;
    } while (take_comma(c));
}

static void read_type(as_state *s, const directive *d, as_cursor *c)
{
    uint32_t symbol = read_symbol(s, c);
    if (symbol == AS_NONE)
        return;
    take_comma(c);
    as_skip_space(c);
    const char *rest = c->at;
    size_t length = (size_t)(c->end - rest);
    for (size_t i = 0; i + 4 <= length && i < 4; i++) {
        s->symbols[symbol].function |=
            tacho_str_same_n(rest + i, "func", 4) || tacho_str_same_n(rest + i, "STT_F", 5);
        s->symbols[symbol].object |=
            tacho_str_same_n(rest + i, "obje", 4) || tacho_str_same_n(rest + i, "STT_O", 5);
    }
}

static void read_size(as_state *s, const directive *d, as_cursor *c)
{
    uint32_t symbol = read_symbol(s, c);
    as_value v;
    if (symbol == AS_NONE || !take_comma(c) || !as_expression(s, c, &v))
        return;
    s->symbols[symbol].size = v;
    s->symbols[symbol].sized = true;
}

void as_assign(as_state *s, const char *name, size_t length, as_cursor *c)
{
    as_value v;
    if (length == 1 && *name == '.') {
        static const directive org = {".org", read_org, 0};
        read_org(s, &org, c);
        return;
    }
    uint32_t symbol = as_symbol_named(s, name, length);
    if (symbol == AS_NONE || !as_expression(s, c, &v))
        return;
    as_is_number(s, &v);
    as_symbol *y = &s->symbols[symbol];
    if (v.symbol == symbol || v.minus == symbol || v.first != ZYDIS_REGISTER_NONE ||
        y->kind == AS_SYMBOL_PLACE) {
        as_problem(s, TACHO_ERR_INPUT, name, length, "'%.*s' cannot be set to this",
                   (int)(length < 80 ? length : 80), name);
        return;
    }
    y->kind = AS_SYMBOL_VALUE;
    y->value = v;
}

static void read_set(as_state *s, const directive *d, as_cursor *c)
{
    const char *name;
    size_t n = read_word(c, &name);
    if (n && take_comma(c))
        as_assign(s, name, n, c);
    else
        as_problem(s, TACHO_ERR_INPUT, name < s->end ? name : name - 1, 1,
                   "a name, a comma and a value are expected");
}

/* .comm, .lcomm: room elsewhere */
static void read_common(as_state *s, const directive *d, as_cursor *c)
{
    const char *name;
    size_t n = read_word(c, &name);
    uint32_t symbol = n ? as_symbol_named(s, name, n) : AS_NONE;
    if (symbol == AS_NONE)
        return;
    if (!d->value) {
        s->symbols[symbol].object = true;
        return;
    }
    uint32_t was = s->section, before = s->previous;
    int64_t size = 0;
    enter(s, open_section(s, ".bss", 4));
    as_define_here(s, symbol, name, n);
    if (take_comma(c) && read_constant(s, c, &size) && size > 0 && size <= TACHO_ASSEMBLE_MAX_CODE)
        as_emit_zeros(s, (size_t)size);
    s->section = was;
    s->previous = before;
}

/* ---- modes and lines ---- */

static void read_syntax(as_state *s, const directive *d, as_cursor *c)
{
    s->syntax = (tacho_syntax)d->value;
    as_skip_space(c);
    bool none = c->end - c->at >= 8 && tacho_str_same_n(c->at, "noprefix", 8);
    if (s->syntax == TACHO_SYNTAX_ATT && none)
        as_problem(s, TACHO_ERR_UNSUPPORTED, c->at, 8, "AT&T syntax without '%%' is not read");
}

/* .file 1 "dir" "name" */
static void read_file(as_state *s, const directive *d, as_cursor *c)
{
    const char *parts[2] = {NULL, NULL};
    size_t lengths[2] = {0, 0};
    int64_t number;
    if (at_end(c) || *c->at < '0' || *c->at > '9' || !read_constant(s, c, &number) || number < 0 ||
        number > 65535)
        return;
    for (int i = 0; i < 2 && as_at(c, '"'); i++)
        lengths[i] = read_word(c, &parts[i]);
    if (!parts[0])
        return;
    while (s->file_count <= (size_t)number) {
        if (!as_grow(s, &s->files, &s->file_capacity, s->file_count + 1, sizeof *s->files))
            return;
        s->files[s->file_count++] = NULL;
    }
    bool both = parts[1] && lengths[1] && *parts[1] != '/';
    int last = parts[1] != NULL, front = both ? (int)lengths[0] : 0;
    s->files[number] = as_need(s, arena_format(&s->memory, "%.*s%s%.*s", front, parts[0], both ? "/" : "",
                                               (int)lengths[last], parts[last]));
}

static void read_loc(as_state *s, const directive *d, as_cursor *c)
{
    int64_t file, line;
    if (!read_constant(s, c, &file) || !read_constant(s, c, &line) || file < 0 || file > 65535 || line < 0 ||
        line > INT32_MAX)
        return;
    s->source_file = (uint32_t)file;
    s->source_line = (uint32_t)line;
}

static void read_code(as_state *s, const directive *d, as_cursor *c)
{
    as_problem(s, TACHO_ERR_UNSUPPORTED, s->line_start, 1, "%s: only 64-bit code is read", d->name);
}

static void read_refused(as_state *s, const directive *d, as_cursor *c)
{
    const char *at = c->at;
    while (at > s->line_start && at[-1] != '.')
        at--;
    as_problem(s, TACHO_ERR_UNSUPPORTED, at > s->line_start ? at - 1 : at, strlen(d->name),
               "%s: macros, repetitions and conditions are not read", d->name);
}

static void read_included(as_state *s, const directive *d, as_cursor *c)
{
    as_problem(s, TACHO_ERR_INPUT, c->at - 1, 1, "%s is refused: no other file is read", d->name);
}

static void pass_over(as_state *s, const directive *d, as_cursor *c)
{
    c->at = c->end;
}

/* clang-format off */
#define PAIR(first, second)          first, second
#define DIRECTIVE(does, name)        {#name, PAIR does}
#define DIRECTIVES(read, value, ...) EACH(DIRECTIVE, (read, value), __VA_ARGS__)

static const directive directives[] = {
    DIRECTIVES(read_standard, 0, .text, .data, .bss),
    DIRECTIVES(read_section, 0, .section),
    DIRECTIVES(read_section, 1, .pushsection),
    DIRECTIVES(read_pop, 0, .popsection),
    DIRECTIVES(read_previous, 0, .previous),
    DIRECTIVES(read_text, 0, .ascii),
    DIRECTIVES(read_text, 1, .asciz, .string),
    DIRECTIVES(read_space, 0, .zero, .skip, .space),
    DIRECTIVES(read_fill, 0, .fill),
    DIRECTIVES(read_float, 4, .float, .single),
    DIRECTIVES(read_float, 8, .double),
    DIRECTIVES(read_leb, 0, .uleb128),
    DIRECTIVES(read_leb, 1, .sleb128),
    DIRECTIVES(read_align, ALIGN_POWER, .p2align),
    DIRECTIVES(read_align, ALIGN_POWER | 2, .p2alignw),
    DIRECTIVES(read_align, ALIGN_POWER | 4, .p2alignl),
    DIRECTIVES(read_align, ALIGN_BYTES, .align, .balign),
    DIRECTIVES(read_align, ALIGN_BYTES | 2, .balignw),
    DIRECTIVES(read_align, ALIGN_BYTES | 4, .balignl),
    DIRECTIVES(read_org, 0, .org),
    DIRECTIVES(read_nops, 0, .nops),
    DIRECTIVES(read_marks, MARK_GLOBAL, .globl, .global),
    DIRECTIVES(read_marks, MARK_WEAK, .weak),
    DIRECTIVES(read_type, 0, .type),
    DIRECTIVES(read_size, 0, .size),
    DIRECTIVES(read_set, 0, .set, .equ, .equiv),
    DIRECTIVES(read_common, 0, .comm),
    DIRECTIVES(read_common, 1, .lcomm),
    DIRECTIVES(read_syntax, TACHO_SYNTAX_INTEL, .intel_syntax),
    DIRECTIVES(read_syntax, TACHO_SYNTAX_ATT, .att_syntax),
    DIRECTIVES(read_file, 0, .file),
    DIRECTIVES(read_loc, 0, .loc),
    DIRECTIVES(read_code, 0, .code32, .code16),
    DIRECTIVES(read_included, 0, .include, .incbin),
    DIRECTIVES(read_data, 1, .byte, .dc.b),
    DIRECTIVES(read_data, 2, .word, .short, .value, .hword, .2byte),
    DIRECTIVES(read_data, 4, .long, .int, .4byte),
    DIRECTIVES(read_data, 8, .quad, .8byte, .xword),
    DIRECTIVES(read_refused, 0, .macro, .endm, .rept, .rep, .irp, .irpc, .endr, .if, .ifdef, .ifndef, .ifeq,
               .ifne, .ifc, .ifb, .ifnb, .ifgt, .ifge, .iflt, .ifle, .else, .elseif, .endif, .altmacro,
               .noaltmacro, .eqv, .octa, .subsection, .reloc, .bundle_align_mode, .insn, .error, .abort),
    DIRECTIVES(pass_over, 0, .code64, .local, .hidden, .protected, .internal, .ident, .version, .symver,
               .addrsig, .addrsig_sym, .arch, .attach_to_group, .gnu_attribute, .loc_mark_labels, .line, .ln,
               .sleb, .title, .sbttl, .list, .nolist, .print, .warning, .extern, .def, .endef, .scl,
               .linkonce, .secrel32, .build_version, .macosx_version_min, .subsections_via_symbols,
               .end_data_region, .data_region, .private_extern, .alt_entry, .weak_definition,
               .intel_mnemonic, .att_mnemonic, .dummy),
};

/* NASM's and MSVC's, which have no dot */
static const directive bare[] = {
    DIRECTIVES(read_section, 0, section, segment),
    DIRECTIVES(read_marks, MARK_GLOBAL, global, public),
    DIRECTIVES(read_align, ALIGN_BYTES, align),
    DIRECTIVES(read_org, 0, org),
    DIRECTIVES(read_data, 1, db),
    DIRECTIVES(read_data, 2, dw),
    DIRECTIVES(read_data, 4, dd),
    DIRECTIVES(read_data, 8, dq),
    DIRECTIVES(pass_over, 0, extern, extrn, externdef, bits, use64, default, title, include, includelib, end,
               option, cpu),
};
/* clang-format on */

#define FIND(table, name, length) find(table, sizeof(table) / sizeof *(table), name, length)
static const directive *find(const directive *table, size_t count, const char *name, size_t length)
{
    for (const directive *d = table; d < table + count; d++)
        if (strlen(d->name) == length && tacho_str_same_n(d->name, name, length))
            return d;
    return NULL;
}

/* Families that only debuggers and unwinders read. */
static const directive *find_family(const char *name, size_t length)
{
    static const directive passed = {"", pass_over, 0};
    static const char *const families[] = {".cfi_", ".cv_", ".seh_", ".stab"};
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (length > strlen(families[i]) && tacho_str_same_n(families[i], name, strlen(families[i])))
            return &passed;
    return NULL;
}

static void unknown(as_state *s, const char *name, size_t length)
{
    char wanted[40];
    tacho_suggest g = {.wanted = wanted};
    size_t n = length < sizeof wanted ? length : sizeof wanted - 1;
    memcpy(wanted, name, n);
    wanted[n] = '\0';
    for (size_t i = 0; i < sizeof directives / sizeof *directives && s->problem_count < 5; i++)
        if (directives[i].read != read_refused)
            tacho_suggest_offer(&g, directives[i].name);
    as_problem(s, TACHO_ERR_INPUT, name, length, "no such directive: '%s'%s", wanted, tacho_suggest_text(&g));
}

static bool read_bare(as_state *s, const char *name, size_t length, as_cursor *c)
{
    if (s->syntax != TACHO_SYNTAX_INTEL || s->dialect < TACHO_DIALECT_NASM)
        return false;
    const directive *d = FIND(bare, name, length);
    if (!d)
        return false;
    as_skip_space(c);
    if (d->name[0] == 'd' && d->name[1] == 'e')
        s->default_relative = c->end - c->at >= 3 && tacho_str_same_n(c->at, "rel", 3);
    d->read(s, d, c);
    return true;
}

bool as_directive(as_state *s, const char *name, size_t length, as_cursor *c)
{
    if (*name != '.')
        return read_bare(s, name, length, c);
    const directive *d = FIND(directives, name, length) ?: find_family(name, length);
    if (!d) {
        unknown(s, name, length);
        c->at = c->end;
        return true;
    }
    /* of what is passed over, only what leaves it is read */
    if (as_section_now(s)->passed_over && d->read != read_standard && d->read != read_section &&
        d->read != read_pop && d->read != read_previous && d->read != read_refused && d->read != read_marks &&
        d->read != read_syntax && d->read != read_file) {
        c->at = c->end;
        return true;
    }
    size_t before = s->problem_count;
    d->read(s, d, c);
    bool whole = d->read == pass_over || d->read == read_section || d->read == read_type ||
                 d->read == read_loc || d->read == read_file || d->read == read_common ||
                 d->read == read_syntax || d->read == read_refused;
    if (!whole && !s->failed && s->problem_count == before && !at_end(c))
        as_problem(s, TACHO_ERR_INPUT, c->at, 1, "the end of %s is expected, not '%c'", d->name, *c->at);
    c->at = c->end;
    return true;
}
