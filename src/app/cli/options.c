/* options.c - options by their rows: parsing, help. */
#include <assert.h>

#include "app/cli/cli.h"
#include "base/mem.h"
#include "base/suggest.h"

const cli_option *cli_walk_next(cli_walk *w)
{
    for (;;) {
        size_t base = w->level[w->depth].base;
        const cli_option *o = w->level[w->depth].next;
        if (o->kind == CLI_END && !w->depth)
            return NULL;
        if (o->kind == CLI_END) {
            w->depth--;
            continue;
        }
        w->level[w->depth].next++;
        if (o->kind == CLI_TITLE) {
            w->title = o->help;
            continue;
        }
        if (o->kind != CLI_GROUP)
            return o;
        w->depth++;
        w->level[w->depth].next = o->rows;
        w->level[w->depth].base = base + o->offset;
        w->level[w->depth].sets = o->sets ? base + o->sets : 0;
        w->level[w->depth].mark = o->mark ? base + o->mark : 0;
    }
}

/* ---- help ---- */

static int value_name_length(const cli_option *o)
{
    return o->value ? (int)strcspn(o->value, " ") : 0;
}

static int show_help(const cli_command *command)
{
    printf("tacho %s: %s\n\nUsage: tacho %s %s\n\n", command->name, command->summary, command->name,
           command->usage);
    cli_walk w = cli_walk_start(command);
    bool grouped = false;
    for (const cli_option *o; (o = cli_walk_next(&w));) {
        char left[64];
        if (!o->help)
            continue;
        if (w.title) {
            printf("\n%s:\n", w.title);
            grouped = true;
        }
        w.title = NULL;
        snprintf(left, sizeof left, "%s%c%s--%s%s%.*s", o->letter ? "-" : "", o->letter ? o->letter : ' ',
                 o->letter ? ", " : "   ", o->name, o->value ? " " : "", value_name_length(o),
                 o->value ? o->value : "");
        printf("  %-26s ", left);
        for (const char *line = o->help; *line;) { /* continuation lines are indented */
            size_t n = strcspn(line, "\n");
            printf("%s%.*s\n", line == o->help ? "" : "                             ", (int)n, line);
            line += n + (line[n] == '\n');
        }
    }
    printf("%s  -h, --help                 this text\n", grouped ? "\n" : "");
    if (command->more)
        printf("\n%s", command->more);
    return CLI_OK;
}

/* ---- values ---- */

int cli_choice(const char *option, const char *value, const char *choices)
{
    int index = 0;
    tacho_suggest s = {.wanted = value};
    char word[40];
    for (const char *c = choices; *c; index++) {
        size_t n = strcspn(c, "|");
        snprintf(word, sizeof word, "%.*s", (int)n, c);
        if (tacho_str_same(word, value))
            return index;
        tacho_suggest_offer(&s, word);
        c += n + (c[n] == '|');
    }
    cli_error("%s is %s, not '%s'%s", option, choices, value, tacho_suggest_text(&s));
    return -1;
}

bool cli_next_word(const char **rest, cli_word word)
{
    if (!*rest)
        return false;
    size_t n = strcspn(*rest, ",");
    snprintf(word, sizeof(cli_word), "%.*s", (int)(n < sizeof(cli_word) ? n : sizeof(cli_word) - 1), *rest);
    *rest = (*rest)[n] ? *rest + n + 1 : NULL;
    return true;
}

static bool take_whole(const cli_option *o, const char *option, const char *value, uint64_t *out)
{
    unsigned long long n = UINT64_MAX;
    bool word = o->word && tacho_str_same(value, o->word);
    if (!word && (!tacho_parse_u64(value, &n) || n < o->low || n > o->high))
        return cli_error("%s is a whole number from %llu to %llu%s%s, not '%s'", option,
                         (unsigned long long)o->low, (unsigned long long)o->high, o->word ? ", or " : "",
                         o->word ? o->word : "", value);
    *out = n;
    return true;
}

