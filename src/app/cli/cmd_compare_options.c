/* cmd_compare_options.c - what tacho compare is asked for. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/cli/cmd_compare.h"
#include "app/cli/tool.h"

enum {
    O_METRIC = 1,
    O_METRIC_REGEX,
    O_UNIT,
    O_HIGHER,
    O_EVENTS,
    O_CLOCK,
    O_THRESHOLD,
    O_CONFIDENCE,
    O_PRECISION,
    O_RUNS,
    O_MAX_RUNS,
    O_MAX_TIME,
    O_TIMEOUT,
    O_WARM_UP,
    O_CPU,
    O_CLEAN_CACHE,
    O_LAYOUT,
    O_NO_ASLR,
    O_INPUT,
    O_PREPARE,
    O_SEED,
    O_SEPARATOR,
    O_SAMPLES,
    O_SAVE,
    O_PLOT,
    O_FAIL_IF,
    O_FORMAT,
    O_JSON,
    O_COLOUR,
    O_QUIET
};

const cli_option compare_options[] = {
    {O_METRIC, "metric", 'm', "NAME",
     "what decides: cpu (default: user and system time), user, system,\nelapsed, cycles, or a performance "
     "event's name"},
    {O_METRIC_REGEX, "metric-regex", 0, "RE",
     "decide by a number that the command writes to standard output: the\ngroup of this extended regular "
     "expression"},
    {O_UNIT, "unit", 0, "UNIT", "of that number"},
    {O_HIGHER, "higher-is-better", 0, NULL, "of the metric"},
    {O_EVENTS, "events", 0, "LIST", "performance events to count besides"},
    {O_CLOCK, "clock", 0, "CLOCK auto|perf|tsc-calibrated",
     "of cycles: auto (default), perf, tsc-calibrated"},
    {O_THRESHOLD, "threshold", 0, "PERCENT", "differences above it are interesting; default: 2"},
    {O_CONFIDENCE, "confidence", 0, "PERCENT", "of the interval and the verdict; default: 95"},
    {O_PRECISION, "precision", 0, "PERCENT",
     "run until half of the interval's width is below this; default: a\nquarter of the threshold"},
    {O_RUNS, "runs", 'n', "N", "so many runs of each, instead"},
    {O_MAX_RUNS, "max-runs", 0, "N", "at most so many runs of each"},
    {O_MAX_TIME, "max-time", 0, "S",
     "at most so many seconds for all; default: 60, or what the fewest runs\nfor a verdict take"},
    {O_TIMEOUT, "timeout", 0, "S", "for a run"},
    {O_WARM_UP, "warm-up", 'w', "N", "runs of each that are thrown away first; default: 1"},
    {O_CPU, "cpu", 0, "N", "run on this CPU, or any; default: the last one that may be used"},
    {O_CLEAN_CACHE, "clean-cache", 0, NULL, "replace what is in the caches before each run"},
    {O_LAYOUT, "layout", 0, "N",
     "run both in N random layouts of their memory: environment size,\nstack, heap, mappings"},
    {O_NO_ASLR, "no-aslr", 0, NULL, "without randomised addresses"},
    {O_INPUT, "input", 'i', "FILE", "standard input of each run; default: nothing"},
    {O_PREPARE, "prepare", 0, "COMMAND", "for sh -c, before each run, not timed"},
    RUNNING_OPTIONS,
    {O_SEED, "seed", 0, "N", "of the order of runs, layouts and resamples; default: 1"},
    {O_SEPARATOR, "separator", 0, "WORD", "what stands between the commands instead of --"},
    {O_SAMPLES, "samples", 0, "FILE",
     "judge the samples of a CSV file: columns side (A, B), value or cpu or\n--metric, block, layout; or a "
     "and b"},
    {O_SAVE, "save", 'o', "FILE", "write all runs as CSV, for --samples"},
    {O_PLOT, "plot", 0, "FILE", "draw both distributions: .svg or .png"},
    {O_FAIL_IF, "fail-if", 0, "WHAT slower|faster|different",
     "status 4 if B is slower, faster or different by more than the\nthreshold: slower, faster, different"},
    {O_FORMAT, "format", 'f', "FORMAT text|json|csv", "text (default), json, or csv: all runs"},
    {O_JSON, "json", 0, NULL, "the same as --format json"},
    {O_COLOUR, "color", 0, "WHEN auto|always|never", "auto (default), always or never"},
    {O_QUIET, "quiet", 'q', NULL, "no progress on the terminal"},
    {0, NULL, 0, NULL, NULL},
};

const char compare_help[] =
    "Runs A B B A or B A A B, by the toss of a coin, until the 95 % interval of the ratio is narrow\n"
    "enough. The ratio is that of B's metric by A's: of times, below 1 B is faster. B is called faster\n"
    "or slower only where both the interval and a rank test say so. Ctrl-C: the answer so far.\n\n"
    "Exit status: 0 done, 1 a run failed or something could not be read, 2 wrong usage, 3 too few runs\n"
    "for a verdict, or ended by a signal, 4 as --fail-if says.\n\n"
    "Examples:\n"
    "  tacho compare -- ./old input -- ./new input\n"
    "  tacho compare --layout 20 --plot both.svg -- ./old -- ./new\n"
    "  tacho compare --metric-regex '([0-9.]+) frames/s' --higher-is-better -- ./old -- ./new\n"
    "  tacho compare --fail-if slower --max-time 30 -- ./released -- ./built\n"
    "  tacho compare --samples times.csv\n";

/* A number of percent, as a fraction. */
static bool take_percent(const char *option, const char *value, double low, double high, double *out)
{
    char *end;
    double percent = strtod(value, &end);
    end += end > value && *end == '%';
    if (end > value && !*end && percent >= low && percent <= high) {
        *out = percent / 100;
        return true;
    }
    cli_error("%s is a number of percent from %g to %g, not '%s'", option, low, high, value);
    return false;
}

