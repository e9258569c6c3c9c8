/* comments.c - which parts of a text are comments. What ';' means depends on whose syntax it is: GNU's
 * separates statements with it, MSVC's and NASM's comment. */
#include <ctype.h>

#include "x86/assemble/assembling.h"
#include "x86/assemble/language.h"
#include "x86/assemble/region_markers.h"

static size_t line_length(const char *at, const char *end)
{
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    return (size_t)((newline ? newline : end) - at);
}

/* A comment ends with its line, or at a form feed. */
static size_t comment_length(const char *at, const char *end)
{
    size_t n = line_length(at, end);
    const char *feed = memchr(at, '\f', n);
    return feed ? (size_t)(feed - at) : n;
}

static tacho_dialect dialect_of_line(const char *at, const char *end)
{
    static const char *const nasm[] = {"section", "global", "bits", "default", "extern", "use64"};
    static const char *const first[] = {"public", "extrn", "includelib", "_text", "externdef", "const"};
    static const char *const second[] = {"proc", "endp", "segment", "ends"};
    at = as_skip_blanks(at, end);
    size_t n = as_word_length(at, end, true);
    const char *next = as_skip_blanks(at + n, end);
    size_t m = as_word_length(next, end, true);
    for (size_t i = 0; i < sizeof nasm / sizeof *nasm && m; i++)
        if (as_is_word(at, n, nasm[i]))
            return TACHO_DIALECT_NASM;
    for (size_t i = 0; i < sizeof first / sizeof *first && m; i++)
        if (as_is_word(at, n, first[i]))
            return TACHO_DIALECT_MSVC;
    for (size_t i = 0; i < sizeof second / sizeof *second && n; i++)
        if (as_is_word(next, m, second[i]))
            return TACHO_DIALECT_MSVC;
    for (const char *c = at; c + 4 < end; c++) {
        if (*c == '[' && tacho_str_same_n(c + 1, "rel ", 4))
            return TACHO_DIALECT_NASM;
        if ((c == at || !as_is_name(c[-1])) &&
            ((*c == '?' && as_is_name(c[1]) && memchr(c, '@', as_word_length(c, end, true))) ||
             (*c == '$' && c[1] == 'L' && (c[2] == 'L' || c[2] == 'N') &&
              memchr(c, '@', as_word_length(c, end, true)))))
            return TACHO_DIALECT_MSVC;
        if (*c == ';' || *c == '"')
            break;
    }
    return TACHO_DIALECT_AUTO;
}

tacho_dialect as_find_dialect(const char *text, size_t size)
{
    const char *end = text + size;
    for (const char *at = text; at < end;) {
        size_t n = line_length(at, end);
        tacho_dialect d = dialect_of_line(at, at + n);
        if (d)
            return d;
        at += n + 1;
    }
    return TACHO_DIALECT_GNU;
}

/* Whether what stands behind a ';' reads as prose rather than as a statement. */
static bool is_prose(const char *at, const char *end)
{
    as_meaning meanings[AS_MEANINGS];
    at = as_skip_blanks(at, end);
    size_t n = as_word_length(at, end, true), words = 0;
    if (!n)
        return at < end && *at != '{' && *at != '#' && *at != '/' && *at != '"';
    if (*at == '.' || (at + n < end && (at[n] == ':' || *as_skip_blanks(at + n, end) == '=')))
        return false;
    bool known = as_prefix(at, n) || as_meanings(at, n, false, meanings);
    for (const char *c = as_skip_blanks(at + n, end);
         c < end && *c != ',' && *c != '[' && *c != ';' && *c != '(';) {
        size_t k = as_word_length(c, end, true);
        words += k != 0;
        c = as_skip_blanks(c + (k ? k : 1), end);
    }
    bool comma = memchr(at, ',', (size_t)(end - at)) != NULL;
    return known ? words > 3 : words > 1 || !comma;
}

bool as_semicolon_comments(const char *text, size_t size)
{
    size_t prose = 0, code = 0;
    const char *end = text + size;
    for (const char *at = text; at < end;) {
        size_t n = line_length(at, end);
        const char *semicolon = memchr(at, ';', n), *stop = at + n;
        const char *hash = memchr(at, '#', n);
        if (hash && semicolon && hash < semicolon)
            semicolon = NULL;
        if (semicolon && as_skip_blanks(semicolon + 1, stop) < stop) {
            /* a comment has a blank before it, a separator seldom */
            bool apart = semicolon == at || semicolon[-1] == ' ' || semicolon[-1] == '\t';
            bool is = apart && is_prose(semicolon + 1, stop);
            prose += is;
            code += !is;
        }
        at += n + 1;
    }
    return prose > 0 && !code;
}

static char *blank(char *at, const char *end)
{
    for (; at < end; at++)
        *at = *at == '\n' ? AS_LINE : ' ';
    return at;
}

