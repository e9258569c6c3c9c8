/* source.h - what subcommands that take INPUT share: where the code comes from, and the registers before it.
 */
#ifndef TACHO_CLI_SOURCE_H
#define TACHO_CLI_SOURCE_H

#include "app/cli/cli.h"

/** Options of a source: INPUT and which part of it is meant; how reports write instructions. */
extern const cli_option source_rows[], listing_rows[];

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
bool source_input(void *source, const char *option, const char *value);
/** Options that contradict each other; INPUT is standard input where nothing else was given.
 *  @return false with a message */
bool source_check(source *s);
/** For messages: "--hex", "standard input" or the file's name. */
const char *source_name(const source *s);
/** How reports write the instructions of code that begins at `address`; `typed` is what is known of it. */
tacho_listing source_listing(source_style style, const tacho_typed *typed, size_t typed_count,
                             uint64_t address);
/** What is compiled or read from standard input stays in the source until source_free. @return an exit
 *  status; unless CLI_OK with a message */
int source_load(source *s, tacho_code **code);
/** The same for its innermost loops; `options->code` is filled in. */
int source_find_loops(source *s, tacho_loops_options *options, tacho_loops **loops);
/** --list-regions. @return an exit status */
int source_list(source *s);
void source_free(source *s);
/* source_cc.c: for --cc; the text is the source's then */
int source_compile(source *s);

/** Registers before the first iteration: --init. */
typedef struct initial_state {
    tacho_init init;
    uint64_t known[16];
    uint16_t known_mask; /* bit n: register n has the value known[n] */
    tacho_alias aliases[TACHO_MAX_ALIASES];
    size_t alias_count;
    bool no_alias;
} initial_state;

/** Puts it into the options of predictions, or of dependencies, whose members have the same names. */
#define INITIAL_STATE_PUT(options, state)                                                                    \
    ((options)->init = (state)->init, (options)->no_alias = (state)->no_alias,                               \
     (options)->known_mask = (state)->known_mask,                                                            \
     (options)->known_values = (state)->known_mask ? (state)->known : NULL,                                  \
     (options)->aliases = (state)->aliases, (options)->alias_count = (state)->alias_count)

/** --init, and --alias, in an initial_state. */
extern const cli_option init_rows[], alias_rows[];

/** Takes a value of --init. @return false with a message */
bool initial_state_parse(void *state, const char *option, const char *value);

#endif
