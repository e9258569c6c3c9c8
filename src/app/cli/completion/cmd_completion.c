/* cmd_completion.c - tacho completion: what shells complete, from the tables of commands and options; the
 * scripts of bash, zsh (for its _arguments) and fish. What is no table of bash's stands in
 * completion_bash.sh, which the build embeds. */
#include <unistd.h>

#include "app/cli/cli.h"
#include "app/cli/output.h"
#include "tacho/loops.h"
#include "tacho/models.h"

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

extern const char completion_bash_functions[];

/* ---- what can be completed ---- */

static void copy_words(char *out, const char *words)
{
    snprintf(out, COMPLETION_WORDS_SIZE, "%s", words);
    for (char *c = out; *c; c++)
        if (*c == '|')
            *c = ' ';
}

/* Its first word is this one. */
static bool begins(const char *text, const char *name)
{
    size_t n = strlen(name);
    return tacho_starts_with(text, name) && !strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZ-", text[n] ? text[n] : ' ');
}

/* Of an option's `value`; `words` are separated by blanks. */
static completion_kind completion_of(const char *value, char words[COMPLETION_WORDS_SIZE])
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

/* Of the arguments of a command that are no options. */
static completion_kind completion_of_argument(const cli_command *command, char words[COMPLETION_WORDS_SIZE])
{
    cli_walk w = cli_walk_start(command);
    for (const cli_option *o; (o = cli_walk_next(&w));)
        if (!*o->name)
            return completion_of(o->value, words);
    words[0] = '\0';
    return COMPLETION_TEXT;
}

/* Calls `f` for each command that has options: also for those of tacho suite, instead of it. */
static void completion_each(void (*f)(tacho_str *out, const cli_command *command), tacho_str *out)
{
    for (size_t i = 0; cli_commands[i]; i++)
        if (cli_commands[i] != &cli_suite)
            f(out, cli_commands[i]);
    for (size_t i = 0; cli_suite_commands[i]; i++)
        f(out, cli_suite_commands[i]);
}

/* "native all SNB sandybridge ...": what -a takes. */
static void completion_put_archs(tacho_str *out)
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

/* An option's first line of help in single quotes, as `shell` wants them: 'z'sh, 'f'ish. */
static void completion_put_help(tacho_str *out, const char *help, char shell)
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

/* ---- zsh ---- */

/* What stands behind a specification: ":NAME:ACTION". */
static void put_action(tacho_str *out, completion_kind kind, const char *words)
{
    static const char *const actions[] = {" ",      "(",         "_sequence compadd - ", "_tacho_archs",
                                          "_files", "_files -/", " _tacho_ask "};
    tacho_str_printf(out, "%s%s%s", actions[kind], words, kind == COMPLETION_WORD ? ")" : "");
}

static void put_specification(tacho_str *out, const cli_option *o)
{
    char words[COMPLETION_WORDS_SIZE];
    tacho_str_puts(out, " \\\n            ");
    const char *attached = o->value ? "+" : "", *equals = o->value ? "=" : ""; /* "-aSKL", "--arch=SKL" */
    if (o->letter)
        tacho_str_printf(out, "{-%c%s,--%s%s}", o->letter, attached, o->name, equals);
    else
        tacho_str_printf(out, "--%s%s", o->name, equals);
    tacho_str_puts(out, "'[");
    completion_put_help(out, o->help, 'z');
    tacho_str_putc(out, ']');
    if (o->value) {
        tacho_str_puts(out, ":value:");
        completion_kind kind = completion_of(o->value, words);
        put_action(out, kind, words);
    }
    tacho_str_putc(out, '\'');
}

static void put_zsh_command(tacho_str *out, const cli_command *command)
{
    char words[COMPLETION_WORDS_SIZE];
    tacho_str_printf(out, "    '%s')\n        _arguments", command->name);
    cli_walk w = cli_walk_start(command);
    for (const cli_option *o; (o = cli_walk_next(&w));)
        if (o->help)
            put_specification(out, o);
    tacho_str_puts(out, " \\\n            {-h,--help}'[help]' \\\n            ");
    completion_kind kind = completion_of_argument(command, words);
    tacho_str_puts(out, "'*:argument:");
    put_action(out, kind, words);
    tacho_str_puts(out, "' ;;\n");
}

static void put_described(tacho_str *out, const cli_command *const *commands, size_t at)
{
    for (size_t i = 0; commands[i]; i++) {
        tacho_str_printf(out, "\n        '%s:", commands[i]->name + at);
        completion_put_help(out, commands[i]->summary, 'z');
        tacho_str_putc(out, '\'');
    }
    tacho_str_puts(out, ")\n");
}

