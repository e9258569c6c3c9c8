/* statements.c - cuts the text into statements: labels, assignments, directives, instructions. A form feed
 * separates statements as ';' does, also where that begins a comment. */
#include "x86/assemble/assembling.h"

static size_t trimmed(const char *at, const char *end)
{
    while (end > at && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == AS_LINE))
        end--;
    return (size_t)(end - at);
}

void as_record_at(as_state *s, const char *at, const char *end, tacho_statement_kind kind, as_place start)
{
    if (as_section_now(s)->passed_over && kind != TACHO_STATEMENT_LABEL)
        return;
    if (s->record_count >= TACHO_ASSEMBLE_MAX_STATEMENTS) {
        if (!s->failed)
            s->failed = tacho_error_set(s->err, TACHO_ERR_LIMIT, "more than %d statements",
                                        TACHO_ASSEMBLE_MAX_STATEMENTS);
        return;
    }
    if (!as_grow(s, &s->records, &s->record_capacity, s->record_count + 1, sizeof *s->records))
        return;
    as_record *r = &s->records[s->record_count++];
    *r = (as_record){.out = {.section = start.section,
                             .line = s->line,
                             .column = (uint32_t)(at - s->line_start + 1),
                             .text_length = (uint32_t)trimmed(at, end),
                             .kind = kind,
                             .syntax = s->syntax,
                             .source_file = s->source_file,
                             .source_line = s->source_line},
                     .start = start,
                     .end = as_here(s)};
}

/* ---- labels ---- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static size_t plain_label(const char *at, const char *end)
{
    if (at >= end || *at != '"')
        return as_word_length(at, end, true);
    const char *close = memchr(at + 1, '"', (size_t)(end - at - 1));
    return close ? (size_t)(close - at + 1) : 0;
}

static bool has_demangled_sign(const char *at, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strchr("(<{~", at[i]) || (at[i] == ':' && i + 1 < n && at[i + 1] == ':') ||
            (at[i] == ' ' && n - i > 5 && !memcmp(at + i, " for ", 5)))
            return true;
    return false;
}

/* The length of the label's name, and in *whole with its colon; 0: there is none here. */
static size_t label_at(const as_state *s, const char *at, const char *end, size_t *whole)
{
    size_t n = plain_label(at, end), colon = n;
    while (at + colon < end && (at[colon] == ' ' || at[colon] == '\t'))
        colon++;
    if (n && at + colon < end && at[colon] == ':' && !(at + colon + 1 < end && at[colon + 1] == ':')) {
        bool segment = n == 2 && ZydisRegisterGetClass(as_register(at, 2)) == ZYDIS_REGCLASS_SEGMENT;
        *whole = colon + 1;
        return segment ? 0 : n;
    }
    n = trimmed(at, end);
    if (n < 2 || at[n - 1] != ':' || *at == '.' || !has_demangled_sign(at, n - 1) ||
        !(as_is_name_start(*at) || *at == '(' || *at == '{' || *at == '~'))
        return 0;
    *whole = n;
    return trimmed(at, at + n - 1);
}

static void define_label(as_state *s, const char *at, size_t n, const char *end)
{
    uint32_t symbol;
    bool number = true;
    for (size_t i = 0; i < n; i++)
        number &= is_digit(at[i]);
    if (number)
        symbol = as_symbol_local(s, at, n, ':');
    else if (*at == '"')
        symbol = as_symbol_named(s, at + 1, n - 2);
    else
        symbol = as_symbol_named(s, at, n);
    as_define_here(s, symbol, at, n);
    if (!s->failed)
        as_record_at(s, at, end, TACHO_STATEMENT_LABEL, as_here(s));
}

/* ---- instructions ---- */

static bool read_word(as_cursor *c, const char **word, size_t *n)
{
    as_skip_space(c);
    *word = c->at;
    *n = as_word_length(c->at, c->end, false);
    c->at += *n;
    return *n != 0;
}

