/* cmd_completion.c - tacho completion: the scripts of bash, zsh and fish, which the build embeds, and what
 * they ask for each time: how a command line can go on, by the tables of commands and options. */
#include <dirent.h>
#include <unistd.h>

#include "app/cli/cli.h"
#include "app/cli/output.h"
#include "tacho/loops.h"
#include "tacho/models.h"

extern const char completion_bash[], completion_zsh[], completion_fish[];

/* The word that is to be completed. */
typedef struct completion {
    const cli_words *line; /* what stands behind "tacho" */
    const char *kept;      /* of it, what remains as it is: "--arch=", "SKL," */
    const char *begun;     /* the rest, in the same text */
    tacho_str words;       /* a line for each, and behind a tab what it is */
    const char *shell;     /* what the shell itself is to complete: files, folders, commands; "" nothing */
} completion;

/* A word of `length` characters, with the first line of `help`, which may be NULL. */
static void offer_part(completion *c, const char *word, size_t length, const char *help)
{
    const size_t n = strlen(c->begun);
    if (length < n || memcmp(word, c->begun, n))
        return;
    tacho_str_printf(&c->words, "%.*s%.*s", (int)(c->begun - c->kept), c->kept, (int)length, word);
    if (help)
        tacho_str_printf(&c->words, "\t%.*s", (int)strcspn(help, "\n"), help);
    tacho_str_putc(&c->words, '\n');
}

static void offer(completion *c, const char *word, const char *help)
{
    offer_part(c, word, strlen(word), help);
}

/* What stands before the last comma. */
static void keep_list(completion *c)
{
    const char *comma = strrchr(c->begun, ',');
    if (comma)
        c->begun = comma + 1;
}

/* ---- what an option or argument can be ---- */

/* Also models' files in this folder; of others all. */
static void offer_cores(completion *c)
{
    const char *alias;
    keep_list(c);
    offer(c, "native", NULL);
    offer(c, "all", NULL);
    for (size_t a = 0; a < tacho_arch_count(); a++) {
        const tacho_arch *arch = tacho_arch_get(a);
        offer(c, arch->name, NULL);
        for (size_t i = 0; (alias = tacho_arch_alias(arch, i)); i++)
            offer(c, alias, NULL);
    }
    if (strchr(c->begun, '/'))
        c->shell = "files";
    DIR *here = opendir(".");
    for (const struct dirent *e; here && (e = readdir(here));) {
        const char *end = strrchr(e->d_name, '.');
        if (end && !strcmp(end, ".tacho"))
            offer(c, e->d_name, NULL);
    }
    if (here)
        closedir(here);
}

static void offer_models(completion *c)
{
    tacho_model_list *list;
    keep_list(c);
    if (tacho_model_list_make(&list, NULL, NULL))
        return;
    for (size_t i = 0; i < list->count; i++)
        if (!list->models[i].missing)
            offer(c, list->models[i].name, NULL);
    tacho_model_list_free(list);
}

/* Forms of one mnemonic follow each other. */
static void offer_mnemonics(completion *c)
{
    char name[200], before[200] = "";
    for (uint32_t i = 0; i < tacho_form_count(); i++) {
        tacho_form_name(i, name, sizeof name);
        name[strcspn(name, "_ (")] = '\0';
        if (strcmp(name, before))
            offer(c, name, NULL);
        memcpy(before, name, sizeof before);
    }
}

/* Functions with loops, of the first word that is a file which has any. */
static void offer_functions(completion *c)
{
    tacho_loops_options o = TACHO_LOOPS_OPTIONS_INIT;
    bool any = false;
    o.keep_mangled = true;
    for (size_t w = 1; w + 1 < c->line->count && !any; w++) {
        tacho_loops *loops;
        if (access(c->line->list[w], R_OK) || tacho_loops_load(&loops, c->line->list[w], &o, NULL))
            continue;
        for (size_t i = 0; i < loops->count; i++)
            if (loops->loops[i].function)
                offer(c, loops->loops[i].function, NULL);
        any = loops->count;
        tacho_loops_free(loops);
    }
}

