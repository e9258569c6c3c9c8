/* assemble_expression.c - numbers, names and what is computed of them: the displacements and immediates of
 * both syntaxes. In Intel syntax registers and brackets may stand in it as well: "4[rax+rbx*2]", "x[rip+8]".
 * Names may be those that demanglers write: "foo(int)::lambda". */
#include "x86/assemble/assembling.h"

void as_skip_space(as_cursor *c)
{
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\t' || *c->at == AS_LINE))
        c->at++;
}

bool as_at(as_cursor *c, char sign)
{
    as_skip_space(c);
    return c->at < c->end && *c->at == sign;
}

bool as_take(as_cursor *c, char sign)
{
    bool is = as_at(c, sign);
    c->at += is;
    return is;
}

bool as_is_name_start(char ch)
{
    return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || ch == '_' || ch == '.' || ch == '$' ||
           ch == '?' || (unsigned char)ch >= 0x80;
}

bool as_is_name(char ch)
{
    return as_is_name_start(ch) || (ch >= '0' && ch <= '9');
}

static bool is_digit(char ch)
{
    return ch >= '0' && ch <= '9';
}

size_t as_word_length(const char *at, const char *end, bool signs)
{
    size_t n = 0;
    while (at + n < end && (as_is_name(at[n]) || (signs && at[n] == '@')))
        n++;
    return n;
}

static size_t plain_length(const as_state *s, const char *at, const char *end)
{
    /* MSVC's names have '@' in them, ELF's have behind it what is meant of a name */
    bool microsoft = at < end && (*at == '?' || *at == '@' || s->dialect == TACHO_DIALECT_MSVC);
    return as_word_length(at, end, microsoft);
}

/* The length of a bracketed group at `at`, with its brackets; 0: it is not closed. */
static size_t group_length(const char *at, const char *end)
{
    unsigned depth = 0;
    for (size_t n = 0; at + n < end; n++) {
        char ch = at[n];
        if (ch == '(' || ch == '<' || ch == '{')
            depth++;
        else if (ch == ')' || ch == '}' || (ch == '>' && !(n && at[n - 1] == '-')))
            if (!--depth)
                return n + 1;
    }
    return 0;
}

/* What stands before the name of what it is of. */
static size_t special_length(const char *at, const char *end)
{
    static const char *const words[] = {"vtable for ",
                                        "VTT for ",
                                        "typeinfo for ",
                                        "typeinfo name for ",
                                        "guard variable for ",
                                        "TLS init function for ",
                                        "TLS wrapper function for ",
                                        "non-virtual thunk to ",
                                        "virtual thunk to "};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (as_begins(at, end, words[i]))
            return strlen(words[i]);
    return 0;
}

