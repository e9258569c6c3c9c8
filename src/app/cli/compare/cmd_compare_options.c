/* cmd_compare_options.c - what tacho compare is asked for: its commands (words divided by "--", or each one
 * word with blanks in it) and options. */
#include "app/cli/compare/cmd_compare.h"

static int too_many(void)
{
    return cli_usage_error("more than %d commands", COMPARE_MAX_COMMANDS);
}

static int missing(const char *which, const char *separator)
{
    return cli_usage_error("command %s is missing: -- A ... %s B ...", which, separator);
}

/* ---- the words behind "--" ---- */

/* @return an exit status */
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
            return CLI_OK;
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

/* @return an exit status */
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
    return CLI_OK;
}

static int split_lines(compared_commands *out, const cli_words *lines)
{
    int status = CLI_OK;
    if (lines->count > COMPARE_MAX_COMMANDS)
        return too_many();
    for (size_t i = 0; i < lines->count && !status; i++)
        status = split_line(out, lines->list[i]);
    return status;
}

/* The commands of what was written, which is changed. @return an exit status */
static int compare_commands_find(compare_request *r)
{
    compared_commands *out = &r->commands;
    int status = r->rest ? split(out, r->rest, r->separator) : split_lines(out, &r->lines);
    if (status)
        return status;
    if (out->count < r->names.count)
        return cli_usage_error("%zu names of %zu command%s", r->names.count, out->count,
                               tacho_plural(out->count));
    if (out->count == 1)
        return cli_usage_error(
            "only one command: what is it to be compared with? 'A' 'B', or -- A ... %s B ...", r->separator);
    for (size_t c = 0; c < out->count; c++)
        out->list[c].input = r->input;
    return CLI_OK;
}

/* ---- options ---- */

static bool take_name(void *target, const char *option, const char *value)
{
    compare_names *names = target;
    if (names->count == COMPARE_MAX_COMMANDS)
        return cli_error("%s: at most %d commands", option, COMPARE_MAX_COMMANDS);
    names->list[names->count++] = value;
    return true;
}

static bool take_limit(void *target, const char *option, const char *value)
{
    compare_limit *l = target;
    const char *colon = strchr(value, ':');
    char word[20], *end;
    snprintf(word, sizeof word, "%.*s", colon ? (int)(colon - value) : (int)strlen(value), value);
    int what = cli_choice(option, word, "slower|faster|different");
    if (what < 0)
        return false;
    *l = (compare_limit){.what = COMPARE_FAIL_SLOWER + what};
    if (!colon)
        return true;
    l->above = strtod(colon + 1, &end) / 100;
    return (end > colon + 1 && !*end && l->above > 0 && l->above <= 10) ||
           cli_error("%s: '%s': behind the colon stands a number of percent, above 0 and up to 1000", option,
                     value);
}

bool compare_reaches(const compare_limit *l, tacho_verdict verdict, double ratio, bool interesting)
{
    bool large = l->above > 0 ? fabs(ratio - 1) > l->above : interesting;
    return large && ((verdict == TACHO_VERDICT_SLOWER && l->what & COMPARE_FAIL_SLOWER) ||
                     (verdict == TACHO_VERDICT_FASTER && l->what & COMPARE_FAIL_FASTER));
}

