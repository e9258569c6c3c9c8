/* learn_findings.c - runs the experiments on the processor and on the simulated core that learning starts
 * from, and says of each parameter what the model has: what was found, the core's where both gave the same or
 * nothing, and from scratch a neutral value. */

#include "base/mem.h"
#include "learn/learn_internal.h"

/* ---- running ---- */

static const experiment *experiment_of(const char *parameter)
{
    for (const experiment *e = learn_experiments; e->part; e++)
        if (experiment_finds(e, parameter))
            return e;
    return NULL;
}

/* The last one that is asked for: those before it are run, too, as it may use what they find. */
static size_t count_to_run(const learning *l)
{
    size_t count = 0;
    for (size_t i = 0; learn_experiments[i].part; i++)
        if (learning_wants(l, learn_experiments[i].part, learn_experiments[i].name))
            count = i + 1;
    if (learning_wants(l, "forms", NULL))
        count = tacho_learn_experiment_count();
    return count;
}

/* Where learning starts from a core, ports have its names, or rows and parameters that speak of ports cannot
 * be the model's; nor can they where those of loads or additions are lost. */
static void name_ports(learning *l)
{
    const resources *r = l->lab.resources;
    const bool lost = !r || !r->loads || !r->alu;
    l->ports_unnamed = lost || (l->from && !resources_name_as(&l->lab, l->from));
    if (l->other.resources)
        resources_name_as(&l->other, l->from);
    if (lost) {
        resources_free(l->lab.resources);
        l->lab.resources = NULL;
    }
}

void learning_experiment(learning *l)
{
    size_t count = count_to_run(l);
    learning_stage(l, TACHO_LEARN_EXPERIMENTS, count);
    for (size_t i = 0; i < count && !l->failed && !learning_late(l, LEARN_EXPERIMENTS_END); i++) {
        const experiment *e = &learn_experiments[i];
        learning_step(l, e->name);
        l->failed = lab_run(&l->lab, e);
        if (!l->failed && l->reference)
            l->failed = lab_run(&l->other, e);
        learning_steps_end(l, 1);
        if (!e[1].part)
            name_ports(l);
        if (!e[1].part || strcmp(e->part, e[1].part) != 0)
            learning_part_done(l, e->part);
    }
    learning_stage_end(l);
}

/* ---- findings ---- */

/* Numbers whose ranges overlap are the same, as far as was measured. */
static bool are_alike(const finding *a, const finding *b)
{
    if (!strcmp(a->value, b->value))
        return true;
    return a->low <= b->high && b->low <= a->high;
}

static bool is_nameless(const learning *l, size_t parameter)
{
    tacho_arch_parameter p;
    tacho_arch_parameter_get(parameter, &p);
    return l->ports_unnamed && p.type == TACHO_PARAMETER_PORTS;
}

/* Ports mean something under the core's names only. There may be more of them than on the core; fewer are a
 * matter of what shows. */
static bool can_differ(const learning *l, const finding *f, size_t parameter)
{
    tacho_arch_parameter p;
    tacho_arch_parameter_get(parameter, &p);
    if (!strcmp(p.name, "ports"))
        return !l->ports_unnamed && atoi(f->value) > tacho_arch_parameter_number(l->from, parameter);
    return !is_nameless(l, parameter);
}

/* Whether the experiment has found a mechanism beside it that the core has otherwise: rows of µops, and how
 * many a row holds, which cannot be told where there are none. */
static bool comes_with_another(const learning *l, const finding *own)
{
    for (size_t i = 0; i < l->lab.finding_count; i++) {
        const finding *f = &l->lab.findings[i], *other = lab_finding(&l->other, f->name);
        if (f->by == own->by && is_found(f) && is_found(other) && !are_alike(f, other))
            return true;
    }
    return false;
}

/* A size that the core has, too, whatever hides it there: another one is no mechanism that it lacks. */
static bool is_size(const learning *l, const finding *own, size_t parameter)
{
    tacho_arch_parameter p;
    tacho_arch_parameter_get(parameter, &p);
    return p.type == TACHO_PARAMETER_NUMBER && is_found(own) && atof(own->value) > 1 &&
           tacho_arch_parameter_number(l->from, parameter) > 1;
}

/* What the model has of a parameter. The core's value where the same experiment gives the same on it, or
 * cannot tell on it, or where what was found is that value. */
static const char *value_for_model(learning *l, const char *name, size_t parameter, const finding *own,
                                   const finding *other)
{
    char core[80];
    const bool doubted = l->parameters[parameter].doubt,
               least = own && own->state == FINDING_UNDECIDED && !isnan(own->low) && !doubted;
    if (least && (!l->from || tacho_arch_parameter_number(l->from, parameter) < own->low))
        return learning_text(l, "%.0f", own->low);
    if (!l->from) {
        const learn_neutral *neutral = learn_neutral_of(name);
        return is_found(own) && !doubted && !is_nameless(l, parameter) ? learning_text(l, "%s", own->value)
               : neutral                                               ? neutral->value
                                                                       : NULL;
    }
    tacho_arch_parameter_text(l->from, parameter, core, sizeof core);
    bool untold = other && other->state == FINDING_UNDECIDED && own && !comes_with_another(l, own) &&
                  !is_size(l, own, parameter);
    bool inherited = doubted || !is_found(own) || untold || !can_differ(l, own, parameter) ||
                     (is_found(other) && are_alike(own, other)) || !strcmp(own->value, core);
    return learning_text(l, "%s", inherited ? core : own->value);
}

