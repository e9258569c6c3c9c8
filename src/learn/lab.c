/* lab.c - keeps what experiments find, and their curves. */
#include "learn/lab.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "learn/resources.h"

void lab_free(lab *l)
{
    for (size_t i = 0; i < l->curve_count; i++) {
        tacho_mem_free(l->curves[i]->points);
        tacho_mem_free(l->curves[i]);
    }
    resources_free(l->resources);
    TACHO_MEM_FREE(l->curves, l->curve_owners, l->findings);
    *l = (lab){0};
}

const finding *lab_finding(const lab *l, const char *name)
{
    for (size_t i = 0; i < l->finding_count; i++)
        if (!strcmp(l->findings[i].name, name))
            return &l->findings[i];
    return NULL;
}

double lab_number(const lab *l, const char *name, double otherwise)
{
    const finding *f = lab_finding(l, name);
    char *end;
    double value = f && f->state == FINDING_MEASURED ? strtod(f->value, &end) : NAN;
    return isnan(value) || end == f->value ? otherwise : value;
}

bool lab_is(const lab *l, const char *name)
{
    const finding *f = lab_finding(l, name);
    return f && f->state == FINDING_MEASURED && !strcmp(f->value, "yes");
}

/* The finding of that name, new or to be replaced; NULL: there was a failure. */
static finding *renew(lab *l, const char *name, finding_state state)
{
    finding *f = (finding *)(uintptr_t)lab_finding(l, name);
    if (!f && !l->failed &&
        tacho_mem_grow(&l->findings, &l->finding_capacity, l->finding_count + 1, sizeof *f))
        l->failed = tacho_no_memory(l->err);
    if (l->failed)
        return NULL;
    f = f ? f : &l->findings[l->finding_count++];
    *f = (finding){.name = name, .state = state, .low = NAN, .high = NAN, .by = l->running};
    return f;
}

int lab_found(lab *l, const char *name, double low, double high, const char *format, ...)
{
    finding *f = renew(l, name, FINDING_MEASURED);
    va_list args;
    if (!f)
        return l->failed;
    f->low = low;
    f->high = high;
    va_start(args, format);
    vsnprintf(f->value, sizeof f->value, format, args);
    va_end(args);
    return 0;
}

int lab_yes(lab *l, const char *name, bool yes)
{
    return lab_found(l, name, NAN, NAN, "%s", yes ? "yes" : "no");
}

int lab_about(lab *l, const char *name, double value, double error)
{
    return lab_found(l, name, value - error, value + error, "%.0f", value);
}

int lab_cycles(lab *l, const char *name, double cycles, double most)
{
    if (isnan(cycles))
        return lab_undecided(l, name, "the loops could not be timed");
    if (!(cycles >= -0.3 && fabs(cycles - round(cycles)) <= most))
        return lab_undecided(l, name, "%.2f cycles: no whole number", cycles);
    return lab_found(l, name, cycles, cycles, "%.0f", fabs(round(cycles)));
}

/* What there is no value of, and why. */
#define SAY_WHY(state_, least)                                                                               \
    do {                                                                                                     \
        finding *f = renew(l, name, state_);                                                                 \
        va_list args;                                                                                        \
        if (!f)                                                                                              \
            return l->failed;                                                                                \
        f->low = least;                                                                                      \
        va_start(args, format);                                                                              \
        vsnprintf(f->why, sizeof f->why, format, args);                                                      \
        va_end(args);                                                                                        \
        return 0;                                                                                            \
    } while (0)

int lab_undecided(lab *l, const char *name, const char *format, ...)
{
    SAY_WHY(FINDING_UNDECIDED, NAN);
}

int lab_at_least(lab *l, const char *name, double least, const char *format, ...)
{
    SAY_WHY(FINDING_UNDECIDED, least);
}

int lab_moot(lab *l, const char *name, const char *format, ...)
{
    SAY_WHY(FINDING_MOOT, NAN);
}

curve *lab_curve(lab *l, const char *title, const char *x_name, const char *y_name)
{
    curve *c = l->failed ? NULL : tacho_mem_zalloc(1, sizeof *c);
    if (!c || tacho_mem_grow(&l->curves, &l->curve_capacity, l->curve_count + 1, sizeof(curve *)) ||
        tacho_mem_grow(&l->curve_owners, &l->owner_capacity, l->curve_count + 1, sizeof *l->curve_owners)) {
        tacho_mem_free(c);
        l->failed = l->failed ? l->failed : tacho_no_memory(l->err);
        return NULL;
    }
    *c = (curve){.title = title, .x_name = x_name, .y_name = y_name, .bend = NAN};
    l->curve_owners[l->curve_count] = l->running;
    l->curves[l->curve_count++] = c;
    return c;
}

void curve_add(lab *l, curve *c, double x, double cycles)
{
    if (!l->failed && tacho_mem_grow(&c->points, &c->capacity, c->count + 1, sizeof *c->points))
        l->failed = tacho_no_memory(l->err);
    if (!l->failed)
        c->points[c->count++] = (curve_point){x, cycles};
}
