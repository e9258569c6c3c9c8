/* cli.h - what the subcommands of the program share: the table of commands, options, messages,
 * microarchitectures, memories. */
#ifndef TACHO_CLI_CLI_H
#define TACHO_CLI_CLI_H

#include <jansson.h>

#include "base/str.h"
#include "tacho/arch.h"
#include "tacho/memory.h"
#include "tacho/tools.h"
#include "x86/arch/arch_struct.h"

/** Exit statuses that scripts rely on. */
enum {
    CLI_OK = 0,
    CLI_INPUT = 1,  /* the input could not be analysed */
    CLI_USAGE = 2,  /* wrong usage */
    CLI_PARTIAL = 3 /* some of a batch failed */
};

/** What an option's row puts into its target, the member of the command's request that it names. */
typedef enum cli_kind {
    CLI_END,     /* behind the last row */
    CLI_GROUP,   /* `rows`, which are of the struct at the target */
    CLI_TITLE,   /* of the options behind it in the help: `help` */
    CLI_SWITCH,  /* true */
    CLI_SET,     /* `low` */
    CLI_BITS,    /* its old value with the bits of `low` set */
    CLI_IGNORED, /* accepted, and nothing else */
    CLI_STRING,  /* as it is */
    CLI_CHOICE,  /* `low` plus the number of the word in `value` */
    CLI_WHOLE,   /* a whole number from `low` to `high`, or all ones for `word` */
    CLI_REAL,    /* a number from `least` to `most` */
    CLI_PERCENT, /* the same in percent; the target gets a share */
    CLI_SECONDS, /* a time, above 0 or from `least` to `most` */
    CLI_FILE,    /* a name that ends as one of `ends` */
    CLI_CALL,    /* `take` is called */
    CLI_WORDS,   /* appended to a cli_words */
    CLI_COMMAND  /* all behind "--", as char ** */
} cli_kind;

/** Type of a target. */
typedef enum cli_type {
    CLI_OTHER,
    CLI_BOOL,
    CLI_INT,
    CLI_U32, /* and enumerations */
    CLI_U64,
    CLI_DOUBLE
} cli_type;

/** An option in one row; help, completion and the check of the manual pages have it from there, too. `value`
 * names its argument and is NULL for a switch: what ARCH, FILE and DIR stand for is known, and behind a blank
 * may be the words that it can be ("FORMAT text|json"). The row of arguments that are no options has the name
 * "", that of a command behind "--" the name "--". One without help text is accepted, but listed nowhere. */
typedef struct cli_option cli_option;
struct cli_option {
    cli_kind kind;
    const char *name;
    char letter;
    const char *value;
    const char *help;
    cli_type type; /* with the offset, CLI_AT */
    size_t offset;
    uint64_t low, high;
    double least, most;
    const char *also; /* names that are accepted besides: "mcpu|march" */
    const char *word, *ends;
    const cli_option *rows;
    bool (*take)(void *target, const char *option, const char *value); /* false with a message */
    /* Of an option, or of all in a group: */
    size_t sets; /* CLI_SETS: a bool that becomes true */
    size_t mark; /* CLI_MARK: a cli_name that gets the option as it was given */
    bool once;   /* must not be given again */
    bool many;   /* arguments behind it are further values, up to the next option */
};

/** In the rows: the target, a member of CLI_REQUEST, which each table defines. */
#define CLI_AT(member)                                                                                       \
    .type = _Generic(((CLI_REQUEST *)0)->member, bool                                                        \
                     : CLI_BOOL, int                                                                         \
                     : CLI_INT, uint32_t                                                                     \
                     : CLI_U32, uint64_t                                                                     \
                     : CLI_U64, double                                                                       \
                     : CLI_DOUBLE, default                                                                   \
                     : CLI_OTHER),                                                                           \
    .offset = offsetof(CLI_REQUEST, member)
/** Of a group: the struct that its rows are of. */
#define CLI_TO(member) .offset = offsetof(CLI_REQUEST, member)
/** All of the request. */
#define CLI_ALL          .offset = 0
#define CLI_SETS(member) .sets = offsetof(CLI_REQUEST, member) + 1
#define CLI_MARK(member) .mark = offsetof(CLI_REQUEST, member) + 1

typedef char cli_name[40];
/** Arguments that are no options, in the front of argv. */
typedef struct cli_words {
    char **list;
    size_t count;
} cli_words;