#define CLI_REQUEST compare_request
const cli_option compare_options[] = {
    {CLI_COMMAND, "--", 0, NULL, NULL, CLI_AT(rest)},
    {CLI_WORDS, "", 0, "COMMAND", NULL, CLI_AT(lines)},
    {CLI_STRING, "metric", 'm', "NAME",
     "what decides: cpu (default: user and system time), user, system,\nelapsed, cycles, or a performance "
     "event's name",
     CLI_AT(compare.metric)},
    {CLI_STRING, "metric-regex", 0, "RE",
     "decide by a number that the command writes to standard output: the\ngroup of this extended regular "
     "expression",
     CLI_AT(compare.pattern), CLI_MARK(run_option)},
    {CLI_STRING, "unit", 0, "UNIT", "of that number", CLI_AT(compare.unit)},
    {CLI_SWITCH, "higher-is-better", 0, NULL, "of the metric", CLI_AT(compare.judge.higher_is_better)},
    {CLI_STRING, "events", 0, "LIST", "performance events to count besides", CLI_AT(compare.trials.events),
     CLI_MARK(run_option)},
    {CLI_CHOICE, "clock", 0, "CLOCK auto|perf|tsc-calibrated",
     "of cycles: auto (default), perf, tsc-calibrated", CLI_AT(compare.trials.clock), CLI_MARK(run_option)},
    {CLI_PERCENT, "threshold", 0, "PERCENT", "differences above it are interesting; default: 2",
     CLI_AT(compare.judge.threshold), .most = 1000},
    {CLI_PERCENT, "confidence", 0, "PERCENT", "of the interval and the verdict; default: 95",
     CLI_AT(compare.judge.confidence), .least = 50, .most = 99.99},
    {CLI_PERCENT, "precision", 0, "PERCENT",
     "run until half of the interval's width is below this; default: a\nquarter of the threshold",
     CLI_AT(compare.precision), .least = 0.0001, .most = 1000, CLI_MARK(run_option)},
    {CLI_WHOLE, "runs", 'n', "N", "so many runs of each, instead", CLI_AT(compare.runs), .low = 1,
     .high = TACHO_COMPARE_MAX_RUNS, CLI_MARK(run_option)},
    {CLI_WHOLE, "max-runs", 0, "N", "at most so many runs of each", CLI_AT(compare.max_runs), .low = 2,
     .high = TACHO_COMPARE_MAX_RUNS, CLI_MARK(run_option)},
    {CLI_SECONDS, "max-time", 0, "S",
     "at most so many seconds for all; default: 60, or what the fewest runs\nfor a verdict take",
     CLI_AT(compare.max_seconds), CLI_MARK(run_option)},
    {CLI_SECONDS, "timeout", 0, "S", "for a run", CLI_AT(compare.trials.timeout_seconds),
     CLI_MARK(run_option)},
    {CLI_WHOLE, "warm-up", 'w', "N", "runs of each that are thrown away first; default: 1",
     CLI_AT(compare.warm_up), .high = 1000, CLI_MARK(run_option)},
    {CLI_WHOLE, "cpu", 0, "N", "run on this CPU, or any; default: the last one that may be used",
     CLI_AT(compare.trials.cpu), .high = 4095, .word = "any", CLI_MARK(run_option)},
    {CLI_SWITCH, "clean-cache", 0, NULL, "replace what is in the caches before each run",
     CLI_AT(compare.trials.clean_cache), CLI_MARK(run_option)},
    {CLI_WHOLE, "layout", 0, "N",
     "run both in N random layouts of their memory: environment size,\nstack, heap, mappings",
     CLI_AT(compare.layouts), .low = 1, .high = TACHO_COMPARE_MAX_LAYOUTS, CLI_MARK(run_option)},
    {CLI_SWITCH, "no-aslr", 0, NULL, "without randomised addresses", CLI_AT(compare.fixed_addresses),
     CLI_MARK(run_option)},
    {CLI_STRING, "input", 'i', "FILE", "standard input of each run; default: nothing", CLI_AT(input),
     CLI_MARK(run_option)},
    {CLI_CALL, "name", 0, "NAME", "of a command in the report: the first is that of the first one",
     CLI_AT(names), .take = take_name, CLI_MARK(run_option)},
    {CLI_STRING, "setup", 0, "COMMAND", "for sh -c, once for each command, before all runs",
     CLI_AT(hooks[0].setup), CLI_MARK(run_option)},
    {CLI_STRING, "prepare", 0, "COMMAND", "for sh -c, before each run, not timed", CLI_AT(hooks[0].prepare),
     CLI_MARK(run_option)},
    {CLI_STRING, "conclude", 0, "COMMAND", "for sh -c, after each run, not timed", CLI_AT(hooks[0].conclude),
     CLI_MARK(run_option)},
    {CLI_STRING, "cleanup", 0, "COMMAND", "for sh -c, once for each command, at the end",
     CLI_AT(hooks[0].cleanup), CLI_MARK(run_option)},
    {CLI_GROUP, .rows = running_rows, CLI_TO(running), CLI_MARK(run_option)},
    {CLI_WHOLE, "seed", 0, "N", "of the order of runs, layouts and resamples; default: 1",
     CLI_AT(compare.judge.seed), .high = UINT64_MAX},
    {CLI_STRING, "separator", 0, "WORD", "what stands between the commands instead of --", CLI_AT(separator),
     CLI_MARK(run_option)},
    {CLI_STRING, "samples", 0, "FILE",
     "judge the samples of a CSV file: columns side (A, B), value or cpu or\n--metric, block, layout; or a "
     "and b",
     CLI_AT(samples)},
    {CLI_STRING, "save", 'o', "FILE", "write all runs as CSV, for --samples", CLI_AT(save),
     CLI_MARK(run_option)},
    {CLI_CALL, "fail-if", 0, "WHAT slower|faster|different",
     "status 4 if B is slower, faster or different by more than the\nthreshold; slower:5: by more than 5 %",
     CLI_AT(limit), .take = take_limit},
    CLI_FORMAT_ROWS("text|json|csv", "text (default), json or csv (all runs)"),
    CLI_COLOUR_ROW,
    {CLI_SWITCH, "quiet", 'q', NULL, "no progress on the terminal", CLI_AT(quiet)},
    {.kind = CLI_END},
};

int compare_check(compare_request *r)
{
    if (r->rest && r->lines.count)
        return cli_usage_error(
            "'%s' stands before --: commands are words ('cmd a' 'cmd b'), or stand after --",
            r->lines.list[0]);
    if (r->samples && (r->rest || r->lines.count))
        return cli_usage_error("either --samples or commands, not both");
    if (r->samples && *r->run_option)
        return cli_usage_error("%s goes with commands, not with --samples", r->run_option);
    if (r->samples && r->format == CLI_CSV)
        return cli_usage_error("--format csv writes the runs of commands, not those of --samples");
    if (r->samples)
        return CLI_OK;
    if (!r->rest && !r->lines.count)
        return cli_usage_error("what is to be compared? 'A' 'B', -- A ... -- B ..., or --samples FILE");
    if (r->compare.metric && r->compare.pattern && strcmp(r->compare.metric, "value"))
        return cli_usage_error("either --metric or --metric-regex decides, not both");
    if (r->compare.unit && !r->compare.pattern)
        return cli_usage_error("--unit goes with --metric-regex or --samples");
    if (r->compare.pattern && (r->running.where || r->running.shown))
        return cli_usage_error("--metric-regex reads the commands' standard output: it goes nowhere else");
    if (!*r->separator)
        return cli_usage_error("--separator is a word, not nothing");
    int status = compare_commands_find(r);
    const char *of_two = r->save ? "--save" : r->format == CLI_CSV ? "--format csv" : NULL;
    if (!status && of_two && r->commands.count != 2)
        return cli_usage_error("%s is of two commands, not of %zu", of_two, r->commands.count);
    return status;
}
