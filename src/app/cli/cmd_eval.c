/* cmd_eval.c - tacho eval: predictions against measurements. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/cli/cmd_eval.h"
#include "app/cli/source.h"
#include "base/mem.h"

enum {
    OPT_MEASURED = 1,
    OPT_PREDICTED,
    OPT_MODEL,
    OPT_LIST_MODELS,
    OPT_ARCH,
    OPT_MODE,
    OPT_INIT,
    OPT_BY,
    OPT_ONLY,
    OPT_WITHOUT,
    OPT_CATEGORIES,
    OPT_COMMON,
    OPT_WITHOUT_LOWER_BOUNDS,
    OPT_DIFF,
    OPT_TOLERANCE,
    OPT_FAIL_ABOVE,
    OPT_FAIL_BELOW,
    OPT_RESAMPLES,
    OPT_CONFIDENCE,
    OPT_SEED,
    OPT_TAU_STEP,
    OPT_WORST,
    OPT_SAVE,
    OPT_SHARD,
    OPT_JOBS,
    OPT_TIMEOUT,
    OPT_TIMES,
    OPT_FORMAT,
    OPT_JSON,
    OPT_COLOUR,
    OPT_HEAT_MAP,
    OPT_ERRORS,
    OPT_GROUPS,
    OPT_HTML
};

static const cli_option options[] = {
    {OPT_MEASURED, "measured", 'm', "FILE",
     "measurements: CSV with the columns hex and cycles; app, category,\nflags, notes, status are used if "
     "they are "
     "there"},
    {OPT_PREDICTED, "predicted", 'p', "[NAME=]FILE",
     "predictions: CSV with the columns hex and cycles (arch, error,\nmodel are used if they are there)"},
    {OPT_MODEL, "model", 0, "[NAME=]MODEL",
     "predict with this: tacho, tacho-bounds, baseline, llvm-mca,\nosaca, uica, iaca, a description "
     "FILE.json ...; "
     "ours, variants,\nall (that can be had here)"},
    {OPT_LIST_MODELS, "list-models", 0, NULL, "the models that there are, and what is missing"},
    {OPT_ARCH, "arch", 'a', "ARCH", "microarchitecture of the models (default: this machine's)"},
    {OPT_MODE, "mode", 0, "MODE auto|loop|unroll",
     "of the models: auto, loop or unroll (auto: loop if the code ends in\na branch)"},
    {OPT_INIT, "init", 0, "STATE distinct|aligned|same",
     "of our models: distinct (default), aligned or same"},
    {OPT_BY, "by", 0, "LIST",
     "figures for groups of blocks: application, category, length,\nbottleneck, content, or none (default: "
     "the first four, if known)"},
    {OPT_ONLY, "only", 0, "COLUMN=VALUE", "only these rows of the measurements; flags= where it is empty"},
    {OPT_WITHOUT, "without", 0, "COLUMN=VALUE", "all but these rows"},
    {OPT_COMMON, "common", 0, NULL, "only blocks that all predictors have a prediction for"},
    {OPT_WITHOUT_LOWER_BOUNDS, "without-lower-bounds", 0, NULL,
     "predictions that are only lower bounds, as some of their\ninstructions have no figures, count as "
     "failed"},
    {OPT_CATEGORIES, "categories", 0, "FILE",
     "categories of the blocks: CSV with the columns hex and category"},
    {OPT_DIFF, "diff", 0, NULL,
     "compare two files of predictions, of two versions: tacho eval\n--diff OLD.csv NEW.csv [--measured "
     "FILE]"},
    {OPT_TOLERANCE, "tolerance", 0, "PERCENT",
     "of --diff: predictions that differ by no more are unchanged\n(default 0.1)"},
    {OPT_FAIL_ABOVE, "fail-above", 0, "[P:]FIGURE=N",
     "exit status 4 if a predictor's (P's) figure is above N: MAPE,\nmedian, q3, worst, failures, in "
     "percent"},
    {OPT_FAIL_BELOW, "fail-below", 0, "[P:]FIGURE=N",
     "the same if it is below: tau, within-1, within-5, within-10"},
    {OPT_RESAMPLES, "resamples", 0, "N", "bootstrap resamples for the intervals (default 1000; 0: none)"},
    {OPT_CONFIDENCE, "confidence", 0, "P", "of the intervals, in percent (default 95)"},
    {OPT_SEED, "seed", 0, "N", "of the resampling (default 1)"},
    {OPT_TAU_STEP, "tau-step", 0, "CYCLES", "for Kendall's tau, round to multiples of this (default: no)"},
    {OPT_WORST, "worst", 0, "N", "the N blocks with the largest errors of each predictor\n(default 5)"},
    {OPT_SAVE, "save", 0, "FILE", "write what the models predicted, to be read by --predicted"},
    {OPT_SHARD, "shard", 0, "I/N",
     "with --save: predict only the blocks of shard I of N, or auto;\ntacho suite join puts the files "
     "together"},
    {OPT_JOBS, "jobs", 'j', "N", "threads (default: one a processor)"},
    {OPT_TIMEOUT, "timeout", 0, "SECONDS", "for a block, of external tools (default 10)"},
    {OPT_TIMES, "times", 0, NULL, "also how long each model took"},
    {OPT_FORMAT, "format", 'f', "FORMAT text|json|csv|markdown|latex",
     "text (default), json, csv, markdown or latex"},
    {OPT_JSON, "json", 0, NULL, "the same as --format json"},
    {OPT_COLOUR, "color", 0, "WHEN auto|always|never", "auto (default), always or never"},
    {OPT_COLOUR, "colour", 0, "WHEN auto|always|never", NULL},
    {OPT_HEAT_MAP, "heat-map", 0, "FILE", "measured against predicted: .svg or .png (with gnuplot)"},
    {OPT_ERRORS, "errors", 0, "FILE", "the distribution of the errors: .svg or .png"},
    {OPT_GROUPS, "groups", 0, "[BY=]FILE", "errors by application (or BY): .svg or .png"},
    {OPT_HTML, "html", 0, "FILE", "one page for browsers with all of it"},
    {0, NULL, 0, NULL, NULL}};

static const char more[] =
    "Errors are |measured - predicted| / measured; MAPE is their mean. A block without a\n"
    "prediction counts as a failure and is in no other figure.\n\n"
    "For instance:\n"
    "  tacho eval --measured m.csv --predicted old=a.csv --predicted new=b.csv\n"
    "  tacho eval --measured m.csv --model tacho --model llvm-mca -a ICX --html report.html\n"
    "  tacho eval --diff old.csv new.csv --measured m.csv --format markdown\n\n"
    "Exit status: 0; 1 the input could not be used; 2 wrong usage; 4 a limit of --fail-above or\n"
    "--fail-below was broken.\n";

/* ---- options ---- */

