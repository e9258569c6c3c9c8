/* learn_doubt.c - findings that are not believed: where learning starts from a core, its value stays in the
 * model, and the report says why. Doubted is what the model's grammar does not take, ports that were lost, a
 * mechanism that an experiment misses on the core that has it, and what does not fit together; at the end,
 * while the model predicts blocks worse than the core does, each value without which it does better. */

#include "base/mem.h"
#include "learn/learn_internal.h"

/* ---- one by one ---- */

/* The model without any finding. */
static tacho_arch *core_to_try(const learning *l)
{
    tacho_arch *out = tacho_arch_copy(l->from ? l->from : tacho_arch_get(0));
    tacho_arch_parameter p;
    for (size_t i = 0; out && !l->from && !tacho_arch_parameter_get(i, &p); i++)
        tacho_arch_parameter_set(out, p.name, learn_neutral_of(p.name)->value, NULL);
    return out;
}

static const char *start_of(const learning *l, size_t i, const char *name, char text[80])
{
    const learn_neutral *neutral = learn_neutral_of(name);
    if (!l->from)
        return neutral ? neutral->value : "";
    tacho_arch_parameter_text(l->from, i, text, 80);
    return text;
}

static bool is_tried(const learning *l, const tacho_learn_finding *f)
{
    return f->model && (l->from ? f->differs : f->state == TACHO_LEARN_FOUND);
}

/* Why the value cannot be what it is said to be; NULL: it can. */
static const char *reason(learning *l, const tacho_learn_finding *f, size_t i)
{
    char text[80];
    tacho_arch_parameter p;
    const finding *other = lab_finding(&l->other, f->name);
    const char *start = start_of(l, i, f->name, text);
    tacho_arch_parameter_get(i, &p);
    if (!l->from)
        return NULL;
    if (p.type == TACHO_PARAMETER_PORTS && !strcmp(f->model, "-") && strcmp(start, "-") != 0 &&
        !learning_fits(f->name))
        return learning_text(l, "no port was found");
    const bool gone = p.type == TACHO_PARAMETER_NUMBER && !strcmp(f->model, "0") && strcmp(start, "0") != 0;
    if ((gone || p.type == TACHO_PARAMETER_UNROLL) && other && other->state == FINDING_MEASURED &&
        strcmp(other->value, start) != 0)
        return learning_text(l, "of %s itself the experiment finds %s, not %s", tacho_arch_name(l->from),
                             other->value, start);
    return NULL;
}

/* A mechanism of the start that nobody has looked at does not speak against what was found: it is off where
 * that fits together then. */
static void give_way(learning *l, const tacho_learn_finding *findings, size_t count, tacho_arch *trial)
{
    tacho_error why, still;
    for (size_t i = 0; i < count && l->from && tacho_arch_check(trial, &why); i++) {
        const learn_neutral *neutral = learn_neutral_of(findings[i].name);
        char own[80];
        tacho_arch_parameter_text(trial, i, own, sizeof own);
        if ((findings[i].state != TACHO_LEARN_NOT_TRIED && findings[i].state != TACHO_LEARN_UNDECIDED) ||
            !neutral || !tacho_starts_with(neutral->why, "mechanism off") || !strcmp(own, neutral->value) ||
            tacho_arch_parameter_set(trial, findings[i].name, neutral->value, NULL))
            continue;
        if (!tacho_arch_check(trial, &still) || strcmp(why.message, still.message) != 0) {
            l->parameters[i].taught = neutral->value;
            l->parameters[i].gave_way = true;
            l->parameters[i].lesson = learning_text(l, "%s", why.message);
        } else {
            tacho_arch_parameter_set(trial, findings[i].name, own, NULL);
        }
    }
}

/* Those that do not fit together: first those without which the rest does, or is refused for another reason;
 * then from the last one on until the rest does. */
static void doubt_together(learning *l, const tacho_learn_finding *findings, size_t count, tacho_arch *trial)
{
    tacho_error err, still;
    char text[80];
    give_way(l, findings, count, trial);
    for (unsigned alone = 2; alone-- > 0;)
        for (size_t i = count; i-- > 0 && tacho_arch_check(trial, &err);) {
            const tacho_learn_finding *f = &findings[i];
            if (!is_tried(l, f) || l->parameters[i].doubt ||
                tacho_arch_parameter_set(trial, f->name, start_of(l, i, f->name, text), NULL))
                continue;
            if (!alone || !tacho_arch_check(trial, &still) || strcmp(err.message, still.message) != 0) {
                l->parameters[i].doubt = learning_text(l, "%s", err.message);
                give_way(l, findings, count, trial);
            } else {
                tacho_arch_parameter_set(trial, f->name, f->model, NULL);
            }
        }
}

