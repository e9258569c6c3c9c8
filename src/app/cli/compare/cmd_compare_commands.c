/* cmd_compare_commands.c - the commands of a comparison: words divided by "--", or each one word with blanks
 * in it. */
#include <string.h>

#include "app/cli/compare/cmd_compare.h"
#include "base/str.h"

static int too_many(void)
{
    return cli_usage_error("more than %d commands", COMPARE_MAX_COMMANDS);
}

static int missing(const char *which, const char *separator)
{
    return cli_usage_error("command %s is missing: -- A ... %s B ...", which, separator);
}

/* ---- the words behind "--" ---- */

/* @return -1: go on; else the exit status */
static int split(compared_commands *out, char **words, const char *separator)
{
    static const char *const letters[] = {"A", "B"};
    char **from = words;
    for (char **word = words;; word++) {
        bool ends = !*word;
        if (!ends && strcmp(*word, separator))
            continue;
        if (word == from && out->count < 2)
            return missing(letters[out->count], separator);
        if (word == from)
            return cli_usage_error("no command %s the last '%s'", ends ? "behind" : "before", separator);
        if (out->count == COMPARE_MAX_COMMANDS)
            return too_many();
        out->list[out->count++].argv = from;
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
    char *to = at, quote = 0;
    for (; *at && (quote || (*at != ' ' && *at != '\t' && *at != '\n')); at++) {
        if (*at == quote) {
            quote = 0;
        } else if (!quote && (*at == '\'' || *at == '"')) {
            quote = *at;
        } else {
            *for_shell |= quote != '\'' && strchr(quote ? "$`" : "$`|&;<>()*?", *at) != NULL;
            if (*at == '\\' && quote != '\'' && at[1])
                at++;
            *to++ = *at;
        }
    }
    char *behind = at + (*at != '\0');
    *to = '\0';
    return quote ? NULL : behind;
}

/* @return -1: go on; else the exit status */
static int split_line(compared_commands *out, char *line)
{
    char **words = arena_alloc_raw(&out->memory, (strlen(line) / 2 + 2) * sizeof *words);
    char *copy = arena_text(&out->memory, line), *at = copy;
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
    out->list[out->count++].argv = words;
    return -1;
}

static int split_lines(compared_commands *out, const cli_words *lines)
{
    int status = -1;
    if (lines->count > COMPARE_MAX_COMMANDS)
        return too_many();
    for (size_t i = 0; i < lines->count && status < 0; i++)
        status = split_line(out, lines->list[i]);
    return status;
}

int compare_commands_find(compare_request *r)
{
    compared_commands *out = &r->commands;
    int status = r->rest ? split(out, r->rest, r->separator) : split_lines(out, &r->lines);
    if (status >= 0)
        return status;
    if (out->count < r->names.count)
        return cli_usage_error("%zu names of %zu command%s", r->names.count, out->count,
                               tacho_plural(out->count));
    if (out->count == 1)
        return cli_usage_error(
            "only one command: what is it to be compared with? 'A' 'B', or -- A ... %s B ...", r->separator);
    for (size_t c = 0; c < out->count; c++)
        out->list[c].input = r->input;
    return -1;
}
