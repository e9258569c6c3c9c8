/* cmd_eval.c - tacho eval: predictions against measurements. */
#include "app/cli/study/cmd_eval.h"
#include "app/cli/source.h"

#define CLI_REQUEST eval_request

static bool too_many(const char *what)
{
    return cli_error("more than %d %s", EVAL_MAX, what);
}

bool eval_take_name(cli_word out, const char *name, size_t length)
{
    if (length >= sizeof(cli_word))
        return cli_error("the name '%.40s...' is too long", name);
    memcpy(out, name, length);
    out[length] = '\0';
    return true;
}

/* @return false with a message */
static bool split(const char *value, eval_named *out)
{
    const char *equals = strchr(value, '=');
    out->value = equals ? equals + 1 : value;
    return eval_take_name(out->name, value, equals ? (size_t)(equals - value) : 0);
}

/* --only or --without */
static bool take_condition(void *target, const char *option, const char *value)
{
    eval_input *in = target;
    if (in->condition_count == EVAL_MAX)
        return too_many("conditions");
    eval_condition *c = &in->conditions[in->condition_count];
    c->without = !strcmp(option, "--without");
    if (!split(value, &c->is))
        return false;
    if (!*c->is.name)
        return cli_error("%s %s: wanted COLUMN=VALUE, such as flags= for rows without flags", option, value);
    in->condition_count++;
    return true;
}

static bool take_by(void *target, const char *option, const char *value)
{
    eval_input *in = target;
    in->by = 0;
    in->by_given = true;
    for (cli_word word; cli_next_word(&value, word);) {
        int by = tacho_str_same(word, "app")
                     ? 0
                     : cli_choice(option, word, "application|category|length|bottleneck|content|none");
        if (by < 0)
            return false;
        in->by |= by < EVAL_BY_COUNT ? 1u << by : 0;
    }
    return true;
}

static bool take_named(eval_named *list, size_t *count, const char *value, const char *what)
{
    if (*count == EVAL_MAX)
        return too_many(what);
    return split(value, &list[*count]) && ++*count;
}

static bool take_predicted(void *target, const char *option, const char *value)
{
    eval_request *r = target;
    return take_named(r->in.predicted, &r->in.predicted_count, value, "files of predictions");
}

static bool take_model(void *target, const char *option, const char *value)
{
    eval_request *r = target;
    return take_named(r->models, &r->model_count, value, "models");
}

/* --fail-above or --fail-below */
static bool take_limit(void *target, const char *option, const char *value)
{
    eval_request *r = target;
    if (r->limit_count == EVAL_MAX)
        return too_many("limits");
    return eval_threshold_parse(&r->limits[r->limit_count], option, value, !strcmp(option, "--fail-above")) &&
           ++r->limit_count;
}

static bool take_init(void *target, const char *option, const char *value)
{
    tacho_model_options *o = target;
    initial_state state = {0};
    if (!initial_state_parse(&state, option, value))
        return false;
    if (state.known_mask)
        return cli_error("--init: values of registers are not for many blocks: distinct, aligned or same");
    o->init = state.init;
    return true;
}

static bool is_second_file(const char *value)
{
    return !cli_error("'%s': predictions come with --predicted NAME=FILE, measurements with --measured FILE",
                      value);
}

static bool take_file(void *target, const char *option, const char *value)
{
    eval_request *r = target;
    if (r->file)
        return !is_second_file(value);
    r->file = value;
    return true;
}