/* "HOW auto|none": the words behind the name. */
static void offer_choices(completion *c, const char *words)
{
    for (size_t n; *words; words += n + (words[n] != '\0')) {
        n = strcspn(words, "| ");
        offer_part(c, words, n, NULL);
    }
}

/* Its first word is this one. */
static bool begins(const char *text, const char *name)
{
    const size_t n = strlen(name);
    return tacho_starts_with(text, name) && !strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZ-", text[n] ? text[n] : ' ');
}

/* By what a row calls its value. */
static void offer_values(completion *c, const char *value)
{
    static const struct {
        const char *name;
        void (*offer)(completion *c);
        const char *shell;
    } kinds[] = {{"[NAME=]MODEL", offer_models, NULL},
                 {"MODELS", offer_models, NULL},
                 {"FORM", offer_mnemonics, NULL},
                 {"SYMBOL", offer_functions, NULL},
                 {"ARCH", offer_cores, NULL},
                 {"FILE", NULL, "files"},
                 {"[NAME=]FILE", NULL, "files"},
                 {"PREFIX", NULL, "files"},
                 {"INPUT", NULL, "files"},
                 {"DIR", NULL, "folders"}};
    const char *blank = strchr(value, ' ');
    if (blank && strchr(blank, '|')) {
        if (begins(value, "LIST"))
            keep_list(c);
        offer_choices(c, blank + 1);
        return;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (begins(value, kinds[i].name)) {
            if (kinds[i].offer)
                kinds[i].offer(c);
            else
                c->shell = kinds[i].shell;
            return;
        }
}

/* ---- where on the line ---- */

static void offer_commands(completion *c, const cli_command *const *commands, size_t at)
{
    for (size_t i = 0; commands[i]; i++)
        offer(c, commands[i]->name + at, commands[i]->summary);
}

static void offer_options(completion *c, const cli_command *command)
{
    cli_walk w = cli_walk_start(command);
    for (const cli_option *o; (o = cli_walk_next(&w));) {
        char name[64] = "--", letter[] = {'-', o->letter, '\0'};
        if (!o->help)
            continue;
        snprintf(name + 2, sizeof name - 2, "%s", o->name);
        offer(c, name, o->help);
        if (o->letter)
            offer(c, letter, o->help);
    }
    offer(c, "--help", "help");
    offer(c, "-h", "help");
}

/* The name, of so many characters, is among these, which '|' separates. */
static bool is_among(const char *names, const char *name, size_t length)
{
    for (size_t n; names && *names; names += n + (names[n] == '|')) {
        n = strcspn(names, "|");
        if (n == length && !memcmp(names, name, n))
            return true;
    }
    return false;
}

/* The row that takes a value behind this word, "--arch", "-a" or "--arch=". */
static const cli_option *row_of(const cli_command *command, const char *word, size_t length)
{
    cli_walk w = cli_walk_start(command);
    for (const cli_option *o; (o = cli_walk_next(&w));) {
        if (!o->value || !*o->name)
            continue;
        if (length == 2 && word[0] == '-' && o->letter && word[1] == o->letter)
            return o;
        if (length > 2 && tacho_starts_with(word, "--") &&
            (is_among(o->name, word + 2, length - 2) || is_among(o->also, word + 2, length - 2)))
            return o;
    }
    return NULL;
}

/* The word behind others of a command, of which the first is number `first` on the line. */
static void complete_word(completion *c, const cli_command *command, size_t first)
{
    char *const *line = c->line->list;
    size_t last = c->line->count - 1;
    const char *equals = tacho_starts_with(c->begun, "--") ? strchr(c->begun, '=') : NULL;
    const cli_option *o = NULL;
    if (equals) {
        o = row_of(command, c->begun, (size_t)(equals - c->begun));
        c->begun = equals + 1;
    } else if (*c->begun == '-' && c->begun[1] && c->begun[1] != '-' && c->begun[2] &&
               (o = row_of(command, c->begun, 2))) {
        c->begun += 2;
    } else if (*c->begun == '-') {
        offer_options(c, command);
        return;
    }
    if (!strcmp(c->begun, "=")) /* bash takes --format=json for three words */
        c->kept = c->begun = c->begun + 1;
    else if (!o && last > first && !strcmp(line[last - 1], "="))
        last--;
    if (!o && last > first)
        o = row_of(command, line[last - 1], strlen(line[last - 1]));
    cli_walk w = cli_walk_start(command);
    while (!o && (o = cli_walk_next(&w)))
        o = *o->name ? NULL : o;
    if (o && o->value)
        offer_values(c, o->value);
}

static const cli_command *find_command(const cli_command *const *commands, size_t at, const char *name)
{
    while (*commands && strcmp((*commands)->name + at, name))
        commands++;
    return *commands;
}

static void complete(completion *c)
{
    char *const *line = c->line->list;
    const size_t last = c->line->count - 1, suite = strlen("suite ");
    for (size_t i = 1; i < last; i++)
        if (!strcmp(line[i], "--")) { /* behind it is another program's command line */
            c->shell = i + 1 == last ? "commands" : "files";
            return;
        }
    const cli_command *command = last ? find_command(cli_commands, 0, line[0]) : NULL;
    if (!last || (last == 1 && !strcmp(line[0], "help"))) {
        offer_commands(c, cli_commands, 0);
        offer(c, "help", "help of a command");
    } else if (command == &cli_suite && last == 1) {
        offer_commands(c, cli_suite_commands, suite);
    } else if (command == &cli_suite) {
        command = find_command(cli_suite_commands, suite, line[1]);
        if (command)
            complete_word(c, command, 2);
    } else if (command) {
        complete_word(c, command, 1);
    }
    if (!last)
        offer(c, "--version", NULL);
}

/* ---- the command ---- */

typedef struct request {
    cli_words arguments;
    bool asks;
} request;
#define CLI_REQUEST request

static const cli_option options[] = {
    {CLI_WORDS, "", 0, "shell bash|zsh|fish", NULL, CLI_AT(arguments)},
    {CLI_SWITCH, "line", 0, NULL,
     "for the scripts: how the last of the words behind -- can go on, a\nline for each; before them what the "
     "shell itself completes there",
     CLI_AT(asks)},
    {.kind = CLI_END},
};

static int answer(const cli_words *line)
{
    if (!line->count)
        return cli_usage_error("--line: no words behind --");
    const char *word = line->list[line->count - 1];
    completion c = {.line = line, .kept = word, .begun = word, .shell = ""};
    complete(&c);
    tacho_str out = {0};
    tacho_str_printf(&out, "%s\n%s", c.shell, c.words.length ? c.words.data : "");
    out.failed |= c.words.failed;
    tacho_str_free(&c.words);
    return cli_put_text(&out) ? CLI_OK : CLI_INPUT;
}

static int run_completion(void *asked)
{
    const request *r = asked;
    static const char *const shells[] = {completion_bash, completion_zsh, completion_fish};
    tacho_str out = {0};
    if (r->asks)
        return answer(&r->arguments);
    if (!r->arguments.count)
        return cli_usage_error("no shell: tacho completion bash, zsh or fish");
    if (r->arguments.count > 1)
        return cli_usage_error("one shell at a time: '%s' and '%s'", r->arguments.list[0],
                               r->arguments.list[1]);
    int shell = cli_choice("the shell", r->arguments.list[0], "bash|zsh|fish");
    if (shell < 0)
        return CLI_USAGE;
    tacho_str_puts(&out, shells[shell]);
    return cli_put_text(&out) ? CLI_OK : CLI_INPUT;
}

CLI_DEFINE(cli_completion, "completion",
           "a script that makes bash, zsh or fish complete tacho's command line", "bash|zsh|fish", options,
           help_completion, run_completion, request);
