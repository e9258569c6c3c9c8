/* learn_json.c - what was learnt of a processor, as JSON. */
#include "app/report/learn/report_learn.h"
#include "base/mem.h"

#define RECORD tacho_learn_finding
static const char *state_name(tacho_learn_state state)
{
    static const char *const names[] = {"not_tried", "found", "undecided", "moot", "doubted"};
    return names[state];
}

GETTER(why_of, report_word(r->why))
static const report_field findings[] = {
    {MEMBER(name, "the parameter")},
    {MEMBER(experiment, "that is about it", .none = REPORT_NO_TEXT)},
    {WORD("state", state, state_name, "found, undecided, moot, doubted, not_tried")},
    {MEMBER(value, "that was found, as in params.txt; null unless found", .none = REPORT_NO_TEXT)},
    MEMBERS2(low, high, "the range that the measurements allow"),
    {MADE_OR_NULL(TEXT, "why", why_of, "of undecided, moot and doubted")},
    {MEMBER(core, "the same on the core that learning started from", .none = REPORT_NO_TEXT)},
    {MEMBER(model, "what the model has", .none = REPORT_NO_TEXT)},
    {MEMBER(differs, "the model has not the core's value")},
};
#undef RECORD

#define RECORD tacho_learn_point
static const report_field points[] = {
    {MEMBER(x, NULL)},
    {MEMBER(cycles, "measured; null: could not be")},
    {MEMBER(core, "the same on the core that learning started from")},
};
#undef RECORD

#define RECORD tacho_learn_curve
static const report_field curves[] = {
    {MEMBER(experiment, "its name")},
    {MEMBER(title, NULL)},
    {MEMBER(x_name, NULL)},
    {MEMBER(y_name, "in words: what was measured over what")},
    {MEMBER(bend, "the `x` that the value follows from")},
    {RECORDS("points", points, count, ROWS(points), "in their order")},
};
#undef RECORD

#define RECORD tacho_learn_form
GETTER(form_why, report_word(r->why))
static const report_field forms[] = {
    {MEMBER(name, "the form")},
    {MEMBER(row, "as in insns.txt", .none = REPORT_NO_TEXT)},
    {MEMBER(measured, "else by analogy, or not at all")},
    {MEMBER(differs, "from the core that learning started from")},
    {MADE_OR_NULL(TEXT, "why", form_why, "what differs, or could not be found")},
};
#undef RECORD

#define RECORD tacho_learn_score
GETTER(mode_of, report_text_value(r->mode == TACHO_MODE_LOOP ? "loop" : "unroll"))
static const report_field scores[] = {
    {MEMBER(model, "learnt, the name of the core that learning started from, bounds (of the learnt model)")},
    {MADE(TEXT, "mode", mode_of, "loop, unroll")},
    {NAMED("count", score.count, NULL)},
    {NAMED("failures", score.failures, "blocks with a prediction, and without")},
    {NAMED("mean_error", score.mape.value, NULL)},
    {NAMED("median_error", score.median.value, "shares of the measured cycles")},
    {NAMED("kendall_tau", score.kendall_tau.value, "of the ranking")},
};
#undef RECORD

#define RECORD tacho_learnt
GETTER(problem_of, report_word(r->problem))
static const report_field learnt[] = {
    {MEMBER(processor, "in words")},
    {MEMBER(core, "that learning started from; null: from nothing", .none = REPORT_NO_TEXT)},
    {MADE_OR_NULL(TEXT, "problem", problem_of, "why the model cannot be used as it is")},
    {MEMBER(loops, "that were timed, without those that the journal had")},
    {MEMBER(answered, "questions that records of measurements answered")},
    {MEMBER(open, "that they did not")},
    {MEMBER(seconds, "that it took")},
    {RECORDS("scores", scores, score_count, ROWS(scores), "on the blocks that judge")},
    {RECORDS("parameters", findings, finding_count, ROWS(findings), "all")},
    {RECORDS("forms", forms, form_count, ROWS(forms), "those that were looked at")},
    {RECORDS("curves", curves, curve_count, ROWS(curves), "of the experiments")},
};
#undef RECORD

#define RECORD report_learn
static const report_field report[] = {
    {SCHEMA("tacho-learn-1")},
    {MEMBER(file, "where the model is; null: it was not written", .none = REPORT_NO_TEXT)},
    {PART_AT(learnt, ROWS(learnt))},
};
#undef RECORD
TABLE(report_learn_table, report, "tacho-learn-1");