/** Rows that commands share: the form of the result (an int `format`), and colours (an int `colour`). */
#define CLI_FORMAT_ROWS(words, help)                                                                         \
    {CLI_CHOICE, "format", 'f', "FORMAT " words, help, CLI_AT(format)},                                      \
    {                                                                                                        \
        CLI_SET, "json", 0, NULL, "the same as --format json", CLI_AT(format), .low = CLI_JSON               \
    }
#define CLI_COLOUR_ROW                                                                                       \
    {                                                                                                        \
        CLI_CHOICE, "color", 0, "WHEN auto|always|never", "auto (default), always or never", CLI_AT(colour), \
            .also = "colour"                                                                                 \
    }

typedef struct cli_command {
    const char *name;
    const char *summary; /* one line */
    const char *usage;   /* what follows "tacho NAME" */
    const cli_option *options;
    const char *more;          /* text after the options in the help; may be NULL */
    int (*run)(void *request); /* @return an exit status */
    const void *request;       /* what the request is where no option says otherwise */
    size_t request_size;
    int (*dispatch)(int argc, char **argv); /* of "suite", instead: to a command of its own */
} cli_command;
/** Defines a command: its name, what it does, its usage, options, further help; the function that runs it,
 * the type of its request, and members of that which are not 0. */
#define CLI_DEFINE(command, title, does, how, rows, text, function, type, ...)                               \
    const cli_command command = {.name = title,                                                              \
                                 .summary = does,                                                            \
                                 .usage = how,                                                               \
                                 .options = rows,                                                            \
                                 .more = text,                                                               \
                                 .run = function,                                                            \
                                 .request = &(const type){__VA_ARGS__},                                      \
                                 .request_size = sizeof(type)}

/** Further help of commands: help/NAME.txt, which the build embeds. */
extern const char help_arch[], help_bias[], help_cluster[], help_compare[], help_completion[], help_dedup[],
    help_deps[], help_doctor[], help_eval[], help_extract[], help_filter[], help_insn[], help_kernels[],
    help_learn[], help_loops[], help_measure[], help_predict[], help_sample[];
extern const cli_command cli_predict, cli_measure, cli_deps, cli_extract, cli_suite, cli_eval, cli_kernels,
    cli_hot, cli_arch, cli_insn, cli_doctor, cli_learn, cli_compare, cli_bias, cli_completion;
/** All commands in the order of the overview; a NULL after the last one. */
extern const cli_command *const cli_commands[];
/** Whether whoever runs the program may ask for an option, or give an argument, with this value (NULL of a
 * switch); `last`: nothing stands behind it. Always, unless the program has a function of its own of this
 * name. @return false with a message */
bool cli_allows(const cli_option *o, const char *value, bool last);
/** Those of "tacho suite", whose names begin with "suite ". */
extern const cli_command *const cli_suite_commands[];
/** The command with this name behind `prefix`. @return NULL with a message */
const cli_command *cli_find_command(const cli_command *const *commands, const char *prefix, const char *name);

/** The rows of a command one after the other, those of groups, too: see cli_walk_start. */
typedef struct cli_walk {
    struct {
        const cli_option *next;
        size_t base; /* offset of the group's struct */
        size_t sets, mark;
    } level[4];
    int depth;
    const char *title; /* that has come since the option before; or NULL */
} cli_walk;
static inline cli_walk cli_walk_start(const cli_command *c)
{
    return (cli_walk){.level = {{.next = c->options}}};
}
/** @return NULL behind the last one */
const cli_option *cli_walk_next(cli_walk *w);

/** Runs the command with what its rows make of the words behind argv[0]: "--opt value", "--opt=value",
 *  "-o value", "-ovalue" and, as llvm-mca and uiCA accept, "-opt value". After "--" nothing is an option.
 *  @return the exit status */
int cli_run(const cli_command *command, int argc, char **argv);

/** Writes "tacho: ..." to standard error. */
void cli_say_error(const char *format, ...) TACHO_PRINTF(1, 2);
/** The same as an expression for what a function returns: false, CLI_INPUT, CLI_USAGE. */
#define cli_error(...)                                                                                       \
    ({                                                                                                       \
        cli_say_error(__VA_ARGS__);                                                                          \
        false;                                                                                               \
    })