/* {evex} and the like before a mnemonic. */
static bool read_wish(as_state *s, as_cursor *c, as_insn *insn)
{
    static const struct {
        const char *word;
        uint8_t encoding, displacement, direction, rex;
    } wishes[] = {{"vex", AS_VEX, 0, 0, 0},   {"vex2", AS_VEX, 0, 0, 0}, {"vex3", AS_VEX3, 0, 0, 0},
                  {"evex", AS_EVEX, 0, 0, 0}, {"disp8", 0, 8, 0, 0},     {"disp16", 0, 32, 0, 0},
                  {"disp32", 0, 32, 0, 0},    {"load", 0, 0, 'l', 0},    {"store", 0, 0, 's', 0},
                  {"rex", 0, 0, 0, 0x40},     {"nooptimize", 0, 0, 0, 0}};
    const char *close = memchr(c->at, '}', (size_t)(c->end - c->at)), *in = c->at + 1;
    size_t n = close ? (size_t)(close - in) : 0;
    tacho_str_trim(&in, &n);
    for (size_t i = 0; i < sizeof wishes / sizeof *wishes && close; i++)
        if (strlen(wishes[i].word) == n && tacho_str_same_n(wishes[i].word, in, n)) {
            insn->encoding |= wishes[i].encoding;
            insn->displacement |= wishes[i].displacement;
            insn->direction |= wishes[i].direction;
            insn->rex |= wishes[i].rex;
            c->at = close + 1;
            return true;
        }
    return as_refuse(
        s, TACHO_ERR_INPUT, c->at, close ? (size_t)(close - c->at + 1) : 1,
        "before an instruction there can be {evex}, {vex}, {vex2}, {vex3}, {disp8}, {disp32}, {load}, "
        "{store}, {rex}");
}

static bool add_prefix(as_state *s, as_insn *insn, uint8_t byte, const char *at, size_t n)
{
    if ((byte & 0xf0) == 0x40) {
        insn->rex |= byte;
        return true;
    }
    if (insn->prefix_count >= sizeof insn->prefixes)
        return as_refuse(s, TACHO_ERR_LIMIT, at, n, "more than %d prefixes", (int)sizeof insn->prefixes);
    insn->prefixes[insn->prefix_count++] = byte;
    return true;
}

/* Prefixes, then the mnemonic. @return false after a problem */
static bool read_mnemonic(as_state *s, as_cursor *c, as_insn *insn)
{
    for (;;) {
        const char *word;
        size_t n;
        as_skip_space(c);
        if (c->at < c->end && *c->at == '{') {
            if (!read_wish(s, c, insn))
                return false;
            continue;
        }
        if (!read_word(c, &word, &n)) {
            if (c->at >= c->end)
                return true; /* prefixes alone */
            return as_refuse(s, TACHO_ERR_INPUT, c->at, 1, "an instruction is expected, not '%c'", *c->at);
        }
        uint8_t prefix = as_prefix(word, n);
        if (!prefix) {
            insn->name = word;
            insn->name_length = n;
            return true;
        }
        if (!add_prefix(s, insn, prefix, word, n))
            return false;
    }
}

/* "jne,pt" */
static void read_hint(as_cursor *c, as_insn *insn)
{
    if (c->end - c->at >= 3 && *c->at == ',' && c->at[1] == 'p' && (c->at[2] == 't' || c->at[2] == 'n') &&
        insn->prefix_count < sizeof insn->prefixes) {
        insn->prefixes[insn->prefix_count++] = c->at[2] == 't' ? 0x3e : 0x2e;
        c->at += 3;
    }
}

static void emit_prefixes(as_state *s, const as_insn *insn)
{
    as_emit(s, insn->prefixes, insn->prefix_count);
    if (insn->rex)
        as_emit(s, &insn->rex, 1);
}

