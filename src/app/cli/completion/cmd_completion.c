/* cmd_completion.c - tacho completion: what shells complete, from the tables of commands and options; and
 * bash's script. What is no table stands in completion_bash.sh, which the build embeds. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/cli/completion/cmd_completion.h"
#include "app/cli/output.h"
#include "tacho/loops.h"
#include "tacho/models.h"

extern const char completion_bash_functions[];

/* ---- what can be completed ---- */

static void copy_words(char *out, const char *words)
{
    snprintf(out, COMPLETION_WORDS_SIZE, "%s", words);
    for (char *c = out; *c; c++)
        if (*c == '|')
            *c = ' ';
}

static bool begins(const char *text, const char *name)
{
    size_t n = strlen(name);
    return !strncmp(text, name, n) && !strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZ-", text[n] ? text[n] : ' ');
}

completion_kind completion_of(const char *value, char words[COMPLETION_WORDS_SIZE])
{
    const char *blank = strchr(value, ' ');
    words[0] = '\0';
    if (blank && strchr(blank, '|')) {
        copy_words(words, blank + 1);
        return begins(value, "LIST") ? COMPLETION_LIST : COMPLETION_WORD;
    }
    static const char *const asked[][2] = {
        {"[NAME=]MODEL", "models"}, {"MODELS", "models"}, {"FORM", "forms"}, {"SYMBOL", "symbols"}};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
        if (begins(value, asked[i][0])) {
            copy_words(words, asked[i][1]);
            return COMPLETION_ASK;
        }
    return begins(value, "ARCH") ? COMPLETION_ARCH
           : begins(value, "FILE") || begins(value, "[NAME=]FILE") || begins(value, "PREFIX") ||
                   begins(value, "INPUT")
               ? COMPLETION_FILE
           : begins(value, "DIR") ? COMPLETION_DIRECTORY
                                  : COMPLETION_TEXT;
}

completion_kind completion_of_argument(const cli_command *command, char words[COMPLETION_WORDS_SIZE])
{
    cli_walk w = cli_walk_start(command);
    for (const cli_option *o; (o = cli_walk_next(&w));)
        if (!*o->name)
            return completion_of(o->value, words);
    words[0] = '\0';
    return COMPLETION_TEXT;
}

void completion_each(void (*f)(tacho_str *out, const cli_command *command), tacho_str *out)
{
    for (size_t i = 0; cli_commands[i]; i++)
        if (cli_commands[i] != &cli_suite)
            f(out, cli_commands[i]);
    for (size_t i = 0; cli_suite_commands[i]; i++)
        f(out, cli_suite_commands[i]);
}

void completion_put_archs(tacho_str *out)
{
    const char *alias;
    tacho_str_puts(out, "native all");
    for (size_t a = 0; a < tacho_arch_count(); a++) {
        const tacho_arch *arch = tacho_arch_get(a);
        tacho_str_printf(out, " %s", arch->name);
        for (size_t i = 0; (alias = tacho_arch_alias(arch, i)); i++)
            tacho_str_printf(out, " %s", alias);
    }
}

void completion_put_help(tacho_str *out, const char *help, char shell)
{
    for (; *help && *help != '\n'; help++) {
        if (*help == '\'')
            tacho_str_puts(out, shell == 'z' ? "'\\''" : "\\'");
        else
            tacho_str_printf(out, "%s%c", strchr(shell == 'z' ? "\\[]:" : "\\", *help) ? "\\" : "", *help);
    }
}

/* ---- bash ---- */

static void put_options(tacho_str *out, const cli_command *command)
{
    tacho_str_printf(out, "    '%s') echo '", command->name);
    cli_walk w = cli_walk_start(command);
    for (const cli_option *o; (o = cli_walk_next(&w));) {
        if (!o->help)
            continue;
        tacho_str_printf(out, "--%s ", o->name);
        if (o->letter)
            tacho_str_printf(out, "-%c ", o->letter);
    }
    tacho_str_puts(out, "--help -h' ;;\n");
}

static void put_kind(tacho_str *out, completion_kind kind, const char *words)
{
    static const char *const names[] = {"text", "word", "list", "arch", "file", "directory", "ask"};
    tacho_str_printf(out, "%s%s%s", names[kind], *words ? " " : "", words);
}

static void put_taken(tacho_str *out, const cli_command *command)
{
    char words[COMPLETION_WORDS_SIZE];
    cli_walk w = cli_walk_start(command);
    for (const cli_option *o; (o = cli_walk_next(&w));) {
        if (!o->value || !*o->name)
            continue;
        tacho_str_printf(out, "    '%s --%s'", command->name, o->name);
        if (o->letter)
            tacho_str_printf(out, " | '%s -%c'", command->name, o->letter);
        for (const char *name = o->also; name && *name; name += strspn(name, "|")) {
            int n = (int)strcspn(name, "|");
            tacho_str_printf(out, " | '%s --%.*s'", command->name, n, name);
            name += n;
        }
        tacho_str_puts(out, ") echo '");
        completion_kind kind = completion_of(o->value, words);
        put_kind(out, kind, words);
        tacho_str_puts(out, "' ;;\n");
    }
    tacho_str_printf(out, "    '%s ') echo '", command->name);
    completion_kind kind = completion_of_argument(command, words);
    put_kind(out, kind, words);
    tacho_str_puts(out, "' ;;\n");
}

