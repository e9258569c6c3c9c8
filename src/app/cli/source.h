/* source.h - what subcommands that take INPUT share: where the code comes from, and the registers before it.
 */
#ifndef TACHO_CLI_SOURCE_H
#define TACHO_CLI_SOURCE_H

#include "app/cli/cli.h"

/** Options of a source: INPUT and which part of it is meant, also which loops; how reports write
 * instructions.
 */
extern const cli_option source_rows[], source_parts_rows[], listing_rows[];

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
    const char *second; /* another INPUT, where there may be two */
    bool takes_two;
    tacho_code_options code;
    bool raw, list_regions;
    const char *cc;
    bool loops, straight, keep_mangled;
    uint64_t loop; /* the number of a loop, or SOURCE_ALL_LOOPS */
    uint64_t top;  /* loops in full, or SOURCE_TOP_DEFAULT */
    /* Of the subcommand: what it does with parts, "predicted"; the option by which INPUT is one block, or
     * NULL. */
    const char *done, *one_block;
    char *text; /* what was read ahead, or compiled; else NULL */
    size_t text_size;
    source_style style; /* of instructions in reports */
} source;
#define SOURCE_ALL_LOOPS   UINT64_MAX
#define SOURCE_TOP_DEFAULT (UINT64_MAX - 1)
#define SOURCE_INIT                                                                                          \
    {                                                                                                        \
        .code = TACHO_CODE_OPTIONS_INIT, .loop = SOURCE_ALL_LOOPS, .top = SOURCE_TOP_DEFAULT                 \
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

/** Which parts of an input are meant. */
typedef struct source_parts {
    tacho_code *code;   /**< NULL where loops were asked for */
    tacho_loops *loops; /**< NULL: the regions of `code` are meant */
    size_t first, end;  /**< of the loops, or regions, those that are meant */
    bool implied;       /**< loops, though nobody has asked for them: the input holds several blocks */
    char said[300];     /**< that this is so, or that there is no loop, as a sentence; "" */
} source_parts;
/** One of them. */
typedef struct source_part {
    tacho_region region; /**< borrowed from the parts; of a loop the bytes of its path, NULL without one */
    tacho_listing listing;
    char name[120]; /**< a loop's, which is the region's, too: it may not be copied */
} source_part;
/** source_check calls it: the options of source_parts_rows. */
bool source_parts_check(const source *s);
/** The parts that the options mean, or with branches its innermost loops. Regions as source_load, loops as
 * source_find_loops. @return an exit status; unless CLI_OK with a message; free the parts in any case */
int source_parts_find(source *s, source_parts *out);
/** The same for what takes its time for each part: the first ones of several loops, ten without --top. What
 * there is to say of all of the input are notes. That --loops has found none is an error. */
int source_parts_each(source *s, source_parts *out);
void source_part_get(const source *s, const source_parts *parts, size_t n, source_part *out);
void source_parts_free(source_parts *parts);

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