void as_instruction_at(as_state *s, as_cursor *c)
{
    as_insn insn = {0};
    const char *at = c->at;
    as_place start = as_here(s);
    const char *prefix = s->record_count ? s->after_prefix : NULL;
    s->after_prefix = NULL;
    if (!read_mnemonic(s, c, &insn))
        return;
    if (!insn.name) {
        emit_prefixes(s, &insn);
        if (!prefix)
            as_record_at(s, at, c->end, TACHO_STATEMENT_INSTRUCTION, start);
        s->after_prefix = prefix ? prefix : at;
        return;
    }
    read_hint(c, &insn);
    bool ok = s->syntax == TACHO_SYNTAX_INTEL ? as_operands_intel(s, c, &insn) : as_operands_att(s, c, &insn);
    if (!ok) {
        /* a word that is no instruction matters more than what is behind it */
        as_meaning meanings[AS_MEANINGS];
        if (!s->failed && s->problem_count &&
            !as_meanings(insn.name, insn.name_length, s->syntax != TACHO_SYNTAX_INTEL, meanings))
            as_unknown_instruction(s, &insn, insn.name_length, true);
        return;
    }
    if (!as_instruction(s, &insn))
        return;
    if (prefix) { /* "lock; addl ...": one instruction, also in two lines */
        as_record *r = &s->records[s->record_count - 1];
        r->end = as_here(s);
        r->out.text_length = (uint32_t)(c->end - prefix);
    } else
        as_record_at(s, at, c->end, TACHO_STATEMENT_INSTRUCTION, start);
}

/* ---- MSVC's and NASM's statements that begin with a name ---- */

static bool named_statement(as_state *s, const char *name, size_t n, as_cursor *c)
{
    const char *word;
    size_t k;
    as_cursor look = *c;
    if (s->dialect < TACHO_DIALECT_NASM || s->syntax != TACHO_SYNTAX_INTEL || !read_word(&look, &word, &k))
        return false;
    if (as_is_word(word, k, "equ")) {
        as_assign(s, name, n, &look);
    } else if (as_is_word(word, k, "proc")) {
        uint32_t symbol = as_symbol_named(s, name, n);
        as_define_here(s, symbol, name, n);
        if (symbol != AS_NONE)
            s->symbols[symbol].function = true;
        if (!s->failed)
            as_record_at(s, name, c->end, TACHO_STATEMENT_LABEL, as_here(s));
    } else if (as_is_word(word, k, "segment")) {
        bool text = as_is_word(name, n, "_text") || tacho_str_same_n(name, "text", n < 4 ? n : 4);
        s->section = as_section_named(s, text ? ".text" : ".rodata", text ? 5 : 7);
    } else if (as_is_word(word, k, "ends")) {
        s->section = 0;
    } else if (as_is_word(word, k, "db") || as_is_word(word, k, "dd") || as_is_word(word, k, "dq") ||
               as_is_word(word, k, "dw")) {
        as_place start = as_here(s);
        as_define_here(s, as_symbol_named(s, name, n), name, n);
        if (as_directive(s, word, k, &look) && !s->failed)
            as_record_at(s, name, c->end, TACHO_STATEMENT_DATA, start);
    } else if (!as_is_word(word, k, "endp")) {
        return false;
    }
    c->at = c->end;
    return true;
}

/* ---- statements ---- */

static void statement(as_state *s, const char *at, const char *end)
{
    as_cursor c = {at, end};
    size_t whole;
    if (s->listing && as_listing_line(s, at, end))
        return;
    for (;;) {
        as_skip_space(&c);
        size_t n = label_at(s, c.at, c.end, &whole);
        if (!n)
            break;
        define_label(s, c.at, n, c.at + whole);
        s->after_prefix = NULL;
        c.at += whole;
    }
    c.end = c.at + trimmed(c.at, c.end);
    if (c.at >= c.end || s->failed)
        return;
    const char *start = c.at;
    as_cursor look = c;
    size_t n = plain_label(c.at, c.end);
    look.at += n;
    as_skip_space(&look);
    if (n && look.at < look.end && *look.at == '=') {
        look.at += look.at + 1 < look.end && look.at[1] == '=' ? 2 : 1;
        as_assign(s, start, n, &look);
        return;
    }
    as_place before = as_here(s);
    if (n && (*start == '.' || s->dialect >= TACHO_DIALECT_NASM)) {
        size_t sections = s->section;
        uint64_t total = s->total;
        if (as_directive(s, start, n, &look)) {
            s->after_prefix = NULL;
            bool aligns =
                n > 5 && (tacho_str_same_n(start, ".p2align", 8) || tacho_str_same_n(start, ".align", 6) ||
                          tacho_str_same_n(start, ".balign", 7));
            if (!s->failed && sections == s->section && (total != s->total || aligns))
                as_record_at(s, start, c.end, aligns ? TACHO_STATEMENT_ALIGN : TACHO_STATEMENT_DATA, before);
            return;
        }
        if (named_statement(s, start, n, &look))
            return;
    }
    if (*start == '%' && s->dialect == TACHO_DIALECT_NASM) {
        as_problem(s, TACHO_ERR_UNSUPPORTED, start, 1, "NASM's preprocessor is not read");
        return;
    }
    if (!as_section_now(s)->passed_over)
        as_instruction_at(s, &c);
}