static tacho_learn_state state_of(const finding *f)
{
    static const tacho_learn_state states[] = {
        [FINDING_NONE] = TACHO_LEARN_NOT_TRIED,
        [FINDING_MEASURED] = TACHO_LEARN_FOUND,
        [FINDING_UNDECIDED] = TACHO_LEARN_UNDECIDED,
        [FINDING_MOOT] = TACHO_LEARN_MOOT,
    };
    return f ? states[f->state] : TACHO_LEARN_NOT_TRIED;
}

static tacho_learn_finding make_finding(learning *l, const char *name, size_t parameter)
{
    const finding *own = lab_finding(&l->lab, name), *other = lab_finding(&l->other, name);
    const experiment *e = experiment_of(name);
    const bool nameless = is_nameless(l, parameter);
    char core[80];
    tacho_learn_finding f = {.name = name,
                             .experiment = e ? e->name : NULL,
                             .state = state_of(own),
                             .value = is_found(own) ? learning_text(l, "%s", own->value) : NULL,
                             .low = own ? own->low : NAN,
                             .high = own ? own->high : NAN,
                             .why = own ? learning_text(l, "%s", own->why) : "",
                             .model = value_for_model(l, name, parameter, own, other)};
    if (is_found(own) && (l->parameters[parameter].doubt || nameless)) {
        f.state = TACHO_LEARN_DOUBTED;
        f.why = nameless ? "sets of ports that were found are no core's as we know them: they have no names"
                         : l->parameters[parameter].doubt;
    }
    if (l->parameters[parameter].taught && !l->parameters[parameter].doubt) {
        f.model = l->parameters[parameter].taught;
        f.why = l->parameters[parameter].lesson;
        if (!l->parameters[parameter].gave_way) {
            f.state = TACHO_LEARN_FOUND;
            f.experiment = "blocks";
            f.value = f.model;
        }
    }
    if (l->from) {
        tacho_arch_parameter_text(l->from, parameter, core, sizeof core);
        f.differs = f.model && strcmp(f.model, core) != 0;
        f.core = learning_text(l, "%s", is_found(other) ? other->value : core);
    }
    return f;
}

/* ---- curves ---- */

/* Of the same experiment, by its title. */
static bool is_like(const lab *a, size_t i, const lab *b, size_t k)
{
    return a->curves[i]->of == b->curves[k]->of && !strcmp(a->curves[i]->title, b->curves[k]->title);
}

/* Of several curves of one title the first is like the other core's first, and so on. */
static const curve *same_curve(const learning *l, size_t i)
{
    size_t before = 0;
    for (size_t k = 0; k < i; k++)
        before += is_like(&l->lab, k, &l->lab, i);
    for (size_t k = 0; k < l->other.curve_count; k++)
        if (is_like(&l->other, k, &l->lab, i) && !before--)
            return l->other.curves[k];
    return NULL;
}

static double cycles_at(const curve *c, double x)
{
    for (size_t i = 0; c && i < c->count; i++)
        if (c->points[i].x == x)
            return c->points[i].cycles;
    return NAN;
}

static void make_curve(learning *l, size_t i, tacho_learn_curve *out)
{
    const curve *c = l->lab.curves[i], *other = same_curve(l, i);
    tacho_learn_point *points = arena_alloc(&l->memory, (c->count + 1) * sizeof *points);
    if (!points)
        l->failed = tacho_no_memory(l->err);
    for (size_t k = 0; points && k < c->count; k++)
        points[k] =
            (tacho_learn_point){c->points[k].x, c->points[k].cycles, cycles_at(other, c->points[k].x)};
    *out = (tacho_learn_curve){.experiment = c->of ? c->of->name : "",
                               .title = c->title,
                               .x_name = c->x_name,
                               .y_name = c->y_name,
                               .bend = c->bend,
                               .points = points,
                               .count = c->count};
}

static void make_findings(learning *l, tacho_learn_finding *findings, size_t count)
{
    tacho_arch_parameter p;
    for (size_t i = 0; i < count; i++) {
        tacho_arch_parameter_get(i, &p);
        findings[i] = make_finding(l, p.name, i);
    }
}

void learning_conclude(learning *l)
{
    const size_t count = tacho_arch_parameter_count();
    if (l->failed)
        return;
    if (!l->parameters)
        l->parameters = arena_alloc(&l->memory, (count + 1) * sizeof *l->parameters);
    tacho_learn_finding *findings = arena_alloc(&l->memory, (count + 1) * sizeof *findings);
    tacho_learn_curve *curves = arena_alloc(&l->memory, (l->lab.curve_count + 1) * sizeof *curves);
    if (!findings || !curves || !l->parameters) {
        l->failed = tacho_no_memory(l->err);
        return;
    }
    for (size_t i = 0; i < count; i++)
        l->parameters[i].doubt = l->parameters[i].doubt_by_blocks;
    make_findings(l, findings, count);
    learning_doubt(l, findings, count);
    make_findings(l, findings, count);
    for (size_t i = 0; i < l->lab.curve_count; i++)
        make_curve(l, i, &curves[i]);
    l->result.findings = findings;
    l->result.finding_count = count;
    l->result.curves = curves;
    l->result.curve_count = l->lab.curve_count;
}