bool cli_number32(const char *option, const char *value, uint32_t low, uint32_t high, uint32_t *out)
{
    uint64_t n;
    if (!take_whole(&(cli_option){.low = low, .high = high}, option, value, &n))
        return false;
    *out = (uint32_t)n;
    return true;
}

/* `of` says in messages what it is a number of; where `most` is 0 any up to a billion will do. */
static bool take_real(const cli_option *o, const char *option, const char *value, const char *of, double *out)
{
    char *end;
    bool any = o->most <= 0;
    *out = strtod(value, &end);
    end += end > value && o->kind == CLI_PERCENT && *end == '%';
    if (end > value && !*end && (any ? *out > 0 && *out <= 1e9 : *out >= o->least && *out <= o->most))
        return true;
    if (any)
        return cli_error("%s is a number%s, not '%s'", option, of, value);
    return cli_error("%s is a number%s from %g to %g, not '%s'", option, of, o->least, o->most, value);
}

/* Whether one of the words of `list` ("a|b") is `text`. */
static bool has_word(const char *list, const char *text, size_t length, bool any_case)
{
    for (const char *at = list; at && *at;) {
        size_t n = strcspn(at, "|");
        if (n == length && (any_case ? tacho_str_same_n(at, text, n) : !memcmp(at, text, n)))
            return true;
        at += n + (at[n] == '|');
    }
    return false;
}

/* Whether a file's name ends as one of `ends` ("svg|png"), in any case. @return false with a message. */
static bool cli_file(const char *option, const char *value, const char *ends)
{
    const char *dot = strrchr(value, '.');
    TACHO_FREED tacho_str words = {0};
    if (dot && !strchr(dot, '/') && has_word(ends, dot + 1, strlen(dot + 1), true))
        return true;
    for (const char *at = ends; *at;) { /* ".svg, .dot or .png" */
        size_t n = strcspn(at, "|");
        tacho_str_printf(&words, "%s.%.*s", at == ends ? "" : strchr(at, '|') ? ", " : " or ", (int)n, at);
        at += n + (at[n] == '|');
    }
    cli_error("%s: the name of FILE says what is written: it must end in %s, not '%s'", option,
              words.failed ? ends : words.data, value);
    return false;
}

static bool put_whole(cli_type type, void *at, uint64_t n)
{
    if (type == CLI_BOOL)
        *(bool *)at = n;
    else if (type == CLI_INT)
        *(int *)at = (int)n;
    else if (type == CLI_U32)
        *(uint32_t *)at = (uint32_t)n;
    else if (type == CLI_U64)
        *(uint64_t *)at = n;
    else {
        assert(type == CLI_DOUBLE);
        *(double *)at = (double)n;
    }
    return true;
}

static bool put_real(cli_type type, void *at, double value)
{
    assert(type == CLI_DOUBLE);
    *(double *)at = value;
    return true;
}

static bool put_text(const cli_option *o, const char **at, const char *value)
{
    if (o->once && *at)
        return cli_error("one %.*s at a time: '%s' and '%s'", value_name_length(o), o->value, *at, value);
    *at = value;
    return true;
}

/* `option` is how it was given. @return false with a message */
static bool take(const cli_option *o, void *at, const char *option, const char *value)
{
    int choice;
    double real;
    uint64_t whole;
    switch (o->kind) {
    case CLI_SWITCH:
        return put_whole(o->type, at, 1);
    case CLI_SET:
        return put_whole(o->type, at, o->low);
    case CLI_BITS:
        return put_whole(o->type, at, *(uint32_t *)at | o->low);
    case CLI_STRING:
        return put_text(o, at, value);
    case CLI_CHOICE:
        choice = cli_choice(option, value, strchr(o->value, ' ') + 1);
        return choice >= 0 && put_whole(o->type, at, o->low + (uint64_t)choice);
    case CLI_WHOLE:
        return take_whole(o, option, value, &whole) && put_whole(o->type, at, whole);
    case CLI_REAL:
        return take_real(o, option, value, "", &real) && put_real(o->type, at, real);
    case CLI_PERCENT:
        return take_real(o, option, value, " of percent", &real) && put_real(o->type, at, real / 100);
    case CLI_SECONDS:
        return take_real(o, option, value, " of seconds", &real) && put_real(o->type, at, real);
    case CLI_FILE:
        return cli_file(option, value, o->ends) && put_text(o, at, value);
    case CLI_CALL:
        return o->take(at, option, value);
    default:
        return true;
    }
}

