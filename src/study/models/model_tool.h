/* model_tool.h - tools that are run once for each block: what is known of one, and what runs it. */
#ifndef MODELS_TOOL_H
#define MODELS_TOOL_H

#include "study/models/models_internal.h"

/* What a tool reads. */
typedef enum tool_input {
    TOOL_ASM_ATT,   /* with a label before each instruction that a branch goes to */
    TOOL_ASM_INTEL, /* the same, after .intel_syntax noprefix */
    TOOL_HEX,       /* digits, and a line end */
    TOOL_RAW,       /* the bytes */
    TOOL_OBJECT,    /* a relocatable ELF file with them in .text */
    TOOL_INPUT_COUNT
} tool_input;
/* "asm-att", "asm-intel", "hex", "raw", "object" */
const char *tool_input_name(tool_input input);

/* A tool. Strings are borrowed; patterns are POSIX extended regular expressions, in which ^ and $ are ends of
 * lines. In the command, placeholders stand for: {file} the input's path, {hex} the block in hex, {arch} what
 * the tool calls the microarchitecture, {mcpu} what LLVM does, {mode} loop or unroll, {dir} where the
 * description is; "{{" is a brace. */
typedef struct tool_description {
    const char *const *command; /* ends in NULL; the first is looked for in PATH, or if it has a '/' and is
                                   relative, in `directory` */
    const char *missing;        /* what to do where it is not there */
    tool_input input;
    const char *before, *after;   /* text around assembly; NULL none */
    bool iaca_markers;            /* IACA's bytes around raw code and objects */
    bool on_stdin;                /* the input comes on standard input; else {file} is it */
    const char *pattern;          /* the first group is the number; matched with standard output */
    double (*read)(const char *); /* instead of the pattern: the number out of the output; NaN: not there */
    double iterations;            /* that the number is for */
    const char *bottleneck;       /* pattern, NULL none; names in the first group, comma or space between */
    const char *unsupported;      /* pattern, NULL none: where outputs match, the block is UNSUPPORTED */
    bool mode_by_branch;          /* loop or unroll by the last instruction, whatever is asked for */
    double timeout_seconds;       /* 0: the options' */
    const char *directory;        /* {dir}; NULL: there is no such placeholder */
} tool_description;

/* model_kind's functions. `arch` is what {arch} stands for; `keep`, if not NULL, is given back with `release`
 * when the model is closed (also when opening fails). */
int tool_open(tacho_model *m, const tool_description *tool, const char *arch, void *keep,
              void (*release)(void *), tacho_error *err);
int model_tool_run(tacho_model *m, const tacho_model_block *blocks, size_t count, tacho_model_result *results,
                   tacho_error *err);
void tool_close(tacho_model *m);

/* The block as a tool reads it, replacing what is in `out`. @return 0; TACHO_ERR_INPUT with a message: it is
 * not decodable (assembly only); TACHO_ERR_MEMORY */
int tool_write(tacho_str *out, const tool_description *tool, const tacho_model_block *block,
               tacho_error *err);
/* Whether the last instruction that can be decoded is a branch. */
bool tool_ends_in_branch(const tacho_model_block *block);

#endif