#define cli_input_error(...) (cli_error(__VA_ARGS__) ? CLI_OK : CLI_INPUT)
#define cli_usage_error(...) (cli_error(__VA_ARGS__) ? CLI_OK : CLI_USAGE)
void cli_note(const char *format, ...) TACHO_PRINTF(1, 2);
/** The exit status for what a function of the library has returned, with its message where it has failed. */
int cli_status(int rc, const tacho_error *err);
enum {
    CLI_OFFSET_SIZE = 48
};
/** What stands before a message on code that begins at `start`: "offset 0x10: ", or with `of` behind the
 * number; "" where the offset is below 0. @return out */
const char *cli_offset(char out[CLI_OFFSET_SIZE], uint64_t start, int64_t offset, const char *of);

/** Parses one of the words of `choices` ("a|b|c"). @return its index, or -1 with a message. */
int cli_choice(const char *option, const char *value, const char *choices);
/** Parses a whole number in [low, high]. @return false with a message. */
bool cli_number32(const char *option, const char *value, uint32_t low, uint32_t high, uint32_t *out);

/** A word of a list; what is longer than all words that there are loses its end. */
typedef char cli_word[256];
/** The words of a list with commas, one after the other, also empty ones; *rest is the list first, and NULL
 *  behind the last one. @return false: there was none */
bool cli_next_word(const char **rest, cli_word word);

typedef enum cli_format {
    CLI_TEXT = 0,
    CLI_JSON,
    CLI_CSV
} cli_format;

enum {
    CLI_MAX_ARCHS = 64
};
/** Microarchitectures by a list of names or files (cli_find_core), "all", or NULL: the one of this machine,
 * else SKL, which sets `fallback`. @return their number, or -1 with a message. */
int cli_find_archs(const char *names, const tacho_arch **out, bool *fallback);
/** The note for that, where there is a result that it could be about. */
void cli_note_fallback(int status, bool fallback);

/** Processors that this process may use, at most 256. */
unsigned cli_processors(void);

/** Whether standard output gets colours: `when` is "auto", "always" or "never" as 0, 1, 2. */
bool cli_use_colour(int when);

/* ---- microarchitectures by what a user calls them: a name, or the file of a model ---- */

/** A built-in one by name or alias, "native", or the one that a file describes: what has a '/' or ends in
 *  ".tacho", and other names of files that no core has. Files are read once and stay until cli_forget_cores.
 *  @return NULL with a message */
const tacho_arch *cli_find_core(const char *name, tacho_error *err);
/** What "native" means: what was learnt of this processor (below), else the built-in core. @return NULL
 * with a message */
const tacho_arch *cli_native_core(tacho_error *err);
/** Whether it is one of the two, or another one of this processor (tacho_arch_is_native). */
bool cli_is_native(const tacho_arch *arch);
/** Where `name` is a file with something wrong in it, all of that goes to standard error. @return how much */
size_t cli_say_problems_of_core(const char *name);
void cli_forget_cores(void);

/* ---- what was learnt of this machine's processor, kept in the user's cache folder: one file for each
 * processor and microcode. It is what "native" means to the program, unless the environment variable
 * TACHO_NO_LEARNT is set and not empty ---- */

enum {
    LEARNT_PATH_SIZE = 600
};

/** What is in force, for people, with what the model says of itself; nothing where nothing is. */
void learnt_text(tacho_str *out);
/** {"file", "days", "says": [...]}, `days` null where nothing was learnt; null where it is switched off. */
json_t *learnt_json(void);

/* ---- the description of a memory that --memory names, or that of this machine ---- */

/** `name`: a core of whose machine tacho has one, else a file; NULL: the one of this machine that is kept.
 *  @return a CLI_ status, with a message */
int cli_memory(tacho_memory *out, const char *name);
/** Whether this machine has such a core. */
bool cli_memory_fits(const tacho_arch *arch);
/** The same for predictions of `arch`: of another core's machine only where it is named. */
int cli_memory_of(tacho_memory *out, const char *name, const tacho_arch *arch);
/** The number of the level that `text` names, or that holds as many bytes. @return a CLI_ status, with a
 * message */
int cli_data_level(uint32_t *out, const tacho_memory *m, const char *text);

/* ---- what the command line had in the version before ---- */

/** Whether the command had this option ("--import"), value of one ("--format latex") or subcommand ("join" of
 * "suite"), with a message that says what is there instead. */
bool cli_is_gone(const char *command, const char *word, size_t length);

#endif