static bool take_cpu(const char *value, int *out)
{
    uint32_t cpu;
    if (!strcmp(value, "any")) {
        *out = TACHO_CPU_ANY;
        return true;
    }
    if (!cli_number32("--cpu", value, 0, 4095, &cpu))
        return false;
    *out = (int)cpu;
    return true;
}

static bool take_choice(const char *option, const char *value, const char *choices, int first, int *out)
{
    int i = cli_choice(option, value, choices);
    *out = i + first;
    return i >= 0;
}

static bool take_clock(const char *value, tacho_clock *out)
{
    static const tacho_clock clocks[] = {TACHO_CLOCK_AUTO, TACHO_CLOCK_PERF, TACHO_CLOCK_TSC_CALIBRATED};
    int i = cli_choice("--clock", value, "auto|perf|tsc-calibrated");
    if (i >= 0)
        *out = clocks[i];
    return i >= 0;
}

/* What is of use with samples from a file, too. @return whether it was one of these; *good: false with a
 * message */
static bool take_common(compare_request *r, int id, const char *value, bool *good)
{
    tacho_judge_options *j = &r->compare.judge;
    switch (id) {
    case O_METRIC:
        r->compare.metric = value;
        return true;
    case O_UNIT:
        r->compare.unit = value;
        return true;
    case O_HIGHER:
        j->higher_is_better = true;
        return true;
    case O_THRESHOLD:
        *good = take_percent("--threshold", value, 0, 1000, &j->threshold);
        return true;
    case O_CONFIDENCE:
        *good = take_percent("--confidence", value, 50, 99.99, &j->confidence);
        return true;
    case O_SEED:
        *good = cli_number("--seed", value, 0, UINT64_MAX, &j->seed);
        return true;
    case O_SAMPLES:
        r->samples = value;
        return true;
    case O_PLOT:
        r->plot = value;
        *good = tool_is_picture("--plot", value);
        return true;
    case O_FAIL_IF:
        *good = take_choice("--fail-if", value, "slower|faster|different", COMPARE_FAIL_SLOWER, &r->fail_if);
        return true;
    case O_FORMAT:
        *good = take_choice("--format", value, "text|json|csv", 0, &r->format);
        return true;
    case O_JSON:
        r->format = CLI_JSON;
        return true;
    case O_COLOUR:
        *good = take_choice("--color", value, "auto|always|never", 0, &r->colour);
        return true;
    case O_QUIET:
        r->quiet = true;
        return true;
    default:
        return false;
    }
}

