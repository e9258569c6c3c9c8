/* compare_scan.c - from what was written to the commands of a comparison.
 *
 * A command that mentions "{name}" is run with each value of that parameter; of several parameters with each
 * combination, of which the last parameter changes first. What all commands share - preparations, input -
 * has the values of the command; a parameter that it mentions is one of every command. */
#include <stdio.h>
#include <string.h>

#include "app/cli/cli.h"
#include "app/cli/compare_scan.h"
#include "app/cli/compare_values.h"
#include "base/str.h"

/* ---- options ---- */

/* Letters and '_', then also digits and '-'. */
static bool is_parameter_name(const char *text, size_t length)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-0123456789";
    const size_t first = 53;
    return length && strspn(text, letters) >= length && memchr(letters, *text, first);
}

static bool take_parameter(compare_scan *s, const char *option, const char *value, bool as_words)
{
    scan_parameter *last = s->parameter_count ? &s->parameters[s->parameter_count - 1] : NULL;
    if (last && !last->values) {
        last->values = value;
        return true;
    }
    size_t n = strcspn(value, "=");
    if (!is_parameter_name(value, n))
        return cli_error(
            "%s: '%.*s' is no name of a parameter: %s NAME VALUES, with VALUES as 1,2,4 or 1..8 or 1..8:2",
            option, (int)n, value, option);
    if (s->parameter_count == SCAN_MAX_PARAMETERS)
        return cli_error("at most %d parameters", SCAN_MAX_PARAMETERS);
    for (size_t i = 0; i < s->parameter_count; i++)
        if (s->parameters[i].name_length == n && !memcmp(s->parameters[i].name, value, n))
            return cli_error("parameter '%.*s' is given twice", (int)n, value);
    s->parameters[s->parameter_count++] = (scan_parameter){
        .name = value, .name_length = n, .values = value[n] ? value + n + 1 : NULL, .as_words = as_words};
    return true;
}

bool scan_take_parameter(void *scan, const char *option, const char *value)
{
    return take_parameter(scan, option, value, false);
}

bool scan_take_list(void *scan, const char *option, const char *value)
{
    return take_parameter(scan, option, value, true);
}

bool scan_take_name(void *scan, const char *option, const char *value)
{
    compare_scan *s = scan;
    if (s->name_count == TACHO_COMPARE_MAX_COMMANDS)
        return cli_error("%s: at most %d commands", option, TACHO_COMPARE_MAX_COMMANDS);
    s->names[s->name_count++] = value;
    return true;
}

/* ---- what mentions which parameter ---- */

/* The next "{name}" of a parameter. @return SCAN_MAX_PARAMETERS: there is none */
static size_t find_mention(const compare_scan *s, const char *text, const char **at)
{
    *at = text;
    for (const char *brace = text; (brace = strchr(brace, '{')); brace++)
        for (size_t p = 0; p < s->parameter_count; p++) {
            size_t n = s->parameters[p].name_length;
            if (!strncmp(brace + 1, s->parameters[p].name, n) && brace[1 + n] == '}') {
                *at = brace;
                return p;
            }
        }
    return SCAN_MAX_PARAMETERS;
}

/* Bits of the parameters that a text mentions; NULL: none. */
static unsigned mentioned_by(const compare_scan *s, const char *text)
{
    unsigned found = 0;
    const char *at;
    for (size_t p; text && (p = find_mention(s, text, &at)) < s->parameter_count;
         text = at + s->parameters[p].name_length + 2)
        found |= 1U << p;
    return found;
}

static unsigned mentioned_by_command(const compare_scan *s, char *const *argv)
{
    unsigned found = 0;
    for (; *argv; argv++)
        found |= mentioned_by(s, *argv);
    return found;
}

static unsigned mentioned_by_all(const compare_scan *s)
{
    const tacho_compare_hooks *h = &s->hooks;
    return mentioned_by(s, h->setup) | mentioned_by(s, h->prepare) | mentioned_by(s, h->conclude) |
           mentioned_by(s, h->cleanup) | mentioned_by(s, s->input);
}

/* ---- making ---- */

typedef struct making {
    const compare_scan *scan;
    scanned_commands *out;
    scan_values values[SCAN_MAX_PARAMETERS];
    char **written[TACHO_COMPARE_MAX_COMMANDS];
    size_t written_count;
    const char *chosen[SCAN_MAX_PARAMETERS]; /* of the command that is being made; NULL: not mentioned */
    bool failed;
} making;

/* The text with the chosen values. */
static const char *fill_in(making *m, const char *text)
{
    const char *at;
    tacho_str out = {0};
    if (!text || !mentioned_by(m->scan, text))
        return text;
    tacho_str_puts(&out, "");
    for (size_t p; (p = find_mention(m->scan, text, &at)) < m->scan->parameter_count;) {
        const char *behind = at + m->scan->parameters[p].name_length + 2;
        tacho_str_append(&out, text, (size_t)((m->chosen[p] ? at : behind) - text));
        tacho_str_puts(&out, m->chosen[p] ? m->chosen[p] : "");
        text = behind;
    }
    tacho_str_puts(&out, text);
    const char *kept = out.failed ? NULL : arena_text(&m->out->memory, out.data);
    m->failed |= !kept;
    tacho_str_free(&out);
    return kept;
}

