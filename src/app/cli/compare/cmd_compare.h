/* cmd_compare.h - what the parts of tacho compare share. */
#ifndef TACHO_CLI_COMPARE_H
#define TACHO_CLI_COMPARE_H

#include "app/cli/running.h"
#include "app/report/compare/report_compare.h"
#include "base/arena.h"

/** For --fail-if; different is both. */
enum {
    COMPARE_FAIL_SLOWER = 1,
    COMPARE_FAIL_FASTER = 2
};

/** For --fail-if: from which difference on. */
typedef struct compare_limit {
    int what;     /**< COMPARE_FAIL_SLOWER, _FASTER, both; 0: never */
    double above; /**< a fraction; 0: what the threshold makes interesting */
} compare_limit;

enum {
    COMPARE_FAILED = 4, /**< exit status, by --fail-if */
    COMPARE_MAX_COMMANDS = 100
};

/** What is compared; the first one with each of the others. */
typedef struct compared_commands {
    tacho_command list[COMPARE_MAX_COMMANDS];
    size_t count;
    arena memory; /* of their words, where they were written as one */
} compared_commands;

typedef struct compare_names {
    const char *list[COMPARE_MAX_COMMANDS]; /**< of the commands, in their order; NULL */
    size_t count;
} compare_names;

/** What was asked for. */
typedef struct compare_request {
    tacho_compare_options compare;
    running running;
    compared_commands commands;
    compare_names names;
    const char *input;
    tacho_compare_hooks hooks[2]; /**< the same for both */
    const char *separator, *samples, *save;
    cli_name run_option; /**< one that only runs have, as it was given; "" */
    compare_limit limit;
    int format, colour;
    bool quiet;
    char **rest;     /**< behind "--"; NULL: there was none */
    cli_words lines; /**< else each a command */
    cli_output saved;
} compare_request;

/* cmd_compare_options.c */
extern const cli_option compare_options[];
/** What does not go together; finds the commands. @return an exit status */
int compare_check(compare_request *r);
/** Whether a verdict with this ratio reaches the limit. */
bool compare_reaches(const compare_limit *l, tacho_verdict verdict, double ratio, bool interesting);

#endif