static const cli_option options[] = {
    {CLI_CALL, "", 0, "FILE", NULL, CLI_ALL, .take = take_file},
    {CLI_STRING, "measured", 'm', "FILE",
     "measurements: CSV with the columns hex and cycles; app, category,\nflags, notes, status are used if "
     "they are there",
     CLI_AT(in.measured)},
    {CLI_CALL, "predicted", 'p', "[NAME=]FILE",
     "predictions: CSV with the columns hex and cycles (arch, error,\nmodel are used if they are there)",
     CLI_ALL, .take = take_predicted},
    {CLI_CALL, "model", 0, "[NAME=]MODEL",
     "predict with this: tacho, tacho-bounds, baseline, llvm-mca,\nosaca, uica, iaca, a description "
     "FILE.json ...; ours, variants,\nall (available here)",
     CLI_ALL, .take = take_model},
    {CLI_SWITCH, "list-models", 0, NULL, "the models that there are, and what is missing",
     CLI_AT(list_models)},
    {CLI_STRING, "arch", 'a', "ARCH", "microarchitecture of the models (default: this machine's)",
     CLI_AT(archs)},
    {CLI_CHOICE, "mode", 0, "MODE auto|loop|unroll",
     "of the models: auto, loop or unroll (auto: loop if the code ends in\na branch)", CLI_AT(model.mode)},
    {CLI_CALL, "init", 0, "STATE distinct|aligned|same", "of our models: distinct (default), aligned or same",
     CLI_AT(model), .take = take_init},
    {CLI_CALL, "by", 0, "LIST",
     "figures for groups of blocks: application, category, length,\nbottleneck, content, or none (default: "
     "the first four, if known)",
     CLI_AT(in), .take = take_by},
    {CLI_CALL, "only", 0, "COLUMN=VALUE", "only these rows of the measurements; flags= where it is empty",
     CLI_AT(in), .take = take_condition},
    {CLI_CALL, "without", 0, "COLUMN=VALUE", "all but these rows", CLI_AT(in), .take = take_condition},
    {CLI_SWITCH, "common", 0, NULL, "only blocks that all predictors have a prediction for", CLI_AT(common)},
    {CLI_SWITCH, "without-lower-bounds", 0, NULL,
     "predictions that are only lower bounds, as some of their\ninstructions have no figures, count as "
     "failed",
     CLI_AT(without_lower_bounds)},
    {CLI_STRING, "categories", 0, "FILE", "categories of the blocks: CSV with the columns hex and category",
     CLI_AT(in.categories)},
    {CLI_CALL, "fail-above", 0, "[P:]FIGURE=N",
     "exit status 4 if a predictor's (P's) figure is above N: MAPE,\nmedian, q3, worst, failures, in percent",
     CLI_ALL, .take = take_limit},
    {CLI_CALL, "fail-below", 0, "[P:]FIGURE=N", "the same if it is below: tau, within-1, within-5, within-10",
     CLI_ALL, .take = take_limit},
    {CLI_WHOLE, "resamples", 0, "N", "bootstrap resamples for the intervals (default 1000; 0: none)",
     CLI_AT(score.resamples), .high = TACHO_MAX_RESAMPLES},
    {CLI_PERCENT, "confidence", 0, "P", "of the intervals, in percent (default 95)", CLI_AT(score.confidence),
     .least = 1, .most = 99.99},
    {CLI_WHOLE, "seed", 0, "N", "of the resampling (default 1)", CLI_AT(score.seed), .high = UINT64_MAX},
    {CLI_REAL, "tau-step", 0, "CYCLES", "for Kendall's tau, round to multiples of this (default: no)",
     CLI_AT(score.tau_step), .most = 1000},
    {CLI_WHOLE, "worst", 0, "N", "the N blocks with the largest errors of each predictor\n(default 5)",
     CLI_AT(worst), .high = 100000},
    {CLI_STRING, "save", 0, "FILE", "write what the models predicted, to be read by --predicted",
     CLI_AT(save)},
    {CLI_WHOLE, "jobs", 'j', "N", "threads (default: one a processor)", CLI_AT(jobs), .low = 1, .high = 256},
    {CLI_SECONDS, "timeout", 0, "SECONDS", "for a block, of external tools (default 10)",
     CLI_AT(model.timeout_seconds), .least = 0.001, .most = 1e6},
    {CLI_SWITCH, "times", 0, NULL, "also how long each model took", CLI_AT(times)},
    CLI_FORMAT_ROWS("text|json|csv", "text (default), json or csv"),
    CLI_COLOUR_ROW,
    {CLI_FILE, "heat-map", 0, "FILE", "measured against predicted: .svg or .png (with gnuplot)",
     CLI_AT(heat_map), .ends = "svg|png"},
    {CLI_FILE, "html", 0, "FILE", "one page for browsers with all of it", CLI_AT(html), .ends = "html|htm"},
    {.kind = CLI_END},
};

/* What does not go together. @return false with a message */
static bool check(eval_request *r)
{
    if (r->file && r->in.measured)
        return !is_second_file(r->file);
    if (r->file)
        r->in.measured = r->file;
    if (!r->in.measured)
        return cli_error("no measurements: --measured FILE");
    if (!r->in.predicted_count && !r->model_count)
        return cli_error("nothing to judge: --predicted NAME=FILE, or --model tacho");
    if (r->save && !r->model_count)
        return cli_error("--save writes what models predict: --model says which");
    return true;
}

static int run_eval(void *asked)
{
    eval_request *r = asked;
    return r->list_models || check(r) ? eval_run(r) : CLI_USAGE;
}

CLI_DEFINE(cli_eval, "eval", "predictions against measurements: errors, rank correlation, tables, plots",
           "--measured FILE [--predicted [NAME=]FILE ...] [--model MODEL ...]", options, help_eval, run_eval,
           eval_request, .in.by = EVAL_BY_USUAL, .score = TACHO_SCORE_OPTIONS_INIT,
           .model = TACHO_MODEL_OPTIONS_INIT, .worst = 5);