static const char *statement_end(const char *at, const char *end)
{
    for (; at < end && *at != '\n' && *at != ';' && *at != '\f'; at++) {
        if (*at == '"') {
            for (at++; at < end && *at != '"' && *at != '\n'; at++)
                if (*at == '\\' && at + 1 < end && at[1] != '\n')
                    at++;
            if (at >= end || *at == '\n')
                return at;
        } else if (*at == '\'' && at + 1 < end && at[1] != '\n') {
            at += at[1] == '\\' && at + 2 < end && at[2] != '\n' ? 2 : 1;
        }
    }
    return at;
}

void as_read(as_state *s)
{
    s->line = 1;
    s->line_start = s->text;
    for (const char *at = s->text; at < s->end && !s->failed;) {
        const char *end = statement_end(at, s->end);
        if (end - at > TACHO_ASSEMBLE_MAX_LINE) {
            s->failed = tacho_error_set(s->err, TACHO_ERR_LIMIT, "line %llu is longer than %d bytes",
                                        (unsigned long long)s->line, TACHO_ASSEMBLE_MAX_LINE);
            break;
        }
        const char *begin = at;
        while (begin < end && (*begin == ' ' || *begin == '\t' || *begin == AS_LINE)) {
            if (*begin == AS_LINE) {
                s->line++;
                s->line_start = begin + 1;
            }
            begin++;
        }
        statement(s, begin, end);
        for (const char *c = begin; c < end; c++)
            if (*c == AS_LINE) {
                s->line++;
                s->line_start = c + 1;
            }
        if (end < s->end && *end == '\n') {
            s->line++;
            s->line_start = end + 1;
        }
        at = end + 1;
    }
}

/* The operands of an instruction, one behind another, whatever the syntax. */

/* Behind a target objdump writes which place that is: "40 <main+0x10>". */
static void skip_place(as_cursor *c, const as_operand *o)
{
    if (!o->target || c->at >= c->end || *c->at != '<')
        return;
    const char *close = c->end;
    while (close > c->at && close[-1] != '>')
        close--;
    if (close > c->at)
        c->at = close;
}

static bool read_one(as_state *s, as_cursor *c, as_insn *insn, as_operand_reader *read)
{
    if (insn->operand_count == TACHO_ASSEMBLE_MAX_OPERANDS)
        return as_refuse(s, TACHO_ERR_LIMIT, c->at, 1, "more than %d operands", TACHO_ASSEMBLE_MAX_OPERANDS);
    as_operand *o = &insn->operands[insn->operand_count++];
    o->text = c->at;
    if (!read(s, c, o))
        return false;
    skip_place(c, o);
    if (!as_decoration(s, c, insn, o))
        return false;
    o->length = (uint32_t)(c->at - o->text);
    return true;
}

/* A decoration that stands like an operand belongs to the one before it in Intel syntax, to none in AT&T's.
 */
static bool read_decoration(as_state *s, as_cursor *c, as_insn *insn)
{
    bool of_last = !insn->att && insn->operand_count;
    return as_decoration(s, c, insn, of_last ? &insn->operands[insn->operand_count - 1] : NULL);
}

bool as_operands(as_state *s, as_cursor *c, as_insn *insn, as_operand_reader *read)
{
    as_skip_space(c);
    while (c->at < c->end) {
        if (!(*c->at == '{' ? read_decoration(s, c, insn) : read_one(s, c, insn, read)))
            return false;
        as_skip_space(c);
        if (c->at >= c->end)
            break;
        if (*c->at != ',')
            return as_refuse(s, TACHO_ERR_INPUT, c->at, 1,
                             "',' or the end of the instruction is expected, not '%c'", *c->at);
        c->at++;
        as_skip_space(c);
        if (c->at >= c->end)
            return as_refuse(s, TACHO_ERR_INPUT, c->at - 1, 1, "an operand is missing behind ','");
    }
    return true;
}
