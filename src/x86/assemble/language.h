/* language.h - what a text is that nobody wrote for an assembler: source code in another language, or what a
 * disassembler prints. */
#ifndef TACHO_ASSEMBLE_LANGUAGE_H
#define TACHO_ASSEMBLE_LANGUAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/private.h"

typedef struct language {
    const char *name;
    const char *endings;    /* of file names, each with a blank before and behind */
    const char *words;      /* one of them begins a line of it; separated by | */
    const char *command;    /* which compiles it to assembly text on standard output; NULL: none does */
    const char *from_input; /* what this needs to read standard input, before the "-" */
    bool braces;            /* it has some */
} language;

/** By the ending of a file's name; NULL: of none. */
TACHO_PRIVATE const language *tacho_language_of_name(const char *name);
/** Of a text that is no assembly: what it seems to be; NULL unknown. */
TACHO_PRIVATE const language *tacho_language_of_text(const char *text, size_t size);
/** disassembly.c: whether a disassembler has printed it. */
TACHO_PRIVATE bool tacho_is_listing(const char *text, size_t size);

#endif
