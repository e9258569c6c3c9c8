/* source.h - what subcommands that take INPUT share: where the code comes from, and the registers before it.
 */
#ifndef TACHO_CLI_SOURCE_H
#define TACHO_CLI_SOURCE_H

#include "app/cli/cli.h"

enum {
    SOURCE_FIRST = 500, /* ids of these options */
    SOURCE_SYNTAX = SOURCE_FIRST,
    SOURCE_SYMBOL,
    SOURCE_SECTION,
    SOURCE_RANGE,
    SOURCE_RAW,
    SOURCE_HEX,
    SOURCE_IGNORE_MARKERS,
    SOURCE_OUTPUT_SYNTAX,
    SOURCE_OUTPUT_VARIANT,
    SOURCE_REGION,
    SOURCE_LIST_REGIONS,
    SOURCE_CC,
    SOURCE_END
};

#define SOURCE_OPTIONS                                                                                       \
    {SOURCE_SYNTAX, "syntax", 0, "SYNTAX auto|intel|att",                                                    \
     "of assembly text: att or intel (default: AT&T unless\nthe text says .intel_syntax)"},                  \
        {SOURCE_SYMBOL, "symbol", 's', "NAME",                                                               \
         "this function of an object file or executable; where symbols\nare stripped, its address, 0x..."},  \
        {SOURCE_SECTION, "section", 0, "NAME", "this section (default: .text)"},                             \
        {SOURCE_RANGE, "range", 0, "START:END", "addresses (or offsets), END excluded; 0x for hex"},         \
        {SOURCE_RAW, "raw", 0, NULL, "INPUT is machine code and nothing else"},                              \
        {SOURCE_HEX, "hex", 0, "BYTES", "this machine code, in place of INPUT"},                             \
        {SOURCE_IGNORE_MARKERS, "ignore-markers", 0, NULL,                                                   \
         "do not look for IACA, OSACA and LLVM-MCA markers"},                                                \
        {SOURCE_REGION, "region", 0, "NAME",                                                                 \
         "of several regions between markers this one, by name or number"},                                  \
        {SOURCE_LIST_REGIONS, "list-regions", 0, NULL, "only list the regions of INPUT"},                    \
    {                                                                                                        \
        SOURCE_CC, "cc", 0, "COMMAND", "INPUT is source code, which this compiles: 'gcc -O3'"                \
    }

/** For commands whose reports show instructions. */
#define OUTPUT_SYNTAX_OPTIONS                                                                                \
    {SOURCE_OUTPUT_SYNTAX, "output-syntax", 0, "SYNTAX auto|source|att|intel",                               \
     "of instructions in reports: auto (default: assembly text as\nit was typed, else Intel), source (and "  \
     "its "                                                                                                  \
     "comments), or\ndisassembled: att, intel"},                                                             \
        {SOURCE_OUTPUT_SYNTAX, "x86-asm-syntax", 0, "SYNTAX auto|source|att|intel", NULL},                   \
    {                                                                                                        \
        SOURCE_OUTPUT_VARIANT, "output-asm-variant", 0, "N 0|1", NULL                                        \
    }

/** --output-syntax, in the order of its words. */
typedef enum source_style {
    SOURCE_STYLE_AUTO,
    SOURCE_STYLE_SOURCE,
    SOURCE_STYLE_ATT,
    SOURCE_STYLE_INTEL
} source_style;

/** Where the code comes from. Start with SOURCE_INIT. */
typedef struct source {
    const char *input, *hex, *batch;
    tacho_code_options code;
    bool raw, list_regions;
    const char *cc;
    char *text; /* what was read ahead, or compiled; else NULL */
    size_t text_size;
    source_style style; /* of instructions in reports */
} source;
#define SOURCE_INIT                                                                                          \
    {                                                                                                        \
        NULL, NULL, NULL, TACHO_CODE_OPTIONS_INIT, false, false, NULL, NULL, 0, SOURCE_STYLE_AUTO            \
    }

/** Takes INPUT. @return false with a message */
bool source_input(source *s, const char *value);
/** Takes one of SOURCE_OPTIONS; `option` is how it was typed. @return false with a message */
bool source_option(source *s, int id, const char *option, const char *value);
/** Options that contradict each other; INPUT is standard input where nothing else was given.
 *  @return false with a message */
bool source_check(source *s);
/** For messages: "--hex", "standard input" or the file's name. */
const char *source_name(const source *s);
/** How reports write the instructions of code that begins at `address`; `typed` is what is known of it. */
tacho_listing source_listing(source_style style, const tacho_typed *typed, size_t typed_count,
                             uint64_t address);
/** Compiles what --cc says is to be; standard input is read, so that source_load and source_find_loops can
 * both have it. Called by these where it was not before. Free with source_free.
 *  @return an exit status; unless CLI_OK with a message */
int source_open(source *s);
/** @return an exit status; unless CLI_OK with a message */
int source_load(source *s, tacho_code **code);
/** The same for its innermost loops; `options->code` is filled in. */
int source_find_loops(source *s, tacho_loops_options *options, tacho_loops **loops);
/** --list-regions. @return an exit status */
int source_list(source *s);
void source_free(source *s);
/* source_cc.c: of source_open */
int source_compile(source *s);

/** Registers before the first iteration: --init. */
typedef struct initial_state {
    tacho_init init;
    uint64_t known[16];
    uint16_t known_mask; /* bit n: register n has the value known[n] */
    tacho_alias aliases[TACHO_MAX_ALIASES];
    size_t alias_count;
} initial_state;

#define INITIAL_STATE_HELP                                                                                   \
    "registers before the first iteration: distinct (default),\naligned, same, and/or REG=VALUE,..."

#define ALIAS_OPTIONS(alias, no_alias)                                                                       \
    {alias, "alias", 0, "REG=REG+N,...",                                                                     \
     "what is known of pointers before the first iteration:\nrax=rbx+8; may be given several times"},        \
    {                                                                                                        \
        no_alias, "noalias", 0, NULL,                                                                        \
            "no two registers, nor pointers in memory, lead to the same\nplace, whatever --init says, but "  \
            "by "                                                                                            \
            "--alias"                                                                                        \
    }

/** @return false with a message */
bool initial_state_parse(initial_state *s, const char *value);
/** --alias: "rax=rbx+8,rcx=rbx". @return false with a message */
bool initial_state_alias(initial_state *s, const char *value);

#endif