static bool too_many(const char *what)
{
    cli_error("more than %d %s", EVAL_MAX, what);
    return false;
}

/* Splits NAME=VALUE; without a name, `name` is NULL. @return false with a message */
static bool split(const char *value, eval_named *out)
{
    const char *equals = strchr(value, '=');
    out->name = NULL;
    out->value = equals ? equals + 1 : value;
    if (equals && equals > value && !(out->name = tacho_mem_strndup(value, (size_t)(equals - value)))) {
        cli_error("out of memory");
        return false;
    }
    return true;
}

static bool take_condition(eval_request *r, const char *option, const char *value, bool without)
{
    if (r->in.condition_count == EVAL_MAX)
        return too_many("conditions");
    eval_condition *c = &r->in.conditions[r->in.condition_count];
    c->without = without;
    if (!split(value, &c->is))
        return false;
    if (!c->is.name) {
        cli_error("%s %s: wanted COLUMN=VALUE, such as flags= for rows without flags", option, value);
        return false;
    }
    r->in.condition_count++;
    return true;
}

static bool take_by(eval_request *r, const char *value)
{
    static const char *const names[EVAL_BY_COUNT] = {"application", "category", "length", "bottleneck",
                                                     "content"};
    r->in.by = 0;
    r->in.by_given = true;
    for (const char *at = value; *at; at += *at == ',') {
        size_t n = strcspn(at, ","), i = 0;
        while (i < EVAL_BY_COUNT && !(strlen(names[i]) == n && tacho_str_same_n(names[i], at, n)) &&
               !(i == 0 && n == 3 && tacho_str_same_n("app", at, n)))
            i++;
        if (i < EVAL_BY_COUNT)
            r->in.by |= 1u << i;
        else if (!(n == 4 && tacho_str_same_n("none", at, n))) {
            cli_error("--by: '%.*s' is not application, category, length, bottleneck, content or none",
                      (int)n, at);
            return false;
        }
        at += n;
    }
    return true;
}

static bool take_named(eval_named *list, size_t *count, const char *value, const char *what)
{
    if (*count == EVAL_MAX)
        return too_many(what);
    return split(value, &list[*count]) && ++*count;
}

static bool take_limit(eval_request *r, const char *option, const char *value, bool above)
{
    if (r->limit_count == EVAL_MAX)
        return too_many("limits");
    return eval_threshold_parse(&r->limits[r->limit_count], option, value, above) && ++r->limit_count;
}

