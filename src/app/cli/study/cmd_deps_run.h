/* cmd_deps_run.h - tacho deps --run: the dependencies of a run beside those that are found without one. */
#ifndef TACHO_CLI_DEPS_RUN_H
#define TACHO_CLI_DEPS_RUN_H

#include "app/cli/cli.h"
#include "app/cli/running.h"

typedef struct deps_run_request {
    tacho_deps_run_options options;
    char **command;     /* ends in NULL; NULL: none was given */
    const char *output; /* "-", NULL: standard output */
    running running;
    uint32_t top; /* dependencies in the text */
    bool quiet;
    cli_format format;
    int colour; /* as cli_use_colour takes it */
} deps_run_request;
#define DEPS_RUN_REQUEST_INIT                                                                                \
    {                                                                                                        \
        .options = TACHO_DEPS_RUN_OPTIONS_INIT, .running = RUNNING_INIT, .top = 20                           \
    }

/** Takes "any,1024,512", in a deps_run_request. @return false with a message */
bool deps_run_lifetimes(void *request, const char *option, const char *value);
/** @return an exit status */
int deps_run(deps_run_request *r);

#endif