static void completion_zsh(tacho_str *out)
{
    tacho_str_puts(out, "#compdef tacho\n# zsh completion of tacho: what 'tacho completion zsh' prints.\n\n"
                        "_tacho_archs() {\n    _files -g '*.tacho'\n    _sequence compadd - ");
    completion_put_archs(out);
    tacho_str_puts(out, "\n}\n\n_tacho_ask() { # what tacho itself says, with commas\n    local -a said\n"
                        "    said=(${(f)\"$(command tacho completion --words $1 -- $words 2>/dev/null)\"})\n"
                        "    compset -P '*,'\n    compadd -a said\n}\n\n_tacho() {\n    local "
                        "command=$words[2]\n    local -a names suite\n    names=(");
    put_described(out, cli_commands, 0);
    tacho_str_puts(out, "    suite=(");
    put_described(out, cli_suite_commands, strlen("suite "));
    tacho_str_puts(
        out,
        "    if ((CURRENT == 2)); then\n        _describe command names\n        return\n    fi\n"
        "    if [[ $command == help ]]; then\n        ((CURRENT == 3)) && _describe command names\n"
        "        return\n    fi\n"
        "    if [[ $command == suite ]]; then\n        if ((CURRENT == 3)); then\n"
        "            _describe command suite\n            return\n        fi\n"
        "        command=\"suite $words[3]\"\n        shift words\n        ((CURRENT--))\n    fi\n"
        "    integer at=${words[(i)--]}\n    if ((at < CURRENT)); then # another program's command line\n"
        "        shift $at words\n        ((CURRENT -= at))\n        ((CURRENT == 1)) && _command_names -e "
        "|| _normal\n        return\n    fi\n"
        "    shift words\n    ((CURRENT--))\n    case $command in\n");
    completion_each(put_zsh_command, out);
    tacho_str_puts(out, "    esac\n}\n\nif [[ $funcstack[1] == _tacho ]]; then\n    _tacho \"$@\"\nelse\n"
                        "    compdef _tacho tacho\nfi\n");
}

/* ---- fish ---- */

/* When the line is one of this command. */
static void put_condition(tacho_str *out, const cli_command *command)
{
    const char *blank = strchr(command->name, ' ');
    tacho_str_puts(out, "complete -c tacho -n '__fish_seen_subcommand_from ");
    if (blank)
        tacho_str_printf(out, "suite; and __fish_seen_subcommand_from %s'", blank + 1);
    else
        tacho_str_printf(out, "%s'", command->name);
}

static void put_choice(tacho_str *out, completion_kind kind, const char *words)
{
    if (kind == COMPLETION_FILE)
        tacho_str_puts(out, " -F");
    else if (kind == COMPLETION_DIRECTORY)
        tacho_str_puts(out, " -xa '(__fish_complete_directories)'");
    else if (kind == COMPLETION_ARCH)
        tacho_str_puts(out, " -xa \"(__fish_append , $__tacho_archs; __fish_complete_suffix .tacho)\"");
    else if (kind == COMPLETION_ASK)
        tacho_str_printf(
            out, " -xa '(command tacho completion --words %s -- (commandline -opc) 2>/dev/null)'", words);
    else if (kind == COMPLETION_LIST)
        tacho_str_printf(out, " -xa '(__fish_append , %s)'", words);
    else
        tacho_str_printf(out, " -xa '%s'", words);
}

static void put_fish_command(tacho_str *out, const cli_command *command)
{
    char words[COMPLETION_WORDS_SIZE];
    cli_walk w = cli_walk_start(command);
    for (const cli_option *o; (o = cli_walk_next(&w));) {
        if (!o->help)
            continue;
        put_condition(out, command);
        tacho_str_printf(out, " -l %s", o->name);
        if (o->letter)
            tacho_str_printf(out, " -s %c", o->letter);
        if (o->value) {
            completion_kind kind = completion_of(o->value, words);
            tacho_str_puts(out, kind == COMPLETION_FILE ? " -r" : "");
            put_choice(out, kind, words);
        }
        tacho_str_puts(out, " -d '");
        completion_put_help(out, o->help, 'f');
        tacho_str_puts(out, "'\n");
    }
    completion_kind kind = completion_of_argument(command, words);
    if (kind == COMPLETION_TEXT)
        return;
    put_condition(out, command);
    put_choice(out, kind, words);
    tacho_str_putc(out, '\n');
}

static void put_fish_names(tacho_str *out, const cli_command *const *commands, size_t at,
                           const char *condition)
{
    for (size_t i = 0; commands[i]; i++) {
        tacho_str_printf(out, "complete -c tacho -n '%s' -a %s -d '", condition, commands[i]->name + at);
        completion_put_help(out, commands[i]->summary, 'f');
        tacho_str_puts(out, "'\n");
    }
}

static void completion_fish(tacho_str *out)
{
    tacho_str_puts(out,
                   "# fish completion of tacho: what 'tacho completion fish' prints.\nset -g __tacho_archs ");
    completion_put_archs(out);
    tacho_str_puts(out, "\nset -g __tacho_suite");
    for (size_t i = 0; cli_suite_commands[i]; i++)
        tacho_str_printf(out, " %s", cli_suite_commands[i]->name + strlen("suite "));
    tacho_str_puts(out, "\ncomplete -c tacho -f\n");
    put_fish_names(out, cli_commands, 0, "__fish_use_subcommand");
    put_fish_names(out, cli_commands, 0, "__fish_seen_subcommand_from help");
    put_fish_names(out, cli_suite_commands, strlen("suite "),
                   "__fish_seen_subcommand_from suite; and not __fish_seen_subcommand_from $__tacho_suite");
    completion_each(put_fish_command, out);
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
     "first FILE on the line: for the scripts",
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

CLI_DEFINE(cli_completion, "completion",
           "a script that makes bash, zsh or fish complete tacho's command line", "bash|zsh|fish", options,
           help_completion, run_completion, request, .words = 0);
