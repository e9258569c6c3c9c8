/* options.c - parsing of arguments, messages, help. */
#include "app/cli/cli.h"

#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "base/suggest.h"

/* Files and arguments may hold anything: what would move a terminal's cursor, or worse, is not shown. */
static void message(const char *prefix, const char *format, va_list args)
{
    char text[4096];
    tacho_vformat_fit(text, sizeof text, format, args);
    for (char *c = text; *c; c++)
        if (((unsigned char)*c < 0x20 && *c != '\n' && *c != '\t') || *c == 0x7f)
            *c = '?';
    fprintf(stderr, "tacho: %s%s\n", prefix, text);
}

void cli_error(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    message("", format, args);
    va_end(args);
}

int cli_usage_error(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    message("", format, args);
    va_end(args);
    return CLI_USAGE;
}

void cli_note(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    message("note: ", format, args);
    va_end(args);
}

int cli_value_name_length(const cli_option *o)
{
    return o->value ? (int)strcspn(o->value, " ") : 0;
}

int cli_help(const cli_command *command)
{
    printf("tacho %s: %s\n\nUsage: tacho %s %s\n\n", command->name, command->summary, command->name,
           command->usage);
    for (const cli_option *o = command->options; o->id; o++) {
        char left[64];
        if (!o->help)
            continue;
        snprintf(left, sizeof left, "%s%c%s--%s%s%.*s", o->letter ? "-" : "", o->letter ? o->letter : ' ',
                 o->letter ? ", " : "   ", o->name, o->value ? " " : "", cli_value_name_length(o),
                 o->value ? o->value : "");
        printf("  %-26s ", left);
        for (const char *line = o->help; *line;) { /* continuation lines are indented */
            size_t n = strcspn(line, "\n");
            printf("%s%.*s\n", line == o->help ? "" : "                             ", (int)n, line);
            line += n + (line[n] == '\n');
        }
    }
    printf("  -h, --help                 this text\n");
    if (command->more)
        printf("\n%s", command->more);
    return CLI_OK;
}

void cli_parse_start(cli_parser *p, const cli_command *command, int argc, char **argv)
{
    *p = (cli_parser){.command = command, .argc = argc, .at = 1, .argv = argv};
}

static int unknown_option(const cli_parser *p, const char *name, size_t length)
{
    tacho_suggest s;
    char wanted[100], text[300];
    snprintf(wanted, sizeof wanted, "--%.*s", (int)(length < 90 ? length : 90), name);
    tacho_suggest_start(&s, wanted);
    for (const cli_option *o = p->command->options; o->id; o++) {
        char candidate[64];
        snprintf(candidate, sizeof candidate, "--%s", o->name);
        if (o->help && length > 1)
            tacho_suggest_offer(&s, candidate);
    }
    tacho_suggest_text(&s, text, sizeof text);
    cli_error("unknown option '%s'%s", p->argv[p->at - 1],
              *text ? text : "; 'tacho help' lists the commands, 'tacho COMMAND --help' the options");
    return CLI_WRONG;
}

static const cli_option *long_option(const cli_parser *p, const char *name, size_t length)
{
    for (const cli_option *o = p->command->options; o->id; o++)
        if (strlen(o->name) == length && !memcmp(o->name, name, length))
            return o;
    return NULL;
}

static const cli_option *letter_option(const cli_parser *p, char letter)
{
    for (const cli_option *o = p->command->options; o->id; o++)
        if (o->letter && o->letter == letter)
            return o;
    return NULL;
}

/* `attached` is the value written into the same argument, NULL if none. */
static int take(cli_parser *p, const cli_option *o, const char *attached, const char **value)
{
    if (!o->value && attached) {
        cli_error("option --%s takes no value", o->name);
        return CLI_WRONG;
    }
    if (o->value && !attached) {
        if (p->at >= p->argc) {
            cli_error("option --%s needs a value: --%s %.*s", o->name, o->name, cli_value_name_length(o),
                      o->value);
            return CLI_WRONG;
        }
        attached = p->argv[p->at++];
    }
    *value = attached;
    return o->id;
}

/* "-mattr=+avx" is no "-m attr=+avx" where -m takes one of some words: none of them has a "=" in it. */
static bool is_another(const cli_option *o, const char *name)
{
    return o->value && strchr(o->value, ' ') && name[1] != '=' && strchr(name, '=');
}