void learning_doubt(learning *l, const tacho_learn_finding *findings, size_t count)
{
    tacho_error refused;
    tacho_arch *trial = l->failed ? NULL : core_to_try(l);
    if (!l->failed && !trial)
        l->failed = tacho_no_memory(l->err);
    for (size_t i = 0; i < count && !l->failed; i++) {
        const tacho_learn_finding *f = &findings[i];
        if (!is_tried(l, f) || l->parameters[i].doubt)
            continue;
        const char *why = reason(l, f, i);
        if (!why && tacho_arch_parameter_set(trial, f->name, f->model, &refused))
            why = learning_text(l, "%s", refused.message);
        l->parameters[i].doubt = why;
    }
    if (!l->failed)
        doubt_together(l, findings, count, trial);
    tacho_arch_free(trial);
}

/* ---- by blocks ---- */

/* How much worse than the core, in the worse mode; 0 or less: in none. */
static double excess(const double error[LEARN_MODES], const double core[LEARN_MODES])
{
    double most = -INFINITY;
    for (unsigned m = 0; m < LEARN_MODES; m++)
        if (!isnan(error[m]) && !isnan(core[m]))
            most = fmax(most, error[m] - core[m]);
    return most;
}

/* The parameter without which the model is the least worse; `count`: none makes it better. */
static size_t find_worst(learning *l, tacho_arch *trial, const double core[LEARN_MODES], double *now,
                         bool held)
{
    const size_t count = l->result.finding_count;
    size_t worst = count;
    for (size_t i = 0; i < count && !l->failed; i++) {
        char start[80], own[80];
        double error[LEARN_MODES];
        tacho_arch_parameter_text(l->from, i, start, sizeof start);
        tacho_arch_parameter_text(trial, i, own, sizeof own);
        const char *name = l->result.findings[i].name;
        if (l->parameters[i].doubt_by_blocks || !strcmp(start, own) ||
            tacho_arch_parameter_set(trial, name, start, NULL))
            continue;
        if (!tacho_arch_check(trial, NULL)) {
            learning_errors(l, trial, held, error);
            if (excess(error, core) < *now - 1e-9) {
                *now = excess(error, core);
                worst = i;
            }
        }
        tacho_arch_parameter_set(trial, name, own, NULL);
    }
    return worst;
}

/* The core's rows return. @return whether there were others */
static bool drop_rows(learning *l)
{
    bool any = false;
    for (size_t i = 0; i < l->learnt_count; i++) {
        if (!*l->learnt[i].row)
            continue;
        any = true;
        *l->learnt[i].row = '\0';
        if (l->forms)
            l->forms[i] = (tacho_learn_form){
                .name = l->forms[i].name,
                .why = learning_text(l, "%s; blocks are predicted worse with such rows", l->forms[i].why),
                .measured = true};
    }
    return any;
}

bool learning_doubt_by_blocks(learning *l, bool held)
{
    double core[LEARN_MODES], error[LEARN_MODES];
    bool any = false;
    if (!l->from || l->failed)
        return false;
    tacho_arch *trial = tacho_arch_copy(l->model);
    if (!trial)
        l->failed = tacho_no_memory(l->err);
    learning_errors(l, l->from, held, core);
    learning_errors(l, l->model, held, error);
    double now = excess(error, core);
    while (!l->failed && now > 1e-9) {
        const double before = now;
        const size_t worst = find_worst(l, trial, core, &now, held);
        char start[80];
        if (l->failed || worst == l->result.finding_count)
            break;
        tacho_arch_parameter_text(l->from, worst, start, sizeof start);
        tacho_arch_parameter_set(trial, l->result.findings[worst].name, start, NULL);
        l->parameters[worst].doubt_by_blocks =
            learning_text(l, "blocks are predicted worse than by %s: by %.2f %%, without it by %.2f %%",
                          tacho_arch_name(l->from), 100 * before, 100 * fmax(now, 0));
        any = true;
    }
    tacho_arch_free(trial);
    return !l->failed && (any || (now > 1e-9 && drop_rows(l))); /* or no parameter is to blame */
}
