/* explorer_commands.c - the only command of the program for Compiler Explorer, and those of its options that
 * a page's user may give. Their words reach the program as they were typed, on somebody's server: nothing
 * that runs another program, writes a file, or reads one but the page's, which is the last argument. */
#include <stdio.h>
#include <string.h>

#include "app/cli/cli.h"

const cli_command *const cli_commands[] = {&cli_predict, NULL};

/* Not a model's file, which the names could be, too. */
static bool are_cores(const char *option, const char *names)
{
    tacho_error err;
    for (cli_word word; cli_next_word(&names, word);)
        if (strcmp(word, "all") != 0 && !tacho_arch_find(word, &err))
            return strpbrk(word, "./") ? cli_error("--%s: '%s' is no name of a microarchitecture; files are "
                                                   "not read here",
                                                   option, word)
                                       : cli_error("%s", err.message);
    return true;
}

bool cli_allows(const cli_option *o, const char *value, bool last)
{
    static const char allowed[] =
        " arch mtriple mode init syntax output-syntax output-asm-variant symbol section "
        "range region ignore-markers list-regions loops loop top straight no-demangle "
        "alignment min-cycles min-iterations iterations bounds-only no-memory-deps alias "
        "noalias advance elements unknown ignore-isa set simple-front-end simple-port-assignment "
        "no-micro-fusion no-macro-fusion no-lsd-unrolling no-move-elimination "
        "full-move-elimination simple-memory what-if bottleneck-analysis instruction-info "
        "timeline timeline-max-iterations timeline-max-cycles explorer compiled-for color ";
    char name[60];
    if (!*o->name)
        return last || cli_error("'%.60s': the code is that of the page, and no other file is read", value);
    if (!strcmp(o->name, "arch"))
        return are_cores(o->name, value);
    snprintf(name, sizeof name, " %s ", o->name);
    if (strstr(allowed, name))
        return true;
    return cli_error("--%s is not for pages: it would reach beyond the code that is shown", o->name);
}
