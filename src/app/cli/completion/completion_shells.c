/* completion_shells.c - the scripts of zsh, for its _arguments, and of fish. */
#include <string.h>

#include "app/cli/completion/cmd_completion.h"

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

void completion_zsh(tacho_str *out)
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

void completion_fish(tacho_str *out)
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