/* The end of a text in quotes, or of a character; at most the end of the line. */
static char *skip_quoted(char *at, const char *end)
{
    char quote = *at++;
    if (quote == '\'') {
        if (at < end && *at == '\\')
            at++;
        if (at < end && *at != '\n')
            at++;
        return at < end && *at == '\'' ? at + 1 : at;
    }
    while (at < end && *at != quote && *at != '\n')
        at += *at == '\\' && at + 1 < end && at[1] != '\n' ? 2 : 1;
    return at < end && *at == quote ? at + 1 : at;
}

void as_blank_comments(char *text, size_t size, bool semicolons, bool of_lines)
{
    char *end = text + size;
    bool empty = true; /* nothing on this line yet */
    for (char *at = text; at < end;) {
        char c = *at;
        bool slashes = c == '/' && at + 1 < end && at[1] == '/';
        if (c == '"' || c == '\'') {
            at = skip_quoted(at, end);
            empty = false;
        } else if ((c == '#' && !tacho_is_in_name(at, end)) || slashes ||
                   (c == '/' && empty && at[1] != '*') || (c == ';' && semicolons)) {
            at = blank(at, at + comment_length(at, end));
        } else if (c == '/' && at + 1 < end && at[1] == '*') {
            const char *close = at + 2;
            while (close < end && !(close[0] == '*' && close + 1 < end && close[1] == '/') &&
                   !(of_lines && *close == '\n'))
                close++;
            at = blank(at, close == end ? end : *close == '*' ? close + 2 : close);
        } else {
            empty = c == '\n' || c == '\f' || (empty && (c == ' ' || c == '\t' || c == '\r'));
            if (c == '\r')
                *at = ' ';
            at++;
        }
    }
}

/* ---- languages that are no assembly ---- */

/* Source code given in place of assembly text, told by the name of the file or by what stands in it. Asked
 * only of a text that was refused, so that no assembly text is ever taken for it; a listing shows source
 * lines and is none. */

/* In this order: the words of C occur in C++, too. */
static const language languages[] = {
    {"LLVM IR", " .ll ", "target triple|target datalayout|define |; ModuleID", "llc -O3 -o -", "", true},
    {"Rust", " .rs ", "fn |pub fn |use std|impl |pub struct |#[|unsafe fn ",
     "rustc -O --crate-type=lib --emit=asm -o -", "", true},
    {"Go", " .go ", "package |func ", NULL, NULL, true},
    {"Fortran", " .f .f90 .f95 .f03 .f08 .for ", "end subroutine|end program|end module|end function",
     "gfortran -O3 -S -o -", "-x f95 ", false},
    {"C++", " .cc .cpp .cxx .c++ .hpp .hh .hxx ",
     "template|namespace |using |class |std::|#include <vector>|#include <algorithm>|#include "
     "<iostream>|#include <cstd",
     "g++ -O3 -S -o -", "-x c++ ", true},
    {"C", " .c .h ",
     "#include |int |void |double |float |static |const |unsigned |struct |typedef |long |char |extern "
     "|size_t |uint",
     "gcc -O3 -S -o -", "-x c ", true},
};

const language *tacho_language_of_name(const char *name)
{
    char ending[16];
    const char *dot = strrchr(name, '.');
    if (!dot || strlen(dot) > 8)
        return NULL;
    if (!strcmp(dot, ".C"))
        dot = ".cpp";
    size_t n = (size_t)snprintf(ending, sizeof ending, " %s ", dot);
    for (size_t i = 0; i < n; i++)
        ending[i] = (char)tolower((unsigned char)ending[i]);
    for (size_t i = 0; i < sizeof languages / sizeof *languages; i++)
        if (strstr(languages[i].endings, ending))
            return &languages[i];
    return NULL;
}

static bool line_begins(const char *line, size_t length, const char *words)
{
    for (const char *w = words; *w; w += strspn(w, "|")) {
        size_t n = strcspn(w, "|");
        bool begins = length >= n && !memcmp(line, w, n);
        if (begins && !(w[n - 1] == ' ' && length > n && strchr("0123456789$", line[n])))
            return true; /* "int $3" is an instruction */
        w += n;
    }
    return false;
}

static bool has_line(const char *text, size_t size, const char *words)
{
    for (size_t at = 0; at < size;) {
        const char *line = text + at, *end = memchr(line, '\n', size - at);
        size_t length = end ? (size_t)(end - line) : size - at;
        at += length + 1;
        tacho_str_trim(&line, &length);
        if (line_begins(line, length, words))
            return true;
    }
    return false;
}

const language *tacho_language_of_text(const char *text, size_t size)
{
    enum {
        LOOKED_AT = 64 << 10
    };
    if (tacho_is_listing(text, size))
        return NULL;
    size = size < LOOKED_AT ? size : LOOKED_AT;
    bool braces = memchr(text, '{', size) && memchr(text, '}', size);
    for (size_t i = 0; i < sizeof languages / sizeof *languages; i++) {
        if ((braces || !languages[i].braces) && has_line(text, size, languages[i].words))
            return &languages[i];
    }
    return NULL;
}
