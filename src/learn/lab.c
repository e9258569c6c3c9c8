/* lab.c - runs experiments, and keeps what they find. */
#include "learn/lab.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "learn/resources.h"

#define EXPERIMENT(...) {__VA_ARGS__},
const experiment learn_experiments[] = {
#include "learn/experiment_rows.h"
    {0},
};

void lab_free(lab *l)
{
    for (size_t i = 0; i < l->curve_count; i++) {
        tacho_mem_free(l->curves[i]->points);
        tacho_mem_free(l->curves[i]);
    }
    lab_clear(l);
    resources_free(l->resources);
    TACHO_MEM_FREE(l->curves, l->loops, l->findings);
    *l = (lab){0};
}

/* ---- running ---- */

bool experiment_finds(const experiment *e, const char *parameter)
{
    const size_t length = strlen(parameter);
    for (const char *at = e->parameters; (at = strstr(at, parameter)); at += length)
        if ((at == e->parameters || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
            return true;
    return false;
}

/* What nobody has said anything of, of no account or undecided. */
static void give_up(lab *l, bool moot, const char *why)
{
    tacho_arch_parameter p;
    for (size_t i = 0; !tacho_arch_parameter_get(i, &p); i++)
        if (experiment_finds(l->running, p.name) && !lab_finding(l, p.name))
            (moot ? lab_moot : lab_undecided)(l, p.name, "%.150s", why);
}

/* Whether unrolled code comes from the decoders here. */
static bool decodes_copies(lab *l)
{
    const finding *f = lab_finding(l, "dsb_holds_copies");
    const bool held = is_found(f) && f->value[0] == 'y';
    if (!is_found(f) || held)
        give_up(l, held,
                held ? "copies of code come from a cache of µops, and so do loops"
                     : "where copies of code come from is not known");
    return is_found(f) && !held;
}

int lab_run(lab *l, const experiment *e)
{
    *l->err = (tacho_error){0};
    l->running = e;
    lab_clear(l);
    if (e->needs == NEEDS_DECODERS && !decodes_copies(l))
        return l->failed;
    if (e->run(l) == TACHO_ERR_UNSUPPORTED) {
        const tacho_error why = *l->err;
        l->failed = 0;
        give_up(l, false, why.message);
    }
    return l->failed;
}

/* ---- findings ---- */

const finding *lab_finding(const lab *l, const char *name)
{
    for (size_t i = 0; i < l->finding_count; i++)
        if (!strcmp(l->findings[i].name, name))
            return &l->findings[i];
    return NULL;
}

int parameter_number(const char *name)
{
    tacho_arch_parameter p;
    for (int i = 0; !tacho_arch_parameter_get((size_t)i, &p); i++)
        if (!strcmp(p.name, name))
            return i;
    return -1;
}

double lab_number(const lab *l, const char *name, double otherwise)
{
    const finding *f = lab_finding(l, name);
    char *end;
    double value = is_found(f) ? strtod(f->value, &end) : NAN;
    if (!isnan(value) && end != f->value)
        return value;
    const int p = l->start ? parameter_number(name) : -1;
    return p < 0 ? otherwise : (double)tacho_arch_parameter_number(l->start, (size_t)p);
}

bool is_found(const finding *f)
{
    return f && f->state == FINDING_MEASURED;
}

bool lab_is(const lab *l, const char *name)
{
    const finding *f = lab_finding(l, name);
    return is_found(f) && !strcmp(f->value, "yes");
}

/* Says it anew; `format`: the value that was measured, or why there is none. */
static int say(lab *l, finding_state state, const char *name, double low, double high, const char *format,
               va_list args)
{
    finding *f = (finding *)(uintptr_t)lab_finding(l, name);
    if (!f && !l->failed &&
        tacho_mem_grow(&l->findings, &l->finding_capacity, l->finding_count + 1, sizeof *f))
        l->failed = tacho_no_memory(l->err);
    if (l->failed)
        return l->failed;
    f = f ? f : &l->findings[l->finding_count++];
    *f = (finding){.name = name, .state = state, .low = low, .high = high, .by = l->running};
    const bool found = state == FINDING_MEASURED;
    vsnprintf(found ? f->value : f->why, found ? sizeof f->value : sizeof f->why, format, args);
    return 0;
}

/* SAY(state, low, high) is the body of a function with a format and `...` at its end. */
#define SAY(state, low, high)                                                                                \
    va_list args;                                                                                            \
    va_start(args, format);                                                                                  \
    const int failed = say(l, state, name, low, high, format, args);                                         \
    va_end(args);                                                                                            \
    return failed

int lab_found(lab *l, const char *name, double low, double high, const char *format, ...)
{
    SAY(FINDING_MEASURED, low, high);
}

int lab_undecided(lab *l, const char *name, const char *format, ...)
{
    SAY(FINDING_UNDECIDED, NAN, NAN);
}

int lab_at_least(lab *l, const char *name, double least, const char *format, ...)
{
    SAY(FINDING_UNDECIDED, least, NAN);
}

int lab_moot(lab *l, const char *name, const char *format, ...)
{
    SAY(FINDING_MOOT, NAN, NAN);
}

int lab_untimed(lab *l, const char *name)
{
    return lab_undecided(l, name, "the loops could not be timed");
}

int lab_yes(lab *l, const char *name, bool yes)
{
    return lab_found(l, name, NAN, NAN, "%s", yes ? "yes" : "no");
}

int lab_less(lab *l, const char *name, double one, double other)
{
    return isnan(one) || isnan(other) ? lab_untimed(l, name) : lab_yes(l, name, one < other);
}

int lab_about(lab *l, const char *name, double value, double error)
{
    return lab_found(l, name, value - error, value + error, "%.0f", value);
}

int lab_cycles(lab *l, const char *name, double cycles, double most)
{
    if (isnan(cycles))
        return lab_untimed(l, name);
    if (!(cycles >= -0.3 && fabs(cycles - round(cycles)) <= most))
        return lab_undecided(l, name, "%.2f cycles: no whole number", cycles);
    return lab_found(l, name, cycles, cycles, "%.0f", fabs(round(cycles)));
}
