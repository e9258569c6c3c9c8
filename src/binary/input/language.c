/* language.c - source code given in place of assembly text, told by the name of the file or by what stands in
 * it. Asked only when the assembler has refused a text, so that no assembly text is ever taken for it. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "binary/input/input.h"

typedef struct language {
    const char *name;
    const char *endings;    /* of file names, each with a blank before and behind */
    const char *words;      /* one of them begins a line of it; separated by | */
    const char *command;    /* which compiles it to assembly text on standard output */
    const char *from_input; /* what this needs to read standard input, before the "-" */
    bool braces;            /* it has some */
} language;

/* In this order: the words of C occur in C++, too. */
static const language languages[] = {
    {"LLVM IR", " .ll ", "target triple|target datalayout|define |; ModuleID", "llc -O3 -o -", "", true},
    {"Rust", " .rs ", "fn |pub fn |use std|impl |pub struct |#[|unsafe fn ",
     "rustc -O --crate-type=lib --emit=asm -o -", "", true},
    {"Go", " .go ", "package |func ", NULL, NULL, true},
    {"Fortran", " .f .f90 .f95 .f03 .f08 .for ", "end subroutine|end program|end module|end function",
     "gfortran -O3 -S -o -", "-x f95 ", false},
    {"C++", " .cc .cpp .cxx .c++ .hpp .hh .hxx ",
     "template|namespace |using |class |std::|#include <vector>|#include <algorithm>|#include <iostream>|"
     "#include <cstd",
     "g++ -O3 -S -o -", "-x c++ ", true},
    {"C", " .c .h ",
     "#include |int |void |double |float |static |const |unsigned |struct |typedef |long |char |extern |"
     "size_t |uint",
     "gcc -O3 -S -o -", "-x c ", true},
};

static const language *by_name(const char *name)
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

static const language *by_content(const char *text, size_t size)
{
    enum {
        LOOKED_AT = 64 << 10
    };
    size = size < LOOKED_AT ? size : LOOKED_AT;
    bool braces = memchr(text, '{', size) && memchr(text, '}', size);
    for (size_t i = 0; i < sizeof languages / sizeof *languages; i++) {
        if ((braces || !languages[i].braces) && has_line(text, size, languages[i].words))
            return &languages[i];
    }
    return NULL;
}

bool input_describe_source(const input *in, const char *text, size_t size, char *out, size_t out_size)
{
    const language *l = by_name(in->name);
    bool file = strcmp(in->name, "standard input") != 0;
    const char *to_text;
    if (!l)
        l = by_content(text, size);
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
