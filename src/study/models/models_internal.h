/* models_internal.h - what a predictor is made of. A new one is a file with a model_kind and a line in
 * models.c. */
#ifndef MODELS_MODELS_H
#define MODELS_MODELS_H

#include "base/process.h"
#include "tacho/models.h"
#include "x86/arch/arch_struct.h"

/* Collects the names of a list. */
typedef struct model_names model_names;
/* `missing`: NULL or why it cannot be opened. Copies all. */
void model_names_add(model_names *names, const char *name, const char *summary, const char *missing);

typedef struct model_kind {
    bool external;
    /* Whether a model of that name is one of these, installed or not. */
    bool (*knows)(const char *name);
    /* Says which names there are; NULL: none that could be known. `arch` may be NULL. */
    void (*list)(model_names *names, const tacho_arch *arch);
    /* Fills model->state and, where it is known, model->version. After a failure close is not called. */
    int (*open)(tacho_model *model, tacho_error *err);
    /* Fills each result; they come as FAILED, without an answer. */
    int (*run)(tacho_model *model, const tacho_model_block *blocks, size_t count, tacho_model_result *results,
               tacho_error *err);
    void (*close)(tacho_model *model);
} model_kind;

struct tacho_model {
    const model_kind *kind;
    char *name;
    const tacho_arch *arch;
    tacho_model_options options;
    char version[64];
    bool runs_once; /* it looks at a block's `once` */
    void *state;    /* the kind's */
};

extern const model_kind model_tacho, model_baseline, model_llvm_mca, model_known_tools, model_description;

/* OK with these cycles if they are a positive finite number, else FAILED. */
void model_result_cycles(tacho_model_result *r, double cycles);
/* No prediction; the message is cut to one line that fits. */
void model_result_fail(tacho_model_result *r, tacho_model_status status, const char *format, ...)
    TACHO_PRINTF(3, 4);

/* ---- what the adapters of other people's tools share ---- */

enum {
    EXTERNAL_PATH_SIZE = 4096,
    EXTERNAL_OUTPUT_BYTES = 256 << 20 /* more is an error of the tool */
};

/* What each tool calls a microarchitecture. */
typedef enum external_names {
    NAMES_TACHO,
    NAMES_LLVM,  /* -mcpu, also of compilers */
    NAMES_OSACA, /* --arch */
    NAMES_UICA,  /* -arch */
    NAMES_IACA,  /* -arch, version 3.0 */
    NAMES_COUNT
} external_names;
/* NULL where the tool does not know it; for NAMES_TACHO and NAMES_LLVM never. */
const char *external_arch(external_names names, const tacho_arch *arch);

/* What a run of a tool came to. */
typedef struct external_run {
    tacho_str out, errors;
    tacho_process_end end;
} external_run;
/* Runs argv (argv[0] is what it calls itself) with `input` as standard input; the texts of an earlier run are
 * replaced. @return 0; TACHO_ERR_SYSTEM, TACHO_ERR_MEMORY or TACHO_ERR_CANCELLED (as the model's options
 * want) */
int external_start(external_run *run, const tacho_model *m, const char *path, const char *const *argv,
                   const char *directory, const tacho_str *input, double seconds, tacho_error *err);
void external_free(external_run *run);
/* How long a process may take that gets this many blocks. */
double external_seconds(const tacho_model *m, size_t blocks);
/* Says in `r` why the run gave nothing: it took too long, crashed, or what it complained of first. */
void external_blame(tacho_model_result *r, const external_run *run, const char *tool);
/* "LLVM version 14.0.6" out of a text that has it, with what else should be said; "" where it has not. */
void external_version(tacho_model *m, const char *text, const char *start, const char *detail);

/* ---- tools that are run once for each block: what is known of one, and what runs it ---- */

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