/* ---- arguments ---- */

/* An option that was found, and what it is in. */
typedef struct found {
    const cli_option *option;
    size_t base, sets, mark; /* sets, mark: of its group */
} found;

typedef struct parser {
    const cli_command *command;
    char *request;
    int argc, at;
    char **argv;
    bool only_arguments;
    found many;     /* whose values the arguments are */
    cli_name typed; /* the last option as it was given, without a value: "--align", "-j" */
} parser;

/* By its name, or its letter where there is none. */
static bool find(const parser *p, const char *name, size_t length, char letter, found *out)
{
    cli_walk w = cli_walk_start(p->command);
    for (const cli_option *o; (o = cli_walk_next(&w));) {
        bool named = name && ((strlen(o->name) == length && !memcmp(o->name, name, length)) ||
                              has_word(o->also, name, length, false));
        if (!named && (!letter || o->letter != letter))
            continue;
        *out = (found){o, w.level[w.depth].base, w.level[w.depth].sets, w.level[w.depth].mark};
        return true;
    }
    return false;
}

static bool unknown_option(const parser *p, const char *name, size_t length)
{
    char wanted[100];
    tacho_suggest s = {.wanted = wanted};
    snprintf(wanted, sizeof wanted, "-%s%.*s", length > 1 ? "-" : "", (int)(length < 90 ? length : 90), name);
    if (cli_is_gone(p->command->name, wanted, strlen(wanted)))
        return false;
    cli_walk w = cli_walk_start(p->command);
    for (const cli_option *o; (o = cli_walk_next(&w));) {
        char candidate[64];
        snprintf(candidate, sizeof candidate, "--%s", o->name);
        if (o->help && length > 1)
            tacho_suggest_offer(&s, candidate);
    }
    const char *near = tacho_suggest_text(&s);
    return cli_error("unknown option '%s'%s", p->argv[p->at - 1],
                     *near ? near : "; 'tacho help' lists the commands, 'tacho COMMAND --help' the options");
}

__attribute__((weak)) bool cli_allows(const cli_option *o, const char *value, bool last)
{
    (void)o, (void)value, (void)last;
    return true;
}

static bool take_found(const parser *p, const found *f, const char *value)
{
    const cli_option *o = f->option;
    char *base = p->request + f->base, both[100];
    snprintf(both, sizeof both, "--%s %s", o->name, value ? value : "");
    if (cli_is_gone(p->command->name, both, strlen(both)) || !cli_allows(o, value, p->at == p->argc))
        return false;
    const size_t sets[] = {o->sets ? f->base + o->sets : 0, f->sets},
                 marks[] = {o->mark ? f->base + o->mark : 0, f->mark};
    for (int i = 0; i < 2; i++) {
        if (sets[i])
            *(bool *)(p->request + sets[i] - 1) = true;
        if (marks[i])
            memcpy(p->request + marks[i] - 1, p->typed, sizeof p->typed);
    }
    return take(o, base + o->offset, p->typed, value);
}