/* "operator" and its sign: operator(), operator<<, operator new[] */
static size_t operator_length(const char *at, const char *end)
{
    if (!as_begins(at, end, "operator"))
        return 0;
    size_t n = 8;
    static const char *const words[] = {" new[]", " delete[]", " new", " delete", "()", "[]"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (as_begins(at + n, end, words[i]))
            return n + strlen(words[i]);
    while (at + n < end && strchr("+-*/%^&|~!=<>", at[n]) && at[n])
        n++;
    return n == 8 && at + n < end && as_is_name(at[n]) ? 0 : n;
}

/* One group in brackets that can belong to a name: of template arguments or parameters. */
static size_t name_group(const as_state *s, const char *at, const char *end)
{
    if (at >= end || (*at != '<' && *at != '('))
        return 0;
    if (*at == '<' && at + 1 < end && at[1] == '<')
        return 0;
    if (*at == '(') { /* AT&T: what follows may be an address */
        const char *in = at + 1;
        while (in < end && *in == ' ')
            in++;
        if (in < end && (*in == '%' || *in == ','))
            return 0;
        if (s->syntax == TACHO_SYNTAX_ATT && in < end && is_digit(*in))
            return 0;
    }
    return group_length(at, end);
}

size_t as_name_length(const as_state *s, const char *at, const char *end)
{
    size_t n = special_length(at, end);
    if (!n && (at >= end || !(as_is_name_start(*at) || *at == '@')))
        return 0;
    for (;;) {
        size_t word = operator_length(at + n, end);
        if (!word && at + n < end && at[n] == '~')
            n++;
        if (!word && at + n < end && at[n] == '{')
            word = group_length(at + n, end);
        if (!word && as_begins(at + n, end, "(anonymous namespace)"))
            word = 21;
        if (!word)
            word = plain_length(s, at + n, end);
        if (!word)
            return n;
        n += word;
        for (size_t group; (group = name_group(s, at + n, end));)
            n += group;
        if (as_begins(at + n, end, " const") && !(at + n + 6 < end && as_is_name(at[n + 6])))
            n += 6;
        const char *clone =
            as_begins(at + n, end, " [clone ") ? memchr(at + n, ']', (size_t)(end - at) - n) : NULL;
        if (clone)
            n = (size_t)(clone - at) + 1;
        if (!as_begins(at + n, end, "::"))
            return n;
        n += 2;
    }
}

/* ---- numbers ---- */

/* All of [at, at + length) as digits. */
static bool digits(const char *at, size_t length, unsigned base, uint64_t *out)
{
    uint64_t value = 0;
    bool any = false;
    for (size_t i = 0; i < length; i++) {
        if (at[i] == '_' && i)
            continue;
        unsigned d = (unsigned)tacho_hex_digit(at[i]);
        if (d >= base || value > (UINT64_MAX - d) / base)
            return false;
        value = value * base + d;
        any = true;
    }
    *out = value;
    return any;
}

static bool number_text(const as_state *s, const char *at, size_t n, uint64_t *out)
{
    char last = tacho_lower(at[n - 1]);
    bool intel = s->syntax == TACHO_SYNTAX_INTEL;
    if (n > 2 && at[0] == '0' && tacho_lower(at[1]) == 'x')
        return digits(at + 2, n - 2, 16, out);
    if (intel && last == 'h')
        return digits(at, n - 1, 16, out);
    if (n > 2 && at[0] == '0' && tacho_lower(at[1]) == 'b')
        return digits(at + 2, n - 2, 2, out);
    if (s->dialect >= TACHO_DIALECT_NASM && n > 1 && (last == 'b' || last == 'y'))
        return digits(at, n - 1, 2, out);
    if (s->dialect < TACHO_DIALECT_NASM && n > 1 && at[0] == '0')
        return digits(at + 1, n - 1, 8, out);
    return digits(at, n, 10, out);
}

static bool read_number(as_state *s, as_cursor *c, as_value *out)
{
    size_t n = 0, run = 0;
    uint64_t value;
    while (c->at + n < c->end && (as_is_name(c->at[n]) && c->at[n] != '.' && c->at[n] != '?'))
        n++;
    while (run < n && is_digit(c->at[run]))
        run++;
    char which = run + 1 == n ? c->at[run] : 0;
    if ((which == 'b' || which == 'f') && s->dialect < TACHO_DIALECT_NASM) {
        out->symbol = as_symbol_local(s, c->at, run, which);
        if (out->symbol != AS_NONE && which == 'b' && s->symbols[out->symbol].kind == AS_SYMBOL_UNKNOWN)
            return as_refuse(s, TACHO_ERR_INPUT, c->at, n, "there is no label %.*s: before this", (int)run,
                             c->at);
        c->at += n;
        return true;
    }
    if (!number_text(s, c->at, n, &value))
        return as_refuse(s, TACHO_ERR_INPUT, c->at, n, "'%.*s' is no number of 64 bits",
                         (int)(n < 40 ? n : 40), c->at);
    out->number = (int64_t)value;
    out->wide = value > INT64_MAX;
    c->at += n;
    return true;
}

/* 'c' and 'c; in Intel syntax also 'text'. */
static bool read_character(as_state *s, as_cursor *c, as_value *out)
{
    const char *at = c->at + 1;
    static const char names[] = "bfnrt", values[] = "\b\f\n\r\t";
    if (at >= c->end)
        return as_refuse(s, TACHO_ERR_INPUT, c->at, 1, "a character is missing behind '");
    if (*at == '\\' && at + 1 < c->end) {
        const char *known = strchr(names, at[1]);
        out->number = known && at[1] ? values[known - names] : (unsigned char)at[1];
        at += 2;
    } else {
        uint64_t value = 0;
        unsigned shift = 0;
        const char *close = memchr(at + 1, '\'', (size_t)(c->end - at - 1));
        size_t n = close && close - at <= 8 && s->syntax == TACHO_SYNTAX_INTEL ? (size_t)(close - at) : 1;
        for (size_t i = 0; i < n; i++, shift += 8)
            value |= (uint64_t)(unsigned char)at[i] << shift;
        out->number = (int64_t)value;
        at += n;
    }
    c->at = at + (at < c->end && *at == '\'');
    return true;
}

/* ---- names ---- */

static const char *const places[] = {"PLT",    "GOTPCREL", "GOT",    "TPOFF",    "GOTTPOFF", "TLSGD",
                                     "TLSLD",  "DTPOFF",   "GOTOFF", "SIZE",     "PLTOFF",   "TLSDESC",
                                     "GOTPLT", "TLSCALL",  "IMGREL", "SECREL32", "GOTPCRELX"};

/* "@PLT" behind a name. */
static bool read_place(as_state *s, as_cursor *c, as_value *out)
{
    if (c->at + 1 >= c->end || *c->at != '@')
        return true;
    size_t n = plain_length(s, c->at + 1, c->end);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (strlen(places[i]) == n && tacho_str_same_n(places[i], c->at + 1, n)) {
            out->place = i == 0 ? AS_PLT : i == 1 ? AS_GOTPCREL : AS_OTHER_PLACE;
            c->at += n + 1;
            return true;
        }
    return as_refuse(s, TACHO_ERR_INPUT, c->at, n + 1, "'%.*s' is nothing that is meant of a name",
                     (int)(n < 40 ? n + 1 : 40), c->at);
}

static bool read_name(as_state *s, as_cursor *c, as_value *out)
{
    size_t n = as_name_length(s, c->at, c->end);
    const char *name = c->at;
    if (n == 1 && (*c->at == '.' || *c->at == '$')) {
        out->symbol = as_symbol_here(s);
        c->at++;
        return !s->failed;
    }
    c->at += n;
    /* a C++ name may end in blanks of the text around it */
    while (n && (name[n - 1] == ' ' || name[n - 1] == '\t'))
        n--;
    out->symbol = as_symbol_named(s, name, n);
    if (out->symbol != AS_NONE)
        s->symbols[out->symbol].used = true;
    return !s->failed && read_place(s, c, out);
}

static bool read_quoted_name(as_state *s, as_cursor *c, as_value *out)
{
    const char *close = memchr(c->at + 1, '"', (size_t)(c->end - c->at - 1));
    if (!close || close == c->at + 1)
        return as_refuse(s, TACHO_ERR_INPUT, c->at, 1, "a name in quotes is not closed");
    out->symbol = as_symbol_named(s, c->at + 1, (size_t)(close - c->at - 1));
    if (out->symbol != AS_NONE)
        s->symbols[out->symbol].used = true;
    c->at = close + 1;
    return !s->failed && read_place(s, c, out);
}

/* ---- operators ---- */

typedef struct as_operator {
    char sign;
    uint8_t length, level;
} as_operator;

enum {
    LEVEL_OR = 1,
    LEVEL_SUM,
    LEVEL_BITS,
    LEVEL_PRODUCT,
};

static bool is_word(const as_cursor *c, const char *word)
{
    size_t n = strlen(word);
    return (size_t)(c->end - c->at) > n && tacho_str_same_n(c->at, word, n) && !as_is_name(c->at[n]);
}

static as_operator operator_at(const as_state *s, const as_cursor *c)
{
    static const as_operator none = {0, 0, 0};
    if (c->at >= c->end)
        return none;
    char ch = *c->at, next = c->at + 1 < c->end ? c->at[1] : 0;
    switch (ch) {
    case '+':
    case '-':
        return (as_operator){ch, 1, LEVEL_SUM};
    case '*':
    case '/':
    case '%':
        return (as_operator){ch, 1, LEVEL_PRODUCT};
    case '<':
    case '>':
        return next == ch ? (as_operator){ch, 2, LEVEL_PRODUCT} : none;
    case '|':
    case '&':
    case '^':
        return next == ch ? none : (as_operator){ch, 1, LEVEL_BITS};
    default:
        break;
    }
    if (s->syntax != TACHO_SYNTAX_INTEL)
        return none;
    static const struct {
        const char *word;
        as_operator is;
    } words[] = {{"and", {'&', 3, LEVEL_BITS}},    {"or", {'|', 2, LEVEL_BITS}},
                 {"xor", {'^', 3, LEVEL_BITS}},    {"shl", {'<', 3, LEVEL_PRODUCT}},
                 {"shr", {'>', 3, LEVEL_PRODUCT}}, {"mod", {'%', 3, LEVEL_PRODUCT}}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (is_word(c, words[i].word))
            return words[i].is;
    return none;
}

static bool has_registers(const as_value *v)
{
    return v->first != ZYDIS_REGISTER_NONE;
}

static bool is_constant(const as_value *v)
{
    return v->symbol == AS_NONE && v->minus == AS_NONE && !has_registers(v);
}

static bool add_registers(as_value *a, const as_value *b)
{
    if (!has_registers(b))
        return true;
    if (a->first != ZYDIS_REGISTER_NONE &&
        (a->second != ZYDIS_REGISTER_NONE || b->second != ZYDIS_REGISTER_NONE))
        return false;
    if (a->first == ZYDIS_REGISTER_NONE) {
        a->first = b->first;
        a->first_scale = b->first_scale;
        a->second = b->second;
        a->second_scale = b->second_scale;
    } else {
        a->second = b->first;
        a->second_scale = b->first_scale;
    }
    return true;
}

static bool add_values(as_value *a, const as_value *b)
{
    if ((a->symbol != AS_NONE && b->symbol != AS_NONE) || (a->minus != AS_NONE && b->minus != AS_NONE) ||
        !add_registers(a, b))
        return false;
    a->number = (int64_t)((uint64_t)a->number + (uint64_t)b->number);
    if (b->symbol != AS_NONE) {
        a->symbol = b->symbol;
        a->place = b->place;
    }
    if (b->minus != AS_NONE)
        a->minus = b->minus;
    a->memory |= b->memory;
    a->spelled |= b->spelled;
    a->wide = false;
    return true;
}

static bool subtract(as_state *s, as_value *a, as_value *b)
{
    as_is_number(s, b);
    if (has_registers(b) || (b->symbol != AS_NONE && a->minus != AS_NONE) ||
        (b->minus != AS_NONE && a->symbol != AS_NONE))
        return false;
    a->number = (int64_t)((uint64_t)a->number - (uint64_t)b->number);
    if (b->symbol != AS_NONE)
        a->minus = b->symbol;
    if (b->minus != AS_NONE)
        a->symbol = b->minus;
    a->spelled |= b->spelled;
    a->wide = false;
    return true;
}

/* rax*4, 4*rax */
static bool scale_register(as_value *a, const as_value *b)
{
    const as_value *reg = has_registers(a) ? a : b, *by = reg == a ? b : a;
    if (!is_constant(by) || reg->second != ZYDIS_REGISTER_NONE || reg->first_scale || reg->spelled ||
        by->number < 1 || by->number > 8 || (by->number & (by->number - 1)))
        return false;
    uint8_t scale = (uint8_t)by->number;
    bool memory = a->memory || b->memory;
    *a = *reg;
    a->first_scale = scale;
    a->memory = memory;
    return true;
}

static bool compute(as_state *s, char sign, as_value *a, as_value *b)
{
    if (sign == '+')
        return add_values(a, b);
    if (sign == '-')
        return subtract(s, a, b);
    if (sign == '*' && has_registers(a) != has_registers(b))
        return scale_register(a, b);
    if (!as_is_number(s, a) || !as_is_number(s, b) || !is_constant(a) || !is_constant(b))
        return false;
    uint64_t x = (uint64_t)a->number, y = (uint64_t)b->number, z = 0;
    switch (sign) {
    case '*':
        z = x * y;
        break;
    case '/':
    case '%':
        if (!y || (a->number == INT64_MIN && b->number == -1))
            return false;
        z = (uint64_t)(sign == '/' ? a->number / b->number : a->number % b->number);
        break;
    case '<':
        z = y < 64 ? x << y : 0;
        break;
    case '>':
        z = y < 64 ? x >> y : 0;
        break;
    case '&':
        z = x & y;
        break;
    case '|':
        z = x | y;
        break;
    default:
        z = x ^ y;
        break;
    }
    a->number = (int64_t)z;
    a->wide = false;
    return true;
}

static bool binary(as_state *s, as_cursor *c, unsigned level, as_value *out);

/* What stands in brackets, and is closed by `close`. */
static bool bracketed(as_state *s, as_cursor *c, char close, as_value *out)
{
    const char *open = c->at++;
    if (!binary(s, c, LEVEL_OR, out))
        return false;
    if (!as_take(c, close))
        return as_refuse(s, TACHO_ERR_INPUT, c->at < c->end ? c->at : open, 1,
                         "'%c' is missing for this '%c'", close, *open);
    out->memory |= close == ']';
    return true;
}

static bool name_or_register(as_state *s, as_cursor *c, as_value *out)
{
    if (s->syntax == TACHO_SYNTAX_INTEL) {
        as_cursor look = *c;
        ZydisRegister r = as_read_register(&look);
        if (r != ZYDIS_REGISTER_NONE && !(look.at < look.end && *look.at == '@') &&
            !as_begins(look.at, look.end, "::")) {
            out->first = r;
            out->spelled = false;
            *c = look;
            return true;
        }
        if (is_word(c, "riz") || is_word(c, "eiz")) {
            out->first = tacho_lower(*c->at) == 'r' ? AS_RIZ : AS_EIZ;
            out->spelled = false;
            c->at += 3;
            return true;
        }
    }
    return read_name(s, c, out);
}

/* A number, a name, something in brackets; or an operator before one. */
static bool primary(as_state *s, as_cursor *c, as_value *out)
{
    *out = as_number(0);
    as_skip_space(c);
    char signs[TACHO_ASSEMBLE_MAX_NESTING];
    size_t count = 0;
    const char *start = c->at;
    while (c->at < c->end && strchr("-~!+", *c->at) && *c->at) {
        if (count == sizeof signs)
            return as_refuse(s, TACHO_ERR_LIMIT, start, 1, "more than %d signs before a number",
                             (int)sizeof signs);
        signs[count++] = *c->at++;
        as_skip_space(c);
    }
    if (s->syntax == TACHO_SYNTAX_INTEL && is_word(c, "not")) {
        signs[count < sizeof signs ? count++ : 0] = '~';
        c->at += 3;
        as_skip_space(c);
    }
    bool ok;
    char ch = c->at < c->end ? *c->at : 0;
    if (s->syntax == TACHO_SYNTAX_INTEL && ch == '%' && c->at + 1 < c->end) {
        c->at++;
        ch = *c->at;
    }
    if (is_digit(ch))
        ok = read_number(s, c, out);
    else if (ch == '\'')
        ok = read_character(s, c, out);
    else if (ch == '"')
        ok = read_quoted_name(s, c, out);
    else if (ch == '(')
        ok = bracketed(s, c, ')', out);
    else if (ch == '[' && s->syntax == TACHO_SYNTAX_INTEL)
        ok = bracketed(s, c, ']', out);
    else if (as_is_name_start(ch) || ch == '@' || special_length(c->at, c->end))
        ok = name_or_register(s, c, out);
    else
        return as_refuse(s, TACHO_ERR_INPUT, c->at < c->end ? c->at : start, 1,
                         c->at < c->end ? "a number or a name is expected, not '%.1s'"
                                        : "an operand is missing%.0s",
                         c->at < c->end ? c->at : "");
    while (ok && count) {
        char sign = signs[--count];
        as_value zero = as_number(0);
        zero.memory = out->memory;
        if (sign == '+')
            continue;
        if (sign == '-') {
            ok = subtract(s, &zero, out);
            *out = zero;
        } else {
            ok = as_is_number(s, out) && is_constant(out);
            out->number = sign == '~' ? ~out->number : !out->number;
            out->wide = false;
        }
        if (!ok)
            as_problem(s, TACHO_ERR_INPUT, start, 1, "'%c' cannot be applied to this", sign);
    }
    return ok;
}

static bool binary(as_state *s, as_cursor *c, unsigned level, as_value *out)
{
    if (level > LEVEL_PRODUCT)
        return primary(s, c, out);
    if (level == LEVEL_OR && ++s->nesting > TACHO_ASSEMBLE_MAX_NESTING) {
        s->nesting--;
        return as_refuse(s, TACHO_ERR_LIMIT, c->at, 1, "more than %d parentheses in each other",
                         TACHO_ASSEMBLE_MAX_NESTING);
    }
    bool ok = binary(s, c, level + 1, out);
    while (ok) {
        as_value right;
        const char *at;
        as_skip_space(c);
        at = c->at;
        as_operator o = operator_at(s, c);
        /* "4[rax]", "[rbx][rsi]": what follows is added */
        if (level == LEVEL_SUM && at < c->end && *at == '[' && s->syntax == TACHO_SYNTAX_INTEL)
            o = (as_operator){'+', 0, LEVEL_SUM};
        if (!o.level || o.level != level)
            break;
        c->at += o.length;
        ok = binary(s, c, level + 1, &right);
        if (ok && !compute(s, o.sign, out, &right)) {
            as_problem(s, TACHO_ERR_INPUT, at, 1,
                       "this cannot be computed: '%c' of what stands on its two sides", o.sign);
            ok = false;
        }
    }
    if (level == LEVEL_OR)
        s->nesting--;
    return ok;
}

bool as_expression(as_state *s, as_cursor *c, as_value *out)
{
    return binary(s, c, LEVEL_OR, out);
}