static char **fill_in_words(making *m, char *const *argv)
{
    size_t n = 0;
    while (argv[n])
        n++;
    char **out = arena_alloc(&m->out->memory, (n + 1) * sizeof *out);
    m->failed |= !out;
    for (size_t i = 0; out && i < n; i++)
        out[i] = (char *)fill_in(m, argv[i]);
    return out;
}

/* "threads=4 compiler=gcc", of the parameters in `which`; in brackets behind a name. */
static void put_values(const making *m, unsigned which, tacho_str *out)
{
    bool behind = out->length, first = true;
    for (size_t p = 0; p < m->scan->parameter_count; p++)
        if (which >> p & 1) {
            tacho_str_printf(out, "%s%.*s=%s",
                             !first   ? " "
                             : behind ? " ["
                                      : "",
                             (int)m->scan->parameters[p].name_length, m->scan->parameters[p].name,
                             m->chosen[p]);
            first = false;
        }
    tacho_str_puts(out, behind && !first ? "]" : "");
}

static const char *join_words(making *m, char *const *argv)
{
    tacho_str out = {0};
    tacho_str_puts(&out, "");
    for (char *const *word = argv; word && *word; word++)
        tacho_str_printf(&out, "%s%s", word == argv ? "" : " ", *word);
    const char *kept = out.failed ? NULL : arena_text(&m->out->memory, out.data);
    m->failed |= !kept;
    tacho_str_free(&out);
    return kept;
}

/* Of one command its values; of several their words, and the values that are not in them. */
static const char *name_command(making *m, size_t written, unsigned used, char *const *argv)
{
    const compare_scan *s = m->scan;
    const char *given = written < s->name_count ? s->names[written] : NULL, *name = fill_in(m, given);
    bool by_values = !given && used && m->written_count == 1;
    tacho_str out = {0};
    if (!given && !by_values)
        name = join_words(m, argv);
    tacho_str_puts(&out, name ? name : "");
    put_values(m,
               used & ~(given       ? mentioned_by(s, given)
                        : by_values ? 0
                                    : mentioned_by_command(s, m->written[written])),
               &out);
    const char *kept = out.failed ? NULL : arena_text(&m->out->memory, out.data);
    m->failed |= !kept;
    tacho_str_free(&out);
    return kept;
}

static int make_command(making *m, size_t written, unsigned used)
{
    const tacho_compare_hooks *h = &m->scan->hooks;
    scanned_commands *out = m->out;
    if (out->count == TACHO_COMPARE_MAX_COMMANDS)
        return cli_usage_error("more than %d commands", TACHO_COMPARE_MAX_COMMANDS);
    char **argv = fill_in_words(m, m->written[written]);
    scanned *s = &out->scanned[out->count];
    memcpy(s->values, m->chosen, sizeof s->values);
    s->written = join_words(m, m->written[written]);
    s->is_named = used || written < m->scan->name_count;
    s->name = name_command(m, written, used, argv);
    out->hooks[out->count] = (tacho_compare_hooks){fill_in(m, h->setup), fill_in(m, h->prepare),
                                                   fill_in(m, h->conclude), fill_in(m, h->cleanup)};
    out->commands[out->count++] = (tacho_command){.argv = argv, .input = fill_in(m, m->scan->input)};
    return m->failed ? cli_input_error("out of memory") : -1;
}

/* With each combination of the values. */
static int make_all_of(making *m, size_t written, unsigned used)
{
    size_t n = m->scan->parameter_count, at[SCAN_MAX_PARAMETERS] = {0};
    for (;;) {
        for (size_t p = 0; p < n; p++)
            m->chosen[p] = used >> p & 1 ? m->values[p].list[at[p]] : NULL;
        int status = make_command(m, written, used);
        if (status >= 0)
            return status;
        size_t p = n;
        while (p && (!(used >> (p - 1) & 1) || ++at[p - 1] == m->values[p - 1].count))
            at[--p] = 0;
        if (!p)
            return -1;
    }
}

