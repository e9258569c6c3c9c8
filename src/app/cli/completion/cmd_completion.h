/* cmd_completion.h - what a shell can complete, from the tables of commands and options. */
#ifndef TACHO_CLI_COMPLETION_H
#define TACHO_CLI_COMPLETION_H

#include "app/cli/cli.h"
#include "base/str.h"

/** What an argument can be. */
typedef enum completion_kind {
    COMPLETION_TEXT, /* nothing that could be completed */
    COMPLETION_WORD, /* one of `words` */
    COMPLETION_LIST, /* some of `words`, with commas */
    COMPLETION_ARCH,
    COMPLETION_FILE,
    COMPLETION_DIRECTORY,
    COMPLETION_ASK, /* what tacho itself says: `words` are of 'tacho completion --words' */
} completion_kind;

enum {
    COMPLETION_WORDS_SIZE = 200
};
/** Of an option's `value`; `words` are separated by blanks. */
completion_kind completion_of(const char *value, char words[COMPLETION_WORDS_SIZE]);
/** Of the arguments of a command that are no options. */
completion_kind completion_of_argument(const cli_command *command, char words[COMPLETION_WORDS_SIZE]);

/** Calls `f` for each command that has options: also for those of tacho suite, instead of it. */
void completion_each(void (*f)(tacho_str *out, const cli_command *command), tacho_str *out);
/** "native all SNB sandybridge ...": what -a takes. */
void completion_put_archs(tacho_str *out);
/** An option's first line of help in single quotes, as `shell` wants them: 'z'sh, 'f'ish. */
void completion_put_help(tacho_str *out, const char *help, char shell);

void completion_zsh(tacho_str *out);
void completion_fish(tacho_str *out);

#endif