/* How things are run. @return false with a message */
static bool take_run_option(compare_request *r, int id, const char *value)
{
    tacho_compare_options *o = &r->compare;
    switch (id) {
    case O_METRIC_REGEX:
        o->pattern = value;
        return true;
    case O_EVENTS:
        o->trials.events = value;
        return true;
    case O_CLOCK:
        return take_clock(value, &o->trials.clock);
    case O_PRECISION:
        return take_percent("--precision", value, 0.0001, 1000, &o->precision);
    case O_RUNS:
        return cli_number32("--runs", value, 1, TACHO_COMPARE_MAX_RUNS, &o->runs);
    case O_MAX_RUNS:
        return cli_number32("--max-runs", value, 2, TACHO_COMPARE_MAX_RUNS, &o->max_runs);
    case O_MAX_TIME:
        return cli_seconds("--max-time", value, &o->max_seconds);
    case O_TIMEOUT:
        return cli_seconds("--timeout", value, &o->trials.timeout_seconds);
    case O_WARM_UP:
        return cli_number32("--warm-up", value, 0, 1000, &o->warm_up);
    case O_CPU:
        return take_cpu(value, &o->trials.cpu);
    case O_CLEAN_CACHE:
        return o->trials.clean_cache = true;
    case O_LAYOUT:
        return cli_number32("--layout", value, 1, TACHO_COMPARE_MAX_LAYOUTS, &o->layouts);
    case O_NO_ASLR:
        return o->fixed_addresses = true;
    case O_INPUT:
        r->commands[0].input = r->commands[1].input = value;
        return true;
    case O_PREPARE:
        o->prepare = value;
        return true;
    case O_SEPARATOR:
        r->separator = value;
        return true;
    case O_SAVE:
        r->save = value;
        return true;
    default:
        return running_option(&r->running, id, value);
    }
}

/* @return -1: go on; else the exit status */
static int split_commands(compare_request *r)
{
    char **between = NULL;
    for (char **word = r->rest; *word; word++) {
        if (strcmp(*word, r->separator))
            continue;
        if (between)
            return cli_usage_error(
                "more than two commands: '%s' stands there again before '%s'; if it belongs "
                "to a command, choose another --separator",
                r->separator, word[1] ? word[1] : "");
        between = word;
    }
    if (!between)
        return cli_usage_error("only one command: what is it to be compared with? -- A ... %s B ...",
                               r->separator);
    if (between == r->rest || !between[1])
        return cli_usage_error("command %c is missing: -- A ... %s B ...", between == r->rest ? 'A' : 'B',
                               r->separator);
    *between = NULL;
    r->commands[0].argv = r->rest;
    r->commands[1].argv = between + 1;
    return -1;
}

/* @return -1: go on; else the exit status */
static int check(compare_request *r)
{
    if (r->samples && r->rest)
        return cli_usage_error("either --samples or commands, not both");
    if (r->samples && *r->run_option)
        return cli_usage_error("%s goes with commands, not with --samples", r->run_option);
    if (r->samples && r->format == CLI_CSV)
        return cli_usage_error("--format csv writes the runs of commands, not those of --samples");
    if (r->samples)
        return -1;
    if (!r->rest)
        return cli_usage_error("what is to be compared? -- A ... -- B ..., or --samples FILE");
    if (r->compare.metric && r->compare.pattern && strcmp(r->compare.metric, "value"))
        return cli_usage_error("either --metric or --metric-regex decides, not both");
    if (r->compare.unit && !r->compare.pattern)
        return cli_usage_error("--unit goes with --metric-regex or --samples");
    if (r->compare.pattern && r->running.where)
        return cli_usage_error("--metric-regex reads the commands' standard output: it goes nowhere else");
    if (!*r->separator)
        return cli_usage_error("--separator is a word, not nothing");
    return split_commands(r);
}

/* @return -1: go on; else the exit status */
int compare_parse(compare_request *r, int argc, char **argv)
{
    const char *value;
    int id;
    cli_parser p;
    cli_parse_start(&p, &cli_compare, argc, argv);
    while ((id = cli_next(&p, &value)) != CLI_END) {
        bool good = true;
        if (id == CLI_HELP)
            return cli_help(&cli_compare);
        if (id == CLI_WRONG)
            return CLI_USAGE;
        if (id == CLI_POSITIONAL && !p.only_positional)
            return cli_usage_error("the commands come after --: tacho compare -- A ... -- B ..., not '%s'",
                                   value);
        if (id == CLI_POSITIONAL) {
            r->rest = argv + p.at - 1;
            break;
        }
        if (!take_common(r, id, value, &good)) {
            good = take_run_option(r, id, value);
            snprintf(r->run_option, sizeof r->run_option, "%s", p.typed);
        }
        if (!good)
            return CLI_USAGE;
    }
    return check(r);
}