static void put_commands(tacho_str *out, const char *variable, const cli_command *const *commands, size_t at)
{
    tacho_str_printf(out, "%s='", variable);
    for (size_t i = 0; commands[i]; i++)
        tacho_str_printf(out, "%s%s", i ? " " : "", commands[i]->name + at);
    tacho_str_puts(out, "'\n");
}

static void completion_bash(tacho_str *out)
{
    tacho_str_puts(out, "# bash completion of tacho: what 'tacho completion bash' prints.\n");
    put_commands(out, "_tacho_commands", cli_commands, 0);
    put_commands(out, "_tacho_suite_commands", cli_suite_commands, strlen("suite "));
    tacho_str_puts(out, "_tacho_archs='");
    completion_put_archs(out);
    tacho_str_puts(out, "'\n\n_tacho_options() { # COMMAND\n    case $1 in\n");
    completion_each(put_options, out);
    tacho_str_puts(out, "    esac\n}\n\n_tacho_takes() { # COMMAND OPTION; COMMAND '': its other arguments\n"
                        "    case \"$1 $2\" in\n");
    completion_each(put_taken, out);
    tacho_str_puts(out, "    esac\n}\n\n");
    tacho_str_puts(out, completion_bash_functions);
}

/* ---- words that a shell asks for ---- */

static void put_models(tacho_str *out)
{
    tacho_model_list *list;
    if (tacho_model_list_make(&list, NULL, NULL))
        return;
    for (size_t i = 0; i < list->count; i++)
        if (!list->models[i].missing)
            tacho_str_printf(out, "%s\n", list->models[i].name);
    tacho_model_list_free(list);
}

/* Forms of one mnemonic follow each other. */
static void put_mnemonics(tacho_str *out)
{
    char name[200], before[200] = "";
    for (uint32_t i = 0; i < tacho_form_count(); i++) {
        tacho_form_name(i, name, sizeof name);
        name[strcspn(name, "_ (")] = '\0';
        if (strcmp(name, before))
            tacho_str_printf(out, "%s\n", name);
        memcpy(before, name, sizeof before);
    }
}

/* Functions with loops, of the first word that is a file which has any. */
static void put_symbols(tacho_str *out, const cli_words *line)
{
    tacho_loops_options o = TACHO_LOOPS_OPTIONS_INIT;
    o.keep_mangled = true;
    for (size_t w = 0; w < line->count && !out->length; w++) {
        tacho_loops *loops;
        if (access(line->list[w], R_OK) || tacho_loops_load(&loops, line->list[w], &o, NULL))
            continue;
        for (size_t i = 0; i < loops->count; i++)
            if (loops->loops[i].function)
                tacho_str_printf(out, "%s\n", loops->loops[i].function);
        tacho_loops_free(loops);
    }
}

/* ---- the command ---- */

typedef struct request {
    cli_words arguments;
    bool asks;
    int words; /* models, forms, symbols */
} request;
#define CLI_REQUEST request

static const cli_option options[] = {
    {CLI_WORDS, "", 0, "shell bash|zsh|fish", NULL, CLI_AT(arguments)},
    {CLI_CHOICE, "words", 0, "KIND models|forms|symbols",
     "what can stand for a predictor, an instruction form (its mnemonic),\na function with a loop of the "
     "first "
     "FILE on the line: for the scripts",
     CLI_AT(words), CLI_SETS(asks)},
    {.kind = CLI_END},
};

static int run_completion(void *asked)
{
    const request *r = asked;
    static void (*const shells[])(tacho_str *) = {completion_bash, completion_zsh, completion_fish};
    tacho_str out = {0};
    if (r->asks && r->words == 0)
        put_models(&out);
    else if (r->asks && r->words == 1)
        put_mnemonics(&out);
    else if (r->asks)
        put_symbols(&out, &r->arguments);
    if (r->asks)
        return cli_put_text(&out) ? CLI_OK : CLI_INPUT;
    if (!r->arguments.count)
        return cli_usage_error("no shell: tacho completion bash, zsh or fish");
    if (r->arguments.count > 1)
        return cli_usage_error("one shell at a time: '%s' and '%s'", r->arguments.list[0],
                               r->arguments.list[1]);
    int shell = cli_choice("the shell", r->arguments.list[0], "bash|zsh|fish");
    if (shell < 0)
        return CLI_USAGE;
    shells[shell](&out);
    return cli_put_text(&out) ? CLI_OK : CLI_INPUT;
}

static const char more[] = "Installing tacho installs the scripts. Without that, in ~/.bashrc:\n"
                           "  source <(tacho completion bash)\n";

CLI_DEFINE(cli_completion, "completion",
           "a script that makes bash, zsh or fish complete tacho's command line", "bash|zsh|fish", options,
           more, run_completion, request, .words = 0);