static bool take_number(const char *option, const char *value, double low, double high, double *out)
{
    char *end;
    *out = strtod(value, &end);
    if (end == value || *end || !(*out >= low && *out <= high)) {
        cli_error("%s %s: wanted a number from %g to %g", option, value, low, high);
        return false;
    }
    return true;
}

static bool take_confidence(eval_request *r, const char *value)
{
    double percent;
    if (!take_number("--confidence", value, 1, 99.99, &percent))
        return false;
    r->score.confidence = percent / 100;
    return true;
}

static bool take_tolerance(eval_request *r, const char *value)
{
    double percent;
    if (!take_number("--tolerance", value, 0, 100, &percent))
        return false;
    r->tolerance = percent / 100;
    r->tolerance_given = true;
    return true;
}

static bool take_init(eval_request *r, const char *value)
{
    initial_state state = {0};
    if (!initial_state_parse(&state, value))
        return false;
    if (state.known_mask) {
        cli_error("--init: values of registers are not for many blocks: distinct, aligned or same");
        return false;
    }
    r->model.init = state.init;
    return true;
}

static bool take_choice(int *out, const char *option, const char *value, const char *choices)
{
    *out = cli_choice(option, value, choices);
    return *out >= 0;
}

static bool take_mode(eval_request *r, const char *value)
{
    static const tacho_mode modes[] = {TACHO_MODE_AUTO, TACHO_MODE_LOOP, TACHO_MODE_UNROLL};
    int i = cli_choice("--mode", value, "auto|loop|unroll");
    if (i >= 0)
        r->model.mode = modes[i];
    return i >= 0;
}

static bool take_switch(eval_request *r, int id)
{
    if (id == OPT_JSON)
        r->format = EVAL_JSON;
    r->list_models |= id == OPT_LIST_MODELS;
    r->times |= id == OPT_TIMES;
    r->common |= id == OPT_COMMON;
    r->without_lower_bounds |= id == OPT_WITHOUT_LOWER_BOUNDS;
    r->is_diff |= id == OPT_DIFF;
    return true;
}

/* @return false with a message */
static bool take_option(eval_request *r, int id, const char *option, const char *value)
{
    int choice;
    switch (id) {
    case OPT_MEASURED:
        r->in.measured = value;
        return true;
    case OPT_PREDICTED:
        return take_named(r->in.predicted, &r->in.predicted_count, value, "files of predictions");
    case OPT_MODEL:
        return take_named(r->models, &r->model_count, value, "models");
    case OPT_ARCH:
        r->archs = value;
        return true;
    case OPT_MODE:
        return take_mode(r, value);
    case OPT_INIT:
        return take_init(r, value);
    case OPT_BY:
        return take_by(r, value);
    case OPT_ONLY:
    case OPT_WITHOUT:
        return take_condition(r, option, value, id == OPT_WITHOUT);
    case OPT_CATEGORIES:
        r->in.categories = value;
        return true;
    case OPT_FAIL_ABOVE:
    case OPT_FAIL_BELOW:
        return take_limit(r, option, value, id == OPT_FAIL_ABOVE);
    case OPT_RESAMPLES:
        return cli_number32(option, value, 0, TACHO_MAX_RESAMPLES, &r->score.resamples);
    case OPT_CONFIDENCE:
        return take_confidence(r, value);
    case OPT_TOLERANCE:
        return take_tolerance(r, value);
    case OPT_SEED:
        return cli_number(option, value, 0, UINT64_MAX, &r->score.seed);
    case OPT_TAU_STEP:
        return take_number(option, value, 0, 1000, &r->score.tau_step);
    case OPT_WORST:
        return cli_number32(option, value, 0, 100000, &r->worst);
    case OPT_SAVE:
        r->save = value;
        return true;
    case OPT_SHARD:
        return shard_parse(value, &r->part);
    case OPT_JOBS:
        return cli_number32(option, value, 1, 256, &r->jobs);
    case OPT_TIMEOUT:
        return take_number(option, value, 0.001, 1e6, &r->model.timeout_seconds);
    case OPT_FORMAT:
        if (!take_choice(&choice, option, value, "text|json|csv|markdown|latex"))
            return false;
        r->format = (eval_format)choice;
        return true;
    case OPT_COLOUR:
        return take_choice(&r->colour, option, value, "auto|always|never");
    case OPT_HEAT_MAP:
        return eval_pictures_take(&r->pictures.heat_map, option, value);
    case OPT_ERRORS:
        return eval_pictures_take(&r->pictures.errors, option, value);
    case OPT_GROUPS:
        return eval_pictures_take_groups(&r->pictures, option, value);
    case OPT_HTML:
        return eval_pictures_take_page(&r->pictures, option, value);
    default:
        return take_switch(r, id);
    }
}

