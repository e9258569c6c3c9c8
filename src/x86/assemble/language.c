/* language.c - source code given in place of assembly text, told by the name of the file or by what stands in
 * it. Asked only of a text that was refused, so that no assembly text is ever taken for it; a listing shows
 * source lines and is none. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "x86/assemble/language.h"

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