/* `attached` is the value written into the same argument, NULL if none. @return false with a message */
static bool take_option(parser *p, const found *f, const char *attached)
{
    const cli_option *o = f->option;
    p->many = o->many ? *f : (found){NULL, 0, 0, 0};
    if (!o->value && attached)
        return cli_error("option --%s takes no value", o->name);
    if (o->value && !attached && p->at >= p->argc)
        return cli_error("option --%s needs a value: --%s %.*s", o->name, o->name, value_name_length(o),
                         o->value);
    return take_found(p, f, o->value && !attached ? p->argv[p->at++] : attached);
}

/* An argument that is no option. @return false with a message */
static bool take_argument(parser *p, char *word)
{
    found f;
    if (p->many.option && !p->only_arguments)
        return take_found(p, &p->many, word);
    if (find(p, "", 0, 0, &f)) {
        cli_words *words = (cli_words *)(p->request + f.base + f.option->offset);
        snprintf(p->typed, sizeof p->typed, "%s", f.option->value);
        if (f.option->kind != CLI_WORDS)
            return take_found(p, &f, word);
        words->list = p->argv; /* what has been read is not needed any more */
        words->list[words->count++] = word;
        return true;
    }
    if (find(p, "--", 2, 0, &f))
        return cli_error("'%s': a command stands after --: tacho %s %s", word, p->command->name,
                         p->command->usage);
    return cli_error("tacho %s takes no input: '%s'", p->command->name, word);
}

/* "-mattr=+avx" is no "-m attr=+avx" where -m takes one of some words: none of them has a "=" in it. */
static bool is_another(const cli_option *o, const char *name)
{
    return o->value && strchr(o->value, ' ') && name[1] != '=' && strchr(name, '=');
}

/* @return false with a message */
static bool take_named(parser *p, const char *arg)
{
    found f;
    bool twice = arg[1] == '-';
    const char *name = arg + 1 + twice;
    size_t length = strcspn(name, "=");
    bool is_long = (twice || length > 1) && length && *name != '-' && find(p, name, length, 0, &f);
    snprintf(p->typed, sizeof p->typed, "%.*s", is_long ? (int)(name - arg + (ptrdiff_t)length) : 2, arg);
    if (is_long)
        return take_option(p, &f, name[length] ? name + length + 1 : NULL);
    if (!twice && find(p, NULL, 0, *name, &f) && (f.option->value || !name[1]) && !is_another(f.option, name))
        return take_option(p, &f, name[1] ? name + 1 + (name[1] == '=') : NULL);
    return unknown_option(p, name, length);
}

/* Behind "--". @return whether that is a command, and so all has been read */
static bool take_command(parser *p)
{
    found f;
    p->only_arguments = true;
    if (!find(p, "--", 2, 0, &f))
        return false;
    if (p->at < p->argc)
        *(char ***)(p->request + f.base + f.option->offset) = p->argv + p->at;
    return true;
}

/* @return -1: go on; else the exit status: help was asked for, or wrong usage, with a message */
static int parse(const cli_command *command, void *request, int argc, char **argv)
{
    parser p = {.command = command, .request = request, .argc = argc, .at = 1, .argv = argv};
    while (p.at < argc) {
        char *arg = argv[p.at++];
        if (p.only_arguments || arg[0] != '-' || !arg[1]) {
            if (!take_argument(&p, arg))
                return CLI_USAGE;
        } else if (!strcmp(arg, "--")) {
            if (take_command(&p))
                break;
        } else if (!strcmp(arg, "-h") || !strcmp(arg, "-help") || !strcmp(arg, "--help")) {
            return show_help(command);
        } else if (!take_named(&p, arg)) {
            return CLI_USAGE;
        }
    }
    return -1;
}

int cli_run(const cli_command *command, int argc, char **argv)
{
    if (command->dispatch)
        return command->dispatch(argc, argv);
    TACHO_MEM_FREED void *request = tacho_mem_alloc(command->request_size);
    if (!request)
        return cli_input_error("out of memory");
    memcpy(request, command->request, command->request_size);
    int status = parse(command, request, argc, argv);
    if (status < 0)
        status = command->run(request);
    return status;
}