static bool take_positional(eval_request *r, const char *value)
{
    if (r->positional_count == 2) {
        cli_error("'%s' is one file too many", value);
        return false;
    }
    r->positional[r->positional_count++] = value;
    return true;
}

/* What --diff takes. @return false with a message */
static bool check_diff(const eval_request *r)
{
    const eval_pictures *p = &r->pictures;
    if (r->positional_count != 2) {
        cli_error("--diff compares two files: tacho eval --diff OLD.csv NEW.csv [--measured FILE]");
        return false;
    }
    if (r->in.predicted_count || r->model_count || r->save || r->part.count || r->common ||
        r->without_lower_bounds || r->in.categories || r->in.by_given || r->times || p->heat_map ||
        p->errors || p->groups || p->html || r->format == EVAL_LATEX) {
        cli_error(
            "--diff goes with --measured, --only, --without, --arch, --tolerance, --worst, --fail-above, "
            "--fail-below, the options of intervals, and --format text, json, csv or markdown");
        return false;
    }
    return true;
}

/* What a shard takes. @return false with a message */
static bool check_shard(const eval_request *r)
{
    const eval_pictures *p = &r->pictures;
    if (!r->save) {
        cli_error("--shard needs --save FILE: figures are of all blocks");
        return false;
    }
    if (r->limit_count || p->heat_map || p->errors || p->groups || p->html) {
        cli_error("--shard gives no figures, so no limits and no pictures: join the files, then --predicted");
        return false;
    }
    return shard_check_output(&r->part, r->save);
}

/* What does not go together. @return false with a message */
static bool check(eval_request *r)
{
    if (r->is_diff)
        return check_diff(r);
    if (r->tolerance_given) {
        cli_error("--tolerance is for --diff: it says which predictions are unchanged");
        return false;
    }
    if (r->positional_count == 1 && !r->in.measured)
        r->in.measured = r->positional[0];
    else if (r->positional_count) {
        cli_error("'%s': predictions come with --predicted NAME=FILE, measurements with --measured FILE",
                  r->positional[0]);
        return false;
    }
    if (!r->in.measured) {
        cli_error("no measurements: --measured FILE");
        return false;
    }
    if (!r->in.predicted_count && !r->model_count) {
        cli_error("nothing to judge: --predicted NAME=FILE, or --model tacho");
        return false;
    }
    if (r->save && !r->model_count) {
        cli_error("--save writes what models predict: --model says which");
        return false;
    }
    return !r->part.count || check_shard(r);
}

static void free_request(eval_request *r)
{
    for (size_t i = 0; i < r->in.predicted_count; i++)
        tacho_mem_free(r->in.predicted[i].name);
    for (size_t i = 0; i < r->in.condition_count; i++)
        tacho_mem_free(r->in.conditions[i].is.name);
    for (size_t i = 0; i < r->model_count; i++)
        tacho_mem_free(r->models[i].name);
    for (size_t i = 0; i < r->limit_count; i++)
        tacho_mem_free(r->limits[i].predictor);
    eval_pictures_free(&r->pictures);
}

static int run_eval(int argc, char **argv)
{
    eval_request *r = tacho_mem_zalloc(1, sizeof *r);
    cli_parser p;
    const char *value;
    int id, status = CLI_OK;
    bool help = false;
    if (!r) {
        cli_error("out of memory");
        return CLI_INPUT;
    }
    r->in.by = EVAL_BY_USUAL;
    r->score = (tacho_score_options)TACHO_SCORE_OPTIONS_INIT;
    r->model = (tacho_model_options)TACHO_MODEL_OPTIONS_INIT;
    r->worst = 5;
    r->tolerance = 0.001;
    cli_parse_start(&p, &cli_eval, argc, argv);
    while (status == CLI_OK && !help && (id = cli_next(&p, &value)) != CLI_END) {
        help = id == CLI_HELP;
        if (id == CLI_WRONG || (id == CLI_POSITIONAL && !take_positional(r, value)) ||
            (id > 0 && !take_option(r, id, p.typed, value)))
            status = CLI_USAGE;
    }
    if (help)
        status = cli_help(&cli_eval);
    else if (status == CLI_OK)
        status = r->list_models || check(r) ? eval_run(r) : CLI_USAGE;
    free_request(r);
    tacho_mem_free(r);
    return status;
}

const cli_command cli_eval = {"eval",
                              run_eval,
                              "predictions against measurements: errors, rank correlation, tables, plots",
                              "--measured FILE [--predicted [NAME=]FILE ...] [--model MODEL ...]",
                              options,
                              more};
