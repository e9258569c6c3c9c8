/* cli.h - what the subcommands of the program share: the table of commands, options, messages. */
#ifndef TACHO_CLI_CLI_H
#define TACHO_CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tacho/tools.h"

/** Exit statuses that scripts rely on. */
enum {
    CLI_OK = 0,
    CLI_INPUT = 1,  /* the input could not be analysed */
    CLI_USAGE = 2,  /* wrong usage */
    CLI_PARTIAL = 3 /* some of a batch failed */
};

/** An option; `value` names its argument and is NULL for a switch: what ARCH, FILE and DIR stand for is
 * known, and behind a blank may be the words that it can be ("FORMAT text|json"). One without help text is an
 *  accepted other name that help does not list. `id` is what cli_next returns. */
typedef struct cli_option {
    int id;
    const char *name;
    char letter;
    const char *value;
    const char *help;
} cli_option;

typedef struct cli_command {
    const char *name;
    int (*run)(int argc, char **argv); /* argv[0] is the command's name */
    const char *summary;               /* one line */
    const char *usage;                 /* what follows "tacho NAME" */
    const cli_option *options;         /* the last has id 0 */
    const char *more;                  /* text after the options in the help; may be NULL */
} cli_command;

extern const cli_command cli_predict, cli_measure, cli_deps, cli_extract, cli_suite, cli_eval, cli_kernels,
    cli_hot, cli_arch, cli_insn, cli_doctor, cli_compare, cli_bias, cli_completion;
/** All commands in the order of the overview; a NULL after the last one. */
extern const cli_command *const cli_commands[];
/** Those of "tacho suite", whose names begin with "suite ". */
extern const cli_command *const cli_suite_commands[];

/** Columns of the name of an option's argument; 0 for a switch. */
int cli_value_name_length(const cli_option *o);

/** Walks over arguments: "--opt value", "--opt=value", "-o value", "-ovalue" and, as llvm-mca and uiCA
 *  accept, "-opt value". After "--" all is positional. */
typedef struct cli_parser {
    const cli_command *command;
    int argc, at;
    char **argv;
    bool only_positional;
    char typed[40]; /* the last option as it was given, without a value: "--align", "-j" */
} cli_parser;

enum {
    CLI_END = 0,
    CLI_POSITIONAL = -1,
    CLI_WRONG = -2, /* a message has been written */
    CLI_HELP = -3
};

void cli_parse_start(cli_parser *p, const cli_command *command, int argc, char **argv);
/** The next option's id with its value, or one of the above. */
int cli_next(cli_parser *p, const char **value);

/** Writes "tacho: ..." to standard error. */
void cli_error(const char *format, ...) TACHO_PRINTF(1, 2);
/** The same for wrong usage. @return CLI_USAGE */
int cli_usage_error(const char *format, ...) TACHO_PRINTF(1, 2);
void cli_note(const char *format, ...) TACHO_PRINTF(1, 2);
/** Writes the command's help to standard output. @return CLI_OK */
int cli_help(const cli_command *command);

/** Parses one of the words of `choices` ("a|b|c"). @return its index, or -1 with a message. */
int cli_choice(const char *option, const char *value, const char *choices);
/** Parses a whole number in [low, high]. @return false with a message. */
bool cli_number(const char *option, const char *value, uint64_t low, uint64_t high, uint64_t *out);
bool cli_number32(const char *option, const char *value, uint32_t low, uint32_t high, uint32_t *out);

/** Parses a number of seconds above 0. @return false with a message. */
bool cli_seconds(const char *option, const char *value, double *out);

typedef enum cli_format {
    CLI_TEXT = 0,
    CLI_JSON,
    CLI_CSV
} cli_format;

enum {
    CLI_MAX_ARCHS = 64
};
/** Microarchitectures by a list of names, "all", or NULL: the one of this machine, else SKL, which sets
 *  `fallback`. @return their number, or -1 with a message. */
int cli_find_archs(const char *names, const tacho_arch **out, bool *fallback);
/** The note for that, where there is a result that it could be about. */
void cli_note_fallback(int status, bool fallback);

/** Processors that this process may use, at most 256. */
unsigned cli_processors(void);

/** Whether standard output gets colours: `when` is "auto", "always" or "never" as 0, 1, 2. */
bool cli_use_colour(int when);

#endif