int cli_next(cli_parser *p, const char **value)
{
    *value = NULL;
    if (p->at >= p->argc)
        return CLI_END;
    const char *arg = p->argv[p->at++];
    if (!p->only_positional && !strcmp(arg, "--")) {
        p->only_positional = true;
        return cli_next(p, value);
    }
    if (p->only_positional || arg[0] != '-' || !arg[1]) {
        *value = arg;
        return CLI_POSITIONAL;
    }
    bool twice = arg[1] == '-';
    const char *name = arg + 1 + twice;
    size_t length = strcspn(name, "=");
    if (!strcmp(name, "help") || !strcmp(arg, "-h"))
        return CLI_HELP;
    const cli_option *o = twice || length > 1 ? long_option(p, name, length) : NULL;
    snprintf(p->typed, sizeof p->typed, "%.*s", o ? (int)(name - arg + (ptrdiff_t)length) : 2, arg);
    if (o)
        return take(p, o, name[length] ? name + length + 1 : NULL, value);
    o = twice ? NULL : letter_option(p, *name);
    if (o && (o->value || !name[1]) && !is_another(o, name))
        return take(p, o, name[1] ? name + 1 + (name[1] == '=') : NULL, value);
    return unknown_option(p, name, length);
}

int cli_choice(const char *option, const char *value, const char *choices)
{
    int index = 0;
    tacho_suggest s;
    char word[40], text[300];
    tacho_suggest_start(&s, value);
    for (const char *c = choices; *c; index++) {
        size_t n = strcspn(c, "|");
        snprintf(word, sizeof word, "%.*s", (int)n, c);
        if (tacho_str_same(word, value))
            return index;
        tacho_suggest_offer(&s, word);
        c += n + (c[n] == '|');
    }
    cli_error("%s is %s, not '%s'%s", option, choices, value, tacho_suggest_text(&s, text, sizeof text));
    return -1;
}

bool cli_number(const char *option, const char *value, uint64_t low, uint64_t high, uint64_t *out)
{
    unsigned long long n;
    if (!tacho_parse_u64(value, &n) || n < low || n > high) {
        cli_error("%s is a whole number from %llu to %llu, not '%s'", option, (unsigned long long)low,
                  (unsigned long long)high, value);
        return false;
    }
    *out = n;
    return true;
}

bool cli_seconds(const char *option, const char *value, double *out)
{
    char *end;
    *out = strtod(value, &end);
    if (end > value && !*end && *out > 0 && *out <= 1e9)
        return true;
    cli_usage_error("%s is a number of seconds, not '%s'", option, value);
    return false;
}

bool cli_number32(const char *option, const char *value, uint32_t low, uint32_t high, uint32_t *out)
{
    uint64_t n;
    if (!cli_number(option, value, low, high, &n))
        return false;
    *out = (uint32_t)n;
    return true;
}

static int find_default(const tacho_arch **out, bool *fallback)
{
    tacho_error err;
    out[0] = tacho_arch_find("native", &err);
    if (!out[0]) {
        out[0] = tacho_arch_find("SKL", &err);
        if (!out[0]) {
            cli_error("%s", err.message);
            return -1;
        }
        *fallback = true;
    }
    return 1;
}

void cli_note_fallback(int status, bool fallback)
{
    if (fallback && (status == CLI_OK || status == CLI_PARTIAL))
        cli_note("this machine's microarchitecture is not supported; this is for SKL (choose with -a)");
}

int cli_find_archs(const char *names, const tacho_arch **out, bool *fallback)
{
    *fallback = false;
    if (!names)
        return find_default(out, fallback);
    if (tacho_str_same(names, "all")) {
        int count = 0;
        for (size_t i = 0; i < tacho_arch_count() && count < CLI_MAX_ARCHS; i++)
            out[count++] = tacho_arch_get(i);
        return count;
    }
    int count = 0;
    for (const char *c = names;; c++) {
        char name[64];
        tacho_error err;
        size_t n = strcspn(c, ",");
        snprintf(name, sizeof name, "%.*s", (int)n, c);
        if (count == CLI_MAX_ARCHS) {
            cli_error("more than %d microarchitectures", CLI_MAX_ARCHS);
            return -1;
        }
        out[count] = tacho_arch_find(name, &err);
        if (!out[count++]) {
            cli_error("%s", err.message);
            return -1;
        }
        c += n;
        if (!*c)
            return count;
    }
}

bool cli_use_colour(int when)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    if (when)
        return when == 1;
    return isatty(STDOUT_FILENO) && !(no && *no) && !(term && !strcmp(term, "dumb"));
}

unsigned cli_processors(void)
{
    cpu_set_t set;
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    if (!sched_getaffinity(0, sizeof set, &set) && CPU_COUNT(&set) > 0)
        n = CPU_COUNT(&set);
    return n < 1 ? 1 : n > 256 ? 256 : (unsigned)n;
}