static int make_all(making *m)
{
    const compare_scan *s = m->scan;
    unsigned shared = mentioned_by_all(s), by_any = shared;
    scanned_commands *out = m->out;
    for (size_t c = 0; c < m->written_count; c++)
        by_any |= mentioned_by_command(s, m->written[c]);
    for (size_t p = 0; p < s->parameter_count; p++) {
        const scan_parameter *q = &s->parameters[p];
        if (!q->values)
            return cli_usage_error("parameter '%s' has no values: %s VALUES, such as 1,2,4 or 1..8", q->name,
                                   q->name);
        if (!(by_any >> p & 1))
            return cli_usage_error("nothing has parameter '%.*s' in it: write {%.*s} where its values belong",
                                   (int)q->name_length, q->name, (int)q->name_length, q->name);
        if (!scan_values_read(&out->memory, q->values, q->as_words, &m->values[p]))
            return CLI_USAGE;
        out->parameters[out->parameter_count++] = arena_text_n(&out->memory, q->name, q->name_length);
    }
    out->commands = arena_alloc(&out->memory, TACHO_COMPARE_MAX_COMMANDS * sizeof *out->commands);
    out->hooks = arena_alloc(&out->memory, TACHO_COMPARE_MAX_COMMANDS * sizeof *out->hooks);
    out->scanned = arena_alloc(&out->memory, TACHO_COMPARE_MAX_COMMANDS * sizeof *out->scanned);
    if (!out->commands || !out->hooks || !out->scanned)
        return cli_input_error("out of memory");
    for (size_t c = 0; c < m->written_count; c++) {
        int status = make_all_of(m, c, shared | mentioned_by_command(s, m->written[c]));
        if (status >= 0)
            return status;
    }
    return -1;
}

/* ---- the words behind "--" ---- */

static int missing(const char *which, const char *separator)
{
    return cli_usage_error("command %s is missing: -- A ... %s B ...", which, separator);
}

/* @return -1: go on; else the exit status */
static int split(making *m, char **words, const char *separator)
{
    static const char *const letters[] = {"A", "B"};
    char **from = words;
    for (char **word = words;; word++) {
        bool ends = !*word;
        if (!ends && strcmp(*word, separator))
            continue;
        if (word == from && m->written_count < 2)
            return missing(letters[m->written_count], separator);
        if (word == from)
            return cli_usage_error("no command %s the last '%s'", ends ? "behind" : "before", separator);
        if (m->written_count == TACHO_COMPARE_MAX_COMMANDS)
            return cli_usage_error("more than %d commands", TACHO_COMPARE_MAX_COMMANDS);
        m->written[m->written_count++] = from;
        *word = NULL;
        from = word + 1;
        if (ends)
            return -1;
    }
}

/* ---- commands as words: 'cmd a' 'cmd b' ---- */

/* Takes quotes and backslashes out of a word, in place, as a shell does. @return what is behind it; NULL: a
 * quote is not closed */
static char *unquote(char *at, bool *for_shell)
{
    char *out = at, quote = 0;
    for (; *at && (quote || (*at != ' ' && *at != '\t' && *at != '\n')); at++) {
        if (*at == quote) {
            quote = 0;
        } else if (!quote && (*at == '\'' || *at == '"')) {
            quote = *at;
        } else {
            *for_shell |= quote != '\'' && strchr(quote ? "$`" : "$`|&;<>()*?", *at) != NULL;
            if (*at == '\\' && quote != '\'' && at[1])
                at++;
            *out++ = *at;
        }
    }
    char *behind = at + (*at != '\0');
    *out = '\0';
    return quote ? NULL : behind;
}

/* @return -1: go on; else the exit status */
static int split_line(making *m, char *line)
{
    char **words = arena_alloc_raw(&m->out->memory, (strlen(line) / 2 + 2) * sizeof *words);
    char *copy = arena_text(&m->out->memory, line), *at = copy;
    size_t count = 0;
    bool for_shell = false;
    if (!words || !copy)
        return cli_input_error("out of memory");
    while (at && *(at += strspn(at, " \t\n"))) {
        words[count++] = at;
        at = unquote(at, &for_shell);
    }
    words[count] = NULL;
    if (!at)
        return cli_usage_error("'%s': a quote is not closed", line);
    if (for_shell)
        return cli_usage_error("'%s': what only a shell understands is in it; -- sh -c '...' runs one", line);
    if (!count)
        return cli_usage_error("an empty command");
    m->written[m->written_count++] = words;
    return -1;
}

static int split_lines(making *m, const cli_words *lines)
{
    int status = -1;
    if (lines->count > TACHO_COMPARE_MAX_COMMANDS)
        return cli_usage_error("more than %d commands", TACHO_COMPARE_MAX_COMMANDS);
    for (size_t i = 0; i < lines->count && status < 0; i++)
        status = split_line(m, lines->list[i]);
    return status;
}

int scan_commands(const compare_scan *scan, const cli_words *lines, char **words, const char *separator,
                  scanned_commands *out)
{
    making m = {.scan = scan, .out = out};
    int status = words ? split(&m, words, separator) : split_lines(&m, lines);
    if (status >= 0)
        return status;
    if (m.written_count < scan->name_count)
        return cli_usage_error("%zu names of %zu command%s", scan->name_count, m.written_count,
                               tacho_plural(m.written_count));
    status = make_all(&m);
    if (status < 0 && out->count == 1 && scan->parameter_count)
        return cli_usage_error("only one value: what is it to be compared with?");
    if (status < 0 && out->count == 1)
        return cli_usage_error(
            "only one command: what is it to be compared with? 'A' 'B', or -- A ... %s B ...", separator);
    return status;
}

void scan_free(scanned_commands *s)
{
    arena_free(&s->memory);
}
